"""Pictures of robots and of motions: one state, a strip of snapshots, traces, and the overview page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from supple.checks import finite_float, whole_number
from supple.errors import ModelError, PictureError
from supple.model.model import Model
from supple.robot.summary import counted
from supple.viz import style as colours
from supple.viz.camera import Window
from supple.viz.display import new_figure
from supple.viz.drawing import Brush, paint_ground
from supple.viz.layout import (
    bare_axes,
    draw_path,
    figure_of,
    figure_size,
    finished,
    frame_axes,
    legend_strip,
    new_painter,
    write_colourbar,
    write_scale,
    write_title,
)
from supple.viz.motion import FRAMING, even_times, model_of, states_at, station_name, traces, watched
from supple.viz.painter import BODY
from supple.viz.sections import fine_scene
from supple.viz.series import series_panels
from supple.viz.style import PALETTE, Style
from supple.viz.view import State, View

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Width of a strip of snapshots, and height of its foot with the scale, inches.
STRIP_WIDTH, FOOT = 11.0, 0.75

#: Most snapshots on a strip.
MOST_SNAPSHOTS = 400

#: Earlier states behind the last one on the overview page.
GHOSTS = 5

#: What colours of lines may mean: key in `View.most`, colours, words.
BARS = (("tension", colours.TENSION, "tension [N]"), ("chamber", colours.PRESSURE, "pressure [Pa]"))

Watch = Sequence[tuple[str, float]] | None


def plot(
    model: Model,
    q: ArrayLike | str | os.PathLike[str] | None = None,
    u: ArrayLike | None = None,
    t: float = 0.0,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """Picture of a robot at q (n,), as `Model.plot` describes."""
    style = Style.of(options)
    if isinstance(q, (str, os.PathLike)):
        if path is not None:
            raise PictureError(f"two paths are given, {q!r} and {path!r}: give coordinates first, or one path")
        q, path = None, q
    view = View.of(model, style, [_state(model, q, u, t)])
    if ax is None:
        figure = new_figure(style.size or figure_size(view, style), style.dpi)
        ax = bare_axes(figure, (0.0, 0.0, 1.0, 1.0))
    draw(model, q, ax, u, t, view, **options)
    count = f"{counted(len(model.link_names), 'link')}, {counted(model.n, 'coordinate')}"
    title = model.name if style.title is None else style.title
    if title:
        write_title(ax, title, count if style.title is None else "")
    return finished(figure_of(ax), path, style)


def draw(
    model: Model,
    q: ArrayLike | None,
    ax: Axes,
    u: ArrayLike | None = None,
    t: float = 0.0,
    like: View | None = None,
    **options: Any,
) -> View:
    """Draw a robot on axes, with scale and legend but without a title.

    Parameters
    ----------
    model : Model
    q : (n,), optional
        Coordinates; at rest if omitted, assembled if the robot has loops.
    ax : Axes
        Plain axes, not 3D ones: supple projects by itself.
    u : (nu,), optional
        Inputs, for colours of tension and pressure.
    t : float
        Time of laws, s.
    like : View, optional
        Eye and scales of an earlier picture, so that several compare.

    Returns
    -------
    View
        For further pictures.
    """
    style = Style.of(options)
    state = _state(model, q, u, t)
    if like is None:
        view = View.of(model, style, [state])
    else:
        view = replace(like, scene=fine_scene(model, [state.q]))  # its eye and scales; this robot, this state
    draw_state(ax, model, view, style, state)
    return view


def snapshots(
    trajectory: Trajectory,
    number: int = 6,
    watch: Watch = None,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """A strip of frames side by side, evenly spaced in time, with their times below.

    Parameters
    ----------
    trajectory : Trajectory
    number : int
        Frames.
    watch : sequence of (link, s), optional
        Stations whose paths so far are shown; tips of the leaves of the tree if omitted.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    model, style = model_of(trajectory), Style.of(options)
    try:
        number = whole_number(number, "number", 1)
    except ModelError as error:
        raise PictureError(f"snapshots: {error}") from None
    if number > MOST_SNAPSHOTS:
        raise PictureError(f"snapshots: number is {number}, must be at most {MOST_SNAPSHOTS}: no page holds more")
    stations = watched(model, watch)
    states = states_at(trajectory, even_times(trajectory, number))
    view = _motion_view(trajectory, style)
    views = view.following(model, style, states)
    times, trace = traces(trajectory, stations)
    figure, cells = _strip(model, style, states, views, [f"t = {state.t:.3g} s" for state in states])
    for ax, state, own in zip(cells, states, views, strict=True):
        for i, path_so_far in enumerate(np.moveaxis(trace[times <= state.t], 1, 0)):
            if len(path_so_far) > 1:
                draw_path(ax, own, path_so_far, PALETTE[i % len(PALETTE)], 0.9)
    return finished(figure, path, style)


