"""dR/dq^T y, dR/dv^T y and dR/da^T y for one y: all three in one sweep out and one in, without forming a Jacobian.

With z = J y at points and a1, a2 the sums of N^T z and M^T z over all that hangs on a point, which the transposed
product of `core.tangent_products` has found at c_v = c_a = 0,

    dR/dv^T y = sum J^T a1 + 2 R^T a2 + D y - Psi^T C^T Psi y + ...,     dR/da^T y = sum J^T a2,

since dF/dv = N J + 2 M R and dF/da = M J.  Where robots are large this takes the place of `core.residual_jacobians` in
derivatives of motions: its cost is linear in the number of links.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.blocks.body import add_field_rates_transposed
from supple.core.blocks.kinds import has_field
from supple.core.elastic import add_damping_product, add_internal_product
from supple.core.elastic_lines import add_line_rate_transposed
from supple.core.finite import finite_vector
from supple.core.records import J_SUM, R_SUM
from supple.core.tangent_products import (
    add_contract_transposed,
    add_stress_product,
    sweep_operators,
    transposed_product,
)
from supple.jit import AddressedKernel, calling, inlined, local_array

SIGNATURE = types.int64(*[types.int64] * 7)

call_transposed_jacobians = calling(SIGNATURE)

_twist = local_array(6)


@inlined
def add_point_rates(tree, space, y, by_rate, by_acceleration):
    """by_rate += J^T a1 + 2 R^T a2 and by_acceleration += J^T a2, with a1 and a2 in dV and dA of every segment."""
    columns, twice = space.columns, _twist()
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        n, start = block.n, block.start
        for i in range(block.active):
            w, c = space.work[block.first + i], block.columns + i * block.n
            for k in range(6):
                twice[k] = 2.0 * w.dA[k]
            add_contract_transposed(columns, J_SUM, c, n, w.dV, start, by_rate)
            add_contract_transposed(columns, R_SUM, c, n, twice, start, by_rate)
            add_contract_transposed(columns, J_SUM, c, n, w.dA, start, by_acceleration)
            if i == 0 and has_field(block):
                add_field_rates_transposed(block, tree.maps, space.maps, y, w, by_rate, by_acceleration)


@inlined
def add_stress_rates(tree, space, y, out):
    """out -= Psi^T C^T Psi y at every node; dormant stations add theirs."""
    if space.count[3] > 0:
        for i in range(y.shape[0]):
            for j in range(y.shape[0]):
                out[j] += space.local[1, i, j] * y[i]
    xi = _twist()
    for k in range(tree.nodes.shape[0]):
        node, C = tree.nodes[k], space.stress[k].C
        for i in range(6):
            xi[i] = 0.0
        for j in range(node.n):
            xi[tree.component[node.start + j]] += tree.psi[node.column + j] * y[node.start + j]
        for j in range(node.n):
            r, f = tree.component[node.start + j], 0.0
            for i in range(6):
                f += C[i, r] * xi[i]
            out[node.start + j] -= tree.psi[node.column + j] * f


def _transposed_jacobians(tree_address, space_address, q_at, v_at, a_at, y_at, out_at):
    """dR/dq^T y, dR/dv^T y, dR/da^T y (3, n) at ``out_at``, of R = ID - tau - A^T lambda.  Returns 0 unless finite.

    Poses, motions and the columns of all segments stay in the scratch.
    """
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n = tree.component.shape[0]
    q, v, a, y = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)), vector_at(y_at, (n,))
    out = matrix_at(out_at, (3, n))
    by_position, by_rate, by_acceleration = out[0], out[1], out[2]
    for i in range(n):
        by_position[i], by_rate[i], by_acceleration[i] = 0.0, 0.0, 0.0
    sweep_operators(tree, space, tree_handle, space_handle, q, v, a, 0.0, 0.0, 1.0)
    transposed_product(tree, space, 0.0, y, by_position)
    add_stress_product(tree, space, 0.0, y, True, by_position)
    add_internal_product(-1.0, 0.0, tree, q, v, y, by_position)
    add_point_rates(tree, space, y, by_rate, by_acceleration)
    if tree.loads.shape[0] > 0:
        add_stress_rates(tree, space, y, by_rate)
        add_line_rate_transposed(tree, space, y, by_rate)
    add_damping_product(tree, v, y, by_rate)
    return 1 if finite_vector(by_position) and finite_vector(by_rate) and finite_vector(by_acceleration) else 0


TRANSPOSED_JACOBIANS = AddressedKernel(_transposed_jacobians, SIGNATURE)
