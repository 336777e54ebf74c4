"""JAX: values of the library, gradients under jit, vmap and jacrev, both precisions, errors that say what happened."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import supple as sp
import supple.jax
from bridge_cases import TENSIONS, arm, arm_design, bow, pendulum
from helpers import difference_jacobian, relative_error


@pytest.fixture(scope="module")
def model():
    return arm()


@pytest.fixture(autouse=True)
def double():
    """Double precision, as most who simulate choose; tests of single precision turn it off."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def many(*lead):
    return TENSIONS * np.random.default_rng(0).uniform(0.5, 2.0, (*lead, 3))


@pytest.fixture(scope="module")
def height(model):
    """The squared distance of the tip to a point, by tensions."""
    equilibrium, tip = supple.jax.equilibrium(model, tolerance=1e-12), supple.jax.tip(model, "arm")
    return lambda u: jnp.sum((tip(equilibrium(u)) - jnp.array([0.2, 0.1, 0.0])) ** 2)


def test_equilibria_are_the_librarys(model):
    equilibrium = supple.jax.equilibrium(model)
    rest = model.statics(TENSIONS)
    for function in (equilibrium, jax.jit(equilibrium)):
        assert np.array_equal(function(TENSIONS), rest.q)
    y = np.arange(6.0)
    for call in (lambda f: f, jax.jit):
        found = call(jax.grad(lambda u: equilibrium(u) @ y))(TENSIONS)
        assert np.array_equal(found, rest.vjp(y).u)
    jacobian = jax.jacrev(equilibrium)(TENSIONS)
    assert relative_error(jacobian, np.stack([rest.jvp(du) for du in np.eye(3)], axis=1)) < 1e-10


def test_gradients_against_differences(height):
    expected = difference_jacobian(lambda u: np.array([height(u)]), TENSIONS, 1e-3)[0]
    assert relative_error(jax.grad(height)(TENSIONS), expected) < 1e-8


def test_batches_are_single_calls(model, height):
    u = many(5)
    each = jax.jit(jax.vmap(jax.grad(height)))(u)
    single = jnp.stack([jax.grad(height)(x) for x in u])
    assert np.array_equal(each, single)
    summed = jax.jit(jax.grad(lambda x: jnp.sum(jax.vmap(height)(x))))(u)
    assert np.array_equal(summed, single)
    equilibrium = supple.jax.equilibrium(model, threads=2)
    rows = equilibrium(u.reshape(5, 1, 3))
    assert rows.shape == (5, 1, 6)
    nested = jax.vmap(jax.vmap(equilibrium))(many(2, 3))
    for i in np.ndindex(2, 3):
        assert np.array_equal(nested[i], model.statics(many(2, 3)[i]).q)
    assert equilibrium(u[:0]).shape == (0, 6)
    assert jax.vmap(equilibrium)(u[:0]).shape == (0, 6)


def test_inputs_with_different_axes(model):
    inverse = supple.jax.inverse_dynamics(model)
    rng = np.random.default_rng(0)
    q, v, a = rng.standard_normal((4, 6)), rng.standard_normal(6), rng.standard_normal((3, 1, 6))
    found = inverse(q, v, a)
    mapped = jax.vmap(jax.vmap(inverse, (0, None, None)), (None, None, 0))(q, v, a[:, 0])
    assert found.shape == (3, 4, 6)
    assert np.array_equal(found, mapped)
    assert np.array_equal(found[2, 1], model.inverse_dynamics(q[1], v, a[2, 0]))
    gradient = jax.grad(lambda x: jnp.sum(inverse(q, x, a)))(v)  # summed over all rows
    each = [model.inverse_dynamics_derivatives(x, v, y).dv.sum(axis=0) for x in q for y in a[:, 0]]
    assert relative_error(gradient, np.sum(each, axis=0)) < 1e-12


def test_dynamics_and_places(model):
    rng = np.random.default_rng(1)
    q, v, a = rng.standard_normal((3, 6))
    jacobians = jax.jit(jax.jacrev(supple.jax.inverse_dynamics(model), (0, 1, 2)))(q, v, a)
    exact = model.inverse_dynamics_derivatives(q, v, a)
    for found, expected in zip(jacobians, (exact.dq, exact.dv, exact.mass), strict=True):
        assert relative_error(found, expected) < 1e-13
    place = supple.jax.pose(model, "arm", 0.6)
    assert np.array_equal(place(q), model.pose(q, "arm", 0.6))
    expected = difference_jacobian(lambda x: model.pose(x, "arm", 0.6), q)
    assert relative_error(jax.jacrev(place)(q), expected) < 1e-8
    chain = pendulum()
    q, v, u = rng.standard_normal((3, 4))
    jacobians = jax.jacrev(supple.jax.forward_dynamics(chain), (0, 1, 2))(q, v, u)
    for found, expected in zip(jacobians, chain.forward_dynamics_derivatives(q, v, u), strict=True):
        assert relative_error(found, expected) < 1e-13


