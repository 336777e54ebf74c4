"""Rods that fly freely after a push at one end."""

from __future__ import annotations

from math import atan2, pi

import numpy as np

from supple import laws
from supple.bases import Chebyshev
from supple.joints import Free
from supple.lie.pose import pose
from supple.loads import PointWrench
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material, Section
from supple.solvers.integrators import NDF
from supple.systems.system import System, of_kind


def _strain(modes: int, extensible: bool) -> Chebyshev:
    """Torsion and both bendings, or all six strains."""
    order = modes - 1
    if not extensible:
        return Chebyshev(torsion=order, bend_y=order, bend_z=order)
    return Chebyshev(torsion=order, bend_y=order, bend_z=order, stretch=order, shear_y=order, shear_z=order)


def _flight(name: str, rod: Rod, push: np.ndarray, duration: float, note: str) -> System:
    """A rod from (0.6, 0, 0) L to (0, 0.8, 0) L, at rest, without gravity, pushed at its first end.

    The dead wrench there, [moment; force] in N m and N, grows linearly to ``push`` and back to zero in ``duration``.
    """
    length = rod.length
    robot = Robot(name, gravity=(0.0, 0.0, 0.0))
    at = pose(xyz=(0.6 * length, 0.0, 0.0), rpy=(0.0, 0.0, pi - atan2(0.8, 0.6)))
    robot.add_link("rod", rod, joint=Free(), at=at)
    law = laws.Table([0.0, 0.5 * duration, duration], np.outer((0.0, 1.0, 0.0), push))
    robot.add(PointWrench("rod", law, s=0.0, name="push"))
    return System(
        name=name,
        robot=robot,
        t_end=10.0,
        dt=0.01,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("rod", 0.0), ("rod", 0.5), ("rod", 1.0)),
        source="IDM-TIDM, Fig. 6",
        note=note,
    )


def soft_flying_rod(
    length: float = 10.0,
    bending: float = 500.0,
    stretching: float = 1e4,
    mass: float = 1.0,
    rotary: float = 10.0,
    push: float = 200.0,
    duration: float = 5.0,
    modes: int = 3,
    points: int = 12,
    extensible: bool = False,
) -> System:
    """Simo's flying rod ([IDM-TIDM] Fig. 6).

    Parameters
    ----------
    length : float
        m.
    bending : float
        Stiffness in bending and torsion, N m^2.
    stretching : float
        Stiffness in stretch and shear, N; used if ``extensible``.
    mass, rotary : float
        Mass and rotary inertia (about all axes) per metre, kg/m and kg m.
    push, duration : float
        Largest moment of the push, N m, and how long it lasts, s.
    modes : int
        Functions of each strain.
    points : int
        Gauss nodes.
    extensible : bool
        Whether the rod also stretches and shears, as Simo's does; the paper's does not.
    """
    section = Section.from_stiffness(
        EA=stretching,
        GA_y=stretching,
        GA_z=stretching,
        EI_y=bending,
        EI_z=bending,
        GJ=bending,
        mass_per_length=mass,
        rotary_inertia=(rotary, rotary, rotary),
    )
    rod = Rod(length=length, section=section, strain=_strain(modes, extensible), points=points)
    note = (
        "The load is printed as a figure; here it is that of Simo and Vu-Quoc's rod in space. Without stretch and "
        "shear, as in the paper, the ends are 0.3 m off Simo's within 10 s; extensible=True is his."
    )
    wrench = push * np.array([0.0, -0.5, -1.0, 1.0 / length, 0.0, 0.0])
    return _flight("flying-rod", rod, wrench, duration, note)


def stiff_flying_rod(
    length: float = 1.0,
    diameter: float = 0.1,
    young: float = 1e6,
    poisson: float = 0.5,
    density: float = 1000.0,
    push: float = 2.0,
    duration: float = 1.0,
    modes: int = 3,
    points: int = 8,
) -> System:
    """A thick short rod in free flight ([IDM-TIDM] Fig. 6).

    Parameters
    ----------
    length, diameter : float
        m.
    young : float
        Pa.
    poisson, density : float
        Poisson's ratio; kg/m^3.
    push, duration : float
        Largest moment of the push, N m, and how long it lasts, s.
    modes : int
        Functions of each strain.
    points : int
        Gauss nodes.
    """
    material = Material(young=young, poisson=poisson, density=density)
    strain = _strain(modes, extensible=False)
    rod = Rod(length=length, section=Circle(0.5 * diameter), material=material, strain=strain, points=points)
    note = (
        "The load is printed as a figure and Poisson's ratio is not; chosen here: a push of one second that bends the "
        "rod by a third of a radian and makes it tumble. A moment along the rod, such as Simo's load has, would spin "
        "this slender one a hundred times faster than it tumbles. It was picked among ten loads: under some that spin "
        "the rod, methods at usual steps were centimetres to metres apart."
    )
    wrench = push * np.array([0.0, 0.0, -1.0, 2.0 / length, 0.0, 1.0 / length])
    return _flight("flying-rod-stiff", rod, wrench, duration, note)


def flying_rod(
    kind: str = "soft",
    length: float | None = None,
    push: float | None = None,
    duration: float | None = None,
    modes: int | None = None,
    points: int | None = None,
) -> System:
    """A rod in free flight, pushed at one end: the soft or the stiff one ([IDM-TIDM] Fig. 6).

    ``kind`` is "soft" or "stiff"; what is omitted is as in `soft_flying_rod` or `stiff_flying_rod`, which also take
    stiffness and mass.
    """
    given = {key: value for key, value in locals().items() if key != "kind" and value is not None}
    return of_kind("flying_rod", {"soft": soft_flying_rod, "stiff": stiff_flying_rod}, kind)(**given)
