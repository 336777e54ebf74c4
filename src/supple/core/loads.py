"""Loads: calling them, and projecting what they write onto the coordinates.  The one J^T of all loads.

A load is a compiled function ``load(tree, space, data, mode)`` of one fixed signature, reached by its address: the
kernels and solvers are compiled once, whatever loads a robot has.  It reads poses and motions of segments
(``space.work``), strains at nodes (``space.stress``), inputs and signals, and writes

* wrenches: ``work[s].F -= wrench`` (world axes, about the common origin; a load is subtracted in R = ID - tau);
* in mode TANGENT: how the wrench changes *as seen from the moving segment* ([GVS-AD] 54-59 in world axes),
  dF = G zeta + N zeta' + M zeta'', where zeta = J dq is the segment's variation, into ``work[s].G, N, M``;
  for pairs of segments, ``add_coupling``; for forces that follow the length of a whole line, ``core.elastic_lines``;
* generalised stresses at nodes of rods: ``stress[k].f += ...`` with derivatives E, C by the strain and its rate;
* generalised forces on joints: ``joint_force[i] += ...`` with derivatives by the joint's coordinates, ``joint_slope``;
* at stations that are visited only when needed, all this by way of `core.dormant`.

In mode ENERGY it adds its potential energy to ``space.energy[0]`` and writes nothing else.
In mode -(i + 1) it writes the derivatives of its wrenches and stresses by input i in their place.

World wrenches that do not turn with the segment gain ``-adbar*_F`` in G: see `loads.points.subtract_turning`.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.blocks.kinds import has_strains
from supple.core.couplings import add_couplings
from supple.core.elastic_lines import add_line_tangents
from supple.jit import calling, inlined, inner

#: Which part of R = ID - tau - A^T lambda a load belongs to (third column of Tree.loads): together, the residual.
EXTERNAL, INTERNAL, CONSTRAINT = 1, 2, 4
#: Added to the side of a load that writes no wrenches (only stresses or joint forces): G need not be swept for it.
WRENCHLESS = 8
#: Added to the side of a load that has a potential energy: only such loads are called in mode ENERGY.
STORES = 16

#: What is asked of a load (its last argument); negative: derivatives by input -(mode + 1).
#: MEASURE: lines tell their length, its rate, their tension and the gradient of the length (see core.elastic_lines).
#: ENERGY: only the potential energy [J] is added, to ``space.energy[0]``; minus its gradient by q is the generalised
#: force at rest.
#: GRADIENT: as TANGENT, but transposed at once (`core.load_gradients`); only loads on dormant stations are asked so.
WRENCH, TANGENT, MEASURE, ENERGY, GRADIENT = 0, 1, 2, 3, 4

Index = np.uint64  # unsigned indices vectorise, see linalg.products


call_load = calling(types.void(*[types.int64] * 4))


@inlined
def apply_loads(tree, space, tree_handle, space_handle, q, v, sides, mode):
    """Call all loads of the given ``sides`` (EXTERNAL, INTERNAL or their sum).

    All that they add to is zero before: F, G, N and M of points come from the sweeps, the rest is cleared here.
    """
    clear_counts(space)
    if tree.loads.shape[0] == 0:
        return
    clear_loads(tree, space, q, v)
    for i in range(tree.loads.shape[0]):
        if tree.loads[i, 2] & sides:
            call_load(tree.loads[i, 0], (tree_handle.ctypes.data, space_handle.ctypes.data, tree.loads[i, 1], mode))


@inlined
def clear_loads(tree, space, q, v):
    """All that loads add to beyond the points' own, before they act: zero; strains at nodes."""
    for k in range(6):
        space.work[0].F[k] = 0.0
    strain_nodes(tree, q, v, space)
    for i in range(space.joint_force.shape[0]):
        space.joint_force[i] = 0.0
        for j in range(Index(space.joint_slope.shape[1])):
            space.joint_slope[i, j], space.joint_drag[i, j] = 0.0, 0.0
    show_coordinates(space, q, v)


@inlined
def show_coordinates(space, q, v):
    """q and v for loads that read them: those on dormant stations and in soft bodies."""
    for i in range(Index(space.coordinates.shape[1])):
        space.coordinates[0, i], space.coordinates[1, i] = q[i], v[i]


@inlined
def clear_counts(space):
    """No couplings, lines and parts; no dormant station is awake."""
    for i in range(5):
        space.count[i] = 0


