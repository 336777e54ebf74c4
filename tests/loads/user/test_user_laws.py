"""A user's own laws, in Python and in Numba, at points and between them."""

import pickle
import warnings

import numba
import numpy as np
import pytest

import supple as sp
from helpers import (
    central_difference,
    difference_jacobian,
    random_coordinates,
    random_pose,
    random_robot,
    relative_error,
    size,
)
from supple.errors import ModelError, ModelWarning, StateError
from supple.loads.user.laws import PairLaw, PointLaw

ALL = ("pose", "twist", "acceleration", "strain")

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
def viscous(t, g, eta, etadot, xi):
    return (-eta[0], -eta[1], -eta[2], -3.0 * eta[3], -3.0 * eta[4], -3.0 * eta[5])


@numba.njit
def viscous_tangent(t, g, eta, etadot, xi):
    T = np.zeros((6, 6))
    for i in range(3):
        T[i, i] = -1.0
        T[3 + i, 3 + i] = -3.0
    return T


@numba.njit
def joining(t, h, eta):
    F = np.empty(6)
    for i in range(3):
        F[i] = 0.5 * h[i, (i + 1) % 3] + 0.1 * eta[i] * h[i, 3]
        F[3 + i] = 4.0 * h[i, 3] + np.sin(t) * eta[3 + i] + 0.2 * eta[3 + i] ** 2
    return F


def python_swirl(t, g, eta, etadot, xi):
    return swirl.py_func(t, g, eta, etadot, xi)


def plain(robot, seed):
    rng = np.random.default_rng([11, seed])
    return random_coordinates(rng, robot, ("moderate", "zero", "huge", "tiny")[seed % 4]), rng


def check_tangents(model, q, v, a, t=0.3):
    _, dq, dv, da = model.inverse_dynamics_derivatives(q, v, a, t=t)  # tau has kinks at soft limits
    ID = model.inverse_dynamics
    assert relative_error(dq, difference_jacobian(lambda x: ID(x, v, a, t), q), floor=1.0) < 1e-7
    assert relative_error(dv, difference_jacobian(lambda x: ID(q, x, a, t), v), floor=1.0) < 1e-7
    assert relative_error(da, difference_jacobian(lambda x: ID(q, v, x, t), a), floor=1.0) < 1e-7
    total = model.residual_derivatives(q, v, a, t=t)
    fused = total.dq + 1.7 * total.dv + 0.6 * total.da
    residual, tangent = model.residual_tangent(q, v, a, t=t, cv=1.7, ca=0.6)
    assert relative_error(tangent, fused) < 1e-9
    assert relative_error(residual, model.residual(q, v, a, t=t), floor=1.0) < 1e-10
    x = np.linspace(-1.0, 1.0, model.n)
    assert relative_error(model.tangent_product(q, v, a, x, cv=1.7, ca=0.6, t=t), fused @ x, size(fused)) < 1e-9
    transposed = model.tangent_product(q, v, a, x, cv=1.7, ca=0.6, t=t, transposed=True)
    assert relative_error(transposed, fused.T @ x, size(fused)) < 1e-9


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


def arm():
    robot = sp.Robot("arm")
    material = sp.Material(young=1e5, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.03), material, sp.Legendre(bend_y=1, torsion=0, stretch=0), points=4)
    robot.add_link("arm", rod, joint=sp.Revolute("y"))
    return robot


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


# ---------------------------------------------------------------------- further states


@numba.njit
def remembering(t, g, eta, etadot, xi, z):
    """Nonlinear in everything, states included."""
    F = np.empty(6)
    for i in range(3):
        F[i] = np.sin(t + z[0] + g[i, 3]) * eta[3 + i] + 0.1 * xi[i] * z[1]
        F[3 + i] = -2.0 * z[1] * eta[3 + i] + g[2, i] * z[0] - 0.2 * etadot[i]
    return F


@numba.njit
def remembering_rate(t, g, eta, etadot, xi, z):
    return np.array([eta[0] - z[0] * g[0, 3] + xi[1], np.cos(z[1]) + etadot[3] + t])


def python_remembering(t, g, eta, etadot, xi, z):
    return remembering.py_func(t, g, eta, etadot, xi, z)


def python_remembering_rate(t, g, eta, etadot, xi, z):
    return remembering_rate.py_func(t, g, eta, etadot, xi, z)


def with_states(law=remembering, rate=remembering_rate, **options):
    given = {"s": (0.3, 0.7, 1.0), "uses": ALL, "state0": (0.4, -0.3), "rate": rate} | options
    robot = arm()
    robot.add(PointLaw("memory", "arm", law, **given))
    return robot.compile()


def test_laws_with_states_have_exact_tangents():
    model = with_states()
    assert model.state_names == tuple(f"memory[{i}].{k}" for i in range(3) for k in range(2))
    q, v, a = np.random.default_rng(3).standard_normal((3, model.n))
    check_tangents(model, q, v, a)
    assert model.check_derivatives(q, v, a, t=0.3).ok(1e-6)


