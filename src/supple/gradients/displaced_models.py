"""A model at six places along one direction of its parameters: for differences of its equations.

Numbers of a model follow the parameters of its design (`gradients.array_slopes`); a direction of the parameters is one
of all numbers.  Equations of displaced numbers are those of a robot with other parameters, to first order, so their
difference along the direction is what `core.parameter_gradient` would give row by row, at the cost of six residuals
(`solvers.sensitivity.displacements`).

Only where all that acts is smooth in these numbers: no contact, no lines that may be slack, no limits that move, no
functions of users, nothing that is differenced already.  Loads say so by the kernel of their gradient
(`jit.SmoothGradientKernel`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core import residual as _residual
from supple.core.arrays import find_anew, handle, make_tree
from supple.core.gradient_arrays import shaped_like, words_of
from supple.gradients.array_slopes import flat_numbers, number_arrays
from supple.solvers.sensitivity.displacements import PLACES, ROUNDING, TRUSTED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from supple.gradients.array_slopes import ArraySlopes
    from supple.model.model import Model

Array = np.ndarray

#: By how much the nearest places change the largest number of an array, relatively: rounding and c^6 meet.
RELATIVE = 3e-3

#: Models whose displaced arrays are remembered per thread.
MOST = 4


def is_smooth(model: Model, slopes: ArraySlopes) -> bool:
    """Whether the equations of a model may be differenced along its parameters."""
    apart = slopes.differenced or model.dense or model.demand.implicit or model.demand.dormant
    if apart or any(load.guard is not None for load in model.loads):
        return False
    return all(getattr(load.gradient, "smooth", False) for load in model.loads)


def displaced_along(model: Model, slopes: ArraySlopes, change: Array) -> tuple[DisplacedModels, float] | None:
    """This thread's displaced models, put along changes (count,) of the parameters, and how far; None if not smooth.

    The next call of this thread puts them elsewhere.
    """
    if not is_smooth(model, slopes):
        return None
    found = model.workspace.remembered("displaced models", model, lambda: DisplacedModels(model), MOST)
    distance = found.put(slopes.pushed(change))
    return (found, distance) if distance > 0.0 else None


class DisplacedModels:
    """Arrays of a model at six places, which `put` sets.

    Attributes
    ----------
    trees : (6,) int
        Addresses of the handles of all six.
    charts : (6 n_blocks,) pose_t
        Placements of all blocks of all six.
    """

    def __init__(self, model: Model) -> None:
        given = [load.arrays() for load in model.loads]
        like = [*model.parameters, *(array for arrays in given for array in arrays)]
        self._model = model
        self._numbers = flat_numbers(model.parameters, model.loads)
        self._given = list(number_arrays(model.parameters, model.loads))
        self._sizes = [float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in self._given]
        self._lengths = [x.size for x in self._given]
        self._fixed = _limits(model)
        placement = model.parameters.placement
        self.charts = np.zeros(PLACES * len(placement), placement.dtype)
        self._keep: list[Any] = []
        self._views: list[list[Array]] = []
        self.trees = np.array([self._tree(model, like, given, k) for k in range(PLACES)], dtype=np.int64)

    def _tree(self, model: Model, like: list[Array], given: list[tuple[Array, ...]], k: int) -> int:
        """The handle of place k, with arrays of its own."""
        arrays = shaped_like(like, np.zeros(words_of(like)))
        blocks = len(like[0])
        arrays[0] = self.charts[k * blocks : (k + 1) * blocks]
        for mine, its in zip(arrays, like, strict=True):
            mine[...] = its
        count, first, own, handles = len(model.parameters), len(model.parameters), [], []
        loads = model.workspace.arrays.loads.copy()
        for i, array in enumerate(given):
            own.append(tuple(arrays[first : first + len(array)]))
            handles.append(handle(own[-1]))
            loads[i, 1] = handles[-1].ctypes.data
            first += len(array)
        parameters = type(model.parameters)(*arrays[:count])
        tree = make_tree(model.topology, parameters, loads, model.workspace.arrays.maps)
        self._views.append(list(number_arrays(parameters, model.loads, own)))
        address = handle(tree)
        self._keep.append((tree, address, handles, own, parameters))
        return int(address.ctypes.data)

    def put(self, direction: Array) -> float:
        """Displace all numbers along their variations (size,).  Returns the distance, 0 if nothing may be displaced."""
        parts = np.split(direction.copy(), np.cumsum(self._lengths)[:-1])
        for part, R in zip(parts, self._given, strict=True):
            if R.shape[1:] == (3, 3):
                part[:] = turning(R, part.reshape(R.shape)).reshape(-1)
        direction = np.concatenate(parts)
        rates = [
            float(np.abs(part).max(initial=0.0)) / (size or 1.0) for part, size in zip(parts, self._sizes, strict=True)
        ]
        if not max(rates, default=0.0) > 0.0 or direction[self._fixed].any():
            return 0.0
        distance = RELATIVE / max(rates)
        with np.errstate(invalid="ignore"):  # limits that are not there stay infinite
            for k, views in enumerate(self._views):
                moved = np.where(direction == 0.0, self._numbers, self._numbers + _offset(k, distance) * direction)
                first = 0
                for view in views:
                    view[...] = moved[first : first + view.size].reshape(view.shape)
                    first += view.size
                tree, parameters = self._keep[k][0], self._keep[k][-1]
                find_anew(tree, self._model.topology, parameters)
        return distance

    def variations(
        self,
        distance: float,
        state: tuple[Array, Array, Array],
        u: ArrayLike | None,
        lam: Array,
        t: float,
        signals: Array | None,
    ) -> Array | None:
        """Variations (n + 3 nc,) of R, e, A v, A a + A' v along the direction that was put, the state standing still.

        ``state`` is (q, v, a), ``signals`` variations of the values of laws of time.  None where differences are not
        to be trusted: something is not smooth.
        """
        model, work = self._model, self._model.workspace
        space, n, nc = work.space(u, t, lam), model.n, model.nc
        values = work.own()[0].signals
        before, f = values.copy(), np.zeros((PLACES, n + 3 * nc))
        vectors, matrices = np.zeros((3, nc)), np.zeros((5, nc, n))
        for k in range(PLACES):
            tree = self._keep[k][1]
            if signals is not None:
                values[:] = before + _offset(k, distance) * signals
            if not _residual.residual(work.functions.residual, tree, space, *state, f[k, :n]):
                return None
            if nc:
                work.functions.rows_at(tree, space, *state, vectors, matrices)
                f[k, n:] = vectors.reshape(-1)
        x, y, z = ((f[2 + k] - f[3 - k]) / (2.0 * k * distance) for k in (1, 2, 3))
        found = (15.0 * x - 6.0 * y + z) / 10.0
        apart = np.abs((4.0 * x - y) / 3.0 - found)
        for own in (slice(0, n), *(slice(n + m * nc, n + (m + 1) * nc) for m in range(3 if nc else 0))):
            floor = ROUNDING / distance if own.start else 0.0
            if not apart[own].max() <= max(TRUSTED * np.abs(found[own]).max(), floor):
                return None
        return np.asarray(found)


def turning(R: Array, change: Array) -> Array:
    """Changes (k, 3, 3) of rotations R (k, 3, 3) that turn them: rounding has made something else of them, too."""
    local = np.swapaxes(R, 1, 2) @ change
    return np.asarray(0.5 * R @ (local - np.swapaxes(local, 1, 2)))


def _limits(model: Model) -> Array:
    """Where among all numbers limits and friction of joints are: their laws bend."""
    limits, first = model.parameters.limits, 0
    for array in number_arrays(model.parameters, model.loads):
        if array is limits:
            return np.arange(first, first + array.size)
        first += array.size
    return np.zeros(0, np.int64)


def _offset(k: int, distance: float) -> float:
    """Where place k is, as `solvers.sensitivity.displacements.offset_of` has it."""
    return distance * (k - 3 if k < 3 else k - 2)
