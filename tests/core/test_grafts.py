"""Entries between a block and the rods that it leaves before their tips."""

import numpy as np

from helpers import relative_error
from kernel_entry import entry
from supple.core import grafts
from supple.core.records import block_t

RNG = np.random.default_rng(0)
N, START, BLOCK = 9, 5, 2  # coordinates in all; first and number of the block's own
#: Two rods: coordinates 0 to 3 by columns 4 to 7, coordinates 7 to 9 by columns 10 to 12; the first row is another's.
RANGES = np.array([[3, 5, 0], [0, 3, 4], [7, 9, 10]])
A, SUMS, X = RNG.standard_normal((6, N)), RNG.standard_normal((6, N)), RNG.standard_normal((6, 14))
RODS = [(slice(0, 3), slice(4, 7)), (slice(7, 9), slice(10, 12))]
OWN = slice(START, START + BLOCK)


def block():
    row = np.zeros(1, block_t)
    row["start"], row["n"], row["grafts"] = START, BLOCK, (1, 3)
    return row[0]


def test_rows():
    start = RNG.standard_normal((N, N))
    for add in (False, True):
        expected, out = start.copy(), start.copy()
        for coordinates, columns in RODS:
            expected[OWN, coordinates] = 2.0 * A[:, OWN].T @ X[:, columns] + add * start[OWN, coordinates]
        entry(grafts.write_graft_rows)(block(), RANGES, 2.0, A, X, add, out)
        assert relative_error(out, expected) < 1e-14


def test_columns():
    start = RNG.standard_normal((N, N))
    expected, out = start.copy(), start.copy()
    for coordinates, columns in RODS:
        expected[coordinates, OWN] = X[:, columns].T @ SUMS[:, OWN]
    entry(grafts.write_graft_columns)(block(), RANGES, X, SUMS, out)
    assert relative_error(out, expected) < 1e-14
