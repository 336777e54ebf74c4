"""Poses, twists, Jacobians: the outward sweep alone ([GVS-AD] 2, 22a, 28a)."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.kinds import end_pose
from supple.core.finite import finite_matrix
from supple.core.outward import outward_with_columns
from supple.core.records import J_END, R_END
from supple.core.sweep_out import set_world, start_pose
from supple.jit import inlined, inner, kernel, local_array
from supple.lie.se3 import Ad_inverse, add_ad

_twist, _position, _row = local_array(6), local_array(3), local_array(4)


@inner
def write_pose(R, p, g):
    """g (4, 4) = [R p; 0 1]."""
    for i in range(3):
        for j in range(3):
            g[i, j] = R[i, j]
        g[i, 3] = p[i]
        g[3, i] = 0.0
    g[3, 3] = 1.0


@kernel
def point_poses(tree_handle, space_handle, q, zero, starts, ends):
    """World poses of the start and of the end of every segment, each (1 + n_segments, 4, 4)."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    work = space.work
    set_world(tree.gravity, work[0])
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.count):
            s = block.first + i
            w = work[s]
            start_pose(work[tree.parents[s]], tree.placement[b], tree.parents[s] == block.parent, w)
            end_pose(tree, space, block, i, q, zero, zero, 0, w)
            write_pose(w.R0, w.p0, starts[s])
            write_pose(w.R, w.p, ends[s])


@kernel
def chain_end(tree_handle, space_handle, q, v, a, pose, motion, J, Jd):
    """End of a chain of blocks: pose (4, 4), body twist and its rate (2, 6), body Jacobian and its rate (6, n).

    In world axes J^ = sum S^ and dJ^/dt = sum R^; in the body frame J = Ad^-1 J^ and dJ/dt = Ad^-1 (dJ^/dt - ad_V J^).
    Returns whether all are finite.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    blocks, work, totals = tree.blocks, space.work, space.totals
    outward_with_columns(tree_handle, space_handle, space, q, v, a, 0.0, 0.0)
    last = blocks[blocks.shape[0] - 1]
    w = work[last.first + last.count - 1]
    J[:], Jd[:] = 0.0, 0.0
    for b in range(blocks.shape[0]):
        for j in range(blocks[b].start, blocks[b].start + blocks[b].n):
            body_column(w, totals, j, J, Jd)
    Ad_inverse(w.R, w.p, w.V, motion[0])
    Ad_inverse(w.R, w.p, w.A, motion[1])
    position = _position()
    for i in range(3):
        position[i] = w.p[i] - work[0].p[i]
    write_pose(w.R, position, pose)
    finite = finite_matrix(pose, _row()) and finite_matrix(motion, _twist())
    return finite and finite_matrix(J, space.tangent[0]) and finite_matrix(Jd, space.tangent[0])


@inlined
def body_column(w, totals, j, J, Jd):
    """Columns j of J = Ad^-1 J^ and dJ/dt = Ad^-1 (dJ^/dt - ad_V J^), from the world columns J^ and dJ^/dt."""
    world, rate, turning, body = _twist(), _twist(), _twist(), _twist()
    for k in range(6):
        world[k] = totals[J_END, k, j]
        turning[k] = 0.0
    add_ad(w.V, world, turning)
    for k in range(6):
        rate[k] = totals[R_END, k, j] - turning[k]
    Ad_inverse(w.R, w.p, world, body)
    for k in range(6):
        J[k, j] = body[k]
    Ad_inverse(w.R, w.p, rate, body)
    for k in range(6):
        Jd[k, j] = body[k]
