"""LU factors of large matrices: four columns at a time, or by LAPACK where most entries are there.

`linalg.lu` eliminates one column after the other, and reads and writes the whole rest for each.  From some fifty
unknowns on that is what it waits for.  Here four columns are eliminated in themselves before the rest hears of them:
every entry sees the same operations in the same order, and is read and written a quarter as often.  LAPACK goes further
with blocks that fit its caches, but knows no zeros: it is asked only for very large matrices that have few.

Rows are scaled and pivots counted as in `linalg.lu`, so that its functions solve with these factors.  The kernel is
called by its address; who has no large matrix does not compile it, and LAPACK is looked up where it may be asked.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import get_cython_function_address

from supple.core.arrays import integers_at, matrix_at, short_integers_at, vector_at
from supple.jit import AddressedKernel, calling, inner, local_array, stamp_of
from supple.linalg.lu import ONE, SINGULAR, Index, bring_pivot, scale_rows

#: Unknowns from which columns are eliminated by fours, and from which LAPACK is asked.
LARGE, VERY_LARGE = 50, 250
#: Part of the entries that must not be zero for LAPACK: with fewer, passing over zeros is faster.
DENSE = 0.5

SIGNATURE = types.int64(*[types.int64] * 6)
call_large = calling(SIGNATURE)

#: dgetrf(m, n, A, lda, ipiv, info), all by reference.
call_lapack = calling(types.void(*[types.int64] * 6))

two_numbers = local_array(2)


def lapack_address(unknowns: int) -> int:
    """Address of LAPACK's dgetrf for matrices of this size; 0 if it is not asked."""
    if unknowns < VERY_LARGE:
        return 0
    return int(get_cython_function_address("scipy.linalg.cython_lapack", "dgetrf"))


def _factorise_large(A_at, apart, m, pivots_at, scales_at, lapack):
    """Factors, in place, of the matrix (m, m) at an address, its rows ``apart`` floats from one another."""
    A, pivots, scales = matrix_at(A_at, (m, apart)), integers_at(pivots_at, (m,)), vector_at(scales_at, (m,))
    empty = scale_rows(A, scales)
    if empty >= 0:
        return empty
    if lapack != 0 and m >= VERY_LARGE and count_entries(A, m) >= DENSE * m * m:
        return factorise_by_lapack(A, pivots, lapack)
    return factorise_by_fours(A, pivots)


FACTORISE_LARGE = AddressedKernel(_factorise_large, SIGNATURE, stamp_of("solvers"))


@inner
def count_entries(A, m):
    """How many entries of A (m, m) are not zero."""
    entries = 0
    for i in range(m):
        for j in range(m):
            entries += A[i, j] != 0.0
    return entries


@inner
def factorise_by_fours(A, pivots):
    """P A = L U.  Returns -1, or the first column without a pivot."""
    m = Index(pivots.shape[0])
    for panel in range((m + Index(3)) // Index(4)):
        first = Index(4) * panel
        last = min(first + Index(4), m)
        for k in range(first, last):
            if not bring_pivot(A, pivots, k):
                return np.int64(k)
            eliminate_in_panel(A, k, last)
        for k in range(first, last):  # the rows of U beside the panel
            for i in range(k + ONE, last):
                x = A[i, k]
                if x != 0.0:
                    for j in range(last, m):
                        A[i, j] -= x * A[k, j]
        if last < m:
            subtract_four_rows(A, first, m)
    return np.int64(-1)


@inner
def eliminate_in_panel(A, k, last):
    """L_ik = A_ik / A_kk, A_ij -= L_ik A_kj for i > k, k < j < ``last``: column k of L, and its part of others."""
    inverse = 1.0 / A[k, k]
    for i in range(k + ONE, Index(A.shape[0])):
        x = A[i, k] * inverse
        if x != 0.0:
            A[i, k] = x
            for j in range(k + ONE, last):
                A[i, j] -= x * A[k, j]


@inner
def subtract_four_rows(A, k, m):
    """What columns k to k + 3 of L take off the rest of the matrix."""
    k1, k2, k3 = k + ONE, k + Index(2), k + Index(3)
    for i in range(k + Index(4), m):
        x0, x1, x2, x3 = A[i, k], A[i, k1], A[i, k2], A[i, k3]
        if x0 == 0.0 and x1 == 0.0 and x2 == 0.0 and x3 == 0.0:
            continue
        for j in range(k + Index(4), m):
            A[i, j] = (((A[i, j] - x0 * A[k, j]) - x1 * A[k1, j]) - x2 * A[k2, j]) - x3 * A[k3, j]


@inner
def factorise_by_lapack(A, pivots, lapack):
    """The same by dgetrf, for which matrices lie column by column.  Returns -1, or the first column without a pivot."""
    m = pivots.shape[0]
    scalars = two_numbers()
    at = scalars.ctypes.data
    sizes = short_integers_at(at, (3,))
    sizes[0], sizes[1], sizes[2] = m, A.shape[1], 0
    transpose(A, m)
    call_lapack(lapack, (at, at, A.ctypes.data, at + 4, pivots.ctypes.data, at + 8))
    transpose(A, m)
    rows = short_integers_at(pivots.ctypes.data, (m,))
    for r in range(m):  # LAPACK's integers are shorter and count from one; from behind, none is overwritten
        k = m - 1 - r
        pivots[k] = rows[k] - 1
    for k in range(m):
        if not abs(A[k, k]) > SINGULAR:
            return np.int64(k)
    return np.int64(-1)


@inner
def transpose(A, m):
    """A (m, m) transposed in its place."""
    for i in range(m):
        for j in range(i):
            A[i, j], A[j, i] = A[j, i], A[i, j]