def shapes(
    model: Model,
    states: Sequence[tuple[ArrayLike, ArrayLike | None, float]],
    captions: Sequence[str],
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """A strip of states (q, u, t) of one robot side by side, seen by the same eye, with words below.

    Parameters
    ----------
    model : Model
    states : sequence of (q, u, t)
    captions : sequence of str
        A line for each.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    style = Style.of(options)
    if not states or len(states) > MOST_SNAPSHOTS:
        raise PictureError(f"shapes: there are {len(states)} states to draw, must be 1 to {MOST_SNAPSHOTS}")
    drawn = [_state(model, q, u, t) for q, u, t in states]
    view = View.of(model, style, drawn)
    views = [replace(view, scene=fine_scene(model, [state.q])) for state in drawn]
    figure, _ = _strip(model, style, drawn, views, captions)
    return finished(figure, path, style)


def _strip(
    model: Model, style: Style, states: Sequence[State], views: Sequence[View], captions: Sequence[str]
) -> tuple[Figure, list[Axes]]:
    """Frames side by side with words below each, and one scale for all.  Returns the figure and the frames."""
    number, cells, shape = len(states), list[Axes](), views[0].window
    frame = replace(style, scale=False, title="")
    columns = _columns(number, np.sqrt(number * 2.6 * shape.height / shape.width))
    rows = -(-number // columns)
    width = STRIP_WIDTH / columns
    height = float(np.clip(width * shape.height / shape.width, 0.5 * width, 1.6 * width)) + 0.35
    page = style.size or (STRIP_WIDTH, rows * height + (FOOT if style.scale else 0.0))
    figure = new_figure(page, style.dpi)
    foot = FOOT / page[1] if style.scale else 0.0
    for k, (state, own) in enumerate(zip(states, views, strict=True)):
        row, column = divmod(k, columns)
        cell = (1.0 - foot) / rows
        ax = bare_axes(figure, (column / columns, 1.0 - (row + 0.94) * cell, 1.0 / columns, 0.94 * cell))
        window = draw_state(ax, model, own, frame, state)
        ax.text(0.5, 0.0, captions[k], transform=ax.transAxes, ha="center", fontsize=9, color=colours.INK)
        cells.append(ax)
    if style.scale:
        strip = bare_axes(figure, (0.0, 0.0, 1.0, foot))
        legend_strip(strip, window.width * columns, page[0] / FOOT)
        _write_margins(strip, model, views[0], style)
    return figure, cells


def _columns(number: int, ideal: float) -> int:
    """How many of ``number`` frames stand side by side: near an ideal, with few empty places at the end."""

    def cost(columns: int) -> float:
        empty = -number % columns
        return float(abs(np.log(columns / ideal)) + 0.3 * empty)

    return min(range(1, number + 1), key=cost)


def tip_traces(
    trajectory: Trajectory,
    watch: Watch = None,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """Paths of stations in space over the fading snapshots of a motion; the last state is in full colours.

    Parameters
    ----------
    trajectory : Trajectory
    watch : sequence of (link, s), optional
        Stations; tips of the leaves of the tree if omitted.
    ax : Axes, optional
        Where to draw; a new figure if omitted.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    style = Style.of(options)
    if ax is None:
        ax = bare_axes(new_figure(style.size or (7.0, 5.6), style.dpi), (0.0, 0.0, 1.0, 1.0))
    _overlay(ax, trajectory, style, watched(model_of(trajectory), watch))
    return finished(figure_of(ax), path, style)


def overview(
    trajectory: Trajectory, path: str | os.PathLike[str] | None = None, watch: Watch = None, **options: Any
) -> Figure:
    """The page of a motion: snapshots over one another with traces, positions, inputs and energy over time.

    As `Trajectory.plot` describes.
    """
    model, style = model_of(trajectory), Style.of(options)
    stations = watched(model, watch)
    figure = new_figure(style.size or (12.0, 6.8), style.dpi)
    ax = bare_axes(figure, (0.0, 0.0, 0.6, 1.0))
    _overlay(ax, trajectory, style, stations)
    span = f"{trajectory.t[0]:g} to {trajectory.t[-1]:g} s, {len(trajectory)} points, {model.n} coordinates"
    title = model.name if style.title is None else style.title
    if title:
        write_title(ax, title, span)
    series_panels(figure, trajectory, stations, (0.66, 0.08, 0.32, 0.89))
    return finished(figure, path, style)


def _overlay(ax: Axes, trajectory: Trajectory, style: Style, stations: Sequence[tuple[str, float]]) -> None:
    """Earlier states fading, the last one in full colours, and traces."""
    model = model_of(trajectory)
    view = _motion_view(trajectory, style)
    _, trace = traces(trajectory, stations)
    states = states_at(trajectory, even_times(trajectory, GHOSTS + 1))
    frame_axes(ax, view, style)
    painter = new_painter(ax, view)
    paint_ground(painter, view)
    for k, state in enumerate(states):
        last = k == GHOSTS
        fade = 0.0 if last else 0.85 - 0.4 * k / GHOSTS
        Brush(painter, model, view, style, state, BODY + 10.0 * k, fade, ghost=not last).robot()
    painter.paint(ax)
    for i, station in enumerate(stations):
        draw_path(ax, view, trace[:, i], PALETTE[i % len(PALETTE)], 1.4)
        if len(stations) <= len(PALETTE):
            x, y = 0.985, 0.975 - 0.035 * i
            ax.text(
                x, y, station_name(station), transform=ax.transAxes, color=PALETTE[i % len(PALETTE)],
                ha="right", va="top", fontsize=8.5,
            )  # fmt: skip
    _write_margins(ax, model, view, style)


def draw_state(ax: Axes, model: Model, view: View, style: Style, state: State) -> Window:
    """One state with ground, scale and legend; returns what the axes show."""
    window = frame_axes(ax, view, style)
    painter = new_painter(ax, view)
    paint_ground(painter, view)
    Brush(painter, model, view, style, state).robot()
    painter.paint(ax)
    _write_margins(ax, model, view, style)
    return window


def _write_margins(ax: Axes, model: Model, view: View, style: Style) -> None:
    """The scale, and bars of colours for tension and pressure, where there is any."""
    if not style.scale:
        return
    write_scale(ax, view, style, np.asarray(model.parameters.gravity))
    shown = [bar for bar in BARS if style.lines and view.most[bar[0]] > 0.0]
    for slot, (key, ramp, label) in enumerate(shown):
        write_colourbar(ax, ramp.colourmap, view.most[key], label, slot)


def _motion_view(trajectory: Trajectory, style: Style) -> View:
    """The view of a motion."""
    return View.of(model_of(trajectory), style, states_at(trajectory, even_times(trajectory, FRAMING)))


def _state(model: Model, q: ArrayLike | None, u: ArrayLike | None, t: float) -> State:
    """What to draw; without q the rest configuration, assembled."""
    if q is None:
        q = model.assemble() if model.loops else model.rest
    inputs = None if u is None else model.arguments.inputs("u", u, model.nu)
    try:
        return State(np.array(model.arguments.state("q", q)), None, inputs, finite_float(t, "t"))
    except ModelError as error:
        raise PictureError(f"picture: {error}") from None
