"""Cholesky factorisation of small dense symmetric matrices, in place.

A = U^T U with U upper triangular: all inner loops add a multiple of one row to another, so they run along memory and
vectorise (a dot product would not, since sums keep their order).  Up to about 150 coordinates this beats LAPACK.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inlined, inner, leaf
from supple.linalg.triangular import solve_upper, solve_upper_transposed

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)

#: A pivot smaller than this part of its own diagonal entry is rounding: the coordinate moves nothing of its own.
SINGULAR = 1e-15
#: The same, as part of the largest diagonal entry (maybe in other units): a coordinate that moves nothing at all.
VANISHING = 1e-25


@inlined
def restore_diagonal(A, k, diagonal):
    """``diagonal``, what is left of entry k, plus what earlier rows took off it: the sum over i < k of U_ik^2."""
    for i in range(k):
        diagonal += A[i, k] * A[i, k]
    return diagonal


@inlined
def eliminate(A, k):
    """A_ij -= U_ki U_kj for j >= i > k: what row k of U takes off the rows behind it."""
    n = Index(A.shape[0])
    for i in range(k + ONE, n):
        x = A[k, i]
        for j in range(i, n):
            A[i, j] -= x * A[k, j]


@inner
def cholesky(A):
    """Overwrite the upper triangle of A (n, n) with U, U^T U = A.

    Row by row, U_kk^2 = A_kk - sum over i < k of U_ik^2 and U_kj = (A_kj - sum over i < k of U_ik U_ij) / U_kk.
    Returns -1, or the first row whose pivot is not positive but for rounding.
    """
    n = Index(A.shape[0])
    largest = 0.0
    for k in range(n):
        largest = max(largest, A[k, k])
    for k in range(n):
        diagonal = restore_diagonal(A, k, A[k, k])
        if not A[k, k] > max(SINGULAR * diagonal, VANISHING * largest):
            return np.int64(k)
        pivot = 1.0 / math.sqrt(A[k, k])
        for j in range(k, n):
            A[k, j] *= pivot
        eliminate(A, k)
    return np.int64(-1)


@inner
def cholesky_solve(U, B):
    """Overwrite B (n, m) with (U^T U)^-1 B."""
    solve_upper_transposed(U, B)
    solve_upper(U, B)


@inner
def cholesky_after(A, taken, least):
    """U^T U = A as `cholesky`, of what is left of a matrix: ``taken`` (n,) bounds what was taken off its diagonal.

    Reciprocal pivots 1 / U_kk stand on the diagonal of U.  Returns -1, or the first row whose pivot U_kk^2 is not above
    ``least`` (A_kk + taken_k).
    """
    n = Index(A.shape[0])
    for k in range(n):
        diagonal = restore_diagonal(A, k, A[k, k] + taken[k])
        if not A[k, k] > least * diagonal:
            return np.int64(k)
        pivot = 1.0 / math.sqrt(A[k, k])
        for j in range(k + ONE, n):
            A[k, j] *= pivot
        A[k, k] = pivot
        eliminate(A, k)
    return np.int64(-1)


@leaf
def solve_reciprocal_transposed(U, X, start, col, m):
    """X = U^-T X in rows start to start + n and columns col to col + m; U has reciprocal pivots on its diagonal."""
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
def solve_reciprocal(U, X, start, col, m):
    """X = U^-1 X in the same rows and columns, U as there."""
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
