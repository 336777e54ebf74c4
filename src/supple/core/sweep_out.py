"""Sweep outward: poses, twists and accelerations of all points ([GVS-AD] 22, 28 in world axes).

Everything is expressed in world axes about one *common origin*, so nothing is transformed between frames and the
paper's cumulative quantities (.)^B become plain sums.  The origin is put at the end of the robot's first segment:
far from the world's origin, products with p would otherwise cancel (4e-12 at 100 m, 5e-8 at 10 km).
Gravity is a base acceleration -G.
"""

from __future__ import annotations

from supple.core.blocks.kinds import by_fours, end_motion, end_pose
from supple.core.rod_calls import rod_outward
from supple.core.views import address_of
from supple.jit import inlined
from supple.lie.se3 import compose


@inlined
def start_pose(previous, placement, at_base, w):
    """g_start = g of the previous segment's end, times the block's placement at the block's base."""
    if at_base:
        compose(previous.R, previous.p, placement.R, placement.p, w.R0, w.p0)
    else:
        for i in range(3):
            for j in range(3):
                w.R0[i, j] = previous.R[i, j]
            w.p0[i] = previous.p[i]


@inlined
def set_world(gravity, world):
    """Segment 0: at rest at the world's origin, accelerated by -G."""
    for i in range(3):
        for j in range(3):
            world.R[i, j] = 1.0 if i == j else 0.0
        world.p[i] = 0.0
        world.V[i], world.V[3 + i] = 0.0, 0.0
        world.A[i], world.A[3 + i] = 0.0, -gravity[i]


@inlined
def set_origin(tree, q, v, a, space):
    """Move the common origin to the end of the first segment: the world's own position becomes minus that."""
    block, work = tree.blocks[0], space.work
    w = work[block.first]
    start_pose(work[0], tree.placement[0], True, w)
    end_pose(tree, space, block, 0, q, v, a, 0, w)
    for i in range(3):
        work[0].p[i] = -w.p[i]


@inlined
def sweep_out(tree, q, v, a, space, order):
    """Pose, V, A of every active segment's end; world tangent operators up to time derivative ``order`` (0, 1 or 2).

    Segments of rods have operators of their own where they begin; only if ``order`` is 2, they have them in world axes.
    """
    work = space.work
    set_world(tree.gravity, work[0])
    set_origin(tree, q, v, a, space)
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if by_fours(block):
            rod_outward(address_of(tree), address_of(space), space, b, q, v, a, order)
            continue
        for i in range(block.active):
            w = work[block.first + i]
            previous = work[tree.parents[block.first + i]]
            start_pose(previous, tree.placement[b], tree.parents[block.first + i] == block.parent, w)
            end_pose(tree, space, block, i, q, v, a, order, w)
            end_motion(tree, space, block, i, v, a, order, previous, w)
