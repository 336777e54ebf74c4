"""Programs of users' kinematics, run on truncated Taylor series over many points at once.

A program (`supple.tracing.program`) is a list of scalar operations.  Each node is run on ``lanes`` points side by side, as
a *jet*: its value y with two time derivatives along (q, v, a), and its derivatives y_j by every coordinate with two time
derivatives of those.  Of a product and of a function phi,

    (u v)_j'' = u_j'' v + 2 u_j' v' + u_j v'' + (the same with u and v exchanged),
    phi(u)_j'' = phi' u_j'' + 2 phi'' u' u_j' + (phi''' u'^2 + phi'' u'') u_j.

So no formula of a user's is ever differentiated by hand, and no program is ever compiled.  The Hessian of a weighted sum
of outputs needs no second-order jets: with l the derivative of that sum by a node (one reverse pass),

    H = sum over products l (u_i v_j + v_i u_j) + sum over functions l phi'' u_i u_j.

Rows of a node that no coordinate reaches (``active``) are neither written nor read.
"""

from __future__ import annotations

import math
from collections import namedtuple

from supple.core.arrays import floats, handle_at, integers, matrices_at, matrix_at
from supple.jit import inlined, inner, local_array
from supple.tracing.operations import (
    ABSOLUTE,
    ADD,
    ARCCOS,
    ARCSIN,
    ARCTAN,
    BESSEL,
    COS,
    COSH,
    EXP,
    LOG,
    MULTIPLY,
    NEGATIVE,
    POWER,
    SIN,
    SINH,
    SQRT,
    SUBTRACT,
    TAN,
    TANH,
)

#: A program and the memory of a run: ``jets`` (3 nodes, 1 + n, lanes), of node y the rows 3 y + (time derivative), in
#: each first the value, then derivatives by coordinates; ``slopes`` (4 operations, lanes) phi', phi'', phi''' and
#: scratch; ``adjoint`` (nodes, lanes).
Run = namedtuple(
    "Run", ("ops", "active", "outputs", "constants", "tables", "n", "early", "first", "lanes", "jets", "slopes", "adjoint")
)

#: Arrays of a program in a handle of data.
PROGRAM_ROWS = 6

_bessel, _phi = local_array(8), local_array(4)


def run_size(nodes: int, operations: int, n: int, lanes: int) -> int:
    """Floats that a run needs."""
    return lanes * (3 * nodes * (1 + n) + 4 * operations + nodes)


@inlined
def run_at(data, rows, row, lanes, memory):
    """The program in rows ``row`` and following of the handle of data at an address, with memory at another."""
    h = handle_at(data, rows)
    sizes, ops, active = integers(h, row), integers(h, row + 1), integers(h, row + 2)
    nodes, n = active.shape[0], sizes[0, 1]
    jets = matrices_at(memory, (3 * nodes, 1 + n, lanes))
    slopes = matrix_at(memory + 8 * lanes * 3 * nodes * (1 + n), (4 * ops.shape[0], lanes))
    adjoint = matrix_at(memory + 8 * lanes * (3 * nodes * (1 + n) + 4 * ops.shape[0]), (nodes, lanes))
    first = sizes[0, 0] + n + sizes[0, 2]
    outputs, constants, tables = integers(h, row + 3), floats(h, row + 4), floats(h, row + 5)
    return Run(ops, active, outputs, constants, tables, n, sizes[0, 3], first, lanes, jets, slopes, adjoint)


@inner
def start_run(run, q, v, a, values, slopes):
    """Constants, coordinates, and all operations that do not depend on the point.

    ``values`` and ``slopes`` are the highest time derivatives of values and of derivatives by coordinates.
    """
    c, n, jets = run.constants.shape[1], run.n, run.jets
    for k in range(run.lanes):
        for i in range(c):
            jets[3 * i, 0, k] = run.constants[0, i]
        for i in range(n):
            y = 3 * (c + i)
            jets[y, 0, k], jets[y + 1, 0, k], jets[y + 2, 0, k] = q[i], v[i], a[i]
            jets[y, 1 + i, k], jets[y + 1, 1 + i, k], jets[y + 2, 1 + i, k] = 1.0, 0.0, 0.0
    forward(run, 0, run.early, values, slopes)


@inner
def run_points(run, point, values, slopes):
    """All operations at the points from ``point`` on, as many as there are lanes."""
    first = run.constants.shape[1] + run.n
    for i in range(run.tables.shape[0]):
        for k in range(run.lanes):
            run.jets[3 * (first + i), 0, k] = run.tables[i, point + k]
    forward(run, run.early, run.ops.shape[0], values, slopes)


