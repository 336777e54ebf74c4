"""How sweeps call those of rods (`core.blocks.rod_sweeps`), whose addresses travel with the scratch (`Space.sweeps`).

Compiled apart, they are compiled once for all kernels; a robot without rods never compiles them.
"""

from __future__ import annotations

from numba import types

from supple.jit import calling, inlined

#: Entries of Space.sweeps behind the sweep outward.
STEPS_AT, POINTS_AT, PROJECTION_AT, JACOBIAN_AT = 1, 2, 3, 4

#: What is asked of the points of a rod: inertia; momentum and wrench, too; and the velocity tangent.
INERTIAS, WRENCHES, OPERATORS = 0, 1, 2

#: Tree, scratch, block; of steps q, v, a and the order of derivatives.
STEPS_SIGNATURE = types.void(*[types.int64] * 7)
#: Tree, scratch, block; of points what is asked, of projections where forces go, of columns whether all are wanted.
SIGNATURE = types.void(*[types.int64] * 4)

_call_steps, _call = calling(STEPS_SIGNATURE), calling(SIGNATURE)


@inlined
def rod_outward(tree_address, space_address, space, b, q, v, a, order):
    """Poses and motions of all points of rod b, `rod_sweeps.ROD_STEPS`."""
    state = q.ctypes.data, v.ctypes.data, a.ctypes.data
    _call_steps(space.sweeps[STEPS_AT], (tree_address, space_address, b, *state, order))


@inlined
def rod_points(tree_address, space_address, space, b, what):
    """Inertias, wrenches or operators of all points of rod b, `rod_sweeps.ROD_POINTS`."""
    _call(space.sweeps[POINTS_AT], (tree_address, space_address, b, what))


@inlined
def rod_projection(tree_address, space_address, space, b, out):
    """out += sum of S^T F over the segments of rod b, `rod_sweeps.ROD_PROJECTION`."""
    _call(space.sweeps[PROJECTION_AT], (tree_address, space_address, b, out.ctypes.data))


@inlined
def rod_jacobian(tree_address, space_address, space, b, everywhere):
    """Columns J of rod b, `rod_columns.ROD_JACOBIAN`: to Space.columns only where blocks hang unless ``everywhere``."""
    _call(space.sweeps[JACOBIAN_AT], (tree_address, space_address, b, everywhere))
