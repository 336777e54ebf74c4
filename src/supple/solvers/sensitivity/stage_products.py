"""The derivative of a stage times a variation of where it begins, and its transpose times a cotangent of where it ends.

With the blocks and factors of `solvers.sensitivity.stage_tangents`, dF/dw dw = -(dF/dbegin dbegin + dF/du du), and

    q = q0 + x,    v = v0 + c_v (x - P mu),    a = a0 + c_a (x - P mu),    z = z0 + x_z,    z' = z0' + c_z x_z.

Backward, (dF/dw)^T y = (cotangents, pulled back to the unknowns) is solved for y = (y_R, y_e, y_A, y_z), and

    q0_bar = q_bar - R_q^T y_R - E^T y_e - (A v)_q^T y_A + f_q^T y_z,    v0_bar, a0_bar, z0_bar likewise,
    u_bar = - R_u^T y_R + f_u^T y_z.

Efforts R of prescribed coordinates are results; minus their cotangents stand in the rows of y_R that are not solved
for, and then count like the others.  Prescribed coordinates are their laws' and depend on nothing else.
"""

from __future__ import annotations

from numba import types

from supple.core.input_forces import call_input_power
from supple.core.jacobian_products import call_transposed_jacobians
from supple.jit import calling, inner, outlined
from supple.solvers.problem import FEEDBACK, OVER_TREE, SCALE, SPACE_AT, STABILISED, TREE_AT
from supple.solvers.sensitivity.arrays import BEGIN, BUNDLE_AT, CZ_OF, MET, P_OF, PARAMETERS_AT, POWER_AT, PRODUCTS_AT
from supple.solvers.sensitivity.stage_tangents import coefficients
from supple.solvers.sensitivity.stage_tree import HEAVY
from supple.solvers.stage.factors import solve_factors, solve_factors_transposed
from supple.solvers.stage.status import CONVERGED, NOT_FINITE

call_parameters = calling(types.int64(*[types.int64] * 8))


@inner
def unknowns(problem, accelerates):
    """Number of unknowns of a stage."""
    nf, nc, nz = problem.free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    if accelerates:
        return nf + nc
    return nf + (2 if problem.flags[STABILISED] else 1) * nc + nz


@outlined
def add_transposed(s, M, y, out):
    """out += s M^T y."""
    for i in range(M.shape[0]):
        w = s * y[i]
        if w != 0.0:
            for j in range(out.shape[0]):
                out[j] += w * M[i, j]


@outlined
def add_product(s, M, x, out):
    """out += s M x."""
    for i in range(M.shape[0]):
        total = 0.0
        for j in range(x.shape[0]):
            total += M[i, j] * x[j]
        out[i] += s * total


# ---------------------------------------------------------------------- backward


@inner
def by_products(problem, sweep):
    """Whether the stage was linearised without Jacobians (`stage_tangents.factorise_without_blocks`)."""
    return sweep.calls[PRODUCTS_AT] != 0 and problem.flags[OVER_TREE] != 0


@inner
def multiply_jacobians(problem, sweep, y):
    """``products`` = R_q^T y, R_v^T y and R_a^T y.  Returns a status."""
    state = (problem.q.ctypes.data, problem.v.ctypes.data, problem.a.ctypes.data, y.ctypes.data)
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], *state, sweep.products.ctypes.data)
    return CONVERGED if call_transposed_jacobians(sweep.calls[PRODUCTS_AT], at) != 0 else NOT_FINITE


@inner
def pull_back_efforts(problem, sweep, cq, cv, ca, y, rhs):
    """rhs -= T^T y on free coordinates, T = c_q R_q + c_v R_v + c_a R_a, for a y of prescribed coordinates alone."""
    free, fixed, J, products = problem.free, problem.fixed, sweep.jacobians, sweep.products
    if fixed.shape[0] == 0:
        return
    if by_products(problem, sweep):
        multiply_jacobians(problem, sweep, y)
        for i in range(free.shape[0]):
            f = free[i]
            rhs[i] -= cq * products[0, f] + cv * products[1, f] + ca * products[2, f]
        return
    for i in range(free.shape[0]):
        f = free[i]
        for j in range(fixed.shape[0]):
            p = fixed[j]
            rhs[i] -= (cq * J[0, p, f] + cv * J[1, p, f] + ca * J[2, p, f]) * y[p]


