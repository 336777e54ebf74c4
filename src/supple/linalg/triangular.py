"""Solutions with a triangular factor U (n, n), whose upper triangle alone is read, for all columns of a matrix at once.

Inner loops add a multiple of one row to another, so they run along memory and vectorise.  What the factors of
`linalg.cholesky` and `linalg.lu` share.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inlined

Index = np.uint64  # unsigned indices vectorise, see linalg.products
ONE = np.uint64(1)


@inlined
def solve_upper(U, B):
    """B = U^-1 B for B (n, m), from the last row on: b_i = (b_i - sum over k > i of U_ik b_k) / U_ii."""
    n, m = Index(B.shape[0]), Index(B.shape[1])
    for r in range(n):
        i = n - ONE - r
        for k in range(i + ONE, n):
            x = U[i, k]
            for j in range(m):
                B[i, j] -= x * B[k, j]
        inverse = 1.0 / U[i, i]
        for j in range(m):
            B[i, j] *= inverse


@inlined
def solve_upper_transposed(U, B):
    """B = U^-T B for B (n, m), from the first row on: b_k = (b_k - sum over i < k of U_ik b_i) / U_kk."""
    n, m = Index(B.shape[0]), Index(B.shape[1])
    for k in range(n):
        inverse = 1.0 / U[k, k]
        for j in range(m):
            B[k, j] *= inverse
        for i in range(k + ONE, n):
            x = U[k, i]
            for j in range(m):
                B[i, j] -= x * B[k, j]
