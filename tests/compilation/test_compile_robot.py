"""From a description to arrays: order of coordinates, what a rod keeps, errors that name the link."""

import pickle
import warnings

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.bases.protocol import Functions

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


class Counted(sp.Legendre):  # type: ignore[misc]
    """Legendre polynomials that count how often they are evaluated."""

    calls = 0

    def functions(self, order):
        inner = super().functions(order)

        def evaluate(s):
            Counted.calls += 1
            return inner.evaluate(s)

        return Functions(inner.count, evaluate, inner.min_points, broadcasts=True)


@pytest.mark.parametrize("points", [6, 60])
def test_functions_are_evaluated_for_all_points_at_once(points):
    robot = sp.Robot("rod")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle((0.03, 0.02)), MATERIAL, Counted(bend_y=4), points=points))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    Counted.calls = 0
    robot.compile()
    assert Counted.calls == 3  # Magnus steps, stiffness, strains under the tendon


def test_a_model_describes_the_robot_as_it_was_compiled():
    """The table is made when someone reads it, also of a robot that has grown since, and after pickling."""
    robot = sp.Robot("growing")
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.03), MATERIAL, sp.Legendre(bend_y=1), points=2))
    before, model = str(robot), robot.compile()
    robot.add_link("more", sp.Rigid.sphere(0.1, density=1.0), parent="rod")
    assert "description" not in model.__dict__
    assert str(pickle.loads(pickle.dumps(model))) == before
    assert model.description == before
    assert str(robot) != before


def test_what_is_strange_is_said_once_at_the_users_line():
    """A rest strain with many kinks: one warning for the rod, naming the worst place, at the line that compiles."""
    robot = sp.Robot("kinks")
    rest = lambda s: (0.0, abs(np.sin(20.0 * s)), 0.0, 1.0, 0.0, 0.0)  # noqa: E731
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.03), MATERIAL, sp.Legendre(bend_y=1), 4, rest_strain=rest))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        robot.compile()
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert "rest_strain: not smooth between" in str(seen[0].message)
    assert "more places" in str(seen[0].message)
