import pickle

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from line_robots import OFFSET, branched_robot, check_tangents, momentum_rate, random_motion
from supple.loads.lines.cable import Cable
from supple.loads.spring import Spring

WORLD_POINT = ("world", 0.0, sp.pose((0.2, 0.3, 0.5)))
LAW = {"stiffness": 30.0, "rest_length": 0.1, "damping": 2.0}
PATHS = {
    "two rods": [("a", 0.55), ("b", 0.9, OFFSET)],
    "four links": [("a", 0.55), ("b", 0.9, OFFSET), ("d", 1.0), ("c", 0.0)],
    "world, base, one rod twice": [WORLD_POINT, ("b", 0.9, OFFSET), ("a", 0.0), ("a", 0.3), ("body", 0.0, OFFSET)],
}


@pytest.mark.parametrize("path", PATHS)
def test_tangents_against_differences(path):
    model = branched_robot(Cable("c", PATHS[path], **LAW))
    q, v, a = random_motion(model, 1)
    assert model.lines(q, v)["c"].tension > 0.0
    check_tangents(model, q, v, a, None)


def test_many_cables_share_the_scratch():
    model = branched_robot(*(Cable(f"c{i}", points, **LAW) for i, points in enumerate(PATHS.values())))
    check_tangents(model, *random_motion(model, 2), None)


def test_two_points_are_a_spring():
    ends = PATHS["two rods"]
    cable, spring = branched_robot(Cable("c", ends, **LAW)), branched_robot(Spring("s", *ends, **LAW))
    q, v, a = random_motion(cable, 3)
    assert relative_error(cable.residual(q, v, a), spring.residual(q, v, a)) < 1e-13
    for x, y in zip(cable.residual_derivatives(q, v, a), spring.residual_derivatives(q, v, a), strict=True):
        assert relative_error(x, y) < 1e-13


def test_work_and_length():
    model, bare = branched_robot(Cable("c", PATHS["four links"], **LAW)), branched_robot()
    q, v, a = random_motion(model, 4)
    line = model.lines(q, v)["c"]
    places = [model.pose(q, link, s) @ (offset[0] if offset else np.eye(4)) for link, s, *offset in PATHS["four links"]]
    spans = np.diff([g[:3, 3] for g in places], axis=0)
    assert line.length == pytest.approx(np.linalg.norm(spans, axis=1).sum(), rel=1e-13)
    gradient = difference_jacobian(lambda x: np.array([model.lines(x)["c"].length]), q, 1e-3)[0]
    assert relative_error(line.gradient, gradient) < 1e-8
    assert line.rate == pytest.approx(line.gradient @ v, rel=1e-12)
    assert line.tension == pytest.approx(30.0 * (line.length - 0.1) + 2.0 * line.rate, rel=1e-12)
    force = bare.inverse_dynamics(q, v, a) - model.inverse_dynamics(q, v, a)
    assert relative_error(force, -line.tension * line.gradient) < 1e-11


def test_momentum_of_a_free_robot():
    model = branched_robot(
        Cable("c", PATHS["four links"], stiffness=300.0, damping=2.0, rest_length=0.1), gravity=(0, 0, 0)
    )
    q, v, _ = random_motion(model, 5)
    force = branched_robot(gravity=(0, 0, 0)).inverse_dynamics(q, v, v) - model.inverse_dynamics(q, v, v)
    assert np.abs(force[:6]).max() < 1e-13 * np.abs(force).max()  # no resultant on the free joint
    assert momentum_rate(model, q, v, None) < 1e-11


def slider(**law):
    robot = sp.Robot("slider", gravity=(0, 0, 0))
    robot.add_link("mass", sp.Rigid.sphere(0.1, density=1000.0), sp.Prismatic("x"))
    robot.add(Cable("c", [("world", 0.0), ("mass", 0.0)], **law))
    return robot.compile()


def test_slack_cable_does_nothing():
    model = slider(stiffness=100.0, rest_length=0.5, damping=3.0)
    for x in (0.1, 0.4999):
        D = model.residual_derivatives([x], [2.0], [0.0])
        assert model.residual([x], [2.0], [0.0])[0] == 0.0
        assert D.dq[0, 0] == D.dv[0, 0] == 0.0
    assert model.lines([0.3])["c"].tension == 0.0
    assert model.lines([0.3])["c"].length == pytest.approx(0.3)


