"""Blocks of any kinematics: a map that equals a joint of the library gives its numbers, any other its own mechanics."""

import math
import pickle

import numpy as np
import pytest

import supple as sp
from helpers import body_twist, central_difference, difference_jacobian, relative_error, size
from supple.core.arrays import floats, handle_at, vector_at
from supple.core.blocks.custom import BoundMap, results_at
from supple.core.records import CUSTOM, ROD
from supple.jit import MapKernel, local_array
from supple.joints import MovableJoint
from supple.lie.dual import add_apply
from supple.lie.se3 import exp
from supple.lie.tangent import tangent_operators
from supple.model.changes import changed_model

_jet, _operators, _column = local_array(3, 6), local_array(3, 2, 3, 3), local_array(6)
_position, _positions, _row = local_array(3), local_array(3, 8), local_array(8)


def _exponential(data, n, q, v, order, results):
    """g = exp(Phi q), S = T(Phi q) Phi; data = Phi (6, n)."""
    Phi, g = floats(handle_at(data, 1), 0), results_at(results, n)
    q, v = vector_at(q, (n,)), vector_at(v, (n,))
    jet, T, column = _jet(), _operators(), _column()
    g.S[:], g.dS[:], g.ddS[:] = 0.0, 0.0, 0.0
    for direction in range(-1, n):  # -1: along v, for S and d2S/de2; k: along q_k, for dS/dq_k
        for i in range(6):
            jet[0, i], jet[1, i], jet[2, i] = 0.0, 0.0, 0.0
            for j in range(n):
                jet[0, i] += Phi[i, j] * q[j]
                jet[1, i] += Phi[i, j] * (v[j] if direction < 0 else 1.0 if j == direction else 0.0)
        tangent_operators(jet, 2, T)
        if direction < 0:
            exp(jet[0], g.R, g.p)
        for j in range(n):
            for m in range(3):
                for i in range(6):
                    column[i] = Phi[i, j]
                    jet[2, i] = 0.0
                add_apply(T[m], column, jet[2])
                for i in range(6):
                    if direction < 0 and m == 0:
                        g.S[i, j] = jet[2, i]
                    elif direction < 0 and m == 2 and order == 2:
                        g.ddS[i, j] = jet[2, i]
                    elif direction >= 0 and m == 1 and order >= 1:
                        g.dS[direction, i, j] = jet[2, i]


def _bead(data, n, q, v, order, results):
    """A point on the parabola (x, 0, x^2/2)."""
    x, rate, g = vector_at(q, (n,))[0], vector_at(v, (n,))[0], results_at(results, n)
    g.R[:], g.p[:], g.S[:], g.dS[:], g.ddS[:] = 0.0, 0.0, 0.0, 0.0, 0.0 * rate
    for i in range(3):
        g.R[i, i] = 1.0
    g.p[0], g.p[2] = x, 0.5 * x * x
    g.S[3, 0], g.S[5, 0], g.dS[0, 5, 0] = 1.0, x, 1.0


def _quadratic(data, n, q, v, order, results):
    """Rotation about z by c.q + q.D q / 2 at p = A q + q.B q / 2; data = A (3, n), B (3 n, n), c (1, n), D (n, n)."""
    h, g = handle_at(data, 4), results_at(results, n)
    q, v = vector_at(q, (n,)), vector_at(v, (n,))
    A, B, c, D = floats(h, 0), floats(h, 1), floats(h, 2), floats(h, 3)
    g.R[:], g.p[:], g.S[:], g.dS[:], g.ddS[:] = 0.0, 0.0, 0.0, 0.0, 0.0
    angle, pd, pdd = 0.0, _position(), _position()
    dp, turn, turn_rate = _positions(), _row(), _row()
    pd[:], pdd[:], turn_rate[:] = 0.0, 0.0, 0.0
    for j in range(n):
        angle += c[0, j] * q[j]
        turn[j] = c[0, j]
        for k in range(n):
            angle += 0.5 * q[j] * D[j, k] * q[k]
            turn[j] += D[j, k] * q[k]
            turn_rate[j] += D[j, k] * v[k]
        for i in range(3):
            g.p[i] += A[i, j] * q[j]
            dp[i, j] = A[i, j]
            for k in range(n):
                g.p[i] += 0.5 * q[j] * B[i * n + j, k] * q[k]
                dp[i, j] += B[i * n + j, k] * q[k]
                pdd[i] += v[j] * B[i * n + j, k] * v[k]
            pd[i] += dp[i, j] * v[j]
    g.R[0, 0], g.R[0, 1], g.R[1, 0] = math.cos(angle), -math.sin(angle), math.sin(angle)
    g.R[1, 1], g.R[2, 2] = math.cos(angle), 1.0
    for j in range(n):  # S = [0, 0, turn; dp - turn z x p]
        g.S[2, j] = turn[j]
        g.S[3, j], g.S[4, j], g.S[5, j] = dp[0, j] + turn[j] * g.p[1], dp[1, j] - turn[j] * g.p[0], dp[2, j]
        for k in range(n):
            g.dS[k, 2, j] = D[j, k]
            g.dS[k, 3, j] = B[j, k] + D[j, k] * g.p[1] + turn[j] * dp[1, k]
            g.dS[k, 4, j] = B[n + j, k] - D[j, k] * g.p[0] - turn[j] * dp[0, k]
            g.dS[k, 5, j] = B[2 * n + j, k]
        g.ddS[3, j] = 2.0 * turn_rate[j] * pd[1] + turn[j] * pdd[1]
        g.ddS[4, j] = -2.0 * turn_rate[j] * pd[0] - turn[j] * pdd[0]


