"""Sums of gradients by all numbers of a model, and what they mean for the parameters of its design.

Kernels add to the arrays at ``address`` (`core.parameter_gradient`); then ``by_parameter`` pulls the sums back.
Without a design only ``inputs`` and ``signals`` are of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import handle
from supple.core.gradient_arrays import AFTER, NONE, WITHIN, make_gradient, shaped_like, words_of
from supple.core.loads import CONSTRAINT
from supple.core.loop_gradients import LOOP_ROWS
from supple.core.map_gradients import scratch_size
from supple.core.records import has_star, is_map
from supple.gradients.array_slopes import ArraySlopes, MapEnds, flat_numbers

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
        How the model's numbers follow the parameters of its design; those of the model's own design if omitted.

    Attributes
    ----------
    address : int
        Of the handle that `core.parameter_gradient.PARAMETER_GRADIENT` takes.
    own : list of tuple of ndarray
        Of each load, shaped like its data.
    inputs, signals : (nu,), (n_signals,)
        Cotangents of inputs and of the values of laws of time.
    """

    def __init__(self, model: Model, slopes: ArraySlopes | None = None) -> None:
        if slopes is None and model.design is not None:
            slopes = model.design.slopes
        self.slopes = slopes
        ends = () if slopes is None else slopes.loads
        given = [load.arrays() for load in model.loads]
        like = [*model.parameters, *(array for arrays in given for array in arrays)]
        maps = () if slopes is None else slopes.maps
        like += [np.zeros(model.nu), np.zeros(model.demand.signals), np.zeros(len(ends) + len(maps))]
        self.buffer = np.zeros(words_of(like))
        self._like = like
        parameters, self.own, rest = _divided(shaped_like(like, self.buffer), len(model.parameters), given)
        self.inputs, self.signals, self._along = rest
        self._where = _places(like, model)
        if slopes is not None:
            self._rows = self._where[slopes.rows]
        self._keep = [handle(arrays) for arrays in self.own]
        rows = [_row(load, mine) for load, mine in zip(model.loads, self._keep, strict=True)]
        self._ends = [(end.plus.arrays(), end.minus.arrays()) for end in ends]
        self._end_handles = [(handle(plus), handle(minus)) for plus, minus in self._ends]
        differences = [
            (end.load, plus.ctypes.data, minus.ctypes.data, end.plus.kernel.address, end.minus.kernel.address)
            for end, (plus, minus) in zip(ends, self._end_handles, strict=True)
        ]
        self._map_table = MapDifferences(model.topology.blocks, maps)
        self.arrays = make_gradient(
            parameters,
            self.inputs,
            self.signals,
            np.array(rows, dtype=np.int64).reshape(-1, 6),
            np.array(differences, dtype=np.int64).reshape(-1, 5),
            np.array([*(end.scale for end in ends), *(end.scale for end in maps)], dtype=float),
            self._along,
            self._map_table.rows,
        )
        self.handle = handle(self.arrays)
        self.address = int(self.handle.ctypes.data)

    def clear(self) -> None:
        """Set all sums to zero."""
        self.buffer[:] = 0.0

    def by_number(self) -> Array:
        """The sums in the order of `array_slopes.flat_numbers`."""
        return np.asarray(self.buffer[self._where])

    def by_parameter(self) -> Array:
        """The sums pulled back to the parameters, (count,): all but what came by laws of time (``signals``)."""
        if self.slopes is None:
            return np.zeros(0)
        bar = np.bincount(
            self.slopes.columns, self.slopes.values * self.buffer[self._rows], minlength=self.slopes.count
        ).astype(float)  # counts of nothing are integers
        for k, end in enumerate(self.slopes.differenced):
            bar[end.parameter] += self._along[k]
        return bar

    def directed(self, change: Array) -> Array:
        """Variations of all that there are sums for, along changes (count,) of the parameters; of signals zero.

        Laid out like ``buffer``: their product is what the sums come to along that direction.
        """
        assert self.slopes is not None
        direction = np.zeros(len(self.buffer))
        direction[self._where] = self.slopes.pushed(change)
        shaped_like(self._like, direction)[-1][:] = change[[end.parameter for end in self.slopes.differenced]]
        return direction

    def parts_in(self, buffer: Array) -> tuple[Array, Array]:
        """Placements and signals in an array that is laid out like ``buffer``."""
        arrays = shaped_like(self._like, buffer)
        return arrays[0], arrays[-2]

    def along(self, numbers: Array, change: Array) -> float:
        """The sums along changes of all numbers, and of parameters (count,) for loads that are differenced."""
        assert self.slopes is not None
        total = float(self.by_number() @ numbers)
        for k, end in enumerate(self.slopes.differenced):
            total += float(self._along[k] * change[end.parameter])
        return total


class MapDifferences:
    """Differences of maps as kernels see them (`core.map_gradients`): ``rows`` (m, 4), and what they point to."""

    def __init__(self, blocks: Array, ends: Sequence[MapEnds]) -> None:
        sizes = {int(block["map"]): (int(block["n"]), bool(has_star(block))) for block in blocks[is_map(blocks)]}
        self._memory = [np.zeros(_scratch(end, *sizes.get(end.row, (0, False)))) for end in ends]
        self._handles = [(handle(end.plus.data), handle(end.minus.data)) for end in ends]
        self._ends = tuple(ends)  # whose data the handles point to
        rows = [
            (end.row, high.ctypes.data, low.ctypes.data, memory.ctypes.data)
            for end, (high, low), memory in zip(ends, self._handles, self._memory, strict=True)
        ]
        self.rows = np.array(rows, dtype=np.int64).reshape(-1, 4)


def _scratch(end: MapEnds, n: int, star: bool) -> int:
    """Floats for what a map gives at both ends."""
    return scratch_size(n, end.plus.frames, end.plus.scratch, star)


def _divided(
    arrays: list[Array], parameters: int, given: list[tuple[Array, ...]]
) -> tuple[list[Array], list[tuple[Array, ...]], list[Array]]:
    """Arrays of the tree, of each load, and the others."""
    own, first = [], parameters
    for mine in given:
        own.append(tuple(arrays[first : first + len(mine)]))
        first += len(mine)
    return arrays[:parameters], own, arrays[first:]


def _places(like: list[Array], model: Model) -> Array:
    """Where the numbers of a model (`array_slopes.flat_numbers`) are in the buffer: its own numbers are put there."""
    numbered = np.arange(words_of(like)).view(np.float64)
    given = [load.arrays() for load in model.loads]
    parameters, own, _ = _divided(shaped_like(like, numbered), len(model.parameters), given)
    return flat_numbers(parameters, model.loads, own).view(np.int64)


def _row(load: Bound, own: Array) -> tuple[int, ...]:
    """A row of `ParameterGradient.loads`."""
    kernel, rows = load.gradient, LOOP_ROWS.address if load.side == CONSTRAINT else 0
    if kernel is None:
        return 0, own.ctypes.data, NONE, *load.inputs, rows
    how = WITHIN if getattr(kernel, "within", False) else AFTER
    return kernel.address, own.ctypes.data, how, *load.inputs, rows
