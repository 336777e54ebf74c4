"""What the parameters of a design do to a motion: cotangents of all its stages, of how it begins, and of its results.

Every stage adds to one set of sums (`solvers.sensitivity.stage_products.add_parameters`), with the other sign; laws of
time are pulled back stage by stage.  Poses and energies depend on parameters also where the state stands still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core import parameter_gradient as _sweep
from supple.errors import DesignError
from supple.gradients.parameter_sums import ParameterSums
from supple.gradients.parameters import NO_ROWS, pull_back_energies, pull_back_poses
from supple.solvers.sensitivity.arrays import BUNDLE_AT, MET, PARAMETERS_AT, SweepArrays

if TYPE_CHECKING:
    from supple.gradients.motion_outputs import Outputs
    from supple.gradients.motion_start import StartTangents
    from supple.model.model import Model

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
        _refuse_states(model)

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
            changes["placement_sums"] = self.sums.arrays.placement
        return arrays._replace(**changes)

    def take_laws(self, arrays: SweepArrays) -> None:
        """Pull cotangents of laws of time back, of the stages that were met."""
        laws = self.point.laws
        for k in range(int(arrays.counts[MET]) if laws.parameters else 0):
            signals = arrays.signals[k] if laws.loads else self.sums.signals
            joints = arrays.motions[k] if laws.joints else None
            self.bar += laws.pulled_back(float(arrays.times[k]), signals, joints)

    def add_start(self, start: StartTangents, q_bar: Array, v_bar: Array, t: float) -> None:
        """How loops are closed and velocities made to fit, from cotangents (n,) of q (X^T v_bar included) and v."""
        model, zero = self.model, np.zeros(self.model.n)
        free, fixed, nc = model.free_coordinates, model.fixed_coordinates, model.nc
        if not nc:
            return
        by_error, rows = start.closing.T @ q_bar[free], np.zeros((3, nc))
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
            self.bar += pull_back_energies(self.model, motion.q, motion.v, outputs.energy)

    def gradient(self, outputs: Outputs) -> dict[str, Any]:
        """By name, shaped as the parameters are, with what results depend on directly."""
        self.add_outputs(outputs)
        return self.point.design.unpack(self.bar - self.sums.by_parameter())


def _refuse_states(model: Model) -> None:
    """Loads with states of their own must not follow parameters: what their rates do with them is not known."""
    assert model.design is not None
    owners = {states.owner for states in model.demand.states}
    for end in model.design.slopes.loads:
        owner = model.loads[end.load].owner
        if owner in owners:
            name = model.design.design.labels[end.parameter]
            raise DesignError(
                f"{owner} has states and follows parameter {name!r}: motions are not differentiated by what its rate "
                "depends on; give its functions no parameter of the design"
            )
