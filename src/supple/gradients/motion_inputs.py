"""Inputs of a motion, in the forms in which users give them, by their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import floats, shown, why
from supple.errors import ModelError, ShapeError, StateError
from supple.gradients import law_parameters
from supple.laws import Constant, Law, Table
from supple.solvers.inputs import Excitation, tabulate
from supple.solvers.problem import TO_INPUT
from supple.solvers.rounding import CENTRAL_STEP

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class InputForm:
    """What users gave for u, and how inputs at times follow from it.

    Attributes
    ----------
    gradient : Any
        The gradient so far, in the form of u.
    """

    def __init__(self, model: Model, u: Any, times: Array | None, hold: bool) -> None:
        self.model, self.u, self.nu = model, u, model.nu
        self.laws: list[tuple[Any, slice]] = []  # law and the inputs it drives
        self.form = "none"
        if u is None:
            self.form, self.laws = "array", [(_Number(np.zeros(self.nu)), slice(0, self.nu))]
        elif isinstance(u, Law):
            self.form, self.laws = "law", [(u, slice(0, self.nu))]
        elif callable(u):
            self.form = "function"
        elif isinstance(u, Mapping):
            self.form = "dict"
            self.laws = [(_as_law(u[name]), self._one(name)) for name in u]
        elif isinstance(u, (list, tuple)) and any(callable(x) for x in u):
            self.form, self.laws = "list", [(_as_law(x), slice(i, i + 1)) for i, x in enumerate(u)]
        else:
            given = np.array(u, dtype=float)
            law = _Number(given) if given.ndim == 1 else _Samples(times, given, hold=hold)
            self.form, self.laws = "array", [(law, slice(0, self.nu))]
        self.found: list[Any] = [None] * len(self.laws)
        self.excitation = Excitation(model, u, times, hold)
        self.followed = np.zeros(self.nu, dtype=bool)  #: inputs that follow the state
        self.followed[:] = self.excitation.feedback is not None
        for steered in self.excitation.steered:
            self.followed[steered] = True

    def slopes(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Derivatives (nu, 2 n + k) of inputs that follow the state, by q, v and the k states of controllers."""
        own, n = self.excitation.states, self.model.n
        state, found = np.concatenate([q, v, z[:own]]), np.zeros((self.nu, 2 * len(q) + own))
        for j in range(len(state)):
            step = np.zeros(len(state))
            step[j] = CENTRAL_STEP * max(1.0, abs(state[j]))
            ends = [self.excitation.outputs(t, *np.split(x, [n, 2 * n])) for x in (state + step, state - step)]
            found[:, j] = (ends[0] - ends[1]) / (2.0 * step[j])
        found[~self.followed] = 0.0
        return found

    def time_slopes(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Derivatives (nu,) of inputs by time where the state stands still: of laws exact, of functions differenced.

        Feedback that is sampled counts as what it would answer.
        """
        step = CENTRAL_STEP * max(1.0, abs(t))
        times, both = np.array([t - step, t + step]), (2, 1)
        before, after = self.excitation.inputs_along(times, np.tile(q, both), np.tile(v, both), np.tile(z, both))
        found = (after - before) / (2.0 * step)
        program, targets = self.excitation.program()
        rates = np.zeros((2, program.rows))
        tabulate(program.ops, program.numbers, np.array([t]), rates, np.zeros((1, program.rows)))
        told = np.flatnonzero(targets[:, 0] == TO_INPUT)
        told = told[~self.followed[targets[told, 1]]]
        found[targets[told, 1]] = rates[0, told]
        return np.asarray(found)

    def _one(self, name: str) -> slice:
        i = self.model.input_names.index(name)
        return slice(i, i + 1)

    def pull_back(self, t: Array, cotangent: Array) -> None:
        """Add the gradient of cotangents (S, nu) of inputs at times (S,)."""
        for k, (law, own) in enumerate(self.laws):
            part = law_parameters.pull_back(law, t, cotangent[:, own])
            self.found[k] = law_parameters.add(self.found[k], part)

    @property
    def gradient(self) -> Any:
        """The gradient, in the form of u; None of functions."""
        if not self.found or self.nu == 0:
            return np.zeros(0) if self.nu == 0 else None
        if any(part is None and law is not None for part, (law, _) in zip(self.found, self.laws, strict=True)):
            self.pull_back(np.zeros(0), np.zeros((0, self.nu)))
        plain = [_plain(law, part) for part, (law, _) in zip(self.found, self.laws, strict=True)]
        if self.form == "dict":
            return dict(zip(self.u, plain, strict=True))
        return plain if self.form == "list" else plain[0]

    def vector_of(self, gradient: Any) -> Array:
        """A gradient by inputs that are numbers, in the form of u, as a vector (nu,)."""
        if self.form != "dict":
            return np.asarray(gradient)
        found = np.zeros(self.nu)
        for name, (_, own) in zip(self.u, self.laws, strict=True):
            found[own] = gradient[name]
        return found

    def formed(self, values: Array) -> Any:
        """The reverse: a vector (nu,) in the form of u."""
        if self.form != "dict":
            return values
        return {name: values[own.start] for name, (_, own) in zip(self.u, self.laws, strict=True)}

    def push_forward(self, t: Array, variation: Any) -> Array:
        """The variation (S, nu) of inputs at times from one in the form of u."""
        total = np.zeros((len(t), self.nu))
        if variation is None:
            return total
        if self.form == "function":
            raise ModelError("u was a function: it has no parameters to be varied")
        kinds = {"dict": (Mapping,), "list": (list, tuple)}.get(self.form)
        if kinds is not None and not isinstance(variation, kinds):
            raise ModelError(f"u was a {self.form}: its variation must be one, too, got {shown(variation)}")
        if self.form == "dict":
            unknown = [name for name in variation if name not in self.u]
            if unknown:
                raise ModelError(f"u: there is no input {shown(unknown[0])}; given were: {', '.join(self.u)}")
            changes = [variation.get(name) for name in self.u]
        else:
            changes = list(variation) if self.form == "list" else [variation]
        if len(changes) != len(self.laws):
            raise ShapeError(f"u has {len(changes)} entries, must have {len(self.laws)}")
        for (law, own), change in zip(self.laws, changes, strict=True):
            if change is None:
                continue
            named = change if isinstance(change, Mapping) else {_plain_name(law): _like(law, change)}
            total[:, own] += law_parameters.push_forward(law, t, named, own.stop - own.start)
        return total


class _Number(Constant):
    """A number, or one per input, that was given as such and not as a law."""


class _Samples(Table):
    """Inputs at the output times, likewise."""


def _as_law(given: Any) -> Any:
    return given if callable(given) else _Number(float(given))


def _plain_name(law: Any) -> str:
    """The one parameter of what was given as numbers."""
    return "values" if isinstance(law, _Samples) else "value"


def _plain(law: Any, part: Any) -> Any:
    """Numbers where numbers were given."""
    if part is None or not isinstance(law, (_Number, _Samples)):
        return part
    return part[_plain_name(law)]


def _like(law: Any, change: Any) -> Array:
    """A finite variation, shaped like the numbers that were given."""
    if not isinstance(law, (_Number, _Samples)):
        raise ModelError(f"u is the law {type(law).__name__}: give its variation as a dict of its parameters")
    shape = np.shape(law.value if isinstance(law, _Number) else law.values)
    try:
        array = floats(change)
    except ValueError as reason:
        raise ShapeError(f"u is {shown(change)}, must be real numbers of shape {shape}{why(reason)}") from None
    if array.shape != shape:
        raise ShapeError(f"u has shape {array.shape}, must be {shape}")
    if not np.isfinite(array).all():
        raise StateError("u holds values that are not finite")
    return array
