"""A user's own laws, in Python and in Numba, at points and between them."""

import pickle
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

import supple as sp
from helpers import (
    central_difference,
    random_coordinates,
    random_pose,
    random_robot,
    relative_error,
    size,
)
from supple.errors import ModelError, ModelWarning, StateError
from supple.loads.user.laws import PairLaw, PointLaw
from user_laws import ALL, arm, check_tangents, joining, viscous

pytestmark = pytest.mark.filterwarnings("ignore:.*no tangent is given:supple.errors.ModelWarning")


@numba.njit
def swirl(t, g, eta, etadot, xi):
    """Nonlinear in everything."""
    F = np.empty(6)
    for i in range(3):
        F[i] = np.sin(t + g[i, 3]) * eta[3 + i] + 0.3 * g[0, i] * eta[i] ** 2 + 0.1 * xi[i] * g[i, 2]
        F[3 + i] = (
            -2.0 * eta[3 + i] * np.sqrt(1.0 + eta[3 + i] ** 2)
            + g[2, i]
            - 0.2 * etadot[3 + i]
            + 0.05 * etadot[i] * eta[i]
        )
        F[3 + i] += 0.5 * np.cos(xi[3 + i]) * xi[i]
    return F


@numba.njit
def pose_and_twist(t, g, eta, etadot, xi):
    F = np.empty(6)
    for i in range(3):
        F[i] = np.sin(t + g[i, 3]) * eta[3 + i] + 0.3 * g[0, i] * eta[i] ** 2
        F[3 + i] = -2.0 * eta[3 + i] * eta[i] + g[2, i]
    return F


@numba.njit
def viscous_tangent(t, g, eta, etadot, xi):
    T = np.zeros((6, 6))
    for i in range(3):
        T[i, i] = -1.0
        T[3 + i, 3 + i] = -3.0
    return T


def python_swirl(t, g, eta, etadot, xi):
    return swirl.py_func(t, g, eta, etadot, xi)


def plain(robot, seed):
    rng = np.random.default_rng([11, seed])
    return random_coordinates(rng, robot, ("moderate", "zero", "huge", "tiny")[seed % 4]), rng


@pytest.mark.parametrize("seed", range(16))
def test_point_laws_have_exact_tangents(seed):
    rng = np.random.default_rng([12, seed])
    robot = random_robot(rng, most=12)
    for i, link in enumerate(robot.links):
        soft = isinstance(link.body, sp.Rod)
        stations = [1.0, (0.3, 0.7), "along"][i % 3] if soft else float(rng.integers(2))
        law, uses = (swirl, ALL) if soft else (pose_and_twist, ("pose", "twist"))
        robot.add(PointLaw(f"law{i}", link.name, law, s=stations, offset=random_pose(rng), uses=uses))
    model = robot.compile()
    q, rng = plain(robot, seed)
    v, a = rng.standard_normal((2, model.n))
    check_tangents(model, q, v, a)


@pytest.mark.parametrize("seed", range(12))
def test_pair_laws_have_exact_tangents(seed):
    rng = np.random.default_rng([13, seed])
    robot = random_robot(rng, links=4, most=12)
    names = [link.name for link in robot.links if link.joint.dof or isinstance(link.body, sp.Rod)]
    ends = [(name, 1.0, random_pose(rng)) for name in names] + [("world", 0.0, random_pose(rng))]
    robot.add(PairLaw("grip", ends[seed % len(ends)], ends[seed % len(ends) - 1], joining))
    model = robot.compile()
    q, rng = plain(robot, seed)
    v, a = rng.standard_normal((2, model.n))
    check_tangents(model, q, v, a)


def test_a_python_law_is_the_numba_law():
    models = []
    for law in (swirl, python_swirl):
        robot = arm()
        robot.add(PointLaw("swirl", "arm", law, s=0.4, uses=ALL))
        models.append(robot.compile())
    q, v, a = np.random.default_rng(0).standard_normal((3, models[0].n))
    assert np.array_equal(models[0].residual(q, v, a, t=0.2), models[1].residual(q, v, a, t=0.2))
    assert np.array_equal(*(model.residual_tangent(q, v, a, t=0.2, cv=1.0)[1] for model in models))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_given_tangent_is_used(compiled):
    robot = arm()
    law, tangent = (viscous, viscous_tangent) if compiled else (viscous.py_func, viscous_tangent.py_func)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.add(PointLaw("drag", "arm", law, s="along", tangent=tangent, uses=("twist",)))
        model = robot.compile()
    q, v, a = np.random.default_rng(0).standard_normal((3, model.n))
    check_tangents(model, q, v, a)


