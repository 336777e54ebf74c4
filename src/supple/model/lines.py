"""Tendons and cables of a robot: lengths, rates, tensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.core import elastic_line_states as _line_states
from supple.model.results import LineState

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def lines(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0
) -> dict[str, LineState]:
    """Length, rate, tension and gradient of the length of every cable and tendon by name.

    A tension pulls with the generalised force -(gradient) (tension).
    """
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), work.zero if v is None else check.state("v", v)
    names = model.demand.lines
    states, gradients = np.empty((len(names), 3)), np.empty((len(names), model.n))
    _line_states.line_states(work.tree, work.space(u, t), q, v, work.zero, states, gradients)
    check.finite(np.append(states, gradients), q=q, v=v)
    rows = zip(names, states.tolist(), gradients, strict=True)
    return {name: LineState(l, rate, tension, gradient) for name, (l, rate, tension), gradient in rows}


def line_lengths(model: Model, q: ArrayLike) -> dict[str, float]:
    """Length of every tendon and cable by name [m]; of a chamber, its volume [m^3]."""
    return {name: state.length for name, state in model.lines(q).items()}


def line_jacobian(model: Model, q: ArrayLike) -> Array:
    """d(line_lengths)/dq, (number of lines, n): for tendons -B^T to rounding."""
    gradients = [state.gradient for state in model.lines(q).values()]
    return np.stack(gradients, axis=-2) if gradients else np.zeros((*np.shape(q)[:-1], 0, model.n))


def line_biases(model: Model, q: ArrayLike, v: ArrayLike) -> dict[str, float]:
    """What l'' of every line has besides (gradient) a, by name [m/s^2]: v^T (d^2 l/dq^2) v, exact."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    out = np.empty(len(model.demand.lines))
    _line_states.line_biases(work.tree, work.space(), q, v, work.zero, out)
    check.finite(out, q=q, v=v)
    return dict(zip(model.demand.lines, out.tolist(), strict=True))
