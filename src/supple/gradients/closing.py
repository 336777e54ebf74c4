"""How a robot that was open is closed, varied: each of the steps of `model.assembly`, along its own path.

With E = de/dq by the free coordinates, P = E^+ and the step s = -P e, changes dq of where a step begins and dp of
parameters change e by de, E by dE, the step by

    ds = -P (de + dE s) + (1 - P E) dE^T P^T s,

as rows of loops are independent, and where it ends by dq + part ds.  A step that is longer than it may be is made by
part = c / |s_i|, which changes with it, too: -(part / s_i) ds_i s more.  At the end s = 0, and the shortest way is
left, dq - P de.

Only e and E are differenced: they are smooth where the steps themselves bend sharply, near places where P is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.model.assembly import RANK, ClosingStep
from supple.model.constraints import loop_terms

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Relative step of central differences by coordinates.
STEP = 1e-5


class Beside(NamedTuple):
    """Models a little beyond and before a parameter."""

    plus: Model
    minus: Model
    scale: float  #: one over their distance


def closing_tangent(
    model: Model, steps: Sequence[ClosingStep], end: Array, start: Array, parameters: Sequence[Beside] = ()
) -> Array:
    """dq (n, k) where steps end, from those where they begin and, if given, by one parameter per column."""
    dq = start
    for step in steps:
        dq = _behind(model, step, dq, parameters)
    free, E = model.free_coordinates, _rows(model, end)[1]
    de = (dq.T @ E.T + _by_parameters(parameters, end, 0)).T
    dq = dq.copy()
    dq[free] -= np.linalg.pinv(E[:, free], rcond=RANK) @ de
    return dq


def closed_by_parameter(model: Model, steps: Sequence[ClosingStep], end: Array, t: float) -> Array:
    """dq/dp (n, count) of a robot that was open, prescribed joints where their laws are at t."""
    point = model.design
    assert point is not None
    start = np.zeros((model.n, point.design.size))
    parameters = [Beside(*pair, ends.scale) for pair, ends in zip(point.models, point.ends, strict=True)]
    for j, (plus, minus, scale) in enumerate(parameters):
        for beyond, before in zip(plus.prescribed, minus.prescribed, strict=True):
            own = slice(beyond.coordinates.start, beyond.coordinates.stop)
            start[own, j] = scale * (np.asarray(beyond.motion(t)[0]) - np.asarray(before.motion(t)[0]))
    return closing_tangent(model, steps, end, start, parameters)


def _behind(model: Model, made: ClosingStep, dq: Array, parameters: Sequence[Beside]) -> Array:
    """dq (n, k) behind a step, from those before it."""
    free, (e, E) = model.free_coordinates, _rows(model, made.q)
    P = np.linalg.pinv(E[:, free], rcond=RANK)
    s = -P @ e
    de = (dq.T @ E.T + _by_parameters(parameters, made.q, 0)).T
    dE = np.tensordot(dq.T, _by_coordinates(model, made.q, np.flatnonzero(dq.any(axis=1))), 1)  # (k, nc, n)
    dE = (dE + _by_parameters(parameters, made.q, 1))[:, :, free]
    turned = np.tensordot(dE, P.T @ s, (1, 0)).T
    ds = -P @ (de + (dE @ s).T + E[:, free] @ turned) + turned
    moved = made.part * ds
    if made.shortened:
        i = int(np.abs(s).argmax())
        moved -= made.part / s[i] * np.outer(s, ds[i])
    found = dq.copy()
    found[free] += moved
    return found


def _rows(model: Model, q: Array) -> tuple[Array, Array]:
    """e (nc,) and de/dq (nc, n)."""
    zero = np.zeros(model.n)
    terms = loop_terms(model, q, zero, zero, model.loops)
    return terms.error, terms.error_derivative


def _by_coordinates(model: Model, q: Array, moved: Array) -> Array:
    """d(de/dq)/dq (n, nc, n), by those coordinates that move."""
    found = np.zeros((model.n, model.nc, model.n))
    for j in moved:
        step = np.zeros(model.n)
        step[j] = STEP * max(1.0, abs(q[j]))
        found[j] = (_rows(model, q + step)[1] - _rows(model, q - step)[1]) / (2.0 * step[j])
    return found


def _by_parameters(parameters: Sequence[Beside], q: Array, which: int) -> Array | float:
    """Of e (0) or de/dq (1) at fixed coordinates, with a first axis of parameters; zero if there are none."""
    slopes = [(_rows(plus, q)[which] - _rows(minus, q)[which]) * scale for plus, minus, scale in parameters]
    return np.array(slopes) if slopes else 0.0