@inner
def forward(run, low, high, values, slopes):
    """Operations ``low`` to ``high``."""
    ops, active, first, n, lanes, jets = run.ops, run.active, run.first, run.n, run.lanes, run.jets
    for i in range(low, high):
        code, a, b, y = ops[i, 0], ops[i, 1], ops[i, 2], first + i
        if code == ADD or code == SUBTRACT:
            add_jets(jets, active, a, b, y, 1.0 if code == ADD else -1.0, n, lanes, values, slopes)
        elif code == MULTIPLY:
            multiply_values(jets, active, a, b, y, lanes, values)
            for j in range(1, n + 1):
                if active[y, j]:
                    clear_rows(jets, y, j, lanes, slopes)
                    if active[a, j]:
                        add_product_rows(jets, a, b, active[b, 0], y, j, lanes, slopes)
                    if active[b, j]:
                        add_product_rows(jets, b, a, active[a, 0], y, j, lanes, slopes)
        else:
            c = run.constants[0, b] if code == POWER or code == BESSEL else 0.0
            function_values(jets, code, c, a, y, run.slopes, i, lanes, values)
            function_steps(jets, a, run.slopes, i, lanes, slopes)
            for j in range(1, n + 1):
                if active[a, j]:
                    function_rows(jets, a, y, run.slopes, i, j, lanes, slopes)


@inner
def add_jets(jets, active, a, b, y, sign, n, lanes, values, slopes):
    """y = a + sign b."""
    for k in range(lanes):
        jets[3 * y, 0, k] = jets[3 * a, 0, k] + sign * jets[3 * b, 0, k]
    for m in range(1, values + 1):
        add_rows(jets, 3 * a + m, active[a, 0], 3 * b + m, active[b, 0], 3 * y + m, 0, sign, lanes)
    for j in range(1, n + 1):
        if active[y, j]:
            for m in range(slopes + 1):
                add_rows(jets, 3 * a + m, active[a, j], 3 * b + m, active[b, j], 3 * y + m, j, sign, lanes)


@inner
def add_rows(jets, a, has_a, b, has_b, y, j, sign, lanes):
    """One row of a sum, of which one term may be missing."""
    if has_a and has_b:
        for k in range(lanes):
            jets[y, j, k] = jets[a, j, k] + sign * jets[b, j, k]
    elif has_a:
        for k in range(lanes):
            jets[y, j, k] = jets[a, j, k]
    else:
        for k in range(lanes):
            jets[y, j, k] = sign * jets[b, j, k]


@inner
def multiply_values(jets, active, a, b, y, lanes, values):
    """Value of a product, and its time derivatives."""
    u, v, w = 3 * a, 3 * b, 3 * y
    moves_a, moves_b = active[a, 0] != 0, active[b, 0] != 0
    for k in range(lanes):
        jets[w, 0, k] = jets[u, 0, k] * jets[v, 0, k]
    if values >= 1:
        for k in range(lanes):
            x = jets[u + 1, 0, k] * jets[v, 0, k] if moves_a else 0.0
            jets[w + 1, 0, k] = x + (jets[u, 0, k] * jets[v + 1, 0, k] if moves_b else 0.0)
    if values >= 2:
        for k in range(lanes):
            x = jets[u + 2, 0, k] * jets[v, 0, k] if moves_a else 0.0
            if moves_b:
                x += jets[u, 0, k] * jets[v + 2, 0, k]
                if moves_a:
                    x += 2.0 * jets[u + 1, 0, k] * jets[v + 1, 0, k]
            jets[w + 2, 0, k] = x


@inner
def clear_rows(jets, y, j, lanes, slopes):
    """y_j = 0, with its time derivatives."""
    for m in range(slopes + 1):
        for k in range(lanes):
            jets[3 * y + m, j, k] = 0.0


@inner
def add_product_rows(jets, a, b, moves, y, j, lanes, slopes):
    """y_j += a_j b and its time derivatives; b ``moves`` or is constant."""
    u, v, w = 3 * a, 3 * b, 3 * y
    for k in range(lanes):
        jets[w, j, k] += jets[u, j, k] * jets[v, 0, k]
    if slopes >= 1:
        for k in range(lanes):
            jets[w + 1, j, k] += jets[u + 1, j, k] * jets[v, 0, k]
            jets[w + 2, j, k] += jets[u + 2, j, k] * jets[v, 0, k]
        if moves:
            for k in range(lanes):
                jets[w + 1, j, k] += jets[u, j, k] * jets[v + 1, 0, k]
                x = 2.0 * jets[u + 1, j, k] * jets[v + 1, 0, k]
                jets[w + 2, j, k] += x + jets[u, j, k] * jets[v + 2, 0, k]


