"""LU factorisation of small matrices with threshold pivoting, rows scaled to size one, in place.

Inner loops add a multiple of one row to another, so they run along memory and vectorise.  Rows that have a zero below
the pivot are passed over; the diagonal is preferred as pivot, so that the zeros of a tree (see
`solvers.problem.free_coordinates`) stay where they are.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inner, leaf, outlined

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)

#: Smallest pivot, as part of the largest entry of a row.
SINGULAR = 1e-15
#: Part of the largest entry below it that a diagonal entry needs to be a pivot.
PREFERRED = 0.1


@outlined
def factorise(A, pivots, scales):
    """Overwrite A (m, m) by L (unit diagonal, not kept) and U of P D A = L U.

    D = diag(scales) makes rows of size one, P exchanges row k for row pivots[k], k = 0, 1, ...  Column by column,
    L_ik = A_ik / U_kk and A_ij -= L_ik U_kj for i, j > k.  Returns -1, or the first column without a pivot.
    """
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


@outlined
def scale_rows(A, scales):
    """A = D A, D_ii = scales_i = 1 / max over j < m of |A_ij|, in the first m columns of A (m, m or more).

    Returns -1, or the first row without entries.
    """
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


@outlined
def bring_pivot(A, pivots, k):
    """Exchange row k for row p = pivots[k], which has the pivot of column k.  Returns whether there is one.

    p = k if |A_kk| >= `PREFERRED` max over i >= k of |A_ik|, else the largest; it must be above `SINGULAR`.
    """
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


@outlined
def solve(A, pivots, scales, b):
    """b = U^-1 L^-1 P D b, the solution of A x = b for b (m,), with the factors of `factorise`."""
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


@outlined
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


@inner
def solve_six_rows(A, pivots, scales, B, first):
    """B = B A^-1 in the columns first, ..., first + m - 1 of six rows, with the factors of `factorise`.

    B A^-1 = B U^-1 L^-1 P D, column by column, as `solve_transposed` does of one row.
    """
    m, first = Index(A.shape[0]), Index(first)
    for i in range(m):
        take_column(A, i, i + ONE, m, 1.0 / A[i, i], B, first)
    for r in range(m):
        i = m - ONE - r
        take_column(A, i, Index(0), i, 1.0, B, first)
    for r in range(m):
        k = m - ONE - r
        p = Index(pivots[k])
        if p != k:
            for l in range(Index(6)):
                B[l, first + k], B[l, first + p] = B[l, first + p], B[l, first + k]
    for l in range(Index(6)):
        for k in range(m):
            B[l, first + k] *= scales[k]


@leaf
def take_column(A, i, lo, hi, scale, B, first):
    """B_li *= scale, then B_lj -= B_li A_ij for lo <= j < hi, of six rows l; their columns are counted from first."""
    x0, x1, x2 = scale * B[0, first + i], scale * B[1, first + i], scale * B[2, first + i]
    x3, x4, x5 = scale * B[3, first + i], scale * B[4, first + i], scale * B[5, first + i]
    B[0, first + i], B[1, first + i], B[2, first + i] = x0, x1, x2
    B[3, first + i], B[4, first + i], B[5, first + i] = x3, x4, x5
    for j in range(lo, hi):
        a = A[i, j]
        B[0, first + j] -= x0 * a
        B[1, first + j] -= x1 * a
        B[2, first + j] -= x2 * a
        B[3, first + j] -= x3 * a
        B[4, first + j] -= x4 * a
        B[5, first + j] -= x5 * a
