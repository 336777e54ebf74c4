"""Factors over the tree (`core.tree_tangent`) where coordinates follow others: of all coordinates, with a border.

With C = dc/dx and G = [-D, 1], of which G C = 0, the tangent by the coordinates that are left is found among all:

    C^T T C x = r      is      T y + G^T s = [r; 0],    G y = 0,      y = C x,

for C^T G^T = 0.  What followers that are no linear functions add is of low rank too,

    dR_x = ... + C^T (R_v C' + R_a (C'' + 2 c_v C')) x + sum_i R_i d2c_i x:

two ties for every one of them, with columns of dR/dv and dR/da, and one for each of its leaders.
"""

from __future__ import annotations

import numpy as np

from supple.core import tree_rates, tree_tangent
from supple.core.arrays import matrix_at
from supple.core.tree_factors import factors_at
from supple.core.tree_ties import new_tie
from supple.following.arrays import BEND, COUNT, FIRST, LENGTH, followers_of, scratch_of
from supple.following.calls import STAMP, TREE_RATES_OF, TREE_TANGENT_OF, bent
from supple.jit import AddressedKernel, inner


def most_rows(rows: np.ndarray) -> int:
    """How many rows of the border followers (`FollowerRows.rows`) may take."""
    curved = rows[:, LENGTH] > 0
    return len(rows) + int((2 * curved + rows[:, COUNT] * curved).sum())


@inner
def empty_tie(factors):
    """A new tie whose column and row are zero."""
    k = new_tie(factors)
    for j in range(factors.P.shape[1]):
        factors.P[k, j], factors.Q[k, j] = 0.0, 0.0
    return k


@inner
def follow(rows, space, n, f, factors):
    """The row that holds a follower: its column is the multiplier's."""
    k = empty_tie(factors)
    factors.D[k, k] = 0.0
    factors.Q[k, n + f] = 1.0
    for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
        factors.Q[k, rows.leaders[e]] -= space.slopes[0, e]
    for j in range(factors.Q.shape[1]):
        factors.P[k, j] = factors.Q[k, j]


@inner
def tie_rates(rows, space, f, which, cv, factors):
    """R_v C' (``which`` 1) or R_a (C'' + 2 c_v C') (2) of a follower; nothing where it does not move."""
    first, last, moves = rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT], False
    for e in range(first, last):
        moves |= space.slopes[1, e] != 0.0 or (which == 2 and space.slopes[2, e] != 0.0)
    if not moves:
        return
    k = empty_tie(factors)
    for j in range(factors.P.shape[1]):
        factors.P[k, j] = space.jacobians[which, f, j]
    for e in range(first, last):
        slope = space.slopes[1, e] if which == 1 else space.slopes[2, e] + 2.0 * cv * space.slopes[1, e]
        factors.Q[k, rows.leaders[e]] += slope


@inner
def tie_bends(rows, space, n, f, factors):
    """R_f d2c_f = sum over leaders s of e_s (R_f d2c_f/dx_s dx)^T: a tie for every leader."""
    first, count, bend, force = rows.rows[f, FIRST], rows.rows[f, COUNT], rows.rows[f, BEND], space.state[3, n + f]
    for s in range(count):
        k = empty_tie(factors)
        factors.P[k, rows.leaders[first + s]] = 1.0
        for t in range(count):
            factors.Q[k, rows.leaders[first + t]] += force * space.bends[bend + s * count + t]


@inner
def rate_columns(tree, scratch, rows, space, factors):
    """Columns of dR/dv and dR/da at followers, in rows of ``jacobians[1]`` and ``[2]``.  Whether they are whole."""
    unit, n, whole = space.state[4], space.product.shape[1], True
    for f in range(rows.rows.shape[0]):
        if rows.rows[f, LENGTH] == 0:
            continue
        for j in range(unit.shape[0]):
            unit[j] = 0.0
        unit[n + f] = 1.0
        for which in range(1, 3):
            by_v, by_a = (1.0, 0.0) if which == 1 else (0.0, 1.0)
            into = space.jacobians[which, f].ctypes.data
            at = (tree, scratch, factors, space.state[1].ctypes.data, by_v, by_a, unit.ctypes.data, 1, into)
            whole &= tree_rates.call_tree_rates(rows.calls[TREE_RATES_OF], at) != 0
    return whole


