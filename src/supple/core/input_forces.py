"""How the residual changes with the inputs: dR/du as a matrix, and y^T dR/du for one y, at a state that was just swept.

Loads write the derivatives of their wrenches, stresses and joint forces by one input in place of these themselves
(`core.loads`).  With z = J y at points and Psi y at nodes, y^T dR/du_i is the power of what is written: no sweep per
input is needed for it.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.loads import INTERNAL, apply_loads, project_stresses
from supple.core.records import J_SUM
from supple.core.sweep_in import accumulate_wrenches, clear_wrenches, project_all
from supple.core.tangent_products import contract
from supple.jit import AddressedKernel, calling, inlined
from supple.lie.se3 import add_scaled, dot6

COLUMNS = types.void(*[types.int64] * 5)
POWER = types.void(*[types.int64] * 6)

call_input_columns, call_input_power = calling(COLUMNS), calling(POWER)


def _input_columns(tree_address, space_address, q_at, v_at, out_at):
    """dR/du, transposed: out (nu, n).  Poses and motions at (q, v) are in the scratch; wrenches there are lost."""
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n, nu = tree.component.shape[0], space.inputs.shape[0]
    q, v, out = vector_at(q_at, (n,)), vector_at(v_at, (n,)), matrix_at(out_at, (nu, n))
    for i in range(nu):
        clear_wrenches(tree, space.work)
        apply_loads(tree, space, tree_handle, space_handle, q, v, INTERNAL, -(i + 1))
        accumulate_wrenches(tree, space.work)
        project_all(tree, space, out[i])
        project_stresses(tree, space, out[i])


def _input_power(tree_address, space_address, q_at, v_at, y_at, out_at):
    """y^T dR/du: out (nu,).  Poses, motions and columns at (q, v) are in the scratch; wrenches there are lost."""
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n, nu, work = tree.component.shape[0], space.inputs.shape[0], space.work
    q, v, y, out = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(y_at, (n,)), vector_at(out_at, (nu,))
    for k in range(6):
        work[0].dS[k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            contract(space.columns, J_SUM, block.columns + i * block.n, block.n, y, block.start, w.dS)
            add_scaled(1.0, work[block.parent].dS, w.dS)
    for i in range(nu):
        clear_wrenches(tree, work)
        apply_loads(tree, space, tree_handle, space_handle, q, v, INTERNAL, -(i + 1))
        out[i] = written_power(tree, space, y)


@inlined
def written_power(tree, space, y):
    """sum of F . z over points, z = J y in dS, less Psi^T f . y of stresses and joint_force . y."""
    total = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            total += dot6(space.work[s].F, space.work[s].dS)
    for i in range(y.shape[0]):
        total -= space.joint_force[i] * y[i]
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for j in range(node.n):
            c = node.start + j
            total -= tree.psi[node.column + j] * s.f[tree.component[c]] * y[c]
    return total


INPUT_COLUMNS = AddressedKernel(_input_columns, COLUMNS)
INPUT_POWER = AddressedKernel(_input_power, POWER)
