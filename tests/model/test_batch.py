"""Poses of many states at once are those of one state at a time, bit for bit."""

import numpy as np
import pytest

import supple as sp
from helpers import random_coordinates, random_robot


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(8)
    robot = random_robot(rng, links=4)
    model = robot.compile()
    q = np.array([random_coordinates(rng, robot, "moderate") for _ in range(6)]).reshape(2, 3, -1)
    return model, q


def test_poses_tips_and_points(case):
    model, q = case
    link = model.link_names[0]
    poses, tips, points = model.pose(q, link), model.tip(q, link, 0.0), model.points(q)
    assert poses.shape == (2, 3, 4, 4)
    assert tips.shape == (2, 3, 3)
    assert points.shape == (2, 3, len(model.point_table), 4, 4)
    many = model.poses(q, [(link, 1.0), ("world", 0.0)])
    assert many.shape == (2, 3, 2, 4, 4)
    for i in np.ndindex(2, 3):
        assert np.array_equal(poses[i], model.pose(q[i], link))
        assert np.array_equal(tips[i], model.tip(q[i], link, 0.0))
        assert np.array_equal(points[i], model.points(q[i]))
        assert np.array_equal(many[i], model.poses(q[i], [(link, 1.0), ("world", 0.0)]))


def test_lists_transposed_and_empty_arrays(case):
    model, q = case
    link, rows = model.link_names[0], q[0]
    assert np.array_equal(model.pose(rows.tolist(), link), model.pose(rows, link))
    assert np.array_equal(model.pose(np.asfortranarray(rows), link), model.pose(rows, link))
    assert model.pose(np.zeros((0, model.n)), link).shape == (0, 4, 4)
    assert model.tip(np.zeros((0, model.n)), link).shape == (0, 3)
    assert model.points(np.zeros((2, 0, model.n))).shape == (2, 0, len(model.point_table), 4, 4)
    assert model.tip(rows[0].tolist(), link).shape == (3,)


@pytest.mark.parametrize("bad", [np.zeros((2, 1)), np.zeros((2, 3)) + 1j, [["a", "b"]], [[0.0], [0.0, 1.0]]])
def test_wrong_shapes_are_refused(case, bad):
    model, _ = case
    for function in (lambda q: model.pose(q, model.link_names[0]), model.points):
        with pytest.raises(sp.ShapeError):
            function(bad)


def test_a_state_that_is_not_finite_is_named(case):
    model, q = case
    broken = q.copy()
    broken[1, 2, 0] = np.nan
    with pytest.raises(sp.StateError, match="nan"):
        model.pose(broken, model.link_names[0])
    with pytest.raises(sp.StateError, match="nan"):
        model.points(broken)
