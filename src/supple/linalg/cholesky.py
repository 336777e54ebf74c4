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
def subtract_four(x0, r0, x1, r1, x2, r2, x3, r3, out):
    """out = (((out - x0 r0) - x1 r1) - x2 r2) - x3 r3 for rows (m,): ``out`` is read and written once for all four."""
    for j in range(Index(out.shape[0])):
        out[j] = out[j] - x0 * r0[j] - x1 * r1[j] - x2 * r2[j] - x3 * r3[j]


@leaf
def subtract_one(x, r, out):
    """out -= x r for rows (m,)."""
    for j in range(Index(out.shape[0])):
        out[j] -= x * r[j]


@leaf
def scale_row(x, out):
    """out *= x for a row (m,)."""
    for j in range(Index(out.shape[0])):
        out[j] *= x


@inlined
def solve_reciprocal_transposed(U, X, start, col, m):
    """X = U^-T X in rows start to start + n and columns col to col + m; U has reciprocal pivots on its diagonal.

    x_i = (x_i - sum over k < i of U_ki x_k) / U_ii, from the first row on.
    """
    end = col + m
    for i in range(U.shape[0]):
        own, k = X[start + i, col:end], 0
        while k + 4 <= i:
            r = start + k
            near = U[k, i], X[r, col:end], U[k + 1, i], X[r + 1, col:end]
            subtract_four(*near, U[k + 2, i], X[r + 2, col:end], U[k + 3, i], X[r + 3, col:end], own)
            k += 4
        while k < i:
            subtract_one(U[k, i], X[start + k, col:end], own)
            k += 1
        scale_row(U[i, i], own)


@inlined
def solve_reciprocal(U, X, start, col, m):
    """X = U^-1 X in the same rows and columns, U as there: x_i = (x_i - sum over k > i of U_ik x_k) / U_ii."""
    n, end = U.shape[0], col + m
    for i in range(n - 1, -1, -1):
        own, k = X[start + i, col:end], i + 1
        while k + 4 <= n:
            r = start + k
            near = U[i, k], X[r, col:end], U[i, k + 1], X[r + 1, col:end]
            subtract_four(*near, U[i, k + 2], X[r + 2, col:end], U[i, k + 3], X[r + 3, col:end], own)
            k += 4
        while k < n:
            subtract_one(U[i, k], X[start + k, col:end], own)
            k += 1
        scale_row(U[i, i], own)
