"""Programs of users' kinematics, run on truncated Taylor series over many points at once.

A program (`supple.tracing.program`) is a list of scalar operations.  Each node is run on ``lanes`` points side by side,
as a *jet*: its value y with two time derivatives along (q, v, a), and its derivatives y_j by every coordinate with two
time derivatives of those.  Of a product and of a function phi,

    (u v)_j'' = u_j'' v + 2 u_j' v' + u_j v'' + (the same with u and v exchanged),
    phi(u)_j'' = phi' u_j'' + 2 phi'' u' u_j' + (phi''' u'^2 + phi'' u'') u_j.

So no formula of a user's is ever differentiated by hand, and no program is ever compiled.  The Hessian of a weighted
sum of outputs needs no second-order jets: with l the derivative of that sum by a node (one reverse pass),

    H = sum over products l (u_i v_j + v_i u_j) + sum over functions l phi'' u_i u_j.

Rows of a node that no coordinate reaches (``active``) are neither written nor read.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrices_at, matrix_at
from supple.fields.rows import (
    FAR,
    add_product_row,
    add_rates,
    add_scaled_row,
    all_below,
    clear_row,
    combine_rows,
    function_rates,
    function_slopes,
    function_steps,
    multiply_rates,
    multiply_rows,
    reciprocal_rows,
    root_rows,
    scale_row,
    set_rates,
    sine_rows,
)
from supple.jit import inlined, inner, local_array
from supple.tracing.operations import (
    ABSOLUTE,
    ADD,
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
    ROOTED,
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
    "Run",
    ("ops", "active", "outputs", "constants", "tables", "n", "early", "first", "lanes", "jets", "slopes", "adjoint"),
)

#: Arrays of a program in a handle of data.
PROGRAM_ROWS = 6

#: Orders of Bessel functions that programs may have (of kinematics 0, of their gradients 1, 2), and terms of series.
ORDERS, TERMS = 8, 9


def _bessel_series() -> np.ndarray:
    """Coefficients (ORDERS, TERMS) of g_k(x) in powers of x^2: (-1/2)^m / (m! (2k + 2m + 1)!!)."""
    table = np.zeros((ORDERS, TERMS))
    for k in range(ORDERS):
        table[k, 0] = 1.0 / np.prod(np.arange(1.0, 2 * k + 2, 2.0))
        for m in range(1, TERMS):
            table[k, m] = -0.5 * table[k, m - 1] / (m * (2 * k + 2 * m + 1))
    return table


_SERIES = _bessel_series()

_bessel, _phi = local_array(4), local_array(4)


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
        if code <= SUBTRACT:
            add_jets(jets, active, a, b, y, 1.0 if code == ADD else -1.0, n, values, slopes)
        elif code == MULTIPLY:
            multiply_values(jets, active, a, b, y, values)
            for j in range(1, n + 1):
                if active[y, j]:
                    multiply_slopes(jets, active, a, b, y, j, slopes)
        else:
            c = run.constants[0, b] if code in (POWER, BESSEL, ROOTED) else 0.0
            phi1, phi2 = run.slopes[4 * i], run.slopes[4 * i + 1]
            bend, turn = run.slopes[4 * i + 2], run.slopes[4 * i + 3]
            function_values(code, c, lanes, jets[3 * a, 0], jets[3 * y, 0], phi1, phi2, bend)
            u1, u2 = jets[3 * a + 1, 0], jets[3 * a + 2, 0]
            if values >= 1:
                function_rates(phi1, phi2, u1, u2, jets[3 * y + 1, 0], jets[3 * y + 2, 0])
            if slopes >= 1:
                function_steps(phi2, u1, u2, bend, turn)
            for j in range(1, n + 1):
                if active[a, j]:
                    u = jets[3 * a, j]
                    multiply_rows(phi1, u, jets[3 * y, j])
                    if slopes >= 1:
                        u1, u2 = jets[3 * a + 1, j], jets[3 * a + 2, j]
                        function_slopes(phi1, turn, bend, u, u1, u2, jets[3 * y + 1, j], jets[3 * y + 2, j])


@inner
def add_jets(jets, active, a, b, y, sign, n, values, slopes):
    """y = a + sign b."""
    combine_rows(jets[3 * a, 0], sign, jets[3 * b, 0], jets[3 * y, 0])
    for m in range(1, values + 1):
        add_rows(jets, 3 * a + m, active[a, 0], 3 * b + m, active[b, 0], 3 * y + m, 0, sign)
    for j in range(1, n + 1):
        if active[y, j]:
            for m in range(slopes + 1):
                add_rows(jets, 3 * a + m, active[a, j], 3 * b + m, active[b, j], 3 * y + m, j, sign)


@inner
def add_rows(jets, a, has_a, b, has_b, y, j, sign):
    """One row of a sum, of which one term may be missing."""
    if has_a and has_b:
        combine_rows(jets[a, j], sign, jets[b, j], jets[y, j])
    elif has_a:
        scale_row(1.0, jets[a, j], jets[y, j])
    else:
        scale_row(sign, jets[b, j], jets[y, j])


@inner
def multiply_values(jets, active, a, b, y, values):
    """Value of a product, and its time derivatives."""
    u, v, w = 3 * a, 3 * b, 3 * y
    multiply_rows(jets[u, 0], jets[v, 0], jets[w, 0])
    if values == 0:
        return
    if active[a, 0] and active[b, 0]:
        set_rates(
            jets[u, 0], jets[u + 1, 0], jets[u + 2, 0], jets[v, 0], jets[v + 1, 0], jets[v + 2, 0],
            jets[w + 1, 0], jets[w + 2, 0],
        )  # fmt: skip
    elif active[a, 0]:
        multiply_rates(jets[u, 0], jets[u + 1, 0], jets[u + 2, 0], jets[v, 0], jets[w + 1, 0], jets[w + 2, 0])
    else:
        multiply_rates(jets[v, 0], jets[v + 1, 0], jets[v + 2, 0], jets[u, 0], jets[w + 1, 0], jets[w + 2, 0])


@inner
def multiply_slopes(jets, active, a, b, y, j, slopes):
    """Derivative of a product by coordinate j - 1, and its time derivatives."""
    if active[a, j]:
        multiply_half(jets, a, b, active[b, 0], y, j, slopes)
        if active[b, j]:
            add_half(jets, b, a, y, j, slopes)
    else:
        multiply_half(jets, b, a, active[a, 0], y, j, slopes)


@inlined
def multiply_half(jets, a, b, moves, y, j, slopes):
    """y_j = a_j b and its time derivatives; b ``moves`` or is constant."""
    u, v, w = 3 * a, 3 * b, 3 * y
    multiply_rows(jets[u, j], jets[v, 0], jets[w, j])
    if slopes >= 1:
        u0, u1, u2, w1, w2 = jets[u, j], jets[u + 1, j], jets[u + 2, j], jets[w + 1, j], jets[w + 2, j]
        if moves:
            set_rates(u0, u1, u2, jets[v, 0], jets[v + 1, 0], jets[v + 2, 0], w1, w2)
        else:
            multiply_rates(u0, u1, u2, jets[v, 0], w1, w2)


@inlined
def add_half(jets, a, b, y, j, slopes):
    """y_j += a_j b and its time derivatives; both move."""
    u, v, w = 3 * a, 3 * b, 3 * y
    add_product_row(jets[u, j], jets[v, 0], jets[w, j])
    if slopes >= 1:
        u0, u1, u2, w1, w2 = jets[u, j], jets[u + 1, j], jets[u + 2, j], jets[w + 1, j], jets[w + 2, j]
        add_rates(u0, u1, u2, jets[v, 0], jets[v + 1, 0], jets[v + 2, 0], w1, w2)


@inner
def function_values(code, c, lanes, u, y, phi1, phi2, phi3):
    """phi(u) and its three derivatives in all lanes."""
    phi = _phi()
    if code == NEGATIVE:
        scale_row(-1.0, u, y)
        for k in range(lanes):
            phi1[k], phi2[k], phi3[k] = -1.0, 0.0, 0.0
        return
    if code == SIN and all_below(u, FAR):
        sine_rows(u, y, phi1, phi2, phi3)
        return
    if code == COS and all_below(u, FAR):
        sine_rows(u, phi3, y, phi1, phi2)
        return
    if code == SQRT:
        root_rows(u, y, phi1, phi2, phi3)
        return
    if code == POWER and c == -1.0:
        reciprocal_rows(u, y, phi1, phi2, phi3)
        return
    for k in range(lanes):
        function_at(code, c, u[k], phi)
        y[k], phi1[k], phi2[k], phi3[k] = phi[0], phi[1], phi[2], phi[3]


@inner
def function_at(code, c, x, phi):
    """phi (4,) = a function and its three derivatives at x."""
    if code in (SIN, COS):
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
    elif code == POWER:
        power_at(c, x, phi)
    elif code == BESSEL:
        bessel_at(c, x, phi)
    elif code == ROOTED:
        rooted_at(c, x, phi)
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
    elif code in (SINH, COSH):
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
def power_at(c, x, phi):
    """x^c and its derivatives."""
    whole = c == math.floor(c)
    if x == 0.0 or (whole and c >= 3.0):
        phi[3] = c * (c - 1.0) * (c - 2.0) * x ** (c - 3.0)
        phi[0], phi[1], phi[2] = x**c, c * x ** (c - 1.0), c * (c - 1.0) * x ** (c - 2.0)
        return
    r, s = 1.0 / x, x**c if whole or x > 0.0 else math.nan
    phi[0], phi[1], phi[2] = s, c * s * r, c * (c - 1.0) * s * r * r
    phi[3] = c * (c - 1.0) * (c - 2.0) * s * r * r * r


@inner
def bessel_at(c, x, phi):
    """g_k and its derivatives, k = c (`supple.tracing.operations.bessel`): g_k' = -x g_(k+1)."""
    square, g = x * x, _bessel()
    bessel_orders(int(c), x, square, g)
    phi[0], phi[1], phi[2] = g[0], -x * g[1], square * g[2] - g[1]
    phi[3] = x * (3.0 * g[2] - square * g[3])


