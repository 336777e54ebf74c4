"""Robots in PyTorch: equilibria, steps, motions and dynamics as functions that autograd differentiates.

Install with ``pip install "supple[torch]"``.  Each function takes a `Model`, or a `Design` whose parameters are then
inputs ``p``, a dict of tensors by name, and returns a function of tensors with any leading axes; rows are computed on
several threads, on the CPU in float64, and returned in the caller's precision and place.  Derivatives are exact, once.
"""

from __future__ import annotations

from typing import Any

from supple.bridges.calls import arranged, leading_axes
from supple.bridges.functions import Functions, Value
from supple.bridges.operation import Operation
from supple.bridges.rows import Rows
from supple.errors import MissingExtraError, ModelError, StateError

try:
    import torch
except ImportError as error:
    raise MissingExtraError('supple.torch needs PyTorch: pip install "supple[torch]"') from error

__all__ = ["Function", "equilibrium", "forward_dynamics", "inverse_dynamics", "pose", "rollout", "step", "tip"]


class Function(Value):
    """A function of tensors; made by the functions of this module."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Outputs, with the leading axes of the inputs broadcast together; one tensor or a tuple."""
        operation = self.operation
        given = [None if x is None else torch.as_tensor(x) for x in arranged(operation, args, named)]
        dtype, device = _precision(operation, given)
        tensors = [
            torch.as_tensor(port.default if x is None else x).to(device, dtype)
            for x, port in zip(given, operation.inputs, strict=True)
        ]
        lead = leading_axes(operation, [tuple(x.shape) for x in tensors])
        rows = [x.expand(lead + port.shape) for x, port in zip(tensors, operation.inputs, strict=True)]
        record = torch.is_grad_enabled() and any(x.requires_grad for x in rows)
        outputs = _Call.apply(self._rows, record, *rows)
        return outputs[0] if len(outputs) == 1 else outputs


class _Call(torch.autograd.Function):  # type: ignore[misc]
    """How autograd sees an operation; memories live as long as the graph."""

    @staticmethod
    def forward(ctx: Any, rows: Rows, record: bool, *tensors: Any) -> Any:
        """Outputs as tensors."""
        outputs, memories = rows.evaluate([x.detach().cpu().numpy() for x in tensors], record)
        ctx.rows, ctx.memories = rows, memories
        ctx.save_for_backward(*tensors)  # torch then sees to it that nobody changes them
        return tuple(torch.as_tensor(x).to(tensors[0]) for x in outputs)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """Gradients by those inputs that need them."""
        gradients = _Pull.apply(ctx.rows, ctx.memories, *cotangents, *ctx.saved_tensors)
        needed = ctx.needs_input_grad[2:]
        return None, None, *(x if wanted else None for x, wanted in zip(gradients, needed, strict=True))


class _Pull(torch.autograd.Function):  # type: ignore[misc]
    """The gradient; it depends on inputs and cotangents, so that asking for its own derivative is noticed."""

    @staticmethod
    def forward(ctx: Any, rows: Rows, memories: Any, *tensors: Any) -> Any:
        """Gradients by all inputs, from cotangents."""
        ctx.rows = rows
        cotangents = tensors[: len(rows.operation.outputs)]
        gradients = rows.pull(memories, [x.detach().cpu().numpy() for x in cotangents])
        return tuple(torch.as_tensor(x).to(cotangents[0]) for x in gradients)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """Not known."""
        raise ModelError(f"{ctx.rows.operation.name}: derivatives of derivatives are not known")


def _precision(operation: Operation, given: list[Any]) -> tuple[Any, Any]:
    """Type and device of the results: those of the arguments, torch's own type for integers."""
    there = [(x, port) for x, port in zip(given, operation.inputs, strict=True) if x is not None]
    dtype: Any = None
    for x, port in there:
        if x.is_complex() or x.dtype == torch.bool:
            raise StateError(f"{operation.name}: {port.name} is of type {x.dtype}, must be real numbers")
        if x.is_floating_point():
            dtype = x.dtype if dtype is None else torch.promote_types(dtype, x.dtype)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    dtype = dtype if dtype in (torch.float32, torch.float64) else torch.float32
    return dtype, there[0][0].device if there else torch.device("cpu")


_functions = Functions(Function)
equilibrium = _functions.equilibrium
step = _functions.step
rollout = _functions.rollout
inverse_dynamics = _functions.inverse_dynamics
forward_dynamics = _functions.forward_dynamics
pose = _functions.pose
tip = _functions.tip
