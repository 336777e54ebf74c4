"""Whether a state of rest is surely stable, told by factorisations instead of eigenvalues.

Small motions obey M x'' + (C + G) x' + (K + N) x = 0 on what loops allow, with M, C, K symmetric, G, N skew.  With a
potential (N = 0) a positive K is enough.  Without one (world moments on turning bodies, follower loads) it is not: N
feeds energy to circling motions.  For an eigenvector x, with m = x* M x and so on (i g = x* G x, i n = x* N x),

    m l^2 + (c + i g) l + k + i n = 0,      Re l < 0 if and only if  c > 0 and c^2 k + c g n - m n^2 > 0,      m > 0,

(the criterion of Hurwitz for complex polynomials).  If |n| <= nu c and |g| <= gamma c for every x, this holds wherever

    C > 0      and      K - nu^2 M - gamma nu C > 0,

which two Cholesky factorisations tell; Frobenius norms of U^-T N U^-1 and U^-T G U^-1 with C = U^T U bound nu and
gamma.  The test is sufficient: where it fails, eigenvalues must tell (`solvers.statics.modes`).

What loops forbid is filled up: with orthonormal rows Q of what they forbid, X + Q^T Q is positive if X is so on what
they allow and zero across.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core import residual as _residual
from supple.core import residual_jacobians as _jacobians
from supple.jit import inner
from supple.linalg.cholesky import cholesky
from supple.linalg.triangular import solve_upper_transposed
from supple.solvers.rounding import SYMMETRIC

if TYPE_CHECKING:
    from supple.solvers.statics.equilibrium import Equilibrium

Array = np.ndarray

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)

#: Length below which what is left of a row of length one, made orthogonal to others, is rounding.
DEPENDENT = 1e-12
#: How often a system with loops is balanced: each time rows come closer to size one.
BALANCINGS = 3
#: What the test tells: surely stable; not known; damping and mass are needed to know.
STABLE, UNKNOWN, NEEDS_RATES = 1, 0, 2


class SmallMotions(NamedTuple):
    """Matrices (n, n) of small motions about a state of rest: dR/dq, dR/dv, dR/da."""

    stiffness: Array
    damping: Array
    mass: Array


def small_motions(equilibrium: Equilibrium) -> SmallMotions:
    """Those of an equilibrium."""
    model, q, n = equilibrium.model, equilibrium.q, equilibrium.model.n
    work, check = model.workspace, model.arguments
    function, rest = work.functions.jacobians, work.zero
    space = work.space(equilibrium.u, equilibrium.t, np.asarray(equilibrium.multipliers))
    out, found = np.empty(n), np.empty((3, n, n))
    dq, dv, da = found
    if not _jacobians.residual_jacobians(function, work.tree, space, check.state("q", q), rest, rest, out, dq, dv, da):
        check.finite(found.reshape(-1, n), q=q)
    return SmallMotions(dq, dv, da)


def tangent_stiffness(equilibrium: Equilibrium) -> Array:
    """dR/dq (n, n) of an equilibrium, whose numbers have been checked when it was found."""
    model, q = equilibrium.model, equilibrium.q
    work, check, K = model.workspace, model.arguments, np.empty((model.n, model.n))
    function, rest, out = work.functions.residual, work.zero, np.empty(model.n)
    space = work.space(equilibrium.u, equilibrium.t, np.asarray(equilibrium.multipliers))
    if not _residual.residual_tangent(function, work.tree, space, check.state("q", q), rest, rest, 0.0, 0.0, out, K):
        check.finite(np.vstack((out, K)), q=q)
    return K


@inner
def balance_and_test(K, A, E, C, M, free, matrix, norm, scale, rows, sizes, space):
    """The matrix [K, -A^T; E, 0] of the free coordinates and the multipliers, with entries of about one.

    Fills matrix (nf + nc, nf + nc), norm[0], the largest sum of the sizes of a row, and scale (nf + nc,), by which rows
    and columns were multiplied; returns whether small motions surely die away, or have a potential with a minimum there
    (`STABLE`).  C and M (n, n), damping and mass, may be omitted as (0, n).  Scratch is rows (2, nf + nc), sizes
    (nf + nc, nf + nc) and space (3, nf + nc, nf).
    """
    fill_system(K, A, E, free, matrix)
    nf, nc, m = free.shape[0], A.shape[0], Index(matrix.shape[0])
    balance(matrix, 1 if nc == 0 else BALANCINGS, scale, rows, sizes)
    norm[0] = 0.0
    for i in range(m):
        row, own = matrix[i], scale[i]
        for j in range(m):
            row[j] *= own * scale[j]
        norm[0] = max(norm[0], sum_of_sizes(row))
    Q, X, Y, Z = space[0, nf:], space[0, :nf], space[1, :nf], space[2, :nf]
    forbidden_rows(matrix, Q)
    for i in range(Index(nf)):
        for j in range(Index(nf)):
            X[i, j] = matrix[i, j]
    project(X, Q, rows)
    if is_symmetric(X):
        add_forbidden(X, Q)
        return STABLE if cholesky(X) < 0 else UNKNOWN
    if C.shape[0] == 0:
        return NEEDS_RATES
    return STABLE if surely_damped(X, C, M, free, scale, Q, Y, Z, rows) else UNKNOWN


@inner
def fill_system(K, A, E, free, matrix):
    """matrix = [K, -A^T; E, 0] of the free coordinates and the multipliers."""
    nf, nc = Index(free.shape[0]), Index(A.shape[0])
    for i in range(nf):
        for j in range(nf):
            matrix[i, j] = K[free[i], free[j]]
        for k in range(nc):
            matrix[i, nf + k], matrix[nf + k, i] = -A[k, free[i]], E[k, free[i]]
    for k in range(nc):
        for j in range(nc):
            matrix[nf + k, nf + j] = 0.0


@inner
def balance(matrix, times, scale, rows, sizes):
    """s (m,) with max over j of s_i |W_ij| s_j about one, by ``times`` turns of s_i = sqrt(s_i / max |W_ij| s_j).

    rows (2, m), sizes (m, m) are scratch.  A joint inside a loop may have no stiffness of its own: there the rows of
    loops tell how large things are.
    """
    m, last, largest = Index(matrix.shape[0]), rows[0], rows[1]
    for i in range(m):
        scale[i] = 1.0
        for j in range(i, m):
            sizes[i, j] = max(abs(matrix[i, j]), abs(matrix[j, i]))
            sizes[j, i] = sizes[i, j]
    for _ in range(times):
        for i in range(m):
            last[i], largest[i] = scale[i], 0.0
        for j in range(m):  # sizes are symmetric: along their rows, all i at once
            row, factor = sizes[j], last[j]
            for i in range(m):
                largest[i] = max(largest[i], row[i] * factor)
        for i in range(m):
            if largest[i] > 0.0:
                scale[i] = math.sqrt(last[i] / largest[i])


@inner
def forbidden_rows(matrix, Q):
    """Q (nc, nf), Q Q^T = 1, whose rows span those of loops in the balanced matrix; zero where they follow others."""
    nf = Q.shape[1]
    for k in range(Q.shape[0]):
        for i in range(nf):
            Q[k, i] = matrix[i, nf + k]
        normalise(Q[k], 0.0)
        for _ in range(2):  # twice is enough for orthogonality to rounding
            for j in range(k):
                along = product(Q[j], Q[k])
                for i in range(Index(nf)):
                    Q[k, i] -= along * Q[j, i]
        normalise(Q[k], DEPENDENT)


@inner
def normalise(row, least):
    """row = row / |row|, or zero if |row| <= ``least``."""
    total = 0.0
    for i in range(row.shape[0]):
        total += row[i] * row[i]
    factor = 1.0 / math.sqrt(total) if total > least * least else 0.0
    for i in range(row.shape[0]):
        row[i] *= factor


@inner
def project(X, Q, space):
    """X (nf, nf) becomes P X P with P = 1 - Q^T Q; space (2, nf) is scratch.

    Row by row q of Q: (1 - q q^T) X (1 - q q^T) = X - (X q - (q . X q) q) q^T - q (X^T q)^T.
    """
    nf, left, right = Index(X.shape[0]), space[0], space[1]
    for k in range(Index(Q.shape[0])):
        for j in range(nf):
            right[j] = 0.0
        both = 0.0
        for i in range(nf):
            x = Q[k, i]
            left[i] = product(X[i], Q[k])
            both += x * left[i]
            for j in range(nf):
                right[j] += x * X[i, j]
        for i in range(nf):
            x, y = Q[k, i], left[i] - both * Q[k, i]
            for j in range(nf):
                X[i, j] -= y * Q[k, j] + x * right[j]


@inner
def product(x, y):
    """sum of x_i y_i, in four sums that vectorise."""
    n, a, b, c, d = Index(x.shape[0]), 0.0, 0.0, 0.0, 0.0
    whole = n - n % FOUR
    for i in range(Index(0), whole, FOUR):
        a += x[i] * y[i]
        b += x[i + ONE] * y[i + ONE]
        c += x[i + TWO] * y[i + TWO]
        d += x[i + THREE] * y[i + THREE]
    for i in range(whole, n):
        a += x[i] * y[i]
    return (a + b) + (c + d)


@inner
def sum_of_sizes(x):
    """sum of |x_i|, in four sums, so that none waits for the one before."""
    n, a, b, c, d = Index(x.shape[0]), 0.0, 0.0, 0.0, 0.0
    whole = n - n % FOUR
    for i in range(Index(0), whole, FOUR):
        a += abs(x[i])
        b += abs(x[i + ONE])
        c += abs(x[i + TWO])
        d += abs(x[i + THREE])
    for i in range(whole, n):
        a += abs(x[i])
    return (a + b) + (c + d)


@inner
def is_symmetric(X):
    """Whether X (m, m) equals its mirror image, but for rounding."""
    largest, skew = 0.0, 0.0
    for i in range(Index(X.shape[0])):
        for j in range(i + ONE):
            x, y = X[i, j], X[j, i]
            largest, skew = max(largest, max(abs(x), abs(y))), max(skew, abs(x - y))
    return skew <= SYMMETRIC * largest


@inner
def add_forbidden(X, Q):
    """The upper half of X += Q^T Q."""
    n = Index(X.shape[0])
    for k in range(Index(Q.shape[0])):
        for i in range(n):
            x = Q[k, i]
            for j in range(i, n):  # the upper half is enough for factors
                X[i, j] += x * Q[k, j]


@inner
def surely_damped(K, C, M, free, scale, Q, U, N, rows):
    """Whether C > 0 and K - nu^2 M - gamma nu C > 0 on what loops allow; K (nf, nf) is projected and overwritten.

    C and M are those of all coordinates; U, N (nf, nf) and rows (2, nf) are scratch.
    """
    nf, gamma = K.shape[0], 0.0
    for i in range(nf):
        for j in range(nf):
            U[i, j] = scale[i] * scale[j] * C[free[i], free[j]]
    gyroscopic = not is_symmetric(U)
    for i in range(nf):
        for j in range(i, nf):
            U[i, j] = 0.5 * (U[i, j] + U[j, i])
    add_forbidden(U, Q)
    if cholesky(U) >= 0:
        return False
    for i in range(nf):
        for j in range(nf):
            N[i, j] = 0.5 * (K[i, j] - K[j, i])
    nu = relative_size(N, U)
    if gyroscopic:
        for i in range(nf):
            for j in range(nf):
                N[i, j] = 0.5 * scale[i] * scale[j] * (C[free[i], free[j]] - C[free[j], free[i]])
        project(N, Q, rows)
        gamma = relative_size(N, U)
    for i in range(nf):
        for j in range(i, nf):
            a, b = free[i], free[j]
            taken = nu * nu * 0.5 * (M[a, b] + M[b, a]) + gamma * nu * 0.5 * (C[a, b] + C[b, a])
            K[i, j] = 0.5 * (K[i, j] + K[j, i]) - scale[i] * scale[j] * taken
    add_forbidden(K, Q)
    return cholesky(K) < 0


@inner
def relative_size(N, U):
    """A bound of |x* N x| / (x* U^T U x) over all x, N skew: the Frobenius norm of U^-T N U^-1; N is overwritten."""
    n, total = Index(N.shape[0]), 0.0
    solve_upper_transposed(U, N)
    for i in range(n):
        for j in range(i):
            N[i, j], N[j, i] = N[j, i], N[i, j]
    for k in range(n):  # what comes out is skew, too: the upper half is enough
        pivot = 1.0 / U[k, k]
        for j in range(k + ONE, n):
            N[k, j] *= pivot
        for i in range(k + ONE, n):
            x = U[k, i]
            for j in range(i + ONE, n):
                N[i, j] -= x * N[k, j]
        for j in range(k + ONE, n):
            total += 2.0 * N[k, j] * N[k, j]
    return math.sqrt(total)
