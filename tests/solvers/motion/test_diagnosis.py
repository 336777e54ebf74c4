"""Why a run failed, in words: every code has a reason that names the coordinate, and errors of users come through."""

from types import SimpleNamespace

import numpy as np
import pytest

from motions import pendulum
from supple.errors import StateError
from supple.solvers.integrators.run import FAILURE, STEP, TOO_SMALL
from supple.solvers.motion.diagnosis import REASONS, explain
from supple.solvers.problem import WORST
from supple.solvers.stage.status import NEGATIVE_TENSION, NO_PIVOT, NOT_FINITE, PYTHON_RAISED, SLOW


def standing(worst, states=0):
    """As much of an integrator as is looked at."""
    reals, flags = np.zeros(40), np.zeros(20, dtype=np.int64)
    reals[STEP], flags[WORST] = 2.5e-7, worst
    problem = SimpleNamespace(flags=flags, inputs=np.array([-3.0]), z=np.zeros(states))
    return SimpleNamespace(reals=reals, problem=problem)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (TOO_SMALL, "the step fell to 2.5e-07 s; the error is largest in rod.rotation"),
        (FAILURE + SLOW, "Newton's method does not converge, worst in rod.rotation"),
        (FAILURE + NOT_FINITE, "no longer finite, worst in rod.rotation"),
        (FAILURE + NO_PIVOT, "singular at rod.rotation"),
    ],
)
def test_reasons_name_the_coordinate(code, words):
    model = pendulum(drive=True)
    name = model.coordinate_names[0]
    reason, error = explain(model, standing(0), code, None)
    assert words.replace("rod.rotation", name) in reason
    assert error is None
    assert "the loops" in explain(model, standing(7), code, None)[0]
    assert "states of loads and controllers" in explain(model, standing(7, 2), code, None)[0]
    assert code in REASONS


def test_a_negative_tension_names_its_input():
    reason, error = explain(pendulum(drive=True), standing(0), FAILURE + NEGATIVE_TENSION, None)
    assert "is -3 N: a tendon pulls and cannot push" in reason
    assert error is None


def test_errors_of_users_come_through():
    mine = ValueError("no such sensor")
    assert explain(pendulum(), standing(0), FAILURE + PYTHON_RAISED, mine) == (
        "a function of yours failed: no such sensor",
        mine,
    )
    with pytest.raises(KeyboardInterrupt):
        explain(pendulum(), standing(0), FAILURE + PYTHON_RAISED, KeyboardInterrupt())


def test_a_load_that_knows_why_is_asked_first():
    class Guard:
        def explain(self):
            raise StateError("Spring 'a': its ends meet")

    loads = (SimpleNamespace(guard=None), SimpleNamespace(guard=Guard()))
    model = SimpleNamespace(n=1, coordinate_names=("x",), input_names=(), loads=loads)
    reason, error = explain(model, standing(0), FAILURE + NOT_FINITE, None)
    assert reason == "Spring 'a': its ends meet"
    assert isinstance(error, StateError)
