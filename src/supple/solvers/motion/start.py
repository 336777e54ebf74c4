"""Where a simulation begins: its times, and a state that loops and prescribed motions allow."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ConvergenceError, ModelWarning, ShapeError, StateError
from supple.model.constraints import CLOSED, loop_terms, solve_constrained

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


def gap_of(model: Model, q: Array) -> float:
    """By how much loops are open, rad or m."""
    zero = np.zeros(model.n)
    return float(np.abs(loop_terms(model, q, zero, zero, model.loops).error).max())


def projected(model: Model, q: Array, v: Array, given: Array) -> tuple[Array, Array]:
    """The rates next to v that loops allow, prescribed ones ``given``, and the impulses (nc,) that change them."""
    A = loop_terms(model, q, given, np.zeros(model.n), model.loops).jacobian
    free, fixed = model.free_coordinates, model.fixed_coordinates
    change = (given - v)[fixed][:, None]
    force, rate = np.zeros((model.n, 1)), -(A @ v)[:, None]
    moved, impulses = solve_constrained(model.mass_matrix(q), A, force, rate, free, fixed, change)
    return v + moved[:, 0], impulses[:, 0]
