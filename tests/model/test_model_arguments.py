"""The border that all calls of a model cross: what it takes, and how it refuses the rest."""

import inspect

import numpy as np
import pytest

import supple as sp
from supple.model import accelerations, constraints, dynamics, invariants, kinematics, leading_axes, lines
from supple.model.constraints import Multipliers
from supple.model.model import Model


@pytest.fixture(scope="module")
def model():
    """A ball joint, a rod, a tendon, a loop and a load with a state."""
    robot = sp.Robot("arm")
    material = sp.Material(young=1e6, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.03), material, sp.Legendre(bend_y=1, stretch=0), points=3)
    robot.add_link("arm", rod, sp.Spherical())
    robot.add(sp.Tendon("t", {"arm": (0.01, 0.0)}))
    robot.add(sp.Loop("l", ("arm", sp.pose()), ("world", sp.pose((0.5, 0.0, 0.0))), sp.Spherical()))
    memory = {"state0": (0.1,), "rate": lambda t, g, eta, etadot, xi, z: -z, "uses": ()}
    robot.add(sp.PointLaw("law", "arm", lambda t, g, eta, etadot, xi, z: np.full(6, z[0]), **memory))
    return robot.compile()


def good(model):
    """Good arguments by name."""
    q = 0.1 * np.cos(np.arange(model.n))
    return {
        **{"q": q, "v": 0.5 * q, "a": -q, "x": q, "u": np.ones(1), "lam": np.ones(3), "z": np.ones(1), "t": 0.1},
        **{"cv": 1.0, "ca": 2.0, "baumgarte": 0.1, "transposed": True, "link": "arm", "s": 0.5},
        "stations": [("arm", 0.5)],
    }


SUBJECTS = {module.__name__ for module in (accelerations, constraints, dynamics, invariants, kinematics, lines)}

#: Functions of a model with their parameters.
FUNCTIONS = {
    name: tuple(inspect.signature(function).parameters)[1:]
    for name, function in inspect.getmembers(Model, inspect.isfunction)
    if function.__module__ in SUBJECTS and "q" in inspect.signature(function).parameters
}

VECTORS = ("q", "v", "a", "x", "u", "lam", "z")
WRONG = {
    "complex": lambda x: x + 1e-20j,
    "masked": lambda x: np.ma.masked_array(x, mask=np.arange(x.size) == 0),
    "dates": lambda x: np.full(x.shape, 3, dtype="M8[s]"),
    "text": lambda x: ["abc"] * x.size,
    "ragged": lambda x: [[1.0], [1.0, 2.0]],
    "flags": lambda x: x > 0.0,
    "too large": lambda x: [10**400] * x.size,
    "shape": lambda x: np.append(x, 1.0),
    "scalar": lambda x: 0.7,
    "object": lambda x: object(),
    "NaN": lambda x: np.full(x.shape, np.nan),
    "infinite": lambda x: np.full(x.shape, np.inf),
}


def arguments_of(name, model):
    given = good(model)
    if not set(FUNCTIONS[name]) <= set(given):
        pytest.skip("has parameters of its own")
    return {parameter: given[parameter] for parameter in FUNCTIONS[name]}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_takes_anything_but_finite_real_vectors(model, name, kind):
    given = arguments_of(name, model)
    for parameter in VECTORS:
        if parameter in given:
            with pytest.raises((sp.ShapeError, sp.StateError), match=rf"\b{parameter}\b"):
                getattr(model, name)(**{**given, parameter: WRONG[kind](given[parameter])})


@pytest.mark.parametrize("value", [np.nan, np.inf, "x", None, 1j, [np.nan], [0.1, "x"], [[0.1], []], True, 10**400])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if {"t", "cv", "ca"} & set(FUNCTIONS[name])])
def test_times_and_coefficients_are_finite_numbers(model, name, value):
    given = arguments_of(name, model)
    for parameter in {"t", "cv", "ca"} & set(given):
        with pytest.raises(sp.StateError, match=rf"^(row 0: )?{parameter} is "):
            getattr(model, name)(**{**given, parameter: value})


def leaves(found):
    """All numbers and arrays in a result."""
    if isinstance(found, dict):
        return [x for part in found.values() for x in leaves(part)]
    if isinstance(found, Multipliers):
        return [found.values]
    if isinstance(found, tuple):
        return [x for part in found for x in leaves(part)]
    return [] if found is None or isinstance(found, str) else [np.asarray(found)]


