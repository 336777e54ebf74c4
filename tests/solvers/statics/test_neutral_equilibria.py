"""Equilibria with motions that nothing resists: they are found, and the motions are told."""


import numpy as np
import pytest

import supple as sp
from helpers import size
from resting_robots import BOB, DOWN, closed_frame, one_link


def test_motions_that_nothing_resists_are_no_obstacle():
    """A ball pendulum hangs still at any angle about the vertical; a body afloat rests anywhere."""
    hanging = one_link(BOB, sp.Spherical(), (9.81, 0.0, 0.0))
    found = hanging.statics(q0=[0.1, 0.2, -0.1])
    assert found.converged
    assert found.q == pytest.approx([0.1, 0.0, 0.0], abs=1e-2)
    assert found.residual < 1e-12
    afloat = one_link(BOB, sp.Free(), (0.0, 0.0, 0.0))
    found = afloat.statics(q0=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert found.converged
    assert found.q == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert not found.stable


def cart_and_pole():
    robot = sp.Robot("cart and pole", gravity=DOWN)
    robot.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.05), density=1000.0), joint=sp.Prismatic("x"))
    pole = sp.Rod(0.5, sp.Circle(0.006), sp.Material(1e9, density=1100.0), sp.Legendre(bend_y=3), points=8)
    robot.add_link("pole", pole, parent="cart", at=sp.pose(rpy=(0.0, -np.pi / 2.0, 0.0)))
    return robot.compile()


@pytest.mark.parametrize("globalise", [True, False])
def test_a_cart_rests_anywhere(globalise):
    model = cart_and_pole()
    guess = np.array([0.7, 0.01, 0.0, 0.0, 0.01])
    for q0 in (None, guess):
        found = model.statics(q0=q0, globalise=globalise)
        assert found.converged
        assert found.residual < 1e-12
        assert found.stable is None
        assert "nothing resists cart.translation" in found.message
        assert np.abs(found.free_directions) == pytest.approx(np.eye(model.n)[:, :1], abs=1e-9)
    assert found.q[0] == pytest.approx(0.7, abs=1e-2)


def spinning_leg(slope=0.0):
    """A bar between two ball joints, the lower of which hangs on a spring; it may spin about itself."""
    robot = sp.Robot("leg", gravity=(slope, 0.0, -9.81))
    robot.add_link(
        "leg", sp.Rigid.cylinder(0.4, 0.01, density=2000.0), sp.Spherical(), at=sp.pose(rpy=(0, np.pi / 2, 0))
    )
    robot.add_link("weight", sp.Rigid(0.5, np.ones(3)), sp.Translational(stiffness=50.0), at=sp.pose((0.05, 0.0, -0.4)))
    robot.add(sp.Loop("foot", a=("leg", sp.pose()), b=("weight", sp.pose()), joint=sp.Spherical()))
    return robot.compile()


@pytest.mark.parametrize("globalise", [True, False])
def test_a_leg_in_a_loop_may_spin(globalise):
    model = spinning_leg()
    q0 = model.assemble(np.array([0.3, 0.02, -0.1, 0.0, 0.0, 0.0]))
    found = model.statics(q0=q0, globalise=globalise)
    assert found.converged
    assert found.stable is None
    assert "nothing resists leg.w" in found.message
    assert found.free_directions.shape == (model.n, 1)
    turn, line = model.jacobian(found.q, "leg") @ found.free_directions[:, 0], model.loop_jacobian(found.q)
    assert size(line @ found.free_directions) < 1e-9
    assert size(turn[1:]) < 1e-8 * abs(turn[0])  # about its own axis
    free, zero = model.free_coordinates, np.zeros(model.n)
    forces = model.residual(found.q, zero, zero) - line.T @ np.asarray(found.multipliers)
    assert size(forces[free]) < 1e-9


def test_what_resists_leaves_no_free_direction():
    found = closed_frame().statics(t=1.0)
    assert found.free_directions.shape == (found.model.n, 0)
    assert found.stable
    assert "resists" not in found.message


@pytest.mark.parametrize(("load", "damping", "stable"), [(10.0, 0.0, None), (8.0, 0.05, True), (25.0, 0.0, False)])
def test_stability_under_a_follower_load(load, damping, stable):
    """Beck's column flutters at 20.05 EI / L^2; below, without damping, small motions neither grow nor die away."""
    section = sp.Section(np.ones(6), [1e-6, 1e-6, 1e-6, 1.0, 1.0, 1.0], [damping] * 6)
    rod = sp.Rod(1.0, section, strain=sp.Legendre(bend_y=8), points=20)
    model = one_link(rod, None, (0, 0, 0), sp.PointWrench("link", [0, 0, 0, -load, 0, 0], frame="local"))
    found = model.statics()
    assert found.converged
    assert found.stable is stable