@inner
def function_values(jets, code, c, a, y, slopes, i, lanes, values):
    """phi(u) and its time derivatives; keeps phi', phi'', phi''' in rows 4 i and following of ``slopes``."""
    u, w, s, phi = 3 * a, 3 * y, 4 * i, _phi()
    for k in range(lanes):
        function_at(code, c, jets[u, 0, k], phi)
        jets[w, 0, k], slopes[s, k], slopes[s + 1, k], slopes[s + 2, k] = phi[0], phi[1], phi[2], phi[3]
    if values >= 1:
        for k in range(lanes):
            jets[w + 1, 0, k] = slopes[s, k] * jets[u + 1, 0, k]
    if values >= 2:
        for k in range(lanes):
            x = slopes[s + 1, k] * jets[u + 1, 0, k] * jets[u + 1, 0, k]
            jets[w + 2, 0, k] = x + slopes[s, k] * jets[u + 2, 0, k]


@inner
def function_steps(jets, a, slopes, i, lanes, wanted):
    """Rows 4 i + 2 and + 3 of ``slopes`` become phi''' u'^2 + phi'' u'' and 2 phi'' u', if ``wanted`` is not zero."""
    u, s = 3 * a, 4 * i
    if wanted >= 1:
        for k in range(lanes):
            rate = jets[u + 1, 0, k]
            slopes[s + 3, k] = 2.0 * slopes[s + 1, k] * rate
            slopes[s + 2, k] = slopes[s + 2, k] * rate * rate + slopes[s + 1, k] * jets[u + 2, 0, k]


@inner
def function_rows(jets, a, y, slopes, i, j, lanes, wanted):
    """phi(u)_j and, if ``wanted`` is not zero, its time derivatives."""
    u, w, s = 3 * a, 3 * y, 4 * i
    for k in range(lanes):
        jets[w, j, k] = slopes[s, k] * jets[u, j, k]
    if wanted >= 1:
        for k in range(lanes):
            x, rate = jets[u, j, k], jets[u + 1, j, k]
            jets[w + 1, j, k] = slopes[s, k] * rate + 0.5 * slopes[s + 3, k] * x
            jets[w + 2, j, k] = slopes[s, k] * jets[u + 2, j, k] + slopes[s + 3, k] * rate + slopes[s + 2, k] * x


@inner
def function_at(code, c, x, phi):
    """phi (4,) = a function and its three derivatives at x."""
    if code == SIN or code == COS:
        s, t = math.sin(x), math.cos(x)
        if code == SIN:
            phi[0], phi[1], phi[2], phi[3] = s, t, -s, -t
        else:
            phi[0], phi[1], phi[2], phi[3] = t, -s, -t, s
    elif code == NEGATIVE:
        phi[0], phi[1], phi[2], phi[3] = -x, -1.0, 0.0, 0.0
    elif code == EXP:
        s = math.exp(x)
        phi[0], phi[1], phi[2], phi[3] = s, s, s, s
    elif code == LOG:
        phi[0], phi[1], phi[2], phi[3] = math.log(x) if x > 0.0 else math.nan, 1.0 / x, -1.0 / x**2, 2.0 / x**3
    elif code == SQRT:
        s = math.sqrt(x) if x >= 0.0 else math.nan
        phi[0], phi[1], phi[2], phi[3] = s, 0.5 / s, -0.25 / (s * x), 0.375 / (s * x * x)
    elif code == POWER:
        s = x**c if c == -1.0 or x >= 0.0 or c == math.floor(c) else math.nan
        phi[0], phi[1] = s, c * x ** (c - 1.0)
        phi[2], phi[3] = c * (c - 1.0) * x ** (c - 2.0), c * (c - 1.0) * (c - 2.0) * x ** (c - 3.0)
    elif code == BESSEL:
        bessel_at(c, x, phi)
    elif code == ABSOLUTE:
        s = 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0
        phi[0], phi[1], phi[2], phi[3] = abs(x), s, 0.0, 0.0
    else:
        further_function_at(code, x, phi)