@pytest.mark.parametrize("values", [[0.1], np.array([1.0, 2.0])])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if {"t", "cv", "ca"} & set(FUNCTIONS[name])])
def test_many_times_and_coefficients_are_leading_axes_or_refused(model, name, values):
    given = arguments_of(name, model)
    for parameter in {"t", "cv", "ca"} & set(given):
        if name not in leading_axes.FUNCTIONS:
            with pytest.raises(sp.StateError, match=rf"^{parameter} is "):
                getattr(model, name)(**{**given, parameter: values})
            continue
        found = leaves(getattr(model, name)(**{**given, parameter: values}))
        rows = [leaves(getattr(model, name)(**{**given, parameter: float(x)})) for x in values]
        assert found
        for k, array in enumerate(found):
            np.testing.assert_array_equal(array, np.array([row[k] for row in rows]))


@pytest.mark.parametrize("many", [[0.1], np.array([1.0, 2.0]), np.zeros((3, 3)), np.nan, "x"])
def test_solvers_take_one_time(model, many):
    """Functions that they call would take leading axes."""
    x = good(model)
    q, v, a = x["q"], x["v"], x["a"]
    calls = {
        "linearize": lambda: model.linearize(q, v, t=many),
        "statics": lambda: model.statics(t=many),
        "statics_batch": lambda: model.statics_batch(np.ones((2, 1)), t=many),
        "statics_all": lambda: model.statics_all(t=many),
        "modes": lambda: model.modes(t=many),
        "modes at a state": lambda: model.modes(q, t=many),
        "assemble": lambda: model.assemble(at_rest=True, t=many),
        "check_derivatives": lambda: model.check_derivatives(q, v, a, t=many),
    }
    for call in calls.values():
        with pytest.raises(sp.StateError, match=r"^t is "):
            call()


def test_linearize_takes_one_state(model):
    x = good(model)
    for name in ("q", "v", "u", "z"):
        with pytest.raises(sp.ShapeError, match=rf"\b{name}\b"):
            model.linearize(**{k: np.array([x[k], x[k]]) if k == name else x[k] for k in ("q", "v", "u", "z")})



@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_form_of_real_numbers_gives_the_same(model, name):
    given = arguments_of(name, model)
    expected = getattr(model, name)(**given)
    for form in (list, lambda x: x.astype(object), lambda x: np.array([x, x]).T[:, 0], np.ma.masked_array):
        other = {k: form(x) if k in VECTORS else x for k, x in given.items()}
        found = getattr(model, name)(**other)
        assert str(found) == str(expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, "x", None, 1j])
def test_baumgarte_is_a_time(model, value):
    x = good(model)
    for function in (model.forward_dynamics, model.forward_dynamics_derivatives):
        with pytest.raises(sp.ModelError, match="baumgarte is"):
            function(x["q"], x["v"], baumgarte=value)


@pytest.mark.parametrize("value", ["no", 1, None, 0.0])
def test_transposed_is_a_flag(model, value):
    x = good(model)
    with pytest.raises(sp.ModelError, match=r"transposed is .*, must be True or False"):
        model.tangent_product(x["q"], x["v"], x["a"], x["x"], transposed=value)


def test_rewrap_refuses_what_it_cannot_wrap(model):
    q, v = np.full(model.n, 0.1), np.ones(model.n)
    for wrong in (np.nan, np.inf):
        with pytest.raises(sp.StateError, match=r"v\[0\] \(arm.wx\) is"):
            model.rewrap(q, v * wrong)
        with pytest.raises(sp.StateError, match=r"q\[0\] \(arm.wx\) is"):
            model.rewrap(q + wrong, v)
    for huge in (1e200, 1e15):
        with pytest.raises(sp.StateError, match="cannot be wrapped"):
            model.rewrap(q + huge, v)
    wrapped, _ = model.rewrap(q + 10.0, v)
    assert np.linalg.norm(wrapped[:3]) <= np.pi


def test_stations_may_be_lists(model):
    q = good(model)["q"]
    np.testing.assert_array_equal(model.poses(q, [["arm", 0.5]]), model.poses(q, (("arm", 0.5),)))


@pytest.mark.parametrize("stations", [3, "arm", ["arm"], [("arm",)], [("arm", "x")], [(None, 0.5)], [[["arm"], 0.5]]])
def test_stations_are_pairs(model, stations):
    with pytest.raises(sp.ModelError):
        model.poses(good(model)["q"], stations)


def test_a_law_of_time_that_fails_is_named():
    robot = sp.Robot("slider")
    robot.add_link("x", sp.Rigid.sphere(0.1, density=1e3), sp.Prismatic("x"))
    robot.add(sp.PointWrench("x", lambda t: {}["gust"], name="gust"))
    model = robot.compile()
    with pytest.raises(sp.StateError, match=r"PointWrench 'gust': its law at t = 2 raised KeyError: 'gust'"):
        model.residual(np.zeros(1), np.zeros(1), np.zeros(1), t=2.0)
