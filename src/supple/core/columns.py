"""Kinematic columns of all segments: S, J, R, Q in world axes (`columns[0..3]`, each (6, n_columns)).

S is a segment's own motion subspace; J, R, Q are cumulative inside the block,

    J = sum S,    R = d/dt sum S,    Q = d2/dt2 sum S    (over the block's segments up to this one),

which are the columns of the paper's S^B, R^B, Q^B of this block ([GVS-AD] 22a, 22b, 28a) since, in world axes and true
coordinates, R = dS/dt, Y = 2 R and Q = d2S/dt2 (Maurer-Cartan; C19, C20, C22-C24 are not needed).

An implicit stage with dv = c_v dq, da = c_a dq sees only the combinations

    R + c_v S   and   Q + 2 c_v R + c_a S,

written in place of R and Q: with c_v = c_a = 0 the same pass serves the separate Jacobians.
"""

from __future__ import annotations

import numpy as np

from supple.core.records import EXPONENTIAL, ROD
from supple.core.segment import collocation_matrices
from supple.jit import inlined, inner
from supple.lie.dual import add_apply
from supple.lie.se3 import Ad, add_ad

U = np.uint64  # unsigned indices vectorise, see core.products
U6 = np.uint64(6)


@inlined
def fill_columns(tree, cv, ca, space):
    """Columns of every active segment; ``totals[0..2]`` (6, n) receive J, R, Q at the block's end."""
    work, t = space.work, space.scratch[0]
    space.rates[0], space.rates[1] = cv, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if block.kind == ROD:
            for i in range(block.active):
                s = block.first + i
                collocation_matrices(tree.segments[s], work[s], 2, t.Z)
                collocation_columns(t.Z, cv, ca, t.W)
                expand_columns(block, i, tree.parents[s], tree.component, tree.phi, t.W, space.columns)
        else:
            joint_columns(block, tree.screws, work[block.parent], work[block.first], cv, ca, t, space.columns)
        copy_end(block, space.columns, space.totals)


@inlined
def copy_end(block, columns, totals):
    """J, R, Q of a block's last segment become the block's own columns in ``totals[0..2]``."""
    n, start = U(block.n), U(block.start)
    last = U(block.columns) + U(block.active - 1) * n
    for m in range(3):
        for k in range(6):
            for j in range(n):
                totals[m, k, start + j] = columns[m + 1, k, last + j]


@inlined
def joint_columns(block, screws, start, w, cv, ca, t, columns):
    """Columns of a joint: S = Ad_g T Phi; for commuting screws S = Ad_g Phi, R = ad_V S, Q = ad_V R + ad_A S."""
    S, R, Q = t.x, t.y, t.z
    for j in range(block.n):
        screw = t.f[0]
        for k in range(6):
            screw[k] = screws[k, block.start + j]
            S[k], R[k], Q[k] = 0.0, 0.0, 0.0
        if block.kind == EXPONENTIAL:
            add_apply(w.T[0], screw, S)
            add_apply(w.T[1], screw, R)
            add_apply(w.T[2], screw, Q)
        else:
            Ad(w.R0, w.p0, screw, S)
            add_ad(start.V, S, R)
            add_ad(start.V, R, Q)
            add_ad(start.A, S, Q)
        for k in range(6):
            columns[0, k, block.columns + j] = S[k]
            columns[1, k, block.columns + j] = S[k]
            columns[2, k, block.columns + j] = R[k] + cv * S[k]
            columns[3, k, block.columns + j] = Q[k] + 2.0 * cv * R[k] + ca * S[k]


@inner
def collocation_columns(Z, cv, ca, W):
    """Dual collocation matrices -> plain (6, 12) matrices of S, R + c_v S, Q + 2 c_v R + c_a S."""
    for m in range(2):
        for i in range(3):
            for j in range(3):
                c = 6 * m + j
                # [[A, 0], [B, A]]: angular strains move through A and B, linear ones through A alone
                for d in range(2):
                    S, R, Q = Z[0, m, d, i, j], Z[1, m, d, i, j], Z[2, m, d, i, j]
                    R, Q = R + cv * S, Q + 2.0 * cv * R + ca * S
                    W[0, 3 * d + i, c], W[1, 3 * d + i, c], W[2, 3 * d + i, c] = S, R, Q
                    if d == 0:
                        W[0, 3 + i, c + 3], W[1, 3 + i, c + 3], W[2, 3 + i, c + 3] = S, R, Q
                        W[0, i, c + 3], W[1, i, c + 3], W[2, i, c + 3] = 0.0, 0.0, 0.0


@inner
def expand_columns(block, i, parent, component, phi, W, columns):
    """Columns of the i-th segment of a rod: W Phi, added to those of its parent segment for J, R, Q."""
    n, start = U(block.n), U(block.start)
    c = U(block.columns) + U(i) * n
    for k in range(6):
        for j in range(n):
            r = U(component[start + j])
            f0, f1 = phi[0, c + j], phi[1, c + j]
            S = f0 * W[0, k, r] + f1 * W[0, k, U6 + r]
            columns[0, k, c + j] = S
            columns[1, k, c + j] = S
            columns[2, k, c + j] = f0 * W[1, k, r] + f1 * W[1, k, U6 + r]
            columns[3, k, c + j] = f0 * W[2, k, r] + f1 * W[2, k, U6 + r]
        if parent != block.parent:
            before = U(block.columns) + U(parent - block.first) * n
            for m in range(1, 4):
                for j in range(n):
                    columns[m, k, c + j] += columns[m, k, before + j]


@inlined
def fill_jacobian_columns(tree, space):
    """J alone, for a robot at rest (mass matrix): as `fill_columns` without S, R and Q."""
    work, t = space.work, space.scratch[0]
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if block.kind == ROD:
            for i in range(block.active):
                s = block.first + i
                collocation_matrices(tree.segments[s], work[s], 0, t.Z)
                collocation_columns(t.Z, 0.0, 0.0, t.W)
                expand_jacobian_columns(block, i, tree.parents[s], tree.component, tree.phi, t.W, space.columns[1])
        else:
            joint_jacobian_columns(block, tree.screws, work[block.first], t, space.columns[1])
        copy_end(block, space.columns, space.totals)


@inlined
def joint_jacobian_columns(block, screws, w, t, J):
    """J of a joint: Ad_g T Phi, or Ad_g Phi for commuting screws."""
    for j in range(block.n):
        for k in range(6):
            t.x[k] = screws[k, block.start + j]
            t.y[k] = 0.0
        if block.kind == EXPONENTIAL:
            add_apply(w.T[0], t.x, t.y)
        else:
            Ad(w.R0, w.p0, t.x, t.y)
        for k in range(6):
            J[k, block.columns + j] = t.y[k]


@inner
def expand_jacobian_columns(block, i, parent, component, phi, W, J):
    """J of the i-th segment of a rod: that of its parent segment plus W Phi."""
    n, start = U(block.n), U(block.start)
    c = U(block.columns) + U(i) * n
    for k in range(6):
        for j in range(n):
            r = U(component[start + j])
            J[k, c + j] = phi[0, c + j] * W[0, k, r] + phi[1, c + j] * W[0, k, U6 + r]
        if parent != block.parent:
            before = U(block.columns) + U(parent - block.first) * n
            for j in range(n):
                J[k, c + j] += J[k, before + j]