EXPONENTIAL_MAP, BEAD, QUADRATIC = MapKernel(_exponential), MapKernel(_bead), MapKernel(_quadratic)


def with_maps(model, maps):
    """The model with a map (kernel, data) in place of some of its joint blocks, by their numbers."""
    blocks = model.topology.blocks.copy()
    for row, b in enumerate(maps):
        assert blocks[b]["kind"] != ROD
        blocks[b]["kind"], blocks[b]["map"] = CUSTOM, row
    bound = tuple(BoundMap(kernel, tuple(np.ascontiguousarray(x) for x in data)) for kernel, *data in maps.values())
    screws = np.full_like(model.parameters.screws, np.nan)  # not read; those of other joints are put back
    for b, block in enumerate(blocks):
        own = slice(block["start"], block["start"] + block["n"])
        if b not in maps:
            screws[:, own] = model.parameters.screws[:, own]
    topology = model.topology._replace(blocks=blocks)
    return changed_model(model, topology=topology, parameters=model.parameters._replace(screws=screws), maps=bound)


def mixed_robot():
    """Joints of several kinds with rods between them, a loop, a spring and a cable."""
    rng = np.random.default_rng(4)
    robot = sp.Robot("mixed", gravity=(1.0, 2.0, -9.81))
    rubber = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e3)
    rod = sp.Rod(0.4, sp.Circle(0.02), rubber, sp.Legendre(torsion=0, bend_y=1, bend_z=1), points=3)

    def body():
        return sp.Rigid(1.0, (0.02, 0.03, 0.04), com=rng.uniform(-0.1, 0.1, 3), tip=sp.pose((0.2, 0.1, 0.0)))

    at = [sp.pose(rng.uniform(-0.2, 0.2, 3), rpy=rng.uniform(-1, 1, 3)) for _ in range(6)]
    robot.add_link("base", body(), joint=sp.Free(), at=at[0])
    robot.add_link("arm", rod, joint=sp.Revolute("y"), parent="base", at=at[1])
    robot.add_link("hand", body(), joint=sp.Spherical(stiffness=3.0, damping=0.2), parent="arm")
    robot.add_link("screw", body(), joint=sp.Helical("x", pitch=0.1), parent="base", at=at[3])
    robot.add_link("slab", body(), joint=sp.Planar("z"), parent="screw", at=at[4])
    robot.add_link("side", rod, joint=sp.Cylindrical("z"), parent="hand", at=at[5])
    robot.add(sp.Loop("pin", a=("slab",), b=("hand", sp.pose((0.1, 0.2, 0.3))), joint=sp.Spherical()))
    robot.add(sp.Spring("spring", a=("slab", 1.0), b=("side", 1.0), stiffness=100.0, rest_length=0.1, damping=2.0))
    robot.add(sp.JointDrive("motor", "screw"))
    return robot.compile()


def mixed_pair():
    """The robot, and the same with all of its joints as maps."""
    model = mixed_robot()
    blocks, screws = model.topology.blocks, model.parameters.screws
    joints = [b for b in range(len(blocks)) if blocks[b]["kind"] != ROD]
    spans = {b: slice(blocks[b]["start"], blocks[b]["start"] + blocks[b]["n"]) for b in joints}
    return model, with_maps(model, {b: (EXPONENTIAL_MAP, screws[:, spans[b]]) for b in joints})


def state(model, seed=0, scale=0.7):
    q, v, a = scale * np.random.default_rng(seed).standard_normal((3, model.n))
    return q, v, a


