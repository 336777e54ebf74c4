"""What drives a run: inputs, loads' laws, prescribed motions and controllers, compiled where possible, else called.

Laws of `supple.laws` and tables become one program that compiled loops evaluate; users' Python functions are called
back through ctypes, which takes the GIL, from inside the compiled loop; an exception ends the run and is raised there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import answer, ask, failure, finite_float, floats, shown, why
from supple.compilation.law_program import Program, breaks_of, is_compilable
from supple.core import actuation as _actuation
from supple.core.time_laws import evaluate_laws
from supple.errors import ModelError, ShapeError, StateError, SuppleError
from supple.jit import kernel
from supple.jit.callbacks import Callback
from supple.laws import Constant, Law, Table
from supple.solvers.own_laws import Driven, inputs_by, jumps_of, own_laws, program_of, targets_of
from supple.solvers.problem import (
    ASK_FEEDBACK,
    ASK_LAWS,
    ASKED,
    FEEDBACK,
    PYTHON_AT,
    TIME_CALLS,
    TO_INPUT,
    TO_MOTION,
    TO_NOTHING,
    Problem,
    SolverWorkspace,
)
from supple.solvers.rounding import CENTRAL_STEP, ONE_SIDED_STEP
from supple.solvers.stage.charts import to_home

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.robot.controller import Controller

Array = np.ndarray


@kernel
def tabulate(ops: Any, numbers: Any, times: Any, rates: Any, values: Any) -> None:
    """values (T, rows) of a program of laws at all times; ``rates`` (2, rows) is scratch."""
    for k in range(times.shape[0]):
        evaluate_laws(ops, numbers, times[k], values[k], rates[0], rates[1])


class Excitation:
    """Everything that moves a model from outside, in the forms that users give it.

    Parameters
    ----------
    model : Model
    u : see `Model.simulate`
    times : (T,), optional
        Output times, at which a table of inputs is given.
    hold : bool
        Whether a table of inputs is held between times.
    put : bool
        Whether inputs are put into the problem by whoever made it: no law and no controller touches them.
    """

    def __init__(
        self, model: Model, u: Any, times: Array | None = None, hold: bool = False, put: bool = False
    ) -> None:
        self.model = model
        self.feedback: Callable[..., Any] | None = None  # u(t, q, v)
        self.controllers = () if put else model.controllers
        self.states = sum(len(c.state0) for c in self.controllers)  #: of controllers, which come before those of loads
        self.own = own_laws(model)
        self.given: Driven | None = None  #: what users gave for u, if it is a law of time
        self.first_states = self.own.first_states
        steered: set[str] = set()
        if self.controllers:
            self.first_states = np.concatenate([*(c.state0 for c in self.controllers), self.first_states])
            steered = {name for c in self.controllers for name in (c.inputs or model.input_names)}
        self.steered = [_input_indices(model, c) for c in self.controllers]
        form = _input_law(model, u, times, hold)
        if callable(form) and not isinstance(form, Law) and _takes_state(form):
            self.feedback = form
        elif model.nu and not put and not (u is None and len(steered) == model.nu):
            self.given = inputs_by(model, form)
        self._sort()
        self.error: BaseException | None = None
        self.central = False  #: whether slopes of feedback are central differences
        self._kept: Any = None

    @property
    def follows_state(self) -> bool:
        """Whether inputs or controllers' states follow the robot's state."""
        return self.feedback is not None or bool(self.controllers)

    def _sort(self) -> None:
        """Laws that are compiled and those that are called, one program of the former, and when any of them jumps."""
        own, given = self.own, self.given
        self.compiled, self.called = list(own.compiled), list(own.called)
        self._program, self._targets, later = own.program, own.targets, [*own.called]
        if given is not None:
            later.append(given)
            (self.compiled if is_compilable(given.law) else self.called).append(given)
        if given is not None and type(given.law) is Constant and np.shape(given.law.value) == (given.size,):
            first = len(own.constant.numbers) - given.size
            numbers = np.concatenate([own.constant.numbers[:first], given.law.value])
            self._program, self._targets = own.constant._replace(numbers=numbers), own.constant_targets
        elif given is not None and is_compilable(given.law):
            self._program = program_of([given], own.program)
            self._targets = targets_of(self.compiled)
        for indices in self.steered:  # a controller has taken over these inputs from their law
            taken = (self._targets[:, 0] == TO_INPUT) & np.isin(self._targets[:, 1], indices)
            self._targets = self._targets.copy()
            self._targets[taken, 0] = TO_NOTHING
        self.breaks = tuple(sorted({*own.breaks, *jumps_of(later)})) if later else own.breaks

    def program(self) -> tuple[Program, Array]:
        """Compiled laws, and (rows, 2) what each row drives."""
        return self._program, self._targets

    def _is_steered(self, driven: Driven, i: int) -> bool:
        """Whether a controller has taken over an input from its law."""
        return driven.target == TO_INPUT and any(i in indices for indices in self.steered)

    def connect(self, workspace: SolverWorkspace, continuous: bool = True) -> None:
        """Let the compiled loop of a problem call Python where it must; feedback only if it is ``continuous``."""
        problem = workspace.problem
        problem.flags[TIME_CALLS] = bool(self.called)
        problem.flags[FEEDBACK] = continuous and self.follows_state
        if self.called or self.follows_state:
            self._kept = Callback(self._caller(workspace), self._keep)
            problem.calls[PYTHON_AT] = self._kept.address

    def _caller(self, workspace: SolverWorkspace) -> Callable[[float], None]:
        problem = workspace.problem

        def call(t: float) -> None:
            what = problem.flags[ASKED]
            if what == ASK_LAWS:
                self._time_laws(problem, t)
            elif what == ASK_FEEDBACK:
                self._follow(workspace, t)
            else:
                self._slopes(workspace, t)

        return call

    def _keep(self, error: BaseException) -> None:
        self.error = error  # compiled code cannot pass it on: the simulation does

    def _time_laws(self, problem: Problem, t: float) -> None:
        for d in self.called:
            if d.target == TO_MOTION:
                joint = next(j for j in self.model.prescribed if tuple(j.coordinates) == d.indices)
                problem.motion[:, d.indices] = joint.motion(t)
                continue
            value = _numbers(d.law, (t,), d.size, f"{d.owner}: its law")
            into = problem.inputs if d.target == TO_INPUT else problem.signals
            for i, x in zip(d.indices, value, strict=True):
                if not self._is_steered(d, i):
                    into[i] = x

    def outputs(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Inputs that follow the state, NaN where none does: (nu,)."""
        u = np.full(self.model.nu, np.nan)
        if self.feedback is not None:
            u[:] = _numbers(self.feedback, (t, q, v), self.model.nu, "u")
        first = 0
        for c, indices in zip(self.controllers, self.steered, strict=True):
            own = z[first : first + len(c.state0)]
            u[indices] = _numbers(c.output, (t, q, v, own), len(indices), f"Controller {c.name!r}: output")
            first += len(own)
        return u

    def rates(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """z' of all controllers, (states,)."""
        rates, first = np.zeros(self.states), 0
        for c in self.controllers:
            own = slice(first, first + len(c.state0))
            rates[own] = _numbers(c.rate, (t, q, v, z[own]), len(c.state0), f"Controller {c.name!r}: rate")
            first = own.stop
        return rates

    def home_state(self, workspace: SolverWorkspace) -> tuple[Array, Array]:
        """q and v of the problem in the model's charts."""
        n, problem = self.model.n, workspace.problem
        if not len(problem.charts):
            return problem.q.copy(), problem.v.copy()
        row = np.zeros(4 * n + len(problem.multipliers) + len(problem.z))
        row[:n], row[n : 2 * n] = problem.q, problem.v
        to_home(workspace.table, row)
        return row[:n].copy(), row[n : 2 * n].copy()

    def _follow(self, workspace: SolverWorkspace, t: float) -> None:
        problem = workspace.problem
        q, v = self.home_state(workspace)
        z = problem.z.copy()
        u = self.outputs(t, q, v, z)
        given = np.isfinite(u)
        problem.inputs[given] = u[given]
        problem.rates[: self.states] = self.rates(t, q, v, z)

    def _slopes(self, workspace: SolverWorkspace, t: float) -> None:
        """Differences of inputs and controllers' rates by q, v, z of the problem's own charts, and B."""
        problem, n, own = workspace.problem, self.model.n, self.states
        _actuation.actuation(*workspace.handles, problem.q, problem.v, np.zeros(n), problem.B)
        state = np.concatenate([problem.q, problem.v, problem.z[:own]])
        kept = problem.inputs.copy(), problem.rates[:own].copy()
        base = np.concatenate(kept)

        def beside(j: int, h: float) -> Array:
            moved = state.copy()
            moved[j] += h
            problem.q[:], problem.v[:], problem.z[:own] = moved[:n], moved[n : 2 * n], moved[2 * n :]
            self._follow(workspace, t)
            return np.concatenate([problem.inputs, problem.rates[:own]])

        known = None if self.central else self._known_slopes(workspace, t)
        if known is not None:
            problem.slopes[: len(base), : len(state)] = known
            return
        for j in range(len(state)):
            h = (CENTRAL_STEP if self.central else ONE_SIDED_STEP) * max(1.0, abs(state[j]))
            slope = (beside(j, h) - beside(j, -h)) / (2.0 * h) if self.central else (beside(j, h) - base) / h
            problem.slopes[: len(base), j] = slope
        problem.q[:], problem.v[:], problem.z[:own] = state[:n], state[n : 2 * n], state[2 * n :]
        problem.inputs[:], problem.rates[:own] = kept

    def _known_slopes(self, workspace: SolverWorkspace, t: float) -> Array | None:
        """Derivatives (nu, 2 n) of feedback that tells them, where the problem has the model's own charts."""
        tell = getattr(self.feedback, "slopes", None)
        if tell is None or self.controllers or len(workspace.problem.charts):
            return None
        given = tell(t, workspace.problem.q.copy(), workspace.problem.v.copy())
        if given is None:
            return None
        try:
            slopes = floats(given)
        except ValueError as cause:
            raise StateError(f"u: slopes at t = {t:g} must be numbers{why(cause)}, inputs by q and v") from None
        if slopes.shape != (self.model.nu, 2 * self.model.n) or not np.isfinite(slopes).all():
            raise StateError(
                f"u: slopes at t = {t:g} are of shape {slopes.shape}, must be finite numbers of shape "
                f"{(self.model.nu, 2 * self.model.n)}, inputs by q and v"
            )
        return slopes

    def sample(self, workspace: SolverWorkspace, t: float) -> None:
        """Inputs from feedback at the problem's state, to be held."""
        self._follow(workspace, t)

    def inputs_along(self, t: Array, q: Array, v: Array, z: Array, continuous: bool = True) -> Array:
        """All inputs (T, nu) at states in the model's charts; NaN where feedback is sampled and not ``continuous``."""
        if not self.steered and self.given is not None and type(self.given.law) is Constant:
            u = np.empty((len(t), self.model.nu))
            u[:] = self.given.law.value
            return u
        u = np.zeros((len(t), self.model.nu))
        program, targets = self.program()
        values = np.zeros((len(t), program.rows))
        tabulate(program.ops, program.numbers, np.ascontiguousarray(t), np.zeros((2, program.rows)), values)
        columns = np.flatnonzero(targets[:, 0] == TO_INPUT)
        u[:, targets[columns, 1]] = values[:, columns]
        for d in self.called:
            if d.target == TO_INPUT:
                u[:, list(d.indices)] = [_numbers(d.law, (float(x),), d.size, f"{d.owner}: its law") for x in t]
        if self.feedback is not None and not continuous:
            u[:] = np.nan
        if not continuous:
            u[:, [i for indices in self.steered for i in indices]] = np.nan
        elif self.follows_state:
            followed = np.array([self.outputs(float(x), *state) for x, *state in zip(t, q, v, z, strict=True)])
            u = np.where(np.isfinite(followed), followed, u)
        return u


def _input_indices(model: Model, controller: Controller) -> list[int]:
    if controller.inputs is None:
        return list(range(model.nu))
    unknown = [name for name in controller.inputs if name not in model.input_names]
    if unknown:
        raise ModelError(
            f"Controller {controller.name!r}: there is no input {unknown[0]!r}; "
            f"inputs are: {', '.join(model.input_names) or 'none'}"
        )
    return [model.input_names.index(name) for name in controller.inputs]


def _takes_state(function: Callable[..., Any]) -> bool:
    """Whether a function is called as u(t, q, v) rather than u(t)."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    return len(required) == 3 or any(p.kind == p.VAR_POSITIONAL for p in parameters)


def _input_law(model: Model, u: Any, times: Array | None, hold: bool) -> Any:
    """What users give for u as a law of (nu,) values, or a function."""
    nu = model.nu
    if u is None:
        return Constant(np.zeros(nu))
    if type(u) is np.ndarray and u.shape == (nu,):
        return Constant(input_array(model, u))
    names = ", ".join(model.input_names) or "none"
    if isinstance(u, Law) or callable(u):
        if nu == 1 and isinstance(u, Law) and np.ndim(ask(u, (0.0,), "u at t = 0", StateError)) == 0:
            return _stacked([u])
        return u
    u = by_name(model, u)
    if isinstance(u, (list, tuple)) and any(isinstance(x, Law) or callable(x) for x in u):
        if len(u) != nu:
            raise ShapeError(f"u has {len(u)} entries, model {model.name!r} has {nu} inputs: {names}")
        laws = zip(model.input_names, u, strict=True)
        return _stacked([x if callable(x) else Constant(finite_float(x, f"u: {name}")) for name, x in laws])
    array = input_array(model, u)
    if array.shape == (nu,):
        given: Any = Constant(array)
    elif array.ndim == 2 and times is not None and array.shape == (len(times), nu):
        given = Table(times, array, hold=hold)
    else:
        expected = f"({nu},)" + (f" or ({len(times)}, {nu})" if times is not None else "")
        raise ShapeError(f"u has shape {array.shape}, must be {expected}; inputs are: {names}")
    return given


def by_name(model: Model, u: Any, error: type[SuppleError] = ModelError) -> Any:
    """Inputs given by name as a list in the model's order, zero where none is given; others as they are."""
    if not isinstance(u, Mapping):
        return u
    unknown = [name for name in u if name not in model.input_names]
    if unknown:
        known = ", ".join(model.input_names) or "none"
        raise error(f"u: there is no input {shown(unknown[0])}; inputs are: {known}")
    for name, value in u.items():
        if not callable(value):
            finite_float(value, f"u: input {name!r}", error)
    return [u.get(name, 0.0) for name in model.input_names]


def input_array(model: Model, u: Any) -> Array:
    """Inputs as finite numbers of any shape."""
    try:
        array = floats(u)
    except ValueError as reason:
        needed = f"{model.nu} real numbers{why(reason)}; inputs are: {', '.join(model.input_names) or 'none'}"
        raise ShapeError(f"u is {shown(u)}, must be {needed}") from None
    if not np.isfinite(array).all():
        raise StateError("u holds values that are not finite")
    return array


def constant_inputs(model: Model, u: Any) -> Array:
    """Inputs (nu,) that do not change: numbers, or numbers by name; None is zero."""
    if u is None or type(u) is np.ndarray:
        return model.arguments.inputs("u", u, model.nu)
    u = by_name(model, u, StateError)
    moving = [u] if callable(u) else u if isinstance(u, (list, tuple)) else []
    if any(callable(x) for x in moving):
        raise ShapeError("u holds laws of time, but an equilibrium has inputs that stay: give numbers, such as law(t)")
    return model.arguments.inputs("u", input_array(model, u), model.nu)


def _stacked(laws: list[Callable[[float], Any]]) -> Callable[[float], Any]:
    """One law of vectors from one law per input."""
    if not all(is_compilable(law) for law in laws):
        return _Stack(laws)
    total: Any = None
    for i, law in enumerate(laws):
        unit = np.zeros(len(laws))
        unit[i] = 1.0
        total = law * Constant(unit) if total is None else total + law * Constant(unit)
    return total  # type: ignore[no-any-return]


class _Stack(Law):
    """Laws of numbers side by side."""

    def __init__(self, laws: list[Callable[[float], Any]]) -> None:
        self.laws = laws

    def __call__(self, t: float) -> Any:
        return np.array([answer(law(t), 1, f"u: law {i}", t)[0] for i, law in enumerate(self.laws)])

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of all."""
        return breaks_of(self.laws)


def _numbers(function: Callable[..., Any], arguments: tuple[Any, ...], size: int, what: str) -> Array:
    """``size`` finite numbers that a user's function returns, or an error that names it; time is its first argument."""
    try:
        value = function(*arguments)
    except Exception as cause:
        raise StateError(failure(cause, f"{what} at t = {arguments[0]:g}")) from cause
    return answer(value, size, what, arguments[0])


def check_tensions(model: Model, u: ArrayLike) -> None:
    """Refuse a negative tension."""
    for i, (name, pulls) in enumerate(zip(model.input_names, model.demand.tensions, strict=True)):
        least = np.asarray(u)[..., i].min(initial=0.0)
        if pulls and least < 0.0:
            raise StateError(
                f"input {name!r} is {least:g} N: a tendon pulls and cannot push; tensions must not be negative"
            )
