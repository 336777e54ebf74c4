"""Functions of a model over leading axes: q (..., n), v (..., n), u (..., nu), t (...) give results (..., ...).

Written once for all functions: a call with plain vectors goes straight through, at the price of one more call in
Python.  Only if its arguments are refused is it asked whether they have leading axes; then these are broadcast as in
NumPy, every row is computed as if it were alone, and results are stacked.  Rows that take long are shared by threads.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from supple.checks import floats
from supple.errors import ShapeError, StateError, SuppleError, naming
from supple.model.constraints import Multipliers
from supple.threads import Queue, share, worker_count

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray
M = TypeVar("M", bound="type[Model]")

#: Arguments that may have leading axes, and the attribute of the model that is the length of one of them; t, cv and ca
#: are numbers.
SIZES = {"q": "n", "v": "n", "a": "n", "x": "n", "u": "nu", "lam": "nc", "z": "nz", "t": "", "cv": "", "ca": ""}

#: Functions of a model that take leading axes by this module; `pose`, `tip`, `points` and `poses` do so by themselves.
FUNCTIONS = (
    *("jacobian", "jacobian_rate", "twist", "station", "rewrap", "lines", "line_lengths", "line_jacobian"),
    "line_biases",
    *("inverse_dynamics", "inverse_dynamics_derivatives", "mass_matrix", "actuation", "input_forces"),
    *("internal_force", "internal_force_derivatives", "residual", "residual_tangent", "residual_derivatives"),
    *("state_rates", "tangent_product", "forward_dynamics", "forward_dynamics_derivatives", "hybrid_dynamics"),
    *("solve_mass", "loop_error", "loop_error_derivative", "loop_jacobian", "loop_rate", "energy", "momentum"),
    *("contact", "contact_derivatives", "reaction", "reaction_derivatives", "strain", "stress", "stress_derivatives"),
    *("inner_forces", "inner_force_derivatives", "center_of_mass", "tensions", "tension_derivatives", "volumes"),
    *("power", "power_derivatives", "step", "step_derivatives"),
)

#: Leading axes at most: NumPy broadcasts no more than 32 axes.
MOST_AXES = 24

#: Threads pay for rows that take longer than this, s, all together and each: shorter ones wait for the interpreter.
LONG, LONG_ROW = 0.05, 2e-4


def takes_leading_axes(model_class: M) -> M:
    """Let the functions of a class of models, as far as they are its own, take leading axes."""
    for name in FUNCTIONS:
        if name in model_class.__dict__:
            setattr(model_class, name, over_leading_axes(model_class.__dict__[name]))
    return model_class


def over_leading_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a model and vectors that takes arrays of vectors, too."""
    signature = inspect.signature(function)

    def rows(model: Model, error: Exception, *given: Any) -> Any:
        """Called with all arguments that ``function`` refused."""
        arguments = dict(zip(signature.parameters, (model, *given), strict=True))
        batch = _batch(model, arguments) if model.leading_axes else None
        if batch is None:
            raise error
        return batch.compute(function, arguments)

    return functools.wraps(function)(_caller(function, signature, rows))


