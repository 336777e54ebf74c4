"""Cholesky factorisation of small dense symmetric matrices, in place.

A = U^T U with U upper triangular: all inner loops add a multiple of one row to another, so they run along memory and
vectorise (a dot product would not, since sums keep their order).  Up to about 150 coordinates this beats LAPACK.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inner, leaf

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)

#: A pivot smaller than this part of its own diagonal entry is rounding: the coordinate moves nothing of its own.
SINGULAR = 1e-15
#: The same, as part of the largest diagonal entry (maybe in other units): a coordinate that moves nothing at all.
VANISHING = 1e-25


@inner
def cholesky(A):
    """Overwrite the upper triangle of A (n, n) with U.  Returns -1, or the first row whose pivot is not positive."""
    n = Index(A.shape[0])
    largest = 0.0
    for k in range(n):
        largest = max(largest, A[k, k])
    for k in range(n):
        # the original diagonal entry: what is left of it plus what earlier rows took
        diagonal = A[k, k]
        for i in range(k):
            diagonal += A[i, k] * A[i, k]
        if not A[k, k] > max(SINGULAR * diagonal, VANISHING * largest):
            return np.int64(k)
        pivot = 1.0 / math.sqrt(A[k, k])
        for j in range(k, n):
            A[k, j] *= pivot
        for i in range(k + ONE, n):
            x = A[k, i]
            for j in range(i, n):
                A[i, j] -= x * A[k, j]
    return np.int64(-1)


@inner
def cholesky_solve(U, B):
    """Overwrite B (n, m) with (U^T U)^-1 B."""
    n, m = Index(B.shape[0]), Index(B.shape[1])
    for k in range(n):
        pivot = 1.0 / U[k, k]
        for j in range(m):
            B[k, j] *= pivot
        for i in range(k + ONE, n):
            x = U[k, i]
            for j in range(m):
                B[i, j] -= x * B[k, j]
    for r in range(n):
        i = n - ONE - r
        for k in range(i + ONE, n):
            x = U[i, k]
            for j in range(m):
                B[i, j] -= x * B[k, j]
        pivot = 1.0 / U[i, i]
        for j in range(m):
            B[i, j] *= pivot


@inner
def cholesky_after(A, taken, least):
    """As `cholesky`, of what is left of a matrix: ``taken`` (n,) bounds what was taken off its diagonal before.

    Reciprocal pivots stand on the diagonal of U.  Returns -1, or the first row whose pivot is not above this part,
    ``least``, of its diagonal entry.
    """
    n = Index(A.shape[0])
    for k in range(n):
        diagonal = A[k, k] + taken[k]
        for i in range(k):
            diagonal += A[i, k] * A[i, k]
        if not A[k, k] > least * diagonal:
            return np.int64(k)
        pivot = 1.0 / math.sqrt(A[k, k])
        for j in range(k + ONE, n):
            A[k, j] *= pivot
        A[k, k] = pivot
        for i in range(k + ONE, n):
            x = A[k, i]
            for j in range(i, n):
                A[i, j] -= x * A[k, j]
    return np.int64(-1)


@leaf
def solve_lower(U, X, start, col, m):
    """Rows start to start + n and columns col to col + m of X become U^-T times them; U has reciprocal pivots."""
    n, start, col, m = Index(U.shape[0]), Index(start), Index(col), Index(m)
    for k in range(n):
        pivot = U[k, k]
        for j in range(m):
            X[start + k, col + j] *= pivot
        for i in range(k + ONE, n):
            x = U[k, i]
            for j in range(m):
                X[start + i, col + j] -= x * X[start + k, col + j]


@leaf
def solve_upper(U, X, start, col, m):
    """The same become U^-1 times them."""
    n, start, col, m = Index(U.shape[0]), Index(start), Index(col), Index(m)
    for r in range(n):
        i = n - ONE - r
        for k in range(i + ONE, n):
            x = U[i, k]
            for j in range(m):
                X[start + i, col + j] -= x * X[start + k, col + j]
        pivot = U[i, i]
        for j in range(m):
            X[start + i, col + j] *= pivot
