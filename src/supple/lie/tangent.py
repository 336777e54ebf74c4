"""The tangent operator T of SE(3), its first and second time derivatives, and d(T^T F)/dOmega.

d/dt exp(Omega) = (T(Omega) Omega')^ exp(Omega): T carries rates of exponential coordinates to the twist seen in the
frame at the *start* of the step ([GVS-AD] B14, C15).  Over so(3), with x = w.w and the Stumpff functions c_k(x),

    T(w) = c_1 I + c_2 w~ + c_3 w w^T,

and over se(3) the same with dual numbers w + epsilon v (see `lie.dual`), so that
x + epsilon y with y = 2 w.v, and c_k + epsilon c_k' y.  Each operator is therefore a triple

    alpha I + beta~ + u w^T,     alpha = c_1,  beta = c_2 w,  u = c_3 w,

and its time derivatives are those of products of scalars and vectors: nothing is ever divided by theta.

``jet`` below is the curve Omega(t) as an array (3, 6): Omega, dOmega/dt, d2Omega/dt2 (the twist [w; v] each).
"""

from __future__ import annotations

from supple.jit import inlined, inner, local_like
from supple.lie.coefficients import tangent_coefficients

_derivatives = local_like(4, 3)  # c_k and its derivatives by x
_jets = local_like(2, 3, 3)  # [dual part, time derivative, .]


@inlined
def _dot(a, i, b, j):
    """Dot product of the 3-vectors at a[i:i+3] and b[j:j+3]."""
    return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]


@inner
def scalar_jets(jet, order, c):
    """Coefficients c_k along the curve: ``c[d, n, k-1]`` with d = dual part, n = time derivative.

    With x = w.w, y = 2 w.v and primes for derivatives by x (`tangent_coefficients`):
    c, c' xd, c'' xd^2 + c' xdd, and for the dual part the same of c' y.
    """
    W, Wd, Wdd = jet[0], jet[1], jet[2]
    dc = _derivatives(jet)
    tangent_coefficients(_dot(W, 0, W, 0), dc)
    y = 2.0 * _dot(W, 0, W, 3)
    for k in range(3):
        c[0, 0, k] = dc[0, k]
        c[1, 0, k] = dc[1, k] * y
    if order == 0:
        return
    xd = 2.0 * _dot(W, 0, Wd, 0)
    yd = 2.0 * (_dot(Wd, 0, W, 3) + _dot(W, 0, Wd, 3))
    for k in range(3):
        c[0, 1, k] = dc[1, k] * xd
        c[1, 1, k] = dc[2, k] * xd * y + dc[1, k] * yd
    if order == 2:
        xdd = 2.0 * (_dot(Wd, 0, Wd, 0) + _dot(W, 0, Wdd, 0))
        ydd = 2.0 * (_dot(Wdd, 0, W, 3) + 2.0 * _dot(Wd, 0, Wd, 3) + _dot(W, 0, Wdd, 3))
        for k in range(3):
            c[0, 2, k] = dc[2, k] * xd * xd + dc[1, k] * xdd
            c[1, 2, k] = dc[3, k] * xd * xd * y + dc[2, k] * (xdd * y + 2.0 * xd * yd) + dc[1, k] * ydd


@inlined
def vector_jets(jet, n, c, beta, u):
    """n-th time derivatives of beta = c_2 w and u = c_3 w with their dual parts, by Leibniz' rule.

    ``beta[d, n, :]`` and ``u[d, n, :]``; the dual part of c w is c_eps w + c v.
    """
    for i in range(3):
        for d in range(2):
            beta[d, n, i] = 0.0
            u[d, n, i] = 0.0
        for m in range(n + 1):
            binomial = 2.0 if (n == 2 and m == 1) else 1.0
            w, v = binomial * jet[n - m, i], binomial * jet[n - m, 3 + i]
            beta[0, n, i] += c[0, m, 1] * w
            beta[1, n, i] += c[1, m, 1] * w + c[0, m, 1] * v
            u[0, n, i] += c[0, m, 2] * w
            u[1, n, i] += c[1, m, 2] * w + c[0, m, 2] * v


@inlined
def _write_operator(alpha, beta, D):
    """D = alpha I + beta~ (3x3)."""
    D[0, 0], D[1, 1], D[2, 2] = alpha, alpha, alpha
    D[0, 1], D[0, 2] = -beta[2], beta[1]
    D[1, 0], D[1, 2] = beta[2], -beta[0]
    D[2, 0], D[2, 1] = -beta[1], beta[0]


