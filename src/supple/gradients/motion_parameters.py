"""What the parameters of a design do to a motion: cotangents of all its stages, of how it begins, and of its results.

Every stage adds to one set of sums (`solvers.sensitivity.stage_products.add_parameters`), with the other sign; laws of
time are pulled back stage by stage.  Poses and energies depend on parameters also where the state stands still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core import parameter_gradient as _sweep
from supple.errors import StateError
from supple.gradients.closing import closed_by_parameter
from supple.gradients.effort_frames import efforts_by_parameter
from supple.gradients.parameter_sums import ParameterSums
from supple.gradients.parameters import NO_ROWS, energies_by_parameter, pull_back_poses
from supple.solvers.sensitivity.arrays import BUNDLE_AT, MET, PARAMETERS_AT, SweepArrays

if TYPE_CHECKING:
    from supple.gradients.feedback_slopes import StageState
    from supple.gradients.motion_outputs import Outputs
    from supple.gradients.motion_start import StartTangents
    from supple.model.model import Model
    from supple.solvers.inputs import Excitation

Array = np.ndarray


class MotionParameters:
    """Cotangents of the parameters of a model's design, summed along a motion.

    Attributes
    ----------
    sums : ParameterSums
        Minus those of all numbers of the model.
    bar : (count,)
        Those that came by laws of time and by results directly.
    """

    def __init__(self, model: Model) -> None:
        point = model.design
        assert point is not None
        self.model, self.point, self.sums = model, point, ParameterSums(model)
        self.bar = np.zeros(point.design.size)
        self._others: Array | None = None

    @property
    def follows(self) -> bool:
        """Whether stages must ask for controllers and internal states."""
        return self.point.feedback.any

    def joined(self, arrays: SweepArrays, stages: int, charted: bool) -> SweepArrays:
        """The arrays of a sweep, which then adds to the sums; room for so many stages."""
        functions = self.model.workspace.functions
        arrays.calls[PARAMETERS_AT], arrays.calls[BUNDLE_AT] = functions.parameters, self.sums.address
        changes: dict[str, Array] = {}
        if self.point.laws.loads:
            changes["signal_sums"] = self.sums.signals
            changes["signals"] = np.zeros((stages, len(self.sums.signals)))
        if self.point.laws.joints:
            changes["motions"] = np.zeros((stages, 3, len(self.model.fixed_coordinates)))
        if charted:
            changes["placement_sums"] = self._own_charts()
        return arrays._replace(**changes)

    def _own_charts(self) -> Array:
        """Sums by places of joints, emptied: a piece is swept from charts of its own to those of the model."""
        sums = self.sums.arrays.placement
        self.add_charts()
        self._others = sums.copy()
        sums["R"], sums["p"] = 0.0, 0.0
        return np.asarray(sums)

    def add_charts(self) -> None:
        """A piece has come back to the model's charts: its sums by places join those of the pieces behind it."""
        others, self._others = self._others, None
        if others is not None:
            for name in ("R", "p"):
                self.sums.arrays.placement[name] += others[name]

    def take_laws(self, arrays: SweepArrays) -> None:
        """Pull cotangents of laws of time back, of the stages that were met."""
        laws = self.point.laws
        for k in range(int(arrays.counts[MET]) if laws.parameters else 0):
            signals = arrays.signals[k] if laws.loads else self.sums.signals
            joints = arrays.motions[k] if laws.joints else None
            self.bar += laws.pulled_back(float(arrays.times[k]), signals, joints)

    def follow(self, excitation: Excitation, arrays: SweepArrays, met: int, sampled: bool, at: StageState) -> None:
        """The share of controllers and of internal states in the stage that was met."""
        if not sampled:
            self.add_inputs(excitation, arrays.inputs[met], at.t, at.q, at.v, at.z)
        if len(at.z):
            self.bar += arrays.state_rates @ self.point.feedback.rates(at)

    def add_inputs(self, excitation: Excitation, u_bar: Array, t: float, q: Array, v: Array, z: Array) -> None:
        """Cotangents (nu,) of inputs that controllers give."""
        if self.point.feedback.controllers:
            self.bar += u_bar @ self.point.feedback.outputs(excitation, t, q, v, z)

    def add_first_states(self, z_bar: Array) -> None:
        """Of internal states at the beginning, (nz,)."""
        self.bar += z_bar @ self.point.feedback.first_states

    def add_rest(self, q_bar: Array) -> None:
        """Of the coordinates at rest (n,), from which a motion without q0 begins."""
        self.bar += q_bar @ self.point.rest_slopes

    def add_start(self, start: StartTangents, q_bar: Array, v_bar: Array, t: float) -> None:
        """How loops are closed and velocities made to fit, from cotangents (n,) of q (X^T v_bar included) and v."""
        model, zero = self.model, np.zeros(self.model.n)
        free, fixed, nc = model.free_coordinates, model.fixed_coordinates, model.nc
        if not nc:
            return
        by_error, rows = start.closing.T @ q_bar[free], np.zeros((3, nc))
        if start.steps:
            self.bar += q_bar @ closed_by_parameter(model, start.steps, start.q, t)
            by_error = np.zeros(nc)
        y = start.inverse.T @ np.concatenate([v_bar[free], np.zeros(nc)])
        push = np.zeros(model.n)
        push[free] = y[: len(free)]
        rows[0] = by_error
        self._add(start.q, zero, zero, zero, t, rows=rows)
        self._add(start.q, zero, start.change, push, t, start.multipliers)
        self._add(start.q, zero, zero, -push, t)
        rows[0], rows[1] = 0.0, y[len(free) :]
        self._add(start.q, start.v, zero, zero, t, rows=rows)
        if self.point.laws.joints:
            joints = np.zeros((3, len(fixed)))
            if not start.steps:
                joints[0] = (start.X.T @ v_bar)[fixed] - start.E[:, fixed].T @ by_error
            joints[1] = -start.M[:, fixed].T @ push - start.A[:, fixed].T @ rows[1]
            self.bar += self.point.laws.pulled_back(t, np.zeros_like(self.sums.signals), joints)

    def _add(
        self, q: Array, v: Array, a: Array, y: Array, t: float, lam: Array | None = None, rows: Array = NO_ROWS
    ) -> None:
        """Add the gradient of y . R + rows . (e, A v, A a + A' v), without inputs."""
        work = self.model.workspace
        space, handle = work.space(None, t, lam), self.sums.handle
        signals = self.sums.signals.copy()
        _sweep.parameter_gradient(work.functions.parameters, work.tree, space, q, v, a, y, rows, handle)
        if self.point.laws.loads:
            self.bar -= self.point.laws.pulled_back(t, self.sums.signals - signals)
        self.sums.signals[:] = signals

    def add_outputs(self, outputs: Outputs) -> None:
        """What results depend on where the state stands still."""
        motion = outputs.motion
        for (link, s), wrenches in outputs.poses:
            self.bar += pull_back_poses(self.model, link, s, motion.q, wrenches)
        if outputs.energy is not None:
            self.bar += outputs.energy @ energies_by_parameter(motion, outputs.energy != 0.0)
        if outputs.efforts is not None:
            for k in np.flatnonzero(outputs.efforts.any(axis=1)):
                slopes = efforts_by_parameter(self.model, motion.q[k], motion.efforts[k])
                self.bar += outputs.efforts[k] @ slopes

    def gradient(self, outputs: Outputs) -> dict[str, Any]:
        """By name, shaped as the parameters are, with what results depend on directly."""
        self.add_outputs(outputs)
        found = self.bar - self.sums.by_parameter()
        bad = np.flatnonzero(~np.isfinite(found))
        if bad.size:
            raise StateError(f"no derivatives: that by parameter {self.point.design.labels[bad[0]]!r} is not finite")
        return self.point.design.unpack(found)
