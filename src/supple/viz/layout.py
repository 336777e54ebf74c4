"""What is written on figures, and how they reach the disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure

from supple.checks import Array, shown
from supple.errors import PictureError
from supple.storage import replacing
from supple.viz import style as colours
from supple.viz.camera import Window
from supple.viz.display import offer
from supple.viz.painter import Painter
from supple.viz.paths import checked_path
from supple.viz.style import Style
from supple.viz.view import View

#: Most points of a path: more cannot be seen, and would slow animations down.
PATH_POINTS = 800

#: Margin at the sides of a picture, points.
SIDE = 16.0


def save_figure(figure: Figure, path: str | os.PathLike[str], dpi: float) -> Path:
    """Write a figure, atomically; the ending of the name says how: png, pdf, svg, jpg, ..."""
    target = checked_path(path, "a picture", figure.canvas.get_supported_filetypes())
    with replacing(target) as beside:
        figure.savefig(beside, format=target.suffix.lstrip(".").lower(), dpi=dpi)
    return target


def finished(figure: Figure, path: str | os.PathLike[str] | None, style: Style) -> Figure:
    """The figure, saved if a path is given, and in a window if the style asks for one."""
    if path is not None:
        save_figure(figure, path, style.dpi)
    if style.show:
        figure.show()
    elif path is None:
        offer(figure)
    return figure


def figure_of(ax: Axes) -> Figure:
    """The figure on which axes are; raises `PictureError` if they are no axes, or on none."""
    figure = ax.get_figure(root=True) if isinstance(ax, Axes) else None
    if figure is None:
        raise PictureError(f"ax is {shown(ax)}, must be axes of a matplotlib figure")
    return figure


def bare_axes(figure: Figure, place: tuple[float, float, float, float]) -> Axes:
    """Axes without ticks or frame at (left, bottom, width, height) of a figure."""
    ax = figure.add_axes(place)
    ax.set_axis_off()
    return ax


def frame_axes(ax: Axes, view: View, style: Style) -> Window:
    """Let axes show all of a view, undistorted, with room for the words around it."""
    figure_of(ax)
    if ax.name == "3d":
        raise PictureError("ax is a 3D one, must be plain axes: supple projects by itself (turn with view=...)")
    width, height = _points_of(ax)
    below, above = _margins(style)
    tight = view.window
    unit = max(tight.width / (width - 2.0 * SIDE), tight.height / max(height - below - above, 0.3 * height))
    x, y = 0.5 * (tight.left + tight.right), 0.5 * (tight.bottom + tight.top) - 0.5 * (below - above) * unit
    window = Window(x - 0.5 * width * unit, x + 0.5 * width * unit, y - 0.5 * height * unit, y + 0.5 * height * unit)
    ax.set_axis_off()
    ax.set_xlim(window.left, window.right)
    ax.set_ylim(window.bottom, window.top)
    ax.set_aspect("equal", adjustable="box")
    return window


def figure_size(view: View, style: Style) -> tuple[float, float]:
    """Width and height in inches of a page that suits what it shows."""
    window = view.window
    margin = sum(_margins(style)) / 72.0
    aspect = window.width / window.height
    if aspect > 1.0:
        return 7.0, max(7.0 / aspect, 1.6) + margin
    return max(6.0 * aspect, 3.4), 6.0 + margin


def _margins(style: Style) -> tuple[float, float]:
    """Room below for the scale and above for the title, in points."""
    return 64.0 if style.scale else SIDE, 44.0 if style.title != "" else SIDE


def _points_of(ax: Axes) -> tuple[float, float]:
    """Width and height of axes in points."""
    figure = figure_of(ax)
    box = ax.get_position(original=True)
    return 72.0 * box.width * figure.get_figwidth(), 72.0 * box.height * figure.get_figheight()


def write_title(ax: Axes, text: str, below: str = "") -> None:
    """A name in the upper left corner, and smaller words below it."""
    corner: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top"}
    ax.annotate(text, (0.0, 1.0), (SIDE, -10.0), fontsize=12, weight="bold", color=colours.INK, **corner)
    if below:
        ax.annotate(below, (0.0, 1.0), (SIDE, -27.0), fontsize=8.5, color=colours.FAINT, **corner)


def new_painter(ax: Axes, view: View) -> Painter:
    """An painter for axes that were framed; lines are thinner in small pictures, which would else be all lines."""
    points = _points_of(ax)
    start, stop = ax.get_xlim()
    return Painter(
        view.camera, (stop - start) / points[0], float(np.clip(np.sqrt(points[0] * points[1]) / 330.0, 0.45, 1.0))
    )


def legend_strip(ax: Axes, width: float, aspect: float) -> None:
    """Let axes show a stretch of ``width`` m, so that a scale can be written on them alone."""
    ax.set_xlim(0.0, width)
    ax.set_ylim(0.0, width / aspect)
    ax.set_axis_off()


def write_scale(ax: Axes, view: View, style: Style, gravity: Array) -> None:
    """A bar of round length, the world's axes, and which way things fall, in the lower left corner."""
    start, stop = ax.get_xlim()
    unit = (stop - start) / _points_of(ax)[0]
    left, bottom, bar, tick = start + SIDE * unit, ax.get_ylim()[0] + 14.0 * unit, view.cell, 4.0 * unit
    ax.plot(
        [left, left, left + bar, left + bar], [bottom + tick, bottom, bottom, bottom + tick], color=colours.INK, lw=1.1
    )
    ax.text(
        left + 0.5 * bar, bottom + 1.2 * tick, length_text(bar), ha="center", va="bottom", fontsize=8, color=colours.INK
    )
    centre = np.array([left + bar + 34.0 * unit, bottom + 8.0 * unit])
    for axis, (name, colour) in enumerate(zip("xyz", colours.AXES, strict=True)):
        end = 22.0 * unit * view.camera.project(np.eye(3)[axis])
        _flat_arrow(ax, centre, end, name, colour)
    if style.loads and np.any(gravity):
        fall = view.camera.project(gravity / np.linalg.norm(gravity))
        _flat_arrow(ax, centre + np.array([44.0, 20.0]) * unit, 22.0 * unit * fall, "g", colours.LOAD)


