"""The mass matrix factorised over the tree, block by block, in linear time and without being formed.

In world axes a block's columns are the same for everything that hangs on one of its points k, so what hangs there
answers the motion of the point as a 6x6 inertia does: its *articulated* inertia.  With A_k the inertia of point k and
the articulated inertias of all blocks that hang on it, from the leaves inward,

    E = sum J_k^T A_k J_k = U^T U,     P = sum A_k J_k,     Y = U^-T P^T,     handed inward: sum A_k - Y^T Y.

A joint with one coordinate is the articulated-body algorithm; a rod alone is a Cholesky factorisation.  A block that
leaves a rod before its tip hands on to the point there (`core.grafts`): nothing is special about it.  Coordinates may
be *locked*: they are taken to be at rest, as in hybrid dynamics.  What the factors are used for is in
`core.articulated_columns`.

A pivot that might be rounding (of what coordinates outward have taken off the diagonal of M only a bound is known) is
called doubtful; the dense matrix then tells.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.arrays import matrix_at
from supple.core.blocks.body import add_field_mass
from supple.core.blocks.kinds import block_jacobian, by_fours, has_field, has_one_point
from supple.core.blocks.rod_columns import add_rod_sums
from supple.core.records import J_SUM
from supple.core.rod_calls import rod_jacobian
from supple.core.views import address_of
from supple.jit import inlined, inner, leaf, local_array
from supple.lie.se3 import add_matrix6, product6_transposed
from supple.linalg.cholesky import cholesky_after
from supple.linalg.products import add_columns, map_columns

U = np.uint64  # unsigned indices vectorise, see linalg.products

#: Status of a solve: solved, something was not finite, or the dense matrix must be asked; any other value is the first
#: coordinate without inertia.
SOLVED, NOT_FINITE, DOUBTFUL = -1, -2, -3

#: A pivot below this part of its diagonal entry, or of the bound of it, is doubtful.
SAFE = 1e-14
#: The same, as part of the largest diagonal entry (maybe in other units).
SAFE_BESIDE_OTHERS = 1e-24

#: Row of Space.reach behind the six of Y: a bound of what coordinates outward have taken off the diagonal of M.
TAKEN = 6

_twist = local_array(6)


@leaf
def add_gram(A, c, X, n, E):
    """Upper triangle of E (n, n) += A[:, c:c+n]^T X[:, :n]."""
    c = U(c)
    for i in range(U(n)):
        a0, a1, a2, a3, a4, a5 = A[0, c + i], A[1, c + i], A[2, c + i], A[3, c + i], A[4, c + i], A[5, c + i]
        for j in range(i, U(n)):
            E[i, j] += a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def hand_on(P, A, parent):
    """parent += A - P P^T for (6, 6) matrices and a column P."""
    for k in range(6):
        for l in range(6):
            parent[k, l] += A[k, l] - P[k] * P[l]


@leaf
def subtract_square(reach, start, n, M):
    """M (6, 6) -= Y^T Y, Y^T being columns start to start + n of ``reach``."""
    start = U(start)
    for i in range(U(n)):
        for k in range(6):
            x = reach[k, start + i]
            for l in range(6):
                M[k, l] -= x * reach[l, start + i]


@inlined
def factorise_joint(block, w, parent, columns, free, factor, reach):
    """E = J^T A J, a number that is kept as 1 / sqrt(E), and Y = (A J)^T / sqrt(E) of a block with one coordinate.

    A - Y^T Y is handed inward.  Returns E, and a bound of the entry of M.
    """
    column, P, x, bound, i = _twist(), _twist(), 0.0, 0.0, block.start
    for k in range(6):
        column[k] = columns[J_SUM, k, block.columns]
        bound += column[k] * column[k] * w.dS[k]
    product6_transposed(w.M, column, P)
    for k in range(6):
        x += column[k] * P[k]
    inverse = free[i] / math.sqrt(x) if x > 0.0 else 0.0
    factor[0] = inverse
    for k in range(6):
        P[k] *= inverse
        reach[k, i] = P[k]
    if block.parent > 0:
        for k in range(6):
            parent.dS[k] += w.dS[k]
        hand_on(P, w.M, parent.M)
    return x, 6.0 * bound


@inner
def lock(free, start, n, E, reach):
    """Locked coordinates of a block take part in nothing: their rows of E are those of 1, those of P vanish.

    Returns a bound of the largest diagonal entry of M among the others.
    """
    largest = 0.0
    for i in range(n):
        if free[start + i] == 0.0:
            for j in range(n):
                E[min(i, j), max(i, j)] = 0.0
            E[i, i] = 1.0
            for k in range(7):
                reach[k, start + i] = 0.0
        else:
            largest = max(largest, E[i, i] + reach[TAKEN, start + i])
    return largest


@inlined
def factorise_block(tree, b, space, free, E):
    """E = sum J_k^T A_k J_k = U^T U and Y = U^-T P^T, P = sum A_k J_k, of any block.

    U (n, n) takes the place of E, with reciprocal pivots on its diagonal; Y^T (6, n) is in ``space.reach``.  Returns -1
    or the row whose pivot is doubtful, and a bound of the largest diagonal entry of M.
    """
    block, X, reach, work = tree.blocks[b], space.tangent, space.reach, space.work
    n, start = block.n, block.start
    for i in range(n):
        for j in range(n):
            E[i, j] = 0.0
    for k in range(7):
        for j in range(start, start + n):
            reach[k, j] = 0.0
    for i in range(block.active):
        s, c = block.first + i, block.columns + i * n
        if space.knots[1, s] >= 0:
            for j in range(n):
                for k in range(6):
                    reach[TAKEN, start + j] += 6.0 * space.columns[J_SUM, k, c + j] ** 2 * work[s].dS[k]
        if not by_fours(block):
            map_columns(work[s].M, space.columns[J_SUM], c, n, X)
            add_columns(X, n, reach, start)
            add_gram(space.columns[J_SUM], c, X, n, E)
    if by_fours(block):
        add_rod_sums(tree, space, b, work[block.parent].M, reach, E, 0)
    if has_field(block):
        add_field_mass(block, tree.maps, space.maps, reach, start, E, 0)
    largest = lock(free, start, n, E, reach)
    row = cholesky_after(E, reach[TAKEN, start : start + n], SAFE)
    if row < 0 and block.parent > 0:
        solve_lower_rows(E, reach, start)
    for i in range(n):
        if free[start + i] == 0.0:
            E[i, i] = 0.0  # x = 0
    return row, largest


@inner
def solve_lower_rows(E, reach, start):
    """Y = U^-T P^T, in place: reach[:6, start:start+n] holds its columns as rows."""
    n, start = U(E.shape[0]), U(start)
    for k in range(n):
        for m in range(U(6)):
            reach[m, start + k] *= E[k, k]
            x = reach[m, start + k]
            for j in range(k + U(1), n):
                reach[m, start + j] -= E[k, j] * x


@inlined
def hand_inward(block, space):
    """A_parent += sum A_k - Y^T Y: what a block hands to the point it hangs on; dS, what it was before, sums up.

    Rods have added sum A_k already (`blocks.rod_columns.add_rod_sums`).
    """
    if block.parent == 0:
        return
    work = space.work
    parent = work[block.parent]
    for s in range(block.first, block.first + block.active):
        if not by_fours(block):
            add_matrix6(work[s].M, parent.M)
        for k in range(6):
            parent.dS[k] += work[s].dS[k]
    subtract_square(space.reach, block.start, block.n, parent.M)


@inlined
def begin_bounds(tree, work):
    """dS = the diagonal of M at every point: of all that hangs on it, that bounds what its motion moves."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            w = work[s]
            for k in range(6):
                w.dS[k] = w.M[k, k]


