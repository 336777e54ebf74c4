"""How sums over material points follow all numbers of their programs: one pass backward, however many there are.

A program (`supple.tracing.program`) is run forward at places side by side, every node as a number u with rates along
two directions of the coordinates: their velocity v, and a virtual motion y.  The caller tells what (u, u_v, u_y) of the
outputs are worth.  Backward, these worths u*, u_v*, u_y* pass through a product z = a b and a function z = phi(a) by

    a* += b z* + b_v z_v* + b_y z_y*,                   a_v* += b z_v*,       a_y* += b z_y*,
    a* += phi' z* + phi'' (a_v z_v* + a_y z_y*),        a_v* += phi' z_v*,    a_y* += phi' z_y*,

and what reaches constants, tables and weights of places is added to arrays that are shaped like them.

Exponents are constants too, of bases that must be positive: d(x^c)/dc = x^c log x.  Orders of Bessel functions are not.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrix_at, vector_at
from supple.core.blocks.body import field_floats, map_floats
from supple.core.gradient_arrays import ALONG_Y
from supple.fields.functions import function_values
from supple.fields.interpreter import PLAN_ROWS
from supple.fields.rows import add_product_row, add_row, add_scaled_row, clear_row, copy_row, multiply_rows
from supple.jit import inlined, inner, leaf, local_array
from supple.tracing.operations import ADD, MULTIPLY, POWER, SUBTRACT
from supple.tracing.program import Program

#: Places that are run side by side; it divides those of functionals.
ADJOINT_LANES = 8

#: Rows of a program in a handle of data, and behind which rows of a functional they stand.
PROGRAM_ROWS, BEHIND = 4, 2 + PLAN_ROWS

#: Rows of a node: the number, its rates along v and y, and what these three are worth.
VALUE, ALONG_V, ALONG, WORTH = 0, 1, 2, 3
NODE = 6

#: Numbers that are worths of outputs, at most; rows are (u*, u_v*, u_y*) per place and weight.
MOST_OUTPUTS = 8

#: A program of nodes constants, n coordinates, tables, operations; its memory ``nodes`` (6 nodes, lanes), ``phi``
#: (4, lanes); coordinates q, their velocity v and the virtual motion y; arrays to add to.
Adjoint = namedtuple(
    "Adjoint",
    (
        "weights", "ops", "outputs", "constants", "tables", "n", "q", "v", "y", "nodes", "phi", "by_weights",
        "by_constants", "by_tables",
    ),
)  # fmt: skip

worths = local_array(MOST_OUTPUTS, 3)

U = np.uint64  # unsigned indices vectorise, see linalg.products


def adjoint_floats(program: Program) -> int:
    """Floats that a pass backward needs of the memory of its body."""
    nodes = len(program.constants) + program.n + len(program.tables) + len(program.ops)
    return ADJOINT_LANES * (NODE * nodes + 4)


def program_arrays(program: Program) -> tuple[np.ndarray, ...]:
    """Its operations, outputs, constants and tables, as rows of a handle."""
    return program.ops.reshape(-1, 3), program.outputs[None, :], program.constants[None, :], program.tables


@inlined
def adjoint_at(robot, space, data, own, rows, row):
    """The program of the functional that begins at ``row`` of the handle of so many ``rows`` at an address.

    ``own`` is the address of the handle of arrays shaped like the data.
    """
    h, g, behind = handle_at(data, rows), handle_at(own, rows), row + BEHIND
    numbers, ops, outputs = integers(h, row), integers(h, behind), integers(h, behind + 1)
    constants, tables, block = floats(h, behind + 2), floats(h, behind + 3), robot.blocks[numbers[0, 0]]
    n, start, coordinates = block.n, block.start, np.int64(space.coordinates.ctypes.data)
    memory = np.int64(space.maps.ctypes.data) + 8 * robot.maps[block.map, 2]
    memory += 8 * (field_floats(n) + numbers[0, 1] * map_floats(n))
    count = NODE * (constants.shape[1] + n + tables.shape[0] + ops.shape[0])
    q = vector_at(coordinates + 8 * start, (n,))
    v = vector_at(coordinates + 8 * (space.coordinates.shape[1] + start), (n,))
    y = vector_at(space.gradient[ALONG_Y] + 8 * start, (n,))
    nodes = matrix_at(memory, (count, ADJOINT_LANES))
    phi = matrix_at(memory + 8 * ADJOINT_LANES * count, (4, ADJOINT_LANES))
    return Adjoint(
        floats(h, row + 1), ops, outputs, constants, tables, n, q, v, y, nodes, phi, floats(g, row + 1),
        floats(g, behind + 2), floats(g, behind + 3),
    )  # fmt: skip


@inner
def fill_row(value, out):
    """All lanes = value."""
    for k in range(out.shape[0]):
        out[k] = value


@inner
def start_adjoint(a):
    """Constants and coordinates, which all places share."""
    c, t, x = a.constants.shape[1], a.tables.shape[0], a.nodes
    for i in range(c + a.n + t):
        for m in range(NODE):
            clear_row(x[NODE * i + m])
    for i in range(c):
        fill_row(a.constants[0, i], x[NODE * i])
    for j in range(a.n):
        i = NODE * (c + j)
        fill_row(a.q[j], x[i])
        fill_row(a.v[j], x[i + ALONG_V])
        fill_row(a.y[j], x[i + ALONG])


@leaf
def multiply_slopes(u, u1, u2, v, v1, v2, out1, out2):
    """Rates of z = u v in two directions: z_v = u_v v + u v_v, z_y = u_y v + u v_y."""
    for k in range(U(out1.shape[0])):
        out1[k] = u1[k] * v[k] + u[k] * v1[k]
        out2[k] = u2[k] * v[k] + u[k] * v2[k]


@inner
def run_forward(a, first):
    """All nodes at the places from ``first`` on: z = a b, a +- b, or phi(a) with z_v = phi' a_v and z_y = phi' a_y.

    Nothing is worth anything yet, but constants keep their worths.
    """
    x, c, n, t = a.nodes, a.constants.shape[1], a.n, a.tables.shape[0]
    for i in range(t):
        copy_row(a.tables[i, first : first + ADJOINT_LANES], x[NODE * (c + n + i)])
    begin = c + n + t
    for i in range(a.ops.shape[0]):
        z, u, w = NODE * (begin + i), NODE * a.ops[i, 1], NODE * a.ops[i, 2]
        code = a.ops[i, 0]
        if code == MULTIPLY:
            multiply_rows(x[u], x[w], x[z])
            multiply_slopes(x[u], x[u + 1], x[u + 2], x[w], x[w + 1], x[w + 2], x[z + 1], x[z + 2])
        elif code in (ADD, SUBTRACT):
            for m in range(3):
                copy_row(x[u + m], x[z + m])
                add_scaled_row(1.0 if code == ADD else -1.0, x[w + m], x[z + m])
        else:
            phi1 = a.phi[1]
            function_values(code, x[w, 0], ADJOINT_LANES, x[u], x[z], phi1, a.phi[2], a.phi[3])
            multiply_rows(phi1, x[u + 1], x[z + 1])
            multiply_rows(phi1, x[u + 2], x[z + 2])
    for i in range(c, begin + a.ops.shape[0]):
        for m in range(WORTH, NODE):
            clear_row(x[NODE * i + m])


@leaf
def pull_product(v, v1, v2, z, z1, z2, out, out1, out2):
    """Worths of u in z = u v: u* += v z* + v_v z_v* + v_y z_y*, u_v* += v z_v*, u_y* += v z_y*."""
    for k in range(U(out.shape[0])):
        out[k] += v[k] * z[k] + v1[k] * z1[k] + v2[k] * z2[k]
        out1[k] += v[k] * z1[k]
        out2[k] += v[k] * z2[k]


@leaf
def pull_function(phi1, phi2, u1, u2, z, z1, z2, out, out1, out2):
    """Worths of u in z = phi(u): u* += phi' z* + phi'' (u_v z_v* + u_y z_y*), u_v* += phi' z_v*, u_y* += phi' z_y*."""
    for k in range(U(out.shape[0])):
        out[k] += phi1[k] * z[k] + phi2[k] * (u1[k] * z1[k] + u2[k] * z2[k])
        out1[k] += phi1[k] * z1[k]
        out2[k] += phi1[k] * z2[k]


