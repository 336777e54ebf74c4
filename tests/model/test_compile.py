"""From a description to arrays: order of coordinates, what a rod keeps, errors that name the link."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error

MATERIAL = sp.Material(young=1e5, density=1000.0)


def test_coordinates_run_link_by_link_joint_first_component_by_component():
    robot = sp.Robot("order")
    rod = sp.Rod(0.5, sp.Circle(0.03), MATERIAL, sp.Legendre(stretch=0, bend_y=1, torsion=0), points=2)
    robot.add_link("child", rod, joint=sp.Universal("x", "y"), parent="late")
    robot.add_link("late", sp.Rigid(1.0, np.ones(3)), joint=sp.Prismatic("x"))
    assert robot.compile().coordinate_names == (
        "child.rotation_1",
        "child.rotation_2",
        "child.torsion_0",
        "child.bend_y_0",
        "child.bend_y_1",
        "child.stretch_0",
        "late.translation",
    )


def test_each_coordinate_moves_its_own_strain():
    """A unit angle turns the tip by one radian about its axis; a unit strain moves it by the rod's length."""
    robot = sp.Robot("rod")
    names = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.03), MATERIAL, sp.Legendre(**dict.fromkeys(names, 0)), points=3))
    J = robot.compile().jacobian(np.zeros(6), "rod", 1.0)
    assert relative_error(J[:3], np.eye(3, 6)) < 1e-14
    assert relative_error(J[3:, 3:], 0.5 * np.eye(3)) < 1e-14


def test_a_robot_needs_a_coordinate():
    robot = sp.Robot("statue")
    robot.add_link("stone", sp.Rigid(1.0, np.ones(3)))
    with pytest.raises(sp.ModelError, match=r"robot 'statue' has no coordinates: .*give a link a joint"):
        robot.compile()


def test_errors_found_while_tabulating_name_the_link():
    """A radius that is positive where it was looked at first, but not at every node."""
    robot = sp.Robot("bad")
    section = sp.Circle(lambda s: 0.02 if s < 0.9 else -0.01)
    robot.add_link("arm", sp.Rod(0.5, section, MATERIAL, sp.Legendre(bend_y=1), points=8))
    with pytest.raises(sp.ModelError, match=r"link 'arm': .*radius at s = 0\.9\d is -0\.01 m, must be positive"):
        robot.compile()


def test_compiling_twice_gives_equal_models():
    robot = sp.Robot("twice")
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.03), MATERIAL, sp.Hat(bend_y=2), points=3), joint=sp.Free())
    one, two = robot.compile(), robot.compile()
    q = np.linspace(-1.0, 1.0, one.n)
    assert one is not two
    assert np.array_equal(one.inverse_dynamics(q, q, q), two.inverse_dynamics(q, q, q))


def test_a_robot_may_grow_after_compiling():
    """The model is a snapshot."""
    robot = sp.Robot("growing")
    robot.add_link("a", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("x"))
    before = robot.compile()
    robot.add_link("b", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("y"), parent="a")
    assert (before.n, robot.compile().n) == (1, 2)


def test_gravity_and_arrays_of_the_description_are_copied():
    gravity, inertia = np.array([0.0, 0.0, -9.81]), np.diag([1.0, 2.0, 2.5])
    robot = sp.Robot("copied", gravity=gravity)
    robot.add_link("a", sp.Rigid(1.0, inertia, com=(0.1, 0.2, 0.3)), joint=sp.Revolute("x"))
    model = robot.compile()
    before = model.inverse_dynamics([0.3], [1.0], [1.0])
    gravity[:], inertia[:] = 0.0, 0.0
    assert np.array_equal(model.inverse_dynamics([0.3], [1.0], [1.0]), before)
    assert np.array_equal(robot.compile().inverse_dynamics([0.3], [1.0], [1.0]), before)
