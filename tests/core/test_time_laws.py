"""Programs of laws of time: each operation, and that rates are derivatives of values."""

import math

import numpy as np
import pytest

from helpers import central_difference, relative_error
from kernel_entry import entry
from supple.core import time_laws
from supple.core.time_laws import ADD, CONSTANT, DEPTH, MULTIPLY, PIECES, POLYNOMIAL, SINE, STORE

_evaluate = entry(time_laws.evaluate_laws)

#: 7; 2 sin(3 t + 0.5) + 1; a cubic of two pieces, then 5; 1 + 2 x + 3 x^2 of x = t - 0.5, between 0 and 2.
NUMBERS = np.array(
    [7.0, 2.0, 3.0, 0.5, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 5.0, 0.5, 0.0, 2.0, 1.0, 2.0, 3.0]
)
CONSTANT_LAW, SINE_LAW = [CONSTANT, 0, 0, 0], [SINE, 1, 0, 0]
PIECES_LAW, POLYNOMIAL_LAW = [PIECES, 5, 3, 8], [POLYNOMIAL, 17, 3, 20]
LAWS = {"constant": CONSTANT_LAW, "sine": SINE_LAW, "pieces": PIECES_LAW, "polynomial": POLYNOMIAL_LAW}


def run(ops, t, rows=1):
    """Value, rate and acceleration of all rows, (3, rows)."""
    out = np.full((3, rows), np.nan)
    _evaluate(np.array(ops, dtype=np.int64), NUMBERS, float(t), *out)
    return out


def single(law, t):
    return run([law, [STORE, 0, 0, 0]], t)[:, 0]


def test_values():
    assert single(CONSTANT_LAW, 3.0).tolist() == [7.0, 0.0, 0.0]
    assert single(SINE_LAW, 0.4)[0] == pytest.approx(1.0 + 2.0 * math.sin(1.7), rel=1e-15)
    assert single(PIECES_LAW, 0.5)[0] == pytest.approx(1.0 + 0.125)
    assert single(PIECES_LAW, 1.5)[0] == pytest.approx(2.0 + 1.5)
    assert single(POLYNOMIAL_LAW, 1.5).tolist() == [6.0, 8.0, 6.0]


@pytest.mark.parametrize("t", [-1.0, 5.0])
def test_what_is_held_outside(t):
    assert single(PIECES_LAW, t).tolist() == [1.0 if t < 0 else 5.0, 0.0, 0.0]
    at = (min(max(t, 0.0), 2.0)) - 0.5
    assert single(POLYNOMIAL_LAW, t).tolist() == [1.0 + 2.0 * at + 3.0 * at * at, 0.0, 0.0]


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("t", [0.3, 0.7, 1.4])
def test_rates_are_derivatives(name, t):
    law = LAWS[name]
    value, rate, acceleration = single(law, t)
    assert rate == pytest.approx(central_difference(lambda e: single(law, t + e)[0]), abs=1e-8)
    assert acceleration == pytest.approx(central_difference(lambda e: single(law, t + e)[1]), abs=1e-8)
    assert value != 0.0


def test_sums_products_and_rows():
    """Rows of one program: sine + polynomial, and their product."""
    both = [SINE_LAW, POLYNOMIAL_LAW]
    ops = [*both, [ADD, 0, 0, 0], [STORE, 1, 0, 0], *both, [MULTIPLY, 0, 0, 0], [STORE, 0, 0, 0]]
    t = 0.9
    (a, da, dda), (b, db, ddb) = single(SINE_LAW, t), single(POLYNOMIAL_LAW, t)
    found = run(ops, t, rows=2)
    assert relative_error(found[:, 1], np.array([a + b, da + db, dda + ddb])) < 1e-15
    assert relative_error(found[:, 0], np.array([a * b, da * b + a * db, dda * b + 2 * da * db + a * ddb])) < 1e-15


def test_as_many_operands_as_the_stack_holds():
    ops = [[CONSTANT, 0, 0, 0]] * DEPTH + [[ADD, 0, 0, 0]] * (DEPTH - 1) + [[STORE, 0, 0, 0]]
    assert run(ops, 0.0)[0, 0] == 7.0 * DEPTH
