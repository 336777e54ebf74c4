"""Closed loops: a joint that closes a chain between two frames, held by multipliers.

The multipliers are a wrench perp lambda in frame B; on a it acts, on b its opposite.  It is fixed in B, so b sees no
change of it; a sees it turn with B relative to itself: dF = adbar*_F (zeta_b - zeta_a).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import shown
from supple.compilation.scene import Hinge, Place
from supple.core.arrays import space_view
from supple.core.inertia import add_coadbar
from supple.core.load_data import Floats, Integers, Poses, load_view
from supple.core.loads import CONSTRAINT, TANGENT, add_coupling
from supple.core.segment_gradients import add_frame_cotangent
from supple.errors import ModelError
from supple.jit import LoadKernel, SmoothGradientKernel, inner, local_array
from supple.joints.compound import Fixed
from supple.joints.factors import JointMap, generic_subspace
from supple.joints.protocol import Joint
from supple.lie.pose import check_pose
from supple.lie.se3 import Ad_inverse, Ad_transposed, add_coad, compose
from supple.robot.stations import as_station
from supple.robot.validate import check_joint

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

_rotation, _position, _wrench = local_array(3, 3), local_array(3), local_array(6)


class LoopData(NamedTuple):
    """Arrays of a loop of k rows; `core.loops` reads the same."""

    where: Integers  #: (1, 3) segment a, segment b, first multiplier
    perp: Floats  #: (6, k) constrained twists, in frame B
    offsets: Poses  #: (2,) frames A and B on their segments


loop_data = load_view(LoopData)


@inner
def loop_wrench(wb, frame, perp, multipliers, first, R, p, F):
    """F = Ad_gB^-T perp lambda, and the pose (R, p) of frame B."""
    local = _wrench()
    compose(wb.R, wb.p, frame.R, frame.p, R, p)
    for k in range(6):
        local[k] = 0.0
        for i in range(perp.shape[1]):
            local[k] += perp[k, i] * multipliers[first + i]
    # Ad_gB^-T: [R m + p x R f; R f]
    for i in range(3):
        F[3 + i] = R[i, 0] * local[3] + R[i, 1] * local[4] + R[i, 2] * local[5]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        F[i] = R[i, 0] * local[0] + R[i, 1] * local[1] + R[i, 2] * local[2]
        F[i] += p[j] * F[3 + k] - p[k] * F[3 + j]


def _loops(tree, space, data, mode):
    """Wrench Ad_gB^-T perp lambda of one loop, see `LoopData`."""
    if mode < 0:
        return
    scratch, loop = space_view(space), loop_data(data)
    where, perp, frame = loop.where, loop.perp, loop.offsets[1]
    wa, wb = scratch.work[where[0, 0]], scratch.work[where[0, 1]]
    R, p, F = _rotation(), _position(), _wrench()
    loop_wrench(wb, frame, perp, scratch.multipliers, where[0, 2], R, p, F)
    for k in range(6):
        wa.F[k] -= F[k]
        wb.F[k] += F[k]
    if mode == TANGENT and where[0, 0] > 0:
        add_coadbar(F, wa.G)
        if where[0, 1] > 0:
            coupling = add_coupling(scratch, where[0, 0], where[0, 1])
            for k in range(6):
                F[k] = -F[k]
            add_coadbar(F, coupling.G)


loops = LoadKernel(_loops)


def _loop_gradient(tree, space, data, own, everything):
    """Of the power -(z_a - z_b) . F of the multipliers: by perp and by frame B, with which F turns by ad*_pi F."""
    scratch, loop, out = space_view(space), loop_data(data), loop_data(own)
    where, perp, frame = loop.where, loop.perp, loop.offsets[1]
    wa, wb, first = scratch.work[where[0, 0]], scratch.work[where[0, 1]], where[0, 2]
    R, p, F, z, x, rho = _rotation(), _position(), _wrench(), _wrench(), _wrench(), _wrench()
    loop_wrench(wb, frame, perp, scratch.multipliers, first, R, p, F)
    for k in range(6):
        z[k], x[k] = wa.dS[k] - wb.dS[k], 0.0
    add_coad(z, F, x)
    Ad_transposed(R, p, x, rho)
    add_frame_cotangent(frame.R, rho, out.offsets[1])
    Ad_inverse(R, p, z, x)
    for k in range(6):
        for i in range(perp.shape[1]):
            out.perp[k, i] -= x[k] * scratch.multipliers[first + i]


loop_gradient = SmoothGradientKernel(_loop_gradient)


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint between two frames that closes a loop.

    Parameters
    ----------
    name : str
        For multipliers and messages.
    a, b : (link, pose) or (link, pose, s)
        Frames; the pose is in the link's tip frame, or in the frame at station ``s`` of a rod.  "world" is allowed.
    joint : Joint
        What the loop leaves free; `Fixed` welds.  Joints in series close a loop if they free all that one joint could
        (`Euler` the same as `Spherical`; displacements and a rotation in a plane, `Planar`); universal joints do not.

    Notes
    -----
    e = perp^T log(gB^-1 gA), A = perp^T (Ad_gBA J_A - J_B), in frame B.  Rows are the canonical twist axes that the
    joint does not free, in order (for oblique axes an orthonormal complement).
    """

    name: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    joint: Joint = field(default_factory=Fixed)

    def stations(self) -> Iterable[tuple[str, float]]:
        """Both frames."""
        return [frame_place(end, which)[:2] for end, which in ((self.a, "a"), (self.b, "b"))]

    def bind(self, binder: Binder) -> Bound:
        """Both frames and all rows; redundant ones are dropped later (`model.constraints`)."""
        from supple.compilation.binder import Bound, pose_records

        ends = [binder.station(*frame_place(end, which)) for end, which in ((self.a, "a"), (self.b, "b"))]
        if ends[0].segment == ends[1].segment:
            raise ModelError(f"a and b ({self.a[0]!r}, {self.b[0]!r}) move together: a loop needs two different bodies")
        check_joint(self.joint)
        perp = constrained_twists(self.joint)
        binder.couplings += 1
        where = np.array([[ends[0].segment, ends[1].segment, binder.loop(self.name, perp.shape[1])]], dtype=np.int64)
        data = LoopData(where, perp, pose_records([e.offset for e in ends]))
        return Bound(self.name, loops, data, CONSTRAINT, gradient=loop_gradient)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A mark where the two frames are joined."""
        ends = (self.a, "a"), (self.b, "b")
        return [Hinge(self.name, tuple(Place(*frame_place(end, which)) for end, which in ends))]


def frame_place(end: tuple[Any, ...], which: str) -> tuple[str, float, np.ndarray]:
    """(link, s, pose) of what a user gives for a frame; s is the tip if omitted."""
    if isinstance(end, str):
        return end, 1.0, np.eye(4)
    if not isinstance(end, (tuple, list)) or len(end) not in (1, 2, 3):
        raise ModelError(f"{which} is {shown(end)}, must be (link, pose) or (link, pose, s)")
    pose = check_pose(end[1], f"{which}: pose") if len(end) > 1 else np.eye(4)
    return end[0], as_station(end[2], f"{which}: s") if len(end) == 3 else 1.0, pose


_COUNT = {2: "two", 3: "three", 4: "four"}


def _is_group(free: np.ndarray) -> bool:
    """Whether motions with these screws (6, k) can be done one after the other and stay of their kind.

    Their span must be closed under the Lie bracket: then products of exponentials are those of one exponential, as of
    three rotations (Euler angles), or two displacements and a rotation in a plane.
    """
    basis = np.linalg.qr(free)[0]
    for x in basis.T:
        for y in basis.T:
            bracket = np.concatenate([np.cross(x[:3], y[:3]), np.cross(x[3:], y[:3]) + np.cross(x[:3], y[3:])])
            if np.abs(bracket - basis @ (basis.T @ bracket)).max() > 1e-9:
                return False
    return True


def constrained_twists(joint: Joint) -> np.ndarray:
    """Orthonormal basis (6, k) of the twists a joint does not free: canonical axes where possible."""
    factors: tuple[Any, ...] = joint.factors()
    if any(isinstance(factor, JointMap) for factor in factors):
        raise ModelError(
            f"{type(joint).__name__} follows a spline, along which a loop has a coordinate of its own: add a link with "
            "that joint (a small mass will do) and weld it with a loop"
        )
    free = generic_subspace(factors) if len(factors) > 1 else np.hstack([np.zeros((6, 0)), *factors])
    if len(factors) > 1 and not _is_group(free):
        raise ModelError(
            f"{type(joint).__name__} is {_COUNT.get(len(factors), len(factors))} joints in series: close the loop with "
            "one of them"
        )
    columns: list[np.ndarray] = []
    basis = list(np.linalg.qr(free)[0].T) if free.shape[1] else []
    for axis in np.eye(6):
        rest = axis - sum((np.dot(axis, x) * x for x in (*basis, *columns)), np.zeros(6))
        size = float(np.linalg.norm(rest))
        if size > 1e-6:
            columns.append(rest / size)
    if not columns:
        raise ModelError(f"{type(joint).__name__} frees everything: such a loop constrains nothing")
    perp = np.array(columns).T
    perp[np.abs(perp) < 1e-15] = 0.0
    return np.ascontiguousarray(perp)
