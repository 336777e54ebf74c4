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

from supple.core.blocks.kinds import block_columns, block_jacobian, by_fours
from supple.core.records import J_SUM
from supple.core.rod_calls import rod_jacobian
from supple.core.views import address_of
from supple.jit import inlined

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inlined
def fill_columns(tree, cv, ca, space):
    """S, J, R + c_v S, Q + 2 c_v R + c_a S of every active segment.

    ``totals[0..2]`` (6, n) receive J, R, Q at the block's end.
    """
    space.rates[0], space.rates[1], space.rates[2] = cv, 0.0, ca
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        block_columns(tree, space, block, cv, ca)
        copy_end(block, 3, space.columns, space.totals)


@inlined
def fill_jacobian_columns(tree, space):
    """J alone, for a robot at rest (mass matrix): as `fill_columns` without S, R and Q."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_jacobian(address_of(tree), address_of(space), space, b, 1)
        else:
            block_jacobian(tree, space, block)
        copy_end(block, 1, space.columns, space.totals)


@inlined
def copy_end(block, count, columns, totals):
    """The first ``count`` of J, R, Q of a block's last segment become the block's own columns in ``totals[0..2]``."""
    n, start = U(block.n), U(block.start)
    last = U(block.columns) + U(block.active - 1) * n
    for m in range(count):
        for k in range(6):
            for j in range(n):
                totals[m, k, start + j] = columns[J_SUM + m, k, last + j]
