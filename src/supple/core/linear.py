"""Cholesky factorisation of small dense symmetric matrices, in place.

Rows are contiguous, so the inner loops run along rows.  Up to about 150 coordinates this beats a call into LAPACK.
"""

from __future__ import annotations

import math

from supple.jit import inner


@inner
def cholesky(A):
    """Overwrite the lower triangle of A (n, n) with L, A = L L^T.  Returns -1, or the first row that is not positive."""
    n = A.shape[0]
    for i in range(n):
        row = A[i, 0:n]
        for j in range(i):
            other = A[j, 0:j]
            x = row[j]
            for k in range(j):
                x -= row[k] * other[k]
            row[j] = x / A[j, j]
        x = row[i]
        pivot = x
        for k in range(i):
            x -= row[k] * row[k]
        # a pivot lost to rounding means a direction without inertia
        if not x > 1e-15 * pivot:
            return i
        row[i] = math.sqrt(x)
    return -1


@inner
def cholesky_solve(L, B):
    """Overwrite B (n, m) with (L L^T)^-1 B."""
    n, m = B.shape
    for i in range(n):
        row = B[i, 0:m]
        for k in range(i):
            x = L[i, k]
            other = B[k, 0:m]
            for j in range(m):
                row[j] -= x * other[j]
        x = 1.0 / L[i, i]
        for j in range(m):
            row[j] *= x
    for i in range(n - 1, -1, -1):
        row = B[i, 0:m]
        for k in range(i + 1, n):
            x = L[k, i]
            other = B[k, 0:m]
            for j in range(m):
                row[j] -= x * other[j]
        x = 1.0 / L[i, i]
        for j in range(m):
            row[j] *= x
