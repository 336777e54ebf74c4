"""Sweep inward: wrenches and operators of points, summed to the world and projected ([GVS-AD] 14-16, 20, 22).

What inverse dynamics, its derivatives and the mass matrix share, after `core.sweep_out` has posed and moved all
points.  World axes about the common origin, so that what hangs on a point is simply added to it.
"""

from __future__ import annotations

from supple.core.blocks.body import INERTIA, TANGENT, add_field_force, fill_field
from supple.core.blocks.kinds import by_fours, has_field, project_wrench
from supple.core.inertia import point_wrench, velocity_tangent, world_inertia
from supple.core.loads import apply_loads, has_wrenches, project_stresses
from supple.core.rod_calls import INERTIAS, OPERATORS, WRENCHES, rod_points, rod_projection
from supple.core.views import address_of
from supple.jit import inlined, local_array
from supple.lie.se3 import add_matrix6

_matrix = local_array(6, 6)


@inlined
def point_wrenches(tree, space, q, v, a, order):
    """World inertia M, momentum h = M V and wrench F = M A + ad*_V h of every point (14b).

    Fields of soft bodies do what ``order`` says.
    """
    work = space.work
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_points(address_of(tree), address_of(space), space, b, WRENCHES)
            continue
        for s in range(block.first, block.first + block.active):
            w = work[s]
            world_inertia(w.R, w.p, tree.segments[s].inertia, w.M)
            point_wrench(w)
        if has_field(block):
            segment, base, w = tree.segments[block.first], work[block.parent], work[block.first]
            fill_field(block, tree.maps, space.maps, segment, q, v, a, order, base, w)


@inlined
def point_operators(tree, space, q, v, a):
    """M, h = M V, F = M A + ad*_V h and N of every point (`core.inertia`); the tangents of fields of soft bodies."""
    X = _matrix()
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_points(address_of(tree), address_of(space), space, b, OPERATORS)
            continue
        for s in range(block.first, block.first + block.active):
            w = space.work[s]
            world_inertia(w.R, w.p, tree.segments[s].inertia, w.M)
            point_wrench(w)
            velocity_tangent(w, X)
        if has_field(block):
            segment, base, w = tree.segments[block.first], space.work[block.parent], space.work[block.first]
            fill_field(block, tree.maps, space.maps, segment, q, v, a, TANGENT, base, w)


@inlined
def point_inertias(tree, space, q, zero):
    """World inertia M = Ad_g^-T M_body Ad_g^-1 of every point, and those of fields of soft bodies, at rest."""
    work = space.work
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_points(address_of(tree), address_of(space), space, b, INERTIAS)
            continue
        for s in range(block.first, block.first + block.active):
            world_inertia(work[s].R, work[s].p, tree.segments[s].inertia, work[s].M)
        if has_field(block):
            segment, base, w = tree.segments[block.first], work[block.parent], work[block.first]
            fill_field(block, tree.maps, space.maps, segment, q, zero, zero, INERTIA, base, w)


@inlined
def composite_inertias(tree, space, q, zero):
    """World inertia M of every point; a block's last point takes everything that hangs on it, M^C = M + sum M^C."""
    work = space.work
    for k in range(6):
        for l in range(6):
            work[0].M[k, l] = 0.0
    blocks = tree.blocks
    point_inertias(tree, space, q, zero)
    for b in range(blocks.shape[0] - 1, -1, -1):
        parent = work[blocks[b].parent]
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            add_matrix6(work[s].M, parent.M)


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
def accumulate_operators(tree, work):
    """Sum inward: F along every segment (F^C), M, N, G from a block's points to the point the block hangs on."""
    loaded = has_wrenches(tree)
    clear_operators(work[0])
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        parent = work[block.parent]
        for s in range(block.first + block.active - 1, block.first - 1, -1):
            w = work[s]
            for k in range(6):
                work[tree.parents[s]].F[k] += w.F[k]
            add_matrix6(w.M, parent.M)
            add_matrix6(w.N, parent.N)
            if loaded:
                add_matrix6(w.G, parent.G)


@inlined
def clear_wrenches(tree, work):
    """F = 0 at every point."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            for k in range(6):
                work[s].F[k] = 0.0


@inlined
def clear_operators(w):
    """F = M = N = G = 0."""
    for k in range(6):
        w.F[k] = 0.0
        for l in range(6):
            w.M[k, l] = 0.0
            w.N[k, l] = 0.0
            w.G[k, l] = 0.0


@inlined
def clear_pose_tangents(tree, work):
    """G = 0 at every point, if some load writes into it."""
    if has_wrenches(tree):
        clear_all_pose_tangents(tree, work)


@inlined
def clear_all_pose_tangents(tree, work):
    """G = 0 at every point."""
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            for k in range(6):
                for l in range(6):
                    work[s].G[k, l] = 0.0


@inlined
def loaded_force(tree, space, tree_handle, space_handle, q, v, sides, mode, out):
    """out = sum over segments of S^T F^C, minus stresses and joint forces: points' wrenches and loads, projected (14).

    Points have their own wrenches already (`point_wrenches`); loads of the given ``sides`` act in ``mode`` WRENCH, or
    one that has them write derivatives by an input (see core.loads).
    """
    apply_loads(tree, space, tree_handle, space_handle, q, v, sides, mode)
    accumulate_wrenches(tree, space.work)
    project_all(tree, space, out)
    project_stresses(tree, space, out)


@inlined
def add_field_forces(tree, space, out):
    """out += what the mass of soft bodies adds to the forces on their own coordinates."""
    for b in range(tree.blocks.shape[0]):
        if has_field(tree.blocks[b]):
            add_field_force(tree.blocks[b], tree.maps, space.maps, out)


@inlined
def project_all(tree, space, out):
    """out = sum over segments of S^T F^C (14)."""
    work = space.work
    for j in range(out.shape[0]):
        out[j] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_projection(address_of(tree), address_of(space), space, b, out)
            continue
        for i in range(block.active):
            w = work[block.first + i]
            project_wrench(tree, space, block, i, w.F, w, out)
