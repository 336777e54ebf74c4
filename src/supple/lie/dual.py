"""Dual matrices: the 6x6 operators of se(3) as so(3) ones over dual numbers.

Ad, ad, T, all their products and time derivatives have the form [[A, 0], [B, A]].  They are stored as an array
``D`` of shape (2, 3, 3) with A = D[0], B = D[1] and multiply like A + epsilon B, epsilon^2 = 0: 27 multiply-adds
less per product than a full 6x6 matrix, and one third of the code.
"""

from __future__ import annotations

from supple.jit import leaf


@leaf
def Ad_times(R, p, D, out):
    """out = Ad_g D; Ad_g = R + epsilon p~ R."""
    for j in range(3):
        for i in range(3):
            out[0, i, j] = R[i, 0] * D[0, 0, j] + R[i, 1] * D[0, 1, j] + R[i, 2] * D[0, 2, j]
            out[1, i, j] = R[i, 0] * D[1, 0, j] + R[i, 1] * D[1, 1, j] + R[i, 2] * D[1, 2, j]
        out[1, 0, j] += p[1] * out[0, 2, j] - p[2] * out[0, 1, j]
        out[1, 1, j] += p[2] * out[0, 0, j] - p[0] * out[0, 2, j]
        out[1, 2, j] += p[0] * out[0, 1, j] - p[1] * out[0, 0, j]


@leaf
def add_ad_times(V, D, out):
    """out += ad_V D; ad_V = w~ + epsilon v~."""
    for j in range(3):
        a, b, c = D[0, 0, j], D[0, 1, j], D[0, 2, j]
        d, e, f = D[1, 0, j], D[1, 1, j], D[1, 2, j]
        out[0, 0, j] += V[1] * c - V[2] * b
        out[0, 1, j] += V[2] * a - V[0] * c
        out[0, 2, j] += V[0] * b - V[1] * a
        out[1, 0, j] += V[1] * f - V[2] * e + V[4] * c - V[5] * b
        out[1, 1, j] += V[2] * d - V[0] * f + V[5] * a - V[3] * c
        out[1, 2, j] += V[0] * e - V[1] * d + V[3] * b - V[4] * a


@leaf
def add_times_ad(s, D, X, out):
    """out += s D ad_X; row by row, (D ad_X)_i = D_i x X (a cross product of rows)."""
    a, b, c = s * X[0], s * X[1], s * X[2]
    d, e, f = s * X[3], s * X[4], s * X[5]
    for i in range(3):
        k, m, n = D[0, i, 0], D[0, i, 1], D[0, i, 2]
        r, t, u = D[1, i, 0], D[1, i, 1], D[1, i, 2]
        out[0, i, 0] += m * c - n * b
        out[0, i, 1] += n * a - k * c
        out[0, i, 2] += k * b - m * a
        out[1, i, 0] += t * c - u * b + m * f - n * e
        out[1, i, 1] += u * a - r * c + n * d - k * f
        out[1, i, 2] += r * b - t * a + k * e - m * d


@leaf
def times_step(D, h, s, X, out):
    """out = D (h I + s ad_X), as in `add_times_ad`."""
    a, b, c = s * X[0], s * X[1], s * X[2]
    d, e, f = s * X[3], s * X[4], s * X[5]
    for i in range(3):
        k, m, n = D[0, i, 0], D[0, i, 1], D[0, i, 2]
        r, t, u = D[1, i, 0], D[1, i, 1], D[1, i, 2]
        out[0, i, 0] = h * k + m * c - n * b
        out[0, i, 1] = h * m + n * a - k * c
        out[0, i, 2] = h * n + k * b - m * a
        out[1, i, 0] = h * r + t * c - u * b + m * f - n * e
        out[1, i, 1] = h * t + u * a - r * c + n * d - k * f
        out[1, i, 2] = h * u + r * b - t * a + k * e - m * d


@leaf
def add_apply(D, X, Y):
    """Y += D X for a twist X."""
    for i in range(3):
        Y[i] += D[0, i, 0] * X[0] + D[0, i, 1] * X[1] + D[0, i, 2] * X[2]
        Y[3 + i] += (
            D[1, i, 0] * X[0]
            + D[1, i, 1] * X[1]
            + D[1, i, 2] * X[2]
            + D[0, i, 0] * X[3]
            + D[0, i, 1] * X[4]
            + D[0, i, 2] * X[5]
        )


@leaf
def apply_transposed(D, F, Y):
    """Y = D^T F for a wrench F = [m; f]: [A^T m + B^T f; A^T f]."""
    for i in range(3):
        Y[i] = (
            D[0, 0, i] * F[0]
            + D[0, 1, i] * F[1]
            + D[0, 2, i] * F[2]
            + D[1, 0, i] * F[3]
            + D[1, 1, i] * F[4]
            + D[1, 2, i] * F[5]
        )
        Y[3 + i] = D[0, 0, i] * F[3] + D[0, 1, i] * F[4] + D[0, 2, i] * F[5]
