"""What arrays are made of: records for blocks, segments, poses, and their scratch.

A robot is a tree of *blocks* of coordinates: one per joint factor, one per rod.  A block is made of *segments*:
one for a joint, one per Magnus step for a rod, in a chain; the frames of a soft body, in a star (any segment may begin
at any earlier one's end).
Each segment ends in one *point*, which may carry inertia.
Segment 0 is the world.  Records have one fixed layout for all robots, so no robot ever compiles anything.

Columns: the kinematic columns (S, J, R, Q; see `core.columns`) of all segments are stored side by side in arrays of
shape (6, n_columns); segment ``first + i`` of a block owns columns ``columns + i * n`` to ``columns + (i + 1) * n``.
"""

from __future__ import annotations

import numpy as np

#: How many segments of a rod are swept at once, as many as `supple.jit.lanes` has numbers.
LANES = 4

#: Rows of Space.columns: a segment's own motion subspace, and the sums J, R, Q inside its block (`core.columns`).
S_OWN, J_SUM, R_SUM, Q_SUM = 0, 1, 2, 3
#: Rows of Space.totals: J, R, Q at a block's end; the sums U_q, U_v that it hands inward; N^T J, M^T J, G^T J; and M J
#: where M is not symmetric (`core.inverse_dynamics_derivatives`).
J_END, R_END, Q_END, U_Q, U_V, NJ, MJ, GJ, U_A = 0, 1, 2, 3, 4, 5, 6, 7, 8

#: Kinds of blocks (`block_t.kind`).
SCREW, EXPONENTIAL, ROD, CUSTOM, BODY = 0, 1, 2, 3, 4
# SCREW:        joint whose screws commute (all 1-dof joints, cylindrical, translational, fixed): S = Phi is constant.
# EXPONENTIAL:  joint whose screws do not commute (planar, spherical, free): S = T(Phi q) Phi.
# ROD:          Magnus steps of a strain-parametrised rod: S = T(Omega) Z.
# CUSTOM:       any smooth map g(q), with S(q), dS/dq by a compiled function that is called by its address.
# BODY:         a soft body of any kinematics: a field of mass, and frames that the same coordinates move.
# What each of them does is in `core.blocks`, a file per kind; `core.blocks.kinds` alone asks which one a block is.
# Python asks below.


def has_chart(blocks: np.ndarray) -> np.ndarray:
    """Of which blocks the coordinates are exponential coordinates in a chart: (B,) booleans."""
    return np.asarray(blocks["kind"] == EXPONENTIAL)


def is_map(blocks: np.ndarray) -> np.ndarray:
    """Which blocks move by a compiled map: (B,) booleans."""
    return np.asarray((blocks["kind"] == CUSTOM) | (blocks["kind"] == BODY))


def has_star(blocks: np.ndarray) -> np.ndarray:
    """Which blocks have segments that all begin at its base: (B,) booleans."""
    return np.asarray(blocks["kind"] == BODY)


def is_rod(blocks: np.ndarray) -> np.ndarray:
    """Which blocks are rods: (B,) booleans."""
    return np.asarray(blocks["kind"] == ROD)


block_t = np.dtype(
    [
        ("kind", "i8"),
        ("start", "i8"),  # first coordinate
        ("n", "i8"),  # number of coordinates
        ("first", "i8"),  # first segment
        ("count", "i8"),  # number of segments
        ("active", "i8"),  # segments that dynamics must visit: not a leaf rod's massless tip, nor dormant stations
        ("parent", "i8"),  # segment at whose end the block begins; 0 = world
        ("columns", "i8"),  # first column of the block's first segment
        ("runs", "i8", (7,)),  # a rod's coordinates of strain component k are runs[k] to runs[k + 1], from its first
        ("inward", "i8", (2,)),  # rows of `ranges`: coordinates of all blocks before this one
        ("outward", "i8", (2,)),  # rows of `ranges`: of all blocks after this one (and of a joint itself)
        ("apart", "i8", (2,)),  # rows of `ranges`: of all others, which this block never feels
        ("grafts", "i8", (2,)),  # rows of `ranges`: of rods that it leaves before their tips (see core.grafts)
        ("map", "i8"),  # row of Tree.maps of a CUSTOM or BODY block, its own; no meaning for others
    ],
    align=True,
)

segment_t = np.dtype(
    [
        ("half", "f8"),  # h/2, half the length of the Magnus step [m]
        ("bracket", "f8"),  # sqrt(3) h^2/12 (fourth order) or 0 (second order) [m^2]
        ("rest", "f8", (2, 6)),  # rest strain at the two collocation points
        ("inertia", "f8", (6, 6)),  # of the end point, about its frame, quadrature weight and added mass included
        ("net_mass", "f8", (4,)),  # mass and first moment on which gravity does work: dry, less displaced fluid
    ],
    align=True,
)

pose_t = np.dtype([("R", "f8", (3, 3)), ("p", "f8", (3,))], align=True)

