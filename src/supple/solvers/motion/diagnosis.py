"""Why a simulation failed, in words: from what the compiled loop returned and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.errors import StateError
from supple.solvers.integrators.run import FAILURE, REJECTED, STEP, STEPS, TIME, TOO_SMALL
from supple.solvers.problem import WORST
from supple.solvers.stage.status import NEGATIVE_TENSION, NO_PIVOT, NOT_FINITE, PYTHON_RAISED, SLOW

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.integrators.integrator import Integrator
    from supple.solvers.problem import Problem

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


#: Steps after which a run is looked at, and how many it may still need before somebody is told.
PATIENCE, CRAWL = 4000, 200_000


def crawling(integrator: Integrator, t0: float, span: float) -> str | None:
    """What to change in a run whose steps are so short that it takes very many of them; None if it does not.

    The run began at ``t0``, and ``span`` is the time that the whole of it simulates, s.
    """
    ints, reals = integrator.ints, integrator.reals
    steps, rejected = int(ints[STEPS]), int(ints[REJECTED])
    if steps < PATIENCE or integrator.control.fixed_step is not None:
        return None
    mean = (float(reals[TIME]) - t0) / steps
    if not 0.0 < mean * CRAWL < span:
        return None
    name = type(integrator.method).__name__
    others = {
        "NDF": "Radau(), NDF(max_order=2)",
        "Radau": "a larger rtol or atol",
        "RK45": "NDF(), Radau()",
        "DOP853": "NDF(), Radau()",
        "Nystrom": "NDF(), Radau()",
    }
    return (
        f"{name} takes steps of {mean:.2g} s ({steps} made, {rejected} rejected), {span / mean:.2g} for the whole run: "
        "it follows vibrations that nothing damps, or contact that chatters. If these do not matter, take "
        f"{others.get(name, 'Radau()')} or GeneralizedAlpha(dt=...) with a step that resolves what does; "
        "if they do not exist, give the material its damping (Material(damping_time=...))"
    )


def _others(model: Model, problem: Problem) -> str:
    """What there is besides coordinates."""
    kinds = ["the loops"] * (model.nc > 0) + ["states of loads and controllers"] * (len(problem.z) > 0)
    return " or ".join(kinds) or "the loops"


def explain(
    model: Model, integrator: Integrator, code: int, error: BaseException | None
) -> tuple[str, BaseException | None]:
    """The reason of a failure, and the error behind it; ``error`` is what a user's function raised.

    An interrupt is raised.
    """
    problem = integrator.problem
    h, worst = float(integrator.reals[STEP]), int(problem.flags[WORST])
    where = model.coordinate_names[worst] if 0 <= worst < model.n else _others(model, problem)
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
