"""Where a simulation begins: its times, and a state that loops and prescribed motions allow."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ConvergenceError, ModelWarning, ShapeError, StateError
from supple.model.constraints import CLOSED, loop_terms, solve_constrained
from supple.model.open_loops import WIDE, dropped_gap
from supple.solvers.stage.acceleration import LARGE

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def output_times(t: ArrayLike) -> tuple[float, float, Array | None]:
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
    q = model.rest.copy() if q0 is None else _finite(model, "q0", q0)
    v = np.zeros(model.n) if v0 is None else _finite(model, "v0", v0)
    given = v.copy()
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        q[own], given[own], _ = joint.motion(t)
    if not model.nc:
        return q, given
    gap = gap_of(model, q)
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
    return q, projected(model, q, v, given)[0]


def _finite(model: Model, name: str, given: ArrayLike) -> Array:
    """A copy of a vector (n,) without NaN and infinities."""
    value = model.arguments.state(name, given).copy()
    if not np.isfinite(value).all():
        i = int(np.flatnonzero(~np.isfinite(value))[0])
        raise StateError(f"{name}[{i}] ({model.coordinate_names[i]}) is {value[i]}, must be finite")
    return value


def gap_of(model: Model, q: Array) -> float:
    """By how much loops are open, rad or m."""
    zero = np.zeros(model.n)
    gap = float(np.abs(loop_terms(model, q, zero, zero, model.loops).error).max())
    dropped = dropped_gap(model, q)[0]
    return max(gap, dropped) if dropped > WIDE else gap


def projected(model: Model, q: Array, v: Array, given: Array) -> tuple[Array, Array]:
    """The rates next to v that loops allow, prescribed ones ``given``, and the impulses (nc,) that change them."""
    A = loop_terms(model, q, given, np.zeros(model.n), model.loops).jacobian
    free, fixed = model.free_coordinates, model.fixed_coordinates
    change = (given - v)[fixed][:, None]
    force, rate = np.zeros((model.n, 1)), -(A @ v)[:, None]
    M = model.mass_matrix(q) if rate.any() or change.any() else _inertia(model, q)
    moved, impulses = solve_constrained(M, A, force, rate, free, fixed, change)
    return v + moved[:, 0], impulses[:, 0]


def _inertia(model: Model, q: Array) -> Array:
    """M by the tangent that every run needs, where it is only asked whether loops leave accelerations that are unique.

    A kernel less is compiled for a first run with loops.
    """
    still = np.zeros(model.n)
    try:
        return np.asarray(model.residual_tangent(q, still, still, ca=LARGE)[1]) / LARGE
    except Exception:  # of a user's law, say: the run will meet it, and tell
        return np.asarray(model.mass_matrix(q))
