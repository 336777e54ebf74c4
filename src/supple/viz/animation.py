"""Animations: frames at even times, written as video (ffmpeg) or GIF (Pillow)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import ask, positive_float, shown
from supple.errors import ModelError, PictureError
from supple.viz import style as colours
from supple.viz.display import new_figure
from supple.viz.layout import bare_axes, draw_path, write_title
from supple.viz.motion import FRAMING, even_times, model_of, paths, states_at, traces, watched
from supple.viz.paths import checked_path
from supple.viz.pictures import draw_state
from supple.viz.sections import IN_A_FRAME
from supple.viz.style import PALETTE, Style
from supple.viz.video_files import Frame, write_gif, write_mp4
from supple.viz.view import View

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Pixels per inch of animations, if not asked for otherwise.
DPI = 110.0

#: Most frames: those of a GIF are held in memory.
MOST_FRAMES = {"mp4": 100_000, "gif": 3000}

Progress = Callable[[float], Any]


def animate(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    fps: float = 25.0,
    speed: float = 1.0,
    watch: Sequence[tuple[str, float]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Path:
    """Write an animation of a motion, as `Trajectory.animate` describes."""
    writers: dict[str, Callable[[Path, Iterator[Frame], float], None]] = {"mp4": write_mp4, "gif": write_gif}
    target = checked_path(path, "an animation", writers)
    kind = target.suffix.lstrip(".").lower()
    if progress is not None and not callable(progress):
        raise PictureError(f"animate: progress is {shown(progress)}, must be a function of the fraction done")
    try:
        fps, speed = positive_float(fps, "fps"), positive_float(speed, "speed")
    except ModelError as error:
        raise PictureError(f"animate: {error}") from None
    style = Style.of({"dpi": DPI, **options})
    span = trajectory.t[-1] - trajectory.t[0] if len(trajectory.t) else 0.0
    count = max(1, round(min(fps * span / speed, 1e15)) + 1)
    if style.show:
        raise PictureError(f"animate: show=True is for pictures: open {target.name} with a player")
    if count > MOST_FRAMES[kind]:
        hint = "; a video holds more: .mp4" if kind == "gif" and count <= MOST_FRAMES["mp4"] else ""
        raise PictureError(
            f"animate: fps = {fps:g} and speed = {speed:g} make {count} frames of {span:g} s, more than a .{kind} "
            f"should hold ({MOST_FRAMES[kind]}): lower fps, raise speed{hint}"
        )
    writers[kind](target, _frames(trajectory, count, style, watch, progress), fps)
    return target


def _frames(
    trajectory: Trajectory,
    count: int,
    style: Style,
    watch: Sequence[tuple[str, float]] | None,
    progress: Progress | None,
) -> Iterator[Frame]:
    """Pictures (height, width, 3), even in both directions, one after the other."""
    model, stations = model_of(trajectory), watched(model_of(trajectory), watch)
    view = View.of(model, style, states_at(trajectory, even_times(trajectory, FRAMING)), IN_A_FRAME)
    figure = new_figure(style.size or (6.4, 4.8), style.dpi)
    canvas: Any = figure.canvas
    ax = bare_axes(figure, (0.0, 0.0, 1.0, 1.0))
    states = states_at(trajectory, even_times(trajectory, count))
    tips, (times, trace) = paths(model, np.array([state.q for state in states]), stations), traces(trajectory, stations)
    for k, (state, own) in enumerate(zip(states, view.following(model, style, states), strict=True)):
        ax.clear()
        draw_state(ax, model, own, style, state)
        so_far = np.concatenate([trace[times < state.t], tips[k : k + 1]])
        for i in range(len(stations)):
            draw_path(ax, own, so_far[:, i], PALETTE[i % len(PALETTE)], 1.1)
        title = model.name if style.title is None else style.title
        if title:
            write_title(ax, title)
        ax.text(
            0.98,
            0.975,
            f"{state.t:.2f} s",
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontsize=11,
            color=colours.INK,
        )
        canvas.draw()
        picture = np.asarray(canvas.buffer_rgba())[:, :, :3]
        yield picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2].copy()
        if progress is not None:
            ask(progress, ((k + 1) / count,), "animate: progress", PictureError)
