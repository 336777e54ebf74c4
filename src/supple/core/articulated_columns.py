"""Products with M^-1 in linear time, with the factors of `core.articulated`.

M x = r takes one way in and one way out, for any number of columns r at once (symbols as there):

    inward:    w = U^-T (r - sum J_k^T b_k),     handed inward: b = sum b_k + Y^T w;
    outward:   x = U^-1 (w - Y y),               y_k = y + J_k x.

b and y of a panel of columns lie in slots (`core.arrays.find_knots`) that blocks share, one after the other.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.arrays import (
    PANEL,
    UNREAD,
    ZERO,
    matrices_at,
    matrix_at,
    space_at,
    space_view,
    tree_at,
    tree_view,
    vector_at,
)
from supple.core.articulated import SOLVED, factorise_tree
from supple.core.blocks.kinds import has_one_point
from supple.core.outward import outward
from supple.core.records import J_SUM
from supple.core.sweep_in import point_inertias
from supple.jit import AddressedKernel, calling, inlined, kernel, leaf
from supple.linalg.cholesky import solve_reciprocal, solve_reciprocal_transposed

U = np.uint64  # unsigned indices vectorise, see linalg.products

SIGNATURE = types.int64(*[types.int64] * 5)

call_articulated = calling(SIGNATURE)


@leaf
def joint_inward(A, c, reach, i, inverse, b0, b1, b2, b3, b4, b5, x, m, o0, o1, o2, o3, o4, o5):
    """x = (x - J^T b) / sqrt(E); o += b + Y^T x, for m columns.

    Rows of b and o come apart: that they do not overlap is what lets the compiler vectorise.
    """
    c, i = U(c), U(i)
    a0, a1, a2, a3, a4, a5 = A[0, c], A[1, c], A[2, c], A[3, c], A[4, c], A[5, c]
    y0, y1, y2, y3, y4, y5 = reach[0, i], reach[1, i], reach[2, i], reach[3, i], reach[4, i], reach[5, i]
    for j in range(U(m)):
        b = a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j] + a4 * b4[j] + a5 * b5[j]
        w = inverse * (x[j] - b)
        x[j] = w
        o0[j] += b0[j] + y0 * w
        o1[j] += b1[j] + y1 * w
        o2[j] += b2[j] + y2 * w
        o3[j] += b3[j] + y3 * w
        o4[j] += b4[j] + y4 * w
        o5[j] += b5[j] + y5 * w


@leaf
def joint_outward(A, c, reach, i, inverse, y0, y1, y2, y3, y4, y5, x, m, o0, o1, o2, o3, o4, o5):
    """x = (x - Y y) / sqrt(E); o = y + J x, for m columns."""
    c, i = U(c), U(i)
    a0, a1, a2, a3, a4, a5 = A[0, c], A[1, c], A[2, c], A[3, c], A[4, c], A[5, c]
    r0, r1, r2, r3, r4, r5 = reach[0, i], reach[1, i], reach[2, i], reach[3, i], reach[4, i], reach[5, i]
    for j in range(U(m)):
        y = r0 * y0[j] + r1 * y1[j] + r2 * y2[j] + r3 * y3[j] + r4 * y4[j] + r5 * y5[j]
        w = inverse * (x[j] - y)
        x[j] = w
        o0[j] = y0[j] + a0 * w
        o1[j] = y1[j] + a1 * w
        o2[j] = y2[j] + a2 * w
        o3[j] = y3[j] + a3 * w
        o4[j] = y4[j] + a4 * w
        o5[j] = y5[j] + a5 * w


@leaf
def subtract_transposed(A, c, n, b, X, start, col, m):
    """X[start:start+n, col:col+m] -= A[:, c:c+n]^T b."""
    c, start, col = U(c), U(start), U(col)
    for i in range(U(n)):
        a0, a1, a2, a3, a4, a5 = A[0, c + i], A[1, c + i], A[2, c + i], A[3, c + i], A[4, c + i], A[5, c + i]
        for j in range(U(m)):
            x = a0 * b[0, j] + a1 * b[1, j] + a2 * b[2, j] + a3 * b[3, j] + a4 * b[4, j] + a5 * b[5, j]
            X[start + i, col + j] -= x


@leaf
def add_product(A, c, n, X, start, col, m, out):
    """out (6, m) += A[:, c:c+n] X[start:start+n, col:col+m]."""
    c, start, col = U(c), U(start), U(col)
    for k in range(6):
        for i in range(U(n)):
            a = A[k, c + i]
            for j in range(U(m)):
                out[k, j] += a * X[start + i, col + j]


@leaf
def copy_panel(y, m, out):
    """out = y for (6, m)."""
    for k in range(6):
        for j in range(U(m)):
            out[k, j] = y[k, j]


@leaf
def add_panel(b, m, out):
    """out += b for (6, m)."""
    for k in range(6):
        for j in range(U(m)):
            out[k, j] += b[k, j]


@leaf
def clear_panel(m, out):
    """out = 0 for (6, m)."""
    for k in range(6):
        for j in range(U(m)):
            out[k, j] = 0.0


@inlined
def columns_inward(tree, space, panels, X, col, m):
    """w = U^-T (r - sum J_k^T b_k) of every block, b = sum b_k + Y^T w where blocks hang.

    w takes the place of r in columns col to col + m of X.
    """
    at, columns, reach, knots = space.factors.shape[0], space.columns[J_SUM], space.reach, space.knots
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        n, start = block.n, block.start
        at -= n * n
        into = panels[knots[0, block.parent] if block.parent > 0 else UNREAD]
        if knots[1, block.parent] == b:  # the first on the way in
            clear_panel(m, into)
        if n == 1 and has_one_point(block):
            own = panels[knots[0, block.first] if knots[1, block.first] >= 0 else ZERO]
            rows = (own[0], own[1], own[2], own[3], own[4], own[5])
            onto = (into[0], into[1], into[2], into[3], into[4], into[5])
            inverse, x = space.factors[at], X[start, col : col + m]
            joint_inward(columns, block.columns, reach, start, inverse, *rows, x, m, *onto)
            continue
        for i in range(block.active):
            s = block.first + i
            if knots[1, s] >= 0:
                own = panels[knots[0, s]]
                subtract_transposed(columns, block.columns + i * n, n, own, X, start, col, m)
                add_panel(own, m, into)
        solve_reciprocal_transposed(matrix_at(space.factors.ctypes.data + 8 * at, (n, n)), X, start, col, m)
        if block.parent > 0:
            add_product(reach, start, n, X, start, col, m, into)


@inlined
def columns_outward(tree, space, panels, X, col, m):
    """x = U^-1 (w - Y y) of every block, y_k = y + J_k x where blocks hang.

    x takes the place of w in columns col to col + m of X.
    """
    at, columns, reach, knots = 0, space.columns[J_SUM], space.reach, space.knots
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        n, start, base = block.n, block.start, panels[knots[0, block.parent]]
        if n == 1 and has_one_point(block):
            own = panels[knots[0, block.first] if knots[1, block.first] >= 0 else UNREAD]
            rows = (base[0], base[1], base[2], base[3], base[4], base[5])
            onto = (own[0], own[1], own[2], own[3], own[4], own[5])
            inverse, x = space.factors[at], X[start, col : col + m]
            joint_outward(columns, block.columns, reach, start, inverse, *rows, x, m, *onto)
        else:
            if block.parent > 0:
                subtract_transposed(reach, start, n, base, X, start, col, m)
            solve_reciprocal(matrix_at(space.factors.ctypes.data + 8 * at, (n, n)), X, start, col, m)
            for i in range(block.active):
                s = block.first + i
                if knots[1, s] >= 0:
                    copy_panel(base, m, panels[knots[0, s]])
                    add_product(columns, block.columns + i * n, n, X, start, col, m, panels[knots[0, s]])
        at += n * n


@inlined
def solve_tree(tree, space, X):
    """Overwrite X (n, m) by M^-1 X, with the factors of `factorise_tree`: a panel of columns at a time."""
    count = X.shape[1]
    for col in range(0, count, PANEL):
        m = min(PANEL, count - col)
        panels = matrices_at(space.panels.ctypes.data, (space.panels.shape[0] // (6 * PANEL), 6, m))
        clear_panel(m, panels[ZERO])
        columns_inward(tree, space, panels, X, col, m)
        columns_outward(tree, space, panels, X, col, m)


@leaf
def column_dot(A, c, x):
    """A_c . x of column c of A (6, .) and x (6,); in pairs, so that no product waits for the one before."""
    return (A[0, c] * x[0] + A[1, c] * x[1]) + (A[2, c] * x[2] + A[3, c] * x[3]) + (A[4, c] * x[4] + A[5, c] * x[5])


@inlined
def solve_vector(tree, space, x):
    """Overwrite x (n,) by M^-1 x: what `solve_tree` does, for one column, with b in dF and y in dZ of points."""
    columns, reach, work, knots = space.columns, space.reach, space.work, space.knots
    at = space.factors.shape[0]
    for s in range(work.shape[0]):
        if knots[0, s] >= 0:
            for k in range(6):
                work[s].dF[k], work[s].dZ[k] = 0.0, 0.0
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        n, start, parent = block.n, block.start, work[block.parent]
        at -= n * n
        for i in range(block.active):
            s, c = block.first + i, block.columns + i * n
            if knots[1, s] >= 0:
                w = work[s]
                for j in range(n):
                    x[start + j] -= column_dot(columns[J_SUM], c + j, w.dF)
                for k in range(6):
                    parent.dF[k] += w.dF[k]
        for j in range(n):
            row = at + j * n
            t = space.factors[row + j] * x[start + j]
            x[start + j] = t
            for l in range(j + 1, n):
                x[start + l] -= space.factors[row + l] * t
            for k in range(6):
                parent.dF[k] += reach[k, start + j] * t
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        n, start, parent = block.n, block.start, work[block.parent]
        for j in range(n - 1, -1, -1):
            row, t = at + j * n, x[start + j]
            if block.parent > 0:
                t -= column_dot(reach, start + j, parent.dZ)
            for l in range(j + 1, n):
                t -= space.factors[row + l] * x[start + l]
            x[start + j] = space.factors[row + j] * t
        at += n * n
        for i in range(block.active):
            s, c = block.first + i, block.columns + i * n
            if knots[1, s] >= 0:
                w = work[s]
                for k in range(6):
                    t = parent.dZ[k]
                    for j in range(n):
                        t += columns[J_SUM, k, c + j] * x[start + j]
                    w.dZ[k] = t


def _articulated(tree_address, space_address, free_at, x_at, count):
    """Factorise M, unless ``free_at`` is 0; then overwrite the (n, count) columns at ``x_at`` by M^-1 times them.

    Factors come of the world inertias of points, which a sweep outward left, and stay in the scratch.  ``free`` (n,) is
    0 for coordinates that are locked.  Returns a status (`core.articulated`).
    """
    tree, space = tree_view(tree_address), space_view(space_address)
    n, status = tree.component.shape[0], SOLVED
    if free_at != 0:
        status = factorise_tree(tree, space, vector_at(free_at, (n,)))
    if status == SOLVED and count == 1:
        solve_vector(tree, space, vector_at(x_at, (n,)))
    elif status == SOLVED:
        solve_tree(tree, space, matrix_at(x_at, (n, count)))
    return status


ARTICULATED = AddressedKernel(_articulated, SIGNATURE)


@kernel
def solve_mass(function, tree_handle, space_handle, q, zero, free, X):
    """Overwrite X (n, m) by M^-1 X, coordinates with ``free`` = 0 (n,) being locked, by the address of `ARTICULATED`.

    Returns a status.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward(tree_handle, space_handle, space, q, zero, zero, 0)
    point_inertias(tree, space, q, zero)
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, free.ctypes.data, X.ctypes.data, X.shape[1])
    return call_articulated(function, at)
