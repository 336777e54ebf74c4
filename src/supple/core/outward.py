"""The sweep outward and the columns of all segments as one compiled function, which all kernels call by its address.

Almost every function of a model begins with it.  Compiled into each of them it would cost each of them two or three
seconds once; called, it costs some ten nanoseconds.  Its address travels with the scratch (`Space.sweeps`).
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import space_view, tree_view, vector_at
from supple.core.columns import fill_columns, fill_jacobian_columns
from supple.core.sweep_out import sweep_out
from supple.jit import AddressedKernel, calling, inlined

SIGNATURE = types.void(*[types.int64] * 7, types.float64, types.float64)

_call = calling(SIGNATURE)

#: Which columns (`core.columns`): none, J alone, or S, J, R and Q.
NO_COLUMNS, JACOBIAN_COLUMNS, ALL_COLUMNS = 0, 1, 2


def _outward(tree_address, space_address, q_at, v_at, a_at, order, which, cv, ca):
    """`sweep_out` up to time derivative ``order`` (0, 1 or 2) at q, v, a (n,), then the columns of all segments."""
    tree, space = tree_view(tree_address), space_view(space_address)
    n = tree.component.shape[0]
    sweep_out(tree, vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)), space, order)
    if which == ALL_COLUMNS:
        fill_columns(tree, cv, ca, space)
    elif which == JACOBIAN_COLUMNS:
        fill_jacobian_columns(tree, space)


OUTWARD = AddressedKernel(_outward, SIGNATURE)


@inlined
def outward(tree_handle, space_handle, space, q, v, a, order):
    """Poses, motions and operators of all segments, without columns."""
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    _call(space.sweeps[0], (*at, order, NO_COLUMNS, 0.0, 0.0))


@inlined
def outward_with_jacobian(tree_handle, space_handle, space, q, v, a, order):
    """The same, and columns J."""
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    _call(space.sweeps[0], (*at, order, JACOBIAN_COLUMNS, 0.0, 0.0))


@inlined
def outward_with_columns(tree_handle, space_handle, space, q, v, a, cv, ca):
    """The same up to order 2, and columns S, J, R + c_v S, Q + 2 c_v R + c_a S."""
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    _call(space.sweeps[0], (*at, 2, ALL_COLUMNS, cv, ca))
