"""Bodies of given kinematics, joints along splines, couplings and hybrid dynamics beside plain sums over mass points.

The reference knows where all mass points of a robot are, p_k(q), by formulas written down here once more, and nothing
else: M = sum m J^T J and ID = sum m J^T (p'' - g).  Derivatives are Cauchy's integrals around q in the complex plane,
right to rounding, whatever p is; so are derivatives of ID.  Nothing is shared with supple but points and weights.
"""

from collections.abc import Callable
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np
import pytest
from scipy.linalg import expm, logm

import supple as sp

L, R = 0.25, 0.03
GRAVITY = np.array([0.7, -1.1, -9.81])


class Reference(NamedTuple):
    """A robot, the places (P, 3) of its mass points, a function of q that may be complex, and their masses (P,)."""

    robot: sp.Robot
    places: Callable
    masses: np.ndarray


def derivative(f, order, radius=0.08, nodes=12):
    """The derivative of an analytic function of one number at 0, by Cauchy's integral over a circle."""
    t = radius * np.exp(2j * np.pi * np.arange(nodes) / nodes)
    values = np.array([f(x) for x in t])
    return factorial(order) * np.tensordot(t**-order, values, 1) / nodes


def slopes(f, x, scales, nodes=12):
    """Derivatives of f by the entries of x, as the last axis; ``scales`` (n,) are those on which f varies."""
    columns = [derivative(lambda t, e=e: f(x + t * e), 1, nodes=nodes) for e in np.diag(scales)]
    return np.stack(columns, axis=-1) / scales


def mass_matrix(case, q, scales):
    J = slopes(case.places, q, scales)
    return np.einsum("pia,pib,p->ab", J, J, case.masses)


def inverse_dynamics(case, q, v, a, scales):
    acceleration = derivative(lambda t: case.places(q + t * v + 0.5 * t * t * a), 2)
    return np.einsum("pia,pi,p->a", slopes(case.places, q, scales), acceleration - GRAVITY, case.masses)


# ---------------------------------------------------------------------- frames, which may be complex


def turned(axis, angle):
    """Rotation (3, 3) about x, y or z."""
    c, s = np.cos(angle), np.sin(angle)
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    made = np.eye(3, dtype=complex)
    made[i, i], made[i, j], made[j, i], made[j, j] = c, -s, s, c
    return made


def frame(rotation=None, place=(0.0, 0.0, 0.0)):
    made = np.eye(4, dtype=complex)
    made[:3, :3], made[:3, 3] = np.eye(3) if rotation is None else rotation, place
    return made


def at(g, x):
    """Points (P, 3) of a frame g in the world."""
    return x @ g[:3, :3].T + g[:3, 3]


def tip_frame(f, q, length=L, radius=R):
    """e_y towards f(x_a), e_x across e_y and f(x_b): the general definition."""
    p, a, b = f(np.array([[length, 0.0, 0.0], [length, radius, 0.0], [length, 0.0, radius]]), q)
    ey = (a - p) / np.sqrt(np.sum((a - p) ** 2))
    normal = np.cross(ey, b - p)
    ex = normal / np.sqrt(np.sum(normal**2))
    return frame(np.column_stack([ex, ey, np.cross(ex, ey)]), p)


def cluster(seed):
    """Six mass points, and the rigid body that they are."""
    rng = np.random.default_rng(seed)
    x, m = rng.uniform(-0.06, 0.06, (6, 3)), rng.uniform(0.05, 0.2, 6)
    com = m @ x / m.sum()
    inertia = sum(k * (y @ y * np.eye(3) - np.outer(y, y)) for k, y in zip(m, x - com, strict=True))
    return x, m, sp.Rigid(m.sum(), inertia, com)


# ---------------------------------------------------------------------- kinematics, for supple and for the reference


def arc(x, q):
    """Plane arc of the total angle q towards -y; x (P, 3)."""
    angle = q[0] * x[:, 0] / L
    along, across = L * np.sin(angle) / q[0], L * (np.cos(angle) - 1.0) / q[0]
    return np.stack([along + x[:, 1] * np.sin(angle), across + x[:, 1] * np.cos(angle), x[:, 2] + 0.0 * angle], axis=-1)


