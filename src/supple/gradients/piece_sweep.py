"""One piece of a tape, swept backward or forward: compiled between entries that only Python understands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import StateError
from supple.gradients.feedback_slopes import StageState
from supple.gradients.motion_directions import MotionDirection
from supple.gradients.motion_inputs import InputForm
from supple.gradients.motion_parameters import MotionParameters
from supple.jit.callbacks import Callback
from supple.solvers.inputs import Excitation
from supple.solvers.integrators.tape import FIRST
from supple.solvers.motion.tape import Part, Piece, Tape
from supple.solvers.problem import make_workspace
from supple.solvers.sensitivity.arrays import (
    BEGIN,
    FOLLOWERS_AT,
    MET,
    make_sweep,
    table_of,
)
from supple.solvers.sensitivity.sweep import stage_times, sweep_tape
from supple.solvers.stage.charts import to_home
from supple.solvers.stage.status import CONVERGED

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Stages whose inputs are kept before Python takes them.
STAGES = 4096


class PieceSweep:
    """A piece of a tape with its problem, driven as it was.

    Parameters
    ----------
    given : (T + 1, N)
        Cotangents or variations of all rows of results; the last row is for those that are none.
    parameters : MotionParameters or MotionDirection, optional
        Where cotangents of the parameters of the model's design are summed, or along which these change.
    forward : bool
        Which of the two sweeps it is for: only what it needs is compiled.
    """

    def __init__(
        self,
        model: Model,
        tape: Tape,
        piece: Piece,
        given: Array,
        parameters: MotionParameters | MotionDirection | None = None,
        forward: bool = False,
    ) -> None:
        self.model, self.tape, self.piece, self.given = model, tape, piece, given
        excitation = Excitation(model, piece.u, tape.times, piece.hold)
        excitation.central = True
        continuous, control = excitation.follows_state and not tape.sampled, tape.method.control
        self.excitation, self.workspace = excitation, make_workspace(
            model,
            *excitation.program(),
            stabilised=control.stabilised,
            states=excitation.states,
            feedback=continuous,
            integrated=True,
            over_tree=not control.apart,
        )
        excitation.connect(self.workspace, continuous)
        self.problem = self.workspace.problem
        family, scheme = tape.method.taped_scheme(self.problem, piece.pasts)
        buffers = {"given": given, "inputs": np.zeros((STAGES, model.nu)), "times": np.zeros(STAGES)}
        functions = model.workspace.functions
        self.arrays = make_sweep(
            self.problem, functions, family, control.baumgarte, model.nu, forward, **buffers, **scheme
        )
        self.state, self.parameters = np.zeros(2, dtype=np.int64), parameters
        if parameters is not None:
            self.arrays = parameters.joined(self.arrays, STAGES, len(self.problem.charts) > 0)
            if parameters.follows:
                self._called = Callback(self._follow, self._keep)
                self.arrays.calls[FOLLOWERS_AT] = self._called.address

    # ------------------------------------------------------------------ both ways

    def _enter(self, part: Part) -> None:
        """Take a part of the tape."""
        directions = part.directions if len(part.directions) else np.zeros((0, *self.problem.P.shape))
        self.arrays = self.arrays._replace(tape=part.numbers, directions=directions)
        self.table = table_of(self.arrays)

    def _run(self, position: int, backward: bool) -> tuple[int, int]:
        """Sweep on.  Returns where it ended, and the sample of feedback that ended it (-1: none)."""
        self.arrays.counts[MET] = 0
        status = sweep_tape(self.workspace.table, self.table, position, backward, self.state)
        if status != CONVERGED:
            error, self.excitation.error = self.excitation.error, None
            if error is not None:
                raise error
            raise StateError(
                f"no derivatives: the motion cannot be linearised at a step it made (status {status}); what it meets "
                "there has no finite derivative, or its equations are singular"
            )
        entry = int(self.state[1])
        return int(self.state[0]), -1 if entry < 0 else int(self.arrays.tape[entry + FIRST])

    def _follow(self, t: float) -> None:
        """Called from a stage: what controllers and internal states owe to parameters."""
        problem, n = self.problem, self.model.n
        row = np.zeros(4 * n + len(problem.multipliers) + len(problem.z))
        row[: 3 * n] = np.concatenate([problem.q, problem.v, problem.a])
        to_home(self.workspace.table, row)
        q, v, a = np.split(row[: 3 * n], 3)
        state = StageState(t, q, v, a, problem.inputs.copy(), problem.z.copy(), problem.multipliers.copy())
        assert self.parameters is not None
        self.parameters.follow(self.excitation, self.arrays, int(self.arrays.counts[MET]), self.tape.sampled, state)

    def _keep(self, error: BaseException) -> None:
        self.excitation.error = error  # compiled code cannot pass it on: `_run` does

    def _hold(self, sample: int) -> None:
        """Inputs of a sample of feedback."""
        if sample >= 0:
            self.problem.inputs[:] = self.tape.held[sample].u

    # ------------------------------------------------------------------ backward

    def backward(self, form: InputForm, held: Array, sample: int) -> tuple[Array, Array, Array, float]:
        """Cotangents of q, v, z at the beginning, and of the time of the sample that is taken there.

        Those of inputs join ``form``; ``held`` (k, nu) are those of samples of feedback, ``sample`` being the last.
        """
        n, nc, nz = self.model.n, self.model.nc, len(self.problem.z)
        if self.piece.charts is not None:
            self.problem.placement[:] = self.piece.charts
        self._hold(sample)
        for part in reversed(self.piece.parts):
            self._enter(part)
            position = len(part.numbers)
            while position > 0:
                position, ended = self._run(position, True)
                self._pull_back_inputs(form, held, sample)
                if isinstance(self.parameters, MotionParameters):
                    self.parameters.take_laws(self.arrays)
                if ended >= 0:
                    self.given[-1] = 0.0
                    self.given[-1, : 2 * n] = self._pull_back_sample(form, held, ended)
                    sample = ended - 1
                    self._hold(sample)
        begin, t_bar = self.arrays.registers[BEGIN], 0.0
        if self.piece.sample >= 0:
            begin[: 2 * n] += self._pull_back_sample(form, held, self.piece.sample)
            t_bar = float(held[self.piece.sample] @ self._first_sample_rate(form))
        if isinstance(self.parameters, MotionParameters):
            self.parameters.add_charts()
        return begin[:n].copy(), begin[n : 2 * n].copy(), begin[3 * n + nc : 3 * n + nc + nz].copy(), t_bar

    def _pull_back_inputs(self, form: InputForm, held: Array, sample: int) -> None:
        """Cotangents of the inputs of stages that were met: of laws, and of the sample that is held."""
        met = int(self.arrays.counts[MET])
        inputs = self.arrays.inputs[:met]
        if sample >= 0:
            held[sample] += np.where(form.followed, inputs.sum(axis=0), 0.0)
        if met and self.model.nu:
            form.pull_back(self.arrays.times[:met], np.where(form.followed, 0.0, inputs))

    def _pull_back_sample(self, form: InputForm, held: Array, k: int) -> Array:
        """The cotangent (2 n,) of the state at which feedback was sampled."""
        sample = self.tape.held[k]
        slopes = form.slopes(sample.t, sample.q, sample.v, np.zeros(0))
        if isinstance(self.parameters, MotionParameters):
            self.parameters.add_inputs(self.excitation, held[k], sample.t, sample.q, sample.v, np.zeros(0))
        return np.asarray(held[k] @ slopes)

    def _first_sample_rate(self, form: InputForm) -> Array:
        """Rates (nu,) of feedback along the motion, at the sample taken at the beginning; zero if no event moves it."""
        if self.piece.jump is None:
            return np.zeros(self.model.nu)
        sample = self.tape.held[self.piece.sample]
        at = sample.t, sample.q, sample.v, np.zeros(0)
        rates = form.time_slopes(*at) + form.slopes(*at) @ self.piece.jump.rate[: 2 * self.model.n]
        return np.where(form.followed, rates, 0.0)

    # ------------------------------------------------------------------ forward

    def forward(self, form: InputForm, change: Any, held: Array, dq: Array, dv: Array, dz: Array, dt: float) -> None:
        """Variations of all rows of results from those of q, v, z at the beginning and of the inputs.

        By ``dt`` moves the event behind which the piece begins, and the sample that is taken there.
        """
        n, nc, nz, sample = self.model.n, self.model.nc, len(self.problem.z), self.piece.sample
        self.problem.placement[:] = self.problem.home
        begin = self.arrays.registers[BEGIN]
        begin[:n], begin[n : 2 * n], begin[3 * n + nc : 3 * n + nc + nz] = dq, dv, dz
        if sample >= 0:
            self._push_sample(form, held, sample, np.concatenate([dq, dv]))
            held[sample] += dt * self._first_sample_rate(form)
        self._hold(sample)
        for part in self.piece.parts:
            self._enter(part)
            position = 0
            while position < len(part.numbers):
                self._push_inputs(form, change, held, sample, position)
                position, ended = self._run(position, False)
                if ended >= 0:
                    self._push_sample(form, held, ended, self.given[-1, : 2 * n])
                    sample = ended
                    self._hold(sample)

    def _push_inputs(self, form: InputForm, change: Any, held: Array, sample: int, position: int) -> None:
        """Variations of the inputs of the stages that come next."""
        count = int(stage_times(self.workspace.table, self.table, position))
        inputs = form.push_forward(self.arrays.times[:count], change)
        if sample >= 0:
            inputs = np.where(form.followed, held[sample], inputs)
        self.arrays.inputs[:count] = inputs
        if isinstance(self.parameters, MotionDirection):
            self.parameters.put_laws(self.arrays, count)

    def _push_sample(self, form: InputForm, held: Array, k: int, state: Array) -> None:
        """The variation of a sample of feedback."""
        sample = self.tape.held[k]
        held[k] = form.slopes(sample.t, sample.q, sample.v, np.zeros(0)) @ state
        if isinstance(self.parameters, MotionDirection):
            held[k] += self.parameters.outputs(self.excitation, sample.t, sample.q, sample.v, np.zeros(0))