def _caller(function: Callable[..., Any], signature: inspect.Signature, rows: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its own parameters, and ``rows`` if it refuses them.

    Written as source for speed: a call that hands on ``*arguments`` takes three times as long as one that names them.
    """
    parameters, names, handed = [], [], []
    space: dict[str, Any] = {"function": function, "rows": rows, "errors": (ShapeError, StateError)}
    for parameter in signature.parameters.values():
        by_name = parameter.kind is inspect.Parameter.KEYWORD_ONLY
        if by_name and "*" not in parameters:
            parameters.append("*")
        default = parameter.default is not inspect.Parameter.empty
        space[f"default_{parameter.name}"] = parameter.default
        parameters.append(f"{parameter.name}=default_{parameter.name}" if default else parameter.name)
        names.append(parameter.name)
        handed.append(f"{parameter.name}={parameter.name}" if by_name else parameter.name)
    first, *others = names
    source = f"""
def call({", ".join(parameters)}):
    try:
        return function({", ".join(handed)})
    except errors as error:
        return rows({first}, error, {", ".join(others)})
"""
    exec(compile(source, f"<{function.__name__} over leading axes>", "exec"), space)
    return space["call"]  # type: ignore[no-any-return]


class _Batch(NamedTuple):
    """Arguments with leading axes, one row per entry of these."""

    lead: tuple[int, ...]
    rows: dict[str, Array]  #: (count, size), or (count,) of numbers

    def compute(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Results of all rows, with the leading axes."""
        if prod(self.lead) == 0:  # of one that is zero, for the shapes
            zeros = {name: np.zeros((1, *rows.shape[1:])) for name, rows in self.rows.items()}
            return stacked(_Batch((1,), zeros).results(function, arguments), self.lead, function.__name__)
        return stacked(self.results(function, arguments), self.lead, function.__name__)

    def results(self, function: Callable[..., Any], arguments: dict[str, Any]) -> list[Any]:
        """Those of all rows, in a list."""
        count = prod(self.lead)
        parameters = inspect.signature(function).parameters
        by_name = {name for name in parameters if parameters[name].kind is inspect.Parameter.KEYWORD_ONLY}
        in_order = [name for name in parameters if name not in by_name]
        places = [(k, self.rows[name]) for k, name in enumerate(in_order) if name in self.rows]
        named = [(name, self.rows[name]) for name in by_name if name in self.rows]
        found: list[Any] = [None] * count

        def work(queue: Queue) -> None:
            given = [arguments[name] for name in in_order]
            options = {name: arguments[name] for name in by_name}
            for i in queue:
                for k, rows in places:
                    given[k] = _row(rows, i)
                for name, rows in named:
                    options[name] = _row(rows, i)
                try:
                    found[i] = function(*given, **options)
                except SuppleError:
                    with naming(f"row {_place(i, self.lead)}"):
                        raise

        work(Queue(range(1)))  # reads kernels, makes scratch
        began = perf_counter()
        work(Queue(range(1, min(2, count))))
        seconds = perf_counter() - began
        workers = worker_count(None, count) if seconds > LONG_ROW and seconds * count > LONG else 1
        share(Queue(range(2, count)), work, workers)
        return found


def _batch(model: Model, arguments: dict[str, Any]) -> _Batch | None:
    """Arguments with leading axes, broadcast; None if there are none, or something else is wrong."""
    arrays, leads = {}, {}
    for name, size in SIZES.items():
        if arguments.get(name) is None:
            continue
        try:
            array = floats(arguments[name])
        except ValueError:
            return None
        core = () if not size else (getattr(model, size),)
        if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
            return None
        lead = array.shape[: array.ndim - len(core)]
        if len(lead) > MOST_AXES:
            return None
        if lead:
            arrays[name], leads[name] = array, lead
    if not arrays:
        return None
    try:
        lead = np.broadcast_shapes(*leads.values())
    except ValueError:
        said = ", ".join(f"{name} has {lead}" for name, lead in leads.items())
        raise ShapeError(f"leading axes do not go together: {said}") from None
    count = prod(lead)
    rows = {}
    for name, array in arrays.items():
        core = array.shape[len(leads[name]) :]
        rows[name] = np.ascontiguousarray(np.broadcast_to(array, (*lead, *core))).reshape(count, *core)
    return _Batch(lead, rows)


def _row(rows: Array, i: int) -> Any:
    """A vector, or a number, of one row."""
    return rows[i] if rows.ndim > 1 else float(rows[i])


def _place(i: int, lead: tuple[int, ...]) -> str:
    """Where the i-th row is."""
    place = tuple(int(x) for x in np.unravel_index(i, lead))
    return str(place[0]) if len(place) == 1 else str(place)


def stacked(rows: list[Any], lead: tuple[int, ...], name: str) -> Any:
    """Results of many rows as one: numbers and arrays get the leading axes, tuples and dicts are stacked inside."""
    first = rows[0]
    if isinstance(first, dict):
        return {key: stacked([row[key] for row in rows], lead, name) for key in first}
    if isinstance(first, Multipliers):
        return Multipliers(stacked([row.values for row in rows], lead, name), first.loops)
    if isinstance(first, tuple) and (hasattr(first, "_fields") or not all(isinstance(x, str) for x in first)):
        columns = zip(*(row.__getnewargs__() if hasattr(row, "_fields") else row for row in rows), strict=True)
        made = [stacked(list(column), lead, name) for column in columns]
        return type(first)(*made) if hasattr(first, "_fields") else tuple(made)
    if first is None or isinstance(first, (str, tuple)):
        return first
    if len({np.shape(row) for row in rows}) > 1:
        raise ShapeError(f"{name}: rows have results of different shapes; ask for them one by one")
    array = np.array(rows)[: prod(lead)]
    return array.reshape(*lead, *array.shape[1:])
