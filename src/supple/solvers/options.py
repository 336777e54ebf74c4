"""Options of solvers as users give them: checked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from supple.checks import (
    finite_float,
    flag,
    nonnegative_float,
    positive_float,
    real_array,
    real_vector,
    shown,
    whole_number,
)
from supple.errors import ModelError
from supple.solvers.motion.events import Event

#: Value of ``resume`` with which a run goes on with another u than it began with.
OTHER_INPUTS = "other inputs"
#: Most steps, iterations or points that can be asked for.
MOST = 2**53
#: Most times at which a run stops, to sample feedback or where functions jump.
MOST_STOPS = 10_000_000


class SearchOptions(NamedTuple):
    """Of a search for an equilibrium."""

    tolerance: float
    max_iterations: int
    globalise: bool


def search_options(tolerance: Any, max_iterations: Any, globalise: Any = True) -> SearchOptions:
    """When to stop looking for an equilibrium."""
    size = positive_float(tolerance, "tolerance")
    if size >= 1.0:
        raise ModelError(f"tolerance is {size:g}, must be below 1: it is the last step of a search, in rad")
    return SearchOptions(size, whole_number(max_iterations, "max_iterations", 1, MOST), flag(globalise, "globalise"))


def thread_count(threads: Any) -> int | None:
    """How many threads, or None for as many as there are processors."""
    return None if threads is None else whole_number(threads, "threads", 1, 4096)


#: Widest spread of starts.
WIDEST = 1e6


class HuntOptions(NamedTuple):
    """Of a search for all equilibria."""

    starts: int
    most: int | None
    seconds: float | None
    seed: int
    spread: float | np.ndarray
    tolerance: float
    iterations: int


def hunt_options(
    starts: Any, most: Any, seconds: Any, seed: Any, spread: Any, search: SearchOptions, n: int
) -> HuntOptions:
    """How long and how far around to look for equilibria of a robot with n coordinates."""
    wide = real_array(spread, "spread")
    if wide.shape not in ((), (n,)) or not ((wide >= 0.0) & (wide <= WIDEST)).all():
        raise ModelError(f"spread is {shown(spread)}, must be a number from 0 to {WIDEST:g}, or {n} of them")
    return HuntOptions(
        whole_number(starts, "starts", 1, MOST),
        None if most is None else whole_number(most, "most", 1, MOST),
        None if seconds is None else positive_float(seconds, "seconds"),
        whole_number(seed, "seed", 0, MOST),
        wide if wide.ndim else float(wide),
        search.tolerance,
        search.max_iterations,
    )


class PathOptions(NamedTuple):
    """Of a path of equilibria."""

    s: tuple[float, float]
    step: float | None
    max_step: float | None
    max_points: int
    stop: Callable[..., Any] | None


def path_options(s: Any, step: Any, max_step: Any, max_points: Any, stop: Any) -> PathOptions:
    """Range and steps of a path of equilibria."""
    ends = real_array(s, "s")
    if ends.shape != (2,):
        raise ModelError(f"s is {shown(s)}, must be two different finite numbers")
    begin, end = ends.tolist()
    if begin == end or not abs(end - begin) < 1e300:
        raise ModelError(f"s is {shown(s)}, must be two different finite numbers")
    if stop is not None and not callable(stop):
        raise ModelError(f"stop is {shown(stop)}, must be a function of (s, q)")
    return PathOptions(
        (begin, end),
        None if step is None else positive_float(step, "step"),
        None if max_step is None else positive_float(max_step, "max_step"),
        whole_number(max_points, "max_points", 1, MOST),
        stop,
    )


class RunOptions(NamedTuple):
    """Of a simulation, but for its method."""

    breaks: tuple[float, ...]
    hold: bool
    control_rate: float | None
    events: tuple[Event, ...]
    checkpoint_every: float
    resume: bool | str
    max_steps: int | None


def run_options(
    breaks: Any, hold: Any, control_rate: Any, events: Any, checkpoint_every: Any, resume: Any, max_steps: Any
) -> RunOptions:
    """Options of a simulation."""
    rate = None
    if control_rate is not None:
        rate = finite_float(control_rate, "control_rate")
        if rate <= 0.0:
            raise ModelError(f"control_rate is {rate:g}, must be positive (samples per second)")
    return RunOptions(
        tuple(real_vector(breaks, "breaks", MOST_STOPS)),
        flag(hold, "hold"),
        rate,
        _events(events),
        nonnegative_float(checkpoint_every, "checkpoint_every", "s"),
        _resume(resume),
        None if max_steps is None else whole_number(max_steps, "max_steps", 1, MOST),
    )


def _resume(resume: Any) -> bool | str:
    """Whether to go on with a saved run, or `OTHER_INPUTS`."""
    if isinstance(resume, str):
        if resume == OTHER_INPUTS:
            return resume
        raise ModelError(f'resume is {shown(resume)}, must be True, False or "{OTHER_INPUTS}"')
    return flag(resume, "resume")


def _events(events: Any) -> tuple[Event, ...]:
    """One event or several, with different names."""
    try:
        given = (events,) if isinstance(events, Event) else tuple(events)
    except TypeError:
        given = (events,)
    for i, event in enumerate(given):
        if not isinstance(event, Event):
            hint = "; wrap a function as supple.Event(function)" if callable(event) else ""
            raise ModelError(f"events[{i}] is {shown(event)}, must be a supple.Event{hint}")
    return given


def check_progress(progress: Any) -> None:
    """A flag, a function, or None."""
    if progress is not None and not callable(progress):
        flag(progress, "progress")