def test_with_a_loop():
    model = bow()
    u, y = np.array([0.5, 0.02]), np.arange(1.0, model.n + 1)
    found = jax.jit(jax.grad(lambda u: supple.jax.equilibrium(model)(u) @ y))(u)
    assert np.array_equal(found, model.statics(u).vjp(y).u)


def test_single_precision(model):
    jax.config.update("jax_enable_x64", False)
    equilibrium = supple.jax.equilibrium(model)
    u = jnp.asarray(TENSIONS)
    q, gradient = equilibrium(u), jax.jit(jax.grad(lambda u: jnp.sum(equilibrium(u))))(u)
    assert u.dtype == q.dtype == gradient.dtype == jnp.float32
    rest = model.statics(np.asarray(u, dtype=float))
    assert np.array_equal(q, rest.q.astype(np.float32))
    assert np.array_equal(gradient, rest.vjp(np.ones(6)).u.astype(np.float32))


def test_precision_is_the_callers(model):
    equilibrium = supple.jax.equilibrium(model)
    assert equilibrium(jnp.asarray(TENSIONS, jnp.float32)).dtype == jnp.float32
    assert equilibrium(jnp.asarray(TENSIONS, jnp.bfloat16)).dtype == jnp.float32
    assert equilibrium([1, 0, 0]).dtype == jnp.float64
    assert equilibrium().dtype == jnp.float64  # all omitted: zero
    assert np.array_equal(equilibrium(), model.statics().q)


def test_memories_save_the_second_search(model, monkeypatch):
    equilibrium = supple.jax.equilibrium(model)
    count = []
    evaluate = type(equilibrium.operation).evaluate
    monkeypatch.setattr(
        type(equilibrium.operation), "evaluate", lambda self, *rest: count.append(1) or evaluate(self, *rest)
    )
    jax.jit(jax.vmap(jax.grad(lambda u: jnp.sum(equilibrium(u) ** 2))))(many(7))
    assert len(count) == 7


def test_errors_of_eager_calls_are_typed(model, height):
    equilibrium = supple.jax.equilibrium(model)
    bad = many(3)
    bad[1, 0] = -0.1
    with pytest.raises(sp.StateError, match=r"equilibrium, row 1: input 'up' is -0\.1 N"):
        equilibrium(bad)
    with pytest.raises(sp.StateError, match=r"u\[0\] is nan"):
        equilibrium(jnp.array([jnp.nan, 0.0, 0.0]))
    with pytest.raises(sp.StateError, match="input 'up' is -1 N"):
        jax.grad(height)(np.array([-1.0, 0.0, 0.0]))
    with pytest.raises(sp.ConvergenceError, match="no equilibrium found"):
        supple.jax.equilibrium(model, max_iterations=1)(1e6 * TENSIONS)
    assert np.array_equal(equilibrium(TENSIONS), model.statics(TENSIONS).q)


def test_errors_of_compiled_calls_say_the_same(model):
    equilibrium = jax.jit(supple.jax.equilibrium(model))
    with pytest.raises(Exception, match=r"input 'up' is -0\.1 N: a tendon pulls"):
        jax.block_until_ready(equilibrium(jnp.array([-0.1, 0.0, 0.0])))
    with pytest.raises(Exception, match=r"u\[1\] is nan"):
        jax.block_until_ready(equilibrium(jnp.array([0.1, jnp.nan, 0.0])))
    assert np.array_equal(equilibrium(TENSIONS), model.statics(TENSIONS).q)


def test_shapes_and_types_are_told_while_tracing(model):
    equilibrium = supple.jax.equilibrium(model)
    with pytest.raises(sp.ShapeError, match=r"u has shape \(2,\)"):
        jax.jit(equilibrium)(np.ones(2))
    with pytest.raises(sp.StateError, match="complex"):
        jax.jit(equilibrium)(np.ones(3) + 1j)
    with pytest.raises(sp.ModelError, match="there is no 'v'"):
        equilibrium(TENSIONS, v=1.0)


