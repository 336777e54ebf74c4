"""The residual R = ID - tau that solvers drive to zero, and its fused tangent dR/dq + c_v dR/dv + c_a dR/da.

One pass gives both: the combined columns of `core.columns` make the tangent as cheap as dID/dq alone.
Solvers reach it by its address, so that none of them is compiled with it.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.blocks.body import WRENCH as FIELD_WRENCH
from supple.core.elastic import add_internal_force, add_internal_tangent
from supple.core.finite import finite_matrix, finite_vector
from supple.core.inverse_dynamics_derivatives import tangent_blocks
from supple.core.loads import (
    CONSTRAINT,
    EXTERNAL,
    INTERNAL,
    TANGENT,
    WRENCH,
    add_load_tangents,
    apply_loads,
    project_stresses,
)
from supple.core.outward import outward_with_columns
from supple.core.sweep_in import (
    accumulate_operators,
    accumulate_wrenches,
    add_field_forces,
    clear_pose_tangents,
    point_operators,
    point_wrenches,
    project_all,
)
from supple.core.sweep_out import sweep_out
from supple.jit import AddressedKernel, calling, kernel

SIGNATURE = types.int64(*[types.int64] * 5, types.float64, types.float64, types.int64, types.int64)

call_residual = calling(SIGNATURE)

#: In place of a tangent's address: no matrix, but all that `core.tree_tangent` makes factors of stays in the scratch.
OPERATORS = 1


def _residual(tree_address, space_address, q_at, v_at, a_at, cv, ca, out_at, tangent_at):
    """R (n,) at ``out_at``; its tangent (n, n) at ``tangent_at`` unless that is 0 or `OPERATORS`.

    Returns 0 unless both are finite.

    Poses, motions and (with a tangent) the combined columns of all segments stay in the scratch, for `core.loops`.
    """
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n = tree.component.shape[0]
    q, v, a = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,))
    out = vector_at(out_at, (n,))
    mode = WRENCH if tangent_at == 0 else TANGENT
    if mode == WRENCH:
        sweep_out(tree, q, v, a, space, 1)  # not called: a small robot would notice
        point_wrenches(tree, space, q, v, a, FIELD_WRENCH)
    else:
        outward_with_columns(tree_handle, space_handle, space, q, v, a, cv, ca)
        point_operators(tree, space, q, v, a)
        clear_pose_tangents(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL + CONSTRAINT, mode)
    formed = tangent_at != 0 and tangent_at != OPERATORS
    tangent = matrix_at(tangent_at, (n, n))  # looked at only if it is formed
    if formed:
        accumulate_operators(tree, space.work)
    else:
        accumulate_wrenches(tree, space.work)
    project_all(tree, space, out)
    add_field_forces(tree, space, out)
    project_stresses(tree, space, out)
    if formed:
        tangent_blocks(tree, space, False, tangent, tangent, tangent)
        add_load_tangents(tree, space, cv, False, tangent, tangent)
        add_internal_tangent(-1.0, cv, tree, q, v, tangent)
    add_internal_force(-1.0, tree, q, v, out)
    finite = finite_vector(out)
    if formed:
        finite = finite and finite_matrix(tangent, space.tangent[0])
    return 1 if finite else 0


RESIDUAL = AddressedKernel(_residual, SIGNATURE)


@kernel
def residual(function, tree, space, q, v, a, out):
    """out = R (n,), by the address of `RESIDUAL`.  Returns whether it is finite."""
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    return call_residual(function, (*at, 0.0, 0.0, out.ctypes.data, 0)) != 0


@kernel
def residual_tangent(function, tree, space, q, v, a, cv, ca, out, tangent):
    """out = R (n,) and its tangent (n, n), by the address of `RESIDUAL`.  Returns whether both are finite."""
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    return call_residual(function, (*at, cv, ca, out.ctypes.data, tangent.ctypes.data)) != 0
