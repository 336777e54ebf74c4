"""Accelerations under constraints and of loads that feel them; efforts of prescribed joints."""

from dataclasses import dataclass

import numpy as np
import pytest

import supple as sp
from carts import FORCE, HELD, carts, flat, jumping, saturating, saturating_tangent
from helpers import difference_jacobian, relative_error
from load_laws import Waving
from supple.checks import Array
from supple.joints.movable import MovableJoint
from supple.model.accelerations import joint_efforts


@pytest.mark.parametrize("held", HELD)
def test_laws_that_are_not_linear_in_the_acceleration(held):
    """m a + 2 tanh a = F, whatever else is constrained."""
    model = carts(*HELD[held])
    q, v, t = np.zeros(2), np.zeros(2), 0.3
    found = model.forward_dynamics(q, v, t=t)
    lam = np.asarray(found.multipliers)
    R = model.residual(q, v, found.a, None, lam, t)
    assert np.abs(R[model.free_coordinates]).max() < 1e-12
    mass = model.mass_matrix(q)[1, 1]
    assert mass * found.a[1] + 2.0 * np.tanh(found.a[1]) == pytest.approx(FORCE, rel=1e-12)
    if held == "prescribed":
        assert found.a[0] == pytest.approx(Waving(1)(t)[2][0])
        assert found.efforts[0] == pytest.approx(R[0], rel=1e-12)
    if held == "loop":
        assert found.a[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("held", HELD)
def test_derivatives_are_those_at_the_accelerations_found(held):
    """da/dq and da/dv against differences of the whole."""
    model, rng = carts(*HELD[held]), np.random.default_rng(1)
    q, v = 0.1 * rng.standard_normal((2, 2))
    if held != "free":
        q[0] = v[0] = 0.0
    found = model.forward_dynamics_derivatives(q, v, t=0.3)
    by_v = difference_jacobian(lambda x: model.forward_dynamics(q, x, t=0.3).a, v, 1e-3)
    by_q = difference_jacobian(lambda x: model.forward_dynamics(x, v, t=0.3).a, q, 1e-3)
    free = model.free_coordinates
    assert np.abs((found.dv - by_v)[np.ix_(free, free)]).max() < 1e-8
    assert np.abs((found.dq - by_q)[np.ix_(free, free)]).max() < 1e-8


@pytest.mark.parametrize("held", HELD)
def test_no_acceleration_is_told(held):
    model = carts(*HELD[held], law=jumping, tangent=flat)
    with pytest.raises(sp.ConvergenceError, match=r"a load feels them too strongly, or jumps.*check_derivatives"):
        model.forward_dynamics(np.zeros(2), np.zeros(2))


def fading(t, g, eta, etadot, xi):
    """Not defined for large accelerations."""
    if abs(etadot[3]) > 1e3:
        raise ValueError("too fast")
    return np.array([0.0, 0.0, 0.0, -0.1 * etadot[3], 0.0, 0.0])


@pytest.mark.filterwarnings("ignore:.*no tangent:supple.errors.ModelWarning")
def test_errors_of_laws_are_those_of_laws():
    model = carts(sp.PointWrench("y", [0, 0, 0, 1e9, 0, 0], name="push"), law=fading, tangent=None)
    with pytest.raises(sp.StateError, match="ValueError: too fast"):
        model.forward_dynamics(np.zeros(2), np.zeros(2))


def test_a_robot_at_rest_stays_at_rest():
    """Forces cancel to rounding: nothing is left for Newton's method to do."""
    robot = sp.Robot("hanging")
    material = sp.Material(1e5, poisson=0.4, density=1000.0)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=3, bend_z=3), points=6))
    robot.add(sp.PointLaw("felt", "arm", saturating, tangent=saturating_tangent, uses=("acceleration",)))
    model = robot.compile()
    balanced = model.statics()
    a = model.forward_dynamics(balanced.q, np.zeros(model.n)).a
    assert np.abs(a).max() < 1e-6


