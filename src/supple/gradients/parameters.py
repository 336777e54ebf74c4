"""Gradients of the residual and of outputs by the parameters of a design.

The residual by one sweep (`core.parameter_gradient`).  Poses and energies depend on parameters also where q stands
still.  A station is the end of a chain of its own (`model.station_chain`), to which the cotangent of its pose is given
(`core.station_gradient`).  Energies are differenced between robots with slightly other parameters.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from supple.core import parameter_gradient as _sweep
from supple.core.arrays import Parameters, handle, make_space, make_tree
from supple.core.gradient_arrays import NONE, make_gradient
from supple.core.loads import EXTERNAL
from supple.core.station_gradient import PULL_BACK_POSE, StationData
from supple.errors import StateError
from supple.gradients.array_slopes import ArraySlopes, flat_numbers, number_arrays
from supple.gradients.parameter_sums import MapDifferences, ParameterSums
from supple.model.station_chain import chain_arrays
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from supple.compilation.compiled import CompiledRobot
    from supple.gradients.design import DesignPoint
    from supple.model.model import Model
    from supple.solvers.motion.trajectory import Trajectory

Array = np.ndarray

#: No cotangents of rows of loops.
NO_ROWS = np.zeros((0, 0))

#: Arrays on which poses depend.
POSED_BY = ("placement", "segments", "phi", "screws")

#: Stations, and models that share scratch, remembered per thread.
MOST_STATIONS, MOST_SUMS = 64, 4


def residual_sums(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    y: Array,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
    rows: Array = NO_ROWS,
) -> ParameterSums:
    """The gradient of y . R + rows[0] . e + rows[1] . (A v) + rows[2] . (A a + A' v) by all numbers, inputs, signals.

    The sums are this thread's own, and overwritten by its next call.
    """
    work = model.workspace
    # models with the same links may share scratch, but not their loads and designs
    sums: ParameterSums = work.remembered("parameter sums", model, lambda: ParameterSums(model), MOST_SUMS)
    sums.clear()
    function, space = work.functions.parameters, work.space(u, t, lam, z)
    if not _sweep.parameter_gradient(function, work.tree, space, q, v, a, y, rows, sums.handle):
        raise StateError(f"model {model.name!r}: derivatives by parameters are not finite at this state")
    return sums


class StationSums:
    """Cotangents of the poses of one station, pulled back to the parameters of a model's design.

    Parameters
    ----------
    model : Model
        With a design.
    link, s : str, float
        The station, as for `Model.pose`.
    """

    def __init__(self, model: Model, link: str, s: float) -> None:
        point, number = model.design, model.link_index(link)
        assert point is not None
        self.model, self.link, self.s = model, link, as_station(s, "s")
        topology, parameters = chain_arrays(model, model.layouts[number], self.s)
        self._slopes = _chain_slopes(point, number, self.s)
        self._data = StationData(np.array([[len(parameters.segments) - 1]]), np.zeros((1, 6)))
        self._data_handle = handle(self._data)
        table = np.array([[PULL_BACK_POSE.address, self._data_handle.ctypes.data, EXTERNAL, 0, 0]], dtype=np.int64)
        self._tree = make_tree(topology, parameters, table, model.workspace.arrays.maps)
        self._space = make_space(self._tree)
        self._handles = handle(self._tree), handle(self._space)
        own = np.array([[0, 0, NONE, 0, 0, 0]], dtype=np.int64)
        maps = self._slopes.maps
        self._maps = MapDifferences(topology.blocks, maps)
        self._along, scales = np.zeros(len(maps)), np.array([end.scale for end in maps], dtype=float)
        arrays = [np.zeros_like(x) for x in parameters], np.zeros(0), np.zeros(0), own, None, scales, self._along
        self._sums = make_gradient(*arrays, self._maps.rows)
        self._sums_handle = handle(self._sums)
        self._zero = np.zeros(len(model.topology.component))

    def clear(self) -> None:
        """Set all sums to zero."""
        for name in POSED_BY:
            array = getattr(self._sums, name)
            array[...] = np.zeros((), array.dtype)
        self._along[:] = 0.0

    def add(self, q: Array, wrench: Array) -> None:
        """Add the cotangent of the pose at q (n,): a wrench (6,) in the station's frame."""
        self._data.wrench[:] = wrench
        tree, space = self._handles
        function, zero, q = _sweep.PARAMETER_GRADIENT.address, self._zero, self.model.whole(q)
        _sweep.parameter_gradient(function, tree, space, q, zero, zero, zero, NO_ROWS, self._sums_handle)

    def by_parameter(self) -> Array:
        """The sums pulled back to the parameters, (count,)."""
        found = self._slopes.pulled_back(flat_numbers([getattr(self._sums, name) for name in POSED_BY], ()))
        for end, x in zip(self._slopes.maps, self._along, strict=True):
            found[end.parameter] += x
        return found


def _chain_slopes(point: DesignPoint, number: int, s: float) -> ArraySlopes:
    """How the arrays of the chain to a station follow the parameters."""

    def numbers(robot: CompiledRobot) -> list[Array]:
        arrays: Parameters = chain_arrays(robot, robot.layouts[number], s)[1]
        return list(number_arrays([getattr(arrays, name) for name in POSED_BY], ()))

    maps = point.slopes.maps
    found = point.entries(("chain", number, s), numbers)
    return ArraySlopes(*found, (), point.design.size, maps)


def pull_back_poses(model: Model, link: str, s: float, q: Array, wrenches: Array) -> Array:
    """What poses of a station at q (T, n) do to the parameters directly, (count,), q held still.

    ``wrenches`` (T, 6) are derivatives of a scalar by the poses, as wrenches in the station's frame.
    """
    key: Hashable = (model, link, as_station(s, "s"))
    sums: StationSums = model.workspace.remembered(
        "station sums", key, lambda: StationSums(model, link, s), MOST_STATIONS
    )
    sums.clear()
    for state, wrench in zip(q, wrenches, strict=True):
        if wrench.any():
            sums.add(np.ascontiguousarray(state), wrench)
    return sums.by_parameter()


def push_poses(model: Model, link: str, s: float, q: Array, change: Array) -> Array:
    """Twists (T, 6), in the station's frame, of poses at q (T, n) along changes (count,) of the parameters."""
    key: Hashable = (model, link, as_station(s, "s"))
    sums: StationSums = model.workspace.remembered(
        "station sums", key, lambda: StationSums(model, link, s), MOST_STATIONS
    )
    found = np.zeros((len(q), 6))
    for k, state in enumerate(q):
        for i, wrench in enumerate(np.eye(6)):
            sums.clear()
            sums.add(np.ascontiguousarray(state), wrench)
            found[k, i] = sums.by_parameter() @ change
    return found


def energies_by_parameter(motion: Trajectory, wanted: Array) -> Array:
    """d(total energies)/d(parameters) (T, count) along a motion where the state stands still; zero unless wanted."""
    model = motion.model
    assert model is not None
    assert model.design is not None
    point = model.design
    found = np.zeros((len(motion.t), point.design.size))
    for k in np.flatnonzero(wanted):
        at = motion.q[k], motion.v[k], motion.u[k], float(motion.t[k])
        for j, ((plus, minus), end) in enumerate(zip(point.models, point.ends, strict=True)):
            found[k, j] = end.scale * (plus.energy(*at).total - minus.energy(*at).total)
    return found
