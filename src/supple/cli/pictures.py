"""Pictures and videos of runs and equilibria: the one place of the command line that draws.

Drawing needs matplotlib, which is optional: without it one line says so, and the results are there all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from supple.cli.console import note
from supple.errors import MissingExtraError

Watch = tuple[tuple[str, float], ...]


def can_draw() -> bool:
    """Whether matplotlib is there; if not, a note says how to get it.  No display is needed."""
    if find_spec("matplotlib") is None:
        note("no pictures: matplotlib is not installed (pip install 'supple[viz]')", "note:", "yellow")
        return False
    return True


def draw_run(trajectory: Any, folder: Path, watch: Watch) -> list[Path]:
    """Plots over time and snapshots of a motion; returns the files."""
    from supple.viz import snapshots as strip  # loads matplotlib

    plots, snapshots = folder / "plots.png", folder / "snapshots.png"
    trajectory.plot(plots, watch=watch)
    strip(trajectory, number=6, watch=watch, path=snapshots)
    return [plots, snapshots]


def video_file(folder: Path) -> Path:
    """Where a video goes if nothing else is said: a film where ffmpeg is there, else an animated picture."""
    from supple.viz.video_files import find_ffmpeg

    try:
        find_ffmpeg()
    except MissingExtraError:
        return folder / "motion.gif"
    return folder / "motion.mp4"


def film(trajectory: Any, path: Path, watch: Watch, progress: Callable[[float], None]) -> Path:
    """A video of a motion at its own speed; ``progress`` is told the fraction that is done."""
    trajectory.animate(path, fps=25, speed=1.0, watch=watch, progress=progress)
    return path


def draw_equilibrium(equilibrium: Any, folder: Path) -> Path:
    """A picture of a robot at rest; returns the file."""
    from supple.viz.layout import save_figure

    figure = equilibrium.model.plot(equilibrium.q, u=equilibrium.u, t=equilibrium.t)
    return save_figure(figure, folder / "statics.png", figure.dpi)