@inner
def pull_to_unknowns(problem, sweep, s, accelerates, end, rhs):
    """Cotangents of the unknowns: those of all results, and of the efforts R_p of prescribed coordinates,

        x_bar = c_q q_bar + c_v v_bar + c_a a_bar + T_p^T R_p_bar,   lambda_bar += A_p R_p_bar,   and so on.
    """
    n, nc, nz, free, y = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], problem.free, sweep.force
    nf, first_z, first_R = free.shape[0], 3 * n + nc, 3 * n + nc + nz
    cq, cv, ca = coefficients(sweep, s, accelerates)
    stabilised, A = problem.flags[STABILISED] and not accelerates, problem.matrices[0]
    for i in range(n):
        y[i] = 0.0
    for i in range(problem.fixed.shape[0]):
        y[problem.fixed[i]] = -end[first_R + problem.fixed[i]]
    for i in range(nf):
        f = free[i]
        x = cq * end[f] + cv * end[n + f] + ca * end[2 * n + f]
        if accelerates:
            for k in range(nz):
                x += sweep.rates[k, 2 * n + f] * end[first_R + n + k]
        rhs[i] = x
    pull_back_efforts(problem, sweep, cq, cv, ca, y, rhs)
    for k in range(nc):
        x = end[3 * n + k]
        for j in range(problem.fixed.shape[0]):
            x += A[k, problem.fixed[j]] * y[problem.fixed[j]]
        if accelerates:
            for l in range(nz):
                x += sweep.rates[l, sweep.rates.shape[1] - nc + k] * end[first_R + n + l]
        rhs[nf + k] = x * problem.numbers[SCALE]
    if stabilised:
        pull_to_corrections(problem, sweep, s, cv, ca, end, rhs[nf + nc : nf + 2 * nc])
    if not accelerates:
        last = rhs.shape[0] - nz
        for k in range(nz):
            x = end[first_z + k] + sweep.stages[s, CZ_OF] * end[first_R + n + k]
            for j in range(problem.fixed.shape[0]):
                x -= sweep.by_state[problem.fixed[j], k] * y[problem.fixed[j]]
            rhs[last + k] = x


@inner
def pull_to_corrections(problem, sweep, s, cv, ca, end, out):
    """Cotangents of mu: -P^T (c_v v_bar + c_a a_bar + (T - R_q)_p^T R_p_bar)."""
    n, P, J = problem.q.shape[0], sweep.directions[int(sweep.stages[s, P_OF])], sweep.jacobians
    for k in range(out.shape[0]):
        x = 0.0
        for i in range(problem.free.shape[0]):
            f = problem.free[i]
            moved = cv * end[n + f] + ca * end[2 * n + f]
            for j in range(problem.fixed.shape[0]):
                p = problem.fixed[j]
                moved -= (cv * J[1, p, f] + ca * J[2, p, f]) * sweep.force[p]
            x -= moved * P[f, k]
        out[k] = x


@inner
def take_cotangents(problem, sweep, accelerates, rhs, end):
    """From a solution y = (y_R, y_e, y_A, y_z): y_R of all coordinates in ``force``, z0'_bar = z'_bar - y_z.

    Cotangents of the rows e, A v, rate are y_e, y_A, 0; of accelerations y_r/T^2, 2/T y_r, y_r.
    """
    nc, nz, free, rows = problem.vectors.shape[1], problem.z.shape[0], problem.free, sweep.rows
    nf, T, first = free.shape[0], sweep.baumgarte[0], 4 * problem.q.shape[0] + nc + nz
    for i in range(nf):
        sweep.force[free[i]] = rhs[i]
    for k in range(nc):
        rows[0, k], rows[1, k], rows[2, k] = 0.0, 0.0, 0.0
        if accelerates:
            rows[2, k] = rhs[nf + k]
            if T > 0.0:
                rows[0, k], rows[1, k] = rhs[nf + k] / T**2, 2.0 / T * rhs[nf + k]
        else:
            rows[0, k] = rhs[nf + k]
            if problem.flags[STABILISED]:
                rows[1, k] = rhs[nf + nc + k]
    if not accelerates:
        for k in range(nz):
            end[first + k] -= rhs[rhs.shape[0] - nz + k]  # the cotangent of z0'