def test_compiled_once_for_all_values(model):
    traced = []
    equilibrium = supple.jax.equilibrium(model)

    @jax.jit
    def loss(u):
        traced.append(1)
        return jnp.sum(equilibrium(u))

    for k in range(3):
        loss((1.0 + k) * TENSIONS)
    assert len(traced) == 1


def test_two_threads(height):
    gradient, u, found = jax.jit(jax.vmap(jax.grad(height))), many(10), {}

    def work(k):
        found[k] = np.asarray(gradient(u))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work("alone")
    assert len(found) == 4
    assert all(np.array_equal(x, found["alone"]) for x in found.values())


def test_large_batches_do_not_wait_for_each_other(model):
    """Arrays of a size that JAX hands over without copying; chained callbacks."""
    tip = supple.jax.tip(model, "arm")
    q = 0.1 * np.random.default_rng(0).standard_normal((3000, 6))
    loss = jax.jit(jax.value_and_grad(lambda x: jnp.sum(tip(x) ** 2)))
    for _ in range(3):
        value, gradient = loss(q)
    assert np.isclose(value, (model.tip(q, "arm") ** 2).sum(), rtol=1e-12)
    assert gradient.shape == q.shape


def test_steps_in_a_scan():
    """A loss at the end of five steps, by the first state and all inputs."""
    model = pendulum()
    step = supple.jax.step(model, 0.02)
    rng = np.random.default_rng(4)
    q0, v0, u = 0.3 * rng.standard_normal(4), np.zeros(4), 0.5 * rng.standard_normal((5, 4))

    @jax.jit
    def last(q0, u):
        def one(state, u):
            state = step(*state, u)
            return state, state[0]

        return jax.lax.scan(one, (q0, jnp.asarray(v0)), u)[1]

    q, v = q0, v0
    for k in range(5):
        q, v = model.step(q, v, u[k], 0.02)
    assert np.array_equal(last(q0, u)[-1], q)
    gradients = jax.jit(jax.grad(lambda q0, u: jnp.sum(last(q0, u) ** 2), (0, 1)))(q0, u)
    for k, (x, found) in enumerate(zip((q0, u), gradients, strict=True)):

        def loss(y, k=k, x=x):
            given = [q0, u]
            given[k] = y.reshape(x.shape)
            return np.array([jnp.sum(last(*given) ** 2)])

        assert relative_error(found.ravel(), difference_jacobian(loss, x.ravel(), 1e-3)[0]) < 1e-7


@pytest.mark.parametrize("inputs", ["constant", "linear", "held"])
def test_motions(model, inputs):
    t = np.linspace(0.0, 0.06, 4)
    rollout = supple.jax.rollout(model, t, method=sp.BDF2(dt=0.01), inputs=inputs)
    u = TENSIONS * np.random.default_rng(0).uniform(0.5, 1.5, (2, 3) if inputs == "constant" else (2, 4, 3))
    weights = np.random.default_rng(1).standard_normal((4, 6))

    def loss(q0, u):
        q, v = rollout(q0, u=u)
        return jnp.sum(weights * q) + jnp.sum(v[-1])

    by_q0, by_u = jax.jit(jax.vmap(jax.grad(loss, (0, 1)), (None, 0)))(np.zeros(6), u)
    y = np.zeros((4, 6))
    y[-1] = 1.0
    for i in range(2):
        motion = model.simulate(t, u=u[i], method=sp.BDF2(dt=0.01), hold=inputs == "held", record=True)
        expected = motion.vjp(q=weights, v=y)
        assert relative_error(by_q0[i], expected.q0) < 1e-13
        assert relative_error(by_u[i], expected.u) < 1e-13
        assert np.array_equal(rollout(np.zeros(6), np.zeros(6), u)[0][i], motion.q)


def test_parameters_are_a_tree():
    design = arm_design()
    equilibrium, tip = supple.jax.equilibrium(design), supple.jax.tip(design, "arm")

    def loss(p, u):
        return jnp.sum(tip(equilibrium(u, p), p)[:2])

    p = {"young": 1.5e5, "radius": np.array([0.011, 0.009])}  # the length stays
    by_p, by_u = jax.jit(jax.grad(loss, (0, 1)))(p, TENSIONS)
    assert {name: x.shape for name, x in by_p.items()} == {"young": (), "radius": (2,)}
    model = design.model(**p)
    rest = model.statics(TENSIONS)
    R = model.pose(rest.q, "arm")[:3, :3]
    wrench = np.concatenate([np.zeros(3), R.T @ [1.0, 1.0, 0.0]])
    expected = rest.vjp(pose={("arm", 1.0): wrench})
    assert relative_error(by_u, expected.u) < 1e-10
    assert relative_error(by_p["young"], expected.p["young"]) < 1e-10
    assert relative_error(by_p["radius"], expected.p["radius"]) < 1e-10
    young = jnp.array([1e5, 2e5, 3e5])
    each = jax.vmap(lambda x: equilibrium(TENSIONS, {"young": x}))(young)
    for x, q in zip(young, each, strict=True):
        assert np.array_equal(q, design.model(young=float(x)).statics(TENSIONS).q)