@inlined
def has_wrenches(tree):
    """Whether some load writes wrenches, so that their pose tangents G must be swept."""
    count = 0
    for i in range(tree.loads.shape[0]):
        if not tree.loads[i, 2] & WRENCHLESS:
            count += 1
    return count > 0


@inlined
def strain_nodes(tree, q, v, space):
    """xi = xi_rest + Psi q and xi' = Psi v at every node; stresses and their slopes are cleared."""
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for i in range(6):
            s.xi[i], s.xid[i], s.f[i] = node.rest[i], 0.0, 0.0
            for j in range(6):
                s.E[i, j], s.C[i, j] = 0.0, 0.0
        for j in range(node.n):
            i, psi = tree.component[node.start + j], tree.psi[node.column + j]
            s.xi[i] += psi * q[node.start + j]
            s.xid[i] += psi * v[node.start + j]


@inlined
def project_stresses(tree, space, out):
    """out -= Phi^T f at every node, and joint forces."""
    if tree.loads.shape[0] == 0:
        return
    for i in range(out.shape[0]):
        out[i] -= space.joint_force[i]
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for j in range(node.n):
            out[node.start + j] -= tree.psi[node.column + j] * s.f[tree.component[node.start + j]]


@inlined
def project_stress_tangents(tree, space, cv, out):
    """out -= Phi^T (E + c_v C) Phi at every node, and the slopes of joint forces; dormant stations add theirs."""
    add_local(space, 0, out)
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if not has_strains(block):
            for i in range(block.start, block.start + block.n):
                for j in range(block.n):
                    out[i, block.start + j] -= space.joint_slope[i, j]
    for k in range(tree.nodes.shape[0]):
        s = space.stress[k]
        if any_entry(s.E) or any_entry(s.C):
            subtract_stress_slope(tree.component, tree.psi, tree.nodes[k], 1.0, s.E, cv, s.C, out)


@inlined
def project_stress_rates(tree, space, out):
    """out -= Phi^T C Phi at every node: what `project_stress_tangents` is to dR/dq, for dR/dv."""
    add_local(space, 1, out)
    for k in range(tree.nodes.shape[0]):
        s = space.stress[k]
        if any_entry(s.C):
            subtract_stress_slope(tree.component, tree.psi, tree.nodes[k], 0.0, s.E, 1.0, s.C, out)


@inlined
def add_load_tangents(tree, space, cv, separate, dq, dv):
    """What loads add to a tangent, beyond the G, N and M of points that the sweeps carry inward (`core.loads`):

    stresses and their rates at nodes, slopes of joint forces, pairs of segments, lines.  dq += all of it, with c_v for
    rates; if ``separate`` (then c_v = 0), dv += what follows rates, else dv is not looked at.
    """
    if tree.loads.shape[0] == 0:
        return
    project_stress_tangents(tree, space, cv, dq)
    if separate:
        project_stress_rates(tree, space, dv)
    add_couplings(tree, space, separate, dq, dv)
    add_line_tangents(tree, space, cv, separate, dq, dv)


@inner
def any_entry(A):
    """Whether an entry of A (6, 6) is not zero; NaN is not."""
    for i in range(6):
        for j in range(6):
            if A[i, j] != 0.0:
                return True
    return False


@inner
def subtract_stress_slope(component, psi, node, a, E, c, C, out):
    """out -= Phi^T (a E + c C) Phi at a node."""
    n, start, column = Index(node.n), Index(node.start), Index(node.column)
    for i in range(n):
        r = Index(component[start + i])
        x = psi[column + i]
        for j in range(n):
            k = Index(component[start + j])
            out[start + i, start + j] -= x * (a * E[r, k] + c * C[r, k]) * psi[column + j]


@inlined
def add_local(space, m, out):
    """out += what the steps of dormant stations add to dR/dq (m = 0) or dR/dv (m = 1), see `core.dormant`."""
    if space.count[3] == 0:
        return
    n = Index(space.local.shape[1])
    for i in range(n):
        for j in range(n):
            out[i, j] += space.local[m, i, j]


@inlined
def add_coupling(space, a, b):
    """A new coupling of segment ``a`` to the motion of ``b``; G and N are zero.  For a = b write into work[a]."""
    c = space.couplings[space.count[0]]
    space.count[0] += 1
    c.a, c.b = a, b
    for i in range(6):
        for j in range(6):
            c.G[i, j], c.N[i, j] = 0.0, 0.0
    return c