def _tree_tangent(tree, scratch, q_at, v_at, cv, ca, factors_address):
    """`core.tree_tangent` of all coordinates, at the state of the last residual, with the rows of followers."""
    rows, space, factors = followers_of(tree), scratch_of(scratch), factors_at(factors_address)
    n = space.product.shape[1]
    if bent(rows) and not rate_columns(tree, scratch, rows, space, factors_address):
        return tree_tangent.DOUBTFUL
    state = (space.state[0].ctypes.data, space.state[1].ctypes.data)
    at = (tree, scratch, *state, cv, ca, factors_address)
    status = tree_tangent.call_tree_tangent(rows.calls[TREE_TANGENT_OF], at)
    if status != tree_tangent.FACTORED:
        return status
    for f in range(rows.rows.shape[0]):
        follow(rows, space, n, f, factors)
        if rows.rows[f, LENGTH] > 0:
            tie_rates(rows, space, f, 1, cv, factors)
            tie_rates(rows, space, f, 2, cv, factors)
            tie_bends(rows, space, n, f, factors)
    return status


@inner
def expand_column(rows, space, X, k, m, out):
    """out (N,) = d^m C/dt^m times column k of X (n, .)."""
    n = space.product.shape[1]
    for i in range(n):
        out[i] = X[i, k] if m == 0 else 0.0
    for f in range(rows.rows.shape[0]):
        out[n + f] = 0.0
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            out[n + f] += space.slopes[m, e] * X[rows.leaders[e], k]


@inner
def fold(rows, space, power, force, add, out):
    """out (n,) = C^T force (N,), or added to it; of weights, by the slopes to a ``power``."""
    n = space.product.shape[1]
    for i in range(n):
        out[i] = force[i] + (out[i] if add else 0.0)
    for f in range(rows.rows.shape[0]):
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            out[rows.leaders[e]] += space.slopes[0, e] ** power * force[n + f]


def _tree_rates(tree, scratch, factors, v_at, cv, ca, P_at, count, out_at):
    """`core.tree_rates` in the coordinates that are left, at the state of the last residual."""
    rows, space = followers_of(tree), scratch_of(scratch)
    n, y, force, function = space.product.shape[1], space.state[4], space.jacobians[0, 0], rows.calls[TREE_RATES_OF]
    at = (tree, scratch, factors, space.state[1].ctypes.data)
    if count == 0:
        tree_rates.call_tree_rates(function, (*at, cv, ca, 0, 0, force.ctypes.data))
        fold(rows, space, 2, force, False, matrix_at(out_at, (1, n))[0])
        return np.int64(1)
    P, out, whole = matrix_at(P_at, (n, count)), matrix_at(out_at, (count, n)), np.int64(1)
    for k in range(count):
        expand_column(rows, space, P, k, 0, y)
        whole &= tree_rates.call_tree_rates(function, (*at, cv, ca, y.ctypes.data, 1, force.ctypes.data))
        fold(rows, space, 1, force, False, out[k])
        if bent(rows):  # da = C'' dx + 2 C' dx' + ...
            expand_column(rows, space, P, k, 1, y)
            tree_rates.call_tree_rates(function, (*at, 0.0, 2.0 * cv, y.ctypes.data, 1, force.ctypes.data))
            fold(rows, space, 1, force, True, out[k])
    return whole


TREE_TANGENT = AddressedKernel(_tree_tangent, tree_tangent.SIGNATURE, STAMP)
TREE_RATES = AddressedKernel(_tree_rates, tree_rates.SIGNATURE, STAMP)