CALLS = {
    "inverse dynamics": lambda m, q, v, a: m.inverse_dynamics(q, v, a),
    "its derivatives": lambda m, q, v, a: m.inverse_dynamics_derivatives(q, v, a),
    "residual": lambda m, q, v, a: m.residual(q, v, a, u=[2.0], lam=a[: m.nc]),
    "fused tangent": lambda m, q, v, a: m.residual_tangent(q, v, a, u=[2.0], lam=a[: m.nc], cv=3.0, ca=7.0),
    "derivatives of the residual": lambda m, q, v, a: m.residual_derivatives(q, v, a, u=[2.0], lam=a[: m.nc]),
    "mass matrix": lambda m, q, v, a: m.mass_matrix(q),
    "product": lambda m, q, v, a: m.tangent_product(q, v, a, a, cv=3.0, ca=7.0),
    "transposed product": lambda m, q, v, a: m.tangent_product(q, v, a, a, cv=3.0, ca=7.0, transposed=True),
    "internal force": lambda m, q, v, a: m.internal_force(q, v, [2.0]),
    "its slopes": lambda m, q, v, a: m.internal_force_derivatives(q, v, [2.0]),
    "actuation": lambda m, q, v, a: m.actuation(q),
    "energy": lambda m, q, v, a: m.energy(q, v),
    "momentum": lambda m, q, v, a: m.momentum(q, v),
    "points": lambda m, q, v, a: m.points(q),
    "pose": lambda m, q, v, a: m.pose(q, "side", 0.37),
    "poses": lambda m, q, v, a: m.poses(q, [("side", 0.37), ("slab", 1.0)]),
    "twist": lambda m, q, v, a: m.twist(q, v, "side", 0.37),
    "jacobian": lambda m, q, v, a: m.jacobian(q, "side", 0.37),
    "its rate": lambda m, q, v, a: m.jacobian_rate(q, v, "slab", 1.0),
    "forward dynamics": lambda m, q, v, a: m.forward_dynamics(q, v, [2.0]),
    "loop": lambda m, q, v, a: m.loop_error(q),
    "loop matrix": lambda m, q, v, a: m.loop_jacobian(q),
    "loop rate": lambda m, q, v, a: m.loop_rate(q, v),
    "reaction": lambda m, q, v, a: m.reaction(q, "hand", v, a),
}


def flat(result):
    """All numbers of a result."""
    if isinstance(result, tuple):
        return np.concatenate([flat(part) for part in result if part is not None])
    return np.ravel(np.asarray(result, dtype=float))


@pytest.fixture(scope="module")
def pair():
    return mixed_pair()


@pytest.mark.parametrize("name", CALLS)
def test_a_map_that_equals_a_joint_gives_its_numbers(name, pair):
    for seed in range(3):
        expected, found = (flat(CALLS[name](model, *state(model, seed))) for model in pair)
        assert size(expected) > 0.0
        # accelerations are solved for, with a mass matrix and rows of loops whose condition multiplies rounding
        assert relative_error(found, expected) < (1e-10 if name == "forward dynamics" else 1e-12)


def test_at_rest_and_at_zero(pair):
    """Order 0, and angles at which nothing may be divided."""
    zero = np.zeros(pair[0].n)
    for name in ("fused tangent", "mass matrix", "pose", "forward dynamics"):
        expected, found = (flat(CALLS[name](model, zero, zero, zero)) for model in pair)
        assert relative_error(found, expected) < 1e-12


def test_a_simulation_is_that_of_the_joints(pair):
    v = 0.1 * np.ones(pair[0].n)
    q = pair[0].assemble(0.1 * v)
    ends = [model.simulate(1e-3, q0=q, v0=0.0 * v, u=[1.0]).q[-1] for model in pair]
    assert size(ends[0] - q) > 0.0
    assert relative_error(ends[1], ends[0], floor=1e-3) < 1e-6


def test_a_model_with_maps_pickles(pair):
    q, v, a = state(pair[1])
    copy = pickle.loads(pickle.dumps(pair[1]))
    assert np.array_equal(copy.inverse_dynamics(q, v, a), pair[1].inverse_dynamics(q, v, a))


def bead(mass=0.7):
    robot = sp.Robot("bead", gravity=(0.0, 0.0, -9.81))
    robot.add_link("bead", sp.Rigid(mass, np.zeros((3, 3))), joint=sp.Prismatic("x"))
    return with_maps(robot.compile(), {0: (BEAD, np.zeros((1, 1)))})


@pytest.mark.parametrize("x", [0.0, 0.3, -2.0])
def test_a_bead_on_a_parabola(x):
    """L = m (1 + x^2) v^2 / 2 - m g x^2 / 2."""
    model, mass, gravity = bead(), 0.7, 9.81
    v, a = 1.3, -0.4
    expected = mass * ((1 + x * x) * a + x * v * v + gravity * x)
    found = model.inverse_dynamics_derivatives([x], [v], [a])
    assert found.force[0] == pytest.approx(expected, rel=1e-14)
    assert found.dq[0, 0] == pytest.approx(mass * (2 * x * a + v * v + gravity), rel=1e-14)
    assert found.dv[0, 0] == pytest.approx(2 * mass * x * v, rel=1e-14)
    assert found.mass[0, 0] == pytest.approx(mass * (1 + x * x), rel=1e-14)
    assert sum(model.energy([x], [v])[:3]) == pytest.approx(0.5 * mass * ((1 + x * x) * v * v + gravity * x * x))
    assert model.forward_dynamics([x], [v])[0] == pytest.approx(-x * (v * v + gravity) / (1 + x * x), rel=1e-13)


