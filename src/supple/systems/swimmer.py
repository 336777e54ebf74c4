"""An eel-like swimmer: a rigid head, a body that two tendons bend, a passive tail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from supple import laws
from supple.bases import Chebyshev
from supple.joints import Planar
from supple.lie.pose import pose
from supple.loads import Fluid, Tendon, Wake
from supple.robot.bodies import Rigid, Rod
from supple.robot.robot import Robot
from supple.sections import Ellipse, Section
from supple.solvers.integrators import NDF
from supple.systems.system import System

WATER = 1000.0  #: kg/m^3


class Outline(NamedTuple):
    """Elliptic sections of a swimmer: half an ellipsoid, a trunk of constant section, a tail that tapers smoothly."""

    head: float  #: where the head ends, m from the nose
    trunk: float  #: where the trunk ends
    length: float
    width: float  #: half the largest width (along y), m
    height: float  #: half the largest height (along z)
    end_width: float  #: the same at the end of the tail
    end_height: float

    def half_axes(self, X: float) -> tuple[float, float]:
        """Half width and half height at X metres from the nose, m."""
        ahead = 1.0 - X / self.head  # of the neck, in lengths of the head
        if ahead > 0.0:
            round_off = sqrt(1.0 - ahead**2)
            return self.width * round_off, self.height * round_off
        x = max(X - self.trunk, 0.0) / (self.length - self.trunk)
        fade = x * x * (3.0 - 2.0 * x)
        return (
            self.width + (self.end_width - self.width) * fade,
            self.height + (self.end_height - self.height) * fade,
        )

    def half_axis(self, which: int, X: float) -> float:
        """One of them."""
        return self.half_axes(X)[which]

    def inertia(self, X: float) -> np.ndarray:
        """Diagonal of the spatial inertia per metre of a section of the density of water, (6,)."""
        a, b = self.half_axes(X)
        mass = WATER * pi * a * b
        return mass * np.array([0.25 * (a * a + b * b), 0.25 * b * b, 0.25 * a * a, 1.0, 1.0, 1.0])

    def added_mass(self, X: float) -> np.ndarray:
        """Diagonal of the added mass per metre of an ellipse in an ideal fluid, (6,)."""
        a, b = self.half_axes(X)
        return WATER * pi * np.array([0.0, 0.0, 0.0, 0.0, b * b, a * a])

    def drag(self, X: float, friction: float) -> np.ndarray:
        """Diagonal of the drag along x per metre: rho/2 times the friction coefficient and the perimeter, (6,)."""
        a, b = self.half_axes(X)
        perimeter = pi * (3.0 * (a + b) - sqrt((3.0 * a + b) * (a + 3.0 * b)))
        return np.array([0.0, 0.0, 0.0, 0.5 * WATER * friction * perimeter, 0.0, 0.0])


def _along(profile: Callable[[float], Any], start: float, length: float) -> Callable[[float], Any]:
    """A profile of metres from the nose as one of s on a rod that begins at ``start``."""
    return lambda s: profile(start + s * length)


def _whole(per_metre: Callable[[float], np.ndarray], length: float, about: float) -> np.ndarray:
    """Sum (6, 6) over a rigid body of diagonal matrices per metre, in a frame at ``about`` on its axis.

    Inertia and added mass of an ellipsoid are polynomials along it, and their sums are exact.
    """
    nodes, weights = np.polynomial.legendre.leggauss(5)
    total = np.zeros((6, 6))
    for X, weight in zip(0.5 * length * (nodes + 1.0), 0.5 * length * weights, strict=True):
        shift = np.eye(6)
        shift[4, 2], shift[5, 1] = X - about, about - X  # a slice moves with v + w x (X - about) e_x
        total += weight * shift.T @ np.diag(per_metre(X)) @ shift
    return total


def _head(outline: Outline) -> tuple[Rigid, float]:
    """A rigid half ellipsoid, its frame at the nose and its tip at the neck, and where its centre of mass is."""
    at_nose = _whole(outline.inertia, outline.head, 0.0)
    com = float(at_nose[4, 2] / at_nose[3, 3])
    inertia = _whole(outline.inertia, outline.head, com)[:3, :3]
    head = Rigid(at_nose[3, 3], inertia, com=(com, 0.0, 0.0), tip=pose((outline.head, 0.0, 0.0)))
    return head, com


def swimmer(
    head_length: float = 0.2,
    trunk_length: float = 0.5,
    tail_length: float = 0.3,
    width: float = 0.1,
    height: float = 0.12,
    tail_width: float = 0.01,
    tail_height: float = 0.08,
    trunk_stiffness: float = 4.9,
    tail_stiffness: float = 4.9e-2,
    tendon_distance: float = 0.05,
    tension: float = 20.0,
    amplitude: float = 20.0,
    frequency: float = 2.5,
    friction: float = 0.005,
    modes: int = 5,
    points: int = 12,
) -> System:
    """A swimmer of one metre ([IDM-TIDM] Fig. 15) in Lighthill's water ([LAEBT]): 13 coordinates, two tendons.

    It swims in the plane of x and y, nose first towards -x.

    Parameters
    ----------
    head_length, trunk_length, tail_length : float
        Of the rigid head, of the rod with the tendons and of the passive rod, m.
    width, height : float
        Largest width (along y) and height of the elliptic sections, m.
    tail_width, tail_height : float
        The same at the end of the tail, m.
    trunk_stiffness, tail_stiffness : float
        Bending stiffness of the rods, N m^2.
    tendon_distance : float
        Distance of the tendons from the axis, m.
    tension, amplitude, frequency : float
        Tensions tension +- amplitude cos(2 pi frequency t), N and Hz.
    friction : float
        Friction coefficient of the skin, for the motion along the body.
    modes : int
        Functions of each rod's curvature.
    points : int
        Gauss nodes of a rod.
    """
    neck, root, end = head_length, head_length + trunk_length, head_length + trunk_length + tail_length
    outline = Outline(neck, root, end, 0.5 * width, 0.5 * height, 0.5 * tail_width, 0.5 * tail_height)

    def skin(X: float) -> np.ndarray:
        return outline.drag(X, friction)

    robot = Robot("swimmer", gravity=(0.0, 0.0, 0.0))
    head, com = _head(outline)
    robot.add_link("head", head, joint=Planar("z"))
    added: dict[str, Any] = {"head": _whole(outline.added_mass, neck, com)}
    drag: dict[str, Any] = {"head": _whole(skin, neck, com)}
    trunk, tail = (neck, trunk_length, trunk_stiffness), (root, tail_length, tail_stiffness)
    for name, parent, (start, length, bending) in (("trunk", "head", trunk), ("tail", "trunk", tail)):
        section = Section(
            stiffness=bending * np.array([1.0, 1.0, 1.0, 1e4, 1e4, 1e4]),  # all but bend_z is locked
            inertia=_along(outline.inertia, start, length),
            shape=Ellipse(*(_along(partial(outline.half_axis, k), start, length) for k in (0, 1))),
        )
        rod = Rod(length=length, section=section, strain=Chebyshev(bend_z=modes - 1), points=points)
        robot.add_link(name, rod, parent=parent)
        added[name], drag[name] = _along(outline.added_mass, start, length), _along(skin, start, length)
    robot.add(Tendon("left", {"trunk": lambda X: (-tendon_distance, 0.0)}))  # seen by the swimmer
    robot.add(Tendon("right", {"trunk": lambda X: (tendon_distance, 0.0)}))
    robot.add(Fluid(density=WATER, drag=drag, added_mass=added, buoyancy=False))
    robot.add(Wake("tail", added_mass=outline.added_mass(end), density=WATER))
    return System(
        name="swimmer",
        robot=robot,
        t_end=10.0,
        u=[laws.Sine(amplitude, frequency, sign * 0.5 * pi, tension) for sign in (1.0, -1.0)],
        dt=0.01,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("head", 0.0), ("tail", 1.0)),
        source="IDM-TIDM, Figs. 14 to 16",
        note="The outline is that of another paper and not printed; chosen here: half an ellipsoid, a trunk of one "
        "section whose width of 0.1 m reaches the tendons, a tail that tapers; lengths, heights and skin friction are "
        "chosen, too. Of four shapes tried, this one swims steadily; 0.08 m high it veered off, 0.10 m high its speed "
        "oscillated. Without friction the theory has no drag and the swimmer is still gaining speed after 10 s. The "
        "tensions are out of phase by pi: at t = 0 the left one is 40 N, the right one 0.",
    )
