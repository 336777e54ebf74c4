"""Running a simulation: pieces between jumps, outputs, events, checkpoints, failures."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import ModelError, ModelWarning, SimulationError, StorageError
from supple.jit.callbacks import Interrupts
from supple.solvers.inputs import Excitation
from supple.solvers.integrators import Method
from supple.solvers.integrators.integrator import Integrator
from supple.solvers.integrators.reuse import Form, give_back, take
from supple.solvers.integrators.run import (
    DONE,
    DRIFT,
    END_TIME,
    EVERY,
    FAILED,
    FAILURE,
    FULL,
    LAST_STEP,
    NEXT,
    PAUSED,
    PENDING,
    RECENTRED,
    REJECTED,
    SLIP,
    STEP,
    STEPS,
    TIME,
)
from supple.solvers.motion.diagnosis import crawling, explain
from supple.solvers.motion.event_watch import EventWatch
from supple.solvers.motion.events import Switch
from supple.solvers.motion.plan import Plan
from supple.solvers.motion.record import Record
from supple.solvers.motion.saved_run import restore_run, run_digest, save_run
from supple.solvers.motion.start import initial_state
from supple.solvers.motion.stops import Stop, make_stops, margin
from supple.solvers.motion.tape import Jump, Moment, Piece, Sample, Tape, buffers, note_newest, note_sample, take_part
from supple.solvers.motion.trajectory import Trajectory
from supple.solvers.options import check_progress
from supple.solvers.problem import DOUBTS, LATEST_TIME, RESIDUALS, TANGENTS, WORST, make_workspace
from supple.solvers.progress import Progress, Report
from supple.solvers.stage.charts import to_home
from supple.solvers.stage.status import NEGATIVE_TENSION

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Most steps between two looks from Python, how many come before the first one, and how long they may take, s.
BUDGET, FIRST_BUDGET, LOOK = 256, 16, 0.1


class Simulation:
    """One simulation from beginning to end; see `Model.simulate` for its arguments."""

    def __init__(
        self,
        model: Model,
        t: ArrayLike,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        u: Any,
        method: Method | None,
        *,
        progress: bool | Report | None = None,
        **options: Any,
    ) -> None:
        self._prepare(Plan(model, t, method, **options), q0, v0, u, progress)

    @classmethod
    def of(
        cls, plan: Plan, q0: ArrayLike | None, v0: ArrayLike | None, u: Any, halted: Callable[[], bool]
    ) -> Simulation:
        """A run of a plan that others share; it ends between steps once it is ``halted``."""
        run = cls.__new__(cls)
        run._prepare(plan, q0, v0, u, False)
        run._halted = halted
        return run

    def _prepare(
        self, plan: Plan, q0: ArrayLike | None, v0: ArrayLike | None, u: Any, progress: bool | Report | None
    ) -> None:
        self.plan, self.model = plan, plan.model
        check_progress(progress)
        self.show = progress
        self.t0, self.t_end, self.wanted = plan.t0, plan.t_end, plan.wanted
        self.method, self.events, self.rate, self.sampled = plan.method, plan.events, plan.rate, plan.sampled
        self.checkpoint, self.resume = plan.checkpoint, plan.resume
        self.tape = Tape(self.method, self.wanted, self.sampled) if plan.record else None
        self.u, self.hold = u, plan.hold
        self._used: list[Integrator] = []
        self._halted: Callable[[], bool] | None = None
        self._open(u, plan.hold)
        if self.sampled and not self.excitation.follows_state:  # at first: events may switch to what does not
            raise ModelError("control_rate is given, but u does not follow the state: pass u(t, q, v) or a Controller")
        self.q0, self.v0 = initial_state(self.model, q0, v0, self.t0)
        self.asked = (q0, v0)  # the state to begin at, before loops and prescribed joints
        self.stops = self._stops()
        # before the run, during which functions with a memory change
        self.digest = None if self.checkpoint is None else run_digest(self)
        expected = BUDGET if self.wanted is None else len(self.wanted)
        self.record = Record(self.model, self.integrator.size, self.t0, self.excitation, plan.names, expected)
        self.watch = EventWatch(self, self.events)
        self.index = 0
        self.seconds, self.began = 0.0, time.perf_counter()
        self.stopped = self.warned = False

    def _open(self, u: Any, hold: bool) -> None:
        """A problem and an integrator for these inputs."""
        self.excitation = Excitation(self.model, u, self.wanted, hold)
        if self.sampled and self.excitation.states:
            raise ModelError(
                "control_rate holds feedback without states; a Controller with state0 is integrated instead"
            )
        continuous = self.excitation.follows_state and not self.sampled
        form = Form(self.method, self.excitation.states, continuous, self.tape is not None)
        self.integrator = self._made_before(form) or self._made_now(form)
        self._used.append(self.integrator)
        self.workspace = self.integrator.workspace
        self.excitation.connect(self.workspace, continuous)

    def _made_before(self, form: Form) -> Integrator | None:
        """The integrator of a run that has ended, made new again, if there is one."""
        integrator = take(self.model, form)
        if integrator is not None:
            integrator.begin_anew(*self.excitation.program(), self.wanted)
        return integrator

    def _made_now(self, form: Form) -> Integrator:
        """An integrator with arrays of its own."""
        control = self.plan.control
        workspace = make_workspace(
            self.model,
            *self.excitation.program(),
            stabilised=control.stabilised,
            states=form.states,
            feedback=form.feedback,
            integrated=True,
            differenced=control.differenced,
            apart=control.apart,
            explicit=control.explicit,
        )
        sizes = buffers(workspace.problem) if form.taped else (0, 0, 0)
        return Integrator(workspace, self.method, self.wanted, sizes, form)

    def close(self) -> None:
        """Give the arrays back; the run must not be asked for anything any more."""
        while self._used:
            give_back(self.model, self._used.pop())

    def _stops(self) -> list[Stop]:
        """All times that steps must hit, in order."""
        return make_stops(self.t0, self.t_end, (*self.plan.breaks, *self.excitation.breaks), self.rate)

    # ------------------------------------------------------------------ the run

    def run(self) -> Trajectory:
        """All of it."""
        self.make()
        return self.trajectory()

    def make(self) -> None:
        """All steps; what they gave is recorded."""
        bar = Progress(self.model.name, self.t0, self.t_end, self.show)
        self.began = time.perf_counter()
        try:
            if not (self.resume and restore_run(self)):
                self.begin()
            with Interrupts() as interrupts:
                self._loop(bar, interrupts)
        finally:
            bar.close()
        self._count_time()

    def _count_time(self) -> None:
        """Add what has passed since last time to the seconds of the run."""
        now = time.perf_counter()
        self.seconds, self.began = self.seconds + now - self.began, now

    def begin(self) -> None:
        """Start the integrator at the initial state, and record it."""
        problem, integrator = self.workspace.problem, self.integrator
        problem.q[:], problem.v[:], problem.z[:] = self.q0, self.v0, self.excitation.first_states
        self.aim(self.stops[0])
        if self.tape is not None:
            (q, v), state = self.asked, self.model.arguments.state
            first_q = self.model.rest if q is None else state("q0", q)
            self._new_piece(self.t0, first_q, np.zeros(self.model.n) if v is None else state("v0", v))
            self.tape.pieces[-1].rested = q is None
        if self.sampled:
            self._sample(self.t0)
        self._check(integrator.start(self.t0, self.stops[0].t, anew=True))
        self._keep_newest(self.t0)
        if not integrator.ints[EVERY]:
            integrator.ints[NEXT] = 1
        if self.events:
            self.watch.note_values(self.t0, self.q0, self.v0)

    def _new_piece(self, t: float, q: Array, v: Array) -> None:
        """Derivatives take the motion from here on as a piece of its own."""
        if self.tape is not None:
            self.tape.pieces.append(Piece(self.u, self.hold, t, q.copy(), v.copy(), -1, pasts=self.integrator.pasts))
            self.tape.pieces[-1].sample = len(self.record.held) if self.sampled else -1

    def _take_tape(self) -> None:
        """What the compiled loop has written down for derivatives."""
        if self.tape is not None and (part := take_part(self.integrator.run)) is not None:
            self.tape.pieces[-1].parts.append(part)
            self.tape.pieces[-1].charts = self.workspace.problem.placement.copy()

    def _keep_newest(self, t: float) -> None:
        """Record the newest row."""
        if self.tape is not None:
            note_newest(self.workspace.problem, self.integrator.run, t, self.integrator.now(), True)
        self.record.keep_one(t, self._row_at_home())

    def aim(self, stop: Stop) -> None:
        """The next stop; laws that jump there are seen from before."""
        self.workspace.problem.numbers[LATEST_TIME] = stop.latest_time
        self.integrator.reals[END_TIME] = stop.t

    def _row_at_home(self) -> Array:
        """The newest row, in the model's charts."""
        row = self.integrator.now()
        to_home(self.workspace.table, row)
        return row

    def _sample(self, t: float) -> None:
        """Sample feedback and hold it."""
        problem = self.workspace.problem
        try:
            self.excitation.sample(self.workspace, t)
        except Exception as error:
            self.fail(f"feedback failed at t = {t:.6g} s: {error}", error)
        negative = problem.inputs[problem.tensions] < 0.0
        if negative.any():
            problem.flags[WORST] = problem.tensions[np.argmax(negative)]
            self._check(FAILURE + NEGATIVE_TENSION)
        self.record.held.append((t, problem.inputs.copy()))
        if self.tape is not None:
            self.tape.held.append(Sample(t, problem.inputs.copy(), *self.excitation.home_state(self.workspace)))

    def _loop(self, bar: Progress, interrupts: Interrupts) -> None:
        looked = time.perf_counter()
        saved, budget = looked, FIRST_BUDGET
        if self.integrator.budget and not callable(self.show):  # an earlier run knows how long steps take
            budget = self.integrator.budget
        while self.index < len(self.stops):
            code = self.integrator.advance(1 if self.events else min(budget, self._steps_left()))
            interrupts.look()
            self.record.keep(*self.integrator.take())
            self._take_tape()
            if code not in (DONE, PAUSED, FULL):
                self._check(code)
            if self.events and code == PAUSED and self.integrator.ints[PENDING]:
                if self.watch.look():
                    return
                if self.index == len(self.stops):
                    break
            if code == DONE:
                self._next_piece()
            if self._told(bar) and self.index < len(self.stops):
                self.stopped = True
                if self.checkpoint is not None:
                    self._save_or_fail()
                return
            if not self.warned and (advice := crawling(self.integrator, self.t0, self.stops[-1].t - self.t0)):
                self.warned = True
                warnings.warn(f"model {self.model.name!r}: {advice}", ModelWarning, stacklevel=5)
            now = time.perf_counter()
            budget = max(budget // 2, 1) if now - looked > LOOK else min(2 * budget, BUDGET)
            looked, self.integrator.budget = now, budget
            if self._steps_left() <= 0 and self.index < len(self.stops):
                self.fail("max_steps is reached; raise it, or loosen the tolerances")
            if self.checkpoint is not None and now - saved >= self.plan.checkpoint_every:
                self._save_or_fail()
                saved = looked = time.perf_counter()

    def _told(self, bar: Progress) -> bool:
        """Tell how far the run has come; whether it is to end here."""
        if self._halted is not None:
            return self._halted()
        try:
            return bar.update(float(self.integrator.reals[TIME]), float(self.integrator.reals[LAST_STEP]))
        except Exception as error:
            self.fail(f"progress failed: {error}", error)

    def _steps_left(self) -> int:
        """How many steps may still be made."""
        most = self.plan.max_steps
        return BUDGET if most is None else most - int(self.integrator.ints[STEPS])

    def _next_piece(self) -> None:
        """Go on behind a stop."""
        integrator, stop = self.integrator, self.stops[self.index]
        self.index += 1
        if self.index == len(self.stops):
            return
        self.aim(self.stops[self.index])
        if stop.samples:
            row = integrator.now()
            integrator.put_state(row)
            if self.tape is not None:
                note_newest(self.workspace.problem, integrator.run, stop.t, row, False)
                note_sample(self.workspace.problem, integrator.run, stop.t, len(self.record.held))
            self._sample(stop.t)
        if stop.jumps or (stop.samples and integrator.control.restarts):
            integrator.put_state(integrator.now())
            self._restart(stop.t, None if stop.jumps else float(integrator.reals[STEP]))

    def _restart(self, t: float, step: float | None = None) -> None:
        """Start again at the problem's state."""
        self._check(self.integrator.start(t, self.stops[self.index].t, step))

    def switch(self, change: Switch, moment: float, row: Array, noted: Moment | None) -> None:
        """Go on at a moment as an event says, from the row there."""
        n, old = self.model.n, self.integrator
        self._take_tape()
        start_q = row[:n] if change.q is None else change.q
        start_v = row[n : 2 * n] if change.v is None else change.v
        q, v = initial_state(self.model, start_q, start_v, moment)
        if change.u is not None:
            self.u, self.hold = change.u, False
            self._open(change.u, False)
            self.integrator.take_over(old)
            self.record.excitations.append((moment, self.excitation))
            self.stops, self.index = self._stops(), 0
        while self.index < len(self.stops) and self.stops[self.index].t <= moment + margin(moment):
            self.index += 1
        problem = self.workspace.problem
        if len(problem.charts):
            problem.placement[:] = problem.home
        problem.q[:], problem.v[:] = q, v
        problem.z[:] = row[3 * n + self.model.nc : old.size - n]
        if self.index < len(self.stops):
            self.aim(self.stops[self.index])
            self._new_piece(moment, np.asarray(start_q, dtype=float), np.asarray(start_v, dtype=float))
            if self.sampled:
                self._sample(moment)
            self._check(self.integrator.start(moment, self.stops[self.index].t, anew=True))
            if noted is not None and self.tape is not None:
                rate = np.concatenate([problem.v, problem.a, problem.rates])
                self.tape.pieces[-1].jump = Jump(noted, change, rate)
            if self.integrator.ints[EVERY] and (change.v is not None or change.q is not None):
                self._keep_newest(moment)
        self.watch.note_values(moment, q, v)

    # ------------------------------------------------------------------ results

    def trajectory(self, failed: bool = False) -> Trajectory:
        """Everything recorded so far."""
        self._take_tape()
        return self.record.trajectory(self.stats(), self.sampled, failed, self.tape)

    def stats(self) -> dict[str, Any]:
        """Figures of the run."""
        ints, reals, flags = self.integrator.ints, self.integrator.reals, self.workspace.problem.flags
        simulated = float(reals[TIME] - self.t0)
        return {
            "method": self.plan.said,
            "reason": self.plan.reason,
            "steps": int(ints[STEPS]),
            "rejected": int(ints[REJECTED]),
            "newton_failures": int(ints[FAILED]),
            "residuals": int(flags[RESIDUALS]),
            "tangents": int(flags[TANGENTS]),
            "factors": "tree" if self.workspace.factors is not None else "dense",
            "doubts": int(flags[DOUBTS]),
            "recentred": int(ints[RECENTRED]),
            "position_error": float(reals[DRIFT]),
            "velocity_error": float(reals[SLIP]),
            "seconds": self.seconds,
            "real_time_factor": simulated / self.seconds if self.seconds > 0.0 else 0.0,
            "stopped": self.stopped,
            "events": self.record.noted,
        }

    def _save_or_fail(self) -> None:
        """Save a checkpoint; if that cannot be done, the motion so far is not lost with it."""
        self._count_time()
        try:
            save_run(self)
        except StorageError as error:
            self.fail(f"the checkpoint cannot be saved: {error}", error)

    def _check(self, code: int) -> None:
        """Raise what stopped the compiled loop."""
        if code == DONE:
            return
        error, self.excitation.error = self.excitation.error, None
        self.fail(*explain(self.model, self.integrator, code, error))

    def fail(self, reason: str, cause: BaseException | None = None) -> NoReturn:
        """Raise, with everything up to the last good step."""
        self._count_time()
        integrator, n, record = self.integrator, self.model.n, self.record
        record.keep(*integrator.take())
        t, q, v = self.t0, self.q0, self.v0
        if record.last is not None:
            row = self._row_at_home()
            t, q, v = float(integrator.reals[TIME]), row[:n], row[n : 2 * n]
            if record.last < t:
                record.keep_one(t, row)
        h, steps = float(integrator.reals[LAST_STEP]), integrator.ints[STEPS]
        message = f"model {self.model.name!r}, t = {t:.6g} s (last step {h:.2g} s, {steps} made): {reason}"
        raise SimulationError(message, self.trajectory(failed=True), t, q, v) from cause


def simulate(model: Model, *arguments: Any, **options: Any) -> Trajectory:
    """Run one simulation, and keep its arrays for the next one; see `Model.simulate`."""
    run = Simulation(model, *arguments, **options)
    try:
        return run.run()
    finally:
        run.close()