@inner
def further_function_at(code, x, phi):
    """Hyperbolic and inverse functions."""
    if code == TAN:
        t = math.tan(x)
        d = 1.0 + t * t
        phi[0], phi[1], phi[2], phi[3] = t, d, 2.0 * t * d, 2.0 * d * (d + 2.0 * t * t)
    elif code == TANH:
        t = math.tanh(x)
        d = 1.0 - t * t
        phi[0], phi[1], phi[2], phi[3] = t, d, -2.0 * t * d, 2.0 * d * (2.0 * t * t - d)
    elif code == SINH or code == COSH:
        s, t = math.sinh(x), math.cosh(x)
        if code == SINH:
            phi[0], phi[1], phi[2], phi[3] = s, t, s, t
        else:
            phi[0], phi[1], phi[2], phi[3] = t, s, t, s
    elif code == ARCTAN:
        d = 1.0 / (1.0 + x * x)
        phi[0], phi[1], phi[2], phi[3] = math.atan(x), d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d**3
    else:
        inside = abs(x) <= 1.0
        sign = 1.0 if code == ARCSIN else -1.0
        angle = math.asin(x) if inside else math.nan
        d = 1.0 / math.sqrt(1.0 - x * x) if abs(x) < 1.0 else math.nan
        phi[0] = angle if code == ARCSIN else 0.5 * math.pi - angle
        phi[1], phi[2], phi[3] = sign * d, sign * x * d**3, sign * (1.0 + 2.0 * x * x) * d**5


@inner
def bessel_at(c, x, phi):
    """g_k and its derivatives, k = c (`supple.tracing.operations.bessel`): g_k' = -x g_(k+1)."""
    order, square, g = int(c), x * x, _bessel()
    if abs(x) < 4.0:  # the two highest orders by their series, the others downward
        for top in range(order + 2, order + 4):
            term = 1.0
            for i in range(3, 2 * top + 2, 2):
                term /= i
            total = term
            for m in range(1, 40):
                term *= -0.5 * square / (m * (2 * top + 2 * m + 1))
                total += term
                if abs(term) < 1e-18 * abs(total):
                    break
            g[top - order] = total
        for i in range(order + 1, order - 1, -1):
            g[i - order] = (2 * i + 3) * g[i + 1 - order] - square * g[i + 2 - order]
    else:
        below, value = math.cos(x), math.sin(x) / x
        for i in range(order + 4):
            if i >= order:
                g[i - order] = value
            below, value = value, ((2 * i + 1) * value - below) / square
    phi[0], phi[1], phi[2] = g[0], -x * g[1], square * g[2] - g[1]
    phi[3] = x * (3.0 * g[2] - square * g[3])


# ---------------------------------------------------------------------- Hessians


@inner
def clear_adjoint(run, low):
    """Adjoints of all nodes from ``low`` on."""
    for i in range(low, run.adjoint.shape[0]):
        for k in range(run.lanes):
            run.adjoint[i, k] = 0.0


@inner
def pull_back(run, low, high, H):
    """Adjoints through operations ``high`` - 1 to ``low``, with what they add to the Hessian H (n, n, lanes).

    Only entries (i, j), i <= j, are written.
    """
    ops, active, jets, slopes, adjoint, lanes, n = (
        run.ops,
        run.active,
        run.jets,
        run.slopes,
        run.adjoint,
        run.lanes,
        run.n,
    )
    for m in range(high - 1, low - 1, -1):
        code, a, b, y = ops[m, 0], ops[m, 1], ops[m, 2], run.first + m
        if code == ADD or code == SUBTRACT:
            sign = 1.0 if code == ADD else -1.0
            for k in range(lanes):
                adjoint[a, k] += adjoint[y, k]
                adjoint[b, k] += sign * adjoint[y, k]
        elif code == MULTIPLY:
            for k in range(lanes):
                adjoint[a, k] += adjoint[y, k] * jets[3 * b, 0, k]
                adjoint[b, k] += adjoint[y, k] * jets[3 * a, 0, k]
            if active[a, 0] and active[b, 0]:
                add_outer(jets, active, a, b, adjoint[y], n, lanes, H)
                add_outer(jets, active, b, a, adjoint[y], n, lanes, H)
        else:
            weight = slopes[4 * m + 3]
            for k in range(lanes):
                adjoint[a, k] += adjoint[y, k] * slopes[4 * m, k]
                weight[k] = adjoint[y, k] * slopes[4 * m + 1, k]
            if code != NEGATIVE:
                add_outer(jets, active, a, a, weight, n, lanes, H)


@inner
def add_outer(jets, active, a, b, weight, n, lanes, H):
    """H_ij += weight a_i b_j for i <= j."""
    for i in range(n):
        if active[a, 1 + i]:
            for j in range(i, n):
                if active[b, 1 + j]:
                    for k in range(lanes):
                        H[i, j, k] += weight[k] * jets[3 * a, 1 + i, k] * jets[3 * b, 1 + j, k]
