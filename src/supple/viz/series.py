"""Numbers over time: positions of stations, inputs, energy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supple.viz import style as colours
from supple.viz.display import new_figure
from supple.viz.layout import figure_of, finished
from supple.viz.motion import model_of, paths, station_name, watched
from supple.viz.style import PALETTE, Style

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Most entries of a legend, and most letters of all of them.
MOST_NAMES, MOST_LETTERS = 6, 60

#: A coordinate that moves less than this part of the others gets no panel.
STILL = 1e-9


def time_series(
    trajectory: Trajectory,
    watch: Sequence[tuple[str, float]] | None = None,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """Positions x, y, z of stations, inputs and energy, one panel each over a common time.

    Parameters
    ----------
    trajectory : Trajectory
    watch : sequence of (link, s), optional
        Stations; tips of the leaves of the tree if omitted.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    style = Style.of(options)
    stations = watched(model_of(trajectory), watch)
    figure = new_figure(style.size or (7.0, 7.5), style.dpi)
    series_panels(figure, trajectory, stations, (0.12, 0.07, 0.85, 0.9))
    return finished(figure, path, style)


def energy(
    trajectory: Trajectory, ax: Axes | None = None, path: str | os.PathLike[str] | None = None, **options: Any
) -> Figure:
    """Kinetic, elastic, gravitational (from its first value) and total energy over time.

    Parameters
    ----------
    trajectory : Trajectory
    ax : Axes, optional
        Where to draw; a new figure if omitted.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    style = Style.of(options)
    model_of(trajectory)
    if ax is None:
        figure = new_figure(style.size or (7.0, 3.2), style.dpi)
        ax = figure.add_axes((0.11, 0.16, 0.86, 0.8))
    figure_of(ax)
    draw_energy(ax, trajectory)
    ax.set_xlabel("time [s]", fontsize=8.5)
    return finished(figure_of(ax), path, style)


def series_panels(
    figure: Figure,
    trajectory: Trajectory,
    stations: Sequence[tuple[str, float]],
    place: tuple[float, float, float, float],
) -> list[Axes]:
    """Panels over one another within (left, bottom, width, height) of a figure, with a common time axis."""
    model = model_of(trajectory)
    efforts = trajectory.efforts.shape[1] > 0
    positions = paths(model, trajectory.q, stations)
    panels = [
        *(_moving(positions) if stations else ""),
        *(["inputs"] if model.nu else []),
        *(["efforts"] if efforts else []),
        "energy",
    ]
    heights = {"inputs": 1.25, "efforts": 1.25, "energy": 1.25}
    grid = figure.add_gridspec(
        len(panels),
        1,
        left=place[0],
        right=place[0] + place[2],
        bottom=place[1],
        top=place[1] + place[3],
        hspace=0.22,
        height_ratios=[heights.get(panel, 1.0) for panel in panels],
    )
    axes: list[Axes] = []
    for row, panel in enumerate(panels):
        ax = figure.add_subplot(grid[row], sharex=axes[0] if axes else None)
        if panel == "inputs":
            draw_inputs(ax, trajectory)
        elif panel == "efforts":
            draw_efforts(ax, trajectory)
        elif panel == "energy":
            draw_energy(ax, trajectory)
        else:
            _draw_positions(ax, trajectory, positions[:, :, "xyz".index(panel)], panel)
        if row == 0 and stations and len(stations) > 1:
            _legend(ax, [station_name(station) for station in stations])
        ax.tick_params(labelbottom=row == len(panels) - 1)
        axes.append(ax)
    axes[-1].set_xlabel("time [s]", fontsize=8.5, color=colours.INK)
    return axes


def _moving(positions: np.ndarray) -> list[str]:
    """Coordinates along which some station of (T, stations, 3) moves at all; all three if none does."""
    spans = np.ptp(positions, axis=0).max(axis=0)
    return [name for name, span in zip("xyz", spans, strict=True) if span > STILL * spans.max()] or list("xyz")


def draw_inputs(ax: Axes, trajectory: Trajectory) -> None:
    """Inputs over time."""
    _draw_lines(ax, trajectory.t, trajectory.u)
    dress(ax, "inputs")
    _legend(ax, list(model_of(trajectory).input_names))


def draw_efforts(ax: Axes, trajectory: Trajectory) -> None:
    """Efforts of prescribed joints over time."""
    _draw_lines(ax, trajectory.t, trajectory.efforts)
    dress(ax, "efforts")
    model = model_of(trajectory)
    _legend(ax, [model.coordinate_names[k] for joint in model.prescribed for k in joint.coordinates])


def draw_energy(ax: Axes, trajectory: Trajectory) -> None:
    """Energies over time, J; the gravitational one counts from its first value, and so does the total."""
    kinetic, elastic, gravitational, total = trajectory.energy().T
    ground, springs = gravitational[0], total - kinetic - elastic - gravitational
    rows = {"kinetic": (kinetic, PALETTE[1]), "elastic": (elastic, PALETTE[2])}
    if np.abs(springs).max() > 1e-12 * np.abs(total).max():
        rows["springs"] = springs, PALETTE[3]
    rows |= {"gravitational": (gravitational - ground, PALETTE[0]), "total": (total - ground, colours.INK)}
    for name, (row, colour) in rows.items():
        ax.plot(trajectory.t, row, color=colour, lw=1.5 if name == "total" else 1.1, label=name)
    dress(ax, "energy [J]")
    _legend(ax, list(rows))


def _draw_positions(ax: Axes, trajectory: Trajectory, values: np.ndarray, name: str) -> None:
    _draw_lines(ax, trajectory.t, values)
    dress(ax, f"{name} [m]")


def _draw_lines(ax: Axes, t: np.ndarray, values: np.ndarray) -> None:
    """Columns of values (T, m) over time."""
    for k, row in enumerate(values.T):
        ax.plot(t, row, color=PALETTE[k % len(PALETTE)], lw=1.1)


def _legend(ax: Axes, names: list[str]) -> None:
    """Names of a panel's lines above it, if they have room there."""
    if len(names) > MOST_NAMES or sum(map(len, names)) > MOST_LETTERS:
        return
    handles = ax.get_lines()[: len(names)]
    ax.legend(
        handles,
        names,
        loc="lower right",
        bbox_to_anchor=(1.0, 0.98),
        ncols=len(names),
        frameon=False,
        fontsize=7,
        handlelength=1.0,
        handletextpad=0.4,
        columnspacing=0.9,
        borderaxespad=0.0,
        borderpad=0.1,
        labelcolor=colours.FAINT,
    )


def dress(ax: Axes, label: str) -> None:
    """A light frame and grid."""
    ax.set_ylabel(label, fontsize=8.5, color=colours.INK)
    ax.tick_params(labelsize=7.5, colors=colours.FAINT, length=2.5)
    ax.grid(color="#E8EBEF", lw=0.6)
    ax.set_axisbelow(True)
    ax.margins(x=0.0 if len(ax.get_lines()[0].get_xdata()) > 1 else 0.05)  # type: ignore[arg-type]
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color("#C9CED6")
