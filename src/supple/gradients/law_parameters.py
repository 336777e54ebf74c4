"""Inputs by their parameters: how a law of time changes with its numbers, in both directions.

A law with values (k,) is pushed forward, a variation of its parameters to one of its values (S, k) at times (S,), and
pulled back, cotangents (S, k) to a gradient by its parameters.  Times of jumps and knots are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from supple.checks import finite_array, real_array, shown
from supple.errors import ModelError
from supple.laws import Constant, Law, Polynomial, Product, Ramp, Sine, Spline, Steps, Sum, Table

Array = np.ndarray


class Parameter(NamedTuple):
    """A parameter of a law at some times: its value, and the derivative of the law by it."""

    value: Any
    push: Callable[[Array], Array]  #: variation of the parameter -> (S, k)
    pull: Callable[[Array], Array]  #: (S, k) -> gradient, shaped like the parameter


def _scalar(value: Any, slope: Array) -> Parameter:
    """A parameter that is a number for all values, or one per value; ``slope`` (S, k) or (S, 1)."""
    shape = np.shape(value)
    if shape == ():
        return Parameter(value, lambda d: slope * d, lambda c: np.asarray((slope * c).sum()))
    return Parameter(value, lambda d: slope * d, lambda c: np.broadcast_to((slope * c).sum(axis=0), shape).copy())


def _samples(values: Any, weights: Array) -> Parameter:
    """Values (m,) or (m, k) at knots, of which the law is a weighted sum; weights (S, m)."""
    flat = np.ndim(values) == 1

    def pull(c: Array) -> Array:
        found = weights.T @ c
        return np.asarray(found.sum(axis=1) if flat else found)

    return Parameter(values, lambda d: weights @ (d[:, None] if flat else d), pull)


def _intervals(times: Any, t: Array) -> Array:
    """The last knot that is not later than t, (S,)."""
    return np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1)


def _knot_weights(times: Any, t: Array, hold: bool) -> Array:
    """Weights (S, m) of values that are held, or joined by straight lines."""
    knots, where = np.asarray(times), _intervals(times, t)
    weights = np.zeros((len(t), len(knots)))
    rows = np.arange(len(t))
    if hold or len(knots) == 1:
        weights[rows, where] = 1.0
        return weights
    left = np.minimum(where, len(knots) - 2)
    x = np.clip((t - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)
    weights[rows, left] = 1.0 - x
    weights[rows, left + 1] += x
    return weights


def _of_ramp(law: Ramp, t: Array) -> dict[str, Parameter]:
    span = law.t1 - law.t0
    x = np.clip((t - law.t0) / span, 0.0, 1.0)[:, None]
    inside = ((t >= law.t0) & (t < law.t1))[:, None]
    rise = np.atleast_1d(law.end - law.start)
    return {
        "start": _scalar(law.start, 1.0 - x),
        "end": _scalar(law.end, x),
        "t0": _scalar(law.t0, inside * rise * (t - law.t1)[:, None] / span**2),
        "t1": _scalar(law.t1, inside * rise * (law.t0 - t)[:, None] / span**2),
    }


def _of_sine(law: Sine, t: Array) -> dict[str, Parameter]:
    angle = 2.0 * np.pi * law.frequency * t[:, None] + np.atleast_1d(law.phase)
    swing = np.atleast_1d(law.amplitude) * np.cos(angle)
    return {
        "amplitude": _scalar(law.amplitude, np.sin(angle)),
        "frequency": _scalar(law.frequency, 2.0 * np.pi * t[:, None] * swing),
        "phase": _scalar(law.phase, swing),
        "offset": _scalar(law.offset, np.ones((len(t), 1))),
    }


def _of_polynomial(law: Polynomial, t: Array) -> dict[str, Parameter]:
    held = t if law.t1 is None else np.clip(t, law.t0, law.t1)
    powers = (held - law.t0)[:, None] ** np.arange(len(law.coefficients))
    return {"coefficients": _samples(law.coefficients, powers)}


def _of_spline(law: Spline, t: Array) -> dict[str, Parameter]:
    unit = Spline(law.times, np.eye(len(law.times)), law.ends)  # a spline is linear in its values
    return {"values": _samples(law.values, np.array([unit(float(x)) for x in t]).reshape(len(t), -1))}


def parameters(law: Law, t: Array) -> dict[str, Parameter] | None:
    """Parameters of a law by name, at times t; None if nobody knows them."""
    kinds: dict[type, Callable[[Any, Array], dict[str, Parameter]]] = {
        Constant: lambda x, s: {"value": _scalar(x.value, np.ones((len(s), 1)))},
        Ramp: _of_ramp,
        Sine: _of_sine,
        Polynomial: _of_polynomial,
        Spline: _of_spline,
        Steps: lambda x, s: {"values": _samples(x.values, _knot_weights(x.times, s, True))},
        Table: lambda x, s: {"values": _samples(x.values, _knot_weights(x.times, s, x.hold))},
    }
    found = next((make for kind, make in kinds.items() if isinstance(law, kind)), None)
    return None if found is None else found(law, t)


def values(law: Law, t: Array) -> Array:
    """Values of a law at times, (S, k)."""
    return np.array([np.atleast_1d(law(float(x))) for x in t]).reshape(len(t), -1)


def pull_back(law: Any, t: Array, cotangent: Array) -> dict[str, Any] | None:
    """The gradient by the parameters of a law from cotangents (S, k) of its values; None if nobody knows them."""
    if isinstance(law, (Sum, Product)):
        product = isinstance(law, Product)
        first = cotangent * values(law.b, t) if product else cotangent
        second = cotangent * values(law.a, t) if product else cotangent
        return {"a": pull_back(law.a, t, first), "b": pull_back(law.b, t, second)}
    known = parameters(law, t)
    return None if known is None else {name: parameter.pull(cotangent) for name, parameter in known.items()}


def push_forward(law: Any, t: Array, variation: Mapping[str, Any], k: int) -> Array:
    """The variation (S, k) of a law's values from one of its parameters, by name."""
    if not isinstance(variation, Mapping):
        raise ModelError(f"u: {type(law).__name__} is varied by a dict of its parameters, got {shown(variation)}")
    if isinstance(law, (Sum, Product)):
        parts = {"a": np.zeros((len(t), k)), "b": np.zeros((len(t), k))}
        for name, change in variation.items():
            _check(law, name, parts)
            parts[name] = push_forward(getattr(law, name), t, change, k)
        if isinstance(law, Product):
            return np.asarray(parts["a"] * values(law.b, t) + parts["b"] * values(law.a, t))
        return np.asarray(parts["a"] + parts["b"])
    known = parameters(law, t) or {}
    total = np.zeros((len(t), k))
    for name, change in variation.items():
        _check(law, name, known)
        total = total + known[name].push(_like(known[name].value, change, f"u: {type(law).__name__}: {name}"))
    return np.asarray(total)


def _like(value: Any, change: Any, what: str) -> Array:
    """A finite variation in the shape of a parameter; a number is that of all its entries."""
    array, shape = real_array(change, what), np.shape(value)
    return finite_array(np.full(shape, float(array)) if array.ndim == 0 else array, shape, what)


def _check(law: Any, name: Any, known: dict[str, Any]) -> None:
    if not isinstance(name, str) or name not in known:
        raise ModelError(
            f"u: {type(law).__name__} has no parameter {name!r} to be varied; it has: {', '.join(known) or 'none'}"
        )


def add(total: Any, part: Any) -> Any:
    """Sum of two gradients of the same form."""
    if total is None or part is None:
        return part if total is None else total
    if isinstance(total, dict):
        return {name: add(total[name], part[name]) for name in total}
    if isinstance(total, list):
        return [add(x, y) for x, y in zip(total, part, strict=True)]
    return total + part
