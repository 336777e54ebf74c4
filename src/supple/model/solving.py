"""Equilibria and motions of a robot; the solvers load when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import flag, whole_number
from supple.model.arguments import number
from supple.model.assembly import assemble as close_loops

if TYPE_CHECKING:
    from supple.gradients.linearization import Linearization
    from supple.model.model import Model
    from supple.model.results import Step, StepDerivatives
    from supple.solvers.integrators import Method
    from supple.solvers.motion.events import Event
    from supple.solvers.motion.trajectory import Trajectory
    from supple.solvers.progress import Report
    from supple.solvers.statics.continuation import EquilibriumPath
    from supple.solvers.statics.equilibrium import Equilibrium
    from supple.solvers.statics.equilibrium_set import EquilibriumSet
    from supple.solvers.statics.modes import Modes

Array = np.ndarray


def assemble(
    model: Model, q0: ArrayLike | None = None, *, at_rest: bool = False, u: ArrayLike | None = None, t: float = 0.0
) -> Array:
    """Coordinates that close all loops, near ``q0`` (default: rest); prescribed joints stay at q0.

    Where q0 itself leads nowhere (all bars on one line), places around it are tried, the same ones at every call.
    With ``at_rest`` the robot is closed in equilibrium, under inputs u and with prescribed joints at time t.
    Raises `ConvergenceError` naming the loop that cannot be closed.
    """
    if flag(at_rest, "at_rest"):
        from supple.solvers.statics.search import assemble_at_rest

        return assemble_at_rest(model, q0, u, t)
    start = model.arguments.state("q", model.rest if q0 is None else q0)
    return close_loops(model, model.arguments.finite(start, q=start), model.loops, model.fixed_coordinates)


def statics(
    model: Model,
    u: Any = None,
    q0: ArrayLike | None = None,
    t: float = 0.0,
    *,
    multipliers: ArrayLike | None = None,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
    globalise: bool = True,
) -> Equilibrium:
    """An equilibrium under inputs and loads, a stable one if that can be found from q0.

    Further states of loads are held where they begin.

    Parameters
    ----------
    u : (nu,) or dict, optional
        Inputs; zero if left out.
    q0, multipliers : optional
        Where to begin: rest, and multipliers that balance best there, if left out; pass those of a neighbour for a
        warm start.  Loops may be open: they are closed near q0 first, if Newton's method does not do it.
    t : float
        Time at which laws of loads and prescribed joints are taken, s.
    tolerance : float
        Size of a Newton step (rad; strains count tenfold) that ends the search.
    globalise : bool
        If Newton's method fails from q0 or (without follower loads) finds an unstable equilibrium: relax, as a slow
        motion would; with loops, close them and walk down on what they allow; if that fails, also let go of q0 step
        by step.  False: Newton's method alone.

    Returns
    -------
    Equilibrium
        ``converged`` tells whether it is one, ``message`` why not (a warning is given, too), ``stable`` whether it
        is stable (None: not known).  Motions that nothing resists, such as those of a cart, are no obstacle:
        ``free_directions`` holds them, and the message names them.
    """
    from supple.solvers.options import search_options
    from supple.solvers.statics.search import statics

    return statics(model, u, q0, t, multipliers, *search_options(tolerance, max_iterations, globalise))


def statics_all(
    model: Model,
    u: Any = None,
    q0: ArrayLike | None = None,
    t: float = 0.0,
    *,
    starts: int = 64,
    most: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    spread: ArrayLike = 1.0,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
    progress: bool | Report | None = None,
) -> EquilibriumSet:
    """Several equilibria under the same inputs and loads, stable or not, by rising energy.

    Many starts, deflation (Newton's method that does not come back to what is known) and walks down from whatever is
    unstable.  Nothing promises that all are found: look at how often each was met, and take more starts if in doubt.
    Of equilibria that are neighbours along what nothing resists (a cart anywhere on its track) one is kept, and
    coordinates that give the same configuration (turns of a joint without a spring) count as one.

    Parameters
    ----------
    u : (nu,) or dict, optional
        Inputs; zero if left out.
    q0 : (n,) or (K, n), optional
        First starts, around which the others are drawn; rest if left out.
    t : float
        Time at which laws of loads and prescribed joints are taken, s.
    starts : int
        From how many places to look: those of q0, random ones around, and ones beside what was found.
    most : int, optional
        End when so many equilibria are known.
    seconds : float, optional
        Make no new start after so long.
    seed : int
        Of random starts: the same seed gives the same result, unless ``seconds`` cut it short.
    spread : float or (n,)
        How far starts lie from q0: 1 is some radians for what bends, any angle for joints that turn freely, and the
        size of the robot for joints that slide.
    tolerance, max_iterations :
        Of each search, as for `statics`.
    progress : bool or callable, optional
        Show a line on the terminal; left out, only if it takes longer than a moment.  A function (starts, found) is
        told instead; if it returns True the search ends there.

    Returns
    -------
    EquilibriumSet
        A sequence of `Equilibrium` with ``energies`` and ``hits``; it prints as a table, and ``plot()`` shows shapes.

    Raises
    ------
    Interrupted
        At Ctrl-C, with what was found in ``.result``.
    """
    from supple.solvers.options import check_progress, hunt_options, search_options
    from supple.solvers.statics.all_equilibria import statics_all

    search = search_options(tolerance, max_iterations)
    options = hunt_options(starts, most, seconds, seed, spread, search, model.n)
    check_progress(progress)
    return statics_all(model, u, q0, number("t", t), options, progress)


def equilibrium_path(
    model: Model,
    u: Any = None,
    s: tuple[float, float] = (0.0, 1.0),
    q0: ArrayLike | None = None,
    *,
    step: float | None = None,
    max_step: float | None = None,
    max_points: int = 500,
    stop: Callable[[float, Array], bool] | None = None,
) -> EquilibriumPath:
    """Equilibria along a path in one parameter s, followed through limit points.

    The parameter is the time at which all laws of loads and prescribed joints are taken, so any load can grow along
    the path (``PointWrench("arm", lambda s: s * P)``), and inputs follow it, too.  A path that turns back at a
    limit point may pass its beginning, where a `Ramp`, constant outside its range, has no load to offer.

    Parameters
    ----------
    u : (nu,), dict or callable, optional
        Inputs at the end, growing in proportion from zero at the beginning; or inputs as a function of s.
    s : (float, float)
        Beginning and end.
    q0 : (n,), optional
        Where to look for the first equilibrium.
    step, max_step : float, optional
        First and longest step along the path, in units of coordinates (rad) and of the range of s; 0.05 and 0.5.
    max_points : int
        Stop after so many.
    stop : callable, optional
        (s, q) -> whether to stop here.

    Returns
    -------
    EquilibriumPath
        Points with stability, and limit points and bifurcations found between them; ``path.branches(0)`` follows what
        branches off.

    Raises
    ------
    Interrupted
        At Ctrl-C, with the path so far in ``.result``.
    """
    from supple.solvers.options import path_options
    from supple.solvers.statics.continuation import equilibrium_path

    return equilibrium_path(model, u, q0, path_options(s, step, max_step, max_points, stop))


def modes(
    model: Model, at: Equilibrium | ArrayLike | None = None, u: Any = None, t: float = 0.0, count: int | None = None
) -> Modes:
    """Natural frequencies, damping ratios and shapes of small motions about an equilibrium, slowest first.

    ``at`` is an `Equilibrium`, or coordinates of one (n,); left out, the equilibrium under u is looked for.
    """
    from supple.solvers.statics.modes import modes

    return modes(model, at, u, number("t", t), None if count is None else whole_number(count, "count"))


def linearize(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    u: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Linearization:
    """The linear system x' = A x + B u about a state (v omitted: at rest), x = [dq, dv, dz].

    z are further states of loads, if any; ``u`` are the inputs at the state.  ``.discrete(dt)`` holds them over a
    step, ``.reduced()`` gives the system in coordinates of what loops and prescribed joints allow.  The state need
    not be an equilibrium: A and B then tell how the motion through it changes.
    """
    from supple.gradients.linearization import linearize

    return linearize(model, q, v, u, t, z)


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
        second order, and so does this step with them.  Left out: that.  A ``dt`` of the method does not count.
    t : float
        Time at which laws of loads and prescribed joints are taken, s.
    z : (nz,), optional
        Further states of loads; where they begin if left out.  Those after the step are ``.z`` of what is returned.

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
        Initial state; at rest if left out.  Prescribed joints begin where their laws say; open loops are closed
        near q0, and v0 is projected onto what they allow.
    u : optional
        Inputs: (nu,) constant; (T, nu) at the output times (linear between them, or held with ``hold``); a
        dict or list with a number or law per input; law(t); or feedback u(t, q, v).  Zero if left out.
    method : Method, optional
        If left out, chosen by looking at the model: `GeneralizedAlpha` with loops, `Radau` where fast vibrations are
        hardly damped, else, and with contact or joints that may spin, `NDF`; ``stats["reason"]`` says why.
    breaks : sequence of float
        Times at which functions of yours jump: steps end there.  `supple.laws` tell theirs by themselves.
    control_rate : float, optional
        Sample feedback so many times per second and hold it in between.
    events : sequence of Event
        What stops or switches the simulation.
    progress : bool or callable, optional
        Show a line on the terminal; left out, only if the run takes longer than a moment.  A function (t, h) is
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
