"""Robots in JAX: equilibria, steps, motions and dynamics as functions that `jax.grad`, `jit` and `vmap` take.

Install with ``pip install "supple[jax]"``.  Each function takes a `Model`, or a `Design` whose parameters are then
inputs ``p``, a dict of arrays by name, and returns a function of JAX arrays with any leading axes; rows are computed on
several threads, in float64, and returned in the caller's precision.  Derivatives are exact, once, in reverse mode
(`grad`, `vjp`, `jacrev`) and in forward mode (`jvp`, `jacfwd`, `linearize`).  What fails raises: typed errors from
eager calls, JAX's own with the same words from compiled ones.

**How.**  A function's derivative along a direction is a primitive of its own, `derivative`: it calls NumPy, and says to
JAX that it is linear in the direction and what its transpose is.  Reverse mode is then JAX's own doing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.bridges.calls import arranged, leading_axes
from supple.bridges.functions import Functions, Value
from supple.bridges.operation import Operation
from supple.errors import MissingExtraError, StateError

try:
    import jax
    import jax.numpy as jnp
    from jax.interpreters import ad, batching, mlir
except ImportError as error:
    raise MissingExtraError('supple.jax needs JAX: pip install "supple[jax]"') from error

__all__ = ["Function", "equilibrium", "forward_dynamics", "inverse_dynamics", "pose", "rollout", "step", "tip"]

try:
    from jax.extend.core import Primitive
except ImportError:  # of a JAX before 0.4.36
    from jax.core import Primitive

Array = np.ndarray

#: (inputs, directions) -> changes of outputs; or, ``backward``, (inputs, cotangents) -> gradients.
derivative = Primitive("supple_derivative")
derivative.multiple_results = True


class Function(Value):
    """A function of JAX arrays; made by the functions of this module."""

    def __init__(self, operation: Operation, threads: int | None) -> None:
        super().__init__(operation, threads)
        core = jax.custom_jvp(self._primal)
        core.defjvp(self._along)
        recorded = jax.custom_jvp(lambda *arrays: self._call(self._record, "outputs", arrays))
        recorded.defjvp(_refused)
        self._core, self._recorded = core, recorded

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Outputs, with the leading axes of the inputs broadcast together; one array or a tuple."""
        operation = self.operation
        given = [None if x is None else jnp.asarray(x) for x in arranged(operation, args, named)]
        dtype = _precision(operation, given)
        arrays = [
            jnp.asarray(port.default if x is None else x, dtype)
            for x, port in zip(given, operation.inputs, strict=True)
        ]
        lead = leading_axes(operation, [x.shape for x in arrays])
        rows = [jnp.broadcast_to(x, lead + port.shape) for x, port in zip(arrays, operation.inputs, strict=True)]
        outputs = self._core(*rows)
        return outputs[0] if len(outputs) == 1 else outputs

    # ------------------------------------------------------------------ what JAX calls

    def _primal(self, *arrays: Any) -> Any:
        return self._call(self._evaluate, "outputs", arrays)

    def _along(self, arrays: Any, tangents: Any) -> Any:
        return self._recorded(*arrays), tuple(derivative.bind(*arrays, *tangents, function=self, backward=False))

    def derive(self, arrays: Any, backward: bool) -> Any:
        """What `derivative` is, from inputs and directions, or from inputs and cotangents."""
        return self._call(self._pull, "inputs", arrays) if backward else self._call(self._push, "outputs", arrays)

    def shapes(self, results: str, first: Any) -> tuple[Any, ...]:
        """Those of "outputs" or "inputs", from the shape and type of the first input."""
        lead = first.shape[: len(first.shape) - len(self.operation.inputs[0].shape)]
        return tuple(jax.ShapeDtypeStruct(lead + port.shape, first.dtype) for port in getattr(self.operation, results))

    def _call(self, function: Any, results: str, arrays: Any) -> Any:
        """Results of a NumPy function of arrays, shaped as the outputs or the inputs."""
        shapes = self.shapes(results, arrays[0])
        try:
            return jax.pure_callback(function, shapes, *arrays, vmap_method="broadcast_all")
        except Exception as error:  # of an eager call: JAX keeps the words of an error, not its type
            told = next((x for x in self._rows.failures if str(x) in str(error)), None)
            if told is None:
                raise
            raise told from None

    # ------------------------------------------------------------------ in NumPy

    def _evaluate(self, *arrays: Any) -> Any:
        given = [np.asarray(x) for x in arrays]
        return _as(given[0].dtype, self._rows.evaluate(given, record=False)[0])

    def _record(self, *arrays: Any) -> Any:
        given = [np.asarray(x) for x in arrays]
        outputs, memories = self._rows.evaluate(given, record=True)
        self._rows.remember(given, memories)
        return _as(given[0].dtype, outputs)

    def _pull(self, *arrays: Any) -> Any:
        return self._derive(self._rows.pull, arrays)

    def _push(self, *arrays: Any) -> Any:
        return self._derive(self._rows.push, arrays)

    def _derive(self, way: Any, arrays: Any) -> Any:
        given, count = [np.asarray(x) for x in arrays], len(self.operation.inputs)
        memories = self._rows.recall(given[:count])
        return _as(given[0].dtype, way(memories, given[count:]))


