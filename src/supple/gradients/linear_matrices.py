"""A and B of linear systems, put together from derivatives of accelerations by one compiled call.

As slices of NumPy arrays this would take half as long as the derivatives of a small robot themselves.
"""

from __future__ import annotations

import numpy as np

from supple.jit import kernel

U = np.uint64  # unsigned indices vectorise, see linalg.products


@kernel
def fill_matrices(free, dq, dv, du, A, B):
    """A = [[0, 1, 0], [dq, dv, 0], [0, 0, 0]] and B = [0; du; 0] for n coordinates and internal states.

    ``free`` (n,) is 0 for coordinates that are prescribed, whose rates are given, else 1.
    """
    n, m, nu = U(dq.shape[0]), U(A.shape[0]), U(B.shape[1])
    for i in range(n):
        for j in range(m):
            A[i, j] = 0.0
        A[i, n + i] = free[i]
        for j in range(n):
            A[n + i, j] = dq[i, j]
        for j in range(n):
            A[n + i, n + j] = dv[i, j]
        for j in range(n + n, m):
            A[n + i, j] = 0.0
        for j in range(nu):
            B[i, j] = 0.0
            B[n + i, j] = du[i, j]
    for i in range(n + n, m):
        for j in range(m):
            A[i, j] = 0.0
        for j in range(nu):
            B[i, j] = 0.0
