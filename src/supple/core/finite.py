"""Whether results are finite, told by sums: NaN and infinity survive every addition, and a sum costs next to nothing.

Entries near the largest number there is may overflow the sum although each is finite: a kernel that returns False
says "look again", and `Model` then looks at the entries themselves.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inlined, leaf

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inlined
def finite_vector(x):
    """Whether all entries of x (n,) are finite."""
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j]
    return math.isfinite(total)


@leaf
def add_rows(X, row):
    """row += the sum of all rows of X; along memory, so that it vectorises."""
    for i in range(U(X.shape[0])):
        for j in range(U(X.shape[1])):
            row[j] += X[i, j]


@inlined
def finite_matrix(X, row):
    """Whether all entries of X (k, m) are finite; ``row`` (m,) is scratch."""
    for j in range(row.shape[0]):
        row[j] = 0.0
    add_rows(X, row)
    return finite_vector(row)


@inlined
def finite_matrices(X, Y, Z, row):
    """Whether all entries of three matrices of one width are finite; ``row`` is scratch."""
    for j in range(row.shape[0]):
        row[j] = 0.0
    add_rows(X, row)
    add_rows(Y, row)
    add_rows(Z, row)
    return finite_vector(row)
