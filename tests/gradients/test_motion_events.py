"""Events in derivatives of motions: times that move, states that jump."""

import numpy as np
import pytest

import supple as sp
from motion_cases import END, METHODS, check, small, tendon_arm
from supple.errors import StateError


def crossing(t, q, v):
    return q[1] + 0.1 + 0.5 * t


def reflect(t, q, v):
    inputs = np.array([1.0 + q[0] ** 2, 0.08 + 0.01 * v[1]])
    return sp.Switch(q=q + 0.01 * np.sin(v), v=-0.6 * v + 0.1 * q + t, u=inputs)


def swing(method, action, t, **options):
    model = tendon_arm()
    q0, v0 = np.array([-0.1, 0.05, 0.1, -0.1, 0.01]), np.array([8.0, 1.0, -1.0, 2.0, 0.1])
    u = np.array([2.0, 0.07])
    event = sp.Event(crossing, action, direction=-1, name="cross")
    motion = model.simulate(t, q0, v0, u, METHODS[method], events=[event], record=True, **options)
    assert len(motion.stats["events"]["cross"]) >= 1
    return motion, q0, v0, u


@pytest.mark.parametrize("method", METHODS)
def test_event_that_stops(method):
    motion, q0, v0, u = swing(method, "stop", END)
    assert motion.t[-1] < END
    check(motion, q0, v0, u)


@pytest.mark.parametrize("every", [True, False], ids=["every", "wanted"])
@pytest.mark.parametrize("method", METHODS)
def test_event_that_switches(method, every):
    motion, q0, v0, u = swing(method, reflect, END if every else np.linspace(0.0, END, 7))
    assert len(motion.tape.pieces) >= 2
    # the derivative by v0 is small beside the others: over shorter steps, rounding hides it on some processors
    check(motion, q0, v0, u, steps=(1e-4, 2e-5))


def test_an_event_that_is_touched_is_refused():
    model, q0, v0, run = small(events=[sp.Event(lambda t, q, v: (t - 0.023) ** 3, name="graze")])
    with pytest.raises(StateError, match=r"'graze'.*touched"):
        run(q0, v0, None).vjp(q=np.ones((len(run(q0, v0, None).t), model.n)))
