"""SE(3): exponential, adjoint actions on twists and wrenches ([GVS-AD] appendix A).

Twists and wrenches are 6-vectors with the angular part first: V = [w; v], F = [m; f].  A pose is the pair
(R, p).  All functions write into their last arguments; those named ``add_*`` accumulate.
"""

from __future__ import annotations

from supple.jit import leaf
from supple.lie.coefficients import stumpff_exponential


@leaf
def exp(Omega, R, p):
    """R, p = exp(Omega): R = I + c_1 w~ + c_2 w~^2, p = (c_1 I + c_2 w~ + c_3 w w^T) v."""
    x, y, z = Omega[0], Omega[1], Omega[2]
    a, b, c = Omega[3], Omega[4], Omega[5]
    c1, c2, c3 = stumpff_exponential(x * x + y * y + z * z)
    R[0, 0] = 1.0 - c2 * (y * y + z * z)
    R[1, 1] = 1.0 - c2 * (x * x + z * z)
    R[2, 2] = 1.0 - c2 * (x * x + y * y)
    R[0, 1], R[1, 0] = c2 * x * y - c1 * z, c2 * x * y + c1 * z
    R[0, 2], R[2, 0] = c2 * x * z + c1 * y, c2 * x * z - c1 * y
    R[1, 2], R[2, 1] = c2 * y * z - c1 * x, c2 * y * z + c1 * x
    w_dot_v = c3 * (x * a + y * b + z * c)
    p[0] = c1 * a + c2 * (y * c - z * b) + w_dot_v * x
    p[1] = c1 * b + c2 * (z * a - x * c) + w_dot_v * y
    p[2] = c1 * c + c2 * (x * b - y * a) + w_dot_v * z


@leaf
def compose(R0, p0, R1, p1, R, p):
    """(R, p) = (R0, p0) (R1, p1); the result must not alias the factors."""
    for i in range(3):
        for j in range(3):
            R[i, j] = R0[i, 0] * R1[0, j] + R0[i, 1] * R1[1, j] + R0[i, 2] * R1[2, j]
        p[i] = p0[i] + R0[i, 0] * p1[0] + R0[i, 1] * p1[1] + R0[i, 2] * p1[2]


@leaf
def rotate(R, x, y):
    """y = R x for 3-vectors."""
    for i in range(3):
        y[i] = R[i, 0] * x[0] + R[i, 1] * x[1] + R[i, 2] * x[2]


@leaf
def Ad(R, p, X, Y):
    """Y = Ad_g X = [R w; R v + p x R w]."""
    for i in range(3):
        Y[i] = R[i, 0] * X[0] + R[i, 1] * X[1] + R[i, 2] * X[2]
        Y[3 + i] = R[i, 0] * X[3] + R[i, 1] * X[4] + R[i, 2] * X[5]
    Y[3] += p[1] * Y[2] - p[2] * Y[1]
    Y[4] += p[2] * Y[0] - p[0] * Y[2]
    Y[5] += p[0] * Y[1] - p[1] * Y[0]


@leaf
def Ad_inverse(R, p, X, Y):
    """Y = Ad_g^-1 X = [R^T w; R^T (v - p x w)]."""
    a = X[3] - (p[1] * X[2] - p[2] * X[1])
    b = X[4] - (p[2] * X[0] - p[0] * X[2])
    c = X[5] - (p[0] * X[1] - p[1] * X[0])
    for i in range(3):
        Y[i] = R[0, i] * X[0] + R[1, i] * X[1] + R[2, i] * X[2]
        Y[3 + i] = R[0, i] * a + R[1, i] * b + R[2, i] * c


@leaf
def Ad_transposed(R, p, F, Y):
    """Y = Ad_g^T F = [R^T (m - p x f); R^T f]: a world wrench seen from the frame g."""
    a = F[0] - (p[1] * F[5] - p[2] * F[4])
    b = F[1] - (p[2] * F[3] - p[0] * F[5])
    c = F[2] - (p[0] * F[4] - p[1] * F[3])
    for i in range(3):
        Y[i] = R[0, i] * a + R[1, i] * b + R[2, i] * c
        Y[3 + i] = R[0, i] * F[3] + R[1, i] * F[4] + R[2, i] * F[5]


@leaf
def add_ad(V, X, Y):
    """Y += ad_V X = [w x X_w; v x X_w + w x X_v]."""
    Y[0] += V[1] * X[2] - V[2] * X[1]
    Y[1] += V[2] * X[0] - V[0] * X[2]
    Y[2] += V[0] * X[1] - V[1] * X[0]
    Y[3] += V[4] * X[2] - V[5] * X[1] + V[1] * X[5] - V[2] * X[4]
    Y[4] += V[5] * X[0] - V[3] * X[2] + V[2] * X[3] - V[0] * X[5]
    Y[5] += V[3] * X[1] - V[4] * X[0] + V[0] * X[4] - V[1] * X[3]


@leaf
def add_coad(V, F, Y):
    """Y += ad*_V F = [w x m + v x f; w x f]."""
    Y[0] += V[1] * F[2] - V[2] * F[1] + V[4] * F[5] - V[5] * F[4]
    Y[1] += V[2] * F[0] - V[0] * F[2] + V[5] * F[3] - V[3] * F[5]
    Y[2] += V[0] * F[1] - V[1] * F[0] + V[3] * F[4] - V[4] * F[3]
    Y[3] += V[1] * F[5] - V[2] * F[4]
    Y[4] += V[2] * F[3] - V[0] * F[5]
    Y[5] += V[0] * F[4] - V[1] * F[3]


@leaf
def add_scaled(a, X, Y):
    """Y += a X for 6-vectors."""
    for i in range(6):
        Y[i] += a * X[i]


@leaf
def add_matrix6(M, X):
    """X += M for 6x6 matrices."""
    for i in range(6):
        for j in range(6):
            X[i, j] += M[i, j]


@leaf
def dot6(X, Y):
    """X . Y for 6-vectors: the power of a wrench on a twist."""
    return X[0] * Y[0] + X[1] * Y[1] + X[2] * Y[2] + X[3] * Y[3] + X[4] * Y[4] + X[5] * Y[5]


@leaf
def product6(M, X, Y):
    """Y = M X with M (6, 6)."""
    for i in range(6):
        Y[i] = M[i, 0] * X[0] + M[i, 1] * X[1] + M[i, 2] * X[2] + M[i, 3] * X[3] + M[i, 4] * X[4] + M[i, 5] * X[5]


@leaf
def product6_transposed(M, X, Y):
    """Y = M^T X with M (6, 6); for a symmetric M the faster of the two, since it runs along rows."""
    for i in range(6):
        Y[i] = M[0, i] * X[0] + M[1, i] * X[1] + M[2, i] * X[2] + M[3, i] * X[3] + M[4, i] * X[4] + M[5, i] * X[5]
