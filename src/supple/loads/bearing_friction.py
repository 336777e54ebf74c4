"""Friction of bearings and guides that follows what they carry, the reaction of the joint ([REDMAX] 2.11).

The reaction W of a joint is the sum of inertia less loads over all that moves with its link.  What it presses with is

    N = sqrt(|f|^2 + |m_across|^2 / arm^2)   of a revolute joint,
    N = sqrt(|f_across|^2 + |m|^2 / arm^2)   of a prismatic one

(f, m: force and moment of W about the frame after the joint; "across" its axis).  Friction of the size mu r N, or mu N,
would need N at the accelerations that it changes itself.  So it follows N with a lag, z' = (N - z) / T, and acts by z:

    Q = -mu r z v / sqrt(v^2 + e^2).

With z a state of the load the equations stay smooth and explicit in what they feel, and solvers treat them as they do
any others.  The wrench on the link is Q along the axis, its opposite on the parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from supple.checks import nonnegative_float, positive_float
from supple.core.arrays import space_view, tree_view
from supple.core.load_data import Columns, Floats, Integers, Poses, load_view
from supple.core.loads import EXTERNAL, TANGENT, WRENCH
from supple.errors import ModelError
from supple.jit import LoadKernel, inner, local_array
from supple.lie.se3 import Ad_inverse
from supple.loads.frames import carry_operator, carry_wrench
from supple.loads.user.kernels import frame_of, pair_tangent

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound

_rotation, _position, _six, _matrix = local_array(3, 3), local_array(3), local_array(6), local_array(6, 6)


class BearingData(NamedTuple):
    """Arrays of one bearing."""

    ends: Integers  #: (2, 1) segments: of the joint's end, and of the parent
    numbers: Integers  #: (1, 3) whether the joint turns, signals of z and z'
    law: Annotated[Floats, Columns(coefficient="", radius="m", arm="m", lag="s", slip_velocity="")]  #: (1, 5)
    axis: Annotated[Floats, Columns(x="", y="", z="")]  #: (1, 3) in the frame after the joint
    offsets: Poses  #: (2,)


bearing_data = load_view(BearingData)


@inner
def transmitted(tree, space, segment, W):
    """W (6,) = sum of F over the segment and all that hangs on it, about the common origin."""
    for k in range(6):
        W[k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            above = s
            while above > segment:  # parents come before children
                above = tree.parents[above]
            if above == segment:
                for k in range(6):
                    W[k] += space.work[s].F[k]


@inner
def pressing(W, R, p, axis, turns, arm):
    """N = sqrt(|f|^2 + |m_across|^2 / arm^2) of a revolute joint (``turns``), with f_across and m of another.

    [m; f] is the reaction W, given about the common origin, at the frame (R, p); without an ``arm`` (0) moments do not
    press.
    """
    f2, m2, along_f, along_m = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        force, moment = 0.0, 0.0
        for j in range(3):
            k, l = (j + 1) % 3, (j + 2) % 3
            force += R[j, i] * W[3 + j]
            moment += R[j, i] * (W[j] - p[k] * W[3 + l] + p[l] * W[3 + k])
        f2, m2 = f2 + force * force, m2 + moment * moment
        along_f, along_m = along_f + axis[i] * force, along_m + axis[i] * moment
    if turns:
        m2 -= along_m * along_m
    else:
        f2 -= along_f * along_f
    lever = m2 / (arm * arm) if arm > 0.0 else 0.0
    return math.sqrt(max(f2 + lever, 0.0))


def _bearing(tree, space, data, mode):
    """Friction of one bearing, see `BearingData`; it is called after all other loads, whose wrenches it sums."""
    if mode != WRENCH and mode != TANGENT:
        return
    scratch, own = space_view(space), bearing_data(data)
    sa, sb, turns, law, axis = own.ends[0, 0], own.ends[1, 0], own.numbers[0, 0] == 1, own.law[0], own.axis[0]
    Ra, pa, Rb, pb, W, eta = _rotation(), _position(), _rotation(), _position(), _six(), _six()
    frame_of(scratch, sa, own.offsets[0], Ra, pa)
    frame_of(scratch, sb, own.offsets[1], Rb, pb)
    transmitted(tree_view(tree), scratch, sa, W)
    N = pressing(W, Ra, pa, axis, turns, law[2])
    z = scratch.signals[own.numbers[0, 1]]
    scratch.signals[own.numbers[0, 2]] = (N - z) / law[3]
    wa, wb, first = scratch.work[sa], scratch.work[sb], 0 if turns else 3
    for k in range(6):
        W[k] = wa.V[k] - wb.V[k]
    Ad_inverse(Ra, pa, W, eta)
    v = axis[0] * eta[first] + axis[1] * eta[first + 1] + axis[2] * eta[first + 2]
    size, r = law[0] * z * (law[1] if turns else 1.0), math.sqrt(v * v + law[4] * law[4])
    for k in range(6):
        eta[k] = 0.0
    for k in range(3):
        eta[first + k] = -size * v / r * axis[k]
    wrench = carry_wrench(Ra, pa, eta)
    for k in range(6):  # action and reaction
        W[k] = wrench[k]
        wa.F[k] -= W[k]
        wb.F[k] += W[k]
    if mode == TANGENT:
        bearing_tangent(scratch, sa, sb, Ra, pa, axis, first, size * law[4] * law[4] / (r * r * r), W)


@inner
def bearing_tangent(space, sa, sb, Ra, pa, axis, first, slope, F):
    """dF = s e e^T eta, the wrench on a by the twist eta of b relative to a; e is the axis, s the ``slope``.

    In the axes of the frame (Ra, pa), e in the three rows from ``first`` on; from there into both segments and their
    couplings (`loads.user.kernels`).
    """
    H, X, Y = _matrix(), _matrix(), _matrix()
    for i in range(6):
        for j in range(6):
            H[i, j], X[i, j] = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            H[first + i, first + j] = slope * axis[i] * axis[j]
    carry_operator(Ra, pa, H, Y)
    pair_tangent(space, sa, sb, X, Y, F, space.work[sb].V)


bearing = LoadKernel(_bearing)


@dataclass(frozen=True, eq=False)
class BearingFriction:
    """Friction of a revolute or prismatic joint in proportion to what its bearing carries.

    Parameters
    ----------
    name : str
        For messages and reports; of its internal state, too.
    link : str
        The link whose joint rubs.
    coefficient : float
        Coefficient mu of Coulomb friction.
    radius : float, optional
        Of the bearing of a revolute joint, m; a prismatic joint has none.
    arm : float, optional
        Distance of the two halves of the bearing, m, over which it carries moments; omitted: moments do not press.
    lag : float
        Time T in s over which friction follows the reaction.
    slip_velocity : float
        Rate at which friction has reached 71 % of its size, rad/s or m/s.
    start : float
        What the bearing carries at the beginning, N.

    Notes
    -----
    The normal force N is the root of f^2 + m^2 / arm^2, with the force and moment of the joint's whole reaction
    (`Model.reaction`): inertia, gravity, loads, loops and drives, without the part along the axis in which the joint is
    free. It is followed by a internal state z of the robot, z' = (N - z) / lag, and friction has the size mu radius z
    (mu z of a prismatic joint). Friction of a given size is part of joints, see `Friction`.

    *Relation to bilateral staggered projections* [REDMAX, 2.11]: these go back and forth within a step of given length,
    between the joints' reactions for given friction and friction bounded by these reactions, until both agree, with
    inequalities of sticking. Here the same two halves are coupled in time instead of by iteration: for lag -> 0 and
    slip_velocity -> 0 solutions near theirs, while every lag keeps the equations smooth, for any method and gradient.
    A joint that sticks creeps, by the slip velocity times the share of friction that holds it.
    """

    name: str
    link: str
    coefficient: float
    radius: float | None = None
    arm: float | None = None
    lag: float = 0.01
    slip_velocity: float = 1e-3
    start: float = 0.0

    def stations(self) -> Iterable[tuple[str, float]]:
        """The link."""
        return [(self.link, 0.0)]

    def bind(self, binder: Binder) -> Bound:
        """The joint's two sides, its axis and the state."""
        from supple.compilation.binder import Bound, pose_records

        axis, turns = self._axis(binder)
        layout = binder.layout(self.link)
        parent, placement = binder.bases[layout.blocks[0]]
        own = layout.segments[0] if len(layout.blocks) == 1 else binder.bases[layout.blocks[1]][0]
        start = nonnegative_float(self.start, "start", "N")
        z, rate = binder.states([f"{self.name}.load"], np.array([start]))
        binder.couplings += 2
        law = [
            nonnegative_float(self.coefficient, "coefficient"),
            positive_float(self.radius, "radius", "m") if turns else 1.0,
            0.0 if self.arm is None else positive_float(self.arm, "arm", "m"),
            positive_float(self.lag, "lag", "s"),
            positive_float(self.slip_velocity, "slip_velocity"),
        ]
        data = BearingData(
            ends=np.array([[own], [parent]], dtype=np.int64),
            numbers=np.array([[turns, z, rate]], dtype=np.int64),
            law=np.array([law]),
            axis=axis.reshape(1, 3),
            offsets=pose_records([np.eye(4), placement]),
        )
        return Bound(self.name, bearing, data, EXTERNAL, late=True)

    def _axis(self, binder: Binder) -> tuple[np.ndarray, bool]:
        """Axis (3,) of the joint, and whether it turns about it."""
        joint = binder.robot_link(self.link).joint
        factors = joint.factors()
        screws = factors[0] if len(factors) == 1 and isinstance(factors[0], np.ndarray) else np.zeros((6, 0))
        if screws.shape[1] != 1 or (screws[:3].any() and screws[3:].any()):
            raise ModelError(
                f"the joint of link {self.link!r} is {type(joint).__name__}, must be Revolute or Prismatic; others "
                "have friction of a given size (friction=)"
            )
        turns = bool(screws[:3].any())
        if turns and self.radius is None:
            raise ModelError("radius is missing: friction of a revolute joint acts at the radius of its bearing")
        if not turns and self.radius is not None:
            raise ModelError(f"radius is {self.radius!r}, but a prismatic joint has none: leave it out")
        return (screws[:3, 0] if turns else screws[3:, 0]).copy(), turns