@dataclass(frozen=True, eq=False)
class Shoulder(MovableJoint):
    """A slide, then a ball: two factors, of which the second does not commute."""

    def factors(self) -> tuple[Array, ...]:
        return np.eye(6)[:, 3:4], np.eye(6)[:, :3]

    @property
    def labels(self) -> tuple[str, ...]:
        return ("x", "wx", "wy", "wz")


@pytest.mark.parametrize("joint", [Shoulder(), sp.Universal("x", "y"), sp.Free(), sp.Cylindrical("z")])
def test_efforts_are_the_inputs_of_a_drive_that_makes_the_same_motion(joint):
    """Joints of one and of two factors."""
    body, rng = sp.Rigid(1.0, [0.1, 0.2, 0.3], com=(0.1, 0.2, 0.05)), np.random.default_rng(3)
    models = []
    for load in (sp.Prescribed("body", Waving(joint.dof)), sp.JointDrive("motor", "body")):
        robot = sp.Robot("one")
        robot.add_link("body", body, joint=joint)
        robot.add(load)
        models.append(robot.compile())
    given, driven = models
    t, q, v = 0.4, *Waving(joint.dof)(0.4)[:2]
    q = q + rng.standard_normal(joint.dof)
    found = given.forward_dynamics(q, v, t=t)
    assert relative_error(driven.forward_dynamics(q, v, found.efforts).a, found.a) < 1e-10
    assert np.array_equal(joint_efforts(given, q, given.residual(q, v, found.a, t=t)).shape, (joint.dof,))


def test_loops_in_a_singular_configuration_are_refused():
    """Both bars of a linkage on one line: the rows of the loop depend on each other, to rounding."""
    robot = sp.Robot("stretched")
    bar = sp.Rigid(0.1, np.full(3, 1e-3), com=(0.15, 0.0, 0.0))
    robot.add_link("first", bar, sp.Revolute("z"))
    robot.add_link("second", bar, sp.Revolute("z"), parent="first", at=sp.pose((0.3, 0.0, 0.0)))
    place = 0.6 * np.cos(0.5), 0.6 * np.sin(0.5), 0.0
    ends = ("second", sp.pose((0.3, 0.0, 0.0))), ("world", sp.pose(place))
    robot.add(sp.Loop("end", *ends, sp.Revolute("z")))
    model = robot.compile()
    with pytest.raises(sp.SingularError, match="rows depend on each other"):
        model.forward_dynamics(np.array([0.5, 0.0]), np.zeros(2))


def test_states_of_other_types_compile_nothing():
    """Numba tells the types of arguments apart: those that it has no code for go the long way, through checks."""
    from supple.core import forward_dynamics as kernels

    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rigid(1.0, np.ones(3), com=(0.2, 0.0, 0.0)), sp.Universal("x", "y"))
    robot.add(sp.JointDrive("motor", "arm"))
    model = robot.compile()
    q, v, u = np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([0.5, 0.25])
    expected, slopes = model.forward_dynamics(q, v, u).a, model.forward_dynamics_derivatives(q, v, u)
    frozen, spaced = q.copy(), np.repeat(q, 2)[::2]
    frozen.setflags(write=False)
    for other in ([1.0, 2.0], (1, 2), q.astype(int), q.astype(np.float32), frozen, spaced):
        assert np.array_equal(model.forward_dynamics(other, v, u).a, expected)
        assert np.array_equal(model.forward_dynamics_derivatives(other, v, u).dq, slopes.dq)
    for short in (q[:1], np.zeros(3), np.zeros((2, 3))):
        with pytest.raises(sp.ShapeError):
            model.forward_dynamics(short, v, u)
        with pytest.raises(sp.ShapeError):
            model.forward_dynamics_derivatives(q, v, short)
    for kernel in (kernels.forward_dynamics, model.workspace.derivative_calls.kernel):
        assert len(kernel.signatures) == 1
