"""Where stations of a link are: segments, offsets, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import supple as sp

MATERIAL = sp.Material(young=1e5, density=1000.0)
HERE = 0, sp.pose((0.0, 0.0, 0.7))


@pytest.fixture(scope="module")
def layouts():
    robot = sp.Robot("arm")
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=1), points=3), sp.Revolute("y"))
    robot.add_link("hand", sp.Rigid.cylinder(0.2, 0.02, density=100.0), parent=("rod", 0.4))
    return {layout.name: layout for layout in robot.compile().layouts}


def test_stations_of_a_rod(layouts):
    rod = layouts["rod"]
    assert rod.stations == tuple(rod.rod.s.tolist())
    assert rod.place(0.0, HERE) == HERE
    assert rod.place(rod.stations[2], HERE)[0] == rod.segments[1]
    assert rod.place(0.4, HERE)[0] == rod.between[0.4]
    assert rod.place(1.0, HERE)[0] == rod.segments[-1]
    assert not rod.refuses(0.123)


def test_stations_of_a_rigid_link(layouts):
    hand = layouts["hand"]
    assert hand.rod is None
    assert hand.stations == (0.0,)
    segment, tip = hand.place(1.0, HERE)
    assert segment == hand.segments[0]
    assert_array_equal(tip, sp.pose((0.2, 0.0, 0.0)))
    assert_array_equal(hand.place(0.0, HERE)[1], np.eye(4))
    assert_array_equal(hand.tip, tip)
    assert hand.refuses(0.5)
    assert (hand.noun, hand.ends) == ("rigid", "0 is its body frame, 1 its tip")


def test_coordinates_are_the_joints_and_the_bodys(layouts):
    assert layouts["rod"].joint_coordinates == range(1)
    assert layouts["rod"].body_coordinates == range(1, 3)
    assert len(layouts["hand"].coordinates) == 0
