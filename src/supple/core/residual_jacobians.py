"""The residual R = ID - tau - A^T lambda with its three Jacobians dR/dq, dR/dv, dR/da, in one pass.

What `core.residual` fuses into one tangent for Newton's method, apart: derivatives of steps and motions need to know
which part of a change came by which argument.  Columns stay uncombined in the scratch, so that rows of loops
(`core.loops`) come out separately, too.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.elastic import add_damping, add_internal_force, add_internal_tangent
from supple.core.finite import finite_matrices, finite_vector
from supple.core.inverse_dynamics_derivatives import sweep_derivatives
from supple.core.loads import CONSTRAINT, EXTERNAL, INTERNAL
from supple.jit import AddressedKernel, calling, kernel

SIGNATURE = types.int64(*[types.int64] * 9)

call_residual_jacobians = calling(SIGNATURE)


def _residual_jacobians(tree_address, space_address, q_at, v_at, a_at, out_at, dq_at, dv_at, da_at):
    """R (n,) at ``out_at``; dR/dq, dR/dv, dR/da (n, n) at the others.  Returns 0 unless all are finite.

    If ``da_at`` is 0, the last one is left out: who has factors of M need not form it.
    Poses, motions and the columns of all segments stay in the scratch, for `core.loops`.
    """
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n = tree.component.shape[0]
    q, v, a, out = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)), vector_at(out_at, (n,))
    m = n if da_at != 0 else 0
    dq, dv, da = matrix_at(dq_at, (n, n)), matrix_at(dv_at, (n, n)), matrix_at(da_at, (m, m))
    sides = EXTERNAL + INTERNAL + CONSTRAINT
    sweep_derivatives(tree, space, tree_handle, space_handle, q, v, a, sides, out, dq, dv, da)
    add_internal_force(-1.0, tree, q, v, out)
    add_internal_tangent(-1.0, 0.0, tree, q, v, dq)
    add_damping(1.0, tree, v, dv)
    return 1 if finite_vector(out) and finite_matrices(dq, dv, da, space.tangent[0]) else 0


RESIDUAL_JACOBIANS = AddressedKernel(_residual_jacobians, SIGNATURE)


@kernel
def residual_jacobians(function, tree, space, q, v, a, out, dq, dv, da):
    """out = R (n,), dq, dv, da (n, n), by the address of `RESIDUAL_JACOBIANS`.  Returns whether all are finite."""
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    into = (out.ctypes.data, dq.ctypes.data, dv.ctypes.data, da.ctypes.data)
    return call_residual_jacobians(function, (*at, *into)) != 0
