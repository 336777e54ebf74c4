"""Whom an operation is about: a model, or a design whose parameters are inputs, too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.checks import shown
from supple.errors import ModelError
from supple.gradients.design import Design
from supple.model.model import Model

Array = np.ndarray

#: Models of recent parameters that are kept.
KEPT = 8


class Subject:
    """A model, or a design.

    Attributes
    ----------
    nominal : Model
        The model, or that of the design's own values.
    parameters : list of (name, shape, value)
        Of the design; empty for a model.
    """

    def __init__(self, given: Model | Design) -> None:
        self.design: Design | None = None
        if isinstance(given, Model):
            self.nominal = given
        elif isinstance(given, Design):
            self.design = given
            self.nominal = given.model()
        else:
            raise ModelError(f"model is {shown(given)}, must be a Model (robot.compile()) or a Design")
        values = {} if self.design is None else self.design.values
        arrays = {name: np.array(value, dtype=float) for name, value in values.items()}
        self.parameters = [(name, array.shape, array) for name, array in arrays.items()]
        self._models: OrderedDict[bytes, Model] = OrderedDict()
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.nominal if self.design is None else self.design,)

    def model(self, parameters: Sequence[Array]) -> Model:
        """The model with these values of the parameters, in their order; one model for equal values."""
        if self.design is None:
            return self.nominal
        key = b"".join(value.tobytes() for value in parameters)
        with self._lock:  # functions of users that build robots need not be safe in threads
            if key not in self._models:
                values = zip(self.parameters, parameters, strict=True)
                changes = {name: value.copy() if shape else float(value) for (name, shape, _), value in values}
                self._models[key] = self.design.model(**changes)
                if len(self._models) > KEPT:
                    self._models.popitem(last=False)
            self._models.move_to_end(key)
            return self._models[key]

    def differentiable(self, model: Model) -> None:
        """See to it that derivatives of a model's numbers by the parameters are there, before threads ask for them."""
        if model.design is not None and self.design is not None:
            with self._lock:
                _ = model.design.slopes, model.design.laws

    def changes(self, values: Sequence[Array]) -> dict[str, Any] | None:
        """Changes of the parameters, given in their order, by name; None without parameters."""
        named = zip(self.parameters, values, strict=True)
        return {name: value if shape else float(value) for (name, shape, _), value in named} or None

    def gradients(self, by_name: Mapping[str, Any]) -> tuple[Array, ...]:
        """Gradients by the parameters, in their order."""
        unknown = [name for name, _, _ in self.parameters if name not in by_name]
        if unknown:  # never zero by silence
            raise ModelError(f"derivatives by the parameter {unknown[0]!r} are not known here")
        return tuple(np.reshape(by_name[name], shape) for name, shape, _ in self.parameters)