@inner
def rooted_at(c, x, phi):
    """h_k(x) = g_k(sqrt(x)) and its derivatives, k = c: h_k' = -h_(k+1) / 2."""
    g = _bessel()
    bessel_orders(int(c), math.sqrt(x) if x >= 1.0 else 0.0, x, g)
    phi[0], phi[1], phi[2], phi[3] = g[0], -0.5 * g[1], 0.25 * g[2], -0.125 * g[3]


@inner
def bessel_orders(order, x, square, g):
    """g (4,) = g_k(x) of four orders from ``order`` on; ``square`` is x^2."""
    if square < 1.0:  # the two highest orders by their series, the others downward
        for i in range(2, 4):
            total = _SERIES[order + i, TERMS - 1]
            for m in range(TERMS - 2, -1, -1):
                total = total * square + _SERIES[order + i, m]
            g[i] = total
        for i in range(1, -1, -1):
            g[i] = (2 * (order + i) + 3) * g[i + 1] - square * g[i + 2]
    else:
        below, value, r = math.cos(x), math.sin(x) / x, 1.0 / square
        for i in range(order + 4):
            if i >= order:
                g[i - order] = value
            below, value = value, ((2 * i + 1) * value - below) * r


# ---------------------------------------------------------------------- Hessians


@inner
def clear_adjoint(run, low):
    """Adjoints of all nodes from ``low`` on."""
    for i in range(low, run.adjoint.shape[0]):
        clear_row(run.adjoint[i])


