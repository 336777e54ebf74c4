"""Inverse dynamics ID(q, v, a): recursive Newton-Euler in world axes ([GVS-AD] 14-16, 22c).

Outward, `sweep_out` gives V and A of all points.  Inward, wrenches add up to F^C and are projected,
ID = sum over segments of S^T F^C, with S^T F = Phi^T Z^T (Ad_g T)^T F taken from the right, so that S itself is
never formed: the cost is linear in the number of segments and of coordinates per segment.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.finite import finite_vector
from supple.core.inertia import point_wrench, world_inertia
from supple.core.loads import EXTERNAL, WRENCH, apply_loads, project_stresses
from supple.core.records import EXPONENTIAL, ROD
from supple.core.sweep_out import sweep_out
from supple.jit import inlined, kernel
from supple.lie.dual import apply_transposed
from supple.lie.se3 import Ad_transposed, add_coad


@inlined
def point_wrenches(tree, work):
    """World inertia M, momentum h and wrench F of every point."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            w = work[s]
            world_inertia(w.R, w.p, tree.segments[s].inertia, w.M)
            point_wrench(w)


@inlined
def accumulate_wrenches(tree, work):
    """F of every segment becomes F^C, the resultant of all points from there outward (22c)."""
    for k in range(6):
        work[0].F[k] = 0.0
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        for s in range(block.first + block.active - 1, block.first - 1, -1):
            for k in range(6):
                work[tree.parents[s]].F[k] += work[s].F[k]


@inlined
def project_wrench(tree, block, i, F, w, t, out):
    """out += S^T F for the i-th segment of a block; F is a wrench in world axes about the common origin."""
    if block.kind == ROD:
        apply_transposed(w.T[0], F, t.x)
        collocation_wrenches(tree.segments[block.first + i], w.xi, t.x, t.f)
        column = block.columns + i * block.n
        for j in range(block.n):
            k = tree.component[block.start + j]
            out[block.start + j] += tree.phi[0, column + j] * t.f[0, k] + tree.phi[1, column + j] * t.f[1, k]
        return
    if block.kind == EXPONENTIAL:
        apply_transposed(w.T[0], F, t.x)
    else:
        Ad_transposed(w.R0, w.p0, F, t.x)
    for j in range(block.start, block.start + block.n):
        for k in range(6):
            out[j] += tree.screws[k, j] * t.x[k]


@inlined
def collocation_wrenches(segment, xi, F, f):
    """f = Z^T F at the two collocation points (C27): Z_1^T F = h/2 F + c ad*_xi2 F, Z_2^T F = h/2 F - c ad*_xi1 F."""
    for m in range(2):
        for k in range(6):
            f[m, k] = 0.0
        add_coad(xi[0, 1 - m], F, f[m])
        c = segment.bracket if m == 0 else -segment.bracket
        for k in range(6):
            f[m, k] = segment.half * F[k] + c * f[m, k]


@inlined
def project_all(tree, space, out):
    """out = sum over segments of S^T F^C (14)."""
    work, t = space.work, space.scratch[0]
    for j in range(out.shape[0]):
        out[j] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            project_wrench(tree, block, i, w.F, w, t, out)


@kernel
def inverse_dynamics(tree_handle, space_handle, q, v, a, out):
    """out = ID(q, v, a), shape (n,).  Returns False if the result is not finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 1)
    point_wrenches(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL, WRENCH)
    accumulate_wrenches(tree, space.work)
    project_all(tree, space, out)
    project_stresses(tree, space, out)
    return finite_vector(out)