@pytest.mark.parametrize("rate", [-0.5, 0.0, 0.5])
def test_tightening_is_smooth(rate):
    width = 0.01
    model = slider(stiffness=100.0, rest_length=0.5, damping=3.0, smoothing=width)
    x = 0.5 + width * np.linspace(-0.5, 1.5, 4001)
    T = np.array([model.lines([xi], [rate])["c"].tension for xi in x])
    slope = np.array([model.residual_derivatives([xi], [rate], [0.0]).dq[0, 0] for xi in x])
    assert (T >= 0.0).all()
    assert np.isfinite(slope).all()
    steepest = 100.0 * 1.6 + 3.0 * abs(rate) * 8.0 / width  # of the ramp: s' < 1.6, s'' < 8 / w
    assert np.abs(np.diff(T)).max() < steepest * (x[1] - x[0]) * 1.01
    if rate >= 0.0:  # else the tension is cut at zero, with a kink
        assert np.abs(np.diff(slope)).max() < 0.01 * np.abs(slope).max()
    beyond = x >= 0.5 + width
    assert T[beyond] == pytest.approx(np.maximum(100.0 * (x[beyond] - 0.5) + 3.0 * rate, 0.0), abs=1e-10)


def test_never_pushes_when_it_slackens_fast():
    model = slider(stiffness=100.0, rest_length=0.5, damping=30.0)
    assert model.residual([0.6], [-5.0], [0.0])[0] == 0.0
    assert model.residual_derivatives([0.6], [-5.0], [0.0]).dv[0, 0] == 0.0


def test_tangents_inside_the_ramp():
    points = PATHS["four links"]
    q, v, a = random_motion(branched_robot(), 6, 0.3)
    length = branched_robot(Cable("c", points, 1.0, 0.0)).lines(q)["c"].length
    model = branched_robot(Cable("c", points, 300.0, rest_length=length - 0.02, damping=0.1, smoothing=0.05))
    assert 0.0 < model.lines(q, v)["c"].tension < 6.0
    check_tangents(model, q, v, a, None, 1e-6)


def test_default_rest_length_is_that_of_the_rest_configuration():
    model = branched_robot(Cable("c", PATHS["four links"], stiffness=10.0))
    law = model.loads[0].data.elastic[0]
    assert law[1] == pytest.approx(model.lines(model.rest)["c"].length, rel=1e-12)
    assert model.lines(model.rest)["c"].tension == pytest.approx(0.0, abs=1e-10)


def test_coincident_points_do_no_harm():
    model = branched_robot(Cable("c", [("a", 0.5), ("a", 0.5), ("b", 1.0)], 30.0, 0.1))
    check_tangents(model, *random_motion(model, 7), None)


def test_pickled_model_computes_the_same():
    model = branched_robot(Cable("c", PATHS["four links"], **LAW))
    q, v, a = random_motion(model, 8)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.residual(q, v, a) == model.residual(q, v, a)).all()


@pytest.mark.parametrize(
    ("points", "law", "message"),
    [
        ([("a", 0.5)], {}, "two or more"),
        ("ab", {}, "two or more"),
        ([("a", 0.5), ("nowhere", 0.5)], {}, "no link 'nowhere'"),
        ([("a", 0.5), ("b", 1.5)], {}, "between 0 and 1"),
        ([("a", 0.5), ("b",)], {}, r"points\[1\]"),
        ([WORLD_POINT, WORLD_POINT], {}, "on the world"),
        (PATHS["two rods"], {"stiffness": 0.0}, "stiffness is 0 N/m"),
        (PATHS["two rods"], {"stiffness": np.nan}, "stiffness"),
        (PATHS["two rods"], {"rest_length": -1.0}, "rest_length is -1 m"),
        (PATHS["two rods"], {"damping": -1.0}, "damping is -1 N s/m"),
        (PATHS["two rods"], {"smoothing": -1.0}, "smoothing is -1 m"),
    ],
)
def test_bad_cables_are_named(points, law, message):
    with pytest.raises(sp.ModelError, match=message) as error:
        branched_robot(Cable("stay", points, **{"stiffness": 1.0, **law}))
    assert "Cable 'stay'" in str(error.value)


def test_names_of_lines_differ():
    with pytest.raises(sp.ModelError, match="Cable 'c': there is a Cable 'c' already"):
        branched_robot(*[Cable("c", PATHS["two rods"], 1.0)] * 2)
