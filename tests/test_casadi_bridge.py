"""CasADi: values of the library, derivatives against differences, IPOPT, errors, and who keeps what alive."""

import gc

import casadi
import numpy as np
import pytest

import supple as sp
import supple.casadi
from bridge_cases import TENSIONS, arm, arm_design, bow, pendulum
from helpers import difference_jacobian, relative_error

QUIET = {"print_time": False}, {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory"}


@pytest.fixture(scope="module")
def model():
    return arm()


def numbers(x):
    return np.array(x, dtype=float)


def test_values_are_the_librarys(model):
    equilibrium = supple.casadi.equilibrium(model)
    assert np.array_equal(numbers(equilibrium(TENSIONS))[:, 0], model.statics(TENSIONS).q)
    assert np.array_equal(numbers(equilibrium(u=casadi.DM(TENSIONS)))[:, 0], model.statics(TENSIONS).q)
    assert np.array_equal(numbers(equilibrium())[:, 0], model.statics().q)
    side_by_side = numbers(equilibrium(np.stack([TENSIONS, 2.0 * TENSIONS], axis=1)))
    assert np.array_equal(side_by_side[:, 1], model.statics(2.0 * TENSIONS).q)
    q = model.statics(TENSIONS).q
    assert np.array_equal(numbers(supple.casadi.pose(model, "arm", 0.5)(q)), model.pose(q, "arm", 0.5))
    inverse = supple.casadi.inverse_dynamics(model)(q, 0.1 * q, 2.0 * q)
    assert np.array_equal(numbers(inverse)[:, 0], model.inverse_dynamics(q, 0.1 * q, 2.0 * q))


@pytest.mark.parametrize("reverse", [False, True])
def test_jacobians_of_compositions_against_differences(model, reverse):
    equilibrium = supple.casadi.equilibrium(model, tolerance=1e-13)
    place = supple.casadi.pose(model, "arm", 0.5)
    u = casadi.MX.sym("u", 3)
    value = casadi.vec(place(equilibrium(u)))
    jacobian = casadi.jacobian(value, u)
    if reverse:
        jacobian = casadi.vertcat(*[casadi.gradient(value[k], u).T for k in range(16)])
    both = casadi.Function("both", [u], [value, jacobian])
    expected = difference_jacobian(lambda x: numbers(both(x)[0])[:, 0], TENSIONS, 1e-4)
    assert relative_error(numbers(both(TENSIONS)[1]), expected) < 1e-7


def test_jacobians_of_several_inputs():
    model = pendulum()
    x = [casadi.MX.sym(name, 4) for name in "qvu"]
    forward = supple.casadi.forward_dynamics(model)  # kept: CasADi does not keep it alive
    a = forward(*x)
    jacobians = casadi.Function("jacobians", x, [casadi.jacobian(a, y) for y in x])
    state = np.random.default_rng(0).standard_normal((3, 4))
    for found, expected in zip(jacobians(*state), model.forward_dynamics_derivatives(*state), strict=True):
        assert relative_error(numbers(found), expected) < 1e-12
    weights = np.arange(1.0, 5.0)
    gradients = casadi.Function("gradients", x, [casadi.gradient(casadi.dot(a, casadi.DM(weights)), y) for y in x])
    for found, expected in zip(gradients(*state), model.forward_dynamics_derivatives(*state), strict=True):
        assert relative_error(numbers(found)[:, 0], weights @ expected) < 1e-12


def test_ipopt_brings_the_tip_to_a_point(model):
    """The least tensions that do it: the equilibrium is part of a constraint."""
    equilibrium, tip = supple.casadi.equilibrium(model), supple.casadi.tip(model, "arm")
    target = model.tip(model.statics([0.4, 0.1, 0.3]).q, "arm")
    problem = casadi.Opti()
    u = problem.variable(3)
    problem.minimize(casadi.sumsqr(u))
    problem.subject_to(tip(equilibrium(u))[1:] == target[1:])
    problem.subject_to(problem.bounded(0.01, u, 2.0))
    problem.set_initial(u, 0.1)
    problem.solver("ipopt", *QUIET)
    found = problem.solve().value(u)
    rest = model.statics(found)
    assert np.abs(model.tip(rest.q, "arm")[1:] - target[1:]).max() < 1e-7
    assert found @ found < 0.4**2 + 0.1**2 + 0.3**2
    J = model.jacobian(rest.q, "arm")
    rows = (model.pose(rest.q, "arm")[:3, :3] @ J[3:] @ np.stack([rest.jvp(du) for du in np.eye(3)], axis=1))[1:]
    free = found > 0.0101  # optimal: the gradient 2 u is a combination of the constraints' and of active bounds'
    assert np.linalg.lstsq(rows.T[free], found[free], rcond=None)[1].sum() < 1e-8


def test_ipopt_with_coordinates_as_unknowns():
    """Force balance as a constraint: inverse dynamics at rest equals the drives."""
    model = pendulum()
    inverse = supple.casadi.inverse_dynamics(model)
    problem = casadi.Opti()
    q, u = problem.variable(4), problem.variable(4)
    zero = np.zeros(4)
    problem.minimize(casadi.sumsqr(u))
    problem.subject_to(inverse(q, zero, zero) == u)
    problem.subject_to(q[3] == 0.3)
    problem.subject_to(q[0] == 0.0)
    problem.set_initial(q, np.array([0.0, 1.2, 0.1, 0.3]))
    problem.solver("ipopt", *QUIET)
    solution = problem.solve()
    q, u = solution.value(q), solution.value(u)
    assert np.abs(model.inverse_dynamics(q, zero, zero) - u).max() < 1e-7
    assert np.abs(u).max() > 0.0  # an elbow that is bent must be held


def test_a_function_outlives_what_it_was_made_with():
    """CasADi keeps no Python object alive; the function of this module does."""

    def made():
        equilibrium = supple.casadi.equilibrium(bow())
        u = casadi.MX.sym("u", 2)
        return equilibrium, casadi.Function("J", [u], [casadi.jacobian(equilibrium(u), u)])

    kept, jacobian = made()
    gc.collect()
    rest = kept.operation.subject.nominal.statics([0.5, 0.02])
    expected = np.stack([rest.jvp(du) for du in np.eye(2)], axis=1)
    assert relative_error(numbers(jacobian([0.5, 0.02])), expected) < 1e-10


def test_errors_are_typed_and_the_next_call_is_right(model):
    equilibrium = supple.casadi.equilibrium(model)
    with pytest.raises(sp.StateError, match="input 'up' is -1 N"):
        equilibrium([-1.0, 0.0, 0.0])
    with pytest.raises(sp.StateError, match=r"u\[1\] is nan"):
        equilibrium([0.0, np.nan, 0.0])
    for wrong in ([1.0, 2.0], 1.0, np.ones((2, 3)), casadi.MX.sym("u", 4)):
        with pytest.raises(sp.ShapeError, match=r"equilibrium: u has shape .*, must be \(3, 1\)"):
            equilibrium(wrong)
    with pytest.raises(sp.ConvergenceError, match="no equilibrium found"):
        supple.casadi.equilibrium(model, max_iterations=1)(1e6 * TENSIONS)
    u = casadi.MX.sym("u", 3)
    inside = casadi.Function("inside", [u], [2.0 * equilibrium(u)])
    with pytest.raises(RuntimeError, match="input 'up' is -1 N"):
        inside([-1.0, 0.0, 0.0])
    assert np.array_equal(numbers(inside(TENSIONS))[:, 0], 2.0 * model.statics(TENSIONS).q)


def test_one_search_serves_values_and_jacobians(model, monkeypatch):
    equilibrium = supple.casadi.equilibrium(model)
    count = []
    evaluate = type(equilibrium.operation).evaluate
    monkeypatch.setattr(
        type(equilibrium.operation), "evaluate", lambda self, *rest: count.append(1) or evaluate(self, *rest)
    )
    u = casadi.MX.sym("u", 3)
    casadi.Function("both", [u], [equilibrium(u), casadi.jacobian(equilibrium(u), u)])(TENSIONS)
    assert len(count) == 1


def test_ipopt_shoots_with_steps():
    """Torques that bring the elbow to an angle and to rest in ten steps, states as unknowns."""
    model = pendulum()
    step = supple.casadi.step(model, 0.05)
    q0 = np.array([0.0, 1.5, 0.0, 0.0])
    problem = casadi.Opti()
    q, v, u = problem.variable(4, 11), problem.variable(4, 11), problem.variable(4, 10)
    problem.subject_to(q[:, 0] == q0)
    problem.subject_to(v[:, 0] == 0.0)
    for k in range(10):
        after = step(q[:, k], v[:, k], u[:, k])
        problem.subject_to(q[:, k + 1] == after[0])
        problem.subject_to(v[:, k + 1] == after[1])
    problem.subject_to(q[3, 10] == 0.5)
    problem.subject_to(v[:, 10] == 0.0)
    problem.minimize(casadi.sumsqr(u))
    problem.set_initial(q, np.tile(q0[:, None], 11))
    problem.solver("ipopt", QUIET[0], QUIET[1] | {"max_iter": 500, "tol": 1e-6})
    torques = problem.solve().value(u)
    state = q0, np.zeros(4)
    for k in range(10):
        state = model.step(*state, torques[:, k], 0.05)
    assert abs(state[0][3] - 0.5) < 1e-4
    assert np.abs(state[1]).max() < 1e-3


@pytest.mark.parametrize("inputs", ["constant", "linear"])
def test_motions_by_reverse(model, inputs):
    t = np.linspace(0.0, 0.06, 4)
    rollout = supple.casadi.rollout(model, t, method=sp.BDF2(dt=0.01), inputs=inputs)
    given = np.zeros(6), np.zeros(6), TENSIONS if inputs == "constant" else np.outer(np.arange(1.0, 5.0), TENSIONS).T
    x = [casadi.MX.sym(name, *casadi.DM(value).shape) for name, value in zip("qvu", given, strict=True)]
    q, v = rollout(*x)
    assert q.shape == (6, 4)  # a column per time
    weights = np.random.default_rng(0).standard_normal((2, 4, 6))
    loss = casadi.dot(q, casadi.DM(weights[0].T)) + casadi.dot(v, casadi.DM(weights[1].T))
    gradients = casadi.Function("gradients", x, [q, *(casadi.gradient(loss, y) for y in x)])(*given)
    motion = model.simulate(t, *given[:2], given[2].T, method=sp.BDF2(dt=0.01), record=True)
    expected = motion.vjp(q=weights[0], v=weights[1])
    assert np.array_equal(numbers(gradients[0]), motion.q.T)
    for found, exact in zip(gradients[1:], (expected.q0, expected.v0, expected.u.T), strict=True):
        assert relative_error(numbers(found).squeeze(), exact) < 1e-12
    jacobian = casadi.Function("jacobian", x, [casadi.jacobian(q[:, -1], x[0])])(*given)
    rows = [motion.vjp(q=np.vstack([np.zeros((3, 6)), unit])).q0 for unit in np.eye(6)]
    assert relative_error(numbers(jacobian), np.stack(rows)) < 1e-12


def test_ipopt_finds_a_modulus():
    """Parameters of a design as unknowns: which modulus makes the arm sag so."""
    design = arm_design()
    equilibrium, tip = supple.casadi.equilibrium(design), supple.casadi.tip(design, "arm")
    model = design.model(young=1.3e5)
    seen = model.tip(model.statics(TENSIONS).q, "arm")
    problem = casadi.Opti()
    scale = problem.variable()
    p = {"young": 1e5 * scale}
    problem.minimize(1e4 * casadi.sumsqr(tip(equilibrium(TENSIONS, p), p) - seen))
    problem.subject_to(problem.bounded(0.5, scale, 5.0))
    problem.set_initial(scale, 2.0)
    problem.solver("ipopt", *QUIET)
    assert abs(problem.solve().value(scale) - 1.3) < 1e-4
