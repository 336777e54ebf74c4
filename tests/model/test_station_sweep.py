"""Many stations in one sweep are where each of them is alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp

SILICONE = sp.Material(young=1e6, poisson=0.5, density=1000.0)


@pytest.fixture
def model():
    rod = sp.Rod(0.5, sp.Circle(0.02), SILICONE, sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=0), points=4)
    robot = sp.Robot("tree")
    robot.add_link("body", sp.Rigid(1.0, (1, 1, 1), tip=sp.pose((0.1, 0, 0))), joint=sp.Free())
    robot.add_link("arm", rod, joint=sp.Universal("y", "z"), parent="body")
    robot.add_link("hand", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Revolute("x"), parent="arm")
    robot.add_link("tail", rod, parent="body", at=sp.pose((0, 0.1, 0), rpy=(0, 0.5, 0)))
    robot.add(sp.PointWrench("arm", np.ones(6), s=0.3))  # a step of its own in the model
    robot.add(sp.Contact("floor", sp.Spheres("tail", n=5), sp.Plane(height=-3.0), stiffness=1e3))
    return robot.compile()


def test_poses_are_those_of_single_stations(model):
    rng = np.random.default_rng(0)
    stations = [(link, s) for link in ("arm", "tail") for s in (0.0, 0.1, 0.3, 0.5, 0.77, 1.0)]
    stations += [(link, s) for link in ("body", "hand") for s in (0.0, 1.0)]
    stations += [("arm", s) for s in model.layouts[1].stations]
    for q in 0.4 * rng.standard_normal((3, model.n)):
        poses = model.poses(q, stations)
        for pose, (link, s) in zip(poses, stations, strict=True):
            assert_allclose(pose, model.pose(q, link, s), atol=1e-13)


def test_the_world_is_a_station(model):
    assert_allclose(model.poses(np.ones(model.n), [("world", 0.0), ("hand", 1.0)])[0], np.eye(4))


def test_no_stations_no_poses(model):
    assert model.poses(np.zeros(model.n), []).shape == (0, 4, 4)


@pytest.mark.parametrize(
    ("station", "message"),
    [
        (("leg", 0.0), "there is no link 'leg'; links are: body, arm, hand, tail"),
        (("arm", 1.5), "link 'arm': s is 1.5, must lie between 0 and 1"),
        (("hand", 0.5), "link 'hand': s is 0.5, but the link is rigid"),
    ],
)
def test_stations_are_checked(model, station, message):
    with pytest.raises(sp.ModelError, match=message):
        model.poses(np.zeros(model.n), [station])
