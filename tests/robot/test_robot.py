"""The description of a robot: adding links and items."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import supple as sp
from supple.errors import ModelError
from supple.joints import Fixed, Revolute
from supple.lie.pose import pose
from supple.robot.bodies import Rigid
from supple.robot.robot import Robot

BALL = Rigid.sphere(0.1, density=1000.0)


class Load:
    def stations(self):
        return ()

    def bind(self, model):
        return self


def test_defaults():
    robot = Robot()
    robot.add_link("ball", BALL)
    (link,) = robot.links
    assert (robot.name, link.name, link.parent) == ("robot", "ball", "world")
    assert isinstance(link.joint, Fixed)
    assert link.body is BALL
    assert_array_equal(link.at, np.eye(4))
    assert_array_equal(robot.gravity, [0, 0, -9.81])


def test_links_keep_their_order_and_may_name_a_parent_to_come():
    robot = Robot("r")
    robot.add_link("hand", BALL, parent="arm")
    robot.add_link("arm", BALL, joint=Revolute("y"), at=pose((1, 0, 0)))
    assert [link.name for link in robot.links] == ["hand", "arm"]
    assert robot.links[1].at[0, 3] == 1.0


def test_items_keep_their_order():
    robot, first, second = Robot(), Load(), Load()
    robot.add(first)
    robot.add(second)
    assert robot.items == (first, second)


def test_a_refused_link_is_not_added():
    robot = Robot()
    with pytest.raises(ModelError):
        robot.add_link("a", BALL, at=np.zeros((4, 4)))
    assert robot.links == ()


def test_repr_is_one_line():
    robot = Robot("r")
    assert repr(robot) == "<Robot 'r': 0 links, 0 coordinates>"
    robot.add_link("a", BALL, joint=Revolute())
    assert repr(robot) == "<Robot 'r': 1 link, 1 coordinate>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "world"}, "link name 'world' is reserved"),
        ({"name": " "}, "link name is ' ', must not be empty"),
        ({"name": 3}, "link name is 3, must be a string"),
        ({"name": "first"}, "link 'first': a link of this name was added before"),
        ({"body": 3}, r"link 'a': body is 3 \(int\), must be a Rod or a Rigid"),
        ({"joint": "revolute"}, r"link 'a': joint is 'revolute' \(str\), must be a joint such as Fixed\(\)"),
        ({"joint": Revolute}, r"link 'a': joint is a class, must be an instance: write Revolute\(\.\.\.\)"),
        ({"parent": None}, r"link 'a': parent is None \(NoneType\), must be the name of a link or 'world'"),
        ({"at": (1, 0, 0)}, r"link 'a': at has shape \(3,\), must have shape \(4, 4\)"),
    ],
)
def test_add_link_refuses(arguments, message):
    robot = Robot()
    robot.add_link("first", BALL)
    with pytest.raises(ModelError, match=message):
        robot.add_link(**({"name": "a", "body": BALL} | arguments))


@pytest.mark.parametrize("gravity", [(0, 0), (0, 0, np.nan), "down"])
def test_gravity_is_checked(gravity):
    with pytest.raises(ModelError, match="robot 'r': gravity"):
        Robot("r", gravity=gravity)


@pytest.mark.parametrize(
    ("item", "kind"),
    [(3, "an object of type int"), (BALL, "an object of type Rigid"), (Load, "the class Load")],
)
def test_only_things_that_bind_can_be_added(item, kind):
    with pytest.raises(ModelError, match=f"robot 'r': cannot add {kind}, must be a load"):
        Robot("r").add(item)


# ---------------------------------------------------------------------- names of robots and loads


@pytest.mark.parametrize("name", [None, 3, "", "  ", b"x", ["a"]])
def test_names_of_robots_and_loads_are_strings(name):
    with pytest.raises(ModelError, match="Robot: name is"):
        Robot(name)
    robot = Robot("r")
    for item in (sp.Tendon(name, {"arm": (0.0, 0.0)}), sp.PointWrench("arm", np.zeros(6), name=name)):
        with pytest.raises(ModelError, match=rf"{type(item).__name__}: name is .*, must"):
            robot.add(item)


def two_of_one_name():
    """Pairs of loads that may not be together."""
    route, ends = {"arm": (0.0, 0.01)}, (("world", 0.0), ("arm", 1.0))
    frames = ("arm", sp.pose()), ("world", sp.pose())
    touch = sp.Spheres("arm", 3), sp.Plane(), 1.0
    return [
        (sp.Tendon("a", route), sp.Chamber("a", route, 1e-4)),
        (sp.Cable("a", ends, 1.0), sp.Cable("a", ends, 2.0)),
        (sp.Spring("a", *ends, 1.0), sp.Spring("a", *ends, 1.0)),
        (sp.Loop("a", *frames), sp.Loop("a", *frames)),
        (sp.PointLaw("a", "arm", max), sp.PointLaw("a", "arm", max)),
        (sp.PairLaw("a", *ends, max), sp.PairLaw("a", *ends, max)),
        (sp.Contact("a", *touch), sp.Contact("a", *touch)),
        (sp.PointWrench("arm", np.zeros(6), name="a"), sp.JointDrive("a", "arm")),
    ]


@pytest.mark.parametrize("pair", two_of_one_name(), ids=lambda pair: type(pair[1]).__name__)
def test_two_loads_of_one_name_are_refused_naming_both(pair):
    robot = Robot("r")
    robot.add(pair[0])
    first, second = (type(item).__name__ for item in pair)
    with pytest.raises(ModelError, match=f"^{second} 'a': there is an? {first} 'a' already"):
        robot.add(pair[1])
    assert robot.item_names == ("a",)


def test_loads_without_a_name_are_numbered():
    robot = Robot("r")
    robot.add_link("arm", Rigid.sphere(0.1, density=1e3), Revolute("y"))
    for item in (*[sp.PointWrench("arm", np.ones(6))] * 3, sp.Fluid(), sp.Prescribed("arm", lambda t: (0, 0, 0))):
        robot.add(item)
    assert robot.item_names == ("wrench", "wrench 2", "wrench 3", "fluid", "arm")
    assert [load.name for load in robot.compile().loads] == ["wrench", "wrench 2", "wrench 3", "fluid"]


def test_an_unnamed_load_that_fails_is_found():
    robot = Robot("r")
    robot.add_link("arm", Rigid.sphere(0.1, density=1e3), Revolute("y"))
    robot.add(sp.PointWrench("arm", np.ones(6)))
    robot.add(sp.PointWrench("arm", np.ones(6), frame="body"))
    with pytest.raises(ModelError, match=r"PointWrench 'wrench 2': frame is 'body'"):
        robot.compile()