@inner
def pull_exponent(c, u, u1, u2, z, z1, z2, out):
    """The worth of c in u^c, of lanes where u > 0."""
    for k in range(out.shape[0]):
        if u[k] > 0.0:
            log, power = math.log(u[k]), u[k] ** (c - 1.0)
            out[k] += power * (u[k] * log * z[k] + (1.0 + c * log) * (u1[k] * z1[k] + u2[k] * z2[k]))


@inner
def run_backward(a, first):
    """From worths of outputs to those of constants and tables, at the places that were just run.

    Nodes in reverse: z = a +- b gives a* += z*, b* += +- z*; products and functions as at the head of this file.
    """
    x, c, n, t = a.nodes, a.constants.shape[1], a.n, a.tables.shape[0]
    begin = c + n + t
    for i in range(a.ops.shape[0] - 1, -1, -1):
        z, u, w = NODE * (begin + i), NODE * a.ops[i, 1], NODE * a.ops[i, 2]
        code, z0, z1, z2 = a.ops[i, 0], x[z + WORTH], x[z + WORTH + 1], x[z + WORTH + 2]
        if code == MULTIPLY:
            pull_product(x[w], x[w + 1], x[w + 2], z0, z1, z2, x[u + 3], x[u + 4], x[u + 5])
            pull_product(x[u], x[u + 1], x[u + 2], z0, z1, z2, x[w + 3], x[w + 4], x[w + 5])
        elif code in (ADD, SUBTRACT):
            for m in range(WORTH, NODE):
                add_row(x[z + m], x[u + m])
                add_scaled_row(1.0 if code == ADD else -1.0, x[z + m], x[w + m])
        else:
            phi1, phi2, exponent = a.phi[1], a.phi[2], x[w, 0]
            function_values(code, exponent, ADJOINT_LANES, x[u], a.phi[0], phi1, phi2, a.phi[3])
            pull_function(phi1, phi2, x[u + 1], x[u + 2], z0, z1, z2, x[u + 3], x[u + 4], x[u + 5])
            if code == POWER:
                pull_exponent(exponent, x[u], x[u + 1], x[u + 2], z0, z1, z2, x[w + 3])
    for i in range(t):
        add_row(x[NODE * (c + n + i) + WORTH], a.by_tables[i, first : first + ADJOINT_LANES])


