"""A direction of the parameters of a design, pushed forward along a motion: the transpose of `motion_parameters`.

Stages ask for the variations of R and of rows of loops (`solvers.sensitivity.parameter_products`); laws of time,
prescribed joints, controllers, rates of internal states and how the motion begins are Python's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core import parameter_gradient as _sweep
from supple.gradients.closing import closed_by_parameter
from supple.gradients.displaced_models import DisplacedModels, is_smooth, turning
from supple.gradients.parameter_sums import ParameterSums
from supple.solvers.sensitivity.arrays import BUNDLE_AT, PARAMETERS_AT, SweepArrays
from supple.solvers.sensitivity.displacements import PLACES

if TYPE_CHECKING:
    from supple.gradients.feedback_slopes import StageState
    from supple.gradients.motion_start import StartTangents
    from supple.model.model import Model
    from supple.solvers.inputs import Excitation

Array = np.ndarray


class MotionDirection:
    """Changes of the parameters of a model's design, and what they do along a motion.

    Parameters
    ----------
    model : Model
        With a design.
    change : (count,)
        Changes of its parameters.
    """

    def __init__(self, model: Model, change: Array) -> None:
        point = model.design
        assert point is not None
        self.model, self.point, self.change, self.sums = model, point, change, ParameterSums(model)
        self._fresh = self.sums.directed(change)
        placement, _ = self.sums.parts_in(self._fresh)
        placement["R"] = turning(model.parameters.placement["R"], placement["R"])
        self._displaced, self._distance = None, 0.0
        if is_smooth(model, point.slopes):  # its own: while it sweeps, controllers may ask for other directions
            self._displaced = DisplacedModels(model)
            self._distance = self._displaced.put(point.slopes.pushed(change))

    @property
    def follows(self) -> bool:
        """Whether stages must ask for controllers and internal states."""
        return self.point.feedback.any

    def joined(self, arrays: SweepArrays, stages: int, charted: bool) -> SweepArrays:
        """The arrays of a sweep, which then pushes the direction; room for so many stages."""
        functions = self.model.workspace.functions
        arrays.calls[PARAMETERS_AT], arrays.calls[BUNDLE_AT] = functions.parameters, self.sums.address
        direction = self._fresh.copy()  # places of charts change along a piece
        placement, signals = self.sums.parts_in(direction)
        changes: dict[str, Array] = {"sums": self.sums.buffer, "direction": direction}
        if self._displaced is not None and self._distance > 0.0:
            changes |= {"displaced_trees": self._displaced.trees, "displaced_charts": self._displaced.charts}
            changes["distance"] = np.array([self._distance])
            changes["displaced"] = np.zeros((PLACES, len(arrays.by_parameter)))
        if self.point.laws.loads:
            changes["signal_sums"], changes["signals"] = signals, np.zeros((stages, len(signals)))
        if self.point.laws.joints:
            changes["motions"] = np.zeros((stages, 3, len(self.model.fixed_coordinates)))
        if charted:
            changes["placement_sums"] = placement
        return arrays._replace(**changes)

    def put_laws(self, arrays: SweepArrays, count: int) -> None:
        """Variations of signals and prescribed motions at the times of the stages that come next."""
        laws = self.point.laws
        for k in range(count if laws.parameters else 0):
            if laws.loads:
                arrays.signals[k] = laws.of_signals(float(arrays.times[k])) @ self.change
            if laws.joints:
                arrays.motions[k] = laws.of_joints(float(arrays.times[k])) @ self.change

    def outputs(self, excitation: Excitation, t: float, q: Array, v: Array, z: Array) -> Array:
        """Variations (nu,) of inputs that controllers give, where the state stands still."""
        return np.asarray(self.point.feedback.outputs(excitation, t, q, v, z) @ self.change)

    def follow(self, excitation: Excitation, arrays: SweepArrays, met: int, sampled: bool, at: StageState) -> None:
        """The share of controllers and of internal states in the stage that is met."""
        if not sampled:
            arrays.inputs[met] += self.outputs(excitation, at.t, at.q, at.v, at.z)
        if len(at.z):
            arrays.state_rates[:] = self.point.feedback.rates(at) @ self.change

    # ------------------------------------------------------------------ how the motion begins

    def first_states(self) -> Array:
        """Variations (nz,) of internal states at the beginning."""
        return np.asarray(self.point.feedback.first_states @ self.change)

    def rest(self) -> Array:
        """Variations (n,) of the coordinates at rest, from which a motion without q0 begins."""
        return np.asarray(self.point.rest_slopes @ self.change)

    def start(self, start: StartTangents, t: float) -> tuple[Array, Array]:
        """Variations (n,) of q and v where loops are closed and velocities made to fit, the given ones held.

        That of v is without what q does to it, X dq.
        """
        model, zero, laws = self.model, np.zeros(self.model.n), self.point.laws
        free, fixed, n, nc = model.free_coordinates, model.fixed_coordinates, model.n, model.nc
        dq, dv = np.zeros(n), np.zeros(n)
        if laws.joints:
            dq[fixed], dv[fixed] = (laws.of_joints(t) @ self.change)[:2]
        if not nc:
            return dq, dv
        none = np.zeros(nc)
        at_rest = self._rows(start.q, zero, zero, t, none)
        error = at_rest[n : n + nc] + start.E[:, fixed] @ dq[fixed]
        pushed = self._rows(start.q, zero, start.change, t, start.multipliers)[:n] - at_rest[:n]
        slip = self._rows(start.q, start.v, zero, t, none)[n + nc : n + 2 * nc] + start.A[:, fixed] @ dv[fixed]
        force = pushed[free] + start.M[np.ix_(free, fixed)] @ dv[fixed]
        dq[free] = -start.closing @ error
        if start.steps:
            dq = closed_by_parameter(model, start.steps, start.q, t) @ self.change
        dv[free] = -(start.inverse @ np.concatenate([force, slip]))[: len(free)]
        return dq, dv

    def _rows(self, q: Array, v: Array, a: Array, t: float, lam: Array) -> Array:
        """Variations (n + 3 nc,) of R, e, A v, A a + A' v, without inputs."""
        work, n, nc = self.model.workspace, self.model.n, self.model.nc
        direction, found = self._fresh.copy(), np.zeros(n + 3 * nc)
        signals = self.point.laws.of_signals(t) @ self.change if self.point.laws.loads else None
        if self._displaced is not None and self._distance > 0.0:
            pushed = self._displaced.variations(self._distance, (q, v, a), None, lam, t, signals)
            if pushed is not None:
                return pushed
        if signals is not None:
            self.sums.parts_in(direction)[1][:] = signals
        function, space = work.functions.parameters, work.space(None, t, lam)
        for i in range(len(found)):
            unit = np.zeros(len(found))
            unit[i] = 1.0
            self.sums.clear()
            y, rows = unit[:n], np.ascontiguousarray(unit[n:].reshape(3, nc))
            _sweep.parameter_gradient(function, work.tree, space, q, v, a, y, rows, self.sums.handle)
            found[i] = self.sums.buffer @ direction
        return found
