"""Micro-kernels: products of 6x6 matrices with 6 x n column sets, and projections onto coordinates.

Columns are stored row-wise, (6, n), so that the inner loops run over neighbouring coordinates and vectorise.  Rows are
taken as slices before the loop: an index with a signed offset would keep the compiler from vectorising.
"""

from __future__ import annotations

from supple.jit import inner


@inner
def map_columns(A, X, c, n, out):
    """out[:, :n] = A X[:, c:c+n]."""
    x0, x1, x2 = X[0, c : c + n], X[1, c : c + n], X[2, c : c + n]
    x3, x4, x5 = X[3, c : c + n], X[4, c : c + n], X[5, c : c + n]
    for k in range(6):
        a0, a1, a2, a3, a4, a5 = A[k, 0], A[k, 1], A[k, 2], A[k, 3], A[k, 4], A[k, 5]
        row = out[k, 0:n]
        for j in range(n):
            row[j] = a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j] + a4 * x4[j] + a5 * x5[j]


@inner
def add_map_columns(s, A, X, c, n, out):
    """out[:, :n] += s A X[:, c:c+n]."""
    x0, x1, x2 = X[0, c : c + n], X[1, c : c + n], X[2, c : c + n]
    x3, x4, x5 = X[3, c : c + n], X[4, c : c + n], X[5, c : c + n]
    for k in range(6):
        a0, a1, a2 = s * A[k, 0], s * A[k, 1], s * A[k, 2]
        a3, a4, a5 = s * A[k, 3], s * A[k, 4], s * A[k, 5]
        row = out[k, 0:n]
        for j in range(n):
            row[j] += a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j] + a4 * x4[j] + a5 * x5[j]


@inner
def add_map_columns_transposed(A, X, c, n, out, o):
    """out[:, o:o+n] += A^T X[:, c:c+n]."""
    x0, x1, x2 = X[0, c : c + n], X[1, c : c + n], X[2, c : c + n]
    x3, x4, x5 = X[3, c : c + n], X[4, c : c + n], X[5, c : c + n]
    for k in range(6):
        a0, a1, a2, a3, a4, a5 = A[0, k], A[1, k], A[2, k], A[3, k], A[4, k], A[5, k]
        row = out[k, o : o + n]
        for j in range(n):
            row[j] += a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j] + a4 * x4[j] + a5 * x5[j]


@inner
def add_columns(X, n, out, o):
    """out[:, o:o+n] += X[:, :n] for 6 rows."""
    for k in range(6):
        x = X[k, 0:n]
        row = out[k, o : o + n]
        for j in range(n):
            row[j] += x[j]


@inner
def add_projection(J, c, rows, r, X, x, columns, o, out):
    """out[r:r+rows, o:o+columns] += J[:, c:c+rows]^T X[:, x:x+columns]."""
    x0, x1, x2 = X[0, x : x + columns], X[1, x : x + columns], X[2, x : x + columns]
    x3, x4, x5 = X[3, x : x + columns], X[4, x : x + columns], X[5, x : x + columns]
    for i in range(rows):
        a0, a1, a2, a3, a4, a5 = J[0, c + i], J[1, c + i], J[2, c + i], J[3, c + i], J[4, c + i], J[5, c + i]
        row = out[r + i, o : o + columns]
        for j in range(columns):
            row[j] += a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j] + a4 * x4[j] + a5 * x5[j]
