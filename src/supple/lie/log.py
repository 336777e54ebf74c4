"""Logarithm of SE(3) and inverses of the tangent operator."""

from __future__ import annotations

import math

from supple.jit import inner, local_array
from supple.lie.tangent import tangent_operators

_jet, _operators = local_array(3, 6), local_array(1, 2, 3, 3)


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
def invert_dual_part(D, inverse):
    """inverse = (A + epsilon B)^-1 = A^-1 - epsilon A^-1 B A^-1 of the dual matrix D, where A^-1 is there already."""
    for i in range(3):
        for j in range(3):
            x = 0.0
            for k in range(3):
                for l in range(3):
                    x += inverse[0, i, k] * D[1, k, l] * inverse[0, l, j]
            inverse[1, i, j] = -x


@inner
def log(R, p, Omega, inverse):
    """Omega (6,) with exp(Omega) = (R, p), and inverse = T(Omega)^-1 as a dual matrix (2, 3, 3).

    v = A^-1 p with the so(3) block A of T(w).
    """
    jet, T = _jet(), _operators()
    for m in range(3):
        for i in range(6):
            jet[m, i] = 0.0
    rotation_vector(R, jet[0])
    tangent_operators(jet, 0, T)
    inverse3(T[0, 0], inverse[0])
    for i in range(3):
        jet[0, 3 + i] = inverse[0, i, 0] * p[0] + inverse[0, i, 1] * p[1] + inverse[0, i, 2] * p[2]
    tangent_operators(jet, 0, T)
    invert_dual_part(T[0], inverse)
    for i in range(6):
        Omega[i] = jet[0, i]
