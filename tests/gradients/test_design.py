"""Designs: values, models, structure, and gradients of the residual by parameters of every kind."""

import pickle
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import EVERYTHING, differences, everything
from supple.errors import DesignError, ModelWarning, ShapeError
from supple.gradients.parameters import residual_sums


def finger(young=1e6, radius=(0.02, 0.01), offset=0.008, points=5, mode="soft", extra=0.0):
    if mode == "fail":
        raise RuntimeError("no such finger")
    if mode == "nothing":
        return None
    rubber = sp.Material(young=young if mode != "nan" else np.nan, poisson=0.45, density=1100.0)
    robot = sp.Robot("finger", gravity=(0.0, 0.0, -9.81))
    strain = sp.Legendre(bend_y=2)
    robot.add_link("finger", sp.Rod(0.2, sp.Circle(radius), rubber, strain, points=int(points + (extra > 0.0))))
    robot.add(sp.Tendon("pull", {"finger": lambda X: (0.0, offset)}))
    return robot


@pytest.fixture(scope="module")
def complete():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        design = sp.Design(lambda **p: everything(**p), **EVERYTHING)
        return design, design.model()


def test_gradients_by_parameters_of_every_kind_are_those_of_rebuilt_models(complete):
    design, model = complete
    rng = np.random.default_rng(4)
    q, v, a = 0.2 * rng.standard_normal(model.n), *(0.4 * rng.standard_normal((2, model.n)))
    y, u, t = rng.standard_normal(model.n), rng.uniform(0.2, 1.0, model.nu), 0.7
    sums = residual_sums(model, q, v, a, y, u, None, t)
    found = sums.by_parameter() + model.design.laws.pulled_back(t, sums.signals)
    expected = differences(design, lambda other: y @ other.residual(q, v, a, u, t=t))
    scale = np.abs(design.pack(design.values)) + 1e-3
    size = np.abs(found * scale).max()
    for label, one, other, s in zip(design.labels, found, expected, scale, strict=True):
        assert abs(one - other) * s < 1e-8 * size + 1e-7 * abs(other) * s, (label, one, other)
        assert one != 0.0, label


def test_what_a_design_tells_of_itself():
    design = sp.Design(finger, young=1e6, radius=(0.02, 0.01))
    assert design.names == ("young", "radius")
    assert design.labels == ("young", "radius[0]", "radius[1]")
    assert design.size == 3
    assert design.values["young"] == 1e6
    assert np.array_equal(design.values["radius"], (0.02, 0.01))
    assert repr(design) == "<Design finger: young, radius (3 numbers)>"
    design.bounds = {"young": (1e5, 1e8)}
    design.scale = {"young": "log"}
    assert design.bounds == {"young": (1e5, 1e8)}
    assert design.scale == {"young": "log"}
    assert design.robot(young=2e6).name == "finger"


def test_models_of_a_design_are_those_that_compile_makes():
    design = sp.Design(finger, young=1e6, offset=0.008)
    design.model()
    for changes in ({}, {"young": 3e5}, {"offset": 0.004, "young": 2e6}):
        model, other = design.model(**changes), finger(**changes).compile()
        assert model.digest.parts == other.digest.parts
        assert model.design.values == design.values | changes


def test_slopes_are_made_once_and_only_when_asked_for():
    calls = []

    def counted(young=1e6):
        calls.append(young)
        return finger(young)

    model = sp.Design(counted, young=1e6).model()
    assert len(calls) == 1
    assert model.design.slopes is model.design.slopes
    assert len(calls) == 3


def test_packing_and_unpacking_are_inverse():
    design = sp.Design(finger, young=1e6, radius=(0.02, 0.01))
    numbers = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(design.pack(design.unpack(numbers)), numbers)
    assert np.array_equal(design.pack({"radius": (1.0, 2.0)}), [0.0, 1.0, 2.0])
    assert isinstance(design.unpack(numbers)["young"], float)


