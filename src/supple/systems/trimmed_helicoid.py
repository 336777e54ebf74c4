"""The trimmed helicoid: three bodies that deform in all directions, bent by nine tendons so that their tips circle."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.control import PartialFeedbackLinearization, partial_feedback_linearization
from supple.errors import ConvergenceError
from supple.laws import Spline
from supple.lie.pose import pose
from supple.loads import Tendon
from supple.robot.bodies import SoftBody
from supple.robot.domains import HollowCylinder
from supple.robot.kinematics import Bend, PolynomialMode, Shear, Stretch, Twist, VolumePreserving
from supple.robot.robot import Robot
from supple.sections import NeoHookean
from supple.solvers.integrators import NDF
from supple.systems.system import System

if TYPE_CHECKING:
    from supple.model.model import Model

#: Bodies, and tendons of each.
BODIES, TENDONS = 3, 3
#: Heights of the tips along the axis and radii of their circles, m; time for one turn, s.
HEIGHTS, CIRCLES, TURN = (0.08, 0.15, 0.24), (0.02, 0.025, 0.03), 5.0
#: The base: local x points down.
BASE = pose(rpy=(0.0, pi / 2.0, 0.0))
#: Newton steps for an equilibrium, and the residual that is small enough: m, and N m of a robot that weighs newtons.
MOST_STEPS, SMALL = 30, 1e-9


def helicoid_kinematics(length: float) -> VolumePreserving:
    """The eight coordinates of [AGNOSTIC-ID] Table 4: twist, stretch, shear along y, z, two bends towards y, z each."""
    grows = PolynomialMode((0.0, 1.0), length)
    curvature = [PolynomialMode((1.0 / length,)), PolynomialMode((0.0, 1.0 / length))]
    stretch = Stretch(PolynomialMode((0.0, 1.0, -1.0), length))
    bends = [Bend(curvature, towards=axis) for axis in "yz"]
    return VolumePreserving([Twist(grows), stretch, *[Shear(grows, along=axis) for axis in "yz"], *bends])


def circles(t: float) -> np.ndarray:
    """Where the tips shall be at time t (3, 3), m, in world axes."""
    angle = 2.0 * pi * t / TURN
    return in_world([(x, r * cos(angle), r * sin(angle)) for x, r in zip(HEIGHTS, CIRCLES, strict=True)])


def in_world(places: ArrayLike) -> np.ndarray:
    """Places (k, 3) in axes of the base, of which x is along the arm, in world axes."""
    return np.asarray(places) @ BASE[:3, :3].T


def equilibrium_at(model: Model, places: np.ndarray, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and tensions at which the robot is at rest with its tips at ``places`` (3, 3), by Newton's method.

    ([AGNOSTIC-ID] 49) with as many tips' coordinates as tendons: both R(q, u) = 0 and x(q) = x_d, for q and u at once.
    """
    zero, n, q, u = np.zeros(model.n), model.n, q.copy(), u.copy()
    for _ in range(MOST_STEPS):
        tips = [model.station(q, zero, f"body{k + 1}", 1.0) for k in range(BODIES)]
        error = np.concatenate([tip.pose[:3, 3] for tip in tips]) - np.ravel(places)
        force, slope = model.residual_tangent(q, zero, zero, u, None, 0.0, 0.0, 0.0)
        if max(np.abs(error).max(), np.abs(force).max()) < SMALL:
            return q, u
        J = np.vstack([tip.pose[:3, :3] @ tip.jacobian[3:] for tip in tips])
        matrix = np.block([[slope, -model.actuation(q)], [J, np.zeros((len(J), model.nu))]])
        step = np.linalg.solve(matrix, -np.concatenate([force, error]))
        share = min(1.0, 0.5 / max(np.abs(step[:n]).max(), 1e-12))  # half a radian at most
        q, u = q + share * step[:n], u + share * step[n:]
    raise ConvergenceError("trimmed-helicoid: no equilibrium with its tips there; take places nearer to the axis")


def at_the_beginning(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and tensions at rest with the tips where their circles begin, reached from the straight arm."""
    q, u = np.zeros(model.n), np.full(model.nu, 1.0)
    straight = in_world([(0.1 * (k + 1), 0.0, 0.0) for k in range(BODIES)])
    for share in (0.25, 0.5, 0.75, 1.0):
        q, u = equilibrium_at(model, (1.0 - share) * straight + share * circles(0.0), q, u)
    return q, u


def tip_circles(model: Model, samples: int = 12) -> Spline:
    """Actuation coordinates along equilibria whose tips circle, as a law of time."""
    from supple.control import actuation_coordinates

    y, rows = actuation_coordinates(model), []
    q, u = at_the_beginning(model)
    times = np.linspace(0.0, TURN, samples + 1)
    for t in times:
        q, u = equilibrium_at(model, circles(float(t)), q, u)
        rows.append(y(q))
    return Spline(times, np.array(rows))


def trimmed_helicoid(
    kp: float = 10.0,
    kd: float = 1.0,
    length: float = 0.1,
    outer: float = 0.02,
    inner: float = 0.01,
    points: tuple[int, int, int] = (4, 2, 6),
) -> System:
    """Three bodies that keep their volume are bent by nine tendons; their tips circle ([AGNOSTIC-ID] Figs. 4 to 7).

    Parameters
    ----------
    kp, kd : float
        Gains of the partial feedback linearisation, 1/s^2 and 1/s.
    length, outer, inner : float
        Of each body: length and radii, m.
    points : (3,)
        Material points of every body along its axis, outward and around.
    """
    C = 0.178e6
    material = NeoHookean(young=6.0 * C, poisson=0.5, density=960.0, viscosity=0.05 * 2.0 * C)
    body = SoftBody(helicoid_kinematics(length), HollowCylinder(length, outer, inner), material, points=points)
    robot, parent, at = Robot("trimmed-helicoid"), "world", BASE
    for k in range(1, BODIES + 1):
        robot.add_link(f"body{k}", body, parent=parent, at=at)
        parent, at = f"body{k}", pose()
        for j in range(TENDONS):
            angle = 2.0 * pi * j / TENDONS
            place: Any = (outer * cos(angle), outer * sin(angle))
            robot.add(Tendon(f"tendon{k}{j + 1}", {f"body{k}": place}))

    def linearisation(model: Model) -> PartialFeedbackLinearization:
        return partial_feedback_linearization(model, tip_circles(model), kp, kd, limits=(0.0, np.inf))

    return System(
        name="trimmed-helicoid",
        robot=robot,
        t_end=TURN,
        dt=0.01,
        q0=lambda model: at_the_beginning(model)[0],
        control=linearisation,
        method=NDF(rtol=1e-4, atol=1e-7),
        watch=tuple((f"body{k}", 1.0) for k in (3, 2, 1)),
        source="AGNOSTIC-ID, Simulation 1",
        note="The bodies of the paper are helical, with a mesh that is not printed: here they are hollow cylinders of "
        "the same length, outer radius and material. Twist and shear of Table 4 are read as angle and offset; "
        "primitives act in the order twist, stretch, shear, bending. Each tendon runs along one body, at its outer "
        "radius, and does not push: what the law asks of it is cut off at zero. The state at the beginning is not "
        "printed: here the arm is at rest with its tips where the circles begin, and falls behind by a centimetre, "
        "which gains of 10/s^2 and 1/s make up for slowly. From the straight arm they would overshoot by half of the "
        "shortening that the circles ask for, which these bodies cannot bear.",
    )
