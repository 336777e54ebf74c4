"""Whom an operation is about: a model, or a design whose parameters are inputs, too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.checks import shown
from supple.errors import ModelError
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

    def __init__(self, given: Any) -> None:
        self.design: Any = None
        if isinstance(given, Model):
            self.nominal = given
        elif hasattr(given, "values") and callable(getattr(given, "model", None)):
            self.design = given
            self.nominal = given.model()
        else:
            raise ModelError(f"model is {shown(given)}, must be a Model (robot.compile()) or a Design")
        values = {} if self.design is None else {name: self.design.values[name] for name in self.design.names}
        arrays = {name: np.array(value, dtype=float) for name, value in values.items()}
        self.parameters = [(name, array.shape, array) for name, array in arrays.items()]
        self._models: OrderedDict[bytes, Model] = OrderedDict()
        self._lock = threading.Lock()

    def model(self, parameters: Sequence[Array]) -> Model:
        """The model with these values of the parameters, in their order; one model for equal values."""
        if self.design is None:
            return self.nominal
        key = b"".join(value.tobytes() for value in parameters)
        with self._lock:
            if key in self._models:
                self._models.move_to_end(key)
                return self._models[key]
        changes = {
            name: value.copy() if shape else float(value)
            for (name, shape, _), value in zip(self.parameters, parameters, strict=True)
        }
        made: Model = self.design.model(**changes)
        with self._lock:
            self._models[key] = made
            while len(self._models) > KEPT:
                self._models.popitem(last=False)
        return made

    def gradients(self, by_name: Mapping[str, Any] | None) -> tuple[Array, ...]:
        """Gradients by the parameters, in their order."""
        return tuple(np.reshape((by_name or {})[name], shape) for name, shape, _ in self.parameters)