def test_stations_have_states_of_their_own():
    """The residual at z is that of laws with z frozen into them; rates are those of the function."""
    model = with_states()
    rng = np.random.default_rng(4)
    q, v, a = rng.standard_normal((3, model.n))
    z = rng.standard_normal(6)
    robot = arm()
    seen = []
    for i, s in enumerate((0.3, 0.7, 1.0)):

        def frozen(t, g, eta, etadot, xi, own=z[2 * i : 2 * i + 2]):
            if np.array_equal(t, 0.2):
                seen.append(remembering_rate.py_func(t, g, eta, etadot, xi, own))
            return remembering.py_func(t, g, eta, etadot, xi, own)

        robot.add(PointLaw(f"frozen {i}", "arm", frozen, s=s, uses=ALL))
    direct = robot.compile()
    assert relative_error(model.residual(q, v, a, t=0.2, z=z), direct.residual(q, v, a, t=0.2)) < 1e-13
    np.testing.assert_allclose(model.state_rates(q, v, a, z, t=0.2), np.concatenate(seen), rtol=1e-13)
    residual, tangent = model.residual_tangent(q, v, a, t=0.2, cv=1.3, ca=0.4, z=z)
    assert relative_error(residual, direct.residual(q, v, a, t=0.2)) < 1e-12
    assert relative_error(tangent, direct.residual_tangent(q, v, a, t=0.2, cv=1.3, ca=0.4)[1]) < 1e-9
    # without z, states are where they begin
    begin = np.tile([0.4, -0.3], 3)
    assert np.array_equal(model.residual(q, v, a, t=0.2), model.residual(q, v, a, t=0.2, z=begin))
    with pytest.raises(sp.ShapeError, match=r"z has shape \(2,\)"):
        model.residual(q, v, a, z=[0.0, 1.0])


def test_python_laws_with_states_are_the_numba_laws():
    models = [with_states(), with_states(python_remembering, python_remembering_rate)]
    q, v, a = np.random.default_rng(5).standard_normal((3, models[0].n))
    z = np.arange(6.0)
    assert np.array_equal(*(model.residual(q, v, a, t=0.2, z=z) for model in models))
    assert np.array_equal(*(model.state_rates(q, v, a, z, t=0.2) for model in models))
    other = pickle.loads(pickle.dumps(models[1]))
    assert np.array_equal(other.residual(q, v, a, z=z), models[1].residual(q, v, a, z=z))


def test_laws_of_time_and_states_share_signals():
    """Signals of states lie between those of laws."""
    model = with_states()
    robot = arm()
    push = sp.laws.Sine(1.0, 3.0) * sp.laws.Constant(np.arange(6.0))
    robot.add(sp.PointWrench("arm", push, frame="local"))
    robot.add(
        PointLaw(
            "memory", "arm", remembering, (0.3, 0.7, 1.0), None, uses=ALL, state0=(0.4, -0.3), rate=remembering_rate
        )
    )
    robot.add(sp.PointWrench("arm", -1.0 * push, frame="local"))
    state = np.random.default_rng(6).standard_normal((3, model.n))
    np.testing.assert_allclose(robot.compile().residual(*state, t=0.2), model.residual(*state, t=0.2), atol=1e-12)


def joined(t, h, eta, z):
    return joining.py_func(t, h, eta) * z[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"state0": (1.0,)}, ["'mine'", "no rate"]),
        ({"rate": remembering_rate}, ["'mine'", "no state0"]),
        ({"state0": np.zeros(9), "rate": remembering_rate}, ["'mine'", "8 states at most"]),
        ({"state0": (np.nan, 0.0), "rate": remembering_rate}, ["'mine'", "finite"]),
        ({"state0": 1.0, "rate": remembering_rate}, ["'mine'", "vector"]),
        ({"state0": np.zeros(3), "rate": remembering_rate}, ["'mine'", "rate", "(3,)"]),
        ({"state0": np.zeros(3), "rate": python_remembering_rate}, ["'mine'", "rate", "(3,)"]),
        ({"state0": np.zeros(2), "rate": lambda t, z: z}, ["'mine'", "rate", "(t, g, eta, etadot, xi, z)"]),
        ({"state0": np.zeros(2), "rate": 3.0}, ["'mine'", "rate is 3.0"]),
        ({"state0": np.zeros(2), "rate": remembering_rate, "law": viscous}, ["'mine'", "law", "etadot, xi, z)"]),
    ],
)
def test_bad_states_are_named(options, words):
    robot = arm()
    robot.add(PointLaw(**{"name": "mine", "link": "arm", "law": remembering, "uses": ALL} | options))
    with pytest.raises(ModelError) as caught:
        robot.compile()
    for word in words:
        assert word in str(caught.value)


def test_names_of_states_differ():
    robot = arm()
    states = {"state0": (1.0,), "rate": lambda t, h, eta, z: -z}
    robot.add(PairLaw("grip", ("world", 0.0), ("arm", 0.5), joined, **states))
    with pytest.raises(ModelError, match="PairLaw 'grip': there is a PairLaw 'grip' already"):
        robot.add(PairLaw("grip", ("world", 0.0), ("arm", 1.0), joined, **states))


@pytest.mark.parametrize("method", ["inverse_dynamics", "residual_tangent"])
def test_rates_that_fail_are_named(method):
    model = with_states(rate=numba.njit(lambda t, g, eta, etadot, xi, z: np.array([0.0, np.log(-abs(eta[1]))])))
    with pytest.raises(StateError, match=r"PointLaw 'memory': the rate returned values that are not finite"):
        getattr(model, method)(*np.ones((3, model.n)))
