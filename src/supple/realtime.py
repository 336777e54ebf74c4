"""Robots in real time: steps of fixed length with bounded work, and a loop that meets deadlines and tells how well.

A step solves the equations of few stages by at most ten Newton steps each, and is never repeated with a shorter one:
its time is bounded.  If it does not converge, the last good state is kept, which is said; time goes on.  Python is no
real-time system: the loop measures how late it begins and how long it works, and reports every deadline that is missed.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import failure, flag, nonnegative_float, positive_float, shown
from supple.errors import ConvergenceError, Interrupted, ModelError, StateError
from supple.model.arguments import number
from supple.solvers.inputs import constant_inputs
from supple.solvers.integrators import Method
from supple.solvers.motion.start import initial_state
from supple.solvers.motion.step import Stepper as _Steps
from supple.solvers.motion.step import checked_state, one_step_method

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: What is asked for inputs (nu,) at every tick: time [s], q (n,), v (n,).
Controller = Callable[[float, Array, Array], Any]

#: Before a tick, the loop sleeps until so much time is left, and waits for the rest awake, s.
AWAKE = 3e-4


class Status(NamedTuple):
    """What became of a step."""

    t: float  #: time after it, s
    good: bool  #: whether it was made; if not, the state is that before
    late: bool  #: whether it took longer than the deadline
    seconds: float  #: how long it took
    reason: str = ""  #: why it was not made


class Stepper:
    """A robot that is advanced step by step, within a bounded time each.

    Parameters
    ----------
    model : Model
    dt : float
        Length of a step, s.
    q0, v0 : (n,), optional
        Where to begin; at rest if omitted.  Loops are closed, prescribed joints begin where their laws say.
    method : Method, optional
        As for `Model.step`: one that goes on from one state.  `ImplicitEuler(dt)` is the cheapest; a larger
        ``newton_rtol`` saves Newton steps.
    t0 : float
        Time at the beginning, s.
    deadline : float, optional
        How long a step may take until it counts as late, s; ``dt`` if omitted.

    Attributes
    ----------
    t : float
        Time, s.
    q, v, z : ndarray
        The state now: the last good one.
    steps, failed, late : int
        How many steps were asked for, were not made, came late.
    """

    def __init__(
        self,
        model: Model,
        dt: float,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        *,
        method: Method | None = None,
        t0: float = 0.0,
        deadline: float | None = None,
    ) -> None:
        if not hasattr(model, "link_names"):
            raise ModelError(f"model is {shown(model)}, must be a model, as robot.compile() makes it")
        self.model, self.dt, self.t0 = model, positive_float(dt, "dt", "s"), number("t0", t0)
        self.deadline = self.dt if deadline is None else positive_float(deadline, "deadline", "s")
        if method is not None and not isinstance(method, Method):
            raise ModelError(f"method is {shown(method)}, must be a method object, such as ImplicitEuler(dt)")
        self._steps = _Steps(model, one_step_method(method))  # of its own: nobody else uses its arrays
        self.q, self.v = initial_state(model, q0, v0, self.t0)
        self.z = checked_state(model, self.q, self.v, None, None)[3]
        self.steps = self.failed = self.late = 0

    @property
    def t(self) -> float:
        """Time now, s: not a sum, so that it does not drift."""
        return self.t0 + self.steps * self.dt

    def step(self, u: Any = None) -> Status:
        """Advance by one step under inputs u (nu,), held over it.

        Inputs of the wrong shape raise; those that no robot can follow (NaN, a negative tension), and steps that do not
        converge, leave the state as it is and say so.
        """
        began, n, model = time.perf_counter(), self.model.n, self.model
        reason = ""
        try:
            inputs = constant_inputs(model, u)
            row = self._steps.take(self.q, self.v, inputs, self.z, self.t, self.dt)
        except (ConvergenceError, StateError) as error:
            reason = str(error)
            self.failed += 1
        else:
            self.q, self.v, self.z = row[:n], row[n : 2 * n], row[3 * n + model.nc : len(row) - n]
        self.steps += 1
        seconds = time.perf_counter() - began
        late = seconds > self.deadline
        self.late += late
        return Status(self.t, not reason, late, seconds, reason)

    def warm_up(self, u: Any = None) -> None:
        """Make a step and forget it: kernels are compiled or read, memory is touched."""
        before = self.q, self.v, self.z, self.steps, self.failed, self.late
        self.step(u)
        self.q, self.v, self.z, self.steps, self.failed, self.late = before


class Report(NamedTuple):
    """How a loop went, tick by tick; K ticks were made.

    Printing it gives the figures in words.
    """

    dt: float  #: between ticks, s
    t: Array  #: (K + 1,) times, s
    q: Array  #: (K + 1, n) states at them
    v: Array
    u: Array  #: (K, nu) inputs
    lateness: Array  #: (K,) by how much a tick began after its time, s
    control: Array  #: (K,) time that the controller took, s
    work: Array  #: (K,) time that controller and step took, s
    missed: Array  #: (K,) bool: ticks that ended after the next one should have begun
    failures: tuple[tuple[float, str], ...]  #: time and reason of every step that was not made
    interrupted: Array  #: (K,) how often the system took the processor away within the work of a tick, where it tells

    @property
    def jitter(self) -> float:
        """Standard deviation of the lateness, s."""
        return float(np.std(self.lateness)) if len(self.lateness) else 0.0

    def __str__(self) -> str:
        lines = [
            f"{len(self.work)} ticks of {_time(self.dt)}: {int(self.missed.sum())} deadlines missed, "
            f"{len(self.failures)} steps not made, jitter {_time(self.jitter)}"
        ]
        for name, values in (("late by", self.lateness), ("controller", self.control), ("all work", self.work)):
            if len(values):
                middle, high, worst = np.percentile(values, [50.0, 99.0, 100.0])
                lines.append(f"  {name:<10}  median {_time(middle)}, 99 % {_time(high)}, worst {_time(worst)}")
        if self.interrupted.any():
            missed = int((self.missed & (self.interrupted > 0)).sum())
            lines.append(
                f"  the system took the processor away within {int((self.interrupted > 0).sum())} ticks, {missed} of "
                "those that missed their deadline"
            )
        lines += [f"  t = {t:.6g} s: {reason}" for t, reason in self.failures[:3]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Report: {len(self.work)} ticks, {int(self.missed.sum())} deadlines missed>"


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if abs(seconds) >= 1e-3 else f"{1e6 * seconds:.3g} us"


def run(
    stepper: Stepper,
    controller: Controller,
    duration: float,
    *,
    paced: bool = True,
    awake: float = AWAKE,
    priority: bool = False,
) -> Report:
    """Let a controller in Python drive a robot in real time, one call per step.

    Ticks are ``stepper.dt`` apart.  At each, the controller is asked for inputs (nu,) at the time and state then, and
    one step is made.  A tick that ends late is followed by the next at once: the simulated time falls back while the
    machine is busy, and catches up.  Garbage is not collected meanwhile.

    Parameters
    ----------
    controller : callable
        u(t, q, v).  What it raises ends the loop.
    duration : float
        For how long, s.
    paced : bool
        Whether to wait for the time of every tick; if not, ticks follow each other as fast as they can.
    awake : float
        So long before a tick the loop stops sleeping and looks at the clock, s: longer is punctual, shorter is frugal.
    priority : bool
        Whether to ask the system to let this thread go before all others (SCHED_FIFO) meanwhile: most deadlines that
        are missed on a machine with other work are missed since the processor was taken away.  Linux offers it to
        root, and to users with a limit ``rtprio``.

    Raises
    ------
    ModelError
        If the system does not grant the priority that is asked for.
    Interrupted
        At Ctrl-C, a `KeyboardInterrupt`, with the report so far in ``.result``.
    """
    loop = _checked_loop(stepper, controller, duration, paced, awake)
    collecting = gc.isenabled()
    stepper.warm_up()
    gc.disable()
    try:
        with _preferred(flag(priority, "priority")):
            loop.run()
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted after {loop.made} of {loop.count} ticks", loop.report()) from None
    finally:
        if collecting:
            gc.enable()
    return loop.report()


def _checked_loop(stepper: Any, controller: Any, duration: Any, paced: Any, awake: Any) -> _Loop:
    """The loop that `run` is asked for."""
    if not isinstance(stepper, Stepper):
        raise ModelError(f"stepper is {shown(stepper)}, must be a Stepper, such as realtime.Stepper(model, 1e-3)")
    if not callable(controller):
        raise ModelError(f"controller is {shown(controller)}, must be a function u(t, q, v)")
    ticks = positive_float(duration, "duration", "s") / stepper.dt
    paced, awake = flag(paced, "paced"), nonnegative_float(awake, "awake", "s")
    try:
        count = max(1, round(ticks))
        return _Loop(stepper, controller, count, paced, awake)
    except (MemoryError, OverflowError, ValueError):
        raise ModelError(
            f"duration is {duration:g} s: a report of {ticks:.3g} ticks does not fit into memory; run shorter parts, "
            "one after the other, with the same stepper"
        ) from None


@contextmanager
def _preferred(wanted: bool) -> Iterator[None]:
    """Let this thread go before all others, if that is wanted."""
    if not wanted:
        yield
        return
    if not hasattr(os, "sched_setscheduler"):
        raise ModelError("priority=True: this system does not offer real-time priority; leave it out")
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO)))
    except OSError as error:
        raise ModelError(
            f"priority=True: the system refuses it ({error.strerror}); it needs root or a limit rtprio "
            "(/etc/security/limits.conf), or leave it out"
        ) from None
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def _switch_counter() -> Callable[[], int]:
    """A function that tells how often the system has taken the processor away from this thread; 0 if nobody knows."""
    try:
        from resource import RUSAGE_THREAD, getrusage
    except ImportError:
        return lambda: 0
    return lambda: getrusage(RUSAGE_THREAD).ru_nivcsw


class _Loop:
    """Ticks, and what was measured at them."""

    def __init__(self, stepper: Stepper, controller: Controller, count: int, paced: bool, awake: float) -> None:
        self.stepper, self.controller, self.count, self.paced, self.awake = stepper, controller, count, paced, awake
        model = stepper.model
        self.t = np.zeros(count + 1)
        self.q, self.v = np.zeros((count + 1, model.n)), np.zeros((count + 1, model.n))
        self.u = np.zeros((count, model.nu))
        self.lateness, self.control, self.work = np.zeros(count), np.zeros(count), np.zeros(count)
        self.missed = np.zeros(count, dtype=bool)
        self.interrupted, self.switches = np.zeros(count, dtype=np.int64), _switch_counter()
        self.failures: list[tuple[float, str]] = []
        self.made = 0

    def run(self) -> None:
        """All ticks."""
        self.t[0], self.q[0], self.v[0] = self.stepper.t, self.stepper.q, self.stepper.v
        start, dt = time.perf_counter(), self.stepper.dt
        for k in range(self.count):
            due = start + k * dt
            if self.paced:
                self.wait_for(due)
            began, switches = time.perf_counter(), self.switches()
            status = self.tick(k)
            ended = time.perf_counter()
            self.interrupted[k] = self.switches() - switches
            self.lateness[k], self.work[k] = max(0.0, began - due) if self.paced else 0.0, ended - began
            self.missed[k] = ended > due + dt if self.paced else ended - began > dt
            if not status.good:
                self.failures.append((status.t, status.reason))
            self.made = k + 1

    def wait_for(self, due: float) -> None:
        """Sleep, and wait awake for the rest."""
        left = due - time.perf_counter() - self.awake
        if left > 0.0:
            time.sleep(left)
        while time.perf_counter() < due:
            pass

    def tick(self, k: int) -> Status:
        """Ask the controller and make a step."""
        stepper, t = self.stepper, self.stepper.t
        began = time.perf_counter()
        try:
            u = self.controller(t, stepper.q.copy(), stepper.v.copy())
        except Exception as cause:
            raise StateError(failure(cause, f"the controller at t = {t:g}")) from cause
        self.control[k] = time.perf_counter() - began
        status = stepper.step(u)
        self.u[k] = np.nan if not status.good else constant_inputs(stepper.model, u)
        self.t[k + 1], self.q[k + 1], self.v[k + 1] = stepper.t, stepper.q, stepper.v
        return status

    def report(self) -> Report:
        """What was measured."""
        k = self.made
        states = self.t[: k + 1], self.q[: k + 1], self.v[: k + 1], self.u[:k]
        times = self.lateness[:k], self.control[:k], self.work[:k], self.missed[:k]
        return Report(self.stepper.dt, *states, *times, tuple(self.failures), self.interrupted[:k])
