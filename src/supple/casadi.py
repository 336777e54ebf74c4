"""Robots in CasADi: equilibria, steps, motions and dynamics as functions of MX and DM, for Opti and nlpsol.

Install with ``pip install "supple[casadi]"``.  Each function takes a `Model`, or a `Design` whose parameters are then
inputs ``p``, a dict by name, and returns a function of columns: q (n, 1), u (nu, 1).  Series have a column per time:
(n, T).  As of any CasADi function, columns side by side are arguments side by side.  Derivatives are exact, once: let
IPOPT approximate second derivatives (``"hessian_approximation": "limited-memory"``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.bridges.calls import arranged
from supple.bridges.functions import Functions, Value
from supple.bridges.operation import Operation, Port
from supple.bridges.rows import Rows
from supple.errors import MissingExtraError, ShapeError

try:
    import casadi
except ImportError as error:
    raise MissingExtraError('supple.casadi needs CasADi: pip install "supple[casadi]"') from error

__all__ = ["Function", "equilibrium", "forward_dynamics", "inverse_dynamics", "pose", "rollout", "step", "tip"]

Array = np.ndarray


class Function(Value):
    """A function of CasADi matrices; made by the functions of this module.

    Attributes
    ----------
    function : casadi.Function
        What CasADi evaluates, with inputs and outputs by name.  It lives as long as this object: keep it.
    """

    def __init__(self, operation: Operation, threads: int | None) -> None:
        super().__init__(operation, threads)
        self.function = _Evaluation(self._rows)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Outputs of MX, DM or NumPy columns; one matrix or a tuple."""
        ports = self.operation.inputs
        given = arranged(self.operation, args, named)
        values = [_column(self.operation, port, x) for port, x in zip(ports, given, strict=True)]
        try:
            return self.function(*values)
        except RuntimeError as error:  # CasADi keeps the words of an error, not its type
            told = next((x for x in self._rows.failures if str(x) in str(error)), None)
            if told is None:
                raise
            raise told from None


class _Node(casadi.Callback):
    """A function that CasADi calls back: names and shapes of its arguments, and a NumPy function of them."""

    def __init__(self, name: str, inputs: list[tuple[str, Any]], outputs: list[tuple[str, Any]], options: Any) -> None:
        casadi.Callback.__init__(self)
        self.ends = inputs, outputs
        self.made: list[Any] = []  # CasADi itself does not keep them alive
        self.construct(name, options)

    def get_n_in(self) -> int:
        """Number of inputs."""
        return len(self.ends[0])

    def get_n_out(self) -> int:
        """Number of outputs."""
        return len(self.ends[1])

    def get_name_in(self, i: int) -> str:
        """Name of an input."""
        return self.ends[0][i][0]

    def get_name_out(self, i: int) -> str:
        """Name of an output."""
        return self.ends[1][i][0]

    def get_sparsity_in(self, i: int) -> Any:
        """Shape of an input."""
        return self.ends[0][i][1]

    def get_sparsity_out(self, i: int) -> Any:
        """Shape of an output."""
        return self.ends[1][i][1]


