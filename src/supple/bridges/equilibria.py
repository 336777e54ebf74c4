"""Equilibria by inputs and parameters: q at rest, derivatives by the implicit function theorem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.bridges.operation import Blocks, Operation, Port
from supple.bridges.subject import Subject
from supple.errors import ConvergenceError
from supple.model.arguments import number
from supple.solvers.options import search_options
from supple.solvers.statics.search import find, first_guess

Array = np.ndarray


class EquilibriumOperation(Operation):
    """u (nu,), parameters -> q (n,) at rest (`Model.statics`); what does not come to rest raises."""

    name = "equilibrium"

    def __init__(self, subject: Subject, q0: Any, t: float, tolerance: float, max_iterations: int) -> None:
        model = subject.nominal
        super().__init__(subject, [Port("u", (model.nu,), np.zeros(model.nu))], [Port("q", (model.n,))])
        self.q0 = None if q0 is None else np.array(first_guess(model, q0))
        self.t = number("t", t)
        self.options = search_options(tolerance, max_iterations)

    def evaluate(self, inputs: Sequence[Array], record: bool) -> tuple[tuple[Array, ...], Any]:
        """Look for rest, from q0 every time: what was found before does not matter."""
        u, *parameters = inputs
        found = find(self.subject.model(parameters), u, self.q0, self.t, None, *self.options)
        if not found.converged:
            raise ConvergenceError(found.message)
        return (found.q,), found

    def pull(self, memory: Any, cotangents: Sequence[Array]) -> tuple[Array, ...]:
        """One solve with the transposed stiffness."""
        self.subject.differentiable(memory.model)
        gradient = memory.vjp(cotangents[0])
        return (gradient.u, *self.subject.gradients(gradient.p))

    def push(self, memory: Any, tangents: Sequence[Array]) -> tuple[Array, ...]:
        """One solve with the stiffness."""
        self.subject.differentiable(memory.model)
        u, *parameters = tangents
        return (memory.jvp(u, p=self.subject.changes(parameters)),)

    def jacobian(self, memory: Any) -> Blocks:
        """dq/du, one solve per input; with parameters, one per coordinate."""
        if self.subject.parameters:
            return super().jacobian(memory)
        columns = [memory.jvp(du) for du in np.eye(memory.model.nu)]
        return [[np.stack(columns, axis=1) if columns else np.zeros((memory.model.n, 0))]]
