"""LU factorisation of small complex matrices, their real and imaginary parts in arrays of their own.

The same as `linalg.lu`, pivots and zeros included.  Parts that stand apart let inner loops run along memory in real
arithmetic, which vectorises.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inner
from supple.linalg.lu import PREFERRED, SINGULAR

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)


@inner
def factorise_complex(A, B, pivots, scales):
    """Overwrite A + i B (m, m) by its factors.  Returns -1, or the first column without a pivot."""
    m = Index(A.shape[0])
    for i in range(m):
        largest = 0.0
        for j in range(m):
            largest = max(largest, abs(A[i, j]) + abs(B[i, j]))
        if not largest > 0.0:
            return np.int64(i)
        scales[i] = 1.0 / largest
        for j in range(m):
            A[i, j] *= scales[i]
            B[i, j] *= scales[i]
    for k in range(m):
        p, best = k, abs(A[k, k]) + abs(B[k, k])
        largest = best
        for i in range(k + ONE, m):
            size = abs(A[i, k]) + abs(B[i, k])
            if size > largest:
                p, largest = i, size
        if not largest > SINGULAR:
            return np.int64(k)
        if best >= PREFERRED * largest:
            p = k
        pivots[k] = p
        if p != k:
            for j in range(m):
                A[k, j], A[p, j] = A[p, j], A[k, j]
                B[k, j], B[p, j] = B[p, j], B[k, j]
        eliminate(A, B, k)
    return np.int64(-1)


@inner
def eliminate(A, B, k):
    """Rows i > k of C = A + i B: l = C_ik / C_kk stays in their place, C_ij -= l C_kj."""
    m = Index(A.shape[0])
    size = A[k, k] ** 2 + B[k, k] ** 2
    real, imaginary = A[k, k] / size, -B[k, k] / size
    for i in range(k + ONE, m):
        x, y = A[i, k] * real - B[i, k] * imaginary, A[i, k] * imaginary + B[i, k] * real
        if x == 0.0 and y == 0.0:
            continue
        A[i, k], B[i, k] = x, y
        for j in range(k + ONE, m):
            A[i, j] -= x * A[k, j] - y * B[k, j]
            B[i, j] -= x * B[k, j] + y * A[k, j]


@inner
def solve_complex(A, B, pivots, scales, b, c):
    """Overwrite b + i c (m,) by the solution, A + i B being factorised."""
    m = Index(A.shape[0])
    for i in range(m):
        b[i] *= scales[i]
        c[i] *= scales[i]
    for k in range(m):
        p = Index(pivots[k])
        if p != k:
            b[k], b[p] = b[p], b[k]
            c[k], c[p] = c[p], c[k]
    for i in range(m):
        x, y = b[i], c[i]
        for j in range(i):
            x -= A[i, j] * b[j] - B[i, j] * c[j]
            y -= A[i, j] * c[j] + B[i, j] * b[j]
        b[i], c[i] = x, y
    for r in range(m):
        i = m - ONE - r
        x, y = b[i], c[i]
        for j in range(i + ONE, m):
            x -= A[i, j] * b[j] - B[i, j] * c[j]
            y -= A[i, j] * c[j] + B[i, j] * b[j]
        size = A[i, i] ** 2 + B[i, i] ** 2
        b[i], c[i] = (x * A[i, i] + y * B[i, i]) / size, (y * A[i, i] - x * B[i, i]) / size
