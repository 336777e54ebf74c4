"""Three stages that were solved together (Radau IIA), linearised where they were solved: their derivative, both ways.

With the blocks of `solvers.sensitivity.stage_tangents` at each of the three states, the equations of stage i depend on
the unknowns of stage j by way of v_i and a_i (`solvers.integrators.radau_stages`): block (i, j) is the matrix of one
stage with c_v = W_ij / h, c_a = (W^2)_ij / h^2, c_z = W_ij / h, without what depends on q_i, lambda_i, z_i unless
i = j.  All nine are factorised as one matrix, since the Jacobians of the stages differ.

Stage i begins at q + c_i h v, v, z of the point now, with a = 0 and z' = 0.
"""

from __future__ import annotations

from supple.jit import AddressedKernel, inner, stamp_of
from supple.linalg.lu import factorise, solve, solve_transposed
from supple.solvers.integrators.radau_tableau import NODES, RATES, SQUARES
from supple.solvers.problem import FEEDBACK, SCALE, STABILISED, problem_at
from supple.solvers.sensitivity.arrays import (
    BEGIN,
    CA_OF,
    COUPLED_SIGNATURE,
    CV_OF,
    CZ_OF,
    LATEST_OF,
    MET,
    P_OF,
    POWER_AT,
    TIME_OF,
    sweep_at,
)
from supple.solvers.sensitivity.parameter_products import ask_followers, push_parameters
from supple.solvers.sensitivity.stage_products import (
    add_parameters,
    pull_back_inputs,
    pull_to_begin,
    pull_to_unknowns,
    push_efforts,
    push_to_equations,
    rate_variation,
)
from supple.solvers.sensitivity.stage_tangents import fill_matrix, fill_stage_blocks, scale_of
from supple.solvers.stage.status import CONVERGED, NO_PIVOT


@inner
def set_coefficients(sweep, i, j, h):
    """Stage i with the coefficients by which it depends on the unknowns of stage j; none of them for j = -1."""
    cv, ca = (RATES[i, j] / h, SQUARES[i, j] / (h * h)) if j >= 0 else (0.0, 0.0)
    stage = sweep.stages[i]
    stage[CV_OF], stage[CA_OF], stage[CZ_OF] = cv, ca, cv


@inner
def is_multiplier(problem, k):
    """Whether the k-th unknown of a stage is a multiplier lambda."""
    nf = problem.free.shape[0]
    return nf <= k < nf + problem.vectors.shape[1]


@inner
def fill_row(problem, sweep, i, h):
    """Row i of blocks, from the derivatives at the state of stage i."""
    m, whole, W, nf = sweep.coupled_side.shape[1], sweep.coupled, problem.matrix, problem.free.shape[0]
    nc = problem.vectors.shape[1]
    for j in range(3):
        set_coefficients(sweep, i, j, h)
        fill_matrix(problem, sweep, i, False)
        for k in range(m):
            for l in range(m):
                whole[i * m + k, j * m + l] = W[k, l]
    set_coefficients(sweep, i, -1, h)
    fill_matrix(problem, sweep, i, False)
    for j in range(3):
        if j == i:
            continue
        for k in range(m):
            for l in range(m):
                whole[i * m + k, j * m + l] -= W[k, l]
            for l in range(nf, nf + nc):
                whole[i * m + k, j * m + l] = 0.0  # scaled by other numbers
    set_coefficients(sweep, i, i, h)
    problem.numbers[SCALE] = scale_of(problem, sweep, i, False)  # that of block (i, i)


@inner
def pull_row(problem, sweep, i, h, end):
    """Cotangents of all unknowns, from those of the row of stage i."""
    m, sides, rhs = sweep.coupled_side.shape[1], sweep.coupled_side, problem.rhs
    set_coefficients(sweep, i, -1, h)
    pull_to_unknowns(problem, sweep, i, False, end, rhs)
    for j in range(3):
        for k in range(m):
            if j != i and not is_multiplier(problem, k):
                sides[j, k] -= rhs[k]
    for j in range(3):
        set_coefficients(sweep, i, j, h)
        pull_to_unknowns(problem, sweep, i, False, end, rhs)
        for k in range(m):
            if j == i or not is_multiplier(problem, k):
                sides[j, k] += rhs[k]
    set_coefficients(sweep, i, i, h)


@inner
def begin_stage(problem, sweep, i, h):
    """(dq + c_i h dv, dv, 0, dz): the variation of where stage i begins.

    Prescribed coordinates follow their laws alone.
    """
    n, nc, nz = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    begin, now, first = sweep.registers[BEGIN], sweep.registers[0], 3 * n + nc
    for k in range(begin.shape[0]):
        begin[k] = 0.0
    for k in range(n):
        begin[k], begin[n + k] = now[k] + NODES[i] * h * now[n + k], now[n + k]
    for j in range(problem.fixed.shape[0]):
        for order in range(3):
            moved = sweep.motions[sweep.counts[MET], order, j] if sweep.motions.shape[0] > 0 else 0.0
            begin[order * n + problem.fixed[j]] = moved
    for k in range(nz):
        begin[first + k] = now[first + k]


@inner
def push_row(problem, sweep, i, h):
    """Minus the variations of the equations of stage i.  Returns a status."""
    status = push_parameters(problem, sweep)
    if status == CONVERGED:
        status = ask_followers(problem, sweep)
    if status != CONVERGED:
        return status
    n, nc, nz = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    begin, side, m = sweep.registers[BEGIN], sweep.coupled_side[i], sweep.coupled_side.shape[1]
    begin_stage(problem, sweep, i, h)
    push_to_equations(problem, sweep, i, False, side)
    q, v, a, z = begin[:n], begin[n : 2 * n], begin[2 * n : 3 * n], begin[3 * n + nc : 3 * n + nc + nz]
    for k in range(nz):
        side[m - nz + k] = rate_variation(problem, sweep, k, q, v, a, z)
    return CONVERGED


