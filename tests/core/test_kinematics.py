"""Poses, Jacobians, their rates and twists of all points and of stations between them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import oracle
import supple as sp
from helpers import (
    ROBOTS,
    body_twist,
    case,
    central_difference,
    difference_jacobian,
    hat,
    make_case,
    relative_error,
    size,
)

SEEDS = range(ROBOTS)


def stations(model, rng):
    """Some stations of every link: ends, a node, and one between nodes."""
    for name, layout in zip(model.link_names, model.layouts, strict=True):
        chosen = [0.0, 1.0]
        if layout.rod is not None:
            chosen += [float(rng.choice(layout.stations)), float(rng.uniform())]
        yield from ((name, s) for s in chosen)


@pytest.mark.parametrize("seed", SEEDS)
def test_stations_at_points_equal_points(seed):
    """`pose` at a computational point is that row of `points`; both are rigid motions."""
    _, model, q, _, _ = case(seed)
    poses = model.points(q)
    assert poses.shape == (len(model.point_table), 4, 4)
    for (name, s), g in zip(model.point_table, poses, strict=True):
        assert relative_error(model.pose(q, name, s), g) < 1e-14
        assert relative_error(g[:3, :3].T @ g[:3, :3], np.eye(3)) < 1e-13
        assert np.array_equal(g[3], [0, 0, 0, 1])


@pytest.mark.parametrize("seed", range(30))
def test_points_are_the_papers(seed):
    """(2a) from the oracle for every segment's end, and its Jacobian (28a)."""
    _, model, q, v, a = case(seed)
    reference = oracle.inverse_dynamics(model, q, v, a)
    for name, layout in zip(model.link_names, model.layouts, strict=True):
        s = layout.stations if layout.rod is None else layout.stations[1:]
        for station, segment in zip(s, layout.segments, strict=True):
            assert relative_error(model.pose(q, name, station), reference.g[segment - 1]) < 1e-13
            assert relative_error(model.jacobian(q, name, station), reference.J[segment - 1], 1.0) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_against_differences_of_the_pose(seed):
    """Column j of the body Jacobian is (g^-1 dg/dq_j)^vee."""
    _, model, q, _, _ = case(seed)
    for name, s in stations(model, np.random.default_rng(seed)):
        g, J = model.pose(q, name, s), model.jacobian(q, name, s)
        slopes = difference_jacobian(lambda x, name=name, s=s: model.pose(x, name, s), q)
        columns = [body_twist(g, slopes[..., j]) for j in range(model.n)]
        assert relative_error(J, np.stack(columns, axis=1), floor=1.0) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_rate_against_differences_of_the_jacobian(seed):
    """The true time derivative: dJ/dt along v, not merely a matrix whose product with v is right."""
    _, model, q, v, _ = case(seed)
    for name, s in stations(model, np.random.default_rng(seed)):
        rate = central_difference(lambda t, name=name, s=s: model.jacobian(q + t * v, name, s))
        assert relative_error(model.jacobian_rate(q, v, name, s), rate, floor=1.0) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_twist_is_jacobian_times_rates(seed):
    _, model, q, v, _ = case(seed)
    for name, s in stations(model, np.random.default_rng(seed)):
        twist = model.twist(q, v, name, s)
        assert relative_error(twist, model.jacobian(q, name, s) @ v, floor=1.0) < 1e-13
        g = model.pose(q, name, s)
        motion = central_difference(lambda t, name=name, s=s: model.pose(q + t * v, name, s))
        assert relative_error(twist, body_twist(g, motion), floor=1.0) < 1e-9


def test_a_station_has_all_of_them():
    _, model, q, v, _ = case(3)
    for name, s in stations(model, np.random.default_rng(3)):
        station = model.station(q, v, name, s)
        np.testing.assert_array_equal(station.pose, model.pose(q, name, s))
        np.testing.assert_array_equal(station.twist, model.twist(q, v, name, s))
        np.testing.assert_array_equal(station.jacobian, model.jacobian(q, name, s))
        np.testing.assert_array_equal(station.jacobian_rate, model.jacobian_rate(q, v, name, s))
        np.testing.assert_array_equal(model.station(q, None, name, s).twist, np.zeros(6))


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_blind_to_links_beyond(seed):
    """Only coordinates on the way from the world move a station."""
    robot, model, q, v, _ = case(seed)
    parents = {link.name: link.parent for link in robot.links}
    for name in model.link_names:
        moving, link = np.zeros(model.n, dtype=bool), name
        while link != "world":
            own = model.layouts[model.link_names.index(link)].coordinates
            moving[own.start : own.stop] = True
            link = parents[link]
        assert not model.jacobian(q, name, 1.0)[:, ~moving].any()
        assert not model.jacobian_rate(q, v, name, 1.0)[:, ~moving].any()