@inner
def pull_back_stage(problem, sweep, s, accelerates, end):
    """Cotangents of where stage s begins by y = F^-T rhs, over the tree H (H M)^-T rhs of accelerations.  A status."""
    m = unknowns(problem, accelerates)
    rhs = problem.rhs[:m]
    pull_to_unknowns(problem, sweep, s, accelerates, end, rhs)
    solve_factors_transposed(problem, rhs)
    if accelerates and by_products(problem, sweep):
        for i in range(m):
            rhs[i] *= HEAVY
    return pull_to_begin(problem, sweep, accelerates, end, rhs)


@inner
def pull_to_begin(problem, sweep, accelerates, end, rhs):
    """Cotangents of where a stage begins, from those of its row and of its equations, ``rhs``; ``end`` is lost.

    Returns a status.
    """
    n, nc, nz = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    begin, y, rows = sweep.registers[BEGIN], sweep.force, sweep.rows
    J, C = sweep.jacobians, problem.matrices
    rate, status = 4 * n + nc + nz, CONVERGED
    take_cotangents(problem, sweep, accelerates, rhs, end)
    q_bar, v_bar, a_bar = begin[:n], begin[n : 2 * n], begin[2 * n : 3 * n]
    for i in range(begin.shape[0]):
        begin[i] = 0.0
    for i in range(n):
        q_bar[i], v_bar[i] = end[i], end[n + i]
        a_bar[i] = 0.0 if accelerates else end[2 * n + i]
    if by_products(problem, sweep):
        status = multiply_jacobians(problem, sweep, y)
        for i in range(n):
            q_bar[i] -= sweep.products[0, i]
            v_bar[i] -= sweep.products[1, i]
            if not accelerates:
                a_bar[i] -= sweep.products[2, i]
    else:
        add_transposed(-1.0, J[0], y, q_bar)
        add_transposed(-1.0, J[1], y, v_bar)
        if not accelerates:
            add_transposed(-1.0, J[2], y, a_bar)
    if nc > 0:
        add_transposed(-1.0, C[1], rows[0], q_bar)
        add_transposed(-1.0, C[2], rows[1], q_bar)
        add_transposed(-1.0, C[3], rows[2], q_bar)
        add_transposed(-1.0, C[0], rows[1], v_bar)
        add_transposed(-1.0, C[4], rows[2], v_bar)
    if nz > 0:
        pull_back_states(problem, sweep, accelerates, end, begin, rhs)
    if sweep.motions.shape[0] > 0:
        note_motions(problem, sweep, accelerates, end, begin)
    for i in range(problem.fixed.shape[0]):
        p = problem.fixed[i]
        q_bar[p], v_bar[p], a_bar[p] = 0.0, 0.0, 0.0
    for i in range(rate + nz):
        end[i] = 0.0
    return status


@inner
def note_motions(problem, sweep, accelerates, end, begin):
    """Cotangents of the laws of prescribed coordinates p: those of where the stage begins.

    In accelerations that of a is a_bar - R_a^T y_R - A^T y_r + f_a^T z'_bar, column p.
    """
    n, nc, nz, met = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], sweep.counts[MET]
    for i in range(problem.fixed.shape[0]):
        p = problem.fixed[i]
        for m in range(3):
            sweep.motions[met, m, i] = begin[m * n + p]
        if accelerates:
            x = end[2 * n + p]
            if by_products(problem, sweep):
                x -= sweep.products[2, p]
            else:
                for j in range(n):
                    x -= sweep.jacobians[2, j, p] * sweep.force[j]
            for k in range(nc):
                x -= problem.matrices[0, k, p] * sweep.rows[2, k]
            for k in range(nz):
                x += sweep.rates[k, 2 * n + p] * end[4 * n + nc + nz + k]
            sweep.motions[met, 2, i] = x


@inner
def add_parameters(problem, sweep):
    """Add y^T dR/dp and the cotangents of rows of loops to the sums of `core.parameter_gradient`.  Returns a status.

    Sums are those of y, not of - y: whoever reads them turns the sign.
    """
    if sweep.calls[PARAMETERS_AT] == 0:
        return CONVERGED
    state = (problem.q.ctypes.data, problem.v.ctypes.data, problem.a.ctypes.data, sweep.force.ctypes.data)
    rows = sweep.rows.ctypes.data if problem.vectors.shape[1] > 0 else 0
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], *state, rows, sweep.calls[BUNDLE_AT])
    if call_parameters(sweep.calls[PARAMETERS_AT], at) == 0:
        return NOT_FINITE
    for k in range(sweep.signal_sums.shape[0]):
        sweep.signals[sweep.counts[MET], k] = -sweep.signal_sums[k]
        sweep.signal_sums[k] = 0.0
    return CONVERGED


