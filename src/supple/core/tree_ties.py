"""Ties: what reaches across blocks of the tree in a tangent, as sums of products of a column and a row.

T = (tangent of the tree) + sum_k P_k Q_k^T: loads on pairs of segments of different blocks, J_a^T (G J_b + N R_b), six
at most; lines whose tension follows their length, one each (`core.elastic_lines`); rows of K and D that reach beyond a
block.  With s_k = Q_k^T x they are a border of the tree's own factors (`core.tree_solve`).
"""

from __future__ import annotations

import numpy as np

from supple.core.couplings import coupled_columns
from supple.core.elastic_lines import set_line_rows
from supple.core.records import J_SUM, R_SUM
from supple.core.tree_factors import BORDER, COUPLING, TIES
from supple.jit import inlined, inner

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inlined
def sort_couplings(tree, space, factors):
    """Couplings within one block as a list of each block."""
    for b in range(tree.blocks.shape[0]):
        factors.places[b, COUPLING] = -1
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        if is_own(tree, coupling):
            b = tree.owner[coupling.a]
            factors.following[i] = factors.places[b, COUPLING]
            factors.places[b, COUPLING] = i


@inlined
def is_own(tree, coupling):
    """Whether both sides of a coupling belong to one block."""
    if coupling.a == 0:
        return False
    if coupling.b < 0:
        return tree.nodes[-(coupling.b + 1)].start == tree.blocks[tree.owner[coupling.a]].start
    return coupling.b > 0 and tree.owner[coupling.b] == tree.owner[coupling.a]


@inner
def new_tie(factors):
    """Row of a new tie, its D being -1."""
    k = factors.count[TIES]
    factors.count[TIES], factors.count[BORDER] = k + 1, k + 1
    for j in range(factors.D.shape[0]):
        factors.D[k, j], factors.D[j, k] = 0.0, 0.0
    factors.D[k, k] = -1.0
    return k


@inner
def couple_rows(factors, coupling, a, Jb, Rb):
    """P_k = (J_a)_k, Q_k = (G J_b + N R_b)_k, k < 6: ties of one coupling from the chains of both sides.

    A row of G and N that vanishes gives none.
    """
    n = U(a.shape[1])
    for k in range(6):
        any_slope = False
        for l in range(6):
            any_slope |= coupling.G[k, l] != 0.0 or coupling.N[k, l] != 0.0
        if not any_slope:
            continue
        row = new_tie(factors)
        P, Q = factors.P[row], factors.Q[row]
        for j in range(n):
            P[j], Q[j] = a[k, j], 0.0
        for l in range(6):
            g, h = coupling.G[k, l], coupling.N[k, l]
            for j in range(n):
                Q[j] += g * Jb[l, j] + h * Rb[l, j]


@inlined
def collect_ties(tree, space, cv, factors):
    """All P_k Q_k^T beyond the tree's own tangent, at the operators of the newest one.

    Couplings, J_a^T (G J_b + N R_b); lines, g (T_l g + T_l' dl'/dq)^T; rows of K + c_v D.
    """
    factors.count[TIES], factors.count[BORDER] = 0, 0
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        if coupling.a == 0 or coupling.b == 0 or is_own(tree, coupling):
            continue
        coupled_columns(tree, space, coupling.a, J_SUM, space.chains[0])
        coupled_columns(tree, space, coupling.b, J_SUM, space.chains[1])
        coupled_columns(tree, space, coupling.b, R_SUM, space.chains[2])
        couple_rows(factors, coupling, space.chains[0], space.chains[1], space.chains[2])
    for i in range(space.count[1]):
        line = space.lines[i]
        if line.slope == 0.0 and line.rate_slope == 0.0:
            continue
        k = new_tie(factors)
        set_line_rows(tree, space, line, cv, factors.P[k], factors.Q[k])
    for i in range(factors.cross.shape[0]):
        cross_row(tree, cv, factors, factors.cross[i])


@inlined
def cross_row(tree, cv, factors, i):
    """A row of K + c_v D beyond the block of coordinate i."""
    k = new_tie(factors)
    P, Q, lo, hi, link = factors.P[k], factors.Q[k], 0, 0, 0
    for j in range(P.shape[0]):
        P[j], Q[j] = 0.0, 0.0
    P[i] = 1.0
    while not tree.links[link, 0] <= i < tree.links[link, 1]:
        link += 1
    for b in range(tree.blocks.shape[0]):
        if tree.blocks[b].start <= i < tree.blocks[b].start + tree.blocks[b].n:
            lo, hi = tree.blocks[b].start, tree.blocks[b].start + tree.blocks[b].n
    for j in range(tree.links[link, 0], tree.links[link, 1]):
        if not lo <= j < hi:
            Q[j] = tree.stiffness[i, j] + cv * tree.damping[i, j]
