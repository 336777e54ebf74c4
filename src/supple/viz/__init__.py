"""Pictures: robots true to scale, motions, series and animations, on matplotlib and without a display.

Install with ``pip install "supple[viz]"``. Most people need only `Robot.plot`, `Model.plot`, `Trajectory.plot` and
`Trajectory.animate`; the functions here make the parts of those pages one by one. Matplotlib is loaded when the first
of them is asked for: what the studio shares with pictures (views, styles, sections) does not need it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supple.errors import MissingExtraError
from supple.viz.camera import Camera
from supple.viz.style import Style

if TYPE_CHECKING:
    from supple.viz.animation import animate
    from supple.viz.pictures import draw, overview, plot, shapes, snapshots, tip_traces
    from supple.viz.profiles import along_rod
    from supple.viz.series import energy, time_series

#: Modules of the functions that draw.
_DRAWN_IN = {
    "animate": "animation",
    **dict.fromkeys(("draw", "overview", "plot", "shapes", "snapshots", "tip_traces"), "pictures"),
    "along_rod": "profiles",
    **dict.fromkeys(("energy", "time_series"), "series"),
}

__all__ = [
    "Camera",
    "Style",
    "along_rod",
    "animate",
    "draw",
    "energy",
    "overview",
    "plot",
    "shapes",
    "snapshots",
    "time_series",
    "tip_traces",
]


def __getattr__(name: str) -> Any:
    """A function that draws, loaded with matplotlib."""
    if name not in _DRAWN_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            'pictures need matplotlib, which is not installed: pip install "supple[viz]"'
        ) from error
    return getattr(import_module(f"supple.viz.{_DRAWN_IN[name]}"), name)