def test_a_law_of_time_alone_is_a_follower():
    robot, same = arm(), arm()

    def law(t, g, eta, etadot, xi):
        return np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) * t

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.add(PointLaw("push", "arm", law, uses=()))
        model = robot.compile()
    same.add(sp.PointWrench("arm", lambda t: law(t, 0, 0, 0, 0), frame="local"))
    q, v, a = np.random.default_rng(0).standard_normal((3, model.n))
    ours, theirs = (m.residual_tangent(q, v, a, t=0.7) for m in (model, same.compile()))
    assert relative_error(ours[0], theirs[0]) < 1e-13
    assert relative_error(ours[1], theirs[1]) < 1e-13


def test_a_law_of_acceleration_is_in_forward_dynamics():
    """A mass of 3 kg as a law, against the mass itself: M and Coriolis terms are those of the body."""
    mass = 3.0

    def inertial(t, g, eta, etadot, xi):
        up = g[:3, :3].T @ [0.0, 0.0, 9.81]
        return np.append(np.zeros(3), -mass * (etadot[3:] + np.cross(eta[:3], eta[3:]) + up))

    heavy, law = arm(), arm()
    heavy.add_link("bob", sp.Rigid(mass, np.zeros(3)), parent="arm")
    law.add(PointLaw("bob", "arm", inertial, uses=("pose", "twist", "acceleration")))
    heavy, law = heavy.compile(), law.compile()
    q, v, a = np.random.default_rng(0).standard_normal((3, law.n))
    assert relative_error(law.inverse_dynamics(q, v, a), heavy.inverse_dynamics(q, v, a)) < 1e-12
    assert relative_error(law.forward_dynamics(q, v).a, heavy.forward_dynamics(q, v).a) < 1e-9
    exact, differenced = heavy.forward_dynamics_derivatives(q, v), law.forward_dynamics_derivatives(q, v)
    assert relative_error(differenced.dq, exact.dq) < 1e-7
    assert relative_error(differenced.dv, exact.dv) < 1e-7


def test_pairs_conserve_momentum():
    """Of a free robot: what a gains, b loses, whatever the law."""
    robot = sp.Robot("free", gravity=(0, 0, 0))
    robot.add_link("a", sp.Rigid.sphere(0.1, density=500.0), joint=sp.Free())
    robot.add_link("b", sp.Rigid.sphere(0.1, density=500.0), joint=sp.Free())
    robot.add(PairLaw("grip", ("a", 1.0, sp.pose((0.2, 0.1, 0.0))), ("b", 1.0), joining))
    model = robot.compile()
    q, v = np.random.default_rng(1).standard_normal((2, 12))
    a = model.forward_dynamics(q, v).a
    rate = central_difference(lambda h: model.momentum(q + h * v + 0.5 * h * h * a, v + h * a), 3e-4)
    assert size(rate) < 1e-11 * size(model.mass_matrix(q) @ a)


def test_differences_are_warned_of():
    robot = arm()
    robot.add(PointLaw("mine", "arm", viscous))
    with pytest.warns(ModelWarning, match="PointLaw 'mine'.*differences"):
        robot.compile()


def test_a_law_compiles_no_kernel():
    from supple.core.residual import residual_tangent

    def evaluate(factor):
        robot = arm()
        law = numba.njit(lambda t, g, eta, etadot, xi: factor * eta)
        robot.add(PointLaw("mine", "arm", law, uses=("twist",)))
        model = robot.compile()
        model.residual_tangent(*np.ones((3, model.n)))

    evaluate(-1.0)
    before = len(residual_tangent.signatures)
    evaluate(-2.0)
    assert len(residual_tangent.signatures) == before


def module_law(t, g, eta, etadot, xi):
    return -eta


@pytest.mark.parametrize("law", [module_law, viscous])
def test_models_with_laws_pickle(law):
    robot = arm()
    robot.add(PointLaw("mine", "arm", law))
    model = robot.compile()
    state = np.ones((3, model.n))
    other = pickle.loads(pickle.dumps(model))
    del robot
    assert np.array_equal(model.residual(*state), other.residual(*state))


def test_what_cannot_be_pickled_is_named():
    robot = arm()
    robot.add(PointLaw("mine", "arm", lambda t, g, eta, etadot, xi: -eta))
    with pytest.raises(sp.ModelError, match=r"PointLaw 'mine': its law .*cannot be pickled.*lambda"):
        pickle.dumps(robot.compile())


def raising(t, g, eta, etadot, xi):
    if eta.any():
        raise ZeroDivisionError("no speed limit")
    return np.zeros(6)


def sometimes_short(t, g, eta, etadot, xi):
    return np.zeros(5 if eta.any() else 6)


@numba.njit
def infinite(t, g, eta, etadot, xi):
    return np.array([0.0, 0.0, 0.0, 1.0 / eta[3] if eta[3] > 0 else 0.0, np.log(-abs(eta[1])), 0.0])


