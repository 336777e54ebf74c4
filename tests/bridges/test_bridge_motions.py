"""Steps and motions as operations: values of the model, derivatives against differences and the library's own."""

import warnings

import numpy as np
import pytest

import supple as sp
from bridge_cases import TENSIONS, arm, arm_design, bow, check, pendulum, soft_arm
from helpers import difference_jacobian, relative_error
from supple.bridges.motions import DesignStepOperation, RolloutOperation, StepOperation
from supple.bridges.rows import Rows
from supple.bridges.subject import Subject
from supple.errors import ModelError

TIMES = np.linspace(0.0, 0.1, 6)
#: A fixed step: differences then follow the very steps that are differentiated.
RADAU = sp.Radau(rtol=1e-10, atol=1e-12)
FIXED = sp.BDF2(dt=0.01)


def rollout(model, inputs="constant", method=FIXED, t=TIMES):
    return RolloutOperation(Subject(model), t, method, inputs, {})


@pytest.mark.parametrize("method", [None, sp.ImplicitEuler(dt=0.01), RADAU], ids=repr)
def test_steps(method):
    model = pendulum()
    operation = StepOperation(Subject(model), 0.01, method, 0.0)
    q, v, u = 0.4 * np.random.default_rng(0).standard_normal((3, 4))
    found, expected = operation.evaluate([q, v, u], False)[0], model.step(q, v, u, 0.01, method)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
    check(operation, [q, v, u], 1e-6, 1e-4)


def test_steps_of_a_soft_arm():
    model = arm()
    rest = model.statics(TENSIONS)
    check(StepOperation(Subject(model), 0.01, None, 0.0), [rest.q, np.zeros(6), 1.2 * TENSIONS], 1e-6, 1e-4)


@pytest.mark.parametrize("method", [None, sp.ImplicitEuler(dt=1.0), sp.BDF2(dt=1.0), sp.RK45(), RADAU], ids=repr)
def test_steps_by_parameters(method):
    design, rng = arm_design(), np.random.default_rng(2)
    operation = DesignStepOperation(Subject(design), 2e-3, method, 0.1)
    given = [0.1 * rng.standard_normal(6), rng.standard_normal(6), 1.2 * TENSIONS]
    given += [np.asarray(x, dtype=float) for x in design.values.values()]
    found = operation.evaluate(given, False)[0]
    expected = design.model().step(*given[:3], 2e-3, method, 0.1)
    for x, y in zip(found, expected, strict=True):
        assert np.allclose(x, y, rtol=1e-10, atol=1e-12)
    _, memory = operation.evaluate(given, True)
    assert memory.stats["steps"] == 1
    blocks = operation.jacobian(memory)
    for i, port in enumerate(operation.inputs):
        def moved(x, i=i, port=port):
            return np.concatenate(operation.evaluate([*given[:i], x.reshape(port.shape), *given[i + 1 :]], False)[0])

        h = 1e-4 * max(np.abs(given[i]).max(), 1e-3)
        differences = difference_jacobian(moved, given[i].ravel(), h)
        assert relative_error(np.vstack([row[i] for row in blocks]), differences) < 1e-6, port.name


def test_steps_by_parameters_of_loads_with_states_are_refused():
    law = sp.PointLaw("lag", "arm", _push, state0=(0.0,), rate=_lag, uses=("twist",))

    def build(young=2e5):
        robot = soft_arm(young)
        robot.add(law)
        return robot

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = sp.Design(build, young=2e5)
        with pytest.raises(ModelError, match=r"have states of their own.*take a Model, or a rollout"):
            DesignStepOperation(Subject(design), 1e-3, None, 0.0)


def _push(t, g, eta, etadot, xi, z):
    return np.concatenate([np.zeros(3), -z[0] * eta[3:]])


def _lag(t, g, eta, etadot, xi, z):
    return np.array([eta[3] - z[0]])


@pytest.mark.parametrize("dt", [0.0, -0.1, np.nan, "long"])
def test_steps_have_a_length(dt):
    with pytest.raises(ModelError, match="dt"):
        StepOperation(Subject(pendulum()), dt, None, 0.0)


