"""Running a simulation: initial states, pieces between jumps, outputs, events, checkpoints, failures."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import answer, file_path, floats, shown, why
from supple.errors import (
    ConvergenceError,
    ModelError,
    ModelWarning,
    ShapeError,
    SimulationError,
    StateError,
    StorageError,
)
from supple.model.accelerations import joint_efforts
from supple.model.constraints import CLOSED, loop_terms, named_multipliers, solve_constrained
from supple.solvers.desk import RESIDUALS, T_LEFT, TANGENTS, WORST, make_desk
from supple.solvers.inputs import Drive, to_home
from supple.solvers.integrators.history import (
    DONE,
    DRIFT,
    EVERY,
    FAILED,
    FAILURE,
    FULL,
    H_LAST,
    NEXT,
    PAUSED,
    PENDING,
    RECENTRED,
    REJECTED,
    SLIP,
    STEPS,
    T_BEFORE,
    T_END,
    TOO_SMALL,
    H,
    T,
)
from supple.solvers.integrators.methods import NDF, GeneralizedAlpha, Method
from supple.solvers.integrators.runners import Runner, make_runner
from supple.solvers.integrators.stage import NEGATIVE_TENSION, NO_PIVOT, NOT_FINITE, PYTHON_RAISED, SLOW
from supple.solvers.motion.events import Event, Switch
from supple.solvers.motion.saved_run import restore_run, run_digest, save_run
from supple.solvers.motion.trajectory import Trajectory
from supple.solvers.options import MOST_STOPS, check_progress, run_options
from supple.solvers.progress import Progress, Report

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Most steps between two looks from Python, how many come before the first one, and how long they may take, s.
BUDGET, FIRST_BUDGET, LOOK = 256, 16, 0.1
#: Just before a jump: this part of the time (or of a second) earlier.
BEFORE = 1e-12
#: Part of the largest value of an event's function that is zero but for rounding.
ON_EVENT = 1e-11


class Stop(NamedTuple):
    """A time that steps must hit."""

    t: float
    jumps: bool  #: laws jump here: a new start
    samples: bool  #: feedback is sampled here


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
        breaks: Sequence[float] = (),
        hold: bool = False,
        control_rate: float | None = None,
        events: Sequence[Event] = (),
        progress: bool | Report | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        resume: bool | str = False,
        max_steps: int | None = None,
    ) -> None:
        self.model = model
        self.t0, self.t_end, self.wanted = _times(t)
        self.method = default_method(model) if method is None else method
        if isinstance(self.method, type):
            raise ModelError(
                f"method is the class {self.method.__name__}; pass an object, as in {self.method.__name__}()"
            )
        if not isinstance(self.method, Method):
            raise ModelError(f"method is {shown(self.method)}, must be one of supple, such as NDF()")
        options = run_options(breaks, hold, control_rate, events, checkpoint_every, resume, max_steps)
        check_progress(progress)
        self.events, self.show, self.max_steps = options.events, progress, options.max_steps
        self.checkpoint = None if checkpoint is None else file_path(checkpoint, "checkpoint")
        self.checkpoint_every, self.resume = options.checkpoint_every, options.resume
        self.sampled = options.control_rate is not None
        self.rate, self.breaks = options.control_rate, options.breaks
        self._open(u, options.hold)
        self.q0, self.v0 = initial_state(model, q0, v0, self.t0)
        if self.checkpoint is not None and any(callable(event.action) for event in self.events):
            raise ModelError(
                "a checkpoint cannot hold what an event switches to: leave out checkpoint=, or events "
                "whose action is a function"
            )
        self.stops = self._stops()
        # before the run, during which functions with a memory change
        self.digest = None if self.checkpoint is None else run_digest(self)
        self.kept_times: list[Array] = []
        self.kept_rows: list[Array] = []
        self.held: list[tuple[float, Array]] = []
        self.noted: dict[str, list[float]] = {event.name: [] for event in self.events}
        self.values = [0.0] * len(self.events)  # of the events' functions, at the end of the last step
        self.largest = np.zeros(len(self.events))
        self.drives: list[tuple[float, Drive]] = [(self.t0, self.drive)]
        self.index = 0
        self.seconds, self.began = 0.0, time.perf_counter()
        self.stopped = False

    def _open(self, u: Any, hold: bool) -> None:
        """A desk and a runner for these inputs."""
        self.drive = Drive(self.model, u, self.wanted, hold)
        if self.sampled and not self.drive.follows_state:
            raise ModelError("control_rate is given, but u does not follow the state: pass u(t, q, v) or a Controller")
        if self.sampled and self.drive.states:
            raise ModelError(
                "control_rate holds feedback without states; a Controller with state0 is integrated instead"
            )
        program, targets = self.drive.program()
        stabilised = getattr(self.method, "loops", "index3") == "stabilised"
        continuous = self.drive.follows_state and not self.sampled
        states = self.drive.states
        differenced = getattr(self.method, "jacobian", "analytical") == "differences"
        self.office = make_desk(
            self.model, program, targets, stabilised, states, continuous, integrated=True, differenced=differenced
        )
        self.drive.connect(self.office, continuous)
        self.runner: Runner = make_runner(self.office, self.method, self.wanted)

    def _stops(self) -> list[Stop]:
        """All times that steps must hit, in order."""
        jumps = {float(t) for t in (*self.breaks, *self.drive.breaks) if self.t0 < t <= self.t_end}
        samples: set[float] = set()
        if self.rate is not None:
            samples_wanted = (self.t_end - self.t0) * self.rate
            if not samples_wanted <= MOST_STOPS:
                raise ModelError(
                    f"control_rate is {self.rate:g}: {samples_wanted:.3g} samples until t = {self.t_end:g} s, at most "
                    f"{MOST_STOPS} are possible; take a lower rate or a shorter time"
                )
            count = int(np.ceil(samples_wanted - 1e-9))
            samples = {self.t0 + k / self.rate for k in range(1, count)}
        stops: list[Stop] = []
        for t in sorted({*jumps, *samples, self.t_end}):
            if stops and t - stops[-1].t < 1e-9 * max(1.0 / (self.rate or np.inf), 1e-3):
                last = stops.pop()
                stops.append(Stop(t, last.jumps or t in jumps, last.samples or t in samples))
            else:
                stops.append(Stop(t, t in jumps, t in samples))
        return stops

    # ------------------------------------------------------------------ the run

    def run(self) -> Trajectory:
        """All of it."""
        bar = Progress(self.model.name, self.t0, self.t_end, self.show)
        self.began = time.perf_counter()
        try:
            if not (self.resume and restore_run(self)):
                self._begin()
            self._loop(bar)
        finally:
            bar.close()
        self._count_time()
        return self.trajectory()

    def _count_time(self) -> None:
        """Add what has passed since last time to the seconds of the run."""
        now = time.perf_counter()
        self.seconds, self.began = self.seconds + now - self.began, now

    def _begin(self) -> None:
        desk, runner = self.office.desk, self.runner
        desk.q[:], desk.v[:], desk.z[:] = self.q0, self.v0, self.drive.first_states
        self._aim(self.stops[0])
        if self.sampled:
            self._sample(self.t0)
        self._check(runner.start(self.t0, self.stops[0].t))
        row = runner.now()
        to_home(self.office.table, row)
        self._keep(np.array([self.t0]), row[None])
        if not runner.ints[EVERY]:
            runner.ints[NEXT] = 1
        self.values = self._event_values(self.t0, self.q0, self.v0)

    def _aim(self, stop: Stop) -> None:
        """The next stop; laws that jump there are seen from before."""
        early = stop.t - BEFORE * max(1.0, abs(stop.t))
        self.office.desk.numbers[T_LEFT] = early if stop.jumps else np.inf
        self.runner.reals[T_END] = stop.t

    def _sample(self, t: float) -> None:
        """Sample feedback and hold it."""
        try:
            self.drive.sample(self.office, t)
        except Exception as error:
            self._fail(f"feedback failed at t = {t:.6g} s: {error}", error)
        negative = self.office.desk.inputs[self.office.desk.tensions] < 0.0
        if negative.any():
            self.office.desk.flags[WORST] = self.office.desk.tensions[np.argmax(negative)]
            self._check(FAILURE + NEGATIVE_TENSION)
        self.held.append((t, self.office.desk.inputs.copy()))

    def _loop(self, bar: Progress) -> None:
        runner, looked = self.runner, time.perf_counter()
        saved, budget = looked, min(FIRST_BUDGET, BUDGET)
        while self.index < len(self.stops):
            runner = self.runner
            code = runner.advance(1 if self.events else min(budget, self._steps_left()))
            self._keep(*runner.take())
            if code not in (DONE, PAUSED, FULL):
                self._check(code)
            if self.events and code == PAUSED and runner.ints[PENDING]:
                self.values, stopped = self._watch(self.values)
                if stopped:
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
            now = time.perf_counter()
            budget = max(budget // 2, 1) if now - looked > LOOK else min(2 * budget, BUDGET)
            looked = now
            if self._steps_left() <= 0 and self.index < len(self.stops):
                self._fail("max_steps is reached; raise it, or loosen the tolerances")
            if self.checkpoint is not None and now - saved >= self.checkpoint_every:
                self._save_or_fail()
                saved = looked = time.perf_counter()

    def _told(self, bar: Progress) -> bool:
        """Tell how far the run has come; whether it is to end here."""
        try:
            return bar.update(float(self.runner.reals[T]), float(self.runner.reals[H_LAST]))
        except Exception as error:
            self._fail(f"progress failed: {error}", error)

    def _steps_left(self) -> int:
        """How many steps may still be made."""
        return BUDGET if self.max_steps is None else self.max_steps - int(self.runner.ints[STEPS])

    def _next_piece(self) -> None:
        """Go on behind a stop."""
        runner, stop = self.runner, self.stops[self.index]
        self.index += 1
        if self.index == len(self.stops):
            return
        self._aim(self.stops[self.index])
        if stop.samples:
            runner.put_desk(runner.now())
            self._sample(stop.t)
        if stop.jumps or (stop.samples and runner.restarts):
            runner.put_desk(runner.now())
            self._restart(stop.t, None if stop.jumps else float(runner.reals[H]))

    def _restart(self, t: float, step: float | None = None) -> None:
        runner = self.runner
        code = runner.start(t, self.stops[self.index].t, step)
        if code != DONE:
            self._check(code)

    # ------------------------------------------------------------------ events

    def _event_values(self, t: float, q: Array, v: Array) -> list[float]:
        """Values of the events' functions at the end of a step; what is rounding, beside their largest, is zero.

        A motion that stays where a switch has put it then does not cross zero again and again.
        """
        values = np.array([self._event_value(event, t, q, v) for event in self.events])
        self.largest = np.maximum(self.largest, np.abs(values))
        values[np.abs(values) <= ON_EVENT * self.largest] = 0.0
        return [float(x) for x in values]

    def _event_value(self, event: Event, t: float, q: Array, v: Array) -> float:
        try:
            value = event.function(t, q, v)
        except Exception as error:
            self._fail(f"the function of event {event.name!r} failed: {error}", error)
        try:
            return float(answer(value, 1, f"the function of event {event.name!r}", t)[0])
        except StateError as error:
            self._fail(str(error), error)

    def _state(self, t: float) -> tuple[Array, Array]:
        """q and v at a time of the last step."""
        row, n = self.runner.look_back(t), self.model.n
        return row[:n], row[n : 2 * n]

    def _watch(self, before: list[float]) -> tuple[list[float], bool]:
        """Look for events in the pending step.  Returns the functions' values at its end, and whether to stop."""
        runner = self.runner
        t_before, t = float(runner.reals[T_BEFORE]), float(runner.reals[T])
        after = self._event_values(t, *self._state(t))
        crossings = [
            (_crossing(lambda x, e=event: self._event_value(e, x, *self._state(x)), t_before, t, a, b), event)
            for event, a, b in zip(self.events, before, after, strict=True)
            if event.crossed(a, b)
        ]
        for moment, event in sorted(crossings, key=lambda pair: pair[0]):
            self.noted[event.name].append(moment)
            if event.action == "note":
                continue
            row = runner.look_back(moment)
            self._record_until(moment)
            if event.action == "stop":
                if not self.kept_times or self.kept_times[-1][-1] < moment:
                    self._keep(np.array([moment]), row[None])
                return after, True
            return self._switch(event, moment, row), False
        return after, False

    def _record_until(self, moment: float) -> None:
        """Wanted times of the pending step before an event."""
        runner = self.runner
        while runner.ints[NEXT] < len(runner.wanted) and runner.wanted[runner.ints[NEXT]] <= moment:
            t = float(runner.wanted[runner.ints[NEXT]])
            self._keep(np.array([t]), runner.look_back(t)[None])
            runner.ints[NEXT] += 1

    def _switch(self, event: Event, moment: float, row: Array) -> list[float]:
        """Go on from what an event's action says.  Returns the events' values there."""
        n, old = self.model.n, self.runner
        if old.ints[EVERY]:
            self._keep(np.array([moment]), row[None])
        change = self._ask(event, moment, row)
        z = row[3 * n + self.model.nc : old.size - n]
        start_q = row[:n] if change.q is None else change.q
        start_v = row[n : 2 * n] if change.v is None else change.v
        q, v = initial_state(self.model, start_q, start_v, moment)
        if change.u is not None:
            self._open(change.u, False)
            self.runner.take_over(old)
            self.drives.append((moment, self.drive))
            self.stops, self.index = self._stops(), 0
        while self.index < len(self.stops) and self.stops[self.index].t <= moment + BEFORE * max(1.0, abs(moment)):
            self.index += 1
        desk = self.office.desk
        if len(desk.charts):
            desk.placement[:] = desk.home
        desk.q[:], desk.v[:], desk.z[:] = q, v, z
        if self.index < len(self.stops):
            self._aim(self.stops[self.index])
            if self.sampled:
                self._sample(moment)
            self._restart(moment)
            start = self.runner.now()
            to_home(self.office.table, start)
            if self.runner.ints[EVERY] and (change.v is not None or change.q is not None):
                self._keep(np.array([moment]), start[None])
        return self._event_values(moment, q, v)

    def _ask(self, event: Event, moment: float, row: Array) -> Switch:
        """What an event's action says."""
        n = self.model.n
        try:
            change = event.action(moment, row[:n].copy(), row[n : 2 * n].copy())
        except Exception as error:
            self._fail(f"the action of event {event.name!r} failed: {error}", error)
        change = Switch() if change is None else change
        if not isinstance(change, Switch):
            self._fail(f"the action of event {event.name!r} returned {change!r}, must return a supple.Switch or None")
        return change

    # ------------------------------------------------------------------ results

    def _keep(self, times: Array, rows: Array) -> None:
        if len(times):
            self.kept_times.append(times)
            self.kept_rows.append(rows)

    def trajectory(self, failed: bool = False) -> Trajectory:
        """Everything recorded so far; if the run ``failed``, inputs that cannot be had again are NaN."""
        model, n, nc = self.model, self.model.n, self.model.nc
        t = np.concatenate(self.kept_times or [np.zeros(0)])
        rows = np.concatenate(self.kept_rows or [np.zeros((0, self.runner.size))])
        q, v, a = rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n]
        z, forces = rows[:, 3 * n + nc : self.runner.size - n], rows[:, self.runner.size - n :]
        return Trajectory(
            t=t,
            q=q.copy(),
            v=v.copy(),
            a=a.copy(),
            u=self._inputs(t, q, v, z, failed),
            z=z.copy(),
            efforts=joint_efforts(model, q, forces),
            multipliers=named_multipliers(model, rows[:, 3 * n : 3 * n + nc].copy()),
            stats=self.stats(),
            description=model.description,
            model=model,
        )

    def _inputs(self, t: Array, q: Array, v: Array, z: Array, failed: bool) -> Array:
        """Inputs (T, nu) at recorded states."""
        u = np.full((len(t), self.model.nu), np.nan)
        if not self.model.nu:
            return u
        begins = np.array([moment for moment, _ in self.drives])
        owners = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
        try:
            for owner in set(owners.tolist()):
                own = owners == owner
                drive = self.drives[owner][1]
                u[own] = drive.inputs_along(t[own], q[own], v[own], z[own], not self.sampled)
        except Exception:
            if not failed:
                raise
        if self.sampled:
            moments = np.array([moment for moment, _ in self.held])
            which = np.maximum(np.searchsorted(moments, t, side="right") - 1, 0)
            for k, i in enumerate(which[: len(t) if self.held else 0]):
                followed = np.isnan(u[k])
                u[k, followed] = self.held[i][1][followed]
        return u

    def stats(self) -> dict[str, Any]:
        """Figures of the run."""
        ints, reals, flags = self.runner.ints, self.runner.reals, self.office.desk.flags
        simulated = float(reals[T] - self.t0)
        return {
            "method": repr(self.method),
            "steps": int(ints[STEPS]),
            "rejected": int(ints[REJECTED]),
            "newton_failures": int(ints[FAILED]),
            "residuals": int(flags[RESIDUALS]),
            "tangents": int(flags[TANGENTS]),
            "recentred": int(ints[RECENTRED]),
            "position_error": float(reals[DRIFT]),
            "velocity_error": float(reals[SLIP]),
            "seconds": self.seconds,
            "real_time_factor": simulated / self.seconds if self.seconds > 0.0 else 0.0,
            "stopped": self.stopped,
            "events": self.noted,
        }

    # ------------------------------------------------------------------ checkpoints

    def _save_or_fail(self) -> None:
        """Save a checkpoint; if that cannot be done, the motion so far is not lost with it."""
        self._count_time()
        try:
            save_run(self)
        except StorageError as error:
            self._fail(f"the checkpoint cannot be saved: {error}", error)

    # ------------------------------------------------------------------ failures

    def _check(self, code: int) -> None:
        """Raise what stopped the compiled loop."""
        if code == DONE:
            return
        error, self.drive.error = self.drive.error, None
        desk, reals = self.office.desk, self.runner.reals
        h, worst = float(reals[H]), int(desk.flags[WORST])
        where = self.model.coordinate_names[worst] if 0 <= worst < self.model.n else "the loops"
        if code == FAILURE + PYTHON_RAISED and error is not None:
            if not isinstance(error, Exception):
                raise error  # an interrupt
            self._fail(f"a function of yours failed: {error}", error)
        if code == FAILURE + NEGATIVE_TENSION:
            name = self.model.input_names[worst]
            self._fail(
                f"input {name!r} is {desk.inputs[worst]:.4g} N: a tendon pulls and cannot push; "
                "tensions must not be negative"
            )
        for load in self.model.loads:
            if load.guard is not None:
                try:
                    load.guard.explain()
                except StateError as reason:
                    self._fail(str(reason), reason)
        reasons = {
            TOO_SMALL: f"the step fell to {h:.2g} s; the error is largest in {where}; loosen the tolerances, "
            "or smooth what jumps or name its times in breaks",
            FAILURE + SLOW: f"Newton's method does not converge, worst in {where}; take a shorter step (dt, max_step), "
            "or look for an input or contact that is too violent",
            FAILURE
            + NOT_FINITE: f"the state is no longer finite, worst in {where}; take a shorter step, or check loads "
            "and inputs",
            FAILURE
            + NO_PIVOT: f"the tangent is singular at {where}: a coordinate without inertia and stiffness, or loops "
            "whose rows depend on each other here",
        }
        self._fail(reasons.get(code, f"code {code}"))

    def _fail(self, reason: str, cause: BaseException | None = None) -> NoReturn:
        """Raise, with everything up to the last good step."""
        self._count_time()
        runner, n = self.runner, self.model.n
        self._keep(*runner.take())
        if self.kept_times:
            row = runner.now()
            to_home(self.office.table, row)
            t, q, v = float(runner.reals[T]), row[:n], row[n : 2 * n]
            if self.kept_times[-1][-1] < t:
                self._keep(np.array([t]), row[None])
        else:
            t, q, v = self.t0, self.q0, self.v0
        h, steps = float(runner.reals[H_LAST]), runner.ints[STEPS]
        message = f"model {self.model.name!r}, t = {t:.6g} s (last step {h:.2g} s, {steps} made): {reason}"
        raise SimulationError(message, self.trajectory(failed=True), t, q, v) from cause


