"""Elastic energy of a soft body, a function of its deformation gradient: forces on its coordinates, with tangent.

The energy density is a program of one output W(x, q).  Force -sum V dW/dq, tangent by the Hessian of sum V W.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrices_at, matrix_at, space_view, tree_view, vector_at
from supple.core.blocks.body import field_floats, map_floats
from supple.core.loads import ENERGY, MEASURE, TANGENT
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
from supple.jit import LoadKernel, inner
from supple.tracing.program import Program

#: Rows of the handle of data: whole numbers (block, frames of the body), volumes of points, the program; then what
#: every load has, the addresses of what it calls.
NUMBERS, VOLUMES, DENSITY = 0, 1, 2
ROWS = DENSITY + PROGRAM_ROWS + 1


def energy_scratch(program: Program) -> int:
    """Floats that a force needs for itself."""
    n = int(program.sizes[1])
    return n + run_size(program.nodes, len(program.ops), n, LANES) + LANES * (1 + n + n * n)


@inner
def lane_sum(row):
    """Sum over lanes."""
    total = 0.0
    for k in range(LANES):
        total += row[k]
    return total


@inner
def sum_energy(run, volumes, q, zero, mode, sums, H):
    """Rows of ``sums``: V W, then V dW/dq_j; and the Hessian H (n, n, lanes), as far as ``mode`` asks for them."""
    node, n, tangent = run.outputs[0, 0], run.n, mode == TANGENT
    for i in range(1 + n):
        clear_row(sums[i])
    if tangent:
        H[:] = 0.0
        clear_adjoint(run, 0)
    start_run(run, q, zero, zero, 0, 0)
    for first in range(0, volumes.shape[1], LANES):
        volume = volumes[0, first : first + LANES]
        run_points(run, first, 0, 0)
        add_product_row(volume, run.jets[3 * node, 0], sums[0])
        for j in range(n):
            if run.active[node, 1 + j]:
                add_product_row(volume, run.jets[3 * node, 1 + j], sums[1 + j])
        if tangent:
            clear_adjoint(run, run.first + run.early)
            for k in range(LANES):
                run.adjoint[node, k] += volume[k]
            pull_back(run, run.early, run.ops.shape[0], H)
    if tangent:
        pull_back(run, 0, run.early, H)


def _elasticity(tree, space, data, mode):
    """Forces on the coordinates of one body, see `NUMBERS`."""
    if mode < 0 or mode == MEASURE:
        return
    robot, scratch = tree_view(tree), space_view(space)
    h = handle_at(data, ROWS)
    numbers, volumes = integers(h, NUMBERS), floats(h, VOLUMES)
    block = robot.blocks[numbers[0, 0]]
    n, start = block.n, block.start
    memory = np.int64(scratch.maps.ctypes.data) + 8 * robot.maps[block.map, 2]
    memory += 8 * (field_floats(n) + numbers[0, 1] * map_floats(n))
    q, zero = vector_at(np.int64(scratch.coordinates.ctypes.data) + 8 * start, (n,)), vector_at(memory, (n,))
    for j in range(n):
        zero[j] = 0.0
    run = run_at(data, ROWS, DENSITY, LANES, memory + 8 * n)
    nodes = run.active.shape[0]
    memory += 8 * (n + LANES * (3 * nodes * (1 + n) + 4 * run.ops.shape[0] + nodes))
    sums, H = matrix_at(memory, (1 + n, LANES)), matrices_at(memory + 8 * LANES * (1 + n), (n, n, LANES))
    sum_energy(run, volumes, q, zero, mode, sums, H)
    if mode == ENERGY:
        scratch.energy[0] += lane_sum(sums[0])
        return
    for i in range(n):
        scratch.joint_force[start + i] -= lane_sum(sums[1 + i])
        if mode == TANGENT:
            for j in range(n):
                scratch.joint_slope[start + i, j] -= lane_sum(H[min(i, j), max(i, j)])


ELASTICITY = LoadKernel(_elasticity)
