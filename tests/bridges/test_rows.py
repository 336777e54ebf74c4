"""Leading axes: the numbers of one row at a time, on any number of threads; failures by their row; memories."""

import threading

import numpy as np
import pytest

import supple as sp
from bridge_cases import TENSIONS, arm
from supple.bridges.equilibria import EquilibriumOperation
from supple.bridges.operation import Operation, Port
from supple.bridges.rows import REMEMBERED, Rows
from supple.bridges.subject import Subject


@pytest.fixture(scope="module")
def equilibrium():
    return EquilibriumOperation(Subject(arm()), None, 0.0, 1e-10, 60)


def many(rng, *lead):
    return TENSIONS * rng.uniform(0.2, 2.0, (*lead, 3))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_rows_are_those_of_single_calls(equilibrium, threads):
    rng = np.random.default_rng(0)
    u, y = many(rng, 3, 4), rng.standard_normal((3, 4, 6))
    rows = Rows(equilibrium, threads)
    (q,), memories = rows.evaluate([u], record=True)
    (gradient,) = rows.pull(memories, [y])
    for i in np.ndindex(3, 4):
        rest = equilibrium.subject.nominal.statics(u[i])
        assert np.array_equal(q[i], rest.q)
        assert np.array_equal(gradient[i], rest.vjp(y[i]).u)


def test_no_rows(equilibrium):
    rows = Rows(equilibrium, None)
    (q,), memories = rows.evaluate([np.zeros((2, 0, 3))], record=True)
    assert q.shape == (2, 0, 6)
    assert rows.pull(memories, [q])[0].shape == (2, 0, 3)
    assert rows.recall([np.zeros((2, 0, 3))]) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_row_that_fails_is_named(equilibrium, threads):
    u = many(np.random.default_rng(1), 2, 5)
    u[0, 3, 1] = u[1, 0, 0] = u[1, 4, 2] = -1.0
    rows = Rows(equilibrium, threads)
    for _ in range(5):
        with pytest.raises(sp.StateError, match=r"equilibrium, row \(0, 3\): input 'left' is -1 N"):
            rows.evaluate([u], record=False)
    good = np.abs(u)
    assert np.array_equal(rows.evaluate([good], False)[0][0], Rows(equilibrium, 1).evaluate([good], False)[0][0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_named(equilibrium, bad):
    u = many(np.random.default_rng(1), 4)
    u[2, 1] = bad
    with pytest.raises(sp.StateError, match=rf"equilibrium: u\[2, 1\] is {bad}"):
        Rows(equilibrium, None).evaluate([u], record=False)
    rows = Rows(equilibrium, None)
    _, memories = rows.evaluate([np.abs(u[:1])], record=True)
    with pytest.raises(sp.StateError, match="q"):
        rows.pull(memories, [np.full((1, 6), bad)])


def test_what_does_not_come_to_rest_raises():
    operation = EquilibriumOperation(Subject(arm()), None, 0.0, 1e-10, 1)
    with pytest.raises(sp.ConvergenceError, match="no equilibrium found"):
        Rows(operation, 1).evaluate([1e6 * TENSIONS], record=True)


def test_inputs_may_change_after_a_call(equilibrium):
    rows, u = Rows(equilibrium, 1), TENSIONS.copy()
    _, memories = rows.evaluate([u], record=True)
    u[:] = 9.0
    gradient = rows.pull(memories, [np.ones(6)])[0]
    assert np.array_equal(gradient, equilibrium.subject.nominal.statics(TENSIONS).vjp(np.ones(6)).u)


class Counted(Operation):
    """x (2,) -> x^2, y = 3 x, counting."""

    name = "counted"

    def __init__(self, subject):
        super().__init__(subject, [Port("x", (2,))], [Port("square", (2,)), Port("triple", (2,))])
        self.count = 0

    def evaluate(self, inputs, record):
        self.count += 1
        return (inputs[0] ** 2, 3.0 * inputs[0]), inputs[0]

    def pull(self, memory, cotangents):
        return (2.0 * memory * cotangents[0] + 3.0 * cotangents[1],)


def test_jacobians_row_by_row():
    rows = Rows(Counted(Subject(arm())), 1)
    square, triple = rows.jacobian(np.array([2.0, 5.0]))
    assert np.array_equal(square[0], np.diag([4.0, 10.0]))
    assert np.array_equal(triple[0], 3.0 * np.eye(2))


def test_memories_are_recalled_by_content():
    operation = Counted(Subject(arm()))
    rows = Rows(operation, 1)
    x = np.arange(10.0).reshape(5, 2)
    _, memories = rows.evaluate([x], record=True)
    rows.remember([x], memories)
    assert operation.count == 5
    again = rows.recall([x[::-1].copy()])
    assert operation.count == 5
    assert all(a is b for a, b in zip(again, memories[::-1], strict=True))
    rows.recall([np.stack([x[0], x[0] + 100.0, x[0] + 100.0])])  # equal rows are computed once
    assert operation.count == 6


def test_a_batch_is_remembered_whole_and_others_forgotten():
    operation = Counted(Subject(arm()))
    rows = Rows(operation, 2)
    x = np.random.default_rng(0).random((3 * REMEMBERED, 2))
    rows.remember([x], rows.evaluate([x], record=True)[1])
    rows.recall([x])
    assert operation.count == len(x)
    few = x[:2] + 1.0
    rows.remember([few], rows.evaluate([few], record=True)[1])
    assert len(rows._memories) == REMEMBERED


def test_two_threads_on_one_operation(equilibrium):
    rows, u = Rows(equilibrium, 2), many(np.random.default_rng(5), 20)
    y = np.ones((20, 6))
    expected = rows.pull(rows.evaluate([u], record=True)[1], [y])[0]
    wrong = []

    def work():
        for _ in range(5):
            (q,), memories = rows.evaluate([u], record=True)
            rows.remember([u], memories)
            if not np.array_equal(rows.pull(rows.recall([u]), [y])[0], expected):
                wrong.append(q)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
