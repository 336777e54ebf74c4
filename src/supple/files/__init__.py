"""Robots in files: URDF, and model files of our own.  What reads them is loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from supple.gradients.design import Design
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
        Of the robot; the file's if omitted.
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
    Joints that mimic others are eliminated (`Robot.couple`).  A link called "world" at the root is the world if the
    base is fixed; any other becomes "world_link".  Joints that move no inertia are let pass with a warning:
    kinematics and inverse dynamics work, accelerations do not.

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


def load_mjcf(
    path: str | PathLike[str],
    *,
    name: str | None = None,
    gravity: ArrayLike | None = None,
    shapes: str = "visual",
    limits: bool = True,
    armature: bool = True,
    merge: bool = True,
    folder: str | PathLike[str] | None = None,
) -> Robot:
    """Robot of an MJCF file, MuJoCo's format: its tree with all that acts on it, as far as it maps.

    Parameters
    ----------
    path : path
        The file.
    name : str, optional
        Of the robot; the file's if omitted.
    gravity : (3,), optional
        m/s^2; the file's if omitted.
    shapes : "visual", "collision" or "none"
        What pictures draw: geoms of groups 0 to 2, or those that collide.
    limits : bool
        Whether joints get soft limits where the file limits them.
    armature : bool
        Whether joints carry their rotors, each a wheel that follows its joint; without them models are smaller.
    merge : bool
        Whether bodies without joints become part of their parents.  Their names stay as frames.
    folder : path, optional
        Inside which included files and meshes must lie; that of the file if omitted.

    Returns
    -------
    Robot
        Links have the names of bodies, frames those of sites; ``facts["joint"]`` is the name of a link's joint.
        ``robot.left_out`` lists what the file says and the robot does not have; a warning tells it, too.

    Notes
    -----
    Coordinates come in MuJoCo's order; those of hinges and slides are MuJoCo's ``qpos``, those of ball and free joints
    rotation vectors from where the file puts the body.  `Model.pose` of a link is MuJoCo's pose of the body.  Inputs
    are MuJoCo's ``ctrl`` (torques of motors, positions of position actuators, ...), by the names of actuators.

    Raises
    ------
    FileError
        With file, line and element, for what is wrong.

    Examples
    --------
    >>> robot = load_mjcf("humanoid.xml")  # doctest: +SKIP
    >>> robot.left_out  # doctest: +SKIP
    """
    from supple.files.mjcf import mjcf_robot

    return mjcf_robot(path, name, gravity, shapes, limits, armature, merge, folder)


#: How files of MuJoCo end.
MJCF = (".xml", ".mjcf")


def load(
    path: str | PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None, **parameters: Any
) -> Robot:
    """Robot of a model file, as `Robot.save` or a text editor writes it: YAML or JSON.

    Loading runs nothing that stands in the file.

    Parameters
    ----------
    path : path
        The file, .yaml, .yml or .json; a .urdf is read by `load_urdf`, a .xml by `load_mjcf`.
    functions : mapping of str to callable, optional
        Python functions that the file names: laws of users, feedback.  `Robot.save` returns them.
    **parameters : float or array
        Values of the file's parameters; those omitted have its defaults.

    Raises
    ------
    FileError
        With file, line and key, and the nearest name where one is unknown.

    Examples
    --------
    >>> load("finger.yaml", radius=0.01).compile()  # doctest: +SKIP
    """
    if isinstance(path, (str, PathLike)) and str(path).lower().endswith(".urdf") and not parameters:
        return load_urdf(path)
    if isinstance(path, (str, PathLike)) and str(path).lower().endswith(MJCF) and not parameters:
        return load_mjcf(path)
    from supple.files.model_files import read_model

    return read_model(path, functions, parameters)


def load_design(path: str | PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None) -> Design:
    """`Design` of a model file: the robot as a function of the file's parameters.

    Examples
    --------
    >>> design = load_design("finger.yaml")  # doctest: +SKIP
    >>> design.model(radius=0.01).statics()  # doctest: +SKIP
    """
    from supple.files.model_files import FileBuild, default_parameters
    from supple.gradients.design import Design

    return Design(FileBuild(path, functions), **default_parameters(path))
