"""Slopes that a design makes from what it remembers: the same numbers by fewer robots, and none that do not hold."""

import pickle
import warnings

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import EVERYTHING, everything
from supple.errors import DesignError

COUNT = 16


def series(young, radius, length=0.5):
    """A rod whose radius is a cosine series, with a tendon along its skin."""
    turns = np.pi * np.arange(len(radius))
    robot = sp.Robot("arm")
    rubber = sp.Material(young, density=1000.0, viscosity=1e4)
    strain = sp.Legendre(torsion=1, bend_y=3, stretch=1)
    section = sp.Circle(lambda s: float(radius @ np.cos(turns * s)))
    robot.add_link("arm", sp.Rod(length, section, rubber, strain, points=5))
    robot.add(sp.Tendon("tendon", {"arm": lambda X: (0.0, radius @ np.cos(turns * X / length))}))
    return robot


def chain(masses, lengths):
    """Bars one after the other."""
    robot = sp.Robot("chain")
    for i, (mass, length) in enumerate(zip(masses, lengths, strict=True)):
        place = sp.pose((lengths[i - 1], 0.0, 0.0)) if i else sp.pose()
        bar = sp.Rigid(mass, np.array([1e-6, 1.0, 1.0]) * mass * length**2 / 12.0, com=(0.5 * length, 0.0, 0.0))
        robot.add_link(f"bar{i}", bar, sp.Revolute("y"), parent=f"bar{i - 1}" if i else "world", at=place)
    return robot


def mixed(shape):
    """Every number depends on a product of two combinations, which changes with the place."""
    size = 1.0 + 0.1 * float(np.sin(shape @ np.arange(1.0, len(shape) + 1.0)))
    return series(1e6 * size * (1.0 + float(shape[::2].sum()) ** 2), 0.02 * np.eye(len(shape))[0] + 1e-4 * shape)


def counted(build):
    """The function, and how often it was called."""
    calls = []

    def build_counted(**p):
        calls.append(1)
        return build(**p)

    return build_counted, calls


def dense(slopes):
    found = np.zeros((slopes.size, slopes.count))
    found[slopes.rows, slopes.columns] = slopes.values
    return found


COEFFICIENTS = 0.02 * np.eye(COUNT)[0] + 1e-3 / np.arange(1, COUNT + 1)
CASES = {
    "series": (series, {"young": 1e6, "radius": COEFFICIENTS}),
    "series with a length": (series, {"young": 1e6, "radius": COEFFICIENTS, "length": 0.5}),
    "chain": (chain, {"masses": np.linspace(0.5, 1.5, 8), "lengths": np.linspace(0.2, 0.1, 8)}),
}


def moved(values, seed):
    rng = np.random.default_rng(seed)
    return {name: np.asarray(x) * (1.0 + 0.1 * rng.uniform(-1.0, 1.0, np.shape(x))) for name, x in values.items()}


@pytest.mark.parametrize("name", CASES)
def test_later_models_take_few_robots_and_give_the_slopes_of_all_differences(name):
    build, values = CASES[name]
    build_counted, calls = counted(build)
    design = sp.Design(build_counted, **values)
    _ = design.model().design.slopes
    assert len(calls) >= 2 * design.size
    calls.clear()
    for seed in range(2):
        there = moved(values, seed)
        found = design.model(**there).design.slopes
        expected = dense(sp.Design(build, **there).model().design.slopes)
        sizes = np.linalg.norm(expected * np.abs(design.pack(there)), axis=1)
        off = np.abs(dense(found) - expected) * np.abs(design.pack(there))
        floor = 1e-9 * np.abs(found.values).max() * np.abs(design.pack(there)).max() * np.finfo(float).eps
        assert (off.max(axis=1) <= 1e-7 * sizes + floor).all()
    assert len(calls) <= 2 * 13


def test_what_is_remembered_is_not_used_where_it_does_not_hold():
    build_counted, calls = counted(mixed)
    values = {"shape": np.linspace(0.1, 0.5, COUNT)}
    design = sp.Design(build_counted, **values)
    _ = design.model().design.slopes
    for seed in range(2):
        there = moved(values, seed)
        calls.clear()
        found, expected = design.model(**there).design.slopes, sp.Design(mixed, **there).model().design.slopes
        assert len(calls) > 2 * COUNT
        assert np.array_equal(dense(found), dense(expected))


def test_a_design_that_is_never_helped_stops_trying():
    build_counted, calls = counted(mixed)
    values = {"shape": np.linspace(0.1, 0.5, COUNT)}
    design = sp.Design(build_counted, **values)
    for seed in range(5):
        model = design.model(**moved(values, seed))
        calls.clear()
        _ = model.design.slopes
    assert len(calls) == 2 * COUNT
    assert design.memory.learned is None


def test_gradients_of_motions_and_places_are_those_of_a_new_design():
    build, values = CASES["series"]
    design, t = sp.Design(build, **values), np.linspace(0.0, 0.05, 4)
    weights, gradients = np.random.default_rng(3).standard_normal((len(t), 3)), []
    for there, made in ((values, design), (moved(values, 7), design), (moved(values, 7), sp.Design(build, **values))):
        motion = made.model(**there).simulate(t, u=[2.0], record=True)
        gradients.append(motion.vjp(q=np.ones_like(motion.q), tip={"arm": weights}))
    _, found, expected = gradients
    for name in values:
        scale = np.abs(expected.p[name]).max()
        assert np.abs(np.asarray(found.p[name]) - expected.p[name]).max() < 1e-7 * scale


def test_parameters_of_laws_and_users_are_differenced_by_themselves():
    values = dict(EVERYTHING)
    design = sp.Design(lambda **p: everything(**p), **values)
    there = moved(values, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _ = design.model().design.slopes
        found, other = design.model(**there).design, sp.Design(lambda **p: everything(**p), **there).model().design
        expected = dense(other.slopes)
        sizes = np.linalg.norm(expected * np.abs(design.pack(there)), axis=1)
        off = np.abs(dense(found.slopes) - expected) * np.abs(design.pack(there))
    assert (off.max(axis=1) <= 1e-6 * sizes + 1e-12).all()
    assert found.laws.parameters == other.laws.parameters
    assert {end.parameter for end in found.slopes.loads} == {end.parameter for end in other.slopes.loads}


def test_a_robot_that_cannot_be_built_beside_a_place_is_told_by_its_parameter():
    def build(radius):
        if radius[3] > 0.0200001:
            raise ValueError("too thick")
        return series(1e6, radius)

    design = sp.Design(build, radius=COEFFICIENTS * np.where(np.arange(COUNT) == 3, 0.0, 1.0))
    _ = design.model().design.slopes
    there = COEFFICIENTS.copy()
    there[3] = 0.0200001
    with pytest.raises(DesignError, match="too thick"):
        _ = design.model(radius=there).design.slopes


def test_a_pickled_design_remembers_nothing():
    values = CASES["chain"][1]
    design = sp.Design(chain, **values)
    _ = design.model().design.slopes
    assert design.memory.learned is not None
    assert pickle.loads(pickle.dumps(design)).memory.learned is None
