"""What drives a robot that is watched live."""

import numpy as np
from numpy.testing import assert_allclose
from studio_robots import make_arm

import supple as sp
from supple.studio.drive import Driver
from supple.studio.modes import Act, move


def test_hands_take_inputs_from_laws_and_give_them_back(arm):
    driver = Driver(arm, [sp.laws.Ramp(0.0, 2.0, t0=0.0, t1=1.0), 0.5])
    still = arm.rest, np.zeros(arm.n)
    assert_allclose(driver.at(0.5, *still), [1.0, 0.5])
    driver.held[1] = 3.0
    assert_allclose(driver.at(0.25, *still), [0.5, 3.0])
    driver.release()
    assert_allclose(driver.at(0.25, *still), [0.5, 0.5])


def test_without_laws_inputs_are_zero(arm):
    driver = Driver(arm)
    assert not driver.moves
    assert_allclose(driver.at(0.0, arm.rest, np.zeros(arm.n)), 0.0)


def test_feedback_sees_the_state(arm):
    driver = Driver(arm, lambda t, q, v: [abs(q[0]), t])
    q = arm.rest + 0.3
    assert_allclose(driver.at(0.2, q, np.zeros(arm.n)), [abs(q[0]), 0.2])


def test_controllers_keep_their_states_and_advance_them():
    robot = make_arm()
    robot.add(sp.Controller([1.0], lambda t, q, v, z: -2.0 * z, lambda t, q, v, z: [z[0], 0.25]))
    act = Act.of(robot.compile(), step=1e-3)
    assert_allclose(act.state.u, [1.0, 0.25])
    assert move(act, 0.1)
    assert_allclose(act.state.u[0], np.exp(-0.2), rtol=1e-3)
    act.reset()
    assert_allclose(act.state.u, [1.0, 0.25])