@numba.njit
def nosy(t, g, eta, etadot, xi):
    return eta + etadot


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (raising, ["'mine'", "ZeroDivisionError", "no speed limit"]),
        (sometimes_short, ["'mine'", "shape"]),
        (infinite, ["'mine'", "not finite"]),
        (nosy, ["'mine'", "not finite", "uses"]),
    ],
)
@pytest.mark.parametrize("method", ["inverse_dynamics", "residual_tangent", "inverse_dynamics_derivatives"])
def test_laws_that_fail_are_named(law, words, method):
    robot = arm()
    robot.add(PointLaw("mine", "arm", law))
    model = robot.compile()
    for _ in range(2):
        with pytest.raises(StateError) as caught:
            getattr(model, method)(*np.ones((3, model.n)))
        for word in words:
            assert word in str(caught.value)
    with pytest.raises(StateError, match=r"q\[0\]"):  # a bad state is not the law's fault
        model.inverse_dynamics(np.full(model.n, np.nan), *np.ones((2, model.n)))


def test_forward_dynamics_names_a_failing_law_and_the_cause():
    robot = arm()
    robot.add(PointLaw("mine", "arm", raising))
    model = robot.compile()
    with pytest.raises(StateError, match="'mine'") as caught:
        model.forward_dynamics(*np.ones((2, model.n)))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@numba.njit
def refusing(t, g, eta, etadot, xi):
    if eta[0] != 0.0 or eta[1] != 0.0:
        raise ValueError("too fast")
    return eta


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exceptions_of_compiled_laws_are_noticed():
    robot = arm()
    robot.add(PointLaw("mine", "arm", refusing, uses=("twist",)))
    model = robot.compile()
    with pytest.raises(StateError, match=r"'mine'.*raised"):
        model.inverse_dynamics(*np.ones((3, model.n)))


@numba.njit
def short(t, g, eta, etadot, xi):
    return eta[:5]


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (PointLaw("mine", "arm", short), ["'mine'", "(6,)"]),
        (PointLaw("mine", "arm", lambda t, g, eta, etadot, xi: 1.0), ["'mine'", "(6,)"]),
        (PointLaw("mine", "arm", lambda t: 1.0), ["'mine'", "(t, g, eta, etadot, xi)"]),
        (PointLaw("mine", "arm", numba.njit(lambda t: 1.0)), ["'mine'", "(t, g, eta, etadot, xi)"]),
        (PointLaw("mine", "arm", viscous, tangent=viscous), ["'mine'", "tangent"]),
        (PointLaw("mine", "arm", 3.0), ["'mine'", "function"]),
        (PointLaw("mine", "ghost", viscous), ["'mine'", "'ghost'"]),
        (PointLaw("mine", "arm", viscous, s=2.0), ["'mine'", "between 0 and 1"]),
        (PointLaw("mine", "arm", viscous, s="here"), ["'mine'", "along"]),
        (PointLaw("mine", "hand", viscous, s="along"), ["'mine'", "rigid"]),
        (PointLaw("mine", "hand", viscous, uses=("strain",)), ["'mine'", "rigid"]),
        (PointLaw("mine", "arm", viscous, uses=("speed",)), ["'mine'", "speed"]),
        (PairLaw("mine", ("arm", 1.0), ("arm", 1.0), joining), ["'mine'", "same body"]),
        (PairLaw("mine", ("arm",), ("hand", 1.0), joining), ["(link, s)"]),
    ],
)
def test_bad_input_is_named(load, words):
    robot = arm()
    robot.add_link("hand", sp.Rigid.sphere(0.1, density=100.0), parent="arm", joint=sp.Revolute("z"))
    robot.add(load)
    with pytest.raises(ModelError) as caught:
        robot.compile()
    for word in words:
        assert word in str(caught.value)


def test_threads_hear_of_their_own_failures():
    """Two threads whose laws fail at the same moment: each raises what its own law raised."""
    barrier, told = threading.Barrier(2), threading.local()

    def failing(t, g, eta, etadot, xi):
        if hasattr(told, "name"):
            barrier.wait(30.0)
            raise ValueError(told.name)
        return np.zeros(6)

    robot = arm()
    robot.add(PointLaw("mine", "arm", failing))
    model = robot.compile()
    zero = np.zeros(model.n)

    def call(name):
        told.name = name
        with pytest.raises(StateError) as caught:
            model.inverse_dynamics(zero, zero, zero)
        del told.name
        return str(caught.value)

    for _ in range(5):
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(call, ("first", "second")))
        assert [name in text for name, text in zip(("first", "second"), found, strict=True)] == [True, True], found
