"""Functionals of a soft body: sums over material points of a scalar function of its coordinates.

    L(q) = sum_k w_k l(x_k, q),

l a program of one output: the energy of a volume, the length of a tendon, the volume behind a piece of a wall.  L does
not feel where the body's base is, so its gradient g = dL/dq acts on the body's own coordinates alone; with its
rate L' = g . v, the drift dL'/dq = g', and the Hessian by one reverse pass (`fields.interpreter`).

Arrays of a functional in a handle of data, one after the other: whole numbers (the body's block, how many frames its
map has), weights of points (1, P), the program.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrices_at, matrix_at, vector_at
from supple.core.blocks.body import field_floats, map_floats
from supple.fields.interpreter import (
    PROGRAM_ROWS,
    clear_adjoint,
    pull_back,
    run_at,
    run_points,
    run_size,
    start_run,
)
from supple.fields.layout import LANES
from supple.fields.rows import add_product_row, clear_row
from supple.jit import inlined, inner
from supple.tracing.program import Program

#: Rows of a functional in the handle of data.
FUNCTIONAL_ROWS = 2 + PROGRAM_ROWS

#: A functional of n coordinates from ``start`` on, in the memory of its body: ``sums`` (2 + 2 n, lanes) are L, L', g,
#: g'; H (n, n, lanes) is the Hessian, entries (i, j), i <= j.
Functional = namedtuple("Functional", ("run", "weights", "start", "q", "v", "zero", "sums", "H"))


def functional_scratch(program: Program) -> int:
    """Floats that a functional needs of the memory of its body."""
    n = int(program.sizes[1])
    return n + run_size(program.nodes, len(program.ops), n, LANES) + LANES * (2 + 2 * n + n * n)


def functional_arrays(block: int, frames: int, weights: np.ndarray, program: Program) -> tuple[np.ndarray, ...]:
    """Its arrays; the program's places are as many as the weights (P,), a multiple of `LANES`."""
    numbers = np.array([[block, frames]], dtype=np.int64)
    return tuple(map(np.ascontiguousarray, (numbers, weights[None, :], *program.arrays)))


def padded(x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (P', k) and weights (P',) of them, as many as fill all lanes, those at the end without weight."""
    padding = -len(x) % LANES
    return np.concatenate([x, np.repeat(x[-1:], padding, axis=0)]), np.concatenate([weights, np.zeros(padding)])


@inlined
def functional_at(robot, space, data, rows, row):
    """The functional whose arrays begin at ``row`` of the handle of so many ``rows`` at an address."""
    h = handle_at(data, rows)
    numbers, weights = integers(h, row), floats(h, row + 1)
    block = robot.blocks[numbers[0, 0]]
    n, start, coordinates = block.n, block.start, np.int64(space.coordinates.ctypes.data)
    memory = np.int64(space.maps.ctypes.data) + 8 * robot.maps[block.map, 2]
    memory += 8 * (field_floats(n) + numbers[0, 1] * map_floats(n))
    q = vector_at(coordinates + 8 * start, (n,))
    v, zero = vector_at(coordinates + 8 * (space.coordinates.shape[1] + start), (n,)), vector_at(memory, (n,))
    run = run_at(data, rows, row + 2, LANES, memory + 8 * n)
    nodes = run.active.shape[0]
    memory += 8 * (n + LANES * (3 * nodes * (1 + n) + 4 * run.ops.shape[0] + nodes))
    sums, H = matrix_at(memory, (2 + 2 * n, LANES)), matrices_at(memory + 8 * LANES * (2 + 2 * n), (n, n, LANES))
    return Functional(run, weights, start, q, v, zero, sums, H)


@inner
def lane_sum(row):
    """Sum over lanes."""
    total = 0.0
    for k in range(LANES):
        total += row[k]
    return total


@inner
def sum_points(run, node, weight, rates, sums):
    """What the points of one run add to sums."""
    n = run.n
    add_product_row(weight, run.jets[3 * node, 0], sums[0])
    if rates and run.active[node, 0]:
        add_product_row(weight, run.jets[3 * node + 1, 0], sums[1])
    for j in range(n):
        if run.active[node, 1 + j]:
            add_product_row(weight, run.jets[3 * node, 1 + j], sums[2 + j])
            if rates:
                add_product_row(weight, run.jets[3 * node + 1, 1 + j], sums[2 + n + j])


@inner
def sum_functional(f, rates, hessian):
    """L and g; with ``rates`` also L' and g', with ``hessian`` H."""
    run, H, node, order = f.run, f.H, f.run.outputs[0, 0], 2 if rates else 0
    for i in range(f.sums.shape[0]):
        clear_row(f.sums[i])
    for j in range(run.n):
        f.zero[j] = 0.0
    if hessian:
        H[:] = 0.0
        clear_adjoint(run, 0)
    start_run(run, f.q, f.v, f.zero, order, order)
    for first in range(0, f.weights.shape[1], LANES):
        weight = f.weights[0, first : first + LANES]
        run_points(run, first, order, order)
        sum_points(run, node, weight, rates, f.sums)
        if hessian:
            clear_adjoint(run, run.first + run.early)
            for k in range(LANES):
                run.adjoint[node, k] += weight[k]
            pull_back(run, run.early, run.ops.shape[0], H)
    if hessian:
        pull_back(run, 0, run.early, H)


@inner
def add_functional_force(space, f, scale, tangent):
    """joint_force += scale g, and in a ``tangent`` joint_slope += scale H, of what `sum_functional` left."""
    n, start = f.run.n, f.start
    for i in range(n):
        space.joint_force[start + i] += scale * lane_sum(f.sums[2 + i])
        if tangent:
            for j in range(n):
                space.joint_slope[start + i, j] += scale * lane_sum(f.H[min(i, j), max(i, j)])
