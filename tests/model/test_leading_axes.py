"""Leading axes: every function of a model gives for many states what it gives for one after the other, to the bit."""

import inspect
import threading
import warnings

import numpy as np
import pytest

import supple as sp
import supple.model.leading_axes as module
from coupled_cases import hand
from load_kinds import add_kinds, host
from motions import four_bar, soft_arm
from supple.model.leading_axes import FUNCTIONS, stacked
from supple.model.model import Model

LEAD = (2, 3)


def loaded():
    """A robot with rods, a chart, tendons, a cable, contact, friction of water, a loop, laws and internal states."""
    kinds = ["tendon", "elastic_tendon", "cable", "contact_of_rod", "fluid", "world_wrench", "chamber"]
    kinds += ["point_law_with_states", "prescribed", "loop"]
    return add_kinds(np.random.default_rng(2), host(), kinds).compile()


def arguments(model, function, rng, lead):
    """Random arguments of a function, those that may have leading axes with them."""
    sizes = {"q": model.n, "v": model.n, "a": model.n, "x": model.n, "u": model.nu, "lam": model.nc, "z": model.nz}
    given = {}
    for name in list(inspect.signature(function).parameters)[1:]:
        if name in sizes:
            given[name] = 0.1 * np.abs(rng.standard_normal((*lead, sizes[name])))
        elif name in ("t", "cv", "ca"):
            given[name] = rng.random(lead)
    line = function.__name__ == "tension_derivatives"
    plain = {"link": "a" if model.name == "host" else "rod", "s": 0.7, "dt": 1e-5, "every_pair": True, "given": [0]}
    plain |= {"name": (model.demand.lines if line else model.contact_names)[0], "X": np.ones((model.n, 2))}
    parameters = inspect.signature(function).parameters
    return given, {name: value for name, value in plain.items() if name in parameters}


def leaves(result):
    """All numbers and arrays of a result."""
    if isinstance(result, dict):
        return [x for key in result for x in leaves(result[key])]
    if isinstance(result, tuple) and not all(isinstance(x, str) for x in result):
        parts = result.__getnewargs__() if hasattr(result, "_fields") else result
        return [x for part in parts for x in leaves(part)]
    return [] if result is None or isinstance(result, (str, tuple)) else [np.asarray(result)]


def compare(model, name, only=None):
    """Results of many and of one; with ``only``, one argument alone has leading axes."""
    function = getattr(type(model), name)
    rows, plain = arguments(model, function, np.random.default_rng(1), LEAD)
    if only is not None:
        plain |= {key: x[0, 0] for key, x in rows.items() if key != only}
        rows = {only: rows[only]}
    many = getattr(model, name)(**rows, **plain)
    for place in np.ndindex(LEAD):
        one = getattr(model, name)(**{key: x[place] for key, x in rows.items()}, **plain)
        found = leaves(many)
        assert len(found) == len(leaves(one)) > 0
        for a, b in zip(found, leaves(one), strict=True):
            assert a.shape == (*LEAD, *b.shape), name
            assert np.array_equal(a[place], b), name
        assert type(many) is type(one) or np.isscalar(one)


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)  # a law without a tangent
        return loaded()


@pytest.fixture(scope="module")
def coupled():
    return hand().compile()


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.startswith("step")])  # its loops are open
def test_many_equal_one_by_one(model, name):
    assert min(model.nu, model.nc, model.nz, len(model.contact_names), len(model.prescribed)) > 0
    compare(model, name)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "volumes"])
def test_coordinates_that_follow_others(name):
    compare(hand().compile(), name)


#: Every function with each of its arguments that may have leading axes.
ALONE = [
    (name, only)
    for name in FUNCTIONS
    for only in inspect.signature(getattr(Model, name)).parameters
    if only in module.SIZES
]


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")
@pytest.mark.parametrize(("name", "only"), [(name, only) for name, only in ALONE if not name.startswith("step")])
def test_one_argument_alone_has_leading_axes(model, name, only):
    compare(model, name, only)


@pytest.mark.parametrize(("name", "only"), [(name, only) for name, only in ALONE if name != "volumes"])
def test_one_argument_alone_where_coordinates_follow_others(coupled, name, only):
    compare(coupled, name, only)


def test_axes_are_broadcast(model):
    q = 0.1 * np.random.default_rng(3).standard_normal((4, 1, model.n))
    u = np.random.default_rng(4).random((3, model.nu))
    zero = np.zeros(model.n)
    found = model.residual(q, zero, zero, u, t=np.linspace(0.0, 1.0, 3))
    assert found.shape == (4, 3, model.n)
    assert np.array_equal(found[2, 1], model.residual(q[2, 0], zero, zero, u[1], t=0.5))
    assert np.array_equal(model.mass_matrix(q[:1].tolist())[0, 0], model.mass_matrix(q[0, 0]))


def test_no_rows_have_shapes_all_the_same(model):
    assert model.mass_matrix(np.zeros((0, model.n))).shape == (0, model.n, model.n)
    energy = model.energy(np.zeros((2, 0, model.n)), np.zeros(model.n))
    assert energy.kinetic.shape == (2, 0)
    assert energy.total.shape == (2, 0)


def test_what_is_wrong_is_named(model):
    n, zero = model.n, np.zeros(model.n)
    with pytest.raises(sp.ShapeError, match=rf"q has shape \(2, 3\), model 'host' needs \({n},\)"):
        model.mass_matrix(np.zeros((2, 3)))
    with pytest.raises(sp.ShapeError, match=r"leading axes do not go together: q has \(2,\), v has \(3,\)"):
        model.energy(np.zeros((2, n)), np.zeros((3, n)))
    bad = np.zeros((2, 2, n))
    bad[1, 0, 0] = np.nan
    with pytest.raises(sp.StateError, match=r"row \(1, 0\): q\[0\] .* is nan"):
        model.inverse_dynamics(bad, zero, zero)
    with pytest.raises(sp.StateError, match=r"^q\[0\] .* is nan"):
        model.inverse_dynamics(bad[1, 0], zero, zero)
    with pytest.raises(sp.StateError, match="t is 'now'"):
        model.energy(zero, zero, t="now")
    with pytest.raises(sp.ShapeError, match=r"must be .* real numbers"):
        model.mass_matrix("q")
    with pytest.raises(sp.ShapeError, match="contact: rows have results of different shapes"):
        stacked([np.zeros(2), np.zeros(3)], (2,), "contact")


def test_signatures_and_documentation_are_those_of_the_functions():
    for name in FUNCTIONS:
        function = getattr(Model, name)
        assert function.__doc__
        assert next(iter(inspect.signature(function).parameters)) == "model"
    model = soft_arm()
    q = np.zeros(model.n)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'v'"):
        model.energy(q)
    assert model.contact_names == ()


def test_rows_that_take_long_go_to_threads(monkeypatch):
    model, threads = four_bar()[0], set()
    plain = module.stacked
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "LONG_ROW", 0.0)
    monkeypatch.setattr(module, "worker_count", lambda threads, rows: 3)
    terms = module._row

    def row(rows, i):
        threads.add(threading.get_ident())
        return terms(rows, i)

    monkeypatch.setattr(module, "_row", row)
    q = 0.1 * np.random.default_rng(0).standard_normal((300, model.n))
    many = model.forward_dynamics(q, np.zeros(model.n))
    assert len(threads) > 1
    assert plain is module.stacked
    assert np.array_equal(many.a[217], model.forward_dynamics(q[217], np.zeros(model.n)).a)
    assert np.asarray(many.multipliers).shape == (300, model.nc)
    assert many.multipliers["pin"].shape == (300, 6)