@inner
def finish_adjoint(a):
    """What all places did to constants."""
    for i in range(a.constants.shape[1]):
        row = a.nodes[NODE * i + WORTH]
        for k in range(ADJOINT_LANES):
            a.by_constants[0, i] += row[k]


@inner
def pull_sums(a, worth):
    """The sum over places k and outputs u of w_k (c u + c_v u_v + c_y u_y) by its numbers; c = ``worth`` (outputs, 3).

    Weights: w_k* += c u + c_v u_v + c_y u_y; outputs: u* += w_k c, and so on.
    """
    start_adjoint(a)
    for first in range(0, a.weights.shape[1], ADJOINT_LANES):
        weight, by_weight = a.weights[0, first : first + ADJOINT_LANES], a.by_weights[0, first : first + ADJOINT_LANES]
        run_forward(a, first)
        for i in range(a.outputs.shape[1]):
            node = NODE * a.outputs[0, i]
            for m in range(3):
                if worth[i, m] != 0.0:
                    add_scaled_row(worth[i, m], a.nodes[node + m], by_weight)
                    add_scaled_row(worth[i, m], weight, a.nodes[node + WORTH + m])
        run_backward(a, first)
    finish_adjoint(a)


@inner
def pull_powers(a):
    """The sum over places and outputs of weight u_v u_y: a virtual power of what resists rates."""
    start_adjoint(a)
    product = a.phi[0]
    for first in range(0, a.weights.shape[1], ADJOINT_LANES):
        weight, by_weight = a.weights[0, first : first + ADJOINT_LANES], a.by_weights[0, first : first + ADJOINT_LANES]
        run_forward(a, first)
        for i in range(a.outputs.shape[1]):
            node = NODE * a.outputs[0, i]
            rate, virtual = a.nodes[node + ALONG_V], a.nodes[node + ALONG]
            add_product_row(rate, virtual, by_weight)
            multiply_rows(weight, virtual, product)
            add_row(product, a.nodes[node + WORTH + ALONG_V])
            multiply_rows(weight, rate, product)
            add_row(product, a.nodes[node + WORTH + ALONG])
        run_backward(a, first)
    finish_adjoint(a)
