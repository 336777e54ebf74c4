"""The residual R = ID - tau that solvers drive to zero, and its fused tangent dR/dq + c_v dR/dv + c_a dR/da.

One pass gives both: the combined columns of `core.columns` make the tangent as cheap as dID/dq alone.
"""

from __future__ import annotations

from supple.core.columns import fill_columns
from supple.core.internal_forces import add_internal_force, add_internal_tangent
from supple.core.inverse_dynamics import project_all
from supple.core.inverse_dynamics_derivatives import accumulate_operators, point_operators, tangent_blocks
from supple.core.sweep_out import sweep_out
from supple.jit import kernel


@kernel
def residual_tangent(
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
    a,
    cv,
    ca,
    work,
    scratch,
    columns,
    totals,
    X,
    out,
    tangent,
):
    """out = R (n,), tangent (n, n).  Returns False if R is not finite."""
    t = scratch[0]
    sweep_out(blocks, component, placement, segments, phi, screws, gravity, q, v, a, work, t, 2)
    fill_columns(blocks, component, segments, phi, screws, cv, ca, work, t, columns, totals)
    point_operators(blocks, segments, work, t)
    accumulate_operators(blocks, work)
    finite = project_all(blocks, component, segments, phi, screws, work, t, out)
    tangent_blocks(
        blocks,
        ranges,
        component,
        segments,
        phi,
        screws,
        work,
        t,
        columns,
        totals,
        X,
        False,
        tangent,
        tangent,
        tangent,
    )
    add_internal_force(-1.0, links, stiffness, damping, rest, limits, q, v, out)
    add_internal_tangent(-1.0, cv, links, stiffness, damping, limits, q, tangent)
    return finite


@kernel
def internal_force(links, stiffness, damping, rest, limits, q, v, out):
    """out = tau(q, v)."""
    out[:] = 0.0
    add_internal_force(1.0, links, stiffness, damping, rest, limits, q, v, out)


@kernel
def internal_force_tangent(links, stiffness, damping, limits, q, cv, out):
    """out = dtau/dq + c_v dtau/dv."""
    out[:] = 0.0
    add_internal_tangent(1.0, cv, links, stiffness, damping, limits, q, out)
