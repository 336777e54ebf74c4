"""How the residual changes with the inputs: dR/du as a matrix, and y^T dR/du for one y, at a state that was just swept.

Loads write the derivatives of their wrenches, stresses and joint forces by one input in place of these themselves
(`core.loads`); only the load whose input it is is asked.  With z = J y at points and Psi y at nodes, y^T dR/du_i is the
power of what is written: no sweep per input is needed for it.
"""

from __future__ import annotations

from numba import types

from supple.core.actuation import (
    END_INPUT,
    FIRST_INPUT,
    act_by_input,
    any_stress,
    clear_forces,
    gather_forces,
    gather_wrenches,
)
from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.loads import INTERNAL, show_coordinates, strain_nodes
from supple.core.records import J_SUM
from supple.core.tangent_products import contract
from supple.jit import AddressedKernel, calling, inlined
from supple.lie.se3 import add_scaled, dot6

COLUMNS = types.void(*[types.int64] * 5)
POWER = types.void(*[types.int64] * 6)

call_input_columns, call_input_power = calling(COLUMNS), calling(POWER)


@inlined
def prepare_loads(tree, space, q, v):
    """What loads look at beside poses and motions: strains and coordinates; forces are zero."""
    strain_nodes(tree, q, v, space)
    show_coordinates(space, q, v)
    clear_forces(tree, space)


def _input_columns(tree_address, space_address, q_at, v_at, out_at):
    """dR/du, transposed: out (nu, n).  Poses and motions at (q, v) are in the scratch; wrenches there are lost."""
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n, nu = tree.component.shape[0], space.inputs.shape[0]
    out = matrix_at(out_at, (nu, n))
    for k in range(nu):
        for i in range(n):
            out[k, i] = 0.0
    prepare_loads(tree, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)))
    for l in range(tree.loads.shape[0]):
        if tree.loads[l, 2] & INTERNAL:
            for k in range(tree.loads[l, FIRST_INPUT], tree.loads[l, END_INPUT]):
                if act_by_input(tree, space, tree_handle, space_handle, l, k):
                    gather_wrenches(tree, space, -1.0, out[k])
                gather_forces(tree, space, -1.0, out[k])


def _input_power(tree_address, space_address, q_at, v_at, y_at, out_at):
    """y^T dR/du: out (nu,).  Poses, motions and columns at (q, v) are in the scratch; wrenches there are lost."""
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n, nu = tree.component.shape[0], space.inputs.shape[0]
    y, out = vector_at(y_at, (n,)), vector_at(out_at, (nu,))
    for k in range(nu):
        out[k] = 0.0
    prepare_loads(tree, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)))
    spread_twists(tree, space, y)
    for l in range(tree.loads.shape[0]):
        if tree.loads[l, 2] & INTERNAL:
            for k in range(tree.loads[l, FIRST_INPUT], tree.loads[l, END_INPUT]):
                if act_by_input(tree, space, tree_handle, space_handle, l, k):
                    out[k] += wrench_power(tree, space)
                out[k] -= force_power(tree, space, y)


@inlined
def spread_twists(tree, space, y):
    """z = J y of every point, in dS."""
    work = space.work
    for k in range(6):
        work[0].dS[k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            contract(space.columns, J_SUM, block.columns + i * block.n, block.n, y, block.start, w.dS)
            add_scaled(1.0, work[block.parent].dS, w.dS)


@inlined
def wrench_power(tree, space):
    """Sum of F . z over points, z in dS."""
    total = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            total += dot6(space.work[s].F, space.work[s].dS)
    return total


@inlined
def force_power(tree, space, y):
    """joint_force . y and Psi^T f . y of stresses, which become zero."""
    total, force = 0.0, space.joint_force
    for i in range(force.shape[0]):
        total += force[i] * y[i]
        force[i] = 0.0
    for m in range(tree.nodes.shape[0]):
        f = space.stress[m].f
        if any_stress(f):
            node = tree.nodes[m]
            for j in range(node.n):
                c = node.start + j
                total += tree.psi[node.column + j] * f[tree.component[c]] * y[c]
            for i in range(6):
                f[i] = 0.0
    return total


INPUT_COLUMNS = AddressedKernel(_input_columns, COLUMNS)
INPUT_POWER = AddressedKernel(_input_power, POWER)
