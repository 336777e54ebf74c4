"""The residual R = ID - tau, internal forces, and the fused tangent of implicit steps."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, difference_jacobian, relative_error, size

SEEDS = range(ROBOTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_fused_tangent_equals_the_blocks(seed):
    """One pass for R and dR/dq + c_v dR/dv + c_a dR/da."""
    _, model, q, v, a = case(seed)
    rng = np.random.default_rng(seed)
    cv, ca = rng.uniform(-30.0, 30.0), rng.uniform(0.0, 300.0)
    residual, tangent = model.residual_tangent(q, v, a, cv=cv, ca=ca)
    blocks = model.residual_derivatives(q, v, a)
    assert relative_error(residual, model.residual(q, v, a)) < 1e-12
    assert relative_error(tangent, blocks.dq + cv * blocks.dv + ca * blocks.da) < 1e-12
    assert blocks.du.shape == (model.n, model.nu)
    assert blocks.dlam.shape == (model.n, model.nc)


@pytest.mark.parametrize("seed", range(0, ROBOTS, 3))
def test_fused_tangent_is_the_derivative_along_a_step(seed):
    """dv = c_v dq, da = c_a dq: what Newton's method sees; states away from the kinks of soft limits."""
    _, model, q, v, a = case(seed)
    cv, ca = 7.0, 40.0

    def inertial(x):
        return model.inverse_dynamics(x, v + cv * (x - q), a + ca * (x - q))

    _, tangent = model.residual_tangent(q, v, a, cv=cv, ca=ca)
    internal = model.internal_force_derivatives(q, v)
    expected = difference_jacobian(inertial, q) - internal.dq - cv * internal.dv
    assert relative_error(tangent, expected) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_residual_is_inverse_dynamics_minus_internal_force(seed):
    _, model, q, v, a = case(seed)
    tau = model.internal_force(q, v)
    assert relative_error(model.residual(q, v, a), model.inverse_dynamics(q, v, a) - tau) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_internal_force_is_the_gradient_of_the_elastic_energy(seed):
    """At rest tau = -dU/dq, limits included; damping takes power v.D v >= 0."""
    _, model, q, v, _ = case(seed)
    rest = np.zeros(model.n)
    tau = model.internal_force(q, rest)
    # C1 forces have an energy with a kink in the third derivative: fourth-order accuracy in a small step
    gradient = difference_jacobian(lambda x: model.energy(x, rest).elastic, q, 1e-5)
    assert relative_error(tau, -gradient, floor=1.0 + model.energy(q, rest).elastic) < 1e-7
    assert relative_error(model.internal_force(q, v) - tau, -model.damping @ v, floor=1e-3 * size(tau)) < 1e-11
    assert v @ model.damping @ v >= 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_stiffness_and_damping_are_symmetric_and_stay_within_links(seed):
    _, model, _, _, _ = case(seed)
    inside = np.zeros((model.n, model.n), dtype=bool)
    for lo, hi in model.topology.links:
        inside[lo:hi, lo:hi] = True
    for matrix in (model.stiffness, model.damping):
        assert np.array_equal(matrix, matrix.T) or relative_error(matrix, matrix.T) < 1e-14
        assert not matrix[~inside].any()
        assert np.linalg.eigvalsh(matrix)[0] > -1e-12 * max(size(matrix), 1.0)


def limited(position):
    """A prismatic joint with stops at -0.2 and 0.3, stiffness 40, width 0.1; its force, slope and energy."""
    robot = sp.Robot("stop", gravity=(0, 0, 0))
    joint = sp.Prismatic("x", limits=(-0.2, 0.3), limit_stiffness=40.0, limit_width=0.1)
    robot.add_link("slider", sp.Rigid(1.0, np.ones(3)), joint=joint)
    model = robot.compile()
    q, v = np.array([position]), np.zeros(1)
    derivatives = model.internal_force_derivatives(q, v)
    return model.internal_force(q, v)[0], derivatives.dq[0, 0], model.energy(q, v).elastic


@pytest.mark.parametrize(
    ("position", "force", "slope", "energy"),
    [
        (0.0, 0.0, 0.0, 0.0),
        (0.3, 0.0, 0.0, 0.0),
        (0.35, -40 * 0.05**2 / 0.2, -40 * 0.05 / 0.1, 40 * 0.05**3 / 0.6),
        (0.4, -40 * 0.05, -40.0, 40 * 0.1**2 / 6),
        (0.6, -40 * 0.25, -40.0, 20 * (0.09 - 0.03 + 0.01 / 3)),
        (-0.25, 40 * 0.05**2 / 0.2, -40 * 0.05 / 0.1, 40 * 0.05**3 / 0.6),
        (-0.5, 40 * 0.25, -40.0, 20 * (0.09 - 0.03 + 0.01 / 3)),
    ],
)
def test_soft_limits(position, force, slope, energy):
    """Zero inside, quadratic over the width, then linear: force and slope have no jumps."""
    assert limited(position) == pytest.approx((force, slope, energy), abs=1e-13)


def test_spring_and_damper_of_a_joint():
    robot = sp.Robot("spring", gravity=(0, 0, 0))
    K, D = [[3.0, 1.0], [1.0, 2.0]], [[0.5, 0.1], [0.1, 0.4]]
    joint = sp.Cylindrical("z", stiffness=K, damping=D, rest=(0.2, -0.1))
    robot.add_link("a", sp.Rigid(1.0, np.ones(3)), joint=joint)
    model = robot.compile()
    q, v = np.array([0.5, 0.3]), np.array([1.0, -2.0])
    tau = -np.array(K) @ [0.3, 0.4] - np.array(D) @ v
    assert relative_error(model.internal_force(q, v), tau) < 1e-14
    derivatives = model.internal_force_derivatives(q, v)
    assert relative_error(derivatives.dq, -np.array(K)) < 1e-15
    assert relative_error(derivatives.dv, -np.array(D)) < 1e-15
    assert model.energy(q, v).elastic == pytest.approx(0.5 * np.array([0.3, 0.4]) @ K @ [0.3, 0.4], rel=1e-14)
    assert np.array_equal(model.rest, [0.2, -0.1])


def test_stiffness_and_damping_of_a_uniform_rod():
    """Constant and linear strains of a uniform rod: E J / L and E A L times the integrals of P_k^2."""
    material = sp.Material(young=2e5, poisson=0.25, density=1000.0, viscosity=30.0, damping_time=0.002)
    rod = sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(torsion=1, bend_z=1, stretch=1, shear_y=1), points=3)
    robot = sp.Robot("rod")
    robot.add_link("rod", rod)
    model = robot.compile()
    J, A, E, G, L = np.pi * 0.02**4 / 4, np.pi * 0.02**2, 2e5, 8e4, 0.5
    stiffness = np.array([2 * G * J / L, E * J / L, E * A * L, G * A * L])
    damping = 30.0 * np.array([2 * J / L, 3 * J / L, 3 * A * L, A * L]) + 0.002 * stiffness
    integrals = [1.0, 1 / 3]
    assert relative_error(model.stiffness, np.diag(np.kron(stiffness, integrals))) < 1e-13
    assert relative_error(model.damping, np.diag(np.kron(damping, integrals))) < 1e-13