#: A station of a rod where strain is looked at (Gauss nodes first, then those that loads ask for).
node_t = np.dtype(
    [
        ("start", "i8"),  # first coordinate of the rod
        ("n", "i8"),  # number of its coordinates
        ("column", "i8"),  # first column of the node in `psi`
        ("rest", "f8", (6,)),  # rest strain
    ],
    align=True,
)

#: Scratch per node: strain and its rate; generalised stress of loads and its derivatives by both; a virtual strain and
#: the cotangents of strain and rate (`core.load_gradients`).
stress_t = np.dtype(
    [
        ("xi", "f8", (6,)),
        ("xid", "f8", (6,)),
        ("f", "f8", (6,)),
        ("E", "f8", (6, 6)),
        ("C", "f8", (6, 6)),
        ("eta", "f8", (6,)),
        ("xi_bar", "f8", (6,)),
        ("xid_bar", "f8", (6,)),
    ],
    align=True,
)

#: How a load on segment ``a`` feels the motion of segment ``b``: dF_a = G J_b dq + N (R_b dq + J_b dv);
#: or, if ``b`` is negative, the strain at node -(b + 1): dF_a = G dxi.
coupling_t = np.dtype(
    [("a", "i8"), ("b", "i8"), ("G", "f8", (6, 6)), ("N", "f8", (6, 6))],
    align=True,
)

#: A line (cable, elastic tendon) whose tension follows its length, T(l, l'); its parts are consecutive in Space.parts.
line_t = np.dtype(
    [
        ("first", "i8"),
        ("count", "i8"),
        ("length", "f8"),  # l
        ("rate", "f8"),  # l'
        ("tension", "f8"),
        ("slope", "f8"),  # dT/dl
        ("rate_slope", "f8"),  # dT/dl'
    ],
    align=True,
)

#: How a line's length follows one segment or node: dl = f . zeta, dl' = f . zeta' + drift . zeta; zeta is the segment's
#: variation J dq, or the node's dxi, or dq of six coordinates themselves.
part_t = np.dtype(
    [
        ("segment", "i8"),  # -1 at a node; -(1 + i) at coordinates i, i + 1, ..., where the node is -1 too
        ("node", "i8"),  # -1 at a segment
        ("f", "f8", (6,)),
        ("drift", "f8", (6,)),
    ],
    align=True,
)

#: Scratch per segment.  World axes, twists and wrenches about the common origin (see `core.sweep_out`).
work_t = np.dtype(
    [
        ("R0", "f8", (3, 3)),  # pose of the segment's start
        ("p0", "f8", (3,)),
        ("R", "f8", (3, 3)),  # pose of its end point
        ("p", "f8", (3,)),
        ("xi", "f8", (3, 2, 6)),  # strain, its rate and acceleration at the two collocation points
        ("jet", "f8", (3, 6)),  # Omega and its first two time derivatives
        ("T", "f8", (3, 2, 3, 3)),  # Ad_g T and its first two time derivatives, dual matrices
        ("V", "f8", (6,)),  # twist of the end point
        ("A", "f8", (6,)),  # its time derivative, minus gravity
        ("h", "f8", (6,)),  # momentum M V
        ("F", "f8", (6,)),  # wrench; after the sweep in: resultant of all points from here outward
        ("M", "f8", (6, 6)),  # inertia; after the sweep in, a block's last point includes its children
        ("N", "f8", (6, 6)),  # dF/dV, likewise
        ("G", "f8", (6, 6)),  # dF/d(pose) of loads, likewise
        ("dV", "f8", (6,)),  # contracted variations (`core.tangent_products`)
        ("dA", "f8", (6,)),
        ("dF", "f8", (6,)),
        ("dS", "f8", (6,)),
        ("dZ", "f8", (6,)),
        ("awake", "i8"),  # what is known of a dormant station (`core.dormant`)
    ],
    align=True,
)


def _of_four(**fields: tuple[int, ...]) -> np.dtype:
    """Floats of four segments: fields of these shapes, with one more dimension that counts segments."""
    return np.dtype([(name, "f8", (*shape, LANES)) for name, shape in fields.items()])


#: What stands in `segment_t` of four segments of a rod; ``inside`` is 1, but 0 behind its last segment.
four_segments_t = _of_four(half=(), bracket=(), rest=(2, 6), inertia=(6, 6), inside=())

#: Scratch of four steps of a rod, as seen from where each begins.
four_steps_t = _of_four(
    xi=(3, 2, 6),  # strain, its rate and acceleration at the two collocation points
    jet=(3, 6),  # Omega and its first two time derivatives
    R=(3, 3),  # exp(Omega), the pose of the end
    p=(3,),
    T=(3, 2, 3, 3),  # T(Omega) and its first two time derivatives, dual matrices
    twist=(6,),  # T Omega', how the end moves
    rate=(6,),  # its time derivative, T Omega'' + T' Omega'
)

#: The same of their ends, or starts, in world axes; fields follow one another as in `work_t`.
four_points_t = _of_four(R=(3, 3), p=(3,), V=(6,), A=(6,), h=(6,), F=(6,), M=(6, 6), N=(6, 6))

#: What stands of a step in `work_t`, likewise.
four_operators_t = _of_four(xi=(3, 2, 6), jet=(3, 6), T=(3, 2, 3, 3))
