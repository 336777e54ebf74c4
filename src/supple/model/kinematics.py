"""Where a robot is: poses, twists and Jacobians of its points and stations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import shown
from supple.core import kinematics as _kinematics
from supple.errors import ModelError
from supple.model.batch import for_each, many_poses, many_states
from supple.model.chart_changes import rewrap_state
from supple.model.results import Station
from supple.model.station_chain import station_chain
from supple.model.station_sweep import make_station_sweep
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Sets of stations remembered per thread (see `poses`).
MOST_SWEEPS = 8


def points(model: Model, q: ArrayLike) -> Array:
    """World poses of all points, (P, 4, 4): per link its body frame, or base, nodes and tip (`point_table`).

    Of many states q (..., n), (..., P, 4, 4).
    """
    work, check = model.workspace, model.arguments
    many = many_states(model, q)
    if many is not None:
        return for_each(many, model.points)
    q = check.state("q", q)
    size = len(model.parameters.segments)
    starts, ends = np.empty((size, 4, 4)), np.empty((size, 4, 4))
    _kinematics.point_poses(work.tree, work.own()[1], q, work.zero, starts, ends)
    poses = []
    for layout in model.layouts:
        if layout.table.points[0][0] == 0:
            poses.append(starts[layout.segments[0]][None])
        poses.append(ends[list(layout.segments)])
    return check.finite(np.concatenate(poses), q=q)


def pose(model: Model, q: ArrayLike, link: str, s: float = 1.0) -> Array:
    """World pose (4, 4) of station ``s`` of a link: rods 0 to 1; rigid links 0 (body frame) or 1 (tip).

    Of many states q (..., n), (..., 4, 4).
    """
    many = many_states(model, q)
    return model.station(q, None, link, s).pose if many is None else many_poses(model, many, link, s)


def tip(model: Model, q: ArrayLike, link: str, s: float = 1.0) -> Array:
    """World position (3,) of a station of a link, its tip if not said otherwise; (..., 3) of many states."""
    return model.pose(q, link, s)[..., :3, 3].copy()


def poses(model: Model, q: ArrayLike, stations: Sequence[tuple[str, float]]) -> Array:
    """World poses (K, 4, 4) of many stations (link, s), in one sweep: each equal to `pose`; "world" is allowed.

    Of many states q (..., n), (..., K, 4, 4).
    """
    work, check = model.workspace, model.arguments
    many = many_states(model, q)
    if many is not None:
        return for_each(many, lambda row: model.poses(row, stations))
    q = check.state("q", q)
    key = _stations(stations)
    sweep = work.remembered("sweeps", key, lambda: make_station_sweep(model, key), MOST_SWEEPS)
    return check.finite(sweep.poses(q), q=q)


def jacobian(model: Model, q: ArrayLike, link: str, s: float = 1.0) -> Array:
    """Body Jacobian J (6, n) of a station, angular part first: twist = J v."""
    return model.station(q, None, link, s).jacobian


def jacobian_rate(model: Model, q: ArrayLike, v: ArrayLike, link: str, s: float = 1.0) -> Array:
    """True time derivative dJ/dt (6, n) of the body Jacobian along v."""
    return model.station(q, v, link, s).jacobian_rate


def twist(model: Model, q: ArrayLike, v: ArrayLike, link: str, s: float = 1.0) -> Array:
    """Body twist (6,) of a station, [angular rad/s; linear m/s]."""
    return model.station(q, v, link, s).twist


def station(model: Model, q: ArrayLike, v: ArrayLike | None, link: str, s: float = 1.0) -> Station:
    """`pose`, `twist`, `jacobian` and `jacobian_rate` of a station at the cost of one of them; v = None is rest."""
    work, check = model.workspace, model.arguments
    chain = station_chain(model, link, s)
    q = check.state("q", q)
    v = work.zero if v is None else check.state("v", v)
    pose, motion = np.empty((4, 4)), np.empty((2, 6))
    J, Jd = np.empty((6, model.n)), np.empty((6, model.n))
    if not _kinematics.chain_end(chain.tree_handle, chain.space_handle, q, v, work.zero, pose, motion, J, Jd):
        check.finite(np.hstack((pose.ravel(), motion.ravel(), J.ravel(), Jd.ravel())), q=q, v=v)
    return Station(pose, motion[0], J, Jd)


def rewrap(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """The same state with the rotation vectors of spherical, free and planar joints at most pi long.

    For users of other solvers: their coordinates are singular at 2 pi.  Joints whose coordinates have a meaning of
    their own (a spring, damper, rest position or limits) are left alone.
    """
    check = model.arguments
    return rewrap_state(model, check.state("q", q).copy(), check.state("v", v).copy())


def _stations(stations: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Stations (link, s) as a key; pairs may be lists, as those of a file are."""
    try:
        pairs = [(link, s) for link, s in stations]
    except (TypeError, ValueError):
        raise ModelError(f"stations is {shown(stations)}, must hold pairs (link, s), such as ('arm', 0.5)") from None
    for link, _ in pairs:
        if not isinstance(link, str):
            raise ModelError(f"stations: {shown(link)} is no name of a link; they hold pairs (link, s)")
    return tuple((link, as_station(s, f"link {shown(link)}: s")) for link, s in pairs)
