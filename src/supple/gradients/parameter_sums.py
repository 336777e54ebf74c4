"""Sums of gradients by all numbers of a model, and what they mean for the parameters of its design.

Kernels add to the arrays at ``address`` (`core.parameter_gradient`); then ``by_parameter`` pulls the sums back.
Without a design only ``inputs`` and ``signals`` are of use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import handle
from supple.core.gradient_arrays import AFTER, NONE, WITHIN, make_gradient
from supple.gradients.array_slopes import ArraySlopes, flat_numbers

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.model.model import Model

Array = np.ndarray


class ParameterSums:
    """Arrays shaped like those of a model and of its loads, to which kernels add.

    Parameters
    ----------
    model : Model
    slopes : ArraySlopes, optional
        How the model's numbers follow the parameters of its design; those of the model's own design if left out.

    Attributes
    ----------
    address : int
        Of the handle that `core.parameter_gradient.PARAMETER_GRADIENT` takes.
    inputs, signals : (nu,), (n_signals,)
        Cotangents of inputs and of the values of laws of time.
    """

    def __init__(self, model: Model, slopes: ArraySlopes | None = None) -> None:
        if slopes is None and model.design is not None:
            slopes = model.design.slopes
        self.slopes, self.model = slopes, model
        self._own = [tuple(np.zeros_like(array) for array in load.arrays()) for load in model.loads]
        self._handles = [handle(arrays) for arrays in self._own]
        rows = [_row(load, own) for load, own in zip(model.loads, self._handles, strict=True)]
        ends = () if slopes is None else slopes.loads
        self._ends = [(end.plus.arrays(), end.minus.arrays()) for end in ends]
        self._end_handles = [(handle(plus), handle(minus)) for plus, minus in self._ends]
        differences = [
            (end.load, plus.ctypes.data, minus.ctypes.data, end.plus.kernel.address, end.minus.kernel.address)
            for end, (plus, minus) in zip(ends, self._end_handles, strict=True)
        ]
        self.arrays = make_gradient(
            model.parameters,
            model.nu,
            model.demand.signals,
            np.array(rows, dtype=np.int64).reshape(-1, 5),
            np.array(differences, dtype=np.int64).reshape(-1, 5),
            np.array([end.scale for end in ends], dtype=float),
        )
        self.handle = handle(self.arrays)
        self.address = int(self.handle.ctypes.data)
        self.inputs, self.signals = self.arrays.inputs, self.arrays.signals

    def clear(self) -> None:
        """Set all sums to zero."""
        for array in (*self._parameters(), self.inputs, self.signals, self.arrays.along):
            array[...] = np.zeros((), array.dtype)
        for own in self._own:
            for array in own:
                array[...] = np.zeros((), array.dtype)

    def _parameters(self) -> tuple[Array, ...]:
        """The arrays that are shaped like `core.arrays.Parameters`."""
        return self.arrays[: len(self.model.parameters)]

    def by_number(self) -> Array:
        """The sums in the order of `array_slopes.flat_numbers`."""
        return flat_numbers(self._parameters(), self.model.loads, self._own)

    def by_parameter(self) -> Array:
        """The sums pulled back to the parameters, (count,): all but what came by laws of time (``signals``)."""
        if self.slopes is None:
            return np.zeros(0)
        bar = self.slopes.pulled_back(self.by_number())
        for k, end in enumerate(self.slopes.loads):
            bar[end.parameter] += self.arrays.along[k]
        return bar

    def along(self, numbers: Array, change: Array) -> float:
        """The sums along changes of all numbers, and of parameters (count,) for loads that are differenced."""
        assert self.slopes is not None
        total = float(self.by_number() @ numbers)
        for k, end in enumerate(self.slopes.loads):
            total += float(self.arrays.along[k] * change[end.parameter])
        return total


def _row(load: Bound, own: Array) -> tuple[int, ...]:
    """A row of `ParameterGradient.loads`."""
    kernel = load.gradient
    if kernel is None:
        return 0, own.ctypes.data, NONE, *load.inputs
    how = WITHIN if getattr(kernel, "within", False) else AFTER
    return kernel.address, own.ctypes.data, how, *load.inputs
