"""One step from a state, without a simulation around it: what model predictive control and learning iterate."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import positive_float, shown
from supple.core.arrays import handle
from supple.errors import ConvergenceError, ModelError, StateError, unwarned
from supple.model.arguments import number
from supple.model.results import Step
from supple.solvers.inputs import Excitation, constant_inputs
from supple.solvers.integrators import GeneralizedAlpha, Method, Radau, one_radau_step, one_step
from supple.solvers.integrators.explicit import Explicit
from supple.solvers.integrators.implicit import Implicit
from supple.solvers.integrators.implicit_loop import MAIN_STAGES, STARTED
from supple.solvers.integrators.integrator import Integrator
from supple.solvers.integrators.radau import SingleRadau
from supple.solvers.integrators.radau_tableau import NODES
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
#: A tolerance that no error of a step exceeds.
ANY = 1e30


class Stepper:
    """The arrays of one thread that steps of a method take, made once; every step begins anew.

    Attributes
    ----------
    rows : (S + 1, N)
        Beginning and stages of the last step in the charts of the step (of an explicit pair, beginning and end).
    directions : (S, n, nc)
        P of the stages (`solvers.problem`).
    """

    def __init__(self, model: Model, method: Implicit | Explicit | Radau) -> None:
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
        )
        self.excitation.connect(self.workspace, False)
        self.problem = self.workspace.problem
        self.integrator = Integrator(self.workspace, method, None)
        own = self.integrator.own
        self.tables = self.workspace.table, handle(self.integrator.run), handle(own)
        self.stages = _stages(method, own)
        self.rows = np.zeros((self.stages + 1, self.integrator.size))
        self.directions = np.zeros((self.stages, model.n, model.nc))

    @staticmethod
    def weights(own: Any) -> tuple[Array, Array, Array]:
        """Factors, weights and weights of internal states (`solvers.integrators.formula`) of the stages of a step."""
        first, last = 0, int(own.settings[MAIN_STAGES])
        if own.settings[STARTED] > 0.0:
            first, last = last, len(own.factors)
        return own.factors[first:last], own.weights[first:last], own.weights_z[first:last]

    def take(self, q: Array, v: Array, u: Array, z: Array, t: float, dt: float) -> Array:
        """Make a step.  Returns its last row, in the model's charts."""
        problem, reals = self.problem, self.integrator.reals
        problem.placement[:] = problem.home
        problem.q[:], problem.v[:], problem.z[:], problem.inputs[:] = q, v, z, u
        forget_factors(problem)
        reals[TIME], reals[END_TIME], reals[STEP] = t, t + dt, dt
        if isinstance(self.method, Explicit):
            code = one_step.explicit_step(*self.tables, self.rows)
        elif isinstance(self.method, Radau):
            code = one_radau_step.radau_step(*self.tables, self.rows, self.directions)
        else:
            code = one_step.implicit_step(*self.tables, self.rows, self.directions)
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


def _stages(method: Method, own: Any) -> int:
    """How many rows behind its beginning a step is told by."""
    if isinstance(method, Explicit):
        return 1
    return len(NODES) if isinstance(method, Radau) else len(Stepper.weights(own)[0])


def stepper(model: Model, method: Method | None) -> Stepper:
    """This thread's stepper for a method."""
    if method is not None and not isinstance(method, Method):
        given = f"the class {method.__name__}" if isinstance(method, type) else shown(method)
        raise ModelError(f"method is {given}, must be a method object, such as GeneralizedAlpha() or RK45()")
    key = repr(method)
    return model.workspace.remembered("steppers", key, lambda: Stepper(model, one_step_method(method)), KEPT)


def one_step_method(method: Method | None) -> Implicit | Explicit | Radau:
    """A method that can make a step from one state, of a fixed length that is told later."""
    if method is None:
        return GeneralizedAlpha(dt=1.0)
    if isinstance(method, Explicit | Radau):
        return method
    if isinstance(method, Implicit) and (method.starter or not method.behind):
        with unwarned():  # whoever made the method was warned
            return dataclasses.replace(method, dt=1.0) if hasattr(method, "dt") else method  # type: ignore[type-var]
    raise ModelError(
        f"{type(method).__name__} goes on from several points, and a step has one: take GeneralizedAlpha(), "
        "ImplicitEuler(dt), Radau() or an explicit pair such as RK45()"
    )


def single_step(method: Method | None, dt: float) -> Method:
    """A method by which a motion over dt [s] is one step, that of `Model.step`."""
    found = one_step_method(method)
    with unwarned():
        if isinstance(found, Explicit):  # any error is accepted, so that the first step is the last
            return dataclasses.replace(found, atol=ANY, max_step=None, first_step=dt)
        if isinstance(found, Radau):
            return SingleRadau(found.rtol, found.atol, None, dt, found.loops)
        return dataclasses.replace(found, dt=dt) if hasattr(found, "dt") else found  # type: ignore[type-var]


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
