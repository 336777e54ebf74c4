"""Logarithm of SE(3) and inverses of the tangent operator."""

from __future__ import annotations

import math

from supple.jit import inner
from supple.lie.tangent import scalar_jets, tangent_operator


@inner
def inverse3(A, out):
    """out = A^-1 for a 3x3 matrix, by cofactors."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(3):
            m, n = (l + 1) % 3, (l + 2) % 3
            out[l, i] = A[j, m] * A[k, n] - A[j, n] * A[k, m]
    determinant = A[0, 0] * out[0, 0] + A[0, 1] * out[1, 0] + A[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= determinant


@inner
def rotation_vector(R, w):
    """w with exp(w~) = R and |w| <= pi, through the quaternion with the largest component (stable up to pi)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    i = 0
    if R[1, 1] > R[i, i]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    if trace > R[i, i]:
        real = 0.5 * math.sqrt(1.0 + trace)
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            w[a] = (R[c, b] - R[b, c]) / (4.0 * real)
    else:
        w[i] = 0.5 * math.sqrt(1.0 + R[i, i] - R[j, j] - R[k, k])
        real = (R[k, j] - R[j, k]) / (4.0 * w[i])
        w[j] = (R[j, i] + R[i, j]) / (4.0 * w[i])
        w[k] = (R[k, i] + R[i, k]) / (4.0 * w[i])
    if real < 0.0:
        real = -real
        for a in range(3):
            w[a] = -w[a]
    sine = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    # angle / sine of the half angle; for small angles atan2(s, c) / s -> 1 / c
    factor = 2.0 * math.atan2(sine, real) / sine if sine > 1e-9 else 2.0 / real
    for a in range(3):
        w[a] *= factor


@inner
def log(R, p, jet, t):
    """jet[0] = Omega with exp(Omega) = (R, p), and t.T = T(Omega), t.D = T(Omega)^-1 as dual matrices.

    The rates jet[1], jet[2] must be zero.  v = A^-1 p with the so(3) block A of T(w); the inverse of the dual
    matrix A + epsilon B is A^-1 - epsilon A^-1 B A^-1.
    """
    Omega = jet[0]
    for i in range(6):
        Omega[i] = 0.0
    rotation_vector(R, Omega)
    scalar_jets(jet, 1, t)
    tangent_operator(jet, 0, t, t.T)
    inverse3(t.T[0], t.D[0])
    for i in range(3):
        Omega[3 + i] = t.D[0, i, 0] * p[0] + t.D[0, i, 1] * p[1] + t.D[0, i, 2] * p[2]
    scalar_jets(jet, 1, t)
    tangent_operator(jet, 0, t, t.T)
    for i in range(3):
        for j in range(3):
            x = 0.0
            for k in range(3):
                for l in range(3):
                    x += t.D[0, i, k] * t.T[1, k, l] * t.D[0, l, j]
            t.D[1, i, j] = -x
