"""Gradients along a path of equilibria: those of its points, added up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ShapeError, StateError
from supple.gradients.design import how_to_have
from supple.gradients.gradient import Gradient, NoParameters

if TYPE_CHECKING:
    from supple.solvers.statics.continuation import EquilibriumPath

Array = np.ndarray


def path_vjp(
    path: EquilibriumPath,
    q: ArrayLike | None,
    multipliers: ArrayLike | None,
    pose: Mapping[tuple[str, float], ArrayLike] | None,
) -> Gradient:
    """The gradient of a scalar whose derivatives by all points are given."""
    model, count = path.model, len(path)
    rows = _rows(q, (count, model.n), "q"), _rows(multipliers, (count, model.nc), "multipliers")
    stations = {station: _rows(w, (count, 6), f"pose[{station}]") for station, w in (pose or {}).items()}
    by_input, by_fixed = np.zeros((count, model.nu)), np.zeros((count, len(model.fixed_coordinates)))
    by_parameter: dict[str, Any] = NoParameters(how_to_have(model))
    for k in range(count):
        wrenches = {station: w[k] for station, w in stations.items() if w[k].any()}
        if not (wrenches or rows[0][k].any() or rows[1][k].any()):
            continue
        found = path.point(k).vjp(rows[0][k], multipliers=rows[1][k], pose=wrenches)
        by_input[k], by_fixed[k] = found.u, found.prescribed
        for name, bar in found.p.items():
            by_parameter[name] = by_parameter.get(name, 0.0) + bar
    if model.design is not None and not by_parameter:
        by_parameter = model.design.design.unpack(np.zeros(model.design.design.size))
    return Gradient(by_input, by_fixed, by_parameter)


def _rows(given: ArrayLike | None, shape: tuple[int, int], what: str) -> Array:
    """Finite numbers of a shape; zero if they were omitted."""
    if given is None:
        return np.zeros(shape)
    try:
        array = floats(given)
    except ValueError as reason:
        raise ShapeError(f"{what} is {shown(given)}, must be numbers of shape {shape}{why(reason)}") from None
    if array.shape != shape:
        raise ShapeError(f"{what} has shape {array.shape}, must be {shape}: a row per point of the path")
    if not np.isfinite(array).all():
        raise StateError(f"{what} holds values that are not finite")
    return array
