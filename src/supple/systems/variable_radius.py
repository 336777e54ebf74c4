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
    start: float, end: float, radius: float, gap: float, side: int, along: int = 24, around: int = 16
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (T, 3) of a half cylinder along x, on the side of +z (1) or -z (-1).

    Its flat face lies at |z| = ``gap``; lengths in m.
    """
    first = np.arcsin(gap / radius)
    angle = np.linspace(first, pi - first, around)  # the flat face closes the ring
    x = np.linspace(start, end, along)
    ring = radius * np.column_stack([np.cos(angle), side * np.sin(angle)])
    rings = [np.column_stack([np.full(around, place), ring]) for place in x]
    vertices = np.concatenate([*rings, [[start, 0.0, side * gap], [end, 0.0, side * gap]]])
    following = (np.arange(around) + 1) % around
    faces = []
    for k in range(along - 1):
        a, b = k * around + np.arange(around), k * around + following
        faces += [np.column_stack([a, b, a + around]), np.column_stack([b, b + around, a + around])]
    last, ends = (along - 1) * around, len(vertices) - 2
    faces.append(np.column_stack([following, np.arange(around), np.full(around, ends)]))
    faces.append(np.column_stack([last + np.arange(around), last + following, np.full(around, ends + 1)]))
    return vertices, np.concatenate(faces)


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
            robot.add(Cavity(f"{name}{k}", f"body{k}", hollow))
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