@inlined
def factorise_tree(tree, space, free):
    """Factors of M, U^T U = sum J_k^T A_k J_k and Y = U^-T P^T of every block, from the leaves inward.

    They are `space.factors` (U), `space.reach` (Y) and the columns J.  World inertias of all points become articulated.
    ``free`` (n,) is 0 for coordinates that are locked, else 1.  Returns a status.
    """
    begin_bounds(tree, space.work)
    at, largest, smallest = space.factors.shape[0], 0.0, math.inf
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        at -= block.n * block.n
        if by_fours(block):
            rod_jacobian(address_of(tree), address_of(space), space, b, 0)
        else:
            block_jacobian(tree, space, block)
        if block.n == 1 and has_one_point(block):
            w, parent = space.work[block.first], space.work[block.parent]
            x, bound = factorise_joint(block, w, parent, space.columns, free, space.factors[at : at + 1], space.reach)
            if free[block.start] != 0.0:
                if not x > SAFE * bound:
                    return DOUBTFUL
                largest, smallest = max(largest, bound), min(smallest, x)
        else:
            E = matrix_at(space.factors.ctypes.data + 8 * at, (block.n, block.n))
            row, bound = factorise_block(tree, b, space, free, E)
            if row >= 0:
                return DOUBTFUL
            largest = max(largest, bound)
            for i in range(block.n):
                if E[i, i] > 0.0:
                    smallest = min(smallest, 1.0 / (E[i, i] * E[i, i]))
            hand_inward(block, space)
    return SOLVED if smallest > SAFE_BESIDE_OTHERS * largest else DOUBTFUL