def arc_for_supple(x, q):
    angle = q[0] * x[0] / L
    along = x[0] * np.sinc(angle / np.pi) + x[1] * np.sin(angle)
    across = -x[0] * np.sin(0.5 * angle) * np.sinc(0.5 * angle / np.pi) + x[1] * np.cos(angle)
    return np.stack([along, across, x[2]])


def stretched(x, q, integral, ratio):
    shrink = 1.0 / np.sqrt(ratio)
    return np.stack([integral, x[:, 1] * shrink, x[:, 2] * shrink], axis=-1)


def composed(x, q):
    """Twist by (x/L) q6, stretch 1 + (x/L)(1 - x/L) q1, shear (x/L)^2 q7 along y, constant bends towards y and z."""
    s = x[:, 0] / L
    c, d = np.cos(s * q[0]), np.sin(s * q[0])
    x = np.stack([x[:, 0] + 0.0 * c, x[:, 1] * c - x[:, 2] * d, x[:, 1] * d + x[:, 2] * c], axis=-1)
    x = stretched(x, q, x[:, 0] + q[1] * L * (s**2 / 2.0 - s**3 / 3.0), 1.0 + s * (1.0 - s) * q[1])
    x = np.stack([x[:, 0], x[:, 1] + (x[:, 0] / L) ** 2 * q[2], x[:, 2]], axis=-1)
    for number, k in ((1, q[3] / L), (2, q[4] / L)):
        y, other = x[:, number], x[:, 3 - number]
        fibre, angle = (1.0 - np.sqrt(1.0 - 2.0 * k * y)) / k, k * x[:, 0]
        along, across = np.sin(angle) / k - fibre * np.sin(angle), (1.0 - np.cos(angle)) / k + fibre * np.cos(angle)
        x = np.stack([along, across, other] if number == 1 else [along, other, across], axis=-1)
    return x


def composed_for_supple():
    flat = [sp.PolynomialMode((1.0 / L,))]
    return sp.VolumePreserving([
        sp.Twist(lambda x: x / L), sp.Stretch(lambda x: x / L * (1.0 - x / L)), sp.Shear(lambda x: (x / L) ** 2),
        sp.Bend(flat, towards="y"), sp.Bend(lambda x: 1.0 / L, towards="z"),
    ])  # fmt: skip


def swollen(x, q):
    """The gripper: stretch 1 + (x/L)^2 q1, then source (x/L)^2 q2, x being the stretched coordinate."""
    s = x[:, 0] / L
    x = stretched(x, q, x[:, 0] + q[0] * L * s**3 / 3.0, 1.0 + s**2 * q[0])
    ratio = np.sqrt(1.0 + (x[:, 0] / L) ** 2 * q[1] / (x[:, 1] ** 2 + x[:, 2] ** 2))
    return np.stack([x[:, 0], ratio * x[:, 1], ratio * x[:, 2]], axis=-1)


def bulging(x, q, c=0.05):
    """PCC with variable radius: angle about y, elongation, and bumps on either side."""
    angle, stretch, phi = q[0] * x[:, 0] / L, 1.0 + q[1] / L, np.arctan2(x[:, 2], x[:, 1])
    along = np.exp(-c * L / (x[:, 0] * (L - x[:, 0]) + (x[:, 0] * (L - x[:, 0]) <= 0.0)))
    along = np.where(x[:, 0] * (L - x[:, 0]) > 0.0, along, 0.0)
    sides = phi * (np.pi - phi), -phi * (np.pi + phi)
    up, down = ((side > 0.0) * np.exp(-1.0 / np.where(side > 0.0, side, 1.0)) for side in sides)
    h = 1.0 + along * (q[2] * up + q[3] * down) / R
    y, z = h * x[:, 1], h * x[:, 2]
    p = stretch * L / q[0] * np.sin(angle), stretch * L / q[0] * (np.cos(angle) - 1.0)
    return np.stack([p[0] + z * np.sin(angle), y, p[1] + z * np.cos(angle)], axis=-1)


