"""Discretisation errors fall with the number of points at the order of the Magnus step."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple as sp
from helpers import hat, relative_error, vee

MATERIAL = sp.Material(young=1e5, poisson=0.4, density=1000.0, viscosity=20.0)
COMPONENTS = ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")
LINEAR = sp.Legendre(**dict.fromkeys(COMPONENTS, 1))
CONSTANT = sp.Legendre(**dict.fromkeys(COMPONENTS, 0))
LENGTH = 0.8


def whole(points, magnus, basis=LINEAR):
    robot = sp.Robot("whole")
    rod = sp.Rod(LENGTH, sp.Circle((0.06, 0.03)), MATERIAL, basis, points=points, magnus=magnus)
    robot.add_link("rod", rod, joint=sp.Revolute("y"))
    return robot.compile()


def halves(points, magnus, basis=LINEAR):
    """The same rod cut at its middle, each half with as many points."""
    robot = sp.Robot("halves")
    for name, radius, parent, joint in (
        ("first", (0.06, 0.045), "world", sp.Revolute("y")),
        ("second", (0.045, 0.03), "first", sp.Fixed()),
    ):
        rod = sp.Rod(LENGTH / 2, sp.Circle(radius), MATERIAL, basis, points=points, magnus=magnus)
        robot.add_link(name, rod, joint=joint, parent=parent)
    return robot.compile()


def embedding(orders):
    """q of the halves from q of the whole: the same strain field, exactly.

    P_1(2 s - 1) is P_1/2 -+ 1/2 on either half; angles are curvature times length, and half as much on half a rod.
    """
    blocks = []
    for offset in (-0.5, 0.5):
        field = np.array([[1.0, offset], [0.0, 0.5]]) if orders == 2 else np.eye(1)
        blocks.append([(0.5 if component < 3 else 1.0) * field for component in range(6)])
    E = np.zeros((1 + 12 * orders, 1 + 6 * orders))
    E[0, 0] = 1.0
    for half, fields in enumerate(blocks):
        for component, field in enumerate(fields):
            row, column = 1 + 6 * orders * half + orders * component, 1 + orders * component
            E[row : row + orders, column : column + orders] = field
    return E


def state(n, seed=4):
    rng = np.random.default_rng(seed)
    q, v, a = rng.standard_normal((3, n))
    return 0.8 * q, v, a


def difference(points, magnus):
    """How far ID, its Jacobians and M of the whole are from those of the halves, in the coordinates of the whole."""
    E = embedding(2)
    q, v, a = state(E.shape[1])
    one = whole(points, magnus).inverse_dynamics_derivatives(q, v, a)
    two = halves(points, magnus).inverse_dynamics_derivatives(E @ q, E @ v, E @ a)
    return np.array(
        [relative_error(one.force, E.T @ two.force)]
        + [relative_error(x, E.T @ y @ E) for x, y in zip(one[1:], two[1:], strict=True)]
    )


@pytest.mark.parametrize(("magnus", "coarse"), [(2, 16), (4, 12)])
def test_a_rod_cut_in_two_is_the_same_rod(magnus, coarse):
    """Linear strains, carried exactly by both halves: what remains falls like points^-order."""
    errors = np.array([difference(coarse * 2**k, magnus) for k in range(3)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all(errors[-1] < errors[0] / 8.0)
    assert orders[-1] == pytest.approx(np.full(4, magnus), abs=0.35)


def test_a_rod_of_constant_strain_cut_in_two():
    """Magnus steps of constant strain are exact, Gauss sums of smooth functions converge beyond any order."""
    E = embedding(1)
    q, v, a = state(E.shape[1])
    one = whole(10, 4, CONSTANT).inverse_dynamics_derivatives(q, v, a)
    two = halves(10, 4, CONSTANT).inverse_dynamics_derivatives(E @ q, E @ v, E @ a)
    assert relative_error(one.force, E.T @ two.force) < 1e-12
    for x, y in zip(one[1:], two[1:], strict=True):
        assert relative_error(x, E.T @ y @ E) < 1e-12


def test_stiffness_and_damping_of_a_rod_cut_in_two():
    """Polynomials along the rod: Gauss sums are exact on the whole and on the halves."""
    E = embedding(2)
    one, two = whole(4, 4), halves(4, 4)
    assert relative_error(E.T @ two.stiffness @ E, one.stiffness) < 1e-13
    assert relative_error(E.T @ two.damping @ E, one.damping) < 1e-13


def integrated_pose(strain, s):
    """g' = L g hat(xi(s)) by an ODE solver."""

    def rate(x, y):
        return (LENGTH * y.reshape(4, 4) @ hat(strain(x))).ravel()

    return solve_ivp(rate, (0.0, s), np.eye(4).ravel(), rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1].reshape(4, 4)


@pytest.mark.parametrize(("magnus", "coarse"), [(2, 8), (4, 6)])
@pytest.mark.parametrize("s", [1.0, 0.613])
def test_poses_converge_to_the_integrated_strain(magnus, coarse, s):
    """Tip and a station between nodes against the differential equation, with a rest strain that varies."""
    basis = sp.Legendre(torsion=2, bend_y=2, bend_z=2, shear_y=1)

    def rest(x):
        return np.array([0.5 * x, np.sin(2 * x), 0.3, 1.0 + 0.1 * x, 0.0, 0.1])

    q = np.random.default_rng(1).standard_normal(11) * np.array([1.0] * 9 + [0.2] * 2)

    def strain(x):
        p = np.array([1.0, 2 * x - 1, 0.5 * (3 * (2 * x - 1) ** 2 - 1)])
        bend = q[:9].reshape(3, 3) @ p / LENGTH
        return rest(x) + np.array([*bend, 0.0, q[9:] @ p[:2], 0.0])

    exact, errors = integrated_pose(strain, s), []
    for points in (coarse, 2 * coarse, 4 * coarse):
        robot = sp.Robot("rod")
        rod = sp.Rod(LENGTH, sp.Circle(0.03), MATERIAL, basis, points=points, magnus=magnus, rest_strain=rest)
        robot.add_link("rod", rod)
        errors.append(relative_error(robot.compile().pose(q, "rod", s), exact))
    order = np.log2(errors[0] / errors[2]) / 2.0
    assert order == pytest.approx(magnus, abs=0.6)
    assert errors[2] < {2: 3e-3, 4: 3e-6}[magnus]


@pytest.mark.parametrize("magnus", [2, 4])
def test_extra_points_refine_the_steps(magnus):
    """Splitting every step in two divides the error of the tip by 2^order."""
    basis = sp.Legendre(torsion=1, bend_y=1, bend_z=1)
    q = np.array([2.0, 1.0, -1.5, 2.0, 1.0, 1.0])

    def tip(extra, points=6):
        robot = sp.Robot("rod")
        rod = sp.Rod(LENGTH, sp.Circle(0.03), MATERIAL, basis, points=points, magnus=magnus, extra_points=extra)
        robot.add_link("rod", rod)
        model = robot.compile()
        return model.pose(q, "rod", 1.0), np.array(model.layouts[0].stations)

    plain, s = tip(())
    split, _ = tip(tuple((s[1:] + s[:-1]) / 2))
    exact, _ = tip((), points=400 if magnus == 2 else 60)
    errors = [np.linalg.norm(vee(np.linalg.solve(exact, g) - np.eye(4))) for g in (plain, split)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(magnus, abs=0.5)
