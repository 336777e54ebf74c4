"""How what follows the state follows the parameters of a design: controllers, and internal states of loads.

Controllers give inputs and the rates of their own states; loads with states give rates z' = f(q, v, a, z, u, lambda,
t).  A parameter may change their functions, and by way of places, lengths or laws of time what these are told.
Nobody knows their derivatives by parameters: they are differenced, controllers between the two ends of a parameter that
changes them, rates of loads between whole robots at these ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import answer, ask
from supple.errors import StateError

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.gradients.array_slopes import Ends
    from supple.model.model import Model
    from supple.robot.controller import Controller
    from supple.solvers.inputs import Excitation

Array = np.ndarray


class ControllerEnds(NamedTuple):
    """A controller at both ends of a difference."""

    parameter: int
    number: int  #: of the controller
    plus: Controller
    minus: Controller
    scale: float


class StageState(NamedTuple):
    """Where a stage was solved, in the model's charts."""

    t: float
    q: Array
    v: Array
    a: Array
    u: Array
    z: Array
    lam: Array


@dataclass(frozen=True)
class FeedbackSlopes:
    """d(inputs and rates of internal states)/d(parameters), where q, v, a, z stand still."""

    controllers: tuple[ControllerEnds, ...]
    sizes: tuple[int, ...]  #: states of each controller; those of loads come after them
    load_states: int
    first_states: Array  #: (nz, count) d(z at the beginning)/d(parameters)
    models: Callable[[], tuple[tuple[Model, Model], ...]]  #: of both ends of every parameter
    scales: tuple[float, ...]  #: per parameter

    @property
    def parameters(self) -> set[int]:
        """Parameters that change controllers or where states begin; others may still change rates of loads."""
        return {end.parameter for end in self.controllers} | set(np.flatnonzero(self.first_states.any(axis=0)).tolist())

    @property
    def any(self) -> bool:
        """Whether a stage must be asked."""
        return bool(self.controllers) or self.load_states > 0

    def outputs(self, excitation: Excitation, t: float, q: Array, v: Array, z: Array) -> Array:
        """d(inputs)/d(parameters) (nu, count) of controllers; states in the model's charts."""
        found = np.zeros((excitation.model.nu, len(self.scales)))
        for end in self.controllers:
            indices = excitation.steered[end.number]
            found[indices, end.parameter] += _difference(end, "output", (t, q, v, z[self._own(end)]), len(indices))
        return found

    def rates(self, at: StageState) -> Array:
        """d(z')/d(parameters) (nz, count), inputs held."""
        t, q, v, a, u, z, lam = at
        found = np.zeros((len(z), len(self.scales)))
        for end in self.controllers:
            own = self._own(end)
            found[own, end.parameter] += _difference(end, "rate", (t, q, v, z[own]), own.stop - own.start)
        if self.load_states:
            first = len(z) - self.load_states
            for j, ((plus, minus), scale) in enumerate(zip(self.models(), self.scales, strict=True)):
                high, low = (_load_rates(model, q, v, a, u, z[first:], lam, t) for model in (plus, minus))
                found[first:, j] = (high - low) * scale
        return found

    def _own(self, end: ControllerEnds) -> slice:
        first = sum(self.sizes[: end.number])
        return slice(first, first + self.sizes[end.number])


def feedback_slopes(
    base: CompiledRobot,
    ends: Sequence[Ends],
    models: Callable[[], tuple[tuple[Model, Model], ...]],
    differ: Callable[[Any, Any], bool],
) -> FeedbackSlopes:
    """Controllers that follow parameters, and states of loads; ``differ`` tells whether functions may differ."""
    controllers: list[ControllerEnds] = []
    beginnings = []
    for j, (plus, minus, scale) in enumerate(ends):
        for i, (one, other) in enumerate(zip(plus.controllers, minus.controllers, strict=True)):
            if plus is not minus and differ((one.rate, one.output), (other.rate, other.output)):
                controllers.append(ControllerEnds(j, i, one, other, scale))
        beginnings.append((_first_states(plus) - _first_states(minus)) * scale)
    sizes = tuple(len(c.state0) for c in base.controllers)
    loads = sum(len(block.state0) for block in base.demand.states)
    scales = tuple(end.scale for end in ends)
    return FeedbackSlopes(tuple(controllers), sizes, loads, np.array(beginnings).T, models, scales)


def _first_states(robot: CompiledRobot) -> Array:
    """Internal states at the beginning, (nz,)."""
    parts = [c.state0 for c in robot.controllers] + [block.state0 for block in robot.demand.states]
    return np.concatenate([np.zeros(0), *(np.asarray(part, dtype=float) for part in parts)])


def _difference(end: ControllerEnds, name: str, arguments: tuple[Any, ...], size: int) -> Array:
    """Of what a controller's function returns."""
    values = []
    for controller in (end.plus, end.minus):
        what, own = f"Controller {controller.name!r}: {name}", tuple(np.copy(x) for x in arguments[1:])
        given = ask(getattr(controller, name), (arguments[0], *own), what, StateError)
        values.append(answer(given, size, what, arguments[0]))
    return np.asarray((values[0] - values[1]) * end.scale)


def _load_rates(model: Model, q: Array, v: Array, a: Array, u: Array, z: Array, lam: Array, t: float) -> Array:
    """z' (k,) of the states of loads."""
    model.residual(q, v, a, u, lam, t, z)
    signals = model.workspace.own()[0].signals
    return np.concatenate([signals[x.rate : x.rate + len(x.state0)] for x in model.demand.states])
