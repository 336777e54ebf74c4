"""Products with the inverse of a tangent that is factorised over the tree, and with its transpose, in linear time.

With the factors of `core.tree_tangent` (symbols as there), T x = r takes one way in and one way out,

    inward:    f = r - sum J_k^T b_k,              handed inward: b = sum b_k + C f;
    outward:   x = E^-1 (f - W^T y_p),             y_k = y_p + V_k x,

and T^T x = r the same steps transposed, in the reverse order:

    inward:    z = E^-T (r + sum V_k^T c_k),       handed inward: c = sum c_k - W z;
    outward:   x = z + C^T d_p,                    d_k = d_p - J_k x.

Ties and further unknowns s (`core.tree_ties`) are a border, T x + P s = r, Q x + D s = t, with its Schur complement
S = D - Q T^-1 P, which is small and dense.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.arrays import matrix_at, tree_view, vector_at
from supple.core.tree_factors import BORDER, KNOT, KNOT_END, LU_AT, TIES, factors_at
from supple.jit import AddressedKernel, calling, inlined, inner, leaf
from supple.linalg.lu import factorise, solve, solve_transposed

U = np.uint64  # unsigned indices vectorise, see linalg.products

SIGNATURE = types.int64(*[types.int64] * 4)

call_tree_solver = calling(SIGNATURE)

#: Smallest pivot of a block beside which a border is trusted: the tree alone may be singular where all together is not,
#: a body that floats on springs for one, and S then is a difference of large numbers.
FIRM = 1e-12

#: What is asked of the kernel: factors of the border; a solution with the matrix, or with its transpose.
FACTORISE_BORDER, SOLVE, SOLVE_TRANSPOSED = 0, 1, 2


@leaf
def clear(rows):
    """Zero a matrix."""
    for i in range(U(rows.shape[0])):
        for j in range(U(rows.shape[1])):
            rows[i, j] = 0.0


@leaf
def add_transposed(V, at, rows, n, f, sign, x, start):
    """x[start:start+n] += sign V^T f for V (rows, n) at V[at:]."""
    at, n, start = U(at), U(n), U(start)
    for k in range(U(rows)):
        a = sign * f[k]
        for j in range(n):
            x[start + j] += a * V[at + k * n + j]


@leaf
def add_product(V, at, rows, n, x, start, sign, out):
    """out (rows,) += sign V x[start:start+n] for V (rows, n) at V[at:]."""
    at, n, start = U(at), U(n), U(start)
    for k in range(U(rows)):
        total = 0.0
        for j in range(n):
            total += V[at + k * n + j] * x[start + j]
        out[k] += sign * total


@leaf
def add_reach(C, start, n, x, f):
    """f (6,) += C x of a block."""
    start = U(start)
    for k in range(U(6)):
        total = 0.0
        for j in range(U(n)):
            total += C[k, start + j] * x[start + j]
        f[k] += total


@leaf
def add_reach_transposed(C, start, n, f, x):
    """x += C^T f of a block."""
    start = U(start)
    for k in range(U(6)):
        a = f[k]
        for j in range(U(n)):
            x[start + j] += a * C[k, start + j]


@leaf
def subtract_follow(W, start, n, y, x):
    """x -= W^T y of a block, y (18,)."""
    start = U(start)
    for j in range(U(n)):
        a, b, c = 0.0, 0.0, 0.0
        for k in range(U(6)):
            a += W[start + j, k] * y[k]
            b += W[start + j, U(6) + k] * y[U(6) + k]
            c += W[start + j, U(12) + k] * y[U(12) + k]
        x[start + j] -= a + b + c


@leaf
def subtract_follow_transposed(W, start, n, x, c):
    """c (18,) -= W x of a block."""
    start = U(start)
    for j in range(U(n)):
        a = x[start + j]
        for k in range(U(18)):
            c[k] -= a * W[start + j, k]


@inner
def solve_block(lu, at, start, n, pivots, scales, transposed, x):
    """x[start:start+n] becomes E^-1 or E^-T times it."""
    E = matrix_at(lu.ctypes.data + 8 * at, (n, n))
    p, s, part = pivots[start : start + n], scales[start : start + n], x[start : start + n]
    if transposed:
        solve_transposed(E, p, s, part)
    else:
        solve(E, p, s, part)


@inlined
def drop_locked(free, x):
    """x_i = 0 where coordinates are locked, free_i = 0."""
    for i in range(x.shape[0]):
        x[i] *= free[i]


@inlined
def gather_knots(factors, b, rows, sign, hanging, n, start, x, into):
    """x += sign sum V_k^T f_k and into += sum f_k over the knots k of block b, where others hang; f_k (rows,)."""
    knots = factors.knots
    for r in range(factors.places[b, KNOT], factors.places[b, KNOT_END]):
        own = hanging[knots[r, 0]]
        add_transposed(factors.columns, knots[r, 1], rows, n, own, sign, x, start)
        for k in range(rows):
            into[k] += own[k]


@inlined
def spread_knots(factors, b, rows, sign, base, n, start, x, hanging):
    """f_k = base + sign V_k x, (rows,), at the knots k of block b."""
    knots = factors.knots
    for r in range(factors.places[b, KNOT], factors.places[b, KNOT_END]):
        own = hanging[knots[r, 0]]
        for k in range(rows):
            own[k] = base[k]
        add_product(factors.columns, knots[r, 1], rows, n, x, start, sign, own)


@inlined
def solve_plain(tree, factors, x):
    """x (n,) = T^-1 x, T being the tangent of the tree alone; locked coordinates become zero."""
    forces, motions, slots = factors.forces, factors.motions, factors.slots
    clear(forces)
    drop_locked(factors.free, x)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        n, start, into = block.n, block.start, forces[slots[block.parent]]
        gather_knots(factors, b, 6, -1.0, forces, n, start, x, into)
        if block.parent > 0:
            add_reach(factors.C, start, n, x, into)
    for k in range(18):
        motions[0, k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        n, start, base = block.n, block.start, motions[slots[block.parent]]
        if n > 0:
            if block.parent > 0:
                subtract_follow(factors.W, start, n, base, x)
            solve_block(factors.lu, factors.places[b, LU_AT], start, n, factors.pivots, factors.scales, False, x)
        spread_knots(factors, b, 18, 1.0, base, n, start, x, motions)


@inlined
def solve_plain_transposed(tree, factors, x):
    """x (n,) = T^-T x, T being the tangent of the tree alone; locked coordinates become zero."""
    forces, motions, slots = factors.forces, factors.motions, factors.slots
    clear(motions)
    drop_locked(factors.free, x)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        n, start, into = block.n, block.start, motions[slots[block.parent]]
        gather_knots(factors, b, 18, 1.0, motions, n, start, x, into)
        if n > 0:
            solve_block(factors.lu, factors.places[b, LU_AT], start, n, factors.pivots, factors.scales, True, x)
            if block.parent > 0:
                subtract_follow_transposed(factors.W, start, n, x, into)
    for k in range(6):
        forces[0, k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        n, start, base = block.n, block.start, forces[slots[block.parent]]
        if block.parent > 0:
            add_reach_transposed(factors.C, start, n, base, x)
        spread_knots(factors, b, 6, -1.0, base, n, start, x, forces)


@leaf
def dot(a, b):
    """a . b, in four sums, so that no product waits for the one before."""
    n = U(a.shape[0])
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(n // U(4)):
        k = U(4) * i
        s0 += a[k] * b[k]
        s1 += a[k + U(1)] * b[k + U(1)]
        s2 += a[k + U(2)] * b[k + U(2)]
        s3 += a[k + U(3)] * b[k + U(3)]
    for k in range(n - n % U(4), n):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)


@leaf
def subtract_scaled(a, y, x):
    """x -= a y."""
    for i in range(U(x.shape[0])):
        x[i] -= a * y[i]


@inlined
def factorise_border(tree, factors):
    """Z = T^-1 P and the factors of S = D - Q Z.  Returns -1, or a row of S without a pivot that can be trusted."""
    m = factors.count[BORDER]
    if m > 0 and not factors.smallest[0] > FIRM:
        return np.int64(0)
    S = matrix_at(factors.S.ctypes.data, (m, m))
    for k in range(m):
        Z = factors.Z[k]
        for j in range(Z.shape[0]):
            Z[j] = factors.P[k, j]
        solve_plain(tree, factors, Z)
        for i in range(m):
            S[i, k] = factors.D[i, k] - dot(factors.Q[i], Z)
    return factorise(S, factors.border_pivots[:m], factors.border_scales[:m])


@inlined
def solve_bordered(tree, factors, rhs, transposed):
    """Overwrite rhs = (r in `order`, t) by the solution (x, s) of T x + P s = r, Q x + D s = t, or of its transpose.

    With Z = T^-1 P and the factors of S = D - Q Z: s = S^-1 (t - Q T^-1 r), x = T^-1 r - Z s.
    """
    order, x, s = factors.order, factors.x, factors.s
    m, ties, nf = factors.count[BORDER], factors.count[TIES], factors.order.shape[0]
    for i in range(x.shape[0]):
        x[i] = 0.0
    for i in range(nf):
        x[order[i]] = rhs[i]
    for k in range(m):
        s[k] = rhs[nf + k - ties] if k >= ties else 0.0
    S, part = matrix_at(factors.S.ctypes.data, (m, m)), s[:m]
    if transposed:
        if m > 0:
            for k in range(m):
                s[k] -= dot(factors.Z[k], x)
            solve_transposed(S, factors.border_pivots[:m], factors.border_scales[:m], part)
            for k in range(m):
                subtract_scaled(s[k], factors.Q[k], x)
        solve_plain_transposed(tree, factors, x)
    else:
        solve_plain(tree, factors, x)
        if m > 0:
            for k in range(m):
                s[k] -= dot(factors.Q[k], x)
            solve(S, factors.border_pivots[:m], factors.border_scales[:m], part)
            for k in range(m):
                subtract_scaled(s[k], factors.Z[k], x)
    for i in range(nf):
        rhs[i] = x[order[i]]
    for k in range(ties, m):
        rhs[nf + k - ties] = s[k]


def _tree_solver(tree_address, factors_address, task, rhs_at):
    """Factors of the border (returns -1 or the row without a pivot), or a solution in place at ``rhs_at``."""
    tree, factors = tree_view(tree_address), factors_at(factors_address)
    if task == FACTORISE_BORDER:
        return factorise_border(tree, factors)
    size = factors.order.shape[0] + factors.count[BORDER] - factors.count[TIES]
    solve_bordered(tree, factors, vector_at(rhs_at, (size,)), task == SOLVE_TRANSPOSED)
    return np.int64(-1)


TREE_SOLVER = AddressedKernel(_tree_solver, SIGNATURE)