def squeezed(x, q):
    """A body that bends, swells and stretches, so that volumes change; x (3,) or (3, P)."""
    s = x[0] / L
    angle, swell = q[0] * s, 1.0 + q[1] * s * s
    along = x[0] * (1.0 + q[2] * s) * np.cos(0.3 * angle)
    y, z = swell * x[1], swell * x[2]
    return np.stack([along - y * np.sin(angle), y * np.cos(angle) + 0.4 * q[0] * x[0], z])


WEIGHTS = [np.random.default_rng(1).uniform(-0.4, 0.4, size) for size in ((5, 6), (5,), (3, 5), (3,))]


def learned(x, q):
    """x + (x_1/L) (N(x, q) - N(x, 0)), N a network with one hidden layer of tanh."""

    def net(x, q):
        inputs = np.concatenate([x / L, np.broadcast_to(q, (len(x), len(q)))], axis=1)
        return np.tanh(inputs @ WEIGHTS[0].T + WEIGHTS[1]) @ (0.1 * WEIGHTS[2].T) + WEIGHTS[3]

    return x + x[:, :1] / L * (net(x, q) - net(x, 0.0 * q))


# ---------------------------------------------------------------------- robots


def soft_arm(body, f):
    """A soft body on a turning rigid one, with a rigid body on Euler angles at its tip."""
    (x1, m1, base), (x2, m2, hand) = cluster(1), cluster(2)
    robot = sp.Robot("arm", gravity=GRAVITY)
    robot.add_link("base", base, sp.Revolute("z"))
    robot.add_link("soft", body, parent="base", at=sp.pose((0.05, 0.01, 0.02), (0.4, 0.0, 0.0)))
    robot.add_link("hand", hand, sp.Euler("zyx"), parent="soft")
    X, n = body.quadrature.x, body.size

    def places(q):
        g = frame(turned("z", q[0]))
        soft = g @ frame(turned("x", 0.4), (0.05, 0.01, 0.02))
        own, angles = q[1 : 1 + n], q[1 + n :]
        turn = turned("z", angles[0]) @ turned("y", angles[1]) @ turned("x", angles[2])
        end = soft @ tip_frame(f, own) @ frame(turn)
        return np.concatenate([at(g, x1), at(soft, f(X, own)), at(end, x2)])

    return Reference(robot, places, np.concatenate([m1, body.masses, m2]))


def soft_body(kinematics, n=None, domain=None, **options):
    given = {"density": 1100.0, "points": (3, 2, 4), "moving_base": True} | options
    return sp.SoftBody(kinematics, sp.Cylinder(L, R) if domain is None else domain, n=n, **given)


def chain():
    """Three arcs one on the other."""
    body = soft_body(arc_for_supple, 1)
    robot, parent = sp.Robot("chain", gravity=GRAVITY), "world"
    for k in range(3):
        robot.add_link(f"body{k}", body, parent=parent)
        parent = f"body{k}"

    def places(q):
        g, found = frame(), []
        for angle in q:
            found.append(at(g, arc(body.quadrature.x, [angle])))
            g = g @ frame(turned("z", -angle), (L * np.sin(angle) / angle, L * (np.cos(angle) - 1.0) / angle, 0.0))
        return np.concatenate(found)

    return Reference(robot, places, np.tile(body.masses, 3))


def gripper(points=(3, 2, 4)):
    kinematics = sp.VolumePreserving([sp.Stretch(lambda x: (x / L) ** 2), sp.Source(lambda x: (x / L) ** 2)])
    body = soft_body(kinematics, domain=sp.HollowCylinder(L, R, 0.5 * R), tip=WALL, points=points)
    (x1, m1, base) = cluster(1)
    robot = sp.Robot("gripper", gravity=GRAVITY)
    robot.add_link("base", base, sp.Prismatic("y"))
    robot.add_link("soft", body, parent="base")
    robot.add(sp.Cavity("p", "soft"))

    def places(q):
        g = frame(place=(0.0, q[0], 0.0))
        return np.concatenate([at(g, x1), at(g, swollen(body.quadrature.x, q[1:]))])

    return Reference(robot, places, np.concatenate([m1, body.masses]))


