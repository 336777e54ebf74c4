"""Slopes and Hessians by elimination: as those of NumPy's own values, and shorter than one pass per direction."""

import numpy as np
import pytest

from helpers import difference_jacobian, relative_error
from supple.tracing.plan import _scheduled
from supple.tracing.program import evaluate, make_program, trace
from supple.tracing.slopes import ancestors, slope, slopes_by
from supple.tracing.symbols import COORDINATE, MATERIAL

X = np.random.default_rng(0).uniform(0.1, 0.5, (4, 3))
Q = np.array([0.3, -0.2, 0.5])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def bent(x, q):
    """A body with an integral along its axis, whose end is where the next begins."""
    for k in (0, 1):
        turns = [q[k] * x[0] * s + q[2] * (x[0] * s) ** 2 for s in NODES]
        along = x[0] * sum(w * np.cos(turn) for w, turn in zip(WEIGHTS, turns, strict=True))
        across = x[0] * sum(w * np.sin(turn) for w, turn in zip(WEIGHTS, turns, strict=True))
        x = np.stack([along - x[1] * np.sin(q[k]), x[2], across + x[1] * np.cos(q[k])])
    return x


@pytest.mark.parametrize("kind", [MATERIAL, COORDINATE])
def test_slopes_all_at_once_are_those_one_by_one(kind):
    outputs = trace(bent, 3, 3, (3,), "f")
    single = np.stack([evaluate(slope(outputs, kind, j), X, Q) for j in range(3)], axis=-1)
    assert relative_error(evaluate(slopes_by(outputs, kind, 3), X, Q), single) < 1e-13


def test_slopes_of_what_does_not_move_are_zero():
    outputs = trace(lambda x, q: np.stack([x[0], q[0], np.float64(2.0), abs(x[1]) * q[1]]), 2, 3, (4,), "f")
    slopes = evaluate(slopes_by(outputs, COORDINATE, 2), X, Q[:2])
    assert not slopes[:, [0, 2]].any()
    assert np.array_equal(slopes[:, 1], np.tile([1.0, 0.0], (4, 1)))
    assert np.array_equal(slopes[:, 3, 1], X[:, 1])


def test_elimination_is_shorter_than_one_pass_per_direction():
    """Each node of an integral has one slope by what all of them share, not one per direction."""
    sizes = []
    for slopes in (slopes_by, lambda f, kind, count: np.stack([slope(f, kind, j) for j in range(count)])):
        outputs = trace(bent, 3, 3, (3,), "f")
        graph, own = outputs[0].graph, ancestors(outputs[0].graph, [s.index for s in outputs])
        found = ancestors(graph, [s.index for s in np.ravel(slopes(outputs, MATERIAL, 3))])
        sizes.append(len(set(found) - set(own)))
    assert sizes[0] < 0.9 * sizes[1]


def test_values_on_meshes_have_slopes_along_axes():
    class Source:
        def values(self, points, which):
            return points[:, 0] ** 2 * points[:, 1] if which == (0,) else 2.0 * points[:, 0] * points[:, 1]

        def slope(self, which, axis):
            return (1,) if which == (0,) and axis == 0 else None

    from supple.tracing.symbols import sampled

    source = Source()
    outputs = trace(lambda x, q: np.stack([q[0] * sampled(source, (0,), x), x[1], x[2]]), 1, 3, (3,), "f")
    slopes = evaluate(slopes_by(outputs, MATERIAL, 3), X, np.array([2.0]))
    assert relative_error(slopes[:, 0, 0], 4.0 * X[:, 0] * X[:, 1]) < 1e-14
    assert not slopes[:, 0, 1:].any()


def test_hessian_terms_of_one_place():
    """The schedule's own terms, evaluated by hand, against differences: no compiled code."""
    outputs = trace(lambda x, q: np.stack([np.sin(q[0] * q[1]) * x[0] + q[2] ** 3, q[0] * q[0], x[2]]), 3, 3, (3,), "f")
    _, schedule = _scheduled(make_program(outputs, X[:1], 3), True)
    pairs = [divmod(int(row[7]), 3) for row in schedule.code if row[0] == 20]
    weighted = lambda q: evaluate(outputs, X[:1], q)[0] @ np.array([1.0, 2.0, 3.0])  # noqa: E731
    slopes = lambda q: difference_jacobian(lambda p: np.array([weighted(p)]), q, 1e-4)[0]  # noqa: E731
    H = difference_jacobian(slopes, Q, 1e-4)
    assert sorted(pairs) == [(0, 0), (0, 1), (1, 1), (2, 2)]
    assert np.abs(H[[0, 1], [2, 2]]).max() < 1e-5
