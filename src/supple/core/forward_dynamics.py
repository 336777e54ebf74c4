"""Forward dynamics of a tree: M a = tau(q, v) - ID(q, v, 0), and its derivatives ([GVS-AD] 7-9).

Stiff solvers never come here (they solve ID - tau = 0); explicit ones and control do.
"""

from __future__ import annotations

from supple.core.columns import fill_jacobian_columns
from supple.core.internal_forces import add_internal_force, add_internal_tangent
from supple.core.inverse_dynamics import accumulate_wrenches, point_wrenches, project_all
from supple.core.linear import cholesky, cholesky_solve
from supple.core.mass_matrix import composite_inertias, fill_mass_matrix
from supple.core.sweep_out import sweep_out
from supple.jit import kernel


@kernel
def forward_dynamics(
    blocks,
    ranges,
    component,
    links,
    placement,
    segments,
    phi,
    screws,
    gravity,
    stiffness,
    damping,
    rest,
    limits,
    q,
    v,
    zero,
    work,
    scratch,
    columns,
    totals,
    X,
    bias,
    M,
    a,
):
    """a (n, 1) = M^-1 (tau - ID(q, v, 0)); M is overwritten by its Cholesky factor.

    Returns -1, or the first coordinate without inertia, or -2 if the bias is not finite.
    """
    t = scratch[0]
    sweep_out(blocks, component, placement, segments, phi, screws, gravity, q, v, zero, work, t, 1)
    point_wrenches(blocks, segments, work)
    accumulate_wrenches(blocks, work)
    finite = project_all(blocks, component, segments, phi, screws, work, t, bias)
    fill_jacobian_columns(blocks, component, segments, phi, screws, work, t, columns, totals)
    composite_inertias(blocks, segments, work)
    fill_mass_matrix(blocks, ranges, work, t, columns, totals, X, M)
    add_internal_force(-1.0, links, stiffness, damping, rest, limits, q, v, bias)
    for i in range(a.shape[0]):
        a[i, 0] = -bias[i]
    if not finite:
        return -2
    pivot = cholesky(M)
    if pivot < 0:
        cholesky_solve(M, a)
    return pivot


@kernel
def solve_acceleration_derivatives(links, stiffness, damping, limits, q, M, dq, dv):
    """Turn dID/dq, dID/dv at the solution into da/dq, da/dv = -M^-1 (dID - dtau).

    M is overwritten by its Cholesky factor.  Returns -1, or the first coordinate without inertia.
    """
    add_internal_tangent(-1.0, 0.0, links, stiffness, damping, limits, q, dq)
    for l in range(links.shape[0]):
        for i in range(links[l, 0], links[l, 1]):
            for j in range(links[l, 0], links[l, 1]):
                dv[i, j] += damping[i, j]
    pivot = cholesky(M)
    if pivot < 0:
        cholesky_solve(M, dq)
        cholesky_solve(M, dv)
        for i in range(dq.shape[0]):
            for j in range(dq.shape[0]):
                dq[i, j] = -dq[i, j]
                dv[i, j] = -dv[i, j]
    return pivot
