"""Inverse dynamics ID(q, v, a): recursive Newton-Euler in world axes ([GVS-AD] 14-16, 22c).

Outward, `sweep_out` gives V and A of all points.  Inward, wrenches add up to F^C and are projected,
ID = sum over segments of S^T F^C, with S^T F = Phi^T Z^T (Ad_g T)^T F taken from the right, so that S itself is
never formed: the cost is linear in the number of segments and of coordinates per segment.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import WRENCH as FIELD_WRENCH
from supple.core.finite import finite_vector
from supple.core.loads import EXTERNAL, WRENCH
from supple.core.sweep_in import add_field_forces, loaded_force, point_wrenches
from supple.core.sweep_out import sweep_out
from supple.jit import kernel


@kernel
def inverse_dynamics(tree_handle, space_handle, q, v, a, out):
    """out = ID(q, v, a), shape (n,).  Returns False if the result is not finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 1)
    point_wrenches(tree, space, q, v, a, FIELD_WRENCH)
    loaded_force(tree, space, tree_handle, space_handle, q, v, EXTERNAL, WRENCH, out)
    add_field_forces(tree, space, out)
    return finite_vector(out)