# ---------------------------------------------------------------------- what JAX must know of `derivative`


def _evaluated(*arrays: Any, function: Function, backward: bool) -> Any:
    return function.derive(arrays, backward)


def _abstract(*arrays: Any, function: Function, backward: bool) -> Any:
    shapes = function.shapes("inputs" if backward else "outputs", arrays[0])
    return [arrays[0].update(shape=x.shape) for x in shapes]


def _batched(arrays: Any, axes: Any, **how: Any) -> Any:
    """One more leading axis, of all arrays: rows are rows."""
    size = next(x.shape[axis] for x, axis in zip(arrays, axes, strict=True) if axis is not None)
    moved = [
        jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(arrays, axes, strict=True)
    ]
    found = derivative.bind(*moved, **how)
    return found, [0] * len(found)


def _transposed(cotangents: Any, *arrays: Any, function: Function, backward: bool) -> Any:
    known = arrays[: len(function.operation.inputs)]
    given = [ad.instantiate_zeros(x) for x in cotangents]
    found = derivative.bind(*known, *given, function=function, backward=not backward)
    return [None] * len(known) + list(found)


def _refused(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("functions of supple.jax have first derivatives, and no derivatives of derivatives")


derivative.def_impl(_evaluated)
derivative.def_abstract_eval(_abstract)
batching.primitive_batchers[derivative] = _batched
ad.primitive_transposes[derivative] = _transposed
ad.primitive_jvps[derivative] = _refused
mlir.register_lowering(derivative, mlir.lower_fun(_evaluated, multiple_results=True))


def _precision(operation: Operation, given: list[Any]) -> Any:
    """Type of the results: that of the arguments, JAX's own for integers."""
    there = [(x, port) for x, port in zip(given, operation.inputs, strict=True) if x is not None]
    for x, port in there:
        if x.dtype.kind not in "iuf" and not jnp.issubdtype(x.dtype, jnp.floating):
            raise StateError(f"{operation.name}: {port.name} is of type {x.dtype}, must be real numbers")
    dtype = jnp.result_type(float, *(x for x, _ in there))
    return dtype if dtype.itemsize >= 4 else np.dtype(np.float32)


def _as(dtype: Any, arrays: list[Array]) -> tuple[Array, ...]:
    return tuple(x.astype(dtype) for x in arrays)


_functions = Functions(Function)
equilibrium = _functions.equilibrium
step = _functions.step
rollout = _functions.rollout
inverse_dynamics = _functions.inverse_dynamics
forward_dynamics = _functions.forward_dynamics
pose = _functions.pose
tip = _functions.tip
