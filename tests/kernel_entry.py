"""Entries from Python to functions that stand only inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.caching import NullCache

from supple.jit.mode import compiler


def entry(function: Any) -> Callable[..., Any]:
    """A compiled function called from Python that calls ``function``, an `inner`, `inlined` or `leaf` one.

    It is compiled as kernels are: their copies of inner functions stand in for one another.
    """

    def call(*arguments):
        return function(*arguments)

    dispatcher = compiler().kernel(call, "")
    dispatcher._cache = NullCache()  # all of them have one name
    return dispatcher


def scratch_of(model: Any) -> Any:
    """This thread's scratch of a model (`core.arrays.Space`), as the last call left it."""
    return model.workspace.own()[0] if hasattr(model, "workspace") else model._own_space()[0]


def handles_of(model: Any) -> tuple[Any, Any]:
    """Handles of a model's tree and of this thread's scratch, inputs and multipliers zero."""
    if hasattr(model, "workspace"):
        return model.workspace.tree, model.workspace.space()
    return model._tree, model._space(None, 0.0, None, None)
