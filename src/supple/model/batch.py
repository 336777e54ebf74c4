"""Kinematics of many states at once: q with leading axes, the same numbers as one state at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import floats, shown, why
from supple.core import kinematics as _kinematics
from supple.errors import ShapeError
from supple.model.station_chain import station_chain

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def many_states(model: Model, q: Any) -> Array | None:
    """Coordinates (..., n) of many states as floats; None for those of one state, which are checked elsewhere."""
    if type(q) is np.ndarray and q.ndim <= 1:
        return None
    try:
        array = floats(q)
    except ValueError as reason:
        raise ShapeError(f"q must be {model.n} real numbers, got {shown(q)}{why(reason)}") from None
    if array.ndim <= 1:
        return None
    if array.shape[-1] != model.n:
        raise ShapeError(f"q has shape {array.shape}, model {model.name!r} needs ({model.n},) or (..., {model.n})")
    return np.require(array, requirements=("C", "A", "W"))


def for_each(q: Array, function: Callable[[Array], Array]) -> Array:
    """``function(q)`` of every state of q (..., n), with the same leading axes."""
    rows = q.reshape(-1, q.shape[-1])
    if len(rows) == 0:
        one = function(np.zeros(q.shape[-1]))
        return np.zeros((*q.shape[:-1], *one.shape))
    found = np.array([function(row) for row in rows])
    return found.reshape(*q.shape[:-1], *found.shape[1:])


def many_poses(model: Model, q: Array, link: str, s: float) -> Array:
    """World poses (..., 4, 4) of a station at q (..., n)."""
    work = model.workspace
    chain, n = station_chain(model, link, s), model.n
    rows = q.reshape(-1, n)
    poses, motion = np.empty((len(rows), 4, 4)), np.empty((2, 6))
    J, Jd = np.empty((6, n)), np.empty((6, n))
    for row, pose in zip(rows, poses, strict=True):
        _kinematics.chain_end(chain.tree_handle, chain.space_handle, row, work.zero, work.zero, pose, motion, J, Jd)
    bad = ~np.isfinite(poses).all(axis=(1, 2))
    if bad.any():
        model.station(rows[int(bad.argmax())], None, link, s)  # says what is wrong with it
    return poses.reshape(*q.shape[:-1], 4, 4)
