"""What is recorded: rows in order, inputs of whatever drove the run from when on, and held ones."""

import numpy as np
import pytest

from motions import pendulum
from supple import laws
from supple.solvers.inputs import Excitation
from supple.solvers.motion.record import Record


@pytest.fixture
def record():
    model = pendulum(drive=True)
    return Record(model, 4 * model.n, 0.0, Excitation(model, laws.Constant(2.0)), ("hit",))


def test_rows_come_out_as_they_came_in(record):
    assert record.last is None
    assert record.rows().shape == (0, record.size)
    record.keep(np.array([0.0, 0.5]), np.arange(8.0).reshape(2, 4))
    record.keep(np.zeros(0), np.zeros((0, 4)))
    record.keep_one(1.0, np.full(4, 9.0))
    assert record.last == 1.0
    assert record.times().tolist() == [0.0, 0.5, 1.0]
    motion = record.trajectory({"steps": 2}, sampled=False)
    assert motion.q[:, 0].tolist() == [0.0, 4.0, 9.0]
    assert motion.v[:, 0].tolist() == [1.0, 5.0, 9.0]
    assert motion.a[:, 0].tolist() == [2.0, 6.0, 9.0]
    assert motion.stats == {"steps": 2}


def test_inputs_are_those_of_whoever_drove_then(record):
    record.excitations.append((0.75, Excitation(record.model, laws.Ramp(1.0, 2.0, 0.0, 1.0))))
    record.keep(np.array([0.0, 0.5, 1.0, 1.5]), np.zeros((4, 4)))
    late = [float(laws.Ramp(1.0, 2.0, 0.0, 1.0)(t)) for t in (1.0, 1.5)]
    assert record.trajectory({}, sampled=False).u[:, 0] == pytest.approx([2.0, 2.0, *late])


def test_sampled_inputs_are_held(record):
    record.excitations[0] = (0.0, Excitation(record.model, lambda t, q, v: [10.0 * q[0]]))
    record.held = [(0.0, np.array([3.0])), (1.0, np.array([4.0]))]
    record.keep(np.array([0.0, 0.9, 1.0, 2.0]), np.zeros((4, 4)))
    assert record.trajectory({}, sampled=True).u[:, 0].tolist() == [3.0, 3.0, 4.0, 4.0]


def test_what_cannot_be_asked_again_after_a_failure_is_unknown(record):
    def failing(t):
        raise RuntimeError("gone")

    record.excitations[0] = (0.0, Excitation(record.model, laws.Constant(1.0)))
    record.excitations[0][1].inputs_along = lambda *arguments: failing(0.0)
    record.keep_one(0.0, np.zeros(4))
    assert np.isnan(record.trajectory({}, sampled=False, failed=True).u).all()
    with pytest.raises(RuntimeError, match="gone"):
        record.trajectory({}, sampled=False)