def test_a_bead_keeps_its_energy():
    model = bead()
    motion = model.simulate(2.0, q0=[1.0], v0=[0.0], method=sp.NDF(rtol=1e-9, atol=1e-9))
    energies = [sum(model.energy(q, v)[:3]) for q, v in zip(motion.q, motion.v, strict=True)]
    assert abs(energies[-1] - energies[0]) < 1e-6 * abs(energies[0])
    assert motion.q.min() < -0.9


class Eight(MovableJoint):
    """Room for eight coordinates."""

    labels = tuple(f"x{i}" for i in range(8))

    def factors(self):
        yield np.random.default_rng(0).standard_normal((6, 8))


@pytest.fixture(scope="module")
def large():
    """A chain: hinge, a block of eight coordinates, a rod on it; a spring and a follower force act beyond it."""
    rng, n = np.random.default_rng(1), 8
    robot = sp.Robot("large", gravity=(1.0, 2.0, -9.81))
    rubber = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    rod = sp.Rod(0.4, sp.Circle(0.02), rubber, sp.Legendre(bend_y=1, bend_z=0), points=3)
    body = sp.Rigid(1.0, (0.02, 0.03, 0.04), com=(0.1, 0.0, 0.2))
    robot.add_link("hinge", body, joint=sp.Revolute("y"))
    robot.add_link("field", body, joint=Eight(), parent="hinge", at=sp.pose((0.1, 0.2, 0.3), rpy=(0.1, 0.2, 0.3)))
    robot.add_link("rod", rod, parent="field")
    far = ("world", 0.0, sp.pose((1.0, 1.0, 1.0)))
    robot.add(sp.Spring("spring", a=("field", 0.0), b=far, stiffness=30.0, damping=2.0))
    B, D = rng.standard_normal((3, n, n)), rng.standard_normal((n, n))
    B, D = 0.3 * (B + B.transpose(0, 2, 1)), 0.3 * (D + D.T)
    data = (rng.standard_normal((3, n)), B.reshape(3 * n, n), rng.standard_normal((1, n)), D)
    return with_maps(robot.compile(), {1: (QUADRATIC, *data)})


def test_room_for_slopes_is_that_of_the_largest_joint(large):
    assert large.workspace.own()[0].joint_slope.shape == (large.n, 8)


def test_jacobian_of_a_large_block(large):
    q, v, _ = state(large, scale=0.3)
    g = large.pose(q, "rod", 0.5)
    rate = central_difference(lambda e: large.pose(q + e * v, "rod", 0.5))
    assert relative_error(large.jacobian(q, "rod", 0.5) @ v, body_twist(g, rate)) < 1e-9
    turned = central_difference(lambda e: large.jacobian(q + e * v, "rod", 0.5))
    assert relative_error(large.jacobian_rate(q, v, "rod", 0.5), turned) < 1e-9


def test_forces_of_a_large_block_are_lagranges(large):
    """ID = M a + dM/dt v - dT/dq + dU/dq of the model without loads."""
    model = changed_model(large, loads=())
    q, v, a = state(model, scale=0.3)
    Md = central_difference(lambda e: model.mass_matrix(q + e * v))
    dT = difference_jacobian(lambda x: np.array([model.energy(x, v)[0]]), q)[0]
    dU = difference_jacobian(lambda x: np.array([model.energy(x, v)[2]]), q)[0]
    expected = model.mass_matrix(q) @ a + Md @ v - dT + dU
    assert relative_error(model.inverse_dynamics(q, v, a), expected) < 1e-9


def test_derivatives_of_a_large_block(large):
    q, v, a = state(large, scale=0.3)
    found = large.residual_derivatives(q, v, a)
    for name, at, x in (("dq", 0, q), ("dv", 1, v), ("da", 2, a)):
        def moved(y, at=at):
            return large.residual(*(y if k == at else z for k, z in enumerate((q, v, a))))

        assert relative_error(getattr(found, name), difference_jacobian(moved, x)) < 1e-8
    R, tangent = large.residual_tangent(q, v, a, cv=3.0, ca=7.0)
    assert relative_error(tangent, found.dq + 3.0 * found.dv + 7.0 * found.da) < 1e-12
    assert relative_error(R, large.residual(q, v, a)) < 1e-12
    for transposed in (False, True):
        product = large.tangent_product(q, v, a, a, cv=3.0, ca=7.0, transposed=transposed)
        assert relative_error(product, (tangent.T if transposed else tangent) @ a) < 1e-12
