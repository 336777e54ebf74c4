"""Internal forces tau(q, v, u) = actuators - K (q - q_rest) - D v - limits - friction, no inertia ([GVS-AD] 35, 36).

The same sweeps as for the inverse dynamics, with massless points: only loads of the INTERNAL side act.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import clear_field
from supple.core.blocks.kinds import has_field
from supple.core.elastic import add_damping, add_internal_force, add_internal_tangent
from supple.core.finite import finite_matrices, finite_vector
from supple.core.inverse_dynamics_derivatives import tangent_blocks
from supple.core.loads import INTERNAL, TANGENT, WRENCH, add_load_tangents, apply_loads
from supple.core.outward import outward, outward_with_columns
from supple.core.sweep_in import accumulate_operators, clear_operators, loaded_force
from supple.jit import inlined, kernel


@inlined
def clear_points(tree, space):
    """Massless points: F = M = N = G = 0."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            clear_operators(space.work[s])
        if has_field(block):
            clear_field(block, tree.maps, space.maps)


@inlined
def actuator_force(tree, space, tree_handle, space_handle, q, v, zero, mode, out):
    """out = minus the generalised force of internal loads (or its derivative by an input, see core.loads)."""
    outward(tree_handle, space_handle, space, q, v, zero, 1)
    clear_points(tree, space)
    loaded_force(tree, space, tree_handle, space_handle, q, v, INTERNAL, mode, out)


@kernel
def internal_force(tree_handle, space_handle, q, v, zero, out):
    """out = tau(q, v, u).  Returns whether it is finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    actuator_force(tree, space, tree_handle, space_handle, q, v, zero, WRENCH, out)
    for i in range(out.shape[0]):
        out[i] = -out[i]
    add_internal_force(1.0, tree, q, v, out)
    return finite_vector(out)


@kernel
def internal_force_derivatives(tree_handle, space_handle, q, v, zero, dq, dv, da):
    """dq = dtau/dq, dv = dtau/dv; ``da`` is scratch.  Returns whether both are finite.

    Internal loads do not feel accelerations: da is zero, but for what NaN or overflow makes of it.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward_with_columns(tree_handle, space_handle, space, q, v, zero, 0.0, 0.0)
    space.rates[1] = 1.0
    clear_points(tree, space)
    apply_loads(tree, space, tree_handle, space_handle, q, v, INTERNAL, TANGENT)
    accumulate_operators(tree, space.work)
    tangent_blocks(tree, space, True, dq, dv, da)
    add_load_tangents(tree, space, 0.0, True, dq, dv)
    n = dq.shape[0]
    for i in range(n):
        for j in range(n):
            dq[i, j] = -dq[i, j]
            dv[i, j] = -dv[i, j]
    add_internal_tangent(1.0, 0.0, tree, q, v, dq)
    add_damping(-1.0, tree, v, dv)
    return finite_matrices(dq, dv, dv, space.tangent[0])
