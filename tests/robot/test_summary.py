"""The table printed for a robot."""

import numpy as np

import supple as sp
from supple.bases import Legendre
from supple.joints import Free, Revolute
from supple.robot.bodies import Rigid, Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material


class Load:
    def stations(self):
        return ()

    def bind(self, model):
        return self


def example():
    robot = Robot("cdm")
    rubber = Material(1e6, density=1000.0)
    robot.add_link("base", Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=Free())
    strain = Legendre(bend_y=1, bend_z=2)
    robot.add_link("arm", Rod(0.5, Circle(0.01), rubber, strain, points=3), joint=Revolute(), parent="base")
    return robot


def rows(robot):
    return [line.split() for line in str(robot).splitlines()]


def test_title_counts_links_and_coordinates():
    assert str(example()).splitlines()[0] == "Robot 'cdm': 2 links, 12 coordinates, gravity (0, 0, -9.81) m/s^2"


def test_each_link_has_a_row_with_its_coordinates():
    table = rows(example())
    assert table[1] == ["link", "parent", "joint", "body", "strain", "coordinates"]
    assert table[2] == ["base", "world", "Free", "(6)", "rigid", "0.5", "kg", "-", "[0:6)"]
    expected = "arm base Revolute (1) rod 0.5 m, Circle, 3 points Legendre(bend_y=1, bend_z=2) [6:12)"
    assert table[3] == expected.split()


def test_text_is_plain_and_of_bounded_width():
    robot = example()
    robot.add_link("[red]" + "long" * 40, Rigid.sphere(0.1, density=1.0))
    text = str(robot)
    assert "\x1b" not in text
    assert "[red]" in text
    assert max(len(line) for line in text.splitlines()) <= 110


def test_items_are_listed():
    robot = example()
    robot.add(Load())
    assert str(robot).splitlines()[-1] == "with Load"


def test_loads_are_listed_by_kind_and_name():
    robot = example()
    for name in ("left", "right"):
        robot.add(sp.Spring(name, ("world", 0.0), ("arm", 1.0), stiffness=1.0))
    robot.add(sp.PointWrench("arm", np.zeros(6), name="push"))
    assert str(robot).splitlines()[-1] == "with Spring 'left', 'right'; PointWrench 'push'"


def test_an_empty_robot_is_its_title():
    assert str(Robot("r", gravity=(0, 0, 0))) == "Robot 'r': 0 links, 0 coordinates, gravity (0, 0, 0) m/s^2"
