"""How pictures look: colours that everybody can tell apart, and the options of all functions that draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, positive_float, shown
from supple.errors import PictureError, SuppleError

if TYPE_CHECKING:
    from matplotlib.colors import Colormap


@dataclass(frozen=True)
class Ramp:
    """Colours from one end of a scale to the other, even steps apart."""

    name: str
    stops: tuple[str, ...]

    def __call__(self, x: ArrayLike) -> Array:
        """The colours (..., 3) at x (...) between 0 and 1."""
        table = self._table
        at = np.clip(np.nan_to_num(np.asarray(x, dtype=float)), 0.0, 1.0) * (len(table) - 1)
        low = np.minimum(at.astype(int), len(table) - 2)
        part = (at - low)[..., None]
        return np.asarray((1.0 - part) * table[low] + part * table[low + 1])

    @cached_property
    def _table(self) -> Array:
        return np.array([rgb(stop) for stop in self.stops])

    @cached_property
    def colourmap(self) -> Colormap:
        """The same for matplotlib."""
        from matplotlib.colors import LinearSegmentedColormap

        return LinearSegmentedColormap.from_list(self.name, list(self.stops))


#: Okabe and Ito's palette without its yellow and black: told apart by colour-blind readers, for lines and axes.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

ROD, RIGID, THIN_ROD = "#7FB2D9", "#B6BAC2", "#9AA4B2"
ANCHOR, OBSTACLE, COLLIDER = "#5B6270", "#D9C7A3", "#E69F00"
GROUND, GRID, SHADOW = "#F5F6F8", "#DFE3E8", "#1F2A3C"
LINE, CABLE, LAW = "#D55E00", "#8C510A", "#CC79A7"
SPRING, LOAD, LOOP = "#3F4652", "#7B3294", "#CC79A7"
INK, FAINT = "#2B303A", "#7A8290"

#: Colours of the axes x, y, z of a frame.
AXES = ("#D55E00", "#009E73", "#0072B2")

#: From slack to taut, and from empty to full: lightness alone tells the order.
TENSION = Ramp("tension", ("#F7D9A8", "#F0883C", "#C5281C", "#6B0A1E"))
PRESSURE = Ramp("pressure", ("#D6ECE4", "#5FB9A6", "#12806F", "#053F37"))

#: From the beginning of a motion to its end.
TIME = Ramp("time", ("#C9D6E4", "#5E8FC0", "#123A6F"))


#: Options that are on or off.
SWITCHES = ("frames", "lines", "loads", "loops", "contacts", "ground", "scale", "follow", "show")


@dataclass(frozen=True)
class Style:
    """Options of everything that draws a robot.

    Attributes
    ----------
    view : (float, float), optional
        Azimuth and elevation of the eye in degrees, about and above the plane normal to ``up``. Chosen from the
        robot's extents if omitted.
    up : (3,), optional
        What points up in the picture; against gravity if omitted, z without gravity.
    size : (float, float), optional
        Of the figure, inches.
    dpi : float
        Pixels per inch of files.
    frames : bool
        Triads at all joints: x vermilion, y green, z blue.
    lines : bool
        Tendons, chambers, cables, springs.
    loads : bool
        Arrows of given wrenches, and of gravity.
    loops : bool
        Marks where loops are closed.
    contacts : bool
        Shapes that touch.
    ground : bool
        A grid below the robot, with its shadow.
    scale : bool
        The bar that tells the scale, and the world's axes.
    follow : bool, optional
        Whether frames follow a robot that travels, all at one scale; if omitted, they follow one that travels far.
    title : str, optional
        Above the picture; the robot's name if omitted, nothing if empty.
    show : bool
        Open a window with the figure and wait until it is closed; in a notebook, show it.
    """

    view: tuple[float, float] | None = None
    up: tuple[float, float, float] | None = None
    size: tuple[float, float] | None = None
    dpi: float = 150.0
    frames: bool = False
    lines: bool = True
    loads: bool = True
    loops: bool = True
    contacts: bool = True
    ground: bool = True
    scale: bool = True
    follow: bool | None = None
    title: str | None = None
    show: bool = False

    def __post_init__(self) -> None:
        try:
            for name, count in (("view", 2), ("up", 3), ("size", 2)):
                value = getattr(self, name)
                if value is not None:
                    finite_array(value, (count,), name)
            if self.up is not None and not np.any(self.up):
                raise PictureError("up is zero, must point somewhere")
            if self.size is not None and min(self.size) <= 0.0:
                raise PictureError(f"size is {self.size}, must be a positive width and height in inches")
            positive_float(self.dpi, "dpi")
            for name in SWITCHES:
                if not isinstance(getattr(self, name), (bool, np.bool_)) and (name, self.follow) != ("follow", None):
                    raise PictureError(f"{name} is {shown(getattr(self, name))}, must be True or False")
            if self.title is not None and not isinstance(self.title, str):
                raise PictureError(f"title is {shown(self.title)}, must be a text")
        except SuppleError as error:
            raise PictureError(f"picture: {error}") from None

    @staticmethod
    def of(options: Mapping[str, Any]) -> Style:
        """The style with these options; raises `PictureError` for one that does not exist."""
        known = [entry.name for entry in fields(Style)]
        for name in options:
            if name not in known:
                close = get_close_matches(name, known, 1)
                hint = f"; did you mean {close[0]!r}?" if close else ""
                raise PictureError(f"picture: there is no option {name!r}{hint} (options are: {', '.join(known)})")
        return Style(**options)


def rgb(colour: str) -> Array:
    """A colour, written #RRGGBB, as three numbers from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def faded(colour: Array, amount: float) -> Array:
    """A colour (3,) or (N, 3) on its way to white: 0 as it is, 1 white."""
    return np.asarray(colour + (1.0 - colour) * amount)
