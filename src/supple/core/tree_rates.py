"""What stabilised loops ask of a tangent before it is factorised over the tree (see `solvers.stage.factors`).

Their extra correction enters a stage through v and a alone, by (T - dR/dq) P = (c_v dR/dv + c_a dR/da) P: products with
the part of the tangent that follows rates.  With z = J p and z' = (R + c_v J) p, sums from the world outward of the
combined columns, the wrench of a point varies by

    dF = c_v N z + M (2 c_v z' + (c_a - 2 c_v^2) z).

Other coefficients than those of the columns may be asked for, b dR/dv + a dR/da: then dF = b N z + M (2 b (z' - c_v z)
+ a z).

How far coordinates may be corrected is weighed by what resists them, |c_a| M + K + c_v D on the diagonal, with friction
and slopes of forces on joints and soft bodies.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.blocks.body import add_field_rates, add_field_weights
from supple.core.blocks.kinds import has_field, has_strains, project_wrench
from supple.core.elastic import friction_law
from supple.core.elastic_lines import add_node_transposed, add_pull, part_product
from supple.core.records import J_SUM, R_SUM
from supple.core.tangent_products import contract
from supple.core.tree_factors import KNOT, KNOT_END, factors_at
from supple.jit import AddressedKernel, calling, inlined, local_array
from supple.lie.se3 import add_scaled, dot6, product6

SIGNATURE = types.int64(*[types.int64] * 4, types.float64, types.float64, *[types.int64] * 3)

call_tree_rates = calling(SIGNATURE)

_twist, _matrix = local_array(6), local_array(6, 6)


@inlined
def vary_rates(tree, space, cv, ca, p, out):
    """dF = b N z + M (2 b (z' - c_v z) + a z) of every point; z = J p in dZ, z' = (R + c_v J) p in dV.

    (b, a) are the arguments, c_v that of the columns; what fields add goes to ``out``.
    """
    work, columns, x, y, combined = space.work, space.columns, _twist(), _twist(), space.rates[0]
    for k in range(6):
        work[0].dZ[k], work[0].dV[k], work[0].dF[k] = 0.0, 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active):
            w, c = work[block.first + i], block.columns + i * block.n
            contract(columns, J_SUM, c, block.n, p, block.start, w.dZ)
            contract(columns, R_SUM, c, block.n, p, block.start, w.dV)
            for k in range(6):
                w.dZ[k] += base.dZ[k]
                w.dV[k] += base.dV[k]
                x[k] = 2.0 * cv * w.dV[k] + (ca - 2.0 * cv * combined) * w.dZ[k]
            product6(w.N, w.dZ, y)
            product6(w.M, x, w.dF)
            add_scaled(cv, y, w.dF)
            if i == 0 and has_field(block):
                for k in range(6):
                    y[k] = cv * w.dZ[k]
                add_field_rates(block, tree.maps, space.maps, cv, ca, p, y, x, w, out)


@inlined
def vary_loads(tree, space, cv, p, out):
    """dF_a += c_v N (J_b p) of couplings, dF += c_v T_l' (g . p) f along lines.

    At nodes and on coordinates, lines add to ``out`` (n,).
    """
    work, x = space.work, _twist()
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        if coupling.b >= 0:
            product6(coupling.N, work[coupling.b].dZ, x)
            add_scaled(cv, x, work[coupling.a].dF)
    for i in range(space.count[1]):
        line, rate = space.lines[i], 0.0
        for k in range(line.first, line.first + line.count):
            part = space.parts[k]
            rate += part_product(tree, part, work[max(part.segment, 0)].dZ, p)
        add_pull(tree, space, line, cv * line.rate_slope * rate, out)


@inlined
def add_own_rates(tree, space, v, cv, p, out):
    """out += c_v (D p - Phi^T C Phi p): dampers, friction, stresses of loads at nodes and of soft bodies."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            x = 0.0
            for j in range(lo, hi):
                x += tree.damping[i, j] * p[j]
            _, drag = friction_law(v[i], tree.limits[i])
            out[i] += cv * (x - drag * p[i])
    if tree.loads.shape[0] == 0:
        return
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if not has_strains(block):
            for i in range(block.start, block.start + block.n):
                for j in range(block.n):
                    out[i] -= cv * space.joint_drag[i, j] * p[block.start + j]
    xi, f = _twist(), _twist()
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for i in range(6):
            xi[i] = 0.0
        for j in range(node.n):
            xi[tree.component[node.start + j]] += tree.psi[node.column + j] * p[node.start + j]
        product6(s.C, xi, f)
        add_node_transposed(tree, k, -cv, f, out)


@inlined
def rate_product(tree, space, v, cv, ca, p, out):
    """out (n,) = (c_v dR/dv + c_a dR/da) p."""
    work = space.work
    for i in range(out.shape[0]):
        out[i] = 0.0
    vary_rates(tree, space, cv, ca, p, out)
    vary_loads(tree, space, cv, p, out)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        for i in range(block.active - 1, -1, -1):
            s = block.first + i
            add_scaled(1.0, work[s].dF, work[tree.parents[s]].dF)
            project_wrench(tree, space, block, i, work[s].dF, work[s], out)
    add_own_rates(tree, space, v, cv, p, out)


@inlined
def own_resistance(tree, space, block, v, cv, out):
    """out = K + c_v D on the diagonal, and slopes of friction and of joint forces, of a block."""
    loaded = tree.loads.shape[0] > 0 and not has_strains(block)
    for j in range(block.start, block.start + block.n):
        _, drag = friction_law(v[j], tree.limits[j])
        out[j] = tree.stiffness[j, j] + cv * (tree.damping[j, j] + abs(drag))
        if loaded:
            out[j] += abs(space.joint_slope[j, j - block.start])


@inlined
def coordinate_weights(tree, space, v, cv, ca, factors, out):
    """out (n,) = |c_a| M on the diagonal, of all that a coordinate moves, and what resists it itself."""
    composites, columns, M, x, y = factors.composites, space.columns, _matrix(), _twist(), _twist()
    for i in range(composites.shape[0]):
        for k in range(36):
            composites[i, k] = 0.0
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        into, knot = composites[factors.slots[block.parent]], factors.places[b, KNOT]
        own_resistance(tree, space, block, v, cv, out)
        if has_field(block):
            add_field_weights(block, tree.maps, space.maps, ca, out)
        for i in range(block.active):
            s, c = block.first + i, block.columns + i * block.n
            hung = knot < factors.places[b, KNOT_END] and factors.knots[knot, 2] == s
            for k in range(6):
                for l in range(6):
                    M[k, l] = space.work[s].M[k, l]
                    if hung:
                        M[k, l] += composites[factors.knots[knot, 0], 6 * k + l]
                    into[6 * k + l] += M[k, l]
            if hung:
                knot += 1
            for j in range(block.n):
                for k in range(6):
                    x[k] = columns[J_SUM, k, c + j]
                product6(M, x, y)
                out[block.start + j] += abs(ca * dot6(x, y))


def _tree_rates(tree_address, space_address, factors_address, v_at, cv, ca, P_at, count, out_at):
    """Before a tangent is factorised: weights (n,) of coordinates at ``out_at`` if ``count`` is 0.

    Else rows k of (count, n) floats there become (c_v dR/dv + c_a dR/da) times column k of P (n, count).  Returns
    whether that is all: what stations of rods between points add is not known here (`core.dormant`).
    """
    tree, space = tree_at(handle_at(tree_address, TREE_ROWS)), space_at(handle_at(space_address, SPACE_ROWS))
    n, factors = tree.component.shape[0], factors_at(factors_address)
    if count == 0:
        coordinate_weights(tree, space, vector_at(v_at, (n,)), cv, ca, factors, vector_at(out_at, (n,)))
        return np.int64(1)
    P, out = matrix_at(P_at, (n, count)), matrix_at(out_at, (count, n))
    for k in range(count):
        for i in range(n):
            factors.x[i] = P[i, k]
        rate_product(tree, space, vector_at(v_at, (n,)), cv, ca, factors.x, out[k])
    return np.int64(1 if space.count[3] == 0 else 0)


TREE_RATES = AddressedKernel(_tree_rates, SIGNATURE)
