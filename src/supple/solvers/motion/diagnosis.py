"""Why a simulation failed, in words: from what the compiled loop returned and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.errors import StateError
from supple.solvers.integrators.run import FAILURE, STEP, TOO_SMALL
from supple.solvers.problem import WORST
from supple.solvers.stage.status import NEGATIVE_TENSION, NO_PIVOT, NOT_FINITE, PYTHON_RAISED, SLOW

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.integrators.integrator import Integrator

REASONS = {
    TOO_SMALL: "the step fell to {h:.2g} s; the error is largest in {where}; loosen the tolerances, "
    "or smooth what jumps or name its times in breaks",
    FAILURE + SLOW: "Newton's method does not converge, worst in {where}; take a shorter step (dt, max_step), "
    "or look for an input or contact that is too violent",
    FAILURE + NOT_FINITE: "the state is no longer finite, worst in {where}; take a shorter step, or check loads "
    "and inputs",
    FAILURE + NO_PIVOT: "the tangent is singular at {where}: a coordinate without inertia and stiffness, or loops "
    "whose rows depend on each other here",
}


def explain(
    model: Model, integrator: Integrator, code: int, error: BaseException | None
) -> tuple[str, BaseException | None]:
    """The reason of a failure, and the error behind it; ``error`` is what a user's function raised.

    An interrupt is raised.
    """
    problem = integrator.problem
    h, worst = float(integrator.reals[STEP]), int(problem.flags[WORST])
    where = model.coordinate_names[worst] if 0 <= worst < model.n else "the loops"
    if code == FAILURE + PYTHON_RAISED and error is not None:
        if not isinstance(error, Exception):
            raise error
        return f"a function of yours failed: {error}", error
    if code == FAILURE + NEGATIVE_TENSION:
        name = model.input_names[worst]
        return (
            f"input {name!r} is {problem.inputs[worst]:.4g} N: a tendon pulls and cannot push; "
            "tensions must not be negative"
        ), None
    for load in model.loads:
        if load.guard is not None:
            try:
                load.guard.explain()
            except StateError as reason:
                return str(reason), reason
    return REASONS.get(code, "code {code}").format(h=h, where=where, code=code), None
