"""The linear system at rest against the functions of a model, with and without loops and prescribed joints."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.solvers.statics.rest_system import rest_system
from supple.systems import SYSTEMS


def held_arm():
    """A joint that is held, a soft link on it."""
    robot = sp.Robot("arm")
    robot.add_link("base", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"))
    rod = sp.Rod(0.3, sp.Circle(0.01), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=2), points=5)
    robot.add_link("arm", rod, parent="base")
    robot.add(sp.Prescribed("base", lambda t: (0.3, 0.0, 0.0)))
    return robot.compile().statics()


@pytest.mark.parametrize("rest", [held_arm, lambda: SYSTEMS["parallel-robot"]().compile().statics(t=1.5)])
def test_blocks_are_those_of_the_model(rest):
    rest = rest()
    model, q, zero, free = rest.model, rest.q, np.zeros(rest.model.n), rest.model.free_coordinates
    found, lam = rest_system(rest), np.asarray(rest.multipliers)
    assert relative_error(found.K, model.residual_derivatives(q, zero, zero, rest.u, lam, rest.t).dq) < 1e-14
    assert np.array_equal(found.A, model.loop_jacobian(q))
    assert np.array_equal(found.E, model.loop_error_derivative(q))
    A, E = found.A[:, free], found.E[:, free]
    plain = np.block([[found.K[np.ix_(free, free)], -A.T], [E, np.zeros((model.nc, model.nc))]])
    assert relative_error(found.matrix, found.scale[:, None] * plain * found.scale) < 1e-14
    assert found.norm == pytest.approx(np.abs(found.matrix).sum(axis=1).max(), rel=1e-14)
    assert found.stable


def followed_arm():
    """A driven joint that another follows, a soft link with a tendon behind them."""
    robot = sp.Robot("followed")
    robot.add_link("upper", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y", stiffness=3.0))
    robot.add_link("lower", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"), parent="upper", at=sp.pose((0.2, 0.0, 0.0)))
    rod = sp.Rod(0.3, sp.Circle(0.01), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=2), points=5)
    robot.add_link("arm", rod, parent="lower")
    robot.add(sp.JointDrive("motor", "upper"))
    robot.add(sp.Tendon("tendon", {"arm": lambda X: (0.0, 0.005)}))
    robot.couple("lower", "upper", 0.5)
    return robot.compile().statics([0.3, 2.0])


def driven_arm():
    """A thruster, which pushes on links, and a tendon, which does not."""
    robot = sp.Robot("driven")
    rod = sp.Rod(0.3, sp.Circle(0.01), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=2, stretch=1), points=5)
    robot.add_link("arm", rod, sp.Revolute("y", stiffness=2.0))
    robot.add(sp.Thruster("thruster", "arm", axes=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)))
    robot.add(sp.Tendon("tendon", {"arm": lambda X: (0.0, 0.005)}))
    return robot.compile().statics([0.2, 1.5])


@pytest.mark.parametrize("rest", [driven_arm, followed_arm])
def test_what_inputs_do_is_that_of_the_model(rest):
    rest = rest()
    model, zero = rest.model, np.zeros(rest.model.n)
    expected = -model.input_forces(rest.q, zero, rest.u, rest.t).T
    assert np.abs(expected).max(axis=1).all()
    assert relative_error(rest_system(rest).by_input, expected) < 1e-13


def test_inputs_are_left_out_where_stability_alone_is_asked_for(monkeypatch):
    rest = driven_arm()  # whose thruster has no potential
    whole = rest_system(rest)
    monkeypatch.setattr(type(rest.model.workspace.functions), "input_columns", property(lambda functions: 1 / 0))
    rest.model.workspace._threads.__dict__.pop("rest")
    alone = rest_system(rest, with_inputs=False)
    assert alone.by_input.shape == (0, rest.model.n)
    assert np.array_equal(alone.matrix, whole.matrix)
    assert alone.stable == whole.stable
    assert rest.stable is None  # nothing is damped
