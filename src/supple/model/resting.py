"""Equilibria of a robot; the solvers load when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import flag, whole_number
from supple.model.arguments import number
from supple.model.assembly import assemble as close_loops

if TYPE_CHECKING:
    from supple.model.model import Model
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

    Internal states of loads are held where they begin.

    Parameters
    ----------
    u : (nu,) or dict, optional
        Inputs; zero if omitted.
    q0, multipliers : optional
        Where to begin: rest, and multipliers that balance best there, if omitted; pass those of a neighbour for a
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
    threads: int | None = None,
) -> EquilibriumSet:
    """Several equilibria under the same inputs and loads, stable or not, by rising energy.

    Many starts, deflation (Newton's method that does not come back to what is known) and walks down from whatever is
    unstable.  Nothing promises that all are found: look at how often each was met, and take more starts if in doubt.
    Of equilibria that are neighbours along what nothing resists (a cart anywhere on its track) one is kept, and
    coordinates that give the same configuration (turns of a joint without a spring) count as one.

    Parameters
    ----------
    u : (nu,) or dict, optional
        Inputs; zero if omitted.
    q0 : (n,) or (K, n), optional
        First starts, around which the others are drawn; rest if omitted.
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
        Show a line on the terminal; omitted, only if it takes longer than a moment.  A function (starts, found) is
        told instead; if it returns True the search ends there.
    threads : int, optional
        On how many threads to look; as many as there are processors if omitted.  What is found does not depend on it.

    Returns
    -------
    EquilibriumSet
        A sequence of `Equilibrium` with ``energies`` and ``hits``; it prints as a table, and ``plot()`` shows shapes.

    Raises
    ------
    Interrupted
        At Ctrl-C, with what was found in ``.result``.
    """
    from supple.solvers.options import check_progress, hunt_options, search_options, thread_count
    from supple.solvers.statics.all_equilibria import statics_all

    search = search_options(tolerance, max_iterations)
    options = hunt_options(starts, most, seconds, seed, spread, search, model.n)
    check_progress(progress)
    return statics_all(model, u, q0, number("t", t), options, progress, thread_count(threads))


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

    ``at`` is an `Equilibrium`, or coordinates of one (n,); omitted, the equilibrium under u is looked for.
    """
    from supple.solvers.statics.modes import modes

    return modes(model, at, u, number("t", t), None if count is None else whole_number(count, "count"))