@inner
def pull_back_states(problem, sweep, accelerates, end, begin, rhs):
    """Cotangents by way of rates z': f^T y_z, y_z being those of the equations, or in accelerations of z' itself."""
    n, nc, nz, f = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], sweep.rates
    first, rate = 3 * n + nc, 4 * n + nc + nz
    for k in range(nz):
        begin[first + k] = end[first + k]
        begin[rate + k] = 0.0 if accelerates else end[rate + k]
    for i in range(n):
        for k in range(nz):
            begin[first + k] -= sweep.by_state[i, k] * sweep.force[i]
    for k in range(nz):
        y = end[rate + k] if accelerates else rhs[rhs.shape[0] - nz + k]
        sweep.state_rates[k] = y
        for j in range(2 * n if accelerates else 3 * n):
            begin[j] += y * f[k, j]
        for l in range(nz):
            begin[first + l] += y * f[k, 3 * n + l]
        for u in range(sweep.power.shape[0]):
            sweep.power[u] += y * f[k, 3 * n + nz + u]


@inner
def pull_back_inputs(problem, sweep):
    """u_bar of the stage: - y^T dR/du joins what rates of internal states gave."""
    nu, met = sweep.power.shape[0], sweep.counts[MET]
    into = sweep.inputs[met]
    for u in range(nu):
        into[u] = sweep.power[u]
    if problem.flags[FEEDBACK]:  # the matrix is there
        for u in range(nu):
            for i in range(problem.q.shape[0]):
                into[u] -= sweep.by_input[u, i] * sweep.force[i]
        return
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data)
    call_input_power(sweep.calls[POWER_AT], (*at, sweep.force.ctypes.data, sweep.power.ctypes.data))
    for u in range(nu):
        into[u] -= sweep.power[u]


# ---------------------------------------------------------------------- forward


@inner
def push_to_equations(problem, sweep, s, accelerates, rhs):
    """rhs = -(R_q dq + R_v dv + R_a da + R_z dz + R_u du + R_p dp), and so for the rows of loops.

    Minus the variations of a stage's equations by where it begins, by inputs and by parameters; that of R, of all
    coordinates, is left in ``force``.
    """
    n, nc, nz, free = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], problem.free
    C, J = problem.matrices, sweep.jacobians
    begin, y, rows, T = sweep.registers[BEGIN], sweep.force, sweep.rows, sweep.baumgarte[0]
    q, v, a = begin[:n], begin[n : 2 * n], begin[2 * n : 3 * n]
    z, nf, met = begin[3 * n + nc : 3 * n + nc + nz], free.shape[0], sweep.counts[MET]
    for i in range(n):
        y[i] = sweep.by_parameter[i]
    add_product(1.0, J[0], q, y)
    add_product(1.0, J[1], v, y)
    add_product(1.0, J[2], a, y)
    add_product(1.0, sweep.by_state, z, y)
    add_transposed(1.0, sweep.by_input, sweep.inputs[met], y)
    for i in range(nf):
        rhs[i] = -y[free[i]]
    for m in range(3):
        for k in range(nc):
            rows[m, k] = sweep.by_parameter[n + m * nc + k]
    add_product(1.0, C[1], q, rows[0])
    add_product(1.0, C[2], q, rows[1])
    add_product(1.0, C[0], v, rows[1])
    add_product(1.0, C[3], q, rows[2])
    add_product(1.0, C[4], v, rows[2])
    add_product(1.0, C[0], a, rows[2])
    for k in range(nc):
        if accelerates:
            rhs[nf + k] = -rows[2, k]
            if T > 0.0:
                rhs[nf + k] -= 2.0 / T * rows[1, k] + rows[0, k] / T**2
        else:
            rhs[nf + k] = -rows[0, k]
            if problem.flags[STABILISED]:
                rhs[nf + nc + k] = -rows[1, k]


