"""Pictures: robots true to scale, motions, series and animations, on matplotlib and without a display.

Install with ``pip install "supple[viz]"``. Most people need only `Robot.plot`, `Model.plot`, `Trajectory.plot` and
`Trajectory.animate`; the functions here make the parts of those pages one by one.
"""

from __future__ import annotations

from supple.errors import MissingExtraError

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise MissingExtraError('pictures need matplotlib, which is not installed: pip install "supple[viz]"') from error

from supple.viz.animation import animate
from supple.viz.camera import Camera
from supple.viz.pictures import draw, overview, plot, shapes, snapshots, tip_traces
from supple.viz.profiles import along_rod
from supple.viz.series import energy, time_series
from supple.viz.style import Style

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
