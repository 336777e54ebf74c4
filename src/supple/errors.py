"""The errors of supple: few types, each with a message naming the culprit, its value and the remedy.

All derive from `SuppleError`; those about what the user wrote are also `ValueError`, those about what an
algorithm met are also `RuntimeError`, so that general code catches them without knowing supple.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class SuppleError(Exception):
    """Any error raised on purpose by supple."""


class ModelError(SuppleError, ValueError):
    """The description of a robot is wrong: a dimension, a name, an order, a material constant."""


class FileError(ModelError):
    """A file that describes a robot cannot be read: the message names file, line, key, and what to write instead."""


class DesignError(ModelError):
    """A design cannot be used so: its function fails, a parameter is unknown or changes the structure of the robot."""


class ModelWarning(UserWarning):
    """The description of a robot is legal but strange: an inertia that no body has, a kink between points."""


class ShapeError(SuppleError, ValueError):
    """An array passed to a function has the wrong shape."""


class StateError(SuppleError, ValueError):
    """A state (q, v, a, u, ...) holds values no algorithm can use: NaN, infinity, an angle off its chart."""


class ConvergenceError(SuppleError, RuntimeError):
    """An iteration stopped before reaching its tolerance."""


class StorageError(SuppleError, OSError):
    """A file cannot be written or read; what was there before is kept."""


class MissingExtraError(SuppleError, ImportError):
    """Something that is not installed with supple itself is needed, such as matplotlib for pictures."""


class PictureError(SuppleError, ValueError):
    """A picture cannot be made as asked: an unknown option, a file name without a known ending, an empty motion."""


class SimulationError(ConvergenceError):
    """A simulation could not go on.

    Attributes
    ----------
    trajectory : Trajectory
        Everything up to the last good step.
    t : float
        Time of the last good step, s.
    q, v : (n,)
        State there.
    """

    def __init__(self, message: str, trajectory: Any = None, t: float = 0.0, q: Any = None, v: Any = None) -> None:
        super().__init__(message)
        self.trajectory, self.t, self.q, self.v = trajectory, t, q, v


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what had been computed until then.

    It is a `KeyboardInterrupt`: a script ends, and handlers of errors let it pass.  Catch it to go on with what is
    there; in a notebook it is ``sys.last_value``.

    Attributes
    ----------
    result : Equilibria, EquilibriumSet, EquilibriumPath or a pair of paths
        As the function would have returned it, cut short.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class SingularError(SuppleError, RuntimeError):
    """A matrix that has to be inverted is singular, such as the mass matrix of a massless link."""


class _Hearing(threading.local):
    """Who hears a thread's warnings: nobody where ``silent`` is above zero, else the list ``notes``, else everybody."""

    silent = 0
    notes: list[str] | None = None


_hearing = _Hearing()


@contextmanager
def unwarned() -> Iterator[None]:
    """No `warn` of this thread inside the block: for what is done once more and has been warned of before.

    `warnings.catch_warnings` would change the filters of all threads, and two of its blocks at once leave them changed.
    """
    _hearing.silent += 1
    try:
        yield
    finally:
        _hearing.silent -= 1


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect what `warn` says in this thread inside the block, instead of giving warnings; blocks nest.

    For who says it later, in fewer words; of this thread alone, for the same reason as `unwarned`.
    """
    before, notes = _hearing.notes, list[str]()
    _hearing.notes = notes
    try:
        yield notes
    finally:
        _hearing.notes = before


def warn(message: str) -> None:
    """Give a `ModelWarning` that points at the user's line: the innermost one outside this package."""
    if _hearing.silent:
        return
    if _hearing.notes is not None:
        _hearing.notes.append(message)
        return
    level, frame, own = 1, sys._getframe(), (__package__, "contextlib")  # the latter between blocks of ours
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in own:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, ModelWarning, stacklevel=level)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Prefix every `SuppleError` raised inside the block with ``what``.

    Small objects (a section, a joint) do not know the link they belong to; whoever uses them does.
    The error keeps its type, attributes and traceback. Blocks nest, the outermost name comes first.

    Examples
    --------
    >>> with naming("link 'arm'"):
    ...     raise ModelError("radius is -0.003 m, must be positive")
    Traceback (most recent call last):
    ...
    supple.errors.ModelError: link 'arm': radius is -0.003 m, must be positive
    """
    try:
        yield
    except SuppleError as error:
        message, *rest = error.args or ("",)
        # Changing the arguments in place, rather than raising a new error, keeps subclasses with
        # further constructor arguments or attributes intact.
        error.args = (f"{what}: {message}", *rest)
        raise
