"""Sweep outward: poses, twists and accelerations of all points ([GVS-AD] 22, 28 in world axes).

Everything is expressed in world axes about one *common origin*, so nothing is transformed between frames and the
paper's cumulative quantities (.)^B become plain sums.  The origin is put at the end of the robot's first segment:
far from the world's origin, products with p would otherwise cancel (4e-12 at 100 m, 5e-8 at 10 km).
Gravity is a base acceleration -G.
"""

from __future__ import annotations

from supple.core.records import ROD, SCREW
from supple.core.segment import curved_motion, end_pose, joint_jet, magnus_jet, screw_motion, start_pose, strain_jet
from supple.jit import inlined


@inlined
def segment_jet(tree, block, i, q, v, a, w):
    """Omega(t) of the i-th segment of a block: from its screws, or from its strains by a Magnus step."""
    if block.kind == ROD:
        segment = tree.segments[block.first + i]
        strain_jet(block, segment, block.columns + i * block.n, tree.phi, tree.component, q, v, a, w.xi)
        magnus_jet(segment, w.xi, w.jet)
    else:
        joint_jet(block, tree.screws, q, v, a, w.jet)


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
def set_origin(tree, q, v, a, work, t):
    """Move the common origin to the end of the first segment: the world's own position becomes minus that."""
    block = tree.blocks[0]
    w = work[block.first]
    segment_jet(tree, block, 0, q, v, a, w)
    start_pose(work[0], tree.placement[0], True, w)
    end_pose(w, t)
    for i in range(3):
        work[0].p[i] = -w.p[i]


@inlined
def sweep_out(tree, q, v, a, space, order):
    """Pose, V, A of every active segment's end; world tangent operators up to time derivative ``order`` (0, 1 or 2)."""
    work, t = space.work, space.scratch[0]
    set_world(tree.gravity, work[0])
    set_origin(tree, q, v, a, work, t)
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            previous = work[tree.parents[block.first + i]]
            segment_jet(tree, block, i, q, v, a, w)
            start_pose(previous, tree.placement[b], tree.parents[block.first + i] == block.parent, w)
            end_pose(w, t)
            if block.kind == SCREW:
                screw_motion(previous, w, t)
            else:
                curved_motion(previous, w, order, t)
