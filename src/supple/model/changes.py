"""Models that differ from another in some of their arrays, which nobody checks: for parts of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from supple.model.model import Model


def changed_model(model: Model, **changes: Any) -> Model:
    """A model that differs in some fields of its `CompiledRobot`; its scratch is its own."""
    return type(model)(model.compiled.changed(**changes))
