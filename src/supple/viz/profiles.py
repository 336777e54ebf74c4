"""Strains and inner forces along rods: curves along s at some times, or maps over s and time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from supple.checks import Array, flag, whole_number
from supple.errors import PictureError
from supple.readouts.along import clock_of, values_along
from supple.viz import style as colours
from supple.viz.display import new_figure
from supple.viz.layout import finished
from supple.viz.series import STILL, dress
from supple.viz.style import Style

if TYPE_CHECKING:
    from supple.readouts.along import Readings

#: Stations of a curve or map.
STATIONS = 101

#: Most times of a map: more cannot be seen.
MOST_TIMES = 400

#: What can be drawn: the read-out, and a label for each of its six components.
QUANTITIES = {
    "strain": (
        "torsion [1/m]",
        "bend_y [1/m]",
        "bend_z [1/m]",
        "stretch [-]",
        "shear_y [-]",
        "shear_z [-]",
    ),
    "stress": (
        "torsion [N m]",
        "bend_y [N m]",
        "bend_z [N m]",
        "stretch [N]",
        "shear_y [N]",
        "shear_z [N]",
    ),
    "inner_forces": (
        "torque [N m]",
        "moment_y [N m]",
        "moment_z [N m]",
        "normal force [N]",
        "shear_y [N]",
        "shear_z [N]",
    ),
}


def along_rod(
    source: Readings,
    link: str,
    what: str = "strain",
    number: int = 6,
    over_time: bool = False,
    path: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """Strain, stress or inner forces along a rod, one panel per component that is not zero or constant throughout.

    Parameters
    ----------
    source : Equilibrium, Trajectory or EquilibriumPath
    link : str
        A rod.
    what : "strain", "stress" or "inner_forces"
        As `Model.strain`, `Model.stress` (its total) and `Model.inner_forces`.
    number : int
        Curves, evenly spaced among the states of a motion.
    over_time : bool
        A map over time and s in place of curves.
    path : path, optional
        Where to save it.
    **options
        Fields of `Style`.
    """
    style = Style.of(options)
    if what not in QUANTITIES:
        raise PictureError(f"what is {what!r}, must be one of {', '.join(map(repr, QUANTITIES))}")
    number = whole_number(number, "along_rod: number", 1)
    times, name = clock_of(source)
    over_time = flag(over_time, "along_rod: over_time")
    if over_time and len(times) < 2:
        raise PictureError("a map over time needs a motion of two states at least")
    count = min(len(times), MOST_TIMES if over_time else number)
    chosen = np.unique(np.linspace(0, len(times) - 1, count).round().astype(int))
    s = np.linspace(0.0, 1.0, STATIONS)
    values = values_along(source, what, link, s, chosen)
    shown = _varied(values)
    figure = new_figure(style.size or (7.0, 0.7 + 1.5 * len(shown)), style.dpi)
    figure.suptitle(f"{link}: {what.replace('_', ' ')}", x=0.11, ha="left", fontsize=10, color=colours.INK)
    draw = _draw_maps if over_time else _draw_curves
    draw(figure, s, times[chosen], name, values[:, :, shown], [QUANTITIES[what][k] for k in shown])
    return finished(figure, path, style)


def _varied(values: Array) -> list[int]:
    """Components of (T, K, 6) that differ from place to place or time to time; all that are not zero if none does."""
    spans = np.ptp(values.reshape(-1, 6), axis=0)
    halves = [spans[:3].max(), spans[3:].max()]  # angular and linear ones have different units
    varied = [k for k in range(6) if spans[k] > STILL * halves[k // 3] and spans[k] > 1e-12]
    return varied or [k for k in range(6) if np.abs(values[:, :, k]).max() > 1e-12] or list(range(6))


def _panels(figure: Figure, count: int, right: float) -> list[Axes]:
    grid = figure.add_gridspec(count, 1, left=0.13, right=right, bottom=0.45 / figure.get_figheight(), top=0.93)
    axes: list[Axes] = []
    for row in range(count):
        axes.append(figure.add_subplot(grid[row], sharex=axes[0] if axes else None))
        axes[-1].tick_params(labelbottom=row == count - 1)
    return axes


def _draw_curves(figure: Figure, s: Array, times: Array, name: str, values: Array, labels: list[str]) -> None:
    """Curves along s, from the first time (light) to the last (dark)."""
    axes = _panels(figure, len(labels), 0.97 if len(times) == 1 else 0.86)
    shades = colours.TIME(np.linspace(0.0, 1.0, len(times)) if len(times) > 1 else [1.0])
    for ax, component, label in zip(axes, np.moveaxis(values, 2, 0), labels, strict=True):
        for row, shade in zip(component, shades, strict=True):
            ax.plot(s, row, color=shade, lw=1.2)
        dress(ax, label)
    axes[-1].set_xlabel("s", fontsize=8.5, color=colours.INK)
    if len(times) > 1:
        _bar(figure, axes, ScalarMappable(Normalize(times[0], times[-1]), colours.TIME.colourmap), name)


def _draw_maps(figure: Figure, s: Array, times: Array, name: str, values: Array, labels: list[str]) -> None:
    """Values over time and s, blue below zero (one, for stretch) and red above."""
    axes = _panels(figure, len(labels), 0.93)
    for ax, component, label in zip(axes, np.moveaxis(values, 2, 0), labels, strict=True):
        middle = 1.0 if label.startswith("stretch [-]") else 0.0
        most = max(float(np.abs(component - middle).max()), 1e-300)
        image = ax.pcolormesh(
            times, s, component.T, cmap="RdBu_r", norm=Normalize(middle - most, middle + most), shading="gouraud"
        )
        _bar(figure, [ax], image, label)
        ax.set_ylabel("s", fontsize=8.5, color=colours.INK)
        ax.tick_params(labelsize=7.5, colors=colours.FAINT, length=2.5)
    axes[-1].set_xlabel(name, fontsize=8.5, color=colours.INK)


def _bar(figure: Figure, axes: list[Axes], colours_of: ScalarMappable, label: str) -> None:
    bar = figure.colorbar(colours_of, ax=axes, fraction=0.03, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=2, colors=colours.FAINT)
    bar.set_label(label, fontsize=7.5, color=colours.INK)
