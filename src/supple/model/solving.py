"""Motions of a robot, and what is near to them; the solvers load when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from supple.checks import flag

if TYPE_CHECKING:
    from supple.gradients.linearization import Linearization
    from supple.model.model import Model
    from supple.model.results import Step, StepDerivatives
    from supple.solvers.integrators import Method
    from supple.solvers.motion.events import Event
    from supple.solvers.motion.trajectory import Trajectory
    from supple.solvers.progress import Report


def linearize(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    u: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Linearization:
    """The linear system x' = A x + B u about a state (v omitted: at rest), x = [dq, dv, dz].

    z are internal states of loads, if any; ``u`` are the inputs at the state.  ``.discrete(dt)`` holds them over a
    step, ``.reduced()`` gives the system in coordinates of what loops and prescribed joints allow.  The state need
    not be an equilibrium: A and B then tell how the motion through it changes.
    """
    return _linearize()(model, q, v, u, t, z)


@cache
def _linearize() -> Callable[..., Linearization]:
    """The function itself, loaded late; an import statement would take a part of the time of a small robot's call."""
    from supple.gradients.linearization import linearize

    return linearize


def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: Any,
    dt: float,
    method: Method | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Step:
    """q and v one step of length ``dt`` [s] later: ``q1, v1 = model.step(q, v, u, dt)``.

    It is the first step that `simulate` makes with a fixed step, without a simulation around it.

    Parameters
    ----------
    q, v : (n,)
        State at time t, taken as it is: loops are not closed first, as `simulate` does.  Prescribed joints are
        where their laws say.
    u : (nu,), dict or None
        Inputs, held over the step; controllers are not asked.
    dt : float
        Length of the step, s.
    method : Method, optional
        A method that can go on from one state.  `ImplicitEuler` and explicit pairs step by their own formula, without
        error control; the others (`GeneralizedAlpha`, `Newmark`, `BDF2`) begin with SDIRK2, which is L-stable and of
        second order, and so does this step with them.  Omitted: that.  A ``dt`` of the method does not count.
    t : float
        Time at which laws of loads and prescribed joints are taken, s.
    z : (nz,), optional
        Internal states of loads; where they begin if omitted.  Those after the step are ``.z`` of what is returned.

    Raises
    ------
    ConvergenceError
        If the step is too long for Newton's method: take a shorter one.
    """
    from supple.solvers.motion.step import step

    return step(model, q, v, u, dt, method, t, z)


def step_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: Any,
    dt: float,
    method: Method | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> StepDerivatives:
    """The same step with its exact derivatives: ``q1, v1, A, B = model.step_derivatives(q, v, u, dt)``.

    A (2 n + nz, 2 n + nz) is by the state x = [q, v, z] before, B (2 n + nz, nu) by the inputs that are held.  Rows and
    columns of prescribed joints are zero.  Charts of joints, if the step changes them, and the directions in which
    loops correct positions are held, as along a motion.
    """
    from supple.gradients.step import step_derivatives

    return step_derivatives(model, q, v, u, dt, method, t, z)


def simulate(
    model: Model,
    t: ArrayLike,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    u: Any = None,
    method: Method | None = None,
    *,
    breaks: Sequence[float] = (),
    hold: bool = False,
    control_rate: float | None = None,
    events: Sequence[Event] = (),
    progress: bool | Report | None = None,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    resume: bool | str = False,
    max_steps: int | None = None,
    record: bool = False,
) -> Trajectory:
    """Motion from an initial state.

    Parameters
    ----------
    t : float or (T,)
        End time (from 0; every accepted step is returned), or increasing output times, the first being the start.
    q0, v0 : (n,), optional
        Initial state; at rest if omitted.  Prescribed joints begin where their laws say; open loops are closed
        near q0, and v0 is projected onto what they allow.
    u : optional
        Inputs: (nu,) constant; (T, nu) at the output times (linear between them, or held with ``hold``); a
        dict or list with a number or law per input; law(t); or feedback u(t, q, v).  Zero if omitted.
    method : Method, optional
        If omitted, chosen by looking at the model: `GeneralizedAlpha` with loops, `Radau` where fast vibrations are
        hardly damped, else, and with contact or joints that may spin, `NDF`; ``stats["reason"]`` says why.
    breaks : sequence of float
        Times at which functions of yours jump: steps end there.  `supple.laws` tell theirs by themselves.
    control_rate : float, optional
        Sample feedback so many times per second and hold it in between.
    events : sequence of Event
        What stops or switches the simulation.
    progress : bool or callable, optional
        Show a line on the terminal; omitted, only if the run takes longer than a moment.  A function (t, h) is
        told the time and the step instead, some ten times per second, between steps; if it returns True the run
        ends there: its motion so far is returned, ``stats["stopped"]`` is True, and the checkpoint, if there is
        one, is saved.
    checkpoint : path, optional
        File to which the run is saved every ``checkpoint_every`` seconds; with ``resume`` the run goes on from it
        (if it is there) and ends bit for bit like an unbroken one.  Robot and arguments must be the same, functions
        by their code and by what they refer to; the error of another run says what differs.
    resume : bool or "other inputs"
        Whether to go on from the checkpoint; ``"other inputs"``: also with another u than the run began with, such
        as a function of yours that failed and was repaired.
    max_steps : int, optional
        Give up after so many steps.
    record : bool
        Keep what derivatives of the motion need, its states and steps: then ``motion.vjp`` and ``motion.jvp`` tell
        how it changes with its initial state and its inputs.

    Raises
    ------
    SimulationError
        If it cannot go on: says when, where and why, and keeps the motion so far in ``.trajectory``.
    """
    from supple.solvers.motion.simulation import simulate

    return simulate(
        model,
        t,
        q0,
        v0,
        u,
        method,
        breaks=breaks,
        hold=hold,
        control_rate=control_rate,
        events=events,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
        max_steps=max_steps,
        record=flag(record, "record"),
    )
