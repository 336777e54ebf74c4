"""Functions on symbols: NumPy's values, slopes by differences, and errors that name what cannot be traced."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.tracing import operations as op
from supple.tracing.program import Evaluator, evaluate, make_program, trace
from supple.tracing.slopes import gradient_by_material, slope
from supple.tracing.symbols import COORDINATE

POINTS = np.random.default_rng(0).uniform(0.1, 0.9, (6, 3))
Q = np.array([0.4, -0.7])
A = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])


def everything(x, q):
    """All kinds of functions of NumPy on arrays and numbers."""
    s = np.sinc(x[0] * q[0] / np.pi) * x[0]
    third = np.where((x[0] < 0.5) & (x[1] > 0.2), q[1] * x[1], x[2] * q[0] ** 3)
    p = np.stack([s, x[1] * np.cos(q[0] * x[0]) + np.exp(q[1]) * x[2] ** 2, third])
    p = A @ p + np.linalg.norm(p) * q[1] + np.cross(p, [1.0, 2.0, 3.0])
    p = p + np.tanh(q) @ np.array([1.0, 2.0]) + 2.0 ** q[0] + np.float64(0.3) * np.sum(x) / np.prod(x + 1.0)
    p = p + np.square(q[0]) * np.arctan2(x[1], x[0]) + np.sqrt(1.0 + x @ x) + np.log1p(x[0]) + abs(x[0] - 2.0)
    return np.concatenate([p[:1], p[1:][::-1]]) + np.einsum("ij,j->i", A, p) + np.outer(p, x)[0] - (-q[0]) + (+q[1])


def test_values_and_slopes():
    outputs = trace(everything, 2, 3, (3,), "f")
    assert relative_error(evaluate(outputs, POINTS, Q), [everything(x, Q) for x in POINTS]) < 1e-14
    e = 1e-6
    expected = [[(everything(x + e * d, Q) - everything(x - e * d, Q)) / (2 * e) for d in np.eye(3)] for x in POINTS]
    found = evaluate(gradient_by_material(outputs), POINTS, Q)
    assert relative_error(found, np.moveaxis(expected, 1, 2)) < 1e-8
    for j, d in enumerate(np.eye(2)):
        expected = [(everything(x, Q + e * d) - everything(x, Q - e * d)) / (2 * e) for x in POINTS]
        assert relative_error(evaluate(slope(outputs, COORDINATE, j), POINTS, Q), expected) < 1e-8


def test_equal_operations_are_done_once():
    outputs = trace(lambda x, q: np.stack([np.sin(q[0] * x[0])] * 3), 1, 3, (3,), "f")
    program = make_program(outputs, POINTS, 1)
    assert len(program.ops) == 2
    assert program.tables.shape == (1, len(POINTS))


def test_what_does_not_depend_on_q_is_tabulated():
    outputs = trace(lambda x, q: x * q[0] + np.exp(x) * np.sin(q[0]), 1, 3, (3,), "f")
    program = make_program(outputs, POINTS, 1)
    assert program.tables.shape == (6, len(POINTS))
    assert len(program.ops) == 10  # sin(q) once, then two products and a sum of each component


def test_symbols_pickle():
    outputs = trace(everything, 2, 3, (3,), "f")
    twin = pickle.loads(pickle.dumps(outputs))
    assert np.array_equal(evaluate(twin, POINTS, Q), evaluate(outputs, POINTS, Q))


def test_bessel():
    x = np.concatenate([np.linspace(-9.0, 9.0, 101), [1e-9, 4.0, -4.0]])
    expected = np.where(x == 0.0, 1.0, np.sin(x) / np.where(x == 0.0, 1.0, x))
    assert relative_error(op.bessel(x, 0), expected) < 1e-15
    for k in range(4):  # dg_k/dx = -x g_(k+1)
        e = 1e-5
        slopes = (op.bessel(x + e, k) - op.bessel(x - e, k)) / (2 * e)
        assert np.abs(slopes + x * op.bessel(x, k + 1)).max() < 1e-10


def test_sinc_of_a_root_is_regular_at_zero():
    outputs = trace(lambda x, q: np.stack([np.sinc(np.sqrt(q @ q) / np.pi)] * 3), 2, 3, (3,), "f")
    slopes = slope(slope(outputs, COORDINATE, 0), COORDINATE, 0)
    assert np.isclose(evaluate(slopes, POINTS[:1], np.zeros(2))[0, 0], -1.0 / 3.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x, q: np.where(q[0] < 1.0, x, -x), "a comparison of coordinates q cannot be traced"),
        (lambda x, q: np.arctan2(q[0], 1.0) * x, r"np.arctan2 .*write np.arctan\(y / x\)"),
        (lambda x, q: x * (q[0] == 0.0), "== on x or q cannot be traced"),
        (lambda x, q: np.maximum(x, q[0]), "np.maximum of coordinates q cannot be traced; write a smooth function"),
        (lambda x, q: np.fmin(x, q[0]), "np.minimum of coordinates q cannot be traced; write a smooth function"),
        (lambda x, q: x % q[0], "np.remainder cannot be traced; kinematics must be smooth"),
        (lambda x, q: x * np.nextafter(q[0], 1.0), "np.nextafter cannot be traced"),
        (lambda x, q: [x[0], q[0], 10**400], "must return real numbers"),
        (lambda x, q: np.interp(q[0], [0.0, 1.0], [0.0, 1.0]) * x, "cannot be traced"),
        (lambda x, q: np.add(x, q[0], out=x), r"out=, \+=\) cannot be traced; write a = a \+ b"),
        (lambda x, q: [x[0], q[0], None], "returned None, must return real numbers"),
        (lambda x, q: [x[0], q[0], np.nan], "returned nan, must be finite"),
        (lambda x, q: [x[0], x], "must return an array of shape|must be"),
    ],
)
def test_errors(f, message):
    with pytest.raises(sp.ModelError, match=message):
        trace(f, 1, 3, (3,), "f")


def test_symbols_of_another_call_are_refused():
    """Of a call that failed, too: else numbers of one function would stand for those of another."""
    kept = []

    def first(x, q):
        kept.append(q[0] * x[0])
        raise ValueError("later")

    with pytest.raises(sp.ModelError, match="raised ValueError: later"):
        trace(first, 1, 3, (3,), "f")
    for f in (lambda x, q: x * q[0] + kept[0], lambda x, q: [x[0], q[0], kept[0]]):
        with pytest.raises(sp.ModelError, match="x or q of another call"):
            trace(f, 1, 3, (3,), "f")


def test_largest_and_smallest_of_what_depends_on_the_place():
    def f(x, q):
        long = np.hypot(3.0 * q[0], 4.0 * q[0])
        return np.stack([np.maximum(x[0], 0.1), np.minimum(x[1], x[2]) * q[0].item(), np.fmax(x[0], 2.0) + long])

    points, q = np.random.default_rng(0).standard_normal((7, 3)), np.array([0.7])
    x, y, z = points.T
    expected = np.stack([np.maximum(x, 0.1), 0.7 * np.minimum(y, z), np.maximum(x, 2.0) + 3.5], axis=1)
    np.testing.assert_allclose(evaluate(trace(f, 1, 3, (3,), "f"), points, q), expected, rtol=1e-15)


def test_evaluators_give_what_evaluate_does():
    outputs = trace(everything, 2, 3, (3,), "f")
    at = Evaluator(outputs, POINTS)
    for q in (Q, 0.3 * Q):
        np.testing.assert_array_equal(at(q), evaluate(outputs, POINTS, q))


def test_evaluators_move_points_of_several_bodies_at_once():
    outputs, rows = trace(everything, 2, 3, (3,), "f"), np.array([Q, 0.3 * Q, -0.1 * Q])
    body = np.arange(len(POINTS)) % 3
    together = Evaluator(outputs, POINTS, body)(rows)
    for k, q in enumerate(rows):
        np.testing.assert_allclose(together[body == k], evaluate(outputs, POINTS[body == k], q), rtol=1e-14, atol=1e-14)


def test_evaluators_do_what_places_share_once(monkeypatch):
    """Angles of a section are those of all its points."""

    def bent(x, q):
        across = x[1] * x[2]
        return np.stack([np.cos(q[0] * x[0]) * across, np.sin(q[0] * x[0]) + across, np.cos(q[1]) - across])

    grid = np.array([(s, y, z) for s in np.linspace(0.0, 1.0, 5) for y in (-1.0, 0.5, 2.0) for z in range(9)])
    outputs, counts = trace(bent, 2, 3, (3,), "f"), []
    at = Evaluator(outputs, grid)
    for code in (op.COS, op.SIN):
        function = op.EVALUATE[code]
        monkeypatch.setitem(op.EVALUATE, code, lambda x, f=function: counts.append(np.size(x)) or f(x))
    for q in (np.array([0.7, -0.2]), np.array([-1.1, 3.0])):
        counts.clear()
        found = at(q)
        assert sorted(counts) == [1, 5, 5]
        np.testing.assert_allclose(found, [bent(x, q) for x in grid], rtol=1e-15, atol=1e-15)
