"""Cholesky factorisation of small dense symmetric matrices, in place.

A = U^T U with U upper triangular: all inner loops add a multiple of one row to another, so they run along memory and
vectorise (a dot product would not, since sums keep their order).  Up to about 150 coordinates this beats LAPACK.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inner

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