@inner
def linearise_all(problem, sweep, register, h, backward):
    """The factors of all stages, and right-hand sides.  Returns a status."""
    met, sides = sweep.counts[MET], sweep.coupled_side
    for i in range(3):
        for k in range(sides.shape[1]):
            sides[i, k] = 0.0
    for i in range(3):
        status = fill_stage_blocks(problem, sweep, i, not backward or problem.flags[FEEDBACK] != 0)
        if status != CONVERGED:
            return status
        fill_row(problem, sweep, i, h)
        if backward:
            pull_row(problem, sweep, i, h, sweep.registers[register + i])
        else:
            sweep.counts[MET] = met + i
            status = push_row(problem, sweep, i, h)
            if status != CONVERGED:
                return status
    sweep.counts[MET] = met
    singular = factorise(sweep.coupled, sweep.coupled_pivots, sweep.coupled_scales)
    return NO_PIVOT if singular >= 0 else CONVERGED


@inner
def finish_backward(problem, sweep, i, h, end):
    """q_bar += q0_bar, v_bar += v0_bar + c_i h q0_bar, z_bar += z0_bar of the point now, by where stage i begins.

    Which come, with those of its inputs and parameters, from the cotangents of its equations.
    """
    n, nz, first = problem.q.shape[0], problem.z.shape[0], 3 * problem.q.shape[0] + problem.vectors.shape[1]
    begin, now = sweep.registers[BEGIN], sweep.registers[0]
    for u in range(sweep.power.shape[0]):
        sweep.power[u] = 0.0
    for j in range(problem.fixed.shape[0]):
        p = problem.fixed[j]
        sweep.force[p] = -end[first + nz + p]  # efforts are results of this stage
    pull_to_begin(problem, sweep, False, end, sweep.coupled_side[i])
    for k in range(n):
        now[k] += begin[k]
        now[n + k] += begin[n + k] + NODES[i] * h * begin[k]
    for k in range(nz):
        now[first + k] += begin[first + k]
    if sweep.calls[POWER_AT] != 0:
        pull_back_inputs(problem, sweep)
    status = add_parameters(problem, sweep)
    return ask_followers(problem, sweep) if status == CONVERGED else status


@inner
def finish_forward(problem, sweep, i, h, end):
    """The variation of the row of stage i, from those of all unknowns.  Returns a status.

        dv_i = dv + 1/h sum_j W_ij (dD_j - P dmu_j),   da_i = 1/h^2 sum_j (W^2)_ij (dD_j - P dmu_j).
    """
    n, nc, nz, free = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], problem.free
    nf, first, sides, begin = free.shape[0], 3 * n + nc, sweep.coupled_side, sweep.registers[BEGIN]
    m, rate = sides.shape[1], 4 * n + nc + nz
    begin_stage(problem, sweep, i, h)
    for k in range(rate + nz):
        end[k] = begin[k]
    for l in range(nf):
        f = free[l]
        end[f] += sides[i, l]
        for j in range(3):
            x = sides[j, l]
            if problem.flags[STABILISED]:
                P = sweep.directions[int(sweep.stages[i, P_OF])]
                for k in range(nc):
                    x -= P[f, k] * sides[j, nf + nc + k]
            end[n + f] += RATES[i, j] / h * x
            end[2 * n + f] += SQUARES[i, j] / (h * h) * x
    for k in range(nc):
        end[3 * n + k] = scale_of(problem, sweep, i, False) * sides[i, nf + k]
    for k in range(nz):
        end[first + k] += sides[i, m - nz + k]
        for j in range(3):
            end[rate + k] += RATES[i, j] / h * sides[j, m - nz + k]
    if problem.fixed.shape[0] == 0:
        return CONVERGED
    status = push_parameters(problem, sweep)  # those of this stage once more
    push_efforts(problem, sweep, end)
    return status


def _coupled_stages(problem_address, sweep_address, register, h, backward):
    """Registers of three stages from register 0, or, ``backward``, cotangents from theirs.  Returns a status."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    sides = sweep.coupled_side
    status = linearise_all(problem, sweep, register, h, backward)
    if status != CONVERGED:
        return status
    flat = sides.reshape(sides.shape[0] * sides.shape[1])
    if backward:
        solve_transposed(sweep.coupled, sweep.coupled_pivots, sweep.coupled_scales, flat)
    else:
        solve(sweep.coupled, sweep.coupled_pivots, sweep.coupled_scales, flat)
    for i in range(3):
        status = fill_stage_blocks(problem, sweep, i, not backward or problem.flags[FEEDBACK] != 0)
        if status == CONVERGED and backward:
            status = finish_backward(problem, sweep, i, h, sweep.registers[register + i])
        elif status == CONVERGED:
            status = finish_forward(problem, sweep, i, h, sweep.registers[register + i])
        if status != CONVERGED:
            return status
        sweep.times[sweep.counts[MET]] = min(sweep.stages[i, TIME_OF], sweep.stages[i, LATEST_OF])
        sweep.counts[MET] += 1
    return CONVERGED


COUPLED_STAGES = AddressedKernel(_coupled_stages, COUPLED_SIGNATURE, stamp_of("solvers"))