class _Evaluation(_Node):
    """The operation itself."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.operation = rows, rows.operation
        inputs = [(port.name, _dense(port)) for port in self.operation.inputs]
        outputs = [(_output_name(self.operation, port), _dense(port)) for port in self.operation.outputs]
        super().__init__(self.operation.name, inputs, outputs, {})

    def eval(self, arguments: Any) -> Any:
        """Outputs; what derivatives need is kept for a while."""
        inputs = _inputs(self.operation, arguments)
        outputs, memories = self.rows.evaluate(inputs, record=True)
        self.rows.remember(inputs, memories)
        return [_matrix(port, x) for port, x in zip(self.operation.outputs, outputs, strict=True)]

    def has_jacobian(self) -> bool:
        """Whether all Jacobians come at once: not of series, which have too many rows."""
        return not any(port.series for port in self.operation.outputs)

    def get_jacobian(self, name: str, inputs: Any, outputs: Any, options: Any) -> Any:
        """The function that gives them."""
        self.made.append(_Jacobian(self, name, inputs, outputs, options))
        return self.made[-1]

    def has_reverse(self, count: int) -> bool:
        """Whether cotangents can be pulled back."""
        return True

    def get_reverse(self, count: int, name: str, inputs: Any, outputs: Any, options: Any) -> Any:
        """The function that pulls so many cotangents back."""
        self.made.append(_Reverse(self, count, name, inputs, outputs, options))
        return self.made[-1]


class _Jacobian(_Node):
    """All Jacobians, output by output."""

    def __init__(self, of: _Evaluation, name: str, inputs: Any, outputs: Any, options: Any) -> None:
        self.rows, self.operation = of.rows, of.operation
        ports, results = self.operation.inputs, self.operation.outputs
        shapes = [_dense(port) for port in ports] + [_unused(port) for port in results]
        blocks = [casadi.Sparsity.dense(out.size, port.size) for out in results for port in ports]
        super().__init__(name, list(zip(inputs, shapes, strict=True)), list(zip(outputs, blocks, strict=True)), options)

    def eval(self, arguments: Any) -> Any:
        """Blocks, with entries of matrices column by column."""
        operation = self.operation
        memory = self.rows.recall(_inputs(operation, arguments))[0]
        blocks = self.rows.jacobian(memory)
        rows, columns = [_order(port) for port in operation.outputs], [_order(port) for port in operation.inputs]
        return [
            block[np.ix_(row, column)]
            for row, line in zip(rows, blocks, strict=True)
            for column, block in zip(columns, line, strict=True)
        ]


class _Reverse(_Node):
    """Gradients from several cotangents, side by side."""

    def __init__(self, of: _Evaluation, count: int, name: str, inputs: Any, outputs: Any, options: Any) -> None:
        self.rows, self.operation, self.count = of.rows, of.operation, count
        ports, results = self.operation.inputs, self.operation.outputs
        shapes = [_dense(port) for port in ports] + [_unused(port) for port in results]
        shapes += [_dense(port, count) for port in results]
        gradients = [_dense(port, count) for port in ports]
        ends = list(zip(inputs, shapes, strict=True)), list(zip(outputs, gradients, strict=True))
        super().__init__(name, *ends, options)

    def eval(self, arguments: Any) -> Any:
        """Gradients."""
        ports, results = self.operation.inputs, self.operation.outputs
        memory = self.rows.recall(_inputs(self.operation, arguments))[0]
        seeds = [np.hsplit(np.array(x), self.count) for x in arguments[len(ports) + len(results) :]]
        cotangents = [np.stack([_row(port, x) for x in xs]) for port, xs in zip(results, seeds, strict=True)]
        gradients = self.rows.pull([memory] * self.count, cotangents)
        return [np.hstack([_matrix(port, x) for x in xs]) for port, xs in zip(ports, gradients, strict=True)]


# ---------------------------------------------------------------------- rows as matrices


def _shape(port: Port) -> tuple[int, int]:
    """Shape of the matrix of a row: vectors are columns, series have a column per time."""
    if len(port.shape) > 2:
        raise ShapeError(f"{port.name} has shape {port.shape}: CasADi has matrices only")
    rows, columns = (*port.shape, 1, 1)[:2]
    return (columns, rows) if port.series else (rows, columns)


def _dense(port: Port, count: int = 1) -> Any:
    rows, columns = _shape(port)
    return casadi.Sparsity.dense(rows, count * columns)


def _unused(port: Port) -> Any:
    """Of outputs, which derivatives are handed but do not ask for."""
    return casadi.Sparsity(*_shape(port))


def _matrix(port: Port, row: Array) -> Array:
    """The matrix of a row."""
    return row.T if port.series else row.reshape(_shape(port))


def _row(port: Port, matrix: Any) -> Array:
    """The row of a matrix."""
    array = np.array(matrix, dtype=float)
    return array.T if port.series else array.reshape(port.shape)


def _order(port: Port) -> Array:
    """Entries of a row (in C order) in the order of CasADi: column by column."""
    return _matrix(port, np.arange(port.size).reshape(port.shape)).ravel(order="F")


def _inputs(operation: Operation, arguments: Any) -> list[Array]:
    """Rows of the inputs among the arguments, which come first."""
    return [_row(port, x) for port, x in zip(operation.inputs, arguments, strict=False)]


def _output_name(operation: Operation, port: Port) -> str:
    """Name of an output; CasADi wants other names for outputs than for inputs."""
    return f"{port.name}_next" if any(port.name == x.name for x in operation.inputs) else port.name


def _column(operation: Operation, port: Port, given: Any) -> Any:
    """An argument as a matrix of the right shape; several of them may stand side by side."""
    if given is None:
        return _matrix(port, np.asarray(port.default))
    if not isinstance(given, (casadi.MX, casadi.DM, casadi.SX)):
        given = np.asarray(given, dtype=float)
        given = given.reshape(-1, 1) if given.ndim < 2 else given
    rows, columns = _shape(port)
    if given.shape[0] != rows or given.shape[1] % max(columns, 1):
        raise ShapeError(f"{operation.name}: {port.name} has shape {tuple(given.shape)}, must be ({rows}, {columns})")
    return given


_functions = Functions(Function)
equilibrium = _functions.equilibrium
step = _functions.step
rollout = _functions.rollout
inverse_dynamics = _functions.inverse_dynamics
forward_dynamics = _functions.forward_dynamics
pose = _functions.pose
tip = _functions.tip
