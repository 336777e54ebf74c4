"""Programs on Taylor series: random functions of every operation against differences of NumPy's own values."""

import numpy as np
import pytest

from helpers import central_difference, difference_jacobian, relative_error
from supple.fields.evaluation import evaluate_jets
from supple.tracing import operations as op
from supple.tracing.plan import ENDS, STATIONS, make_plan
from supple.tracing.program import evaluate, trace
from supple.tracing.schedule import ACCUMULATE, CALL, ENTRY, KEEP, SCATTER

UNARY = {
    op.NEGATIVE: lambda a: -a,
    op.SIN: np.sin,
    op.COS: np.cos,
    op.TAN: lambda a: np.tan(0.5 * np.tanh(a)),
    op.EXP: lambda a: np.exp(0.3 * a),
    op.LOG: lambda a: np.log(1.5 + np.sin(a)),
    op.SQRT: lambda a: np.sqrt(2.0 + np.cos(a)),
    op.TANH: np.tanh,
    op.SINH: lambda a: np.sinh(np.sin(a)),
    op.COSH: lambda a: np.cosh(np.sin(a)),
    op.ARCSIN: lambda a: np.arcsin(0.7 * np.sin(a)),
    op.ARCCOS: lambda a: np.arccos(0.7 * np.sin(a)),
    op.ARCTAN: np.arctan,
    op.POWER: lambda a: (2.0 + np.sin(a)) ** 1.7 + 1.0 / (2.0 + np.cos(a)) + np.sin(a) ** 3,
    op.ABSOLUTE: lambda a: np.abs(2.0 + np.sin(a)),
    op.BESSEL: lambda a: np.sinc(a) + np.sinc(8.0 + a),
    op.ROOTED: lambda a: np.sinc(np.sqrt(a * a) / np.pi) + np.sinc(np.sqrt(7.0 + np.sin(a))),
}


def random_function(rng, n, steps):
    """A function of x (3,) and q (n,) to (3,), made of random operations; every one that the tracer knows."""
    plan = list(rng.permutation(list(UNARY))) + list(rng.choice(list(UNARY), steps))
    picks = rng.integers(0, 1000, (len(plan), 3))
    A = rng.standard_normal((3, 4))

    def function(x, q):
        pool = [*x, *q, x[0] * q[0], np.where(x[1] < 0.1, q[-1], x[2])]
        for code, (i, j, k) in zip(plan, picks, strict=True):
            a, b = pool[i % len(pool)], pool[j % len(pool)]
            value = UNARY[code](a)
            pool.append(np.tanh([value + b, value - b, value * b, value / (2.0 + b * b)][k % 4]))
        return A @ np.stack(pool[-4:]) + np.sin(np.stack([q @ q, x @ x, x[0] * q[0]]))

    return function


@pytest.mark.parametrize("seed", range(12))
def test_jets_of_random_programs(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 5)), 3
    function, X = random_function(rng, n, 8), rng.uniform(-0.5, 0.5, (m, 3))
    outputs = trace(function, n, 3, (3,), "f")
    q, v, a = rng.uniform(-0.6, 0.6, (3, n))
    W = rng.standard_normal((3, m))
    jets = evaluate_jets(make_plan(outputs, X, n), q, v, a, W)

    def at(q):
        return np.array([function(x, q) for x in X]).T

    def along(t):
        return q + t * v + 0.5 * t * t * a

    def slopes(q):
        return np.moveaxis(difference_jacobian(at, q), -1, 0)

    assert relative_error(jets.values[0], at(q)) < 1e-13
    assert relative_error(evaluate(outputs, X, q).T, at(q)) < 1e-13
    assert relative_error(jets.slopes[0], slopes(q), 1.0) < 1e-7
    exact = lambda t: evaluate_jets(make_plan(outputs, X, n), along(t), v + t * a, a, W)  # noqa: E731
    assert relative_error(jets.values[1], central_difference(lambda t: exact(t).values[0]), 1.0) < 1e-7
    assert relative_error(jets.values[2], central_difference(lambda t: exact(t).values[1]), 1.0) < 1e-7
    assert relative_error(jets.slopes[1], central_difference(lambda t: exact(t).slopes[0]), 1.0) < 1e-7
    assert relative_error(jets.slopes[2], central_difference(lambda t: exact(t).slopes[1]), 1.0) < 1e-7
    weighted = lambda q: np.einsum("jok,ok->jk", evaluate_jets(make_plan(outputs, X, n), q, v, a).slopes[0], W)  # noqa: E731
    assert relative_error(jets.hessian, np.moveaxis(difference_jacobian(weighted, q), -1, 1), 1.0) < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_places_that_share_a_station(seed):
    """What depends on one material coordinate alone is done once per station: the same numbers, Hessians as sums."""
    rng = np.random.default_rng(seed)
    n, lanes = 3, 4
    along, around = random_function(rng, n, 8), random_function(rng, n, 2)

    def function(x, q):
        first = along(np.stack([x[0], 0.3 - x[0], x[0] * x[0]]), q)
        return first + np.sin(first[0] * x[1]) * around(x, q)

    X = np.array([(x, y, z) for x in (0.1, -0.3, 0.4, 0.2, -0.5) for y, z in rng.uniform(-0.5, 0.5, (8, 2))])
    X = X[rng.permutation(len(X))]
    outputs = trace(function, n, 3, (3,), "f")
    q, v, a = rng.uniform(-0.6, 0.6, (3, n))
    W = rng.standard_normal((3, len(X)))
    plain, shared = make_plan(outputs, X, n), make_plan(outputs, X, n, lanes)
    assert shared.sizes[0, STATIONS] == 8  # five, and what fills lanes
    expected, found = evaluate_jets(plain, q, v, a, W), evaluate_jets(shared, q, v, a, W, lanes)
    assert relative_error(found.values, expected.values) < 1e-13
    assert relative_error(found.slopes, expected.slopes) < 1e-12
    assert relative_error(found.hessian.sum(axis=-1), expected.hessian.sum(axis=-1)) < 1e-12


def test_outputs_of_single_blocks_outlast_the_hessian():
    """Frames read them after it."""
    rng = np.random.default_rng(3)
    for steps in range(1, 8):
        plan = make_plan(trace(random_function(rng, 3, steps), 3, 3, (3,), "f"), rng.uniform(-0.5, 0.5, (4, 3)), 3)
        outputs, ends = set(plan.outputs[plan.outputs >= 0].tolist()), plan.sizes[0, ENDS:]
        moving = (KEEP, SCATTER, ACCUMULATE, ENTRY)
        for code, *row in plan.code[ends[5] :].tolist():
            written = (row[0], row[2], row[3]) if code == CALL else () if code in moving else (row[0],)
            assert not outputs & set(written)
