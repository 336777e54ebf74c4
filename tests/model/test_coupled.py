"""Joints that follow others, in every function of a model: against all coordinates, eliminated by hand."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from coupled_cases import hand
from helpers import central_difference, difference_jacobian, relative_error

KINDS = pytest.mark.parametrize("kind", ["linear", "bent"])


def state(model, seed=0, size=0.4):
    rng = np.random.default_rng(seed)
    return (*(size * rng.standard_normal((3, model.n))), np.abs(rng.standard_normal(model.nu)))


def by_hand(kind, model, free, x):
    """All coordinates in the order of the free model from those that are left, written out."""
    q = dict(zip(model.coordinate_names, x, strict=True))
    a, palm = q["a.rotation"], q["palm.rotation"]
    if kind == "linear":
        b = 0.7 * a + 0.1
        c = 0.1 * b - 0.05 * palm
    else:
        b = 0.7 * np.sin(a) + 0.3 * a**2 + 0.1 * q["rod.bend_y_0"] * a
        c = 0.1 * b * np.exp(palm)
    q |= {"b.rotation": b, "c.translation": c}
    return np.array([q[name] for name in free.coordinate_names])


@KINDS
def test_elimination_by_hand(kind):
    """M = C^T M C, ID = C^T ID(c, C v, C a + C' v) with C by differences of the couplings written out."""
    model, free = hand(kind).compile(), hand(couple=False).compile()
    assert model.n == free.n - 2
    x, v, a, u = state(model)

    def c(x):
        return by_hand(kind, model, free, x)

    C = difference_jacobian(c, x)
    rate = central_difference(lambda h: difference_jacobian(c, x + h * v))
    q, qd, qdd = c(x), C @ v, C @ a + rate @ v
    assert relative_error(model.mass_matrix(x), C.T @ free.mass_matrix(q) @ C) < 1e-10
    assert relative_error(model.inverse_dynamics(x, v, a), C.T @ free.inverse_dynamics(q, qd, qdd)) < 1e-9
    assert relative_error(model.residual(x, v, a, u), C.T @ free.residual(q, qd, qdd, u)) < 1e-9
    assert relative_error(model.internal_force(x, v, u), C.T @ free.internal_force(q, qd, u)) < 1e-9
    assert_allclose(model.actuation(x), C.T @ free.actuation(q), atol=1e-10)
    assert_allclose(model.pose(x, "rod", 0.3), free.pose(q, "rod", 0.3), atol=1e-14)
    assert_allclose(model.jacobian(x, "rod"), free.jacobian(q, "rod") @ C, atol=1e-10)
    assert_allclose(model.energy(x, v).total, free.energy(q, qd).total, rtol=1e-10)
    assert_allclose(model.points(np.array([x, x])), np.array([free.points(q)] * 2)[:, reorder(model, free)], atol=1e-13)


def reorder(model, free):
    return [free.point_table.index(place) for place in model.point_table]


@KINDS
def test_derivatives(kind):
    model = hand(kind).compile()
    x, v, a, u = state(model, 1)
    assert model.check_derivatives(x, v, a, u).ok(1e-8)
    found = model.inverse_dynamics_derivatives(x, v, a)
    assert_allclose(found.force, model.inverse_dynamics(x, v, a), rtol=1e-12)
    assert relative_error(found.dq, difference_jacobian(lambda y: model.inverse_dynamics(y, v, a), x)) < 1e-9
    assert relative_error(found.dv, difference_jacobian(lambda y: model.inverse_dynamics(x, y, a), v)) < 1e-9
    assert relative_error(found.mass, model.mass_matrix(x)) < 1e-12
    tau = model.internal_force_derivatives(x, v, u)
    assert relative_error(tau.dq, difference_jacobian(lambda y: model.internal_force(y, v, u), x)) < 1e-8
    assert relative_error(tau.dv, difference_jacobian(lambda y: model.internal_force(x, y, u), v)) < 1e-8
    rate = central_difference(lambda h: model.jacobian(x + h * v, "rod"))
    assert_allclose(model.jacobian_rate(x, v, "rod"), rate, atol=1e-9)
    T = model.residual_tangent(x, v, a, u, cv=2.0, ca=3.0)[1]
    for transposed in (False, True):
        product = model.tangent_product(x, v, a, a, 2.0, 3.0, transposed, u)
        assert_allclose(product, (T.T if transposed else T) @ a, rtol=1e-11, atol=1e-12)


@KINDS
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("prescribed", [False, True])
def test_accelerations(kind, loop, prescribed):
    model = hand(kind, loop=loop, prescribed=prescribed).compile()
    x, v, _, u = state(model, 2)
    if loop:
        x = model.assemble(x)
    found = model.forward_dynamics(x, v, u, t=0.3)
    left = model.residual(x, v, found.a, u, np.asarray(found.multipliers), t=0.3)
    assert np.abs(left[model.free_coordinates]).max() < 1e-9
    if prescribed:
        assert_allclose(left[model.fixed_coordinates], found.efforts, atol=1e-9)
    if loop:
        assert_allclose(model.loop_jacobian(x) @ found.a + model.loop_rate(x, v), 0.0, atol=1e-8)
    by = model.forward_dynamics_derivatives(x, v, u, t=0.3)
    numbers = difference_jacobian(lambda y: model.forward_dynamics(x, y, u, t=0.3).a, v, 1e-3)
    numbers[:, model.fixed_coordinates] = 0.0
    assert relative_error(by.dv, numbers) < 1e-7
    force = np.arange(1.0, 1.0 + model.n)
    assert_allclose(model.mass_matrix(x) @ model.solve_mass(x, force), force, rtol=1e-9)
    hybrid = model.hybrid_dynamics(x, v, found.a, [0], u, t=0.3)
    assert_allclose(hybrid.a, found.a, atol=1e-7 * np.abs(found.a).max())


@KINDS
def test_loops(kind):
    model = hand(kind, loop=True).compile()
    x = model.assemble(state(model, 3)[0])
    assert np.abs(model.loop_error(x)).max() < 1e-9
    y = x + 0.05
    assert_allclose(model.loop_error_derivative(y), difference_jacobian(model.loop_error, y, 1e-3), atol=1e-8)
    motion = model.simulate(0.1, q0=x)
    assert max(np.abs(model.loop_error(q)).max() for q in motion.q) < 1e-6
    assert model.statics(q0=x).converged


@KINDS
@pytest.mark.parametrize("method", [sp.NDF(rtol=1e-6, atol=1e-8), sp.GeneralizedAlpha(dt=2e-3), sp.RK45(rtol=1e-7)])
def test_motions_agree_with_each_other(kind, method):
    model = hand(kind).compile()
    x = 0.3 * state(model, 4)[0]
    t = np.array([0.0, 0.05, 0.1])
    motion = model.simulate(t, q0=x, method=method)
    exact = model.simulate(t, q0=x, method=sp.DOP853(rtol=1e-10, atol=1e-12))
    assert_allclose(motion.q[-1], exact.q[-1], atol=2e-3)
    assert motion.tip("rod").shape == (3, 3)


@KINDS
def test_motions_balance_their_power(kind):
    model = hand(kind, prescribed=True).compile()
    x, v, _, u = state(model, 5)
    found = model.forward_dynamics(x, v, u, t=0.2)
    power = model.power(x, v, found.a, u, t=0.2)
    assert abs(power.balance) < 1e-9 * (1.0 + abs(power.rates.total))
    assert set(power.efforts) == {"a"}


@KINDS
def test_readouts(kind):
    model, free = hand(kind).compile(), hand(couple=False).compile()
    x, v, a, u = state(model, 6, 0.2)
    q = by_hand(kind, model, free, x)
    assert_allclose(model.strain(x, "rod", [0.2, 0.7]), free.strain(q, "rod", [0.2, 0.7]), atol=1e-14)
    assert_allclose(model.center_of_mass(x).position, free.center_of_mass(q).position, atol=1e-13)
    assert model.mass.total == pytest.approx(free.mass.total)
    assert_allclose(model.line_lengths(x)["t"], free.line_lengths(q)["t"])
    ahead, behind = (model.lines(x + h * v, v)["t"].rate for h in (1e-5, -1e-5))
    assert_allclose(model.line_biases(x, v)["t"], (ahead - behind) / 2e-5, atol=1e-8)
    for name, by in (
        ("reaction", lambda x, v, a: model.reaction(x, "b", v, a, u)),
        ("inner_forces", lambda x, v, a: model.inner_forces(x, "rod", [0.5], v, a, u)),
        ("stress", lambda x, v, a: model.stress(x, "rod", [0.5], v, u).total),
    ):
        found = {
            "reaction": lambda: model.reaction_derivatives(x, "b", v, a, u),
            "inner_forces": lambda: model.inner_force_derivatives(x, "rod", [0.5], v, a, u),
            "stress": lambda: model.stress_derivatives(x, "rod", [0.5], v, u),
        }[name]()
        assert_allclose(found.dq, difference_jacobian(lambda y, by=by: by(y, v, a), x, 1e-3), atol=1e-6)
        assert_allclose(found.dv, difference_jacobian(lambda y, by=by: by(x, y, a), v, 1e-3), atol=1e-6)
    gap = model.contact_derivatives(x, "floor", v, every_pair=True).gap_dq
    assert_allclose(
        gap, difference_jacobian(lambda y: model.contact(y, "floor", v, every_pair=True).gap, x, 1e-4), atol=1e-7
    )


@KINDS
def test_pickles_digests_and_pictures(kind, tmp_path):
    model, free = hand(kind).compile(), hand(couple=False).compile()
    x, v, a, _ = state(model)
    again = pickle.loads(pickle.dumps(model))
    assert_allclose(again.residual(x, v, a), model.residual(x, v, a), rtol=0, atol=0)
    assert again.digest.parts == model.digest.parts != free.digest.parts
    assert model.coordinate_names == tuple(n for n in free.coordinate_names if not n.startswith(("b.", "c.")))
    motion = model.simulate(0.02, q0=0.1 * x)
    motion.save(tmp_path / "motion.npz")
    model.plot(x, path=tmp_path / "hand.png")
    assert (tmp_path / "hand.png").exists()


def test_charts_beside_followers():
    model = hand("bent", ball=True).compile()
    x = np.zeros(model.n)
    v = np.zeros(model.n)
    v[:3] = 6.0, 2.0, 1.0
    motion = model.simulate(0.5, q0=x, v0=v, method=sp.NDF(rtol=1e-7, atol=1e-9))
    exact = model.simulate(0.5, q0=x, v0=v, method=sp.RK45(rtol=1e-9, atol=1e-11))
    assert np.abs(motion.q[:, :3]).max() > 1.5
    assert_allclose(motion.tip("rod")[-1], exact.tip("rod")[-1], atol=1e-4)


def test_a_function_that_is_linear_equals_ratios():
    one, other = hand().compile(), hand(couple=False)
    other.couple("b", to="a", function=lambda a: 0.7 * a + 0.1)
    other.couple("c", to=["palm", "b"], function=lambda palm, b: 0.1 * b - palm / 20)
    other = other.compile()
    x, v, a, u = state(one)
    for one_part, other_part in zip(
        one.residual_derivatives(x, v, a, u), other.residual_derivatives(x, v, a, u), strict=True
    ):
        assert_allclose(one_part, other_part, atol=1e-11)
