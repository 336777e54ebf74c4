"""The tangent dID/dq + c_v dID/dv + c_a dID/da times a vector, plain and transposed, without forming it.

The variation of a motion is itself a motion: one sweep out carries the contracted columns S x, R x, Q x (6-vectors),
one sweep in the varied wrenches (the tangent algorithm of [IDM-TIDM] sections V, VI, in world axes).  Cost is
linear in the number of segments and coordinates, where the matrix costs their product.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.columns import fill_columns
from supple.core.couplings import add_strain_force, strain_variation
from supple.core.elastic import add_internal_product
from supple.core.elastic_lines import add_line_product, add_line_transposed
from supple.core.finite import finite_vector
from supple.core.geometric_stiffness import collocation_derivative, local_derivative
from supple.core.inertia import add_coadbar
from supple.core.inverse_dynamics import accumulate_wrenches, project_wrench
from supple.core.inverse_dynamics_derivatives import J, Q, R, S, clear_pose_tangents, point_operators
from supple.core.loads import CONSTRAINT, EXTERNAL, INTERNAL, TANGENT, apply_loads, has_wrenches
from supple.core.records import EXPONENTIAL, ROD, SCREW
from supple.core.sweep_out import sweep_out
from supple.jit import inlined, inner, kernel
from supple.lie.dual import apply_transposed
from supple.lie.se3 import add_scaled, product6, product6_transposed


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
def add_geometric_product(tree, block, i, w, t, x, transposed, out):
    """out += C29 x or C29^T x for the i-th segment, in collocation space for rods."""
    if block.kind == SCREW:
        return
    local_derivative(w, t)
    component, phi, screws = tree.component, tree.phi, tree.screws
    start, n = block.start, block.n
    if block.kind == EXPONENTIAL:
        for k in range(6):
            t.x[k] = 0.0
            for j in range(start, start + n):
                t.x[k] += screws[k, j] * x[j]
        if transposed:
            product6_transposed(t.H, t.x, t.y)
        else:
            product6(t.H, t.x, t.y)
        for j in range(start, start + n):
            for k in range(6):
                out[j] += screws[k, j] * t.y[k]
        return
    apply_transposed(w.T[0], w.F, t.x)
    collocation_derivative(tree.segments[block.first + i], w.xi, t)
    c = block.columns + i * n
    for m in range(2):
        for k in range(6):
            t.f[m, k] = 0.0
    for j in range(n):
        k = component[start + j]
        t.f[0, k] += phi[0, c + j] * x[start + j]
        t.f[1, k] += phi[1, c + j] * x[start + j]
    for j in range(n):
        k = component[start + j]
        s = 0.0
        for m in range(2):
            for l in range(6):
                if transposed:
                    s += t.f[m, l] * (phi[0, c + j] * t.C[6 * m + l, k] + phi[1, c + j] * t.C[6 * m + l, 6 + k])
                else:
                    s += t.f[m, l] * (phi[0, c + j] * t.C[k, 6 * m + l] + phi[1, c + j] * t.C[6 + k, 6 * m + l])
        out[start + j] += s


@inlined
def plain_product(tree, space, cv, x, out):
    """out = tangent x: dF = N (R x) + M (Q x) + G (J x) at points, then sums of dF + adbar*_F (S x) inward, by S^T.

    In the scratch records dS holds S x of the segment; dZ, dV, dA hold J x, R x, Q x from the world outward.
    """
    work, columns, t = space.work, space.columns, space.scratch[0]
    loaded = has_wrenches(tree)
    for k in range(6):
        work[0].dZ[k], work[0].dV[k], work[0].dA[k], work[0].dF[k] = 0.0, 0.0, 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active):
            w = work[block.first + i]
            c = block.columns + i * block.n
            contract(columns, S, c, block.n, x, block.start, w.dS)
            contract(columns, J, c, block.n, x, block.start, w.dZ)
            contract(columns, R, c, block.n, x, block.start, w.dV)
            contract(columns, Q, c, block.n, x, block.start, w.dA)
            for k in range(6):
                w.dZ[k] += base.dZ[k]
                w.dV[k] += base.dV[k]
                w.dA[k] += base.dA[k]
            product6(w.N, w.dV, w.dF)
            product6(w.M, w.dA, t.x)
            add_scaled(1.0, t.x, w.dF)
            if loaded:
                product6(w.G, w.dZ, t.x)
                add_scaled(1.0, t.x, w.dF)
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        if coupling.b < 0:
            strain_variation(tree, -(coupling.b + 1), x, t.y)
            product6(coupling.G, t.y, t.x)
            add_scaled(1.0, t.x, work[coupling.a].dF)
            continue
        product6(coupling.G, work[coupling.b].dZ, t.x)
        product6(coupling.N, work[coupling.b].dV, t.y)
        add_scaled(1.0, t.x, work[coupling.a].dF)
        add_scaled(1.0, t.y, work[coupling.a].dF)
    add_line_product(tree, space, cv, x, out)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        for i in range(block.active - 1, -1, -1):
            s = block.first + i
            w = work[s]
            add_coadbar_product(w.F, w.dS, t, w.dF)
            add_scaled(1.0, w.dF, work[tree.parents[s]].dF)
            project_wrench(tree, block, i, w.dF, w, t, out)
            add_geometric_product(tree, block, i, w, t, x, False, out)


@inner
def add_coadbar_product(F, X, t, out):
    """out += adbar*_F X."""
    for k in range(6):
        for l in range(6):
            t.B[k, l] = 0.0
    add_coadbar(F, t.B)
    product6(t.B, X, t.x)
    for k in range(6):
        out[k] += t.x[k]


@inlined
def transposed_product(tree, space, cv, y, out):
    """out = tangent^T y.

    With z = J y at points: J^T sum G^T z + R^T sum N^T z + Q^T sum M^T z + S^T adbar*_F^T z + C29^T y.

    In the scratch records dS holds z; dZ, dV, dA hold G^T z, N^T z, M^T z, those of a block's last point with
    everything that hangs on it.
    """
    work, columns, t = space.work, space.columns, space.scratch[0]
    loaded = has_wrenches(tree)
    for k in range(6):
        work[0].dS[k], work[0].dZ[k], work[0].dV[k], work[0].dA[k] = 0.0, 0.0, 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active):
            w = work[block.first + i]
            contract(columns, J, block.columns + i * block.n, block.n, y, block.start, w.dS)
            add_scaled(1.0, base.dS, w.dS)
            product6_transposed(w.N, w.dS, w.dV)
            product6_transposed(w.M, w.dS, w.dA)
            for k in range(6):
                w.dZ[k] = 0.0
            if loaded:
                product6_transposed(w.G, w.dS, w.dZ)
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        product6_transposed(coupling.G, work[coupling.a].dS, t.x)
        if coupling.b < 0:
            add_strain_force(tree, -(coupling.b + 1), t.x, out)
            continue
        product6_transposed(coupling.N, work[coupling.a].dS, t.y)
        add_scaled(1.0, t.x, work[coupling.b].dZ)
        add_scaled(1.0, t.y, work[coupling.b].dV)
    add_line_transposed(tree, space, cv, y, out)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        base = work[block.parent]
        for i in range(block.active - 1, -1, -1):
            w = work[block.first + i]
            c = block.columns + i * block.n
            add_scaled(1.0, w.dZ, base.dZ)
            add_scaled(1.0, w.dV, base.dV)
            add_scaled(1.0, w.dA, base.dA)
            for k in range(6):
                t.z[k] = 0.0
            # adbar*_F is antisymmetric, so its transpose times z is minus adbar*_F z
            add_coadbar_product(w.F, w.dS, t, t.z)
            for k in range(6):
                t.z[k] = -t.z[k]
            add_contract_transposed(columns, J, c, block.n, w.dZ, block.start, out)
            add_contract_transposed(columns, R, c, block.n, w.dV, block.start, out)
            add_contract_transposed(columns, Q, c, block.n, w.dA, block.start, out)
            add_contract_transposed(columns, S, c, block.n, t.z, block.start, out)
            add_geometric_product(tree, block, i, w, t, y, True, out)


@inlined
def add_stress_product(tree, space, cv, x, transposed, out):
    """out -= Phi^T (E + c_v C) Phi x at every node, and the slopes of joint forces times x; or transposed."""
    if tree.loads.shape[0] == 0:
        return
    if space.count[3] > 0:  # the steps of buds
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                if transposed:
                    out[j] += space.local[0, i, j] * x[i]
                else:
                    out[i] += space.local[0, i, j] * x[j]
    xi, f = space.scratch[0].x, space.scratch[0].y
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
        if block.kind == ROD:
            continue
        for i in range(block.n):
            for j in range(block.n):
                slope = space.joint_slope[block.start + i, j]
                if transposed:
                    out[block.start + j] -= slope * x[block.start + i]
                else:
                    out[block.start + i] -= slope * x[block.start + j]


@kernel
def tangent_product(tree_handle, space_handle, q, v, a, cv, ca, x, transposed, out):
    """out = (dR/dq + c_v dR/dv + c_a dR/da) x with R = ID - tau - A^T lambda, or the transpose times x.

    Returns whether it is finite.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 2)
    fill_columns(tree, cv, ca, space)
    point_operators(tree, space)
    clear_pose_tangents(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL + CONSTRAINT, TANGENT)
    accumulate_wrenches(tree, space.work)
    out[:] = 0.0
    if transposed:
        transposed_product(tree, space, cv, x, out)
    else:
        plain_product(tree, space, cv, x, out)
    add_stress_product(tree, space, cv, x, transposed, out)
    add_internal_product(-1.0, cv, tree, q, x, out)
    return finite_vector(out)