def default_method(model: Model) -> Method:
    """What integrates a model if nothing else is said."""
    return GeneralizedAlpha() if model.nc else NDF()


def _times(t: ArrayLike) -> tuple[float, float, Array | None]:
    """Start, end and wanted times of what users give for t."""
    try:
        given = floats(t)
    except ValueError as reason:
        raise ShapeError(f"t is {shown(t)}, must be an end time or an array of output times{why(reason)}") from None
    if not np.isfinite(given).all():
        raise StateError(f"t is {shown(t)}, must be finite")
    if given.shape == ():
        if given <= 0.0:
            raise StateError(f"t is {float(given):g} s: the end time must be positive")
        return 0.0, float(given), None
    if given.ndim != 1 or len(given) < 2:
        raise ShapeError(f"t has shape {given.shape}, must be an end time or at least two output times")
    if (np.diff(given) <= 0.0).any():
        i = int(np.flatnonzero(np.diff(given) <= 0.0)[0])
        raise StateError(f"output times must increase, but t[{i + 1}] = {given[i + 1]:g} follows {given[i]:g}")
    return float(given[0]), float(given[-1]), np.array(given)


def initial_state(model: Model, q0: ArrayLike | None, v0: ArrayLike | None, t: float) -> tuple[Array, Array]:
    """A state that satisfies loops and prescribed motions at time t, next to the given one."""
    q = model.rest.copy() if q0 is None else model.arguments.state("q0", q0).copy()
    v = np.zeros(model.n) if v0 is None else model.arguments.state("v0", v0).copy()
    for name, value in (("q0", q), ("v0", v)):
        bad = np.flatnonzero(~np.isfinite(value))
        if bad.size:
            raise StateError(f"{name}[{bad[0]}] ({model.coordinate_names[bad[0]]}) is {value[bad[0]]}, must be finite")
    given = v.copy()
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        q[own], given[own], _ = joint.motion(t)
    if model.nc:
        zero = np.zeros(model.n)
        gap = np.abs(loop_terms(model, q, zero, zero, model.loops).error).max()
        if gap > CLOSED:
            start = q.copy()
            try:
                q = model.assemble(q)
            except ConvergenceError as error:
                raise ConvergenceError(f"no initial state: {error}") from None
            if q0 is not None and np.abs(q - start).max() > 1e-3:
                warnings.warn(
                    f"q0 leaves loops open by {gap:.2g} (rad, m); the simulation begins at model.assemble(q0)",
                    ModelWarning,
                    stacklevel=4,
                )
        A = loop_terms(model, q, given, zero, model.loops).jacobian
        free, fixed = model.free_coordinates, model.fixed_coordinates
        change = (given - v)[fixed][:, None]
        force, rate = np.zeros((model.n, 1)), -(A @ v)[:, None]
        v = v + solve_constrained(model.mass_matrix(q), A, force, rate, free, fixed, change)[0][:, 0]
    else:
        v = given
    return q, v


def _crossing(function: Any, a: float, b: float, before: float, after: float) -> float:
    """Where a function crosses zero between a and b."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    if after == 0.0:
        return b
    first = function(a)
    if first * after > 0.0:  # the start of the step lies on the event itself
        return a
    return float(brentq(function, a, b, xtol=1e-12 * max(1.0, abs(b)), rtol=1e-14))


def simulate(model: Model, *arguments: Any, **options: Any) -> Trajectory:
    """Run one simulation; see `Model.simulate`."""
    return Simulation(model, *arguments, **options).run()
