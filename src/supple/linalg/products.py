"""Micro-kernels: products of 6x6 matrices with 6 x n column sets, and projections onto coordinates.

Columns are stored row-wise, (6, n), so that the inner loops run over neighbouring coordinates and vectorise.  For that,
loop indices must be unsigned: a signed index could count from the end of the array, and the test for it keeps the
compiler from vectorising (measured: six times slower).  ``U`` marks the conversions.  Where it is not noticed
at run time, the compiler is not told that there are six rows: it would make six copies of a vectorised loop.
"""

from __future__ import annotations

import numpy as np

from supple.jit import leaf, opaque

U = np.uint64


@leaf
def map_columns(A, X, c, n, out):
    """out[:, :n] = A X[:, c:c+n]."""
    c = U(c)
    for k in range(6):
        a0, a1, a2, a3, a4, a5 = A[k, 0], A[k, 1], A[k, 2], A[k, 3], A[k, 4], A[k, 5]
        for j in range(U(n)):
            i = c + j
            out[k, j] = a0 * X[0, i] + a1 * X[1, i] + a2 * X[2, i] + a3 * X[3, i] + a4 * X[4, i] + a5 * X[5, i]


@leaf
def add_map_columns(A, X, c, n, out):
    """out[:, :n] += A X[:, c:c+n]."""
    c = U(c)
    for k in range(U(opaque(6))):
        a0, a1, a2, a3, a4, a5 = A[k, 0], A[k, 1], A[k, 2], A[k, 3], A[k, 4], A[k, 5]
        for j in range(U(n)):
            i = c + j
            out[k, j] += a0 * X[0, i] + a1 * X[1, i] + a2 * X[2, i] + a3 * X[3, i] + a4 * X[4, i] + a5 * X[5, i]


@leaf
def map_two_columns(A, X, s, B, Y, c, n, out):
    """out[:, :n] = A X[:, c:c+n] + s B Y[:, c:c+n]."""
    c = U(c)
    for k in range(6):
        a0, a1, a2, a3, a4, a5 = A[k, 0], A[k, 1], A[k, 2], A[k, 3], A[k, 4], A[k, 5]
        b0, b1, b2 = s * B[k, 0], s * B[k, 1], s * B[k, 2]
        b3, b4, b5 = s * B[k, 3], s * B[k, 4], s * B[k, 5]
        for j in range(U(n)):
            i = c + j
            x = a0 * X[0, i] + a1 * X[1, i] + a2 * X[2, i] + a3 * X[3, i] + a4 * X[4, i] + a5 * X[5, i]
            y = b0 * Y[0, i] + b1 * Y[1, i] + b2 * Y[2, i] + b3 * Y[3, i] + b4 * Y[4, i] + b5 * Y[5, i]
            out[k, j] = x + y


@leaf
def add_coad_columns(F, X, c, n, out):
    """out[:, :n] += adbar*_F X[:, c:c+n], that is ad*_X F = [w x m + v x f; w x f] column by column."""
    c = U(c)
    m0, m1, m2, f0, f1, f2 = F[0], F[1], F[2], F[3], F[4], F[5]
    for j in range(U(n)):
        i = c + j
        w0, w1, w2, v0, v1, v2 = X[0, i], X[1, i], X[2, i], X[3, i], X[4, i], X[5, i]
        out[0, j] += w1 * m2 - w2 * m1 + v1 * f2 - v2 * f1
        out[1, j] += w2 * m0 - w0 * m2 + v2 * f0 - v0 * f2
        out[2, j] += w0 * m1 - w1 * m0 + v0 * f1 - v1 * f0
        out[3, j] += w1 * f2 - w2 * f1
        out[4, j] += w2 * f0 - w0 * f2
        out[5, j] += w0 * f1 - w1 * f0


@leaf
def add_map_columns_transposed(A, X, c, n, out, o):
    """out[:, o:o+n] += A^T X[:, c:c+n]."""
    c, o = U(c), U(o)
    for k in range(U(opaque(6))):
        a0, a1, a2, a3, a4, a5 = A[0, k], A[1, k], A[2, k], A[3, k], A[4, k], A[5, k]
        for j in range(U(n)):
            i = c + j
            out[k, o + j] += a0 * X[0, i] + a1 * X[1, i] + a2 * X[2, i] + a3 * X[3, i] + a4 * X[4, i] + a5 * X[5, i]


@leaf
def add_columns(X, n, out, o):
    """out[:, o:o+n] += X[:, :n] for 6 rows."""
    o = U(o)
    for k in range(6):
        for j in range(U(n)):
            out[k, o + j] += X[k, j]


@leaf
def add_projection(J, c, X, n, start, out):
    """out[start:start+n, start:start+n] += J[:, c:c+n]^T X[:, :n]: the rows and columns of one block."""
    c, start = U(c), U(start)
    for i in range(U(n)):
        a0, a1, a2 = J[0, c + i], J[1, c + i], J[2, c + i]
        a3, a4, a5 = J[3, c + i], J[4, c + i], J[5, c + i]
        for j in range(U(n)):
            out[start + i, start + j] += (
                a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]
            )


@leaf
def add_upper_projection(J, c, X, n, start, out):
    """out[start:start+n, start:start+n] += J[:, c:c+n]^T X[:, :n], if symmetric: what is right of the diagonal.

    Rows begin at every fourth column, as vectors of four numbers do, with up to three entries left of it.
    """
    c, start = U(c), U(start)
    for i in range(U(n)):
        a0, a1, a2 = J[0, c + i], J[1, c + i], J[2, c + i]
        a3, a4, a5 = J[3, c + i], J[4, c + i], J[5, c + i]
        for j in range(i - i % U(4), U(n)):
            out[start + i, start + j] += (
                a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]
            )


@leaf
def mirror_upper(start, n, out):
    """What is left of the diagonal of out[start:start+n, start:start+n] becomes what is right of it."""
    start = U(start)
    for i in range(U(n)):
        for j in range(i):
            out[start + i, start + j] = out[start + j, start + i]


@leaf
def project_range(J, i, X, lo, hi, out):
    """out[i, lo:hi] = J[:, i]^T X[:, lo:hi]."""
    i = U(i)
    a0, a1, a2, a3, a4, a5 = J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i]
    for j in range(U(lo), U(hi)):
        out[i, j] = a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def add_project_range(J, i, X, lo, hi, out):
    """out[i, lo:hi] += J[:, i]^T X[:, lo:hi]."""
    i = U(i)
    a0, a1, a2, a3, a4, a5 = J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i]
    for j in range(U(lo), U(hi)):
        out[i, j] += a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def project_two_range(A, X, s, B, Y, i, lo, hi, out):
    """out[i, lo:hi] = A[:, i]^T X[:, lo:hi] + s B[:, i]^T Y[:, lo:hi]."""
    i = U(i)
    a0, a1, a2, a3, a4, a5 = A[0, i], A[1, i], A[2, i], A[3, i], A[4, i], A[5, i]
    b0, b1, b2, b3, b4, b5 = s * B[0, i], s * B[1, i], s * B[2, i], s * B[3, i], s * B[4, i], s * B[5, i]
    for j in range(U(lo), U(hi)):
        x = a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]
        y = b0 * Y[0, j] + b1 * Y[1, j] + b2 * Y[2, j] + b3 * Y[3, j] + b4 * Y[4, j] + b5 * Y[5, j]
        out[i, j] = x + y


@leaf
def clear_range(i, lo, hi, out):
    """out[i, lo:hi] = 0."""
    i = U(i)
    for j in range(U(lo), U(hi)):
        out[i, j] = 0.0
