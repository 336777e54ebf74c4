"""Loads on pairs of segments: J_a^T (G J_b + N R_b) added to the tangent, along the chains to both segments.

A load that feels the strain at a node enters the same way, J_a^T G Psi, its ``b`` being negative (`coupling_t`).

Two segments on different branches feel each other only through such loads, so these entries are added where the
sweeps left zeros.  The chain of a segment is its own block's columns and the end columns of all blocks inward; of a
rod that it leaves before the tip (`core.grafts`), the columns there.
"""

from __future__ import annotations

import numpy as np

from supple.core.records import J_SUM, R_SUM
from supple.jit import inlined, inner, opaque, outlined

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inner
def chain_columns(tree, space, s, m, out):
    """out (6, n) = columns ``m`` (J, R or Q) of a visited segment, summed from the world outward; zero elsewhere."""
    ranges, columns, totals, rows = tree.ranges, space.columns, space.totals, U(opaque(6))
    for k in range(rows):
        for j in range(U(out.shape[1])):
            out[k, j] = 0.0
    if s == 0:
        return
    block = tree.blocks[tree.owner[s]]
    n, start = U(block.n), U(block.start)
    own = U(block.columns) + U(s - block.first) * n
    for k in range(rows):
        for j in range(n):
            out[k, start + j] = columns[m, k, own + j]
        for r in range(block.inward[0], block.inward[1]):
            for j in range(U(ranges[r, 0]), U(ranges[r, 1])):
                out[k, j] = totals[m - J_SUM, k, j]
        for r in range(block.grafts[0], block.grafts[1]):
            lo, c = U(ranges[r, 0]), U(ranges[r, 2])
            for j in range(U(ranges[r, 1]) - lo):
                out[k, lo + j] = columns[m, k, c + j]


@inner
def coupled_columns(tree, space, s, m, out):
    """`chain_columns` of one side of a coupling; of the strain at node -(s + 1) if s < 0: J are Psi, and R vanishes."""
    if s >= 0:
        chain_columns(tree, space, s, m, out)
        return
    chain_columns(tree, space, 0, m, out)
    if m == J_SUM:
        node = tree.nodes[-(s + 1)]
        for j in range(node.n):
            out[tree.component[node.start + j], node.start + j] = tree.psi[node.column + j]


@inlined
def strain_variation(tree, k, x, out):
    """out (6,) = Psi x: the strain at node k along x."""
    node = tree.nodes[k]
    for i in range(6):
        out[i] = 0.0
    for j in range(node.n):
        out[tree.component[node.start + j]] += tree.psi[node.column + j] * x[node.start + j]


@inlined
def add_strain_force(tree, k, f, out):
    """out += Psi^T f at node k."""
    node = tree.nodes[k]
    for j in range(node.n):
        out[node.start + j] += tree.psi[node.column + j] * f[tree.component[node.start + j]]


@inner
def coupled_range(tree, s):
    """A range [lo, hi) of coordinates that holds all that one side of a coupling follows (`coupled_columns`)."""
    if s < 0:
        node = tree.nodes[-(s + 1)]
        return node.start, node.start + node.n
    if s == 0:
        return 0, 0
    ranges, block = tree.ranges, tree.blocks[tree.owner[s]]
    lo, hi = block.start, block.start + block.n
    for r in range(block.inward[0], block.inward[1]):
        lo, hi = min(lo, ranges[r, 0]), max(hi, ranges[r, 1])
    for r in range(block.grafts[0], block.grafts[1]):
        lo, hi = min(lo, ranges[r, 0]), max(hi, ranges[r, 1])
    return lo, hi


@inner
def add_mapped(A, X, lo, hi, out):
    """out += A X for A (6, 6) and columns [lo, hi) of X (6, n)."""
    for k in range(6):
        for l in range(6):
            a = A[k, l]
            if a != 0.0:
                for j in range(U(lo), U(hi)):
                    out[k, j] += a * X[l, j]


@inner
def add_outer(X, Y, lo, hi, out):
    """out += X^T Y for columns [lo, hi) of Y (6, n); rows of X that are zero (off the chain) are skipped."""
    for i in range(U(X.shape[1])):
        a0, a1, a2, a3, a4, a5 = X[0, i], X[1, i], X[2, i], X[3, i], X[4, i], X[5, i]
        if a0 == 0.0 and a1 == 0.0 and a2 == 0.0 and a3 == 0.0 and a4 == 0.0 and a5 == 0.0:
            continue
        for j in range(U(lo), U(hi)):
            out[i, j] += a0 * Y[0, j] + a1 * Y[1, j] + a2 * Y[2, j] + a3 * Y[3, j] + a4 * Y[4, j] + a5 * Y[5, j]


@outlined  # few robots have any
def add_couplings(tree, space, separate, dq, dv):
    """dq += J_a^T (G J_b + N R_b); if ``separate``, dv += J_a^T N J_b (else R already holds R + c_v J)."""
    a, b, X = space.chains[0], space.chains[1], space.chains[2]
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        coupled_columns(tree, space, coupling.a, J_SUM, a)
        coupled_columns(tree, space, coupling.b, J_SUM, b)
        lo, hi = coupled_range(tree, coupling.b)
        X[:] = 0.0
        if separate:
            add_mapped(coupling.N, b, lo, hi, X)
            add_outer(a, X, lo, hi, dv)
            X[:] = 0.0
        add_mapped(coupling.G, b, lo, hi, X)
        coupled_columns(tree, space, coupling.b, R_SUM, b)
        add_mapped(coupling.N, b, lo, hi, X)
        add_outer(a, X, lo, hi, dq)
