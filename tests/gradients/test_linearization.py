"""Linear systems about a state: against differences, vibration modes, and what loops and prescribed joints allow."""

import numpy as np
import pytest
from scipy.linalg import expm

import supple as sp
from helpers import difference_jacobian, relative_error
from supple.systems import SYSTEMS

BAR = sp.Rigid(0.4, np.full(3, 2e-3), com=(0.15, 0.0, 0.0))


def swinging_arm():
    """A rod with a tendon on a damped hinge."""
    robot = sp.Robot("arm")
    material = sp.Material(1e6, density=1000.0, viscosity=300.0)
    rod = sp.Rod(0.4, sp.Circle(0.02), material, sp.Legendre(bend_y=2, bend_z=1, stretch=0), points=5)
    robot.add_link("arm", rod, sp.Revolute("y", damping=0.01))
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.01)}))
    return robot.compile()


def four_bar():
    robot = sp.Robot("four-bar", gravity=(0.0, -9.81, 0.0))
    robot.add_link("crank", BAR, sp.Revolute("z", damping=0.02))
    robot.add_link("coupler", BAR, sp.Revolute("z"), parent="crank", at=sp.pose((0.3, 0.0, 0.0)))
    robot.add_link("rocker", BAR, sp.Revolute("z"), at=sp.pose((0.5, 0.0, 0.0)))
    robot.add(sp.JointDrive("motor", "crank"))
    ends = ("coupler", sp.pose((0.3, 0.0, 0.0))), ("rocker", sp.pose((0.3, 0.0, 0.0)))
    robot.add(sp.Loop("pin", *ends, sp.Revolute("z")))
    return robot.compile()


def moving(model, seed=0):
    rng = np.random.default_rng(seed)
    return 0.2 * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.uniform(0.2, 1.0, model.nu)


def test_against_differences_of_the_motion():
    model = swinging_arm()
    q, v, u = moving(model)
    n = model.n

    def rates(x):
        q, v, u = np.split(x, [n, 2 * n])
        return np.concatenate([v, model.forward_dynamics(q, v, u).a])

    found = model.linearize(q, v, u)
    expected = difference_jacobian(rates, np.concatenate([q, v, u]))
    assert relative_error(found.A, expected[:, : 2 * n]) < 1e-8
    assert relative_error(found.B, expected[:, 2 * n :]) < 1e-8


def test_vibrations_are_those_of_modal_analysis():
    model = swinging_arm()
    rest = model.statics([0.3])
    found = model.linearize(rest.q, u=[0.3])
    modes = model.modes(rest)
    frequencies = np.sort(np.abs(found.eigenvalues.imag))
    expected = np.sort(np.abs(modes.eigenvalues.imag))
    assert relative_error(np.unique(np.round(frequencies, 6))[-3:], np.unique(np.round(expected, 6))[-3:]) < 1e-6


def test_a_held_input_is_that_of_the_matrix_exponential():
    model = swinging_arm()
    q, v, u = moving(model)
    system = model.linearize(q, v, u)
    held = system.discrete(1e-3)
    assert relative_error(held.A, expm(1e-3 * system.A)) < 1e-12
    by_sum = sum(expm(1e-3 * (k + 0.5) / 200 * system.A) for k in range(200)) @ system.B * (1e-3 / 200)
    assert relative_error(held.B, by_sum) < 1e-5
    with pytest.raises(sp.ModelError, match="dt"):
        system.discrete(0.0)


def test_a_four_bar_has_one_freedom_and_its_changes_stay_on_the_loop():
    model = four_bar()
    q = model.assemble(np.array([1.2, -0.8, 1.4]))
    rows = model.loop_jacobian(q)
    v = np.linalg.svd(rows)[2][-1] * 2.0
    system = model.linearize(q, v, [0.1])
    small = system.reduced()
    assert small.A.shape == (2, 2)
    assert relative_error(small.projection @ small.basis, np.eye(2)) < 1e-13

    def rate(y):
        """y' on the manifold: the state that y says, brought onto the loop."""
        x = np.concatenate([q, v]) + small.basis @ y
        closed = model.assemble(x[:3])
        A = model.loop_jacobian(closed)
        w = x[3:] - np.linalg.pinv(A) @ (A @ x[3:])
        return small.projection @ np.concatenate([w, model.forward_dynamics(closed, w, [0.1]).a])

    assert relative_error(small.A, difference_jacobian(rate, np.zeros(2), 1e-4)) < 1e-6


def test_prescribed_joints_do_not_change():
    robot = sp.Robot("pushed")
    robot.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Prismatic("x"))
    robot.add_link("pole", BAR, sp.Revolute("y"), parent="cart")
    robot.add(sp.Prescribed("cart", sp.laws.Sine(0.1, 1.0)))
    model = robot.compile()
    system = model.linearize(np.array([0.0, 0.3]), np.array([0.6, 0.1]))
    assert (system.A[[0, 2]] == 0.0).all()
    assert (system.A[:, [0, 2]] == 0.0).all()
    assert system.reduced().A.shape == (2, 2)


def test_further_states_of_loads():
    """A force that lags: z' = -z / T, F = z on a mass of 2 kg along x."""
    robot = sp.Robot("lag", gravity=(0.0, 0.0, 0.0))
    robot.add_link("mass", sp.Rigid(2.0, np.ones(3)), sp.Prismatic("x"))
    law = {"state0": (0.5,), "rate": lambda t, g, eta, etadot, xi, z: -4.0 * z, "uses": ()}
    robot.add(sp.PointLaw("law", "mass", lambda t, g, eta, etadot, xi, z: np.array([0, 0, 0, z[0], 0, 0]), **law))
    model = robot.compile()
    expected = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, -4.0]])
    assert relative_error(model.linearize([0.1], [0.2]).A, expected) < 1e-7


@pytest.mark.parametrize("name", ["cable-manipulator", "parallel-robot"])
def test_gallery_systems_have_as_many_states_as_freedoms(name):
    model = SYSTEMS[name]().compile()
    system = model.linearize(model.assemble())
    small = system.reduced()
    assert small.A.shape[0] == 2 * (model.n - model.nc - len(model.prescribed))
    assert np.isfinite(small.eigenvalues).all()


def test_bad_arguments_are_named():
    model = swinging_arm()
    with pytest.raises(sp.ShapeError, match="q has shape"):
        model.linearize(np.zeros(3))
    with pytest.raises(sp.StateError, match="q"):
        model.linearize(np.full(model.n, np.nan))