@pytest.mark.parametrize("seed", range(60))
def test_an_extra_point_sits_where_the_pose_says(seed):
    """Between points one Magnus step from the point before: the very step an extra point there makes."""
    robot, model, q, _, _ = make_case(seed, links=1, rods=1.0)
    link = robot.links[0]
    rng = np.random.default_rng(seed)
    before = model.layouts[0].stations
    s = float(rng.uniform(0.05, 0.95))
    split = sp.Robot("split", gravity=robot.gravity)
    extra = (*link.body.extra_points, s)
    split.add_link(link.name, replace(link.body, extra_points=extra), joint=link.joint, at=link.at)
    other = split.compile()
    assert len(other.point_table) == len(before) + 1
    assert relative_error(other.pose(q, link.name, s), model.pose(q, link.name, s)) < 1e-11
    assert relative_error(other.jacobian(q, link.name, s), model.jacobian(q, link.name, s), 1.0) < 1e-10


def test_rigid_links_have_two_stations():
    """s = 0 is the frame after the joint, s = 1 the tip, where children attach."""
    tip = sp.pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    at, hook = sp.pose((1, 2, 3), (0.1, 0.2, 0.3)), sp.pose((0, 0, 0.5), (0.3, 0, 0))
    robot = sp.Robot("hook")
    robot.add_link("arm", sp.Rigid(1.0, np.ones(3), tip=tip), joint=sp.Free(), at=at)
    robot.add_link("hook", sp.Rigid(1.0, np.ones(3)), parent="arm", at=hook)
    model = robot.compile()
    q = np.array([0.3, -0.2, 0.5, 0.1, 0.2, 0.3])
    body = at @ expm(hat(q))
    assert relative_error(model.pose(q, "arm", 0.0), body) < 1e-14
    assert relative_error(model.pose(q, "arm", 1.0), body @ tip) < 1e-14
    assert relative_error(model.pose(q, "arm"), body @ tip) < 1e-14
    assert relative_error(model.points(q)[1], body @ tip @ hook) < 1e-14
    assert model.point_table == (("arm", 0.0), ("hook", 0.0))


def test_children_of_rods_hang_on_the_tip():
    material = sp.Material(young=1e5, density=1000.0)
    rod = sp.Rod(0.4, sp.Circle(0.02), material, sp.Legendre(bend_y=1, torsion=0), points=3)
    at = sp.pose((0.1, 0, 0), (0.5, 0, 0))
    robot = sp.Robot("pair")
    robot.add_link("first", rod)
    robot.add_link("second", rod, parent="first", at=at)
    model = robot.compile()
    q = np.array([0.4, 1.0, -0.5, 0.3, 0.2, 0.1])
    assert relative_error(model.pose(q, "second", 0.0), model.pose(q, "first", 1.0) @ at) < 1e-14


JOINT_MOTIONS = {
    "fixed": (sp.Fixed(), [], []),
    "revolute": (sp.Revolute("y"), [0.7], [[0, 0.7, 0, 0, 0, 0]]),
    "prismatic": (sp.Prismatic((0, 3, 4)), [0.5], [[0, 0, 0, 0, 0.3, 0.4]]),
    "helical": (sp.Helical("z", 0.2), [1.5], [[0, 0, 1.5, 0, 0, 0.3]]),
    "cylindrical": (sp.Cylindrical("-x"), [0.4, 0.3], [[-0.4, 0, 0, -0.3, 0, 0]]),
    "universal": (sp.Universal("x", "z"), [0.4, 0.6], [[0.4, 0, 0, 0, 0, 0], [0, 0, 0.6, 0, 0, 0]]),
    "planar": (sp.Planar("z"), [0.5, 0.2, 0.3], [[0, 0, 0.5, 0.2, 0.3, 0]]),
    "translational": (sp.Translational(), [0.1, 0.2, 0.3], [[0, 0, 0, 0.1, 0.2, 0.3]]),
    "spherical": (sp.Spherical(), [0.1, -4.0, 0.3], [[0.1, -4.0, 0.3, 0, 0, 0]]),
    "free": (sp.Free(), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]),
}


@pytest.mark.parametrize("name", JOINT_MOTIONS)
def test_joints_move_by_exponentials_of_their_screws(name):
    """Each joint's screws written out by hand; multi-dof joints are one exponential, the universal one two."""
    joint, q, screws = JOINT_MOTIONS[name]
    robot = sp.Robot("joint")
    robot.add_link("a", sp.Rigid(1.0, np.ones(3)), joint=joint, at=sp.pose((1, 2, 3)))
    robot.add_link("b", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("x"), parent="a")
    expected = sp.pose((1, 2, 3))
    for screw in screws:
        expected = expected @ expm(hat(screw))
    model = robot.compile()
    assert relative_error(model.pose([*q, 0.0], "a", 0.0), expected) < 1e-13
    assert size(model.jacobian([*q, 0.0], "a", 0.0)[:, -1]) == 0.0
