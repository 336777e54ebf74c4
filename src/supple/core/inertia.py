"""Inertia of a point in world axes, its wrench and its velocity tangent ([GVS-AD] 16, 20a)."""

from __future__ import annotations

from supple.jit import leaf
from supple.lie.se3 import add_coad, product6_transposed


@leaf
def rotated_block(R, M, r, c, out):
    """out[r:r+3, c:c+3] = R M[r:r+3, c:c+3] R^T."""
    for i in range(3):
        a = R[i, 0] * M[r, c] + R[i, 1] * M[r + 1, c] + R[i, 2] * M[r + 2, c]
        b = R[i, 0] * M[r, c + 1] + R[i, 1] * M[r + 1, c + 1] + R[i, 2] * M[r + 2, c + 1]
        d = R[i, 0] * M[r, c + 2] + R[i, 1] * M[r + 1, c + 2] + R[i, 2] * M[r + 2, c + 2]
        for j in range(3):
            out[r + i, c + j] = a * R[j, 0] + b * R[j, 1] + d * R[j, 2]


@leaf
def world_inertia(R, p, inertia, M):
    """M = Ad_g^-T inertia Ad_g^-1: a symmetric 6x6 inertia of the frame (R, p) about the common origin.

    With rotated blocks J, C, D (angular, coupling, linear): [[J - C p~ + p~ C^T - p~ D p~, C + p~ D], [., D]].
    The inertia may be any symmetric matrix (added mass), not only that of a rigid body.
    """
    rotated_block(R, inertia, 0, 0, M)
    rotated_block(R, inertia, 0, 3, M)
    rotated_block(R, inertia, 3, 3, M)
    x, y, z = p[0], p[1], p[2]
    # J -= C p~, row by row: (C p~)_i = C_i x p; here C is still the rotated block
    for i in range(3):
        a, b, c = M[i, 3], M[i, 4], M[i, 5]
        M[i, 0] -= b * z - c * y
        M[i, 1] -= c * x - a * z
        M[i, 2] -= a * y - b * x
    # E = C + p~ D
    for j in range(3):
        a, b, c = M[3, 3 + j], M[4, 3 + j], M[5, 3 + j]
        M[3 + j, 0], M[3 + j, 1], M[3 + j, 2] = M[0, 3 + j], M[1, 3 + j], M[2, 3 + j]  # C^T, kept below
        M[0, 3 + j] += y * c - z * b
        M[1, 3 + j] += z * a - x * c
        M[2, 3 + j] += x * b - y * a
    # J += p~ (C^T - D p~) = p~ E^T, since E^T = C^T - D p~
    for j in range(3):
        a, b, c = M[j, 3], M[j, 4], M[j, 5]
        M[0, j] += y * c - z * b
        M[1, j] += z * a - x * c
        M[2, j] += x * b - y * a
        M[3, j], M[4, j], M[5, j] = a, b, c


@leaf
def point_wrench(w):
    """F = M A + ad*_V (M V) of one point (16); gravity is inside A.  Keeps h = M V."""
    product6_transposed(w.M, w.V, w.h)
    product6_transposed(w.M, w.A, w.F)
    add_coad(w.V, w.h, w.F)


@leaf
def velocity_tangent(w, X):
    """N = adbar*_h - X - X^T with X = M ad_V (20a); ``X`` is scratch (6, 6).

    Row i of M ad_V is [M_i^w x w + M_i^v x v, M_i^v x w].
    """
    M, N, V, h = w.M, w.N, w.V, w.h
    for i in range(6):
        a, b, c, d, e, f = M[i, 0], M[i, 1], M[i, 2], M[i, 3], M[i, 4], M[i, 5]
        X[i, 0] = b * V[2] - c * V[1] + e * V[5] - f * V[4]
        X[i, 1] = c * V[0] - a * V[2] + f * V[3] - d * V[5]
        X[i, 2] = a * V[1] - b * V[0] + d * V[4] - e * V[3]
        X[i, 3] = e * V[2] - f * V[1]
        X[i, 4] = f * V[0] - d * V[2]
        X[i, 5] = d * V[1] - e * V[0]
    for i in range(6):
        for j in range(6):
            N[i, j] = -X[i, j] - X[j, i]
    add_coadbar(h, N)


@leaf
def add_coadbar(F, N):
    """N += adbar*_F = -[[m~, f~], [f~, 0]] (appendix A), the matrix with adbar*_F V = ad*_V F."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        N[i, j] += F[k]
        N[i, k] -= F[j]
        N[i, 3 + j] += F[3 + k]
        N[i, 3 + k] -= F[3 + j]
        N[3 + i, j] += F[3 + k]
        N[3 + i, k] -= F[3 + j]
