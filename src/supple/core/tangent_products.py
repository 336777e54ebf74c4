"""The tangent dID/dq + c_v dID/dv + c_a dID/da times a vector, plain and transposed, without forming it.

The variation of a motion is itself a motion: one sweep out carries the contracted columns S x, R x, Q x (6-vectors),
one sweep in the varied wrenches (the tangent algorithm of [IDM-TIDM] sections V, VI, in world axes).  Cost is
linear in the number of segments and coordinates, where the matrix costs their product.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import add_field_cotangents, add_field_product, add_field_transposed
from supple.core.blocks.kinds import add_geometric_product, has_field, has_strains, project_wrench
from supple.core.couplings import add_strain_force, strain_variation
from supple.core.elastic import add_internal_product
from supple.core.elastic_lines import add_line_product, add_line_transposed
from supple.core.finite import finite_vector
from supple.core.loads import CONSTRAINT, EXTERNAL, INTERNAL, TANGENT, apply_loads, has_wrenches
from supple.core.outward import outward_with_columns
from supple.core.records import J_SUM, Q_SUM, R_SUM, S_OWN
from supple.core.sweep_in import accumulate_wrenches, clear_pose_tangents, point_operators
from supple.jit import inlined, inner, kernel, local_array
from supple.lie.se3 import add_coad, add_scaled, product6, product6_transposed

_twist = local_array(6)


@inner
def contract(columns, m, c, n, x, start, out):
    """out = columns[m][:, c:c+n] x[start:start+n]."""
    for k in range(6):
        s = 0.0
        for j in range(n):
            s += columns[m, k, c + j] * x[start + j]
        out[k] = s


@inner
def add_contract_transposed(columns, m, c, n, F, start, out):
    """out[start:start+n] += columns[m][:, c:c+n]^T F."""
    for j in range(n):
        s = 0.0
        for k in range(6):
            s += columns[m, k, c + j] * F[k]
        out[start + j] += s


@inlined
def vary_points(tree, space, loaded, x):
    """Outward: S x of every segment in dS; J x, R x, Q x from the world in dZ, dV, dA; dF = N R x + M Q x + G J x."""
    work, columns, product = space.work, space.columns, _twist()
    for k in range(6):
        work[0].dZ[k], work[0].dV[k], work[0].dA[k], work[0].dF[k] = 0.0, 0.0, 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active):
            w = work[block.first + i]
            c = block.columns + i * block.n
            contract(columns, S_OWN, c, block.n, x, block.start, w.dS)
            contract(columns, J_SUM, c, block.n, x, block.start, w.dZ)
            contract(columns, R_SUM, c, block.n, x, block.start, w.dV)
            contract(columns, Q_SUM, c, block.n, x, block.start, w.dA)
            for k in range(6):
                w.dZ[k] += base.dZ[k]
                w.dV[k] += base.dV[k]
                w.dA[k] += base.dA[k]
            product6(w.N, w.dV, w.dF)
            product6(w.M, w.dA, product)
            add_scaled(1.0, product, w.dF)
            if loaded:
                product6(w.G, w.dZ, product)
                add_scaled(1.0, product, w.dF)


@inlined
def couple_variations(tree, space, x):
    """Loads on pairs of segments: dF_a += G (J_b x) + N (R_b x), or G Psi x of the strain at a node."""
    work, product, strain = space.work, _twist(), _twist()
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        if coupling.b < 0:
            strain_variation(tree, -(coupling.b + 1), x, strain)
            product6(coupling.G, strain, product)
            add_scaled(1.0, product, work[coupling.a].dF)
            continue
        product6(coupling.G, work[coupling.b].dZ, product)
        add_scaled(1.0, product, work[coupling.a].dF)
        product6(coupling.N, work[coupling.b].dV, product)
        add_scaled(1.0, product, work[coupling.a].dF)


@inlined
def plain_product(tree, space, cv, x, out):
    """out = tangent x: varied wrenches dF at points, then sums of dF + adbar*_F (S x) inward, by S^T, and C29 x."""
    work = space.work
    vary_points(tree, space, has_wrenches(tree), x)
    couple_variations(tree, space, x)
    add_line_product(tree, space, cv, x, out)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        for i in range(block.active - 1, -1, -1):
            s = block.first + i
            w = work[s]
            if i == 0 and has_field(block):
                add_field_product(block, tree.maps, space.maps, space.rates, x, w, out)
            add_coad(w.dS, w.F, w.dF)  # adbar*_F (S x)
            add_scaled(1.0, w.dF, work[tree.parents[s]].dF)
            project_wrench(tree, space, block, i, w.dF, w, out)
            add_geometric_product(tree, space, block, i, w, x, False, out)


@inlined
def pull_back_points(tree, space, loaded, y):
    """Outward: z = J y at points in dS; G^T z, N^T z, M^T z in dZ, dV, dA."""
    work = space.work
    for k in range(6):
        work[0].dS[k], work[0].dZ[k], work[0].dV[k], work[0].dA[k] = 0.0, 0.0, 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active):
            w = work[block.first + i]
            contract(space.columns, J_SUM, block.columns + i * block.n, block.n, y, block.start, w.dS)
            add_scaled(1.0, base.dS, w.dS)
            product6_transposed(w.N, w.dS, w.dV)
            product6_transposed(w.M, w.dS, w.dA)
            if i == 0 and has_field(block):
                add_field_cotangents(block, tree.maps, space.maps, y, w)
            for k in range(6):
                w.dZ[k] = 0.0
            if loaded:
                product6_transposed(w.G, w.dS, w.dZ)


@inlined
def couple_pulled_back(tree, space, out):
    """Loads on pairs of segments, transposed: G^T z_a, N^T z_a join those of segment b, or the strain at a node."""
    work, product = space.work, _twist()
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        product6_transposed(coupling.G, work[coupling.a].dS, product)
        if coupling.b < 0:
            add_strain_force(tree, -(coupling.b + 1), product, out)
            continue
        add_scaled(1.0, product, work[coupling.b].dZ)
        product6_transposed(coupling.N, work[coupling.a].dS, product)
        add_scaled(1.0, product, work[coupling.b].dV)


@inlined
def transposed_product(tree, space, cv, y, out):
    """out = tangent^T y.

    With z = J y at points: J^T sum G^T z + R^T sum N^T z + Q^T sum M^T z + S^T adbar*_F^T z + C29^T y, where the
    sums of a block's last point run over everything that hangs on it.
    """
    work, columns, turning = space.work, space.columns, _twist()
    pull_back_points(tree, space, has_wrenches(tree), y)
    couple_pulled_back(tree, space, out)
    add_line_transposed(tree, space, cv, y, out)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active - 1, -1, -1):
            w = work[block.first + i]
            c = block.columns + i * block.n
            if i == 0 and has_field(block):
                add_field_transposed(block, tree.maps, space.maps, space.rates, y, w, out)
            add_scaled(1.0, w.dZ, base.dZ)
            add_scaled(1.0, w.dV, base.dV)
            add_scaled(1.0, w.dA, base.dA)
            # adbar*_F is antisymmetric, so its transpose times z is minus adbar*_F z
            for k in range(6):
                turning[k] = 0.0
            add_coad(w.dS, w.F, turning)
            for k in range(6):
                turning[k] = -turning[k]
            add_contract_transposed(columns, J_SUM, c, block.n, w.dZ, block.start, out)
            add_contract_transposed(columns, R_SUM, c, block.n, w.dV, block.start, out)
            add_contract_transposed(columns, Q_SUM, c, block.n, w.dA, block.start, out)
            add_contract_transposed(columns, S_OWN, c, block.n, turning, block.start, out)
            add_geometric_product(tree, space, block, i, w, y, True, out)


@inlined
def add_stress_product(tree, space, cv, x, transposed, out):
    """out -= Phi^T (E + c_v C) Phi x at every node, and the slopes of joint forces times x; or transposed."""
    if tree.loads.shape[0] == 0:
        return
    if space.count[3] > 0:  # the steps of dormant stations
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                if transposed:
                    out[j] += space.local[0, i, j] * x[i]
                else:
                    out[i] += space.local[0, i, j] * x[j]
    xi, f = _twist(), _twist()
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for i in range(6):
            xi[i], f[i] = 0.0, 0.0
        for j in range(node.n):
            xi[tree.component[node.start + j]] += tree.psi[node.column + j] * x[node.start + j]
        for i in range(6):
            for j in range(6):
                if transposed:
                    f[i] += (s.E[j, i] + cv * s.C[j, i]) * xi[j]
                else:
                    f[i] += (s.E[i, j] + cv * s.C[i, j]) * xi[j]
        for j in range(node.n):
            out[node.start + j] -= tree.psi[node.column + j] * f[tree.component[node.start + j]]
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if has_strains(block):
            continue
        for i in range(block.n):
            for j in range(block.n):
                slope = space.joint_slope[block.start + i, j]
                if transposed:
                    out[block.start + j] -= slope * x[block.start + i]
                else:
                    out[block.start + i] -= slope * x[block.start + j]


@inlined
def sweep_operators(tree, space, tree_handle, space_handle, q, v, a, cv, ca, apart):
    """Columns, wrenches summed inward, and all tangents of points and loads; those by q and by v ``apart`` if not 0."""
    outward_with_columns(tree_handle, space_handle, space, q, v, a, cv, ca)
    space.rates[1] = apart
    point_operators(tree, space, q, v, a)
    clear_pose_tangents(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL + CONSTRAINT, TANGENT)
    accumulate_wrenches(tree, space.work)


@kernel
def tangent_product(tree_handle, space_handle, q, v, a, cv, ca, x, transposed, out):
    """out = (dR/dq + c_v dR/dv + c_a dR/da) x with R = ID - tau - A^T lambda, or the transpose times x.

    Returns whether it is finite.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_operators(tree, space, tree_handle, space_handle, q, v, a, cv, ca, 0.0)
    out[:] = 0.0
    if transposed:
        transposed_product(tree, space, cv, x, out)
    else:
        plain_product(tree, space, cv, x, out)
    add_stress_product(tree, space, cv, x, transposed, out)
    add_internal_product(-1.0, cv, tree, q, v, x, out)
    return finite_vector(out)
