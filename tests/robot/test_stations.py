"""Stations of links: numbers s, and material points of soft bodies."""

import pickle

import numpy as np
import pytest

import supple as sp
from soft_robots import MATERIAL, soft_cone, waving
from supple.errors import ModelError
from supple.fingerprint import fingerprint
from supple.robot.stations import MaterialPoint, as_station
from supple.tracing.program import evaluate

X = (0.1, 0.02, -0.01)


def on_cone(*loads):
    robot = sp.Robot("cone")
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Free())
    robot.add_link("cone", soft_cone(0), parent="base")
    for load in loads:
        robot.add(load)
    return robot


def test_material_points_are_told_apart():
    a = as_station(X, "s")
    assert isinstance(a, MaterialPoint)
    assert a == as_station(np.array(X), "s")
    assert hash(a) == hash(MaterialPoint(*X))
    assert a not in (0.5, MaterialPoint(0.1, 0.02, 0.01))
    assert str(a) == "(0.1, 0.02, -0.01)"
    assert np.isnan(np.array([a, 0.5])[0])  # whoever takes it for a number is found out
    assert pickle.loads(pickle.dumps(a)) == a
    assert sorted([a, 1.0, 0.0]) == [0.0, 1.0, a]
    assert fingerprint(a).digest != fingerprint(MaterialPoint(0.1, 0.02, 0.01)).digest
    assert as_station(0.3, "s") == 0.3
    with pytest.raises(ModelError, match="s"):
        as_station((0.1, np.nan, 0.0), "s")


def test_a_frame_at_a_material_point_is_where_the_point_is():
    robot = on_cone()
    robot.add_frame("skin", ("cone", X))
    model = robot.compile()
    q = 0.3 * np.random.default_rng(0).standard_normal(model.n)
    place = evaluate(soft_cone(0).place, np.array([X]), q[6:])[0]
    base = model.pose(q, "cone", 0.0)
    np.testing.assert_allclose(model.pose(q, "cone", X)[:3, 3], base[:3, :3] @ place + base[:3, 3], rtol=1e-12)
    np.testing.assert_allclose(model.poses(q, [("cone", X)])[0], model.pose(q, "skin"), rtol=1e-12)
    h, J = 1e-6, model.jacobian(q, "cone", X)
    R = model.pose(q, "cone", X)[:3, :3]
    for i, e in enumerate(np.eye(model.n)):
        step = model.tip(q + h * e, "cone", X) - model.tip(q - h * e, "cone", X)
        np.testing.assert_allclose(R @ J[3:, i], step / (2 * h), atol=1e-8)


def test_loads_at_material_points():
    """Springs, wrenches, cables, contacts, laws and loops, all at once, against differences."""
    other = (0.2, -0.01, 0.01)
    model = on_cone(
        sp.PointWrench("cone", (0.01, 0.02, -0.01, 0.5, -0.3, 0.2), s=X, name="dead"),
        sp.PointWrench("cone", (0.01, 0.02, -0.01, 0.5, -0.3, 0.2), s=other, frame="local", name="follower"),
        sp.Spring("spring", ("cone", X), ("base", 0.0), stiffness=20.0, rest_length=0.1, damping=0.3),
        sp.Cable("cable", [("world", 0.0), ("cone", X), ("cone", other)], stiffness=20.0, rest_length=0.1, damping=0.3),
        sp.Contact("floor", sp.Ball(0.2, link="cone", s=other), sp.Plane(), stiffness=100.0, friction=0.3, damping=0.1),
        sp.Thruster("jet", "cone", X, axes=np.eye(6)[:, [1, 3]]),
        sp.Loop("pin", a=("cone", sp.pose(), X), b="world", joint=sp.Translational()),
    ).compile()
    rng = np.random.default_rng(1)
    q, v, a = 0.2 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, rng.standard_normal(model.nu))
    assert report.worst.error < 1e-7, str(report)


def test_links_hang_at_material_points():
    robot = on_cone()
    robot.add_link("finger", sp.Rigid.box((0.05, 0.02, 0.02), density=900.0), sp.Revolute("x"), parent=("cone", X))
    model = robot.compile()
    rng = np.random.default_rng(2)
    q, v, a = 0.2 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.zeros(0))
    assert report.worst.error < 1e-8, str(report)


def test_a_force_at_a_material_point_does_the_work_of_its_jacobian():
    force = np.array([0.0, 0.0, 0.0, 0.5, -0.3, 0.2])
    loaded, bare = on_cone(sp.PointWrench("cone", force, s=X)).compile(), on_cone().compile()
    q, v = 0.3 * np.random.default_rng(3).standard_normal((2, loaded.n))
    pushed = bare.inverse_dynamics(q, v, v) - loaded.inverse_dynamics(q, v, v)
    J, R = loaded.jacobian(q, "cone", X), loaded.pose(q, "cone", X)[:3, :3]
    np.testing.assert_allclose(pushed, J[3:].T @ R.T @ force[3:], rtol=1e-9, atol=1e-12)


def test_bodies_without_an_axis_have_material_points():
    rng = np.random.default_rng(0)
    cloud = sp.Points(rng.uniform((0.0, -0.03, -0.03), (0.3, 0.03, 0.03), (20, 3)), rng.uniform(1e-6, 3e-5, 20))
    robot = sp.Robot("cloud")
    robot.add_link("cloud", sp.SoftBody(waving(0.3, 0), cloud, MATERIAL, n=3))
    robot.add(sp.Spring("s", ("world", 0.0), ("cloud", X), stiffness=10.0, rest_length=0.05))
    model = robot.compile()
    assert model.check_derivatives(0.1 * np.ones(3), np.zeros(3), np.zeros(3), np.zeros(0)).worst.error < 1e-8


def test_what_has_no_material_points():
    robot = on_cone()
    refused = robot.copy()
    refused.add(sp.PointWrench("base", np.ones(6), s=X))
    with pytest.raises(ModelError, match=r"'base', which is .*: only soft bodies have material points"):
        refused.compile()
    with pytest.raises(ModelError, match=r"s is \(0.1, 0.02, -0.01\), but this soft body has frames at .*add_frame"):
        robot.compile().pose(np.zeros(9), "cone", X)
    robot.add_link("box", sp.Rigid.box((0.1, 0.1, 0.1), density=1.0), parent=("base", X))
    with pytest.raises(ModelError, match=r"link 'box': .*only soft bodies have material points"):
        robot.compile()
