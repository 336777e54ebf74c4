"""Grafts: blocks that hang on a rod before its tip.

Whatever hangs on the end of a block moves with the block's last columns, its ``totals``.  A block grafted on an inner
point of a rod (a node, or the end of a step between two), and everything that hangs on it, moves with the columns of
that point instead, and does not feel the strains beyond it.  So the rod is omitted from its ``inward`` ranges (and it
of the rod's ``outward`` ones), and a row (lo, hi, c) of ``ranges`` among its ``grafts`` says: the coordinates lo to hi
move it by the columns c to c + hi - lo.

All else is as it was: operators and wrenches are summed into the point that a block hangs on, and a rod visits each of
its points.
"""

from __future__ import annotations

import numpy as np

from supple.jit import outlined

U = np.uint64  # unsigned indices vectorise, see linalg.products

# outlined: called up to nine times for each block that is grafted, and few are


@outlined
def write_graft_rows(block, ranges, scale, A, X, add, out):
    """Rows of a block at the coordinates of rods it is grafted on: out = scale A^T X, or added to it."""
    for r in range(block.grafts[0], block.grafts[1]):
        lo, hi, c = U(ranges[r, 0]), U(ranges[r, 1]), U(ranges[r, 2])
        for i in range(U(block.start), U(block.start + block.n)):
            for j in range(hi - lo):
                x = 0.0
                for k in range(6):
                    x += A[k, i] * X[k, c + j]
                out[i, lo + j] = scale * x + (out[i, lo + j] if add else 0.0)


@outlined
def write_graft_columns(block, ranges, X, sums, out):
    """The same entries mirrored, rows of the rods and columns of the block: out = X^T sums."""
    for r in range(block.grafts[0], block.grafts[1]):
        lo, hi, c = U(ranges[r, 0]), U(ranges[r, 1]), U(ranges[r, 2])
        for i in range(hi - lo):
            for j in range(U(block.start), U(block.start + block.n)):
                x = 0.0
                for k in range(6):
                    x += X[k, c + i] * sums[k, j]
                out[lo + i, j] = x
