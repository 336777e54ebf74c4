"""`view`: robots and motions, in the browser."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from supple.checks import flag, shown, whole_number
from supple.errors import ModelError, PictureError
from supple.model.model import Model
from supple.robot.robot import Robot
from supple.serving.site import Site, has_display
from supple.studio.actor import Options
from supple.studio.studio import Studio

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory


def view(
    *what: Robot | Model | Trajectory,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool | None = None,
    wait: bool | None = None,
    **options: Any,
) -> Studio:
    """Show robots and motions in a browser, side by side.

    A model can be moved: equilibria that follow sliders of inputs, dynamics in real time that follow them and the
    mouse, or poses by hand. A motion is played, and can be left for any of these.

    Parameters
    ----------
    *what : Robot, Model or Trajectory
    host : str
        Address to serve at; only this machine reaches the one that is given if it is omitted.  At any other, the
        page asks for the token in `Studio.url`.
    port : int
        First port to try; the next free one is taken.
    open_browser : bool, optional
        Open the page; omitted: unless this is a notebook, or a machine without a display.
    wait : bool, optional
        Whether to return only when the page is closed again, and stop everything then; omitted: in scripts, but not
        where Python is used interactively.
    **options
        q0, v0 : (n,), where the robot begins; u : inputs, as `Model.simulate` takes them, which sliders override;
        mode : "Statics", "Dynamics", "Pose" or "Motion"; playing : whether it moves at once;
        step : of live dynamics, s; span : of time that laws of inputs are looked at for the reach of sliders, s;
        spacing : from one robot to the next, m; dark : colours of the page.

    Returns
    -------
    Studio

    Raises
    ------
    MissingExtraError
        If viser is not installed.
    PictureError
        For something that cannot be shown, or an option that does not exist.
    """
    shown_ones = [_showable(one) for one in what]
    if not shown_ones:
        raise PictureError("view: nothing is given: pass models or motions")
    known = [entry.name for entry in fields(Options)]
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise PictureError(f"view: there is no option {name!r}{hint} (options are: {', '.join(known)})")
    try:
        port = whole_number(port, "port", 1, 65535)
    except ModelError as error:
        raise PictureError(f"view: {error}") from None
    chosen = Options(**options)
    studio = Studio(shown_ones, lambda: Site(host, port, chosen.dark), chosen)
    interactive = in_notebook() or hasattr(sys, "ps1")
    if open_browser is None:
        open_browser = not in_notebook() and has_display()
    if open_browser:
        webbrowser.open(studio.url)
    if (not interactive) if wait is None else flag(wait, "wait"):
        with studio:
            studio.wait()
    return studio


def _showable(one: Any) -> Model | Trajectory:
    """A model or a motion; a robot is compiled."""
    from supple.solvers.motion.trajectory import Trajectory

    if isinstance(one, Robot):
        return one.compile()
    if not isinstance(one, (Model, Trajectory)):
        raise PictureError(f"view: {shown(one)} cannot be shown: pass a Robot, a Model or a Trajectory")
    return one


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return getattr(shell, "kernel", None) is not None
