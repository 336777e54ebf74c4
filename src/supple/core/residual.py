"""The residual R = ID - tau that solvers drive to zero, and its fused tangent dR/dq + c_v dR/dv + c_a dR/da.

One pass gives both: the combined columns of `core.columns` make the tangent as cheap as dID/dq alone.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.columns import fill_columns
from supple.core.couplings import add_couplings
from supple.core.elastic import add_internal_force, add_internal_tangent
from supple.core.inverse_dynamics import project_all
from supple.core.inverse_dynamics_derivatives import (
    accumulate_operators,
    clear_pose_tangents,
    point_operators,
    tangent_blocks,
)
from supple.core.lines import add_line_tangents
from supple.core.loads import (
    CONSTRAINT,
    EXTERNAL,
    INTERNAL,
    TANGENT,
    apply_loads,
    project_stress_tangents,
    project_stresses,
)
from supple.core.sweep_out import sweep_out
from supple.jit import kernel


@kernel
def residual_tangent(tree_handle, space_handle, q, v, a, cv, ca, out, tangent):
    """out = R (n,), tangent (n, n).  Returns False if R is not finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 2)
    fill_columns(tree, cv, ca, space)
    point_operators(tree, space)
    clear_pose_tangents(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL + CONSTRAINT, TANGENT)
    accumulate_operators(tree, space.work)
    finite = project_all(tree, space, out)
    tangent_blocks(tree, space, False, tangent, tangent, tangent)
    if tree.loads.shape[0] > 0:
        project_stresses(tree, space, out)
        project_stress_tangents(tree, space, cv, tangent)
        add_couplings(tree, space, False, tangent, tangent)
        add_line_tangents(tree, space, cv, False, tangent, tangent)
    add_internal_force(-1.0, tree, q, v, out)
    add_internal_tangent(-1.0, cv, tree, q, tangent)
    return finite