def _flat_arrow(ax: Axes, origin: Array, vector: Array, name: str, colour: str) -> None:
    (x, y), (head_x, head_y) = origin, origin + vector
    ax.annotate(
        "", (head_x, head_y), (x, y), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2, "mutation_scale": 7}
    )
    name_x, name_y = origin + 1.35 * vector
    ax.text(name_x, name_y, name, color=colour, fontsize=8, ha="center", va="center")


def write_colourbar(ax: Axes, colourmap: Colormap, most: float, label: str, slot: int = 0) -> None:
    """A thin bar of colours from 0 to ``most`` in the lower right corner; further ones (slot 1, 2, ...) above it."""
    width, height = _points_of(ax)
    inset = ax.inset_axes(((width - 118.0) / width, (13.0 + 28.0 * slot) / height, 100.0 / width, 5.0 / height))
    figure = figure_of(ax)
    bar = figure.colorbar(ScalarMappable(Normalize(0.0, most), colourmap), cax=inset, orientation="horizontal")
    bar.outline.set_visible(False)
    bar.set_ticks([0.0, most], labels=["0", f"{most:.3g}"])
    inset.tick_params(labelsize=7, length=0, pad=1.5, colors=colours.FAINT)
    inset.set_title(label, fontsize=7.5, color=colours.FAINT, pad=2.5)


def draw_path(ax: Axes, view: View, points: Array, colour: str, width: float = 1.6, zorder: float = 3.0) -> None:
    """The path of a station, world points (N, 3), thin at the beginning and strong at the end."""
    flat = view.camera.project(points[np.linspace(0, len(points) - 1, min(len(points), PATH_POINTS)).astype(int)])
    pieces = np.stack([flat[:-1], flat[1:]], axis=1)
    rgba = np.tile(np.append(colours.rgb(colour), 1.0), (len(pieces), 1))
    rgba[:, 3] = np.linspace(0.25, 1.0, len(pieces))
    ax.add_collection(
        LineCollection(list(pieces), colors=rgba, linewidths=width, capstyle="round", zorder=zorder), autolim=False
    )
    ax.plot(*flat[-1], "o", ms=4.0, color=colour, mec="white", mew=0.7, zorder=zorder + 0.1)


def length_text(length: float) -> str:
    """A length in a handy unit."""
    for unit, factor in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6)):
        if length >= factor * (0.1 if unit == "m" else 1.0):
            return f"{length / factor:g} {unit}"
    return f"{length:g} m"
