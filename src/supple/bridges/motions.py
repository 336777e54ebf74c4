"""Steps and whole motions: states later by states, inputs and parameters now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.bridges.operation import Blocks, JacobianOperation, Operation, Port
from supple.bridges.subject import Subject
from supple.checks import choice, positive_float, real_array
from supple.errors import ModelError
from supple.model.arguments import number
from supple.solvers.motion.step import single_step

Array = np.ndarray

#: How inputs of a motion are given: one value, or samples at the output times, joined by lines or held.
INPUTS = ("constant", "linear", "held")


class StepOperation(JacobianOperation):
    """q, v (n,), u (nu,) -> q, v after one step (`Model.step`); internal states z (nz,) likewise, if any."""

    name = "step"
    grain = 4

    def __init__(self, subject: Subject, dt: float, method: Any, t: float) -> None:
        model = subject.nominal
        states = [Port("q", (model.n,)), Port("v", (model.n,))]
        own, outputs = [*states, Port("u", (model.nu,), np.zeros(model.nu))], states
        if model.nz:
            start = np.concatenate([x.state0 for x in model.demand.states])
            own, outputs = [*own, Port("z", (model.nz,), start)], [*states, Port("z", (model.nz,))]
        super().__init__(subject, own, outputs)
        self.dt, self.method, self.t = positive_float(dt, "dt", "s"), method, number("t", t)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """The state after the step."""
        q, v, u, *z = inputs
        found = self.subject.nominal.step(q, v, u, self.dt, self.method, self.t, *z)
        return (*found, found.z) if z else tuple(found)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """The derivatives of that very step."""
        q, v, u, *z = inputs
        *_, A, B = self.subject.nominal.step_derivatives(q, v, u, self.dt, self.method, self.t, *z)
        ends = np.cumsum([len(x) for x in (q, v, *z)])[:-1]
        rows = zip(np.split(A, ends), np.split(B, ends), strict=True)
        blocks = [(np.split(by_state, ends, axis=1), by_input) for by_state, by_input in rows]
        return [[*states[:2], by_input, *states[2:]] for states, by_input in blocks]


class DesignStepOperation(Operation):
    """q, v (n,), u (nu,), parameters -> q, v after one step, as a motion of that step (`Model.simulate`).

    A motion begins where loops are closed and prescribed joints are in place; at such states it is `Model.step`.
    """

    name = "step"

    def __init__(self, subject: Subject, dt: float, method: Any, t: float) -> None:
        model = subject.nominal
        if model.nz:
            raise ModelError(
                f"step: loads of {model.name!r} have states of their own, which a step by parameters does not begin "
                "with: take a Model, or a rollout, which begins at their state0"
            )
        states = [Port("q", (model.n,)), Port("v", (model.n,))]
        super().__init__(subject, [*states, Port("u", (model.nu,), np.zeros(model.nu))], states)
        self.dt, self.t = positive_float(dt, "dt", "s"), number("t", t)
        self.method = single_step(method, self.dt)

    def evaluate(self, inputs: Sequence[Array], record: bool) -> tuple[tuple[Array, ...], Any]:
        """Make the step, and record it where derivatives are to come."""
        q, v, u, *parameters = inputs
        model, times = self.subject.model(parameters), np.array([self.t, self.t + self.dt])
        motion = model.simulate(times, q, v, u if model.nu else None, self.method, record=record, max_steps=2)
        return (motion.q[-1], motion.v[-1]), motion if record else None

    def pull(self, memory: Any, cotangents: Sequence[Array]) -> tuple[Array, ...]:
        """The discrete adjoint of that step."""
        self.subject.differentiable(memory.model)
        last = [np.vstack([np.zeros_like(y), y]) for y in cotangents]
        gradient = memory.vjp(q=last[0], v=last[1])
        u = gradient.u if self.own[2].size else np.zeros(0)
        return (gradient.q0, gradient.v0, u, *self.subject.gradients(gradient.p))

    def push(self, memory: Any, tangents: Sequence[Array]) -> tuple[Array, ...]:
        """The discrete tangent of that step."""
        found = _variation(self, memory, tangents)
        return found.q[-1], found.v[-1]


class RolloutOperation(Operation):
    """q0, v0 (n,), u (nu,) or (T, nu), parameters -> q, v (T, n) at the output times (`Model.simulate`)."""

    name = "rollout"

    def __init__(self, subject: Subject, t: Any, method: Any, inputs: str, options: dict[str, Any]) -> None:
        self.t = real_array(t, "t")
        if self.t.ndim != 1 or len(self.t) < 2:
            raise ModelError(f"t has shape {self.t.shape}, must be at least two increasing output times")
        model, count = subject.nominal, len(self.t)
        self.sampled = choice(inputs, INPUTS, "inputs") != "constant"
        u = Port("u", (model.nu,), np.zeros(model.nu))
        if self.sampled:
            u = Port("u", (count, model.nu), np.zeros((count, model.nu)), series=True)
        own = [Port("q0", (model.n,), np.array(model.rest)), Port("v0", (model.n,), np.zeros(model.n)), u]
        super().__init__(subject, own, [Port(x, (count, model.n), series=True) for x in "qv"])
        self.options = options | {"method": method, "hold": inputs == "held", "progress": False}

    def evaluate(self, inputs: Sequence[Array], record: bool) -> tuple[tuple[Array, ...], Any]:
        """Simulate, and record the steps where derivatives are to come."""
        q0, v0, u, *parameters = inputs
        model = self.subject.model(parameters)
        motion = model.simulate(self.t, q0, v0, u if model.nu else None, record=record, **self.options)
        return (motion.q, motion.v), motion if record else None

    def pull(self, memory: Any, cotangents: Sequence[Array]) -> tuple[Array, ...]:
        """The discrete adjoint of the recorded steps."""
        self.subject.differentiable(memory.model)
        gradient = memory.vjp(q=cotangents[0], v=cotangents[1])
        u = np.reshape(gradient.u, self.own[2].shape) if self.own[2].size else np.zeros(self.own[2].shape)
        return (gradient.q0, gradient.v0, u, *self.subject.gradients(gradient.p))

    def push(self, memory: Any, tangents: Sequence[Array]) -> tuple[Array, ...]:
        """The discrete tangent of the recorded steps."""
        found = _variation(self, memory, tangents)
        return found.q, found.v


def _variation(operation: Operation, motion: Any, tangents: Sequence[Array]) -> Any:
    """How a motion changes along changes of q0, v0, u and parameters."""
    operation.subject.differentiable(motion.model)
    q0, v0, u, *parameters = tangents
    return motion.jvp(q0, v0, u if u.size else None, p=operation.subject.changes(parameters))
