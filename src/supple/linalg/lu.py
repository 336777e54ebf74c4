"""LU factorisation of small matrices with threshold pivoting, rows scaled to size one, in place.

Inner loops add a multiple of one row to another, so they run along memory and vectorise.  Rows that have a zero below
the pivot are passed over; the diagonal is preferred as pivot, so that the zeros of a tree (see
`solvers.problem.free_coordinates`) stay where they are.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inner

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)

#: Smallest pivot, as part of the largest entry of a row.
SINGULAR = 1e-15
#: Part of the largest entry below it that a diagonal entry needs to be a pivot.
PREFERRED = 0.1


@inner
def factorise(A, pivots, scales):
    """Overwrite A (m, m) by its factors.  Returns -1, or the first column without a pivot."""
    m = Index(A.shape[0])
    empty = scale_rows(A, scales)
    if empty >= 0:
        return empty
    for k in range(m):
        if not bring_pivot(A, pivots, k):
            return np.int64(k)
        inverse = 1.0 / A[k, k]
        for i in range(k + ONE, m):
            x = A[i, k] * inverse
            if x == 0.0:
                continue
            A[i, k] = x
            for j in range(k + ONE, m):
                A[i, j] -= x * A[k, j]
    return np.int64(-1)


@inner
def scale_rows(A, scales):
    """Rows of A (m, m or more) scaled to one in the first m columns.  Returns -1, or the first row without entries."""
    m = Index(A.shape[0])
    for i in range(m):
        largest = 0.0
        for j in range(m):
            largest = max(largest, abs(A[i, j]))
        if not largest > 0.0:
            return np.int64(i)
        scales[i] = 1.0 / largest
        for j in range(m):
            A[i, j] *= scales[i]
    return np.int64(-1)


@inner
def bring_pivot(A, pivots, k):
    """Exchange row k for the one with the pivot of column k.  Returns whether there is one."""
    m, p = Index(A.shape[0]), k
    for i in range(k + ONE, m):
        if abs(A[i, k]) > abs(A[p, k]):
            p = i
    if not abs(A[p, k]) > SINGULAR:
        return False
    if abs(A[k, k]) >= PREFERRED * abs(A[p, k]):
        p = k
    pivots[k] = p
    if p != k:
        for j in range(m):
            A[k, j], A[p, j] = A[p, j], A[k, j]
    return True


@inner
def solve(A, pivots, scales, b):
    """Overwrite b (m,) by the solution, A being factorised."""
    m = Index(A.shape[0])
    for i in range(m):
        b[i] *= scales[i]
    for k in range(m):
        p = Index(pivots[k])
        if p != k:
            b[k], b[p] = b[p], b[k]
    for i in range(m):
        x = b[i]
        for j in range(i):
            x -= A[i, j] * b[j]
        b[i] = x
    for r in range(m):
        i = m - ONE - r
        x = b[i]
        for j in range(i + ONE, m):
            x -= A[i, j] * b[j]
        b[i] = x / A[i, i]


@inner
def solve_columns(A, pivots, scales, B):
    """Overwrite B (m, k) by the solutions of its columns, A being factorised."""
    m, count = Index(A.shape[0]), Index(B.shape[1])
    for i in range(m):
        for j in range(count):
            B[i, j] *= scales[i]
    for k in range(m):
        p = Index(pivots[k])
        if p != k:
            for j in range(count):
                B[k, j], B[p, j] = B[p, j], B[k, j]
    for i in range(m):
        for k in range(i):
            x = A[i, k]
            for j in range(count):
                B[i, j] -= x * B[k, j]
    for r in range(m):
        i = m - ONE - r
        for k in range(i + ONE, m):
            x = A[i, k]
            for j in range(count):
                B[i, j] -= x * B[k, j]
        inverse = 1.0 / A[i, i]
        for j in range(count):
            B[i, j] *= inverse


@inner
def solve_transposed(A, pivots, scales, b):
    """Overwrite b (m,) by the solution of the transposed system, A being factorised.

    With rows scaled by D and exchanged by P, P D A = L U, so that A^T x = b is U^T L^T (P D^-1 x) = b.
    """
    m = Index(A.shape[0])
    for i in range(m):
        b[i] /= A[i, i]
        x = b[i]
        if x != 0.0:
            for j in range(i + ONE, m):
                b[j] -= x * A[i, j]
    for r in range(m):
        i = m - ONE - r
        x = b[i]
        if x != 0.0:
            for j in range(i):
                b[j] -= x * A[i, j]
    for r in range(m):
        k = m - ONE - r
        p = Index(pivots[k])
        if p != k:
            b[k], b[p] = b[p], b[k]
    for i in range(m):
        b[i] *= scales[i]
