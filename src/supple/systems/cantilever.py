"""Hanging rods, pulled aside by a force at the tip and released."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from supple.bases import Chebyshev
from supple.lie.pose import pose
from supple.loads import PointWrench
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System, of_kind

if TYPE_CHECKING:
    from supple.model.model import Model

#: How both rods are read.
HANGING = (
    "The rod hangs along gravity and the force is normal to it: the text calls the force horizontal, and the appendix "
    "lays gravity along the rod."
)


def _release(name: str, rod: Rod, force: float, t_end: float, note: str) -> System:
    """A clamped rod that hangs along -y; it begins where a force along x holds its tip."""

    def hanging() -> Robot:
        robot = Robot(name, gravity=(0.0, -9.81, 0.0))
        robot.add_link("rod", rod, at=pose(rpy=(0.0, 0.0, -0.5 * pi)))
        return robot

    def held(model: Model) -> np.ndarray:
        pulled = hanging()
        pulled.add(PointWrench("rod", [0.0, 0.0, 0.0, force, 0.0, 0.0]))
        return pulled.compile().statics().q

    return System(
        name=name,
        robot=hanging(),
        t_end=t_end,
        q0=held,
        dt=0.01,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("rod", 0.5), ("rod", 1.0)),
        source="IDM-TIDM, Fig. 5",
        note=f"{HANGING} {note}",
    )


def _kirchhoff(length: float, diameter: float, young: float, density: float, modes: int, points: int) -> Rod:
    """A round rod that bends in one plane and does nothing else."""
    material = Material(young=young, poisson=0.3, density=density)
    strain = Chebyshev(bend_z=modes - 1)
    return Rod(length=length, section=Circle(0.5 * diameter), material=material, strain=strain, points=points)


def soft_cantilever(
    length: float = 10.0,
    diameter: float = 0.01,
    young: float = 1e11,
    density: float = 7800.0,
    force: float = 50.0,
    modes: int = 3,
    points: int = 12,
) -> System:
    """A steel wire of 10 m, released from a force of 50 N ([IDM-TIDM] Fig. 5a).

    Parameters
    ----------
    length, diameter : float
        m.
    young : float
        Pa.
    density : float
        kg/m^3.
    force : float
        Horizontal force at the tip that holds it until t = 0, N.
    modes : int
        Functions of the curvature.
    points : int
        Gauss nodes.
    """
    rod = _kirchhoff(length, diameter, young, density, modes, points)
    note = "The paper's three modes put the tip up to 0.9 m off its place; 12 are right to a centimetre."
    return _release("cantilever", rod, force, 10.0, note)


def stiff_cantilever(
    length: float = 0.4,
    diameter: float = 0.002,
    young: float = 2e11,
    density: float = 8000.0,
    force: float = 10.0,
    modes: int = 3,
    points: int = 12,
) -> System:
    """A steel needle of 0.4 m, released from a force of 10 N ([IDM-TIDM] Fig. 5b).

    Parameters as in `soft_cantilever`.
    """
    rod = _kirchhoff(length, diameter, young, density, modes, points)
    note = (
        "The printed E = 2e3 MPa is read as 2e5 MPa: with the printed one f L^2 / EI is 1019 and the rod bends within "
        "12 mm of its clamp, which three modes cannot show; f = 0.1 N in place of 10 N would be the other reading. "
        "The paper's three modes put the tip up to 5 cm off its place, six are right to a millimetre; its step of "
        "0.01 s is a tenth of the first period."
    )
    return _release("cantilever-stiff", rod, force, 1.0, note)


def cantilever(
    kind: str = "soft",
    length: float | None = None,
    diameter: float | None = None,
    young: float | None = None,
    density: float | None = None,
    force: float | None = None,
    modes: int | None = None,
    points: int | None = None,
) -> System:
    """A hanging rod, pulled aside and released: the soft or the stiff one ([IDM-TIDM] Fig. 5).

    ``kind`` is "soft" or "stiff"; what is omitted is as in `soft_cantilever` or `stiff_cantilever`.
    """
    given = {key: value for key, value in locals().items() if key != "kind" and value is not None}
    return of_kind("cantilever", {"soft": soft_cantilever, "stiff": stiff_cantilever}, kind)(**given)
