"""Many equilibria and many motions of a robot at once, on threads; what makes them loads when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from supple.checks import flag

if TYPE_CHECKING:
    from supple.batch.motions import Motions
    from supple.batch.tally import Report
    from supple.model.model import Model
    from supple.solvers.integrators import Method
    from supple.solvers.motion.events import Event
    from supple.solvers.statics.equilibrium import Equilibria


def statics_batch(
    model: Model,
    u: ArrayLike | None = None,
    q0: ArrayLike | None = None,
    t: float = 0.0,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
    threads: int | None = None,
) -> Equilibria:
    """Equilibria for many inputs u (N, nu), from q0 (n,) or (N, n), on several threads, as `statics` finds them.

    Inputs (nu,), or none, are those of all searches that begin at q0 (N, n).  A row that cannot be worked on, by a NaN
    or a negative tension, is named in ``failures``, with a warning; the others are found all the same.

    Ctrl-C raises `Interrupted`, a `KeyboardInterrupt`, which keeps in ``.result`` what was found until then: rows
    that were worked on are marked in ``done``.
    """
    from supple.solvers.options import search_options, thread_count
    from supple.solvers.statics.batch import statics_batch

    tolerance, max_iterations, _ = search_options(tolerance, max_iterations)
    return statics_batch(model, u, q0, t, tolerance, max_iterations, thread_count(threads))


def simulate_batch(
    model: Model,
    t: ArrayLike,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    u: Any = None,
    method: Method | None = None,
    *,
    threads: int | None = None,
    folder: str | PathLike[str] | None = None,
    resume: bool = True,
    progress: bool | Report | None = None,
    breaks: Sequence[float] = (),
    hold: bool = False,
    control_rate: float | None = None,
    events: Sequence[Event] = (),
    max_steps: int | None = None,
    record: bool = False,
    checkpoint: None = None,
) -> Motions:
    """Many motions at once, on several threads: each to the bit what `simulate` returns for it.

    A run that fails is named in ``failures`` of what is returned, with a warning, and stops no other.

    Parameters
    ----------
    t : (T,)
        Output times, the same for all runs.
    q0, v0 : (n,) or (B, n), optional
        Initial states, of all runs or of each.
    u : optional
        Inputs: what all runs share, (nu,) or a dict, law or function as for `simulate`; or those of each run, as
        numbers (B, nu), as samples (B, T, nu) at the output times ((1, T, nu): of all), or as a list of anything that
        `simulate` takes.  Functions are called from several threads.
    method : Method, optional
        As for `simulate`.
    threads : int, optional
        As many as there are processors if omitted; results do not depend on it.
    folder : path, optional
        Where every motion is saved as soon as it is done, with an index; arrays are then read from there when they
        are asked for.  ``Motions.load(folder, model)`` reads them again.
    resume : bool
        Whether runs that the folder has already, of the same robot and arguments, are kept; those that failed are
        made again.
    progress : bool or callable, optional
        A line on the terminal; omitted, only if the batch takes longer than a moment.  A function (done, count) is
        told instead, some ten times per second; if it returns True, no further runs are begun and those at work are
        left.
    breaks, hold, control_rate, events, max_steps, record
        As for `simulate`, of all runs.
    checkpoint
        Belongs to single runs, and is refused: use ``folder``.

    Returns
    -------
    Motions
        Arrays (B, T, ...), NaN where a run did not come; ``motions[i]`` is a `Trajectory`.

    Raises
    ------
    Interrupted
        At Ctrl-C, a `KeyboardInterrupt`, with the runs that are done in ``.result``.
    """
    from supple.batch.simulating import simulate_batch

    return simulate_batch(
        model,
        t,
        q0,
        v0,
        u,
        method,
        threads=threads,
        folder=folder,
        resume=resume,
        progress=progress,
        checkpoint=checkpoint,
        breaks=breaks,
        hold=hold,
        control_rate=control_rate,
        events=events,
        max_steps=max_steps,
        record=flag(record, "record"),
    )