def test_a_model_keeps_its_design_when_it_is_pickled():
    model = sp.Design(finger, young=1e6).model()
    twin = pickle.loads(pickle.dumps(model))
    assert twin.design.values == {"young": 1e6}
    assert np.array_equal(twin.stiffness, model.stiffness)


def test_what_changes_the_structure_is_refused_by_name():
    design = sp.Design(finger, young=1e6, points=5.0)
    design.model()
    with pytest.raises(DesignError, match=r"parameter 'points' changes the (tree|number)"):
        design.model(points=6.0)
    model = sp.Design(finger, extra=0.0).model()
    with pytest.raises(DesignError, match="parameter 'extra' changes"):
        _ = model.design.slopes


def test_a_parameter_that_changes_nothing_is_told():
    def build(young=1e6, idle=1.0):
        return finger(young)

    with pytest.warns(ModelWarning, match="'idle' changes nothing"):
        _ = sp.Design(build, young=1e6, idle=1.0).model().design.slopes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.Design(3.0, young=1.0), "build is 3.0, must be a function"),
        (lambda: sp.Design(finger), "needs parameters"),
        (lambda: sp.Design(finger, thickness=1.0), "does not fit the parameters thickness"),
        (lambda: sp.Design(finger, young="soft"), "parameter 'young' is 'soft'"),
        (lambda: sp.Design(finger, young=np.nan), "parameter 'young' is nan, must be finite"),
        (lambda: sp.Design(finger, radius=()), "parameter 'radius' has no entries"),
        (lambda: sp.Design(finger, young=1e6).model(radius=1.0), "no parameter 'radius'; parameters are: young"),
        (lambda: sp.Design(lambda young: finger(young, mode="fail"), young=1.0).model(), "no such finger"),
        (lambda: sp.Design(lambda young: finger(young, mode="nothing"), young=1.0).model(), "must return a Robot"),
        (lambda: sp.Design(lambda young: finger(young, mode="nan"), young=1.0).model(), "young"),
        (lambda: sp.Design(finger, young=-1e6).model(), "young"),
    ],
)
def test_designs_that_cannot_be_are_refused(make, message):
    with pytest.raises(DesignError, match=message):
        make()


def test_wrong_shapes_bounds_and_scales_are_refused():
    design = sp.Design(finger, young=1e6, radius=(0.02, 0.01))
    with pytest.raises(ShapeError, match=r"radius has shape \(3,\), must have \(2,\)"):
        design.model(radius=(1.0, 2.0, 3.0))
    with pytest.raises(DesignError, match="bounds of 'young'"):
        design.bounds = {"young": (3.0, 1.0)}
    with pytest.raises(DesignError, match="there is no parameter 'old'"):
        design.bounds = {"old": (3.0, 1.0)}
    with pytest.raises(DesignError, match='must be "linear" or "log"'):
        design.scale = {"young": "cubic"}
    with pytest.raises(DesignError, match="not positive"):
        sp.Design(finger, extra=-1.0).scale = {"extra": "log"}
    with pytest.raises(DesignError, match="must be a dict"):
        design.pack(3.0)


def test_of_two_first_models_at_once_one_must_fit_the_other():
    """Both threads are past the question whether there is a first model when either makes it."""
    barrier, waited = threading.Barrier(2), threading.local()

    def build(links):
        if not hasattr(waited, "done"):
            waited.done = True
            barrier.wait(60.0)
        robot = sp.Robot("chain")
        for i in range(round(links)):
            robot.add_link(f"l{i}", sp.Rigid(1.0, np.ones(3)), sp.Revolute("z"), f"l{i - 1}" if i else "world")
        return robot

    waited.done = True  # making the design asks for no model
    design = sp.Design(build, links=2.0)

    def made(links):
        try:
            return design.model(links=links)
        except DesignError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(made, (2.0, 3.0)))
    assert sum("must not change the structure" in x for x in found if isinstance(x, str)) == 1
    assert sum(not isinstance(x, str) for x in found) == 1
