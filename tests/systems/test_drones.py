"""Drones: their control is the paper's, and they follow."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from supple.systems import drones
from supple.systems.drones import VelocityControl


@pytest.fixture(scope="module")
def system():
    return drones()


def test_control_is_that_of_the_paper(system):
    """k_P e + k_I z with e = Ad(g^-1 g_d) eta_d - eta, the desired frame unturned."""
    model = system.compile()
    (control,) = model.controllers
    q, v = 0.2 * np.random.default_rng(0).standard_normal((2, model.n))
    z = np.linspace(-1.0, 1.0, 12)
    wanted = {"drone1": np.sin(np.pi * 0.3), "drone2": np.sin(0.5 * np.pi * 0.3)}
    errors = []
    for body, speed in wanted.items():
        g = model.pose(q, body, 0.0)
        desired = np.concatenate([np.zeros(3), g[:3, :3].T @ [0.0, 0.0, speed]])
        errors.append(desired - model.twist(q, v, body, 0.0))
    errors = np.concatenate(errors)
    np.testing.assert_allclose(control.rate(0.3, q, v, z), errors, atol=1e-14)
    np.testing.assert_allclose(control.output(0.3, q, v, z), 20.0 * errors + 2.5 * z, atol=1e-13)


def test_momentum_is_the_impulse_of_both_drones(system):
    """No gravity and no other force: the sum of thrusts, in world axes, is the rate of momentum."""
    model = system.compile()
    run = system.simulate(model, np.linspace(0.0, 1.0, 101))
    thrust = [
        sum(model.pose(q, body, 0.0)[:3, :3] @ u[6 * k + 3 : 6 * k + 6] for k, body in enumerate(("drone1", "drone2")))
        for q, u in zip(run.q, run.u, strict=True)
    ]
    impulse = np.trapezoid(thrust, run.t, axis=0)
    np.testing.assert_allclose(run.momentum()[-1, 3:] - run.momentum()[0, 3:], impulse, atol=2e-3)
    assert np.abs(impulse[2]) > 1.0


def test_drones_follow_their_velocities(system):
    run = system.simulate(t=np.linspace(0.0, 2.0, 41))
    speed = np.gradient(run.tip("drone1", 0.0)[:, 2], run.t)
    wanted = np.sin(np.pi * run.t)
    assert np.corrcoef(speed, wanted)[0, 1] > 0.9


def test_controllers_of_two_threads_do_not_mix_their_states():
    """What a state's errors are is kept from one call to the next, and given to nobody who asks at another state."""
    barrier = threading.Barrier(2)

    class Slow(VelocityControl):
        """Both threads have kept theirs before either returns."""

        @property
        def _known(self):
            return self.__dict__["kept"]

        @_known.setter
        def _known(self, value):
            first = "kept" not in self.__dict__
            self.__dict__["kept"] = value
            if not first:
                barrier.wait(30.0)

        def _error(self, t, q, v, body):
            return q

    control, states = Slow(None, {"drone": None}, np.ones(6), np.ones(6)), np.arange(12.0).reshape(2, 6)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda q: control.rate(0.0, q, q, np.zeros(0)), states))
    assert np.array_equal(found, states)