WALL = [(L, 0.0, R), (L, R, 0.0), (L, 0.0, -R)]


def on_joint(joint, pose_of):
    """A rigid body on a joint, with another on a hinge behind it."""
    (x1, m1, first), (x2, m2, second) = cluster(1), cluster(2)
    robot = sp.Robot("joint", gravity=GRAVITY)
    robot.add_link("first", first, joint)
    robot.add_link("second", second, sp.Revolute("y"), parent="first", at=sp.pose((0.1, 0.02, 0.0), (0.0, 0.0, 0.3)))

    def places(q):
        g = pose_of(q[:-1])
        h = g @ frame(turned("z", 0.3), (0.1, 0.02, 0.0)) @ frame(turned("y", q[-1]))
        return np.concatenate([at(g, x1), at(h, x2)])

    return Reference(robot, places, np.concatenate([m1, m2]))


def curve():
    """Cubic cumulative B-spline: C_k exp(d b2) exp(d b3) exp(d b4)."""
    rng = np.random.default_rng(5)
    places = 0.3 * np.arange(6)[:, None] * [1.0, 0.2, 0.1] + 0.05 * rng.standard_normal((6, 3))
    poses = [sp.pose(place, 0.3 * rng.standard_normal(3)) for place in places]
    steps = [np.real(logm(np.linalg.inv(a) @ b)) for a, b in pairwise(poses)]

    def pose_of(q):
        k = int(np.floor(np.real(q[0]) + 1e-9))
        u = q[0] - k
        b = (5 + 3 * u - 3 * u**2 + u**3) / 6, (1 + 3 * u + 3 * u**2 - 2 * u**3) / 6, u**3 / 6
        return poses[k] @ expm(steps[k] * b[0]) @ expm(steps[k + 1] * b[1]) @ expm(steps[k + 2] * b[2])

    return on_joint(sp.CurveJoint(np.array(poses)), pose_of)


