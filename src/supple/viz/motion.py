"""Motions between their output times, and the stations that pictures watch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Array, finite_float, shown
from supple.core.records import has_chart
from supple.errors import ModelError, PictureError
from supple.model.model import Model
from supple.model.station_chain import check_station
from supple.viz.view import State

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: States of a motion that are looked at to frame it.
FRAMING = 40

#: Fewest points of a path.
FINE = 400


def model_of(trajectory: Trajectory) -> Model:
    """The model of a motion that is not empty."""
    if len(trajectory.t) == 0:
        raise PictureError("the trajectory is empty: there is nothing to draw")
    if trajectory.model is None:
        raise ModelError("this trajectory was loaded without its model: use Trajectory.load(path, model)")
    return trajectory.model


def states_at(trajectory: Trajectory, times: Array) -> list[State]:
    """States at any times within a motion.

    Coordinates follow cubics between output times (q and v are known there); where a joint's rotation vector was
    wrapped between two of them, the nearer is taken. Inputs are linear in between.
    """
    t, model = trajectory.t, model_of(trajectory)
    states = []
    for time in np.clip(times, t[0], t[-1]).tolist():
        k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, max(len(t) - 2, 0)))
        last = min(k + 1, len(t) - 1)
        h = t[last] - t[k]
        x = (time - t[k]) / h if h > 0.0 else 0.0
        near = last if x > 0.5 else k
        q = trajectory.q[near]
        if 0.0 < x < 1.0 and not _wrapped(model, trajectory.q[k], trajectory.q[last]):
            q = _cubic(x, h, trajectory.q[k], trajectory.v[k], trajectory.q[last], trajectory.v[last])
        u = (1.0 - x) * trajectory.u[k] + x * trajectory.u[last] if model.nu else None
        states.append(State(np.array(q), np.array(trajectory.v[near]), u, time))
    return states


def even_times(trajectory: Trajectory, number: int) -> Array:
    """So many times from the beginning to the end."""
    return np.linspace(trajectory.t[0], trajectory.t[-1], number)


def watched(model: Model, watch: Sequence[tuple[str, float]] | None) -> tuple[tuple[str, float], ...]:
    """Stations to follow: those asked for, checked; else the tips of links on which no other hangs."""
    if watch is None:
        return tuple((link, 1.0) for link in model.scene.leaves)
    layouts = {layout.name: layout for layout in model.layouts}
    stations = []
    if isinstance(watch, (str, bytes)) or not isinstance(watch, Iterable) or getattr(watch, "ndim", 1) == 0:
        raise PictureError(f"watch is {shown(watch)}, must be stations [(link, s), ...], such as [('arm', 1.0)]")
    for entry in watch:
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise PictureError(f"watch holds {shown(entry)}, must hold stations (link, s), such as ('arm', 1.0)")
        link, s = entry
        if not isinstance(link, str) or link not in layouts:
            raise PictureError(f"watch: there is no link {shown(link)}; links are: {', '.join(layouts)}")
        try:
            s = finite_float(s, "s")
            check_station(layouts[link], s)
        except ModelError as error:
            raise PictureError(f"watch: {error}") from None
        stations.append((link, s))
    return tuple(stations)


def traces(trajectory: Trajectory, stations: Sequence[tuple[str, float]]) -> tuple[Array, Array]:
    """Times (N,) and world positions (N, stations, 3) of stations, fine enough to look smooth."""
    between = max(1, -(-FINE // max(len(trajectory.t) - 1, 1)))  # steps from one output time to the next
    t = trajectory.t
    times = np.append((t[:-1, None] + np.diff(t)[:, None] * np.arange(between) / between).ravel(), t[-1:])
    rows = trajectory.q if between == 1 else np.array([state.q for state in states_at(trajectory, times)])
    return times, paths(model_of(trajectory), rows, stations)


def paths(model: Model, coordinates: Array, stations: Sequence[tuple[str, float]]) -> Array:
    """World positions (T, stations, 3) of stations along coordinates (T, n)."""
    rows = [model.poses(q, stations)[:, :3, 3] for q in coordinates]
    return np.array(rows).reshape(len(coordinates), len(stations), 3)


def station_name(station: tuple[str, float]) -> str:
    """Such as "arm", or "arm, s = 0.5"."""
    link, s = station
    return link if s == 1.0 else f"{link}, s = {s:g}"


def _cubic(x: float, h: float, q0: Array, v0: Array, q1: Array, v1: Array) -> Array:
    """Hermite's cubic at x in [0, 1] of a step h."""
    y = 1.0 - x
    return np.asarray(q0 * y * y * (1.0 + 2.0 * x) + q1 * x * x * (1.0 + 2.0 * y) + h * x * y * (y * v0 - x * v1))


def _wrapped(model: Model, q0: Array, q1: Array) -> bool:
    """Whether a rotation vector jumped between two states."""
    blocks = model.topology.blocks
    for block in blocks[has_chart(blocks)]:
        own = slice(int(block["start"]), int(block["start"] + block["n"]))
        turn = np.asarray(model.parameters.screws)[:3, own] @ (q1[own] - q0[own])
        if np.linalg.norm(turn) > np.pi:
            return True
    return False
