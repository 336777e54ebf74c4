"""Figures that need no display, and how they come before one's eyes all the same: windows and notebooks.

A figure is made without pyplot, so that it can be drawn on servers, in threads and the same everywhere. It becomes one
of pyplot's own figures only when a window is asked for, or where the user works with pyplot's windows already.
"""

from __future__ import annotations

import io
import sys
import threading
from importlib import import_module
from typing import Any

import matplotlib
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from supple.errors import PictureError

#: Pixels per inch at which notebooks show pictures; they are finer than that, for screens that are.
SCREEN = 96.0

#: Backends of matplotlib without windows.
FILES_ONLY = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")

#: Most pixels of a picture, and along one side: beyond, memory is in danger.
MOST_PIXELS, LONGEST = 2.5e8, 2**16 - 1


class Picture(Figure):
    """A matplotlib figure that notebooks show by themselves, and that can open a window: ``figure.show()``."""

    def show(self, warn: bool = True) -> None:
        """Open a window with the picture; a script waits until it is closed, a notebook shows the picture.

        Raises
        ------
        PictureError
            Where no window can be opened: without a display, or in another thread than the main one.
        """
        if in_notebook():
            import_module("IPython.display").display(self)
            return
        fine = self.dpi
        if not adopt(self):
            raise PictureError(
                "no window can be opened here (matplotlib's backend is "
                f"{matplotlib.get_backend()!r}, or this is not the main thread): save the picture instead, "
                'such as robot.plot("arm.png")'
            )
        import matplotlib.pyplot as plt

        plt.show()
        if not _is_open(self):  # it can be drawn, saved and shown again
            FigureCanvasAgg(self)
            self.set_dpi(fine)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """What notebooks show: the picture, and its size on the screen."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=self.dpi)
        width, height = self.get_size_inches()
        return file.getvalue(), {"width": round(SCREEN * width), "height": round(SCREEN * height)}


def new_figure(size: tuple[float, float], dpi: float) -> Picture:
    """A figure of so many inches that needs no display."""
    width, height = dpi * size[0], dpi * size[1]
    if max(width, height) > LONGEST or width * height > MOST_PIXELS:
        raise PictureError(
            f"the picture would have {width:.3g} x {height:.3g} pixels, too many to hold: give a smaller size or dpi"
        )
    figure = Picture(figsize=size, dpi=dpi, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def offer(figure: Figure) -> None:
    """Let ``plt.show()`` show a new figure, where the user works with pyplot and its windows; else do nothing."""
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None or not isinstance(figure, Picture) or in_notebook():
        return
    if len(plt.get_fignums()) < matplotlib.rcParams["figure.max_open_warning"]:
        adopt(figure)


def adopt(figure: Figure) -> bool:
    """Make a figure one of pyplot's, with a window of its own; False where there are no windows."""
    if threading.current_thread() is not threading.main_thread():
        return False
    plt: Any = import_module("matplotlib.pyplot")
    if matplotlib.get_backend().lower() in FILES_ONLY:
        return False
    if _is_open(figure):
        return True
    figure.set_dpi(matplotlib.rcParams["figure.dpi"])  # else the window would be larger than the screen
    plt.figure(FigureClass=lambda **_: figure)  # pyplot's own way, but for who makes the figure
    if not _has_windows(type(figure.canvas.manager)):
        plt.close(figure)
        FigureCanvasAgg(figure)
        return False
    return True


def _has_windows(kind: type) -> bool:
    """Whether managers of a kind do more than those of files: they run a loop for windows, or show in their own way."""
    return any(
        getattr(kind, name).__func__ is not getattr(FigureManagerBase, name).__func__
        for name in ("start_main_loop", "pyplot_show")
    )


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _is_open(figure: Figure) -> bool:
    """Whether pyplot holds a window with the figure."""
    import matplotlib.pyplot as plt

    manager = figure.canvas.manager
    return manager is not None and manager.num in plt.get_fignums()
