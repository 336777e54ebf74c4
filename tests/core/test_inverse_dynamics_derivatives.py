"""dID/dq, dID/dv, dID/da: the paper's formulas, finite differences, and structure."""

import numpy as np
import pytest

import oracle
import supple as sp
from helpers import ROBOTS, STATES, case, difference_jacobian, make_case, random_coordinates, relative_error, size
from reference_robots import cable_manipulator, floating_tree

SEEDS = range(ROBOTS)


def compare(model, q, v, a, tolerance):
    reference = oracle.inverse_dynamics(model, q, v, a)
    found = model.inverse_dynamics_derivatives(q, v, a)
    assert relative_error(found.force, reference.ID) < tolerance
    assert relative_error(found.dq, reference.dID_dq, floor=size(reference.M)) < tolerance
    assert relative_error(found.dv, reference.dID_dqd, floor=size(reference.M)) < tolerance
    assert relative_error(found.mass, reference.M) < tolerance


@pytest.mark.parametrize("seed", range(40, 100))
def test_they_are_the_papers_formulas(seed):
    """(21)-(34), (39)-(42) in local frames with C19, C20, C24, C29."""
    _, model, q, v, a = case(seed)
    compare(model, q, v, a, 1e-12)


@pytest.mark.parametrize("kind", STATES)
@pytest.mark.parametrize("build", [cable_manipulator, floating_tree])
def test_they_are_the_papers_formulas_on_larger_robots(build, kind):
    robot = build()
    model, rng = robot.compile(), np.random.default_rng(3)
    q = random_coordinates(rng, robot, kind)
    compare(model, q, rng.standard_normal(model.n), rng.standard_normal(model.n), 1e-12)


def test_they_are_the_papers_formulas_on_a_rigid_chain():
    _, model, q, v, a = make_case(7, links=12, rods=0.0, most=60)
    assert model.n > 20
    compare(model, q, v, a, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_finite_differences(seed):
    """Against sixth-order differences of ID in q; ID is quadratic in v and linear in a, so there any step is exact."""
    _, model, q, v, a = case(seed)
    force, dq, dv, mass = model.inverse_dynamics_derivatives(q, v, a)
    assert relative_error(force, model.inverse_dynamics(q, v, a)) < 1e-12
    floor = size(mass)
    assert relative_error(dq, difference_jacobian(lambda x: model.inverse_dynamics(x, v, a), q), floor) < 1e-9
    assert relative_error(dv, difference_jacobian(lambda x: model.inverse_dynamics(q, x, a), v, 1.0), floor) < 1e-12
    assert relative_error(mass, difference_jacobian(lambda x: model.inverse_dynamics(q, v, x), a, 1.0)) < 1e-11


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 1e-2, 1.414, 1.415, 3.0, np.pi, 3.3, 5.0])
@pytest.mark.parametrize("joint", [sp.Spherical, sp.Free, lambda: sp.Planar("y")])
def test_exact_at_every_angle_of_a_joint(joint, angle):
    """No loss at small angles nor on either side of the switch at theta^2 = 2: the oracle works with 60 digits."""
    rng = np.random.default_rng(8)
    robot = sp.Robot("one")
    robot.add_link("a", sp.Rigid(1.0, (0.2, 0.3, 0.4), com=(0.1, 0.2, -0.1)), joint=joint(), at=sp.pose(rpy=(1, 2, 3)))
    model = robot.compile()
    q = rng.standard_normal(model.n)
    rotation = slice(0, 1) if model.n == 3 and joint is not sp.Spherical else slice(0, 3)
    q[rotation] *= angle / np.linalg.norm(q[rotation])
    compare(model, q, rng.standard_normal(model.n), rng.standard_normal(model.n), 1e-13)


@pytest.mark.parametrize("seed", range(0, ROBOTS, 3))
def test_gravity_matrix_is_symmetric_at_rest(seed):
    """At rest ID is the gradient of the gravitational energy, so dID/dq is a Hessian: symmetric."""
    _, model, q, v, _ = case(seed)
    rest = np.zeros(model.n)
    found = model.inverse_dynamics_derivatives(q, rest, rest)
    assert relative_error(found.dq, found.dq.T, floor=size(found.mass)) < 1e-12
    assert size(found.dv) < 1e-12 * size(found.mass)
    assert v.any()


def test_links_on_different_branches_do_not_feel_each_other():
    """Two arms that stand on the world share no entry of any Jacobian."""
    rng = np.random.default_rng(2)
    robot = sp.Robot("pair")
    body = sp.Rigid(1.0, (0.1, 0.1, 0.1), com=(0.2, 0.0, 0.1), tip=sp.pose((0.3, 0, 0)))
    for side in ("left", "right"):
        robot.add_link(side, body, joint=sp.Spherical())
        robot.add_link(f"{side} tip", body, joint=sp.Revolute("y"), parent=side)
    model = robot.compile()
    q, v, a = rng.standard_normal((3, model.n))
    for matrix in model.inverse_dynamics_derivatives(q, v, a)[1:]:
        assert not matrix[:4, 4:].any()
        assert not matrix[4:, :4].any()
        assert matrix[:4, :4].any()