@inner
def rate_variation(problem, sweep, k, q, v, a, z):
    """Variation f_q dq + f_v dv + f_a da + f_z dz + f_u du of the k-th rate, multipliers held."""
    n, f, met, x = problem.q.shape[0], sweep.rates[k], sweep.counts[MET], sweep.state_rates[k]
    nz, nu = problem.z.shape[0], sweep.power.shape[0]
    for j in range(n):
        x += f[j] * q[j] + f[n + j] * v[j] + f[2 * n + j] * a[j]
    for l in range(nz):
        x += f[3 * n + l] * z[l]
    for u in range(nu):
        x += f[3 * n + nz + u] * sweep.inputs[met, u]
    return x


@inner
def push_stage(problem, sweep, s, accelerates, end):
    """The variation of a stage's row from that of where it begins, of its inputs and of parameters.

    dw solves dF/dw dw = -(dF/dbegin dbegin + ...); then dq = dq0 + dx, dv = dv0 + c_v (dx - P dmu), ... of the module.
    """
    n, nc, nz, free = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], problem.free
    m = unknowns(problem, accelerates)
    begin, rhs, nf = sweep.registers[BEGIN], problem.rhs[:m], free.shape[0]
    first, rate, cz = 3 * n + nc, 4 * n + nc + nz, sweep.stages[s, CZ_OF]
    cq, cv, ca = coefficients(sweep, s, accelerates)
    if accelerates:
        for i in range(n):
            begin[2 * n + i] = 0.0
    for i in range(problem.fixed.shape[0]):
        for order in range(3):
            moved = sweep.motions[sweep.counts[MET], order, i] if sweep.motions.shape[0] > 0 else 0.0
            begin[order * n + problem.fixed[i]] = moved
    push_to_equations(problem, sweep, s, accelerates, rhs)
    q, v, a, z = begin[:n], begin[n : 2 * n], begin[2 * n : 3 * n], begin[first : first + nz]
    if not accelerates:
        for k in range(nz):
            rhs[m - nz + k] = rate_variation(problem, sweep, k, q, v, a, z) - begin[rate + k]
    solve_factors(problem, rhs)
    for i in range(rate + nz):
        end[i] = 0.0
    for i in range(n):
        end[i], end[n + i], end[2 * n + i] = q[i], v[i], a[i]
    for i in range(nf):
        f, x = free[i], rhs[i]
        y = x
        if problem.flags[STABILISED] and not accelerates:
            P = sweep.directions[int(sweep.stages[s, P_OF])]
            for k in range(nc):
                y -= P[f, k] * rhs[nf + nc + k]
        end[f] += cq * x
        end[n + f] += cv * y
        end[2 * n + f] += ca * y
    for k in range(nc):
        end[3 * n + k] = problem.numbers[SCALE] * rhs[nf + k]
    for k in range(nz):
        end[first + k] = z[k] if accelerates else z[k] + rhs[m - nz + k]
        end[rate + k] = 0.0 if accelerates else begin[rate + k] + cz * rhs[m - nz + k]
    if accelerates:
        for k in range(nz):
            end[rate + k] = rate_variation(problem, sweep, k, q, v, end[2 * n : 3 * n], z)
            for l in range(nc):
                end[rate + k] += sweep.rates[k, sweep.rates.shape[1] - nc + l] * end[3 * n + l]
    push_efforts(problem, sweep, end)


@inner
def push_efforts(problem, sweep, end):
    """Variations R_q dq + R_v dv + R_a da - A^T dlambda + R_z dz + R_u du of the efforts of prescribed coordinates."""
    n, nc, nz, J = problem.q.shape[0], problem.vectors.shape[1], problem.z.shape[0], sweep.jacobians
    first, met = 3 * n + nc + nz, sweep.counts[MET]
    for i in range(problem.fixed.shape[0]):
        p = problem.fixed[i]
        x = sweep.by_parameter[p]
        for j in range(n):
            x += J[0, p, j] * end[j] + J[1, p, j] * end[n + j] + J[2, p, j] * end[2 * n + j]
        for k in range(nc):
            x -= problem.matrices[0, k, p] * end[3 * n + k]
        for k in range(nz):
            x += sweep.by_state[p, k] * end[3 * n + nc + k]
        for u in range(sweep.power.shape[0]):
            x += sweep.by_input[u, p] * sweep.inputs[met, u]
        end[first + p] = x
