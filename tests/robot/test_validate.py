"""Checks on the whole description."""

import numpy as np
import pytest

import supple as sp
from supple.bases import Legendre
from supple.errors import ModelError
from supple.joints import Fixed, Free, Helical, Prismatic, Revolute, Spherical, Universal
from supple.robot.bodies import Rigid, Rod
from supple.robot.robot import Robot
from supple.robot.validate import validate
from supple.sections import Circle, Material, Section

BALL = Rigid.sphere(0.1, density=1000.0)
NOTHING = Rigid(0.0, np.zeros(3))
RUBBER = Material(1e6, density=1000.0)
ROD = Rod(0.5, Circle(0.01), RUBBER, Legendre(bend_y=2))


def tree(**parents):
    """Robot of balls from child=parent pairs."""
    robot = Robot("r")
    for name, parent in parents.items():
        robot.add_link(name, BALL, parent=parent)
    return robot


def single(body, joint, *, child=None):
    robot = Robot("r")
    robot.add_link("arm", body, joint=joint)
    if child is not None:
        robot.add_link("hand", child, parent="arm")
    return robot


@pytest.mark.parametrize(
    ("parents", "order"),
    [
        ({"a": "world", "b": "a", "c": "world", "d": "a"}, (0, 1, 2, 3)),
        ({"c": "b", "b": "a", "a": "world"}, (2, 1, 0)),
        ({"a": "world", "c": "b", "d": "a", "b": "a"}, (0, 3, 1, 2)),
    ],
)
def test_parents_come_first_otherwise_order_of_addition(parents, order):
    assert validate(tree(**parents)) == order


def test_a_robot_needs_a_link():
    with pytest.raises(ModelError, match="robot 'r' has no links: add one with"):
        validate(Robot("r"))


def test_an_unknown_parent_is_refused_with_a_suggestion():
    message = r"link 'hand': parent 'forarm' is unknown, did you mean 'forearm'\? Known: 'forearm', 'hand', 'world'"
    with pytest.raises(ModelError, match=message):
        validate(tree(forearm="world", hand="forarm"))
    with pytest.raises(ModelError, match=r"parent 'qqq' is unknown\. Known: 'hand', 'world'"):
        validate(tree(hand="qqq"))


@pytest.mark.parametrize(
    ("parents", "cycle"),
    [
        ({"a": "a"}, "link 'a': its parents form a cycle, a -> a;"),
        ({"x": "world", "t": "a", "a": "b", "b": "c", "c": "a"}, "link 'a': .* a -> b -> c -> a;"),
    ],
)
def test_cycles_are_shown(parents, cycle):
    with pytest.raises(ModelError, match=cycle):
        validate(tree(**parents))


MASSLESS = r"link 'arm': its {} joint moves no inertia \(mass {} kg"
POINT_MASS = Rigid(1.0, np.zeros(3))


@pytest.mark.parametrize(
    ("body", "joint", "mass"),
    [
        (NOTHING, Revolute(), 0),
        (POINT_MASS, Revolute(), 1),
        (POINT_MASS, Free(), 1),
        # The centre of mass lies on the axis: no inertia about it, but rounding leaves 1e-16.
        (Rigid(1.0, np.zeros(3), com=(1, 2, 3)), Revolute((1, 2, 3)), 1),
        (Rigid(1.0, np.zeros(3), com=(0.1, 0.7, -0.3)), Spherical(), 1),
        (Rigid(1.0, np.zeros(3), com=(1, 0, 0)), Universal("x", "y"), 1),
    ],
)
def test_a_joint_must_move_inertia(body, joint, mass):
    with pytest.raises(ModelError, match=MASSLESS.format(type(joint).__name__, mass)):
        validate(single(body, joint))
    with pytest.raises(ModelError, match="link 'arm'"):
        validate(single(body, joint, child=NOTHING))


@pytest.mark.parametrize(
    ("body", "joint", "child"),
    [
        (NOTHING, Fixed(), None),
        (NOTHING, Revolute(), BALL),
        (NOTHING, Revolute(), ROD),
        (POINT_MASS, Prismatic("x"), None),
        (POINT_MASS, Helical("x", 0.1), None),
        (Rigid(1.0, np.zeros(3), com=(1, 0, 0)), Universal("y", "z"), None),
        (Rigid(1e-6, np.full(3, 1e-16)), Free(), None),
        (BALL, Free(), None),
        (ROD, Free(), None),
    ],
)
def test_joints_that_move_inertia_pass(body, joint, child):
    assert validate(single(body, joint, child=child))[0] == 0


def test_inertia_two_links_further_out_counts():
    robot = single(NOTHING, Revolute(), child=NOTHING)
    robot.add_link("tool", BALL, parent="hand")
    assert validate(robot) == (0, 1, 2)


def test_a_section_that_shrinks_to_nothing_names_the_link():
    body = Rod(0.5, Circle((0.01, -0.02)), RUBBER, Legendre(bend_y=2))
    with pytest.raises(ModelError, match=r"link 'arm': radius at s = 0\.50 is -0\.005 m, must be positive"):
        validate(single(body, Fixed()))


def test_a_free_strain_needs_stiffness():
    section = Section.from_stiffness(EA=1, EI_y=1, EI_z=1, GJ=1, mass_per_length=1)
    assert validate(single(Rod(1.0, section, strain=Legendre(bend_y=1)), Fixed())) == (0,)
    body = Rod(1.0, section, strain=Legendre(bend_y=1, shear_z=0))
    with pytest.raises(
        ModelError, match=r"link 'arm': shear_z is free, but the section has no stiffness .*shear_z=None"
    ):
        validate(single(body, Fixed()))


def test_a_rod_needs_mass_all_along():
    section = Section(np.ones(6), lambda s: np.ones(6) * (s < 0.6))
    with pytest.raises(ModelError, match=r"link 'arm': inertia at s = 0\.75 has no mass"):
        validate(single(Rod(1.0, section, strain=Legendre(bend_y=1)), Fixed()))


def test_products_that_overflow_name_the_link():
    stiff = sp.Material(young=1e308, density=1000.0)
    robot = sp.Robot("r")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(1e5), stiff, sp.Legendre(bend_y=1), points=3))
    with pytest.raises(sp.ModelError, match="link 'arm': its stiffness is beyond float64"), np.errstate(all="ignore"):
        robot.compile()
