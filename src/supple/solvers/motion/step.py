"""One step from a state, without a simulation around it: what model predictive control and learning iterate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import positive_float, shown
from supple.core.arrays import handle
from supple.errors import ConvergenceError, ModelError, StateError
from supple.model.arguments import number
from supple.model.results import Step
from supple.solvers.inputs import Excitation, constant_inputs
from supple.solvers.integrators import GeneralizedAlpha, Method
from supple.solvers.integrators.integrator import Integrator
from supple.solvers.integrators.run import DONE, END_TIME, FAILURE, STEP, TIME
from supple.solvers.motion.diagnosis import explain
from supple.solvers.problem import forget_factors, make_workspace
from supple.solvers.stage.charts import to_home
from supple.solvers.stage.status import NEGATIVE_TENSION, PYTHON_RAISED

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Methods whose arrays every thread keeps for a model.
KEPT = 4


class Stepper:
    """The arrays of one thread that steps of a method take, made once; every step begins anew.

    Attributes
    ----------
    rows : (S + 1, N)
        Beginning and stages of the last step in the charts of the step (of an explicit pair, beginning and end).
    directions : (S, n, nc)
        P of the stages (`solvers.problem`).
    """

    def __init__(self, model: Model, method: Method) -> None:
        self.model, self.method, control = model, method, method.control
        self.excitation = Excitation(model, None, put=True)
        program, differenced = self.excitation.program(), control.differenced
        self.workspace = make_workspace(
            model,
            *program,
            stabilised=control.stabilised,
            integrated=True,
            differenced=differenced,
            apart=control.apart,
            explicit=control.explicit,
        )
        self.excitation.connect(self.workspace, False)
        self.problem = self.workspace.problem
        self.integrator = Integrator(self.workspace, method, None)
        own = self.integrator.own
        self.tables = self.workspace.table, handle(self.integrator.run), handle(own)
        self.single = method.single_step(own)
        self.rows = np.zeros((self.single.stages + 1, self.integrator.size))
        self.directions = np.zeros((self.single.stages, model.n, model.nc))

    def take(self, q: Array, v: Array, u: Array, z: Array, t: float, dt: float) -> Array:
        """Make a step.  Returns its last row, in the model's charts."""
        problem, reals = self.problem, self.integrator.reals
        problem.placement[:] = problem.home
        problem.q[:], problem.v[:], problem.z[:], problem.inputs[:] = q, v, z, u
        forget_factors(problem)
        reals[TIME], reals[END_TIME], reals[STEP] = t, t + dt, dt
        code = self.single.kernel(*self.tables, self.rows, self.directions)
        if code != DONE:
            self._fail(code, t, dt)
        row: Array = self.rows[-1].copy()
        to_home(self.workspace.table, row)
        if not np.isfinite(row).all():
            raise StateError(f"model {self.model.name!r}: a step of {dt:g} s from t = {t:g} s overflows")
        return row

    def _fail(self, code: int, t: float, dt: float) -> None:
        """Raise what kept a step from ending."""
        error, self.excitation.error = self.excitation.error, None
        reason, cause = explain(self.model, self.integrator, code, error)
        kind = StateError if code in (FAILURE + NEGATIVE_TENSION, FAILURE + PYTHON_RAISED) else ConvergenceError
        raise kind(f"model {self.model.name!r}, one step of {dt:g} s from t = {t:g} s: {reason}") from cause


def stepper(model: Model, method: Method | None) -> Stepper:
    """This thread's stepper for a method."""
    if method is not None and not isinstance(method, Method):
        given = f"the class {method.__name__}" if isinstance(method, type) else shown(method)
        raise ModelError(f"method is {given}, must be a method object, such as GeneralizedAlpha() or RK45()")
    key = repr(method)
    return model.workspace.remembered("steppers", key, lambda: Stepper(model, one_step_method(method)), KEPT)


def one_step_method(method: Method | None) -> Method:
    """A method that can make a step from one state, of a fixed length that is told later."""
    if method is None:
        return GeneralizedAlpha(dt=1.0)
    found = method.from_one_state()
    if found is not None:
        return found
    raise ModelError(
        f"{type(method).__name__} goes on from several points, and a step has one: take GeneralizedAlpha(), "
        "ImplicitEuler(dt), Radau() or an explicit pair such as RK45()"
    )


def single_step(method: Method | None, dt: float) -> Method:
    """A method by which a motion over dt [s] is one step, that of `Model.step`."""
    return one_step_method(method).over(dt)


def checked_state(
    model: Model, q: ArrayLike, v: ArrayLike, u: Any, z: ArrayLike | None
) -> tuple[Array, Array, Array, Array]:
    """q, v, u, z as finite vectors."""
    check = model.arguments
    q, v = check.state("q", q), check.state("v", v)
    check.finite(np.append(q, v), q=q, v=v)
    if z is None:
        z = np.concatenate([states.state0 for states in model.demand.states] or [np.zeros(0)])
    return q, v, constant_inputs(model, u), check.inputs("z", z, model.nz)


def step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: Any,
    dt: float,
    method: Method | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Step:
    """One step; see `Model.step`."""
    dt, t = positive_float(dt, "dt", "s"), number("t", t)
    state = checked_state(model, q, v, u, z)
    row, n = stepper(model, method).take(*state, t, dt), model.n
    return Step(row[:n], row[n : 2 * n], row[3 * n + model.nc : len(row) - n])
