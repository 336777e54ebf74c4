"""Joints along splines: a frame that runs along a curve, or over a surface ([REDMAX] 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, flag, read_only, real_array, shown
from supple.core.records import pose_t
from supple.errors import ModelError
from supple.joints.factors import Factor, JointMap, logarithm, turn
from supple.joints.movable import MovableJoint
from supple.lie.pose import check_pose

#: Largest angle [rad] between neighbouring frames of a curve: at pi nobody knows which way round it goes.
MOST_TURN = 3.1


@final
@dataclass(frozen=True, eq=False)
class CurveJoint(MovableJoint):
    """Motion along a smooth curve of poses; q is the spline parameter, one unit per piece.

    The curve is the cumulative cubic B-spline of ``frames``: near them, not through them, and twice continuously
    differentiable, rotation included.  Piece k = floor(q), u = q - k, is

        g = C_k exp(b_1(u) d_{k+1}) exp(b_2(u) d_{k+2}) exp(b_3(u) d_{k+3}),      d_i = log(C_{i-1}^-1 C_i).

    Parameters
    ----------
    frames : (m, 4, 4)
        Poses in the joint frame, four at least; neighbours must turn by less than 3.1 rad.
    cyclic : bool
        Whether the curve closes: the first frame follows the last, and q goes round with period m.  If not, it has
        m - 3 pieces, q from 0 to m - 3; beyond its ends the first and the last piece go on (a cubic in q, smooth but
        soon far away): give ``limits=(0, m - 3)`` to hold the link on it.

    Notes
    -----
    A force along q (of a `JointDrive`, a spring, a limit) is a generalised force: power per unit of dq/dt, N m.
    """

    frames: Any
    cyclic: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", self._checked())
        flag(self.cyclic, "CurveJoint: cyclic")
        _ = self._map
        super().__post_init__()

    def _checked(self) -> Array:
        least = 3 if self.cyclic is True else 4
        try:
            count = len(self.frames)
        except TypeError:
            count = 0
        if isinstance(self.frames, str) or count < least:
            raise ModelError(f"CurveJoint: frames is {shown(self.frames)}, must be {least} poses (4, 4) or more")
        poses = [check_pose(g, f"CurveJoint: frames[{i}]") for i, g in enumerate(self.frames)]
        return read_only(np.array(poses))

    @cached_property
    def _map(self) -> JointMap:
        frames = self.frames
        records, steps = np.zeros(len(frames), pose_t), np.zeros((len(frames), 6))
        records["R"], records["p"] = frames[:, :3, :3], frames[:, :3, 3]
        for i in range(0 if self.cyclic else 1, len(frames)):
            step = np.linalg.inv(frames[i - 1]) @ frames[i]
            if turn(step) > MOST_TURN:
                raise ModelError(
                    f"CurveJoint: frames[{i}] is turned by {turn(step):.3g} rad from frames[{(i - 1) % len(frames)}], "
                    f"must be less than {MOST_TURN:g}: put one between them"
                )
            steps[i] = logarithm(step)
        closed = np.array([[int(self.cyclic)]], dtype=np.int64)
        return JointMap("curve", "CURVE", (records, steps, closed), np.array([0.4]))

    def factors(self) -> tuple[Factor, ...]:
        """The map along the curve."""
        return (self._map,)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("parameter",)


@final
@dataclass(frozen=True, eq=False)
class SurfaceJoint(MovableJoint):
    """Motion over a smooth surface, with the orientation that belongs to each of its points; q has two parameters.

    Position and orientation are six uniform cubic B-spline functions f_i of (q_1, q_2),

        g = Trans(f_0, f_1, f_2) Rx(f_3) Ry(f_4) Rz(f_5),       f_i = sum_ab B_a(q_1) values[i, a, b] B_b(q_2).

    Parameters
    ----------
    values : (6, rows, columns)
        Control values, m and rad: rows belong to q_1, columns to q_2; four of each at least.  q_1 runs from 0 to
        rows - 3, one unit per piece, q_2 likewise; beyond, the outermost pieces go on.

    Notes
    -----
    Forces along q are generalised forces, N m.
    """

    values: ArrayLike

    def __post_init__(self) -> None:
        values = real_array(self.values, "SurfaceJoint: values")
        if values.ndim != 3 or values.shape[0] != 6 or min(values.shape[1:]) < 4:
            raise ModelError(
                f"SurfaceJoint: values has shape {values.shape}, must be (6, rows, columns), four of each at least"
            )
        object.__setattr__(self, "values", read_only(finite_array(values, values.shape, "SurfaceJoint: values")))
        super().__post_init__()

    @cached_property
    def _map(self) -> JointMap:
        values = np.asarray(self.values)
        flat, width = np.ascontiguousarray(values.reshape(6, -1)), np.array([[float(values.shape[2])]])
        return JointMap("surface", "SURFACE", (flat, width), np.array([0.4, 0.6]))

    def factors(self) -> tuple[Factor, ...]:
        """The map over the surface."""
        return (self._map,)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("parameter_1", "parameter_2")
