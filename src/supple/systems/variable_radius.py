"""A soft arm whose pressure chambers bend, stretch and bulge it."""

from __future__ import annotations

from math import pi

import numpy as np

from supple.lie.pose import pose
from supple.loads import Cavity
from supple.numerics.quadrature import gauss_legendre
from supple.robot.bodies import SoftBody
from supple.robot.domains import Cylinder
from supple.robot.kinematics import VariableRadius
from supple.robot.robot import Robot
from supple.solvers.integrators import NDF
from supple.systems.system import System


def half_cylinder(
    start: float, end: float, radius: float, gap: float, side: int, nodes: tuple[int, int, int] = (12, 8, 2)
) -> tuple[np.ndarray, np.ndarray]:
    """Points (P, 3) and areas (P, 3) of the wall of a half cylinder along x, on the side of +z (1) or -z (-1).

    Its flat face lies at |z| = ``gap``; lengths in m.  Gauss nodes: along it, around it, outward on its ends.
    """
    (s, along), (t, around), (r, outward) = (gauss_legendre(count) for count in nodes)
    x, along = start + (end - start) * s, (end - start) * along
    first = np.arcsin(gap / radius)
    angle, around = first + (pi - 2.0 * first) * t, (pi - 2.0 * first) * around
    normal = np.column_stack([np.cos(angle), side * np.sin(angle)])
    arc = radius * normal
    far = np.arcsinh(radius * np.cos(first) / gap)  # angles from the axis change fastest in the middle of the face
    y, across = gap * np.sinh(far * (2.0 * t - 1.0)), gap * np.cosh(far * (2.0 * t - 1.0))
    face = np.column_stack([y, np.full(len(y), side * gap)])
    flat = (2.0 * far * gauss_legendre(nodes[1])[1] * across)[:, None] * np.array([0.0, -side])
    points, areas = [], []
    for ring, area in ((arc, (radius * around)[:, None] * normal), (face, flat)):
        points.append(_product(x, ring))
        areas.append(_product(np.zeros(len(x)), area) * np.repeat(along, len(ring))[:, None])
    away = arc - (0.0, side * gap)
    spread = np.abs(np.sum(away * arc, axis=1)) * around  # the arc runs across (cos, sin): |away x d arc / d angle|
    for place, sign in ((start, -1.0), (end, 1.0)):
        points.append(_product(np.array([place]), (r[:, None, None] * away + (0.0, side * gap)).reshape(-1, 2)))
        areas.append(sign * np.outer(np.outer(outward * r, spread).ravel(), (1.0, 0.0, 0.0)))
    return np.concatenate(points), np.concatenate(areas)


def _product(x: np.ndarray, ring: np.ndarray) -> np.ndarray:
    """Points (len(x) len(ring), 3): a ring (k, 2) at every place of the axis."""
    return np.column_stack([np.repeat(x, len(ring)), np.tile(ring, (len(x), 1))])


def stiffness(shape: VariableRadius, young: float) -> np.ndarray:
    """K (4, 4) of bending, elongation and bulges: those of a rod, and E int int dR d(dR)/dq dphi dx over the wall.

    So does the authors' toolbox.
    """
    nodes, weights = gauss_legendre(200)
    x, phi = np.meshgrid(shape.length * nodes, pi * nodes, indexing="ij")
    bump, _ = shape.bumps((x, np.cos(phi), np.sin(phi)))
    wall = young * shape.length * pi * float(weights @ (bump * bump) @ weights)
    area, second = pi * shape.radius**2, 0.25 * pi * shape.radius**4
    return np.diag([young * second / shape.length, young * area / shape.length, wall, wall])


def variable_radius(
    pressures: tuple[float, ...] = (5e5, 0.0, 0.0, 5e5, 2.5e5, 1e5),
    length: float = 0.2,
    radius: float = 0.02,
    wall: float = 0.004,
    points: tuple[int, int, int] = (16, 2, 12),
) -> System:
    """A planar arm of three bodies, each with two chambers that also change its radius ([AGNOSTIC-ID] S1).

    Parameters
    ----------
    pressures : (6,)
        Of the chambers, two per body, Pa.
    length, radius : float
        Of each body, m.
    wall : float
        Thickness of walls around the chambers, m; between the two it is as thick.
    points : (3,)
        Material points of every body along its axis, outward and around.
    """
    shape = VariableRadius(length, radius)
    K = stiffness(shape, 6.0 * 0.501e6)
    body = SoftBody(shape, Cylinder(length, radius), density=1062.0, stiffness=K, damping=0.1 * K, points=points)
    robot, parent, at = Robot("variable-radius"), "world", pose(rpy=(0.0, pi / 2.0, 0.0))  # hangs along gravity
    for k in range(1, 4):
        robot.add_link(f"body{k}", body, parent=parent, at=at)
        parent, at = f"body{k}", pose()
        for name, side in (("up", 1), ("down", -1)):
            hollow = half_cylinder(wall, length - wall, radius - wall, 0.5 * wall, side)
            robot.add(Cavity(f"{name}{k}", f"body{k}", wall=hollow))
    return System(
        name="variable-radius",
        robot=robot,
        t_end=3.0,
        dt=0.01,
        u=np.asarray(pressures, dtype=float),
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("body3", 1.0), ("body1", 1.0)),
        source="AGNOSTIC-ID, Simulation 4",
        note="How inner points move with the radius is not said: whole sections are scaled, by half on either side. "
        "The printed bump is below 2e-9; the one here is that of the authors' toolbox. Shapes of the chambers are not "
        "printed: half cylinders 4 mm inside all walls, whose material is not taken away. Elasticity is that of the "
        "authors' toolbox: linear, of a rod for bending and elongation, and E times the square of the change of "
        "radius, summed over the wall. Pressures are a quarter of those printed, which would double the radius.",
    )