@inner
def pull_back(run, low, high, H):
    """Adjoints through operations ``high`` - 1 to ``low``, with what they add to the Hessian H (n, n, lanes).

    Only entries (i, j), i <= j, are written.
    """
    ops, active, jets, slopes, adjoint = run.ops, run.active, run.jets, run.slopes, run.adjoint
    for m in range(high - 1, low - 1, -1):
        code, a, b, y = ops[m, 0], ops[m, 1], ops[m, 2], run.first + m
        own, left, right = adjoint[y], adjoint[a], adjoint[b]
        if code <= SUBTRACT:
            add_scaled_row(1.0, own, left)
            add_scaled_row(1.0 if code == ADD else -1.0, own, right)
        elif code == MULTIPLY:
            add_product_row(own, jets[3 * b, 0], left)
            add_product_row(own, jets[3 * a, 0], right)
            if active[a, 0] and active[b, 0]:
                add_outer(jets, active, a, b, own, slopes[4 * m + 3], run.n, H)
                add_outer(jets, active, b, a, own, slopes[4 * m + 3], run.n, H)
        else:
            add_product_row(own, slopes[4 * m], left)
            if code != NEGATIVE:
                weight = slopes[4 * m + 3]
                multiply_rows(own, slopes[4 * m + 1], weight)
                add_outer(jets, active, a, a, weight, slopes[4 * m + 2], run.n, H)


@inner
def add_outer(jets, active, a, b, weight, scratch, n, H):
    """H_ij += weight a_i b_j for i <= j."""
    for i in range(n):
        if active[a, 1 + i]:
            multiply_rows(weight, jets[3 * a, 1 + i], scratch)
            for j in range(i, n):
                if active[b, 1 + j]:
                    add_product_row(scratch, jets[3 * b, 1 + j], H[i, j])
