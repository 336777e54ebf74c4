"""B = dtau/du: what every input does to the coordinates, without a sweep per input.

A load is asked in mode -(i + 1) for what its own input i does (`core.loads`); the table of loads says which inputs are
whose.  Most actuators (drives, tendons along rods) write joint forces and stresses at nodes only, which are gathered
where they are not zero; only those that write wrenches need a sum inward.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.finite import finite_vector
from supple.core.loads import INTERNAL, WRENCHLESS, call_load, clear_counts, show_coordinates, strain_nodes
from supple.core.outward import outward
from supple.core.sweep_in import accumulate_wrenches, clear_wrenches, project_all
from supple.jit import inlined, inner, kernel

#: Columns of Tree.loads: first input of a load, and the one behind its last.
FIRST_INPUT, END_INPUT = 3, 4


@inner
def any_stress(f):
    """Whether an entry of f (6,) is not zero; NaN is not."""
    total = 0.0
    for i in range(6):
        total += abs(f[i])
    return total != 0.0


@inlined
def clear_forces(tree, space):
    """Joint forces and stresses of all nodes are zero."""
    for i in range(space.joint_force.shape[0]):
        space.joint_force[i] = 0.0
    for k in range(tree.nodes.shape[0]):
        for i in range(6):
            space.stress[k].f[i] = 0.0


@inlined
def gather_forces(tree, space, sign, column):
    """column (n,) += sign times joint forces and stresses that are not zero, and these become so."""
    force = space.joint_force
    for i in range(force.shape[0]):
        if force[i] != 0.0:
            column[i] += sign * force[i]
            force[i] = 0.0
    for m in range(tree.nodes.shape[0]):
        f = space.stress[m].f
        if any_stress(f):
            node = tree.nodes[m]
            for j in range(node.n):
                column[node.start + j] += sign * tree.psi[node.column + j] * f[tree.component[node.start + j]]
            for i in range(6):
                f[i] = 0.0


@inlined
def gather_wrenches(tree, space, sign, column):
    """column (n,) -= sign times S^T F^C of the wrenches at points."""
    force = space.tangent[0]
    accumulate_wrenches(tree, space.work)
    project_all(tree, space, force)
    for i in range(force.shape[0]):
        column[i] -= sign * force[i]


@inlined
def act_by_input(tree, space, tree_handle, space_handle, l, k):
    """Load l writes what its input k does in place of its forces.  Returns whether it may have written wrenches.

    Joint forces and stresses are zero before.
    """
    pushes = not tree.loads[l, 2] & WRENCHLESS
    clear_counts(space)
    if pushes:
        clear_wrenches(tree, space.work)
    call_load(tree.loads[l, 0], (tree_handle.ctypes.data, space_handle.ctypes.data, tree.loads[l, 1], -(k + 1)))
    return pushes


@inlined
def fill_actuation(tree, space, tree_handle, space_handle, B):
    """B (n, nu) = dtau/du, in which wrenches count by -S^T F^C, at the poses, motions and strains in the scratch.

    Forces and wrenches there are lost.
    """
    for i in range(B.shape[0]):
        for k in range(B.shape[1]):
            B[i, k] = 0.0
    if B.shape[1] == 0:
        return
    clear_forces(tree, space)
    for l in range(tree.loads.shape[0]):
        if tree.loads[l, 2] & INTERNAL:
            for k in range(tree.loads[l, FIRST_INPUT], tree.loads[l, END_INPUT]):
                pushes = act_by_input(tree, space, tree_handle, space_handle, l, k)
                gather_forces(tree, space, 1.0, B[:, k])
                if pushes:
                    gather_wrenches(tree, space, 1.0, B[:, k])


@kernel
def actuation(tree_handle, space_handle, q, v, zero, B):
    """B (n, nu) = dtau/du.  Returns whether B, q and v are finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward(tree_handle, space_handle, space, q, v, zero, 1)
    strain_nodes(tree, q, v, space)
    show_coordinates(space, q, v)
    fill_actuation(tree, space, tree_handle, space_handle, B)
    finite = finite_vector(q) and finite_vector(v)
    for i in range(B.shape[0]):
        finite = finite and finite_vector(B[i])
    return finite
