"""Functionals of a soft body: sums over material points of a scalar function of its coordinates.

    L(q) = sum_k w_k l(x_k, q),

l a plan of one output: the energy of a volume, the length of a tendon, the volume behind a piece of a wall.  L does
not feel where the body's base is, so its gradient g = dL/dq acts on the body's own coordinates alone; with its
rate L' = g . v, the drift dL'/dq = g', and the Hessian (`fields.interpreter`).

Arrays of a functional in a handle of data, one after the other: whole numbers (the body's block, how many frames its
map has), weights of points (1, P), the plan, and the program that it is of, by whose numbers L is differentiated
(`fields.adjoints`).
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrix_at, vector_at
from supple.core.blocks.body import field_floats, map_floats
from supple.fields.adjoints import PROGRAM_ROWS, adjoint_floats, program_arrays
from supple.fields.interpreter import (
    PLAN_ROWS,
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_at,
    run_floats,
    run_places,
    slope_row,
    start_run,
    value_row,
)
from supple.fields.layout import FUNCTIONAL_LANES
from supple.fields.rows import add_product_row, clear_row, copy_row
from supple.jit import inlined, inner
from supple.tracing.plan import Plan, plan_of
from supple.tracing.program import Program, make_program
from supple.tracing.symbols import Symbols

#: Rows of a functional in the handle of data.
FUNCTIONAL_ROWS = 2 + PLAN_ROWS + PROGRAM_ROWS

#: A functional of n coordinates from ``start`` on, in the memory of its body: ``sums`` (2 + 2 n, lanes) are L, L', g,
#: g'; the Hessian is that of the run.
Functional = namedtuple("Functional", ("run", "weights", "start", "q", "v", "zero", "sums"))


class Density(NamedTuple):
    """What is summed over places: a program, and its plan."""

    program: Program
    plan: Plan

    @property
    def scratch(self) -> int:
        """Floats that a functional needs of the memory of its body."""
        n = self.plan.n
        forward = n + self.plan.memory(FUNCTIONAL_LANES) + FUNCTIONAL_LANES * (2 + 2 * n)
        return max(forward, adjoint_floats(self.program))


def density_at(outputs: Symbols, places: np.ndarray, n: int) -> Density:
    """Outputs of n coordinates at places (P, k), P a multiple of `FUNCTIONAL_LANES`."""
    program = make_program(outputs, places, n, True)
    return Density(program, plan_of(program, FUNCTIONAL_LANES))


def functional_arrays(block: int, frames: int, weights: np.ndarray, density: Density) -> tuple[np.ndarray, ...]:
    """Its arrays; the places of the density are as many as the weights (P,)."""
    numbers = np.array([[block, frames]], dtype=np.int64)
    arrays = (numbers, weights[None, :], *density.plan.arrays, *program_arrays(density.program))
    return tuple(map(np.ascontiguousarray, arrays))


def padded(x: np.ndarray, weights: np.ndarray, lanes: int = FUNCTIONAL_LANES) -> tuple[np.ndarray, np.ndarray]:
    """Places (P', k) and weights (P',) of them, as many as fill all lanes, those at the end without weight."""
    padding = -len(x) % lanes
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
    run = run_at(data, rows, row + 2, FUNCTIONAL_LANES, memory + 8 * n)
    sums = matrix_at(memory + 8 * (n + run_floats(run)), (2 + 2 * n, FUNCTIONAL_LANES))
    return Functional(run, weights, start, q, v, zero, sums)


@inner
def lane_sum(row):
    """sum of x_k over lanes."""
    total = 0.0
    for k in range(FUNCTIONAL_LANES):
        total += row[k]
    return total


@inner
def sum_points(run, weight, rates, sums):
    """L += w l, g += w dl/dq and, with rates, L' += w l', g' += w (dl/dq)' of the points of one run."""
    n = run.n
    add_product_row(weight, run.registers[value_row(run, 0, 0)], sums[0])
    if rates:
        add_product_row(weight, run.registers[value_row(run, 0, 1)], sums[1])
    for j in range(n):
        if has_slope(run, 0, j):
            add_product_row(weight, run.registers[slope_row(run, 0, j, 0)], sums[2 + j])
            if rates:
                add_product_row(weight, run.registers[slope_row(run, 0, j, 1)], sums[2 + n + j])


@inner
def sum_functional(f, rates, hessian):
    """L and g; with ``rates`` also L' and g', with ``hessian`` H."""
    run, order = f.run, 2 if rates else 0
    for i in range(f.sums.shape[0]):
        clear_row(f.sums[i])
    for j in range(run.n):
        f.zero[j] = 0.0
    if hessian:
        clear_hessian(run)
    start_run(run, f.q, f.v, f.zero, order, order)
    for first in range(0, f.weights.shape[1], FUNCTIONAL_LANES):
        weight = f.weights[0, first : first + FUNCTIONAL_LANES]
        run_places(run, first, order, order)
        sum_points(run, weight, rates, f.sums)
        if hessian:
            copy_row(weight, run.weights[0])
            pull_places(run, first)
    if hessian:
        finish_hessian(run)


@inner
def add_functional_force(space, f, scale, tangent):
    """joint_force += scale g, and in a ``tangent`` joint_slope += scale H, of what `sum_functional` left."""
    n, start = f.run.n, f.start
    for i in range(n):
        space.joint_force[start + i] += scale * lane_sum(f.sums[2 + i])
        if tangent:
            for j in range(n):
                space.joint_slope[start + i, j] += scale * lane_sum(f.run.H[min(i, j) * n + max(i, j)])