@inner
def _operator(jet, n, c, beta, u, T):
    """T = n-th time derivative (n = 0, 1, 2) of the tangent operator, as a dual matrix (2, 3, 3).

    The n-th uses the vector jets of the lower ones: d^n (u w^T) = sum_m binom(n, m) u^(m) (w^(n-m))^T.
    """
    vector_jets(jet, n, c, beta, u)
    _write_operator(c[0, n, 0], beta[0, n], T[0])
    _write_operator(c[1, n, 0], beta[1, n], T[1])
    for m in range(n + 1):
        binomial = 2.0 if (n == 2 and m == 1) else 1.0
        for j in range(3):
            w, v = binomial * jet[n - m, j], binomial * jet[n - m, 3 + j]
            for i in range(3):
                T[0, i, j] += u[0, m, i] * w
                T[1, i, j] += u[1, m, i] * w + u[0, m, i] * v


@inner
def tangent_operators(jet, order, T):
    """T[n] = n-th time derivative of the tangent operator along the curve, n = 0 to ``order`` (0, 1 or 2).

    T (order + 1, 2, 3, 3) are dual matrices; of ``jet`` only the first ``order + 1`` rows count.
    """
    c, beta, u = _jets(jet), _jets(jet), _jets(jet)
    scalar_jets(jet, order, c)
    _operator(jet, 0, c, beta, u, T[0])  # one by one: each is compiled for its own n
    if order >= 1:
        _operator(jet, 1, c, beta, u, T[1])
    if order == 2:
        _operator(jet, 2, c, beta, u, T[2])


@inner
def tangent_transposed_derivative(Omega, F, c, H):
    """H = d(T(Omega)^T F)/dOmega at constant F, (6, 6): the inner matrix of [GVS-AD] C29.

    On so(3): G(w; f) = d(T^T f)/dw with T^T f = c_1 f - c_2 w x f + c_3 w (w.f).
    On se(3), with F = [m; f] and dual numbers: H = [[G_eps, G], [G, 0]], G = G(w; f) and G_eps its dual part along
    w + epsilon v, f + epsilon m.  ``c`` is the array of `tangent_coefficients` at x = w.w.
    """
    y = 2.0 * _dot(Omega, 0, Omega, 3)
    c2, c3 = c[0, 1], c[0, 2]
    d1, d2, d3 = c[1, 0], c[1, 1], c[1, 2]
    e1, e2, e3 = c[2, 0] * y, c[2, 1] * y, c[2, 2] * y  # dual parts of the first derivatives
    w, v = Omega[0:3], Omega[3:6]
    m, f = F[0:3], F[3:6]
    wf = _dot(Omega, 0, F, 3)
    wf_eps = _dot(Omega, 3, F, 3) + _dot(Omega, 0, F, 0)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        cross = w[j] * f[k] - w[k] * f[j]
        cross_eps = v[j] * f[k] - v[k] * f[j] + w[j] * m[k] - w[k] * m[j]
        # r w^T collects all terms that come from dx = 2 w.dw
        r = 2.0 * (d1 * f[i] - d2 * cross + d3 * wf * w[i])
        r_eps = 2.0 * (
            e1 * f[i] + d1 * m[i] - e2 * cross - d2 * cross_eps + (e3 * wf + d3 * wf_eps) * w[i] + d3 * wf * v[i]
        )
        s, s_eps = c3 * w[i], d3 * y * w[i] + c3 * v[i]
        for n in range(3):
            H[i, 3 + n] = r * w[n] + s * f[n]
            H[i, n] = r_eps * w[n] + r * v[n] + s_eps * f[n] + s * m[n]
        H[i, 3 + i] += c3 * wf
        H[i, i] += d3 * y * wf + c3 * wf_eps
        # c_2 f~
        H[i, 3 + j] -= c2 * f[k]
        H[i, 3 + k] += c2 * f[j]
        H[i, j] -= d2 * y * f[k] + c2 * m[k]
        H[i, k] += d2 * y * f[j] + c2 * m[j]
    for i in range(3):
        for n in range(3):
            H[3 + i, n] = H[i, 3 + n]
            H[3 + i, 3 + n] = 0.0