@pytest.mark.parametrize(("inputs", "hold"), [("constant", False), ("linear", False), ("held", True)])
def test_motions_are_the_librarys(inputs, hold):
    model = arm()
    operation = rollout(model, inputs)
    shape = (3,) if inputs == "constant" else (len(TIMES), 3)
    u = TENSIONS * np.random.default_rng(0).uniform(0.5, 1.5, shape)
    q0 = model.statics(TENSIONS).q
    given = [q0, np.zeros(6), u]
    plain = model.simulate(TIMES, q0, u=u, method=FIXED, hold=hold)
    for record in (False, True):
        (q, v), memory = operation.evaluate(given, record)
        assert np.array_equal(q, plain.q)
        assert np.array_equal(v, plain.v)
        assert (memory is None) == (not record)
    rng = np.random.default_rng(1)
    y = rng.standard_normal(q.shape), rng.standard_normal(v.shape)
    gradient = operation.pull(memory, y)
    assert [x.shape for x in gradient] == [(6,), (6,), shape]

    def scalar(k, x):
        changed = [*given[:k], x.reshape(given[k].shape), *given[k + 1 :]]
        outputs = operation.evaluate(changed, False)[0]
        return np.array([sum((a * b).sum() for a, b in zip(y, outputs, strict=True))])

    for k, found in enumerate(gradient):
        expected = difference_jacobian(lambda x, k=k: scalar(k, x), given[k].ravel(), 1e-4)[0]
        assert relative_error(found.ravel(), expected) < 1e-6


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_motions_are_single_motions(threads):
    model = arm()
    operation = rollout(model, method=None)  # steps of their own length in every row
    rng = np.random.default_rng(2)
    u, y = TENSIONS * rng.uniform(0.5, 1.5, (3, 3)), rng.standard_normal((2, 3, len(TIMES), 6))
    q0, v0 = np.zeros((3, 6)), np.zeros((3, 6))
    (q, v), memories = (rows := Rows(operation, threads)).evaluate([q0, v0, u], True)
    gradients = rows.pull(memories, list(y))
    for i in range(3):
        motion = model.simulate(TIMES, q0[i], v0[i], u[i], record=True)
        assert np.array_equal(q[i], motion.q)
        assert np.array_equal(v[i], motion.v)
        expected = motion.vjp(q=y[0, i], v=y[1, i])
        for found, exact in zip(gradients, (expected.q0, expected.v0, expected.u), strict=True):
            assert relative_error(found[i], exact) < 1e-13


def test_motions_with_a_loop():
    model = bow()
    u = np.array([0.5, 0.02])
    rest = model.statics(u)
    operation = RolloutOperation(Subject(model), TIMES[:3], sp.GeneralizedAlpha(dt=0.01), "constant", {})
    given = [rest.q, np.zeros(model.n), 1.3 * u]
    _, memory = operation.evaluate(given, True)
    y = np.zeros((2, 3, model.n))
    y[0, -1] = 1.0

    def last(x):
        return np.array([operation.evaluate([*given[:2], x], False)[0][0][-1].sum()])

    gradient = operation.pull(memory, y)[2]
    assert relative_error(gradient, memory.vjp(q=y[0]).u) < 1e-13
    # the directions in which loops are corrected are held by derivatives, and move a little with differences
    assert relative_error(gradient, difference_jacobian(last, given[2], 1e-4)[0]) < 1e-4


@pytest.mark.parametrize("t", [0.1, [0.0], [[0.0, 1.0]], ["a", "b"]])
def test_output_times_are_needed(t):
    with pytest.raises(ModelError, match="t"):
        rollout(pendulum(), t=t)
    with pytest.raises(ModelError, match="inputs is 'cubic'"):
        rollout(pendulum(), inputs="cubic")


def test_motions_by_parameters():
    design = arm_design()
    operation = RolloutOperation(Subject(design), TIMES[:4], FIXED, "constant", {})
    values = [np.array(2.2e5), np.array([0.011, 0.009]), np.array(0.42)]
    given = [np.zeros(6), np.zeros(6), TENSIONS, *values]
    (q, v), memory = operation.evaluate(given, True)
    rng = np.random.default_rng(0)
    y = rng.standard_normal(q.shape), rng.standard_normal(v.shape)
    gradient = operation.pull(memory, y)

    def scalar(k, x):
        changed = [*given[:k], x.reshape(given[k].shape) * given[k], *given[k + 1 :]]  # in units of the values
        return np.array([sum((a * b).sum() for a, b in zip(y, operation.evaluate(changed, False)[0], strict=True))])

    for k in (3, 4, 5):
        expected = difference_jacobian(lambda x, k=k: scalar(k, x), np.ones(given[k].size), 1e-3)[0]
        assert relative_error((gradient[k] * given[k]).ravel(), expected) < 1e-6
