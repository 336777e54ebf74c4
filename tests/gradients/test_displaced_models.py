"""Variations along a direction of parameters by differences of the equations: against a sweep for every row."""

import numpy as np
import pytest

import supple as sp
from gradients.parameter_cases import held_loop, looped, touching, turned
from supple.gradients import displaced_models, motion_directions
from supple.gradients.displaced_models import DisplacedModels, displaced_along, is_smooth, turning
from supple.gradients.equilibrium_parameters import _by_rows


def spinning(density=800.0, young=3e5, place=0.1):
    """Two bodies that turn freely, so that their charts are re-centred; where they hang follows a parameter."""
    robot = sp.Robot("flyer")
    at = sp.pose((place, 0.2 * place, 0.0), (place, 0.0, 0.3))
    robot.add_link("body", sp.Rigid.box((0.1, 0.2, 0.15), density=density), sp.Free(), at=at)
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    tail = sp.Rod(0.2, sp.Circle(0.02), material, sp.Legendre(bend_y=1), points=3)
    robot.add_link("tail", tail, parent="body", at=sp.pose((0.0, place, 0.0)))
    ball = sp.Rigid(0.1, (1e-3, 1e-3, 2e-3))
    robot.add_link("ball", ball, sp.Spherical(), "body", at=sp.pose((0.0, 0.0, place), (0.3, place, 0.0)))
    return robot


def pushed(amplitude=0.3, speed=3.0, water=1000.0, young=3e5):
    """A rod in water under a wrench whose law follows parameters."""
    robot = sp.Robot("pushed")
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=1), points=3))
    robot.add(sp.PointWrench("arm", sp.laws.Sine(amplitude * np.array([0.0, 0.0, 0.0, 0.1, 1.0, 2.0]), speed)))
    robot.add(sp.Fluid(density=water, drag={"arm": np.array([0.01, 0.01, 0.01, 0.1, 1.0, 1.0])}))
    return robot


SMOOTH = {
    "looped": sp.Design(looped, young=3e5, place=0.36, length=0.4, spring=0.01, lift=0.05),
    "held": sp.Design(held_loop, swing=0.2, place=0.36, young=3e5),
    "turned": sp.Design(turned, swing=0.4, speed=5.0, normal=0.3, density=800.0),
    "spinning": sp.Design(spinning, density=800.0, young=3e5, place=0.1),
    "pushed": sp.Design(pushed, amplitude=0.3, speed=3.0, water=1000.0, young=3e5),
}


def recorded(model):
    rng = np.random.default_rng(4)
    v0 = 20.0 * rng.standard_normal(model.n) if model.name == "flyer" else None
    return model.simulate(np.linspace(0.0, 0.2, 5), None, v0, np.full(model.nu, 0.5), sp.BDF2(dt=0.005), record=True)


def direction(design):
    return {name: 0.1 * value for name, value in design.values.items()}


@pytest.mark.parametrize("name", SMOOTH)
def test_motions_along_a_direction(name, monkeypatch):
    """By differences, by rows, and backward: all the same."""
    design = SMOOTH[name]
    motion = recorded(design.model())
    assert is_smooth(motion.model, motion.model.design.slopes)
    if name == "spinning":
        assert motion.stats["recentred"] > 0
    by_differences = motion.jvp(p=direction(design))
    monkeypatch.setattr(motion_directions, "is_smooth", lambda model, slopes: False)
    by_rows = motion.jvp(p=direction(design))
    for part in ("q", "v", "a", "multipliers", "efforts"):
        x, y = np.asarray(getattr(by_differences, part)), np.asarray(getattr(by_rows, part))
        assert np.abs(x - y).max(initial=0.0) <= 1e-8 * np.abs(y).max(initial=0.0), part
    weights = np.random.default_rng(1).standard_normal(motion.q.shape)
    backward = motion.vjp(q=weights).p
    expected = sum(float(np.sum(backward[key] * x)) for key, x in direction(design).items())
    assert abs((weights * by_differences.q).sum() - expected) < 1e-10 * np.abs(weights * by_differences.q).sum()


@pytest.mark.parametrize("name", ["looped", "pushed"])
def test_equilibria_along_a_direction(name):
    design = SMOOTH[name]
    model = design.model()
    rest = model.statics(np.full(model.nu, 0.5), t=0.1)
    change, laws = design.pack(direction(design)), model.design.laws
    signals = laws.of_signals(0.1) @ change if laws.loads else np.zeros(laws.signals)
    models, distance = displaced_along(model, model.design.slopes, change)
    zero = np.zeros(model.n)
    found = models.variations(
        distance, (rest.q, zero, zero), rest.u, np.asarray(rest.multipliers), 0.1, signals if laws.loads else None
    )
    expected = _by_rows(rest, change, signals)
    assert np.abs(found[: len(expected)] - expected).max() < 1e-9 * np.abs(expected).max()


def test_what_bends_is_not_differenced():
    model = sp.Design(touching, stiffness=2e3, friction=0.4, young=3e5).model()
    assert not is_smooth(model, model.design.slopes)
    assert displaced_along(model, model.design.slopes, np.ones(3)) is None


def test_limits_that_move_are_not_differenced():
    def hinge(upper=0.3, mass=0.5):
        robot = sp.Robot("hinge")
        bar = sp.Rigid(mass, np.full(3, 2e-3), com=(0.15, 0.0, 0.0))
        robot.add_link("bar", bar, sp.Revolute("y", limits=(-1.0, upper)))
        return robot

    model = sp.Design(hinge, upper=0.3, mass=0.5).model()
    assert displaced_along(model, model.design.slopes, np.array([1.0, 0.0])) is None
    assert displaced_along(model, model.design.slopes, np.array([0.0, 1.0])) is not None


def test_differences_that_disagree_are_not_trusted(monkeypatch):
    """A displacement so large that the equations bend within it."""
    model = SMOOTH["looped"].model()
    rest = model.statics([0.5])
    monkeypatch.setattr(displaced_models, "RELATIVE", 0.3)
    models, distance = displaced_along(model, model.design.slopes, np.array([0.0, 0.0, 1.0, 0.0, 0.0]))
    state = rest.q, np.zeros(model.n), np.zeros(model.n)
    assert models.variations(distance, state, rest.u, np.asarray(rest.multipliers), 0.0, None) is None


def test_rotations_are_only_turned():
    R = sp.pose((0.0, 0.0, 0.0), (0.3, -0.2, 0.5))[None, :3, :3]
    skew = np.array([[0.0, -0.3, 0.2], [0.3, 0.0, -0.1], [-0.2, 0.1, 0.0]])
    assert np.allclose(turning(R, R @ skew), R @ skew, atol=1e-15)
    assert np.allclose(turning(R, R @ np.eye(3)), 0.0, atol=1e-15)


def test_the_model_itself_is_not_touched():
    model = SMOOTH["looped"].model()
    before = [array.copy() for array in model.parameters]
    DisplacedModels(model).put(model.design.slopes.pushed(np.ones(5)))
    for x, y in zip(model.parameters, before, strict=True):
        assert np.array_equal(x, y)
