"""Kelvin-Voigt viscosity of a soft body by the rate of its Green strain: forces on its coordinates, with tangents.

The plan's outputs e_m(x, q) are numbers of the strain, scaled so that the dissipated power is a sum of squares.
With weights w_k = 2 eta V_k of the points, half of that power is the dissipation function, and

    Phi = 1/2 sum_k w_k e_m'^2,     f_i = -dPhi/dv_i = -sum w e_m' e_m,i,
    df_i/dv_j = -sum w e_m,i e_m,j,     df_i/dq_j = -sum w (e_m' e_m,ij + e_m,i e_m,j'),

summed over m.  e' and e_,j' are time derivatives along (q, v) (`fields.interpreter`), the sum with e_,ij is the Hessian
of the outputs weighted by w e'.  A strain of F^T F does not feel rotations, nor does the force.

In gradients by parameters y^T R has -y . f = sum w e_m' e_m,y, the rates along v and y (`fields.adjoints`).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from supple.core.arrays import matrices_at, space_view, tree_view
from supple.core.dormant import clear_local
from supple.core.loads import TANGENT, WRENCH
from supple.fields.adjoints import adjoint_at, pull_powers
from supple.fields.functionals import FUNCTIONAL_ROWS, Density, functional_at, lane_sum
from supple.fields.interpreter import (
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_places,
    slope_row,
    start_run,
    value_row,
)
from supple.fields.layout import FUNCTIONAL_LANES
from supple.fields.rows import add_product_row, clear_row, multiply_rows
from supple.jit import GradientKernel, LoadKernel, inlined, inner

#: Rows of the handle of data: as of a functional; then what every load has, the addresses of what it calls.
ROWS = FUNCTIONAL_ROWS + 1

#: Further sums of a body: ``slow`` and ``fast`` (n, n, lanes) are -df/dq without the Hessian, and -df/dv.
Slopes = namedtuple("Slopes", ("slow", "fast"))


def viscosity_scratch(strain: Density) -> int:
    """Floats that it needs of the memory of its body."""
    return strain.scratch + 2 * FUNCTIONAL_LANES * strain.plan.n**2


@inlined
def slopes_behind(f):
    """Memory of `Slopes` behind that of a functional."""
    n = f.run.n
    memory = np.int64(f.sums.ctypes.data) + 8 * FUNCTIONAL_LANES * f.sums.shape[0]
    size = (n, n, FUNCTIONAL_LANES)
    return Slopes(matrices_at(memory, size), matrices_at(memory + 8 * FUNCTIONAL_LANES * n * n, size))


@inner
def stands(f):
    """Whether no coordinate moves; NaN does."""
    total = 0.0
    for j in range(f.run.n):
        total += abs(f.v[j])
    return total == 0.0


@inner
def add_strain(f, m, weight, tangent, slow, fast):
    """-f_i = sum w e' e_,i of number m of the strain at the places of a run, in sums[2:], and its slopes (see above).

    w e' weighs the Hessian of its plan.
    """
    run, push, scratch = f.run, f.run.weights[m], f.sums[1]
    n, registers = run.n, run.registers
    multiply_rows(weight, registers[value_row(run, m, 1)], push)
    for i in range(n):
        if has_slope(run, m, i):
            add_product_row(push, registers[slope_row(run, m, i, 0)], f.sums[2 + i])
    if not tangent:
        return
    for i in range(n):
        if has_slope(run, m, i):
            multiply_rows(weight, registers[slope_row(run, m, i, 0)], scratch)
            for j in range(n):
                if has_slope(run, m, j):
                    add_product_row(scratch, registers[slope_row(run, m, j, 1)], slow[i, j])
                    add_product_row(scratch, registers[slope_row(run, m, j, 0)], fast[i, j])


@inner
def sum_viscosity(f, tangent, slow, fast):
    """-f in sums[2 : 2 + n]; in a ``tangent`` also its slopes, of which the Hessian is in run.H."""
    run = f.run
    for i in range(f.sums.shape[0]):
        clear_row(f.sums[i])
    for j in range(run.n):
        f.zero[j] = 0.0
    if tangent:
        clear_hessian(run)
        slow[:] = 0.0
        fast[:] = 0.0
    order = 2 if tangent else 0
    start_run(run, f.q, f.v, f.zero, 2, order)
    for first in range(0, f.weights.shape[1], FUNCTIONAL_LANES):
        run_places(run, first, 2, order)
        for m in range(run.outputs.shape[0]):
            add_strain(f, m, f.weights[0, first : first + FUNCTIONAL_LANES], tangent, slow, fast)
        if tangent:
            pull_places(run, first)
    if tangent:
        finish_hessian(run)


@inner
def add_slopes(space, f, slow, fast):
    """df/dq + c_v df/dv into the slopes of joint forces, or the two apart where dR/dv is asked for separately."""
    n, start, cv, apart = f.run.n, f.start, space.rates[0], space.rates[1] != 0.0
    if apart:  # what joint forces add to dR/dv has no place of its own, but that of dormant stations
        clear_local(space)
        space.count[3] += 1
    for i in range(n):
        for j in range(n):
            slope = lane_sum(f.run.H[min(i, j) * n + max(i, j)]) + lane_sum(slow[i, j])
            rate = lane_sum(fast[i, j])
            if apart:
                space.local[1, start + i, start + j] += rate
            else:
                slope += cv * rate
                space.joint_drag[start + i, j] -= rate
            space.joint_slope[start + i, j] -= slope


def _viscosity(tree, space, data, mode):
    """Forces on the coordinates of one body."""
    if mode != WRENCH and mode != TANGENT:
        return
    robot, scratch, tangent = tree_view(tree), space_view(space), mode == TANGENT
    f = functional_at(robot, scratch, data, ROWS, 0)
    if stands(f) and not (tangent and (scratch.rates[0] != 0.0 or scratch.rates[1] != 0.0)):
        return
    slopes = slopes_behind(f)
    sum_viscosity(f, tangent, slopes.slow, slopes.fast)
    for i in range(f.run.n):
        scratch.joint_force[f.start + i] -= lane_sum(f.sums[2 + i])
    if tangent:
        add_slopes(scratch, f, slopes.slow, slopes.fast)


VISCOSITY = LoadKernel(_viscosity)


def _viscosity_gradient(tree, space, data, own, everything):
    """By weights and all numbers of the strain."""
    pull_powers(adjoint_at(tree_view(tree), space_view(space), data, own, ROWS, 0))


VISCOSITY_GRADIENT = GradientKernel(_viscosity_gradient)