def surface():
    """One 4 x 4 patch, B(q1)^T C B(q2); Q = Trans Rx Ry Rz."""
    C = 0.3 * np.random.default_rng(6).standard_normal((6, 4, 4))

    def basis(u):
        cubes = ((1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3)
        return np.array(cubes) / 6.0

    def pose_of(q):
        f = np.einsum("a,iab,b->i", basis(q[0]), C, basis(q[1]))
        return frame(turned("x", f[3]) @ turned("y", f[4]) @ turned("z", f[5]), f[:3])

    return on_joint(sp.SurfaceJoint(C), pose_of)


def euler():
    def pose_of(q):
        return frame(turned("y", q[0]) @ turned("x", q[1]) @ turned("y", q[2]))

    return on_joint(sp.Euler("yxy"), pose_of)


def composite():
    def pose_of(q):
        return frame(place=q[:3]) @ frame(turned("z", q[3]) @ turned("x", q[4]) @ turned("y", q[5]))

    return on_joint(sp.Composite(sp.Translational(), sp.Euler("zxy")), pose_of)


def coupled():
    """Three hinges, the last two of which follow: by a ratio of the first, by a function of it and of the soft body."""
    (x1, m1, first), (x2, m2, second), (x3, m3, third) = cluster(1), cluster(2), cluster(3)
    body = soft_body(arc_for_supple, 1)
    robot = sp.Robot("coupled", gravity=GRAVITY)
    robot.add_link("first", first, sp.Revolute("z"))
    robot.add_link("soft", body, parent="first")
    robot.add_link("second", second, sp.Revolute("y"), parent="soft")
    robot.add_link("third", third, sp.Revolute("x"), parent="second", at=sp.pose((0.1, 0.0, 0.0)))
    robot.couple("second", to="first", ratio=-0.7, offset=0.2)
    robot.couple("third", to=["first", "second"], function=lambda a, b: np.sin(a) + b * b)

    def places(q):
        second = 0.2 - 0.7 * q[0]
        third = np.sin(q[0]) + second**2
        g = frame(turned("z", q[0]))
        h = g @ tip_frame(arc, q[1:2]) @ frame(turned("y", second))
        k = h @ frame(place=(0.1, 0.0, 0.0)) @ frame(turned("x", third))
        return np.concatenate([at(g, x1), at(g, arc(body.quadrature.x, q[1:2])), at(h, x2), at(k, x3)])

    return Reference(robot, places, np.concatenate([m1, body.masses, m2, m3]))


def network():
    layers = [(WEIGHTS[0], WEIGHTS[1]), (0.1 * WEIGHTS[2], WEIGHTS[3])]
    return soft_arm(soft_body(sp.Network(layers, L), density=lambda x: 900.0 * (1.0 + x[0])), learned)


CASES = {
    "chain of constant curvature": chain,
    "hybrid tree": lambda: soft_arm(soft_body(arc_for_supple, 1), arc),
    "primitives": lambda: soft_arm(soft_body(composed_for_supple()), composed),
    "gripper": gripper,
    "variable radius": lambda: soft_arm(soft_body(sp.VariableRadius(L, R, 0.05)), bulging),
    "network": network,
    "curve": curve,
    "surface": surface,
    "Euler angles": euler,
    "joints in series": composite,
    "couplings": coupled,
}

#: Sizes of coordinates where these must be small; states that lie inside a piece of a spline.
SCALES = {
    "primitives": np.array([1.0, 1.0, 0.5, 0.02, 0.5, 0.5, 1.0, 1.0, 1.0]),
    "gripper": np.array([0.5, 0.3, 1e-4]),
    "variable radius": np.array([1.0, 1.0, 0.05, 5e-3, 5e-3, 1.0, 1.0, 1.0]),
}
STARTS = {"curve": np.array([1.4, 0.3]), "surface": np.array([0.5, 0.45, 0.3])}


def near(found, expected, tolerance, scales=1.0, floor=0.0):
    """Whether forces (n,), or matrices of them, agree where coordinates are measured by their scales.

    ``floor`` is the size below which they are rounding of something larger.
    """
    expected = np.asarray(expected)
    weight = np.multiply.outer(scales, scales) if expected.ndim == 2 else scales
    size = max(np.abs(weight * expected).max(), floor)
    assert np.abs(weight * np.imag(expected)).max() <= tolerance * size
    assert np.abs(weight * (found - np.real(expected))).max() <= tolerance * size


def prepared(name):
    """A case, its model, a state, and scales of its coordinates."""
    case = CASES[name]()
    model = case.robot.compile()
    scales = SCALES.get(name, np.ones(model.n))
    q, v, a = np.random.default_rng(7).uniform(0.3, 0.8, (3, model.n)) * scales
    return case, model, STARTS.get(name, q), v, a, scales


@pytest.mark.parametrize("name", CASES)
def test_masses_forces_and_derivatives(name):
    case, model, q, v, a, scales = prepared(name)
    M, ID = mass_matrix(case, q, scales), inverse_dynamics(case, q, v, a, scales)
    near(model.mass_matrix(q), M, 1e-9, scales)
    near(model.inverse_dynamics(q, v, a), ID, 1e-9, scales)
    found, dq, dv, mass = model.inverse_dynamics_derivatives(q, v, a)
    near(found, ID, 1e-9, scales)
    near(mass, M, 1e-9, scales)
    floor = 1e-5 * np.abs(scales * ID).max()
    for along in np.random.default_rng(8).standard_normal((2, model.n)) * scales:  # all entries at once
        by_q = derivative(lambda t, x=along: inverse_dynamics(case, q + t * x, v, a, scales), 1)
        by_v = derivative(lambda t, x=along: inverse_dynamics(case, q, v + t * x, a, scales), 1, nodes=4)  # quadratic
        near(dq @ along, by_q, 1e-8, scales, floor)
        near(dv @ along, by_v, 1e-8, scales, floor)


@pytest.mark.parametrize("name", ["hybrid tree", "primitives", "joints in series", "couplings"])
def test_hybrid_dynamics(name):
    """M_ff a_f = tau_f - h_f - M_fp a_p, and tau_p = M_pf a_f + M_pp a_p + h_p."""
    case, model, q, v, a, scales = prepared(name)
    p = np.arange(model.n) % 2 == 0
    M, h = np.real(mass_matrix(case, q, scales)), np.real(inverse_dynamics(case, q, v, 0.0 * a, scales))
    free = np.linalg.solve(M[~p][:, ~p], -h[~p] - M[~p][:, p] @ a[p])
    found = model.hybrid_dynamics(q, v, a, p)
    near(found.a[~p], free, 1e-9, 1.0 / scales[~p])
    np.testing.assert_array_equal(found.a[p], a[p])
    near(found.force[p], M[p][:, ~p] @ free + M[p][:, p] @ a[p] + h[p], 1e-9, scales[p])


def test_pressure_in_a_gripper():
    """V = pi r^2 L + pi q2 Z^3 / (3 L^2), Z = L (1 + q1 / 3)."""
    model = gripper((12, 2, 8)).robot.compile()
    q1, q2, r = 0.2, 5e-5, 0.5 * R
    Z, p = L * (1.0 + q1 / 3.0), 3e4
    expected = [0.0, np.pi * q2 * Z**2 * L / (3.0 * L**2), np.pi * Z**3 / (3.0 * L**2)]
    near(model.actuation([0.1, q1, q2])[:, 0], expected, 1e-9, SCALES["gripper"])
    assert model.line_lengths([0.1, q1, q2])["p"] == pytest.approx(np.pi * r**2 * L + np.pi * q2 * Z**3 / (3 * L**2))
    force = model.internal_force([0.1, q1, q2], np.zeros(3), [p]) - model.internal_force([0.1, q1, q2], np.zeros(3))
    near(force, p * np.array(expected), 1e-9, SCALES["gripper"])


@pytest.mark.parametrize("poisson", [0.4, 0.49, 0.5])
def test_neo_hookean_bodies(poisson):
    """The gradient of int (mu/2)(I1 - 3) - mu ln J + (lam/2)(ln J)^2, and its Hessian; with J = 1 the first term."""
    keeps, young = poisson == 0.5, 3e5
    kinematics = composed_for_supple() if keeps else squeezed
    material = sp.NeoHookean(young, poisson, density=1100.0)
    body = soft_body(kinematics, None if keeps else 3, density=None, material=material)
    robot = sp.Robot("elastic")
    robot.add_link("body", body)
    model, (X, volume) = robot.compile(), body.quadrature
    mu = young / (2.0 * (1.0 + poisson))
    lam = 0.0 if keeps else 2.0 * mu * poisson / (1.0 - 2.0 * poisson)

    def energy(q):
        F = slopes(lambda d: composed(X + d, q) if keeps else squeezed((X + d).T, q).T, np.zeros(3), np.full(3, 0.05))
        J, I1 = np.linalg.det(F), np.sum(F * F, axis=(1, 2))
        W = 0.5 * mu * (I1 - 3.0) if keeps else 0.5 * mu * (I1 - 3.0) - mu * np.log(J) + 0.5 * lam * np.log(J) ** 2
        return volume @ W

    scales = np.array([1.0, 0.5, 0.02, 0.5, 0.5]) if keeps else np.array([1.0, 0.3, 0.3])
    q = np.random.default_rng(3).uniform(0.3, 0.6, model.n) * scales
    assert model.energy(q, 0.0 * q).loads == pytest.approx(float(np.real(energy(q))), rel=1e-9)
    near(-model.internal_force(q, 0.0 * q), slopes(energy, q, scales), 1e-9, scales)
    along = np.random.default_rng(4).standard_normal(model.n) * scales
    found = -model.internal_force_derivatives(q, 0.0 * q)[0] @ along
    near(found, derivative(lambda t: slopes(energy, q + t * along, scales), 1), 1e-8, scales)
