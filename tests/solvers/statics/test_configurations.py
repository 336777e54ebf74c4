"""Configurations: which coordinates are angles, what is one and the same, distances with slopes, random ones."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, random_frames
from supple.solvers.statics.configurations import Configurations

BODY = sp.Rigid(1.0, np.diag([0.01, 0.02, 0.025]), com=(0.2, 0.1, 0.0), tip=sp.pose((0.5, 0.0, 0.0)))


def places_of(robot, q0=None):
    model = robot.compile()
    return Configurations(model, model.rest if q0 is None else np.array(q0), 1.0)


def chain(*joints):
    robot = sp.Robot("chain")
    for i, joint in enumerate(joints):
        robot.add_link(f"link{i}", BODY, joint, parent=f"link{i - 1}" if i else "world")
    return robot


def test_angles_are_told_from_other_coordinates():
    joints = sp.Revolute("y"), sp.Revolute("y", stiffness=1.0), sp.Prismatic("x"), sp.Helical("x", 0.1)
    limited = sp.Revolute("z", limits=(-1.0, 1.0))
    places = places_of(chain(*joints, limited, sp.Cylindrical("x"), sp.Universal("x", "y")))
    assert places.angles.tolist() == [0, 5, 7, 8]
    assert places.counted.tolist() == [False, True, False, False, True, False, False, False, False]


def test_joints_that_others_follow_are_counted():
    robot = chain(sp.Revolute("y"), sp.Revolute("y"), sp.Revolute("y"))
    robot.couple("link2", to="link0", ratio=0.5)
    places = places_of(robot)
    assert places.angles.tolist() == [1]


def test_rods_are_counted():
    robot = chain(sp.Revolute("y"))
    material = sp.Material(1e6, density=1000.0)
    robot.add_link("rod", sp.Rod(0.4, sp.Circle(0.01), material, sp.Legendre(bend_y=1, stretch=0)), parent="link0")
    places = places_of(robot)
    assert places.counted.tolist() == [False, True, True, True]
    assert places.scales.tolist() == [1.0, 1.0, 1.0, 0.1]


def test_turns_and_charts_are_the_same():
    places = places_of(chain(sp.Revolute("y"), sp.Spherical(), sp.Free()))
    rng = np.random.default_rng(0)
    q = rng.normal(size=10)
    q[1:4] *= 2.0 / np.linalg.norm(q[1:4])
    other = q.copy()
    other[0] += 4.0 * np.pi
    other[1:4] *= 1.0 - 2.0 * np.pi / 2.0
    assert places.same(q, other)
    assert places.distances(q[None], other)[0] == pytest.approx([0.0], abs=1e-20)
    assert places.wrapped(other)[:4] == pytest.approx(places.wrapped(q)[:4])
    assert not places.same(q, q + 1e-3)


def test_half_turns_have_two_rotation_vectors():
    places = places_of(chain(sp.Spherical()))
    q = np.pi * np.array([0.6, 0.0, 0.8])
    assert places.same(q, -q)


def test_places_on_a_closed_track_are_the_same():
    rng = np.random.default_rng(3)
    places = places_of(chain(sp.CurveJoint(random_frames(rng, 6), cyclic=True)), [0.2])
    assert places.same(np.array([0.7]), np.array([6.7]))
    assert not places.same(np.array([0.7]), np.array([1.7]))


def test_the_slope_of_the_distance():
    places = places_of(chain(sp.Revolute("y"), sp.Prismatic("x"), sp.Spherical(), sp.Free(), sp.Planar("z")))
    rng = np.random.default_rng(1)
    known, q = 0.7 * rng.normal(size=(3, places.model.n)), 0.7 * rng.normal(size=places.model.n)
    expected = difference_jacobian(lambda x: places.distances(known, x)[0], q)
    assert places.distances(known, q)[1] == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_random_ones_stay_within_limits_and_beside_prescribed_joints():
    limited = sp.Prismatic("x", limits=(-0.1, 0.2))
    robot = chain(limited, sp.Revolute("y"), sp.Spherical(), sp.Revolute("z", stiffness=100.0))
    robot.add(sp.Prescribed("link1", lambda t: (0.4, 0.0, 0.0)))
    model = robot.compile()
    q0 = np.zeros(model.n)
    q0[1] = 0.4
    places = Configurations(model, q0, 1.0)
    rng = np.random.default_rng(2)
    drawn = np.array([places.random(q0, rng) for _ in range(500)])
    assert drawn[:, 0].min() >= -0.1
    assert drawn[:, 0].max() <= 0.2
    assert np.ptp(drawn[:, 0]) > 0.1
    assert (drawn[:, 1] == 0.4).all()
    turns = np.linalg.norm(drawn[:, 2:5], axis=1)
    assert turns.max() < np.pi
    assert turns.mean() == pytest.approx(0.5 * np.pi + 2.0 / np.pi, abs=0.1)  # of rotations drawn evenly
    assert 0.0 < np.abs(drawn[:, 5]).max() < 4.0


def test_the_size_of_a_robot():
    assert places_of(chain(sp.Prismatic("x"), sp.Prismatic("x"))).size == pytest.approx(0.5)
    robot = sp.Robot("point")
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x"))
    assert places_of(robot).size == 1.0
