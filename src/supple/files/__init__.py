"""Robots in files: URDF, and model files of our own.  What reads them is loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from supple.robot.robot import Robot


def load_urdf(
    path: str | PathLike[str],
    base: str = "fixed",
    *,
    name: str | None = None,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    packages: Mapping[str, str | PathLike[str]] | None = None,
    shapes: str = "visual",
    limits: bool = True,
    merge: bool = True,
) -> Robot:
    """Robot of a URDF file.

    Parameters
    ----------
    path : path
        The file.
    base : "fixed" or "free"
        Whether the root link is held by the world, or floats.
    name : str, optional
        Of the robot; the file's if left out.
    gravity : (3,)
        m/s^2.
    packages : mapping of str to path, optional
        Folders of ``package://`` names of meshes; others are looked for upwards from the file.
    shapes : "visual", "collision" or "none"
        What pictures draw.  Meshes are read when a picture is made.
    limits : bool
        Whether joints get soft limits where the file limits them.
    merge : bool
        Whether links on fixed joints become part of their parents.  Their names stay as frames: `Model.pose`,
        `Model.jacobian`, ``parent=`` and ``attach(to=...)`` take them.

    Returns
    -------
    Robot
        Links have the names of the file, and ``facts``: the name of their joint, effort, velocity and friction.

    Notes
    -----
    A link called "world" at the root is the world if the base is fixed; any other becomes "world_link".  Joints that
    move no inertia are let pass with a warning: kinematics and inverse dynamics work, accelerations do not.

    Raises
    ------
    FileError
        With file, line and element, for what is wrong: two roots, cycles, NaN, zero axes, negative masses, decimal
        commas, left-overs of xacro, entities.

    Examples
    --------
    >>> robot = load_urdf("panda.urdf")  # doctest: +SKIP
    >>> robot.compile().pose(q, "panda_hand_tcp")  # doctest: +SKIP
    """
    from supple.files.urdf import urdf_robot

    return urdf_robot(path, base, name, gravity, packages, shapes, limits, merge)