def test_forward_mode_is_the_librarys(model):
    equilibrium = supple.jax.equilibrium(model)
    rest = model.statics(TENSIONS)
    du = np.array([0.3, -0.2, 0.5])
    for call in (lambda f: f, jax.jit):
        q, dq = call(lambda u: jax.jvp(equilibrium, (u,), (du,)))(TENSIONS)
        assert np.array_equal(q, rest.q)
        assert np.array_equal(dq, rest.jvp(du))
        columns = call(jax.jacfwd(equilibrium))(TENSIONS)
        assert relative_error(columns, np.stack([rest.jvp(x) for x in np.eye(3)], axis=1)) < 1e-14
    along = jax.linearize(equilibrium, TENSIONS)[1]
    assert np.array_equal(along(du), rest.jvp(du))


def test_forward_and_reverse_are_transposes(model):
    motion = supple.jax.rollout(model, np.linspace(0.0, 0.05, 6), method=sp.BDF2(dt=0.01))
    rng = np.random.default_rng(2)
    q0, v0 = 0.1 * rng.standard_normal((2, 6))
    directions = tuple(rng.standard_normal(x.shape) for x in (q0, v0, TENSIONS))
    outputs, changes = jax.jvp(motion, (q0, v0, TENSIONS), directions)
    y = tuple(rng.standard_normal(x.shape) for x in outputs)
    gradients = jax.vjp(motion, q0, v0, TENSIONS)[1](y)
    forward = sum(np.vdot(a, b) for a, b in zip(y, changes, strict=True))
    backward = sum(np.vdot(a, b) for a, b in zip(gradients, directions, strict=True))
    assert forward == pytest.approx(backward, rel=1e-10)


def test_forward_mode_by_parameters():
    design = arm_design()
    equilibrium, tip = supple.jax.equilibrium(design), supple.jax.tip(design, "arm")
    p = {"young": jnp.asarray(2e5), "radius": jnp.array([0.012, 0.008]), "length": jnp.asarray(0.4)}

    def end(p):
        return tip(equilibrium(TENSIONS, p), p)

    forward, reverse = jax.jacfwd(end)(p), jax.jacrev(end)(p)
    for name, value in p.items():
        assert forward[name].shape == (3, *value.shape)
        assert relative_error(forward[name], reverse[name]) < 1e-9
    step = supple.jax.step(design, 0.01, method=sp.BDF2(dt=0.01))
    at = (np.zeros(6), np.zeros(6), TENSIONS)
    forward, reverse = (way(lambda young: step(*at, {"young": young})[1])(2e5) for way in (jax.jacfwd, jax.jacrev))
    assert relative_error(forward, reverse) < 1e-9


def test_forward_mode_over_batches(model):
    equilibrium, tip = supple.jax.equilibrium(model, threads=2), supple.jax.tip(model, "arm")
    u, du = many(4), many(4)[::-1]

    def change(x, dx):
        return jax.jvp(lambda y: tip(equilibrium(y)), (x,), (dx,))[1]

    each = jax.jit(jax.vmap(change))(u, du)
    assert np.array_equal(each, np.stack([change(x, dx) for x, dx in zip(u, du, strict=True)]))
    fan = jax.vmap(change, (None, 0))(u[0], du)  # many directions at one state
    assert np.array_equal(fan, np.stack([change(u[0], dx) for dx in du]))
    assert change(u, du).shape == (4, 3)


def test_second_derivatives_are_refused(model):
    equilibrium = supple.jax.equilibrium(model)
    for second in (jax.hessian, lambda f: jax.jacfwd(jax.jacfwd(f)), lambda f: jax.jacrev(jax.jacrev(f))):
        with pytest.raises(NotImplementedError, match="derivatives of derivatives"):
            second(lambda u: jnp.sum(equilibrium(u)))(TENSIONS)
