"""Shadows for pages that can afford them.

On a graphics card they cost next to nothing; a browser without one (a remote desktop, a virtual machine) draws a
hundred times slower with them than without. Browsers do not tell, so every page begins without: it is asked how long
pictures take it, gets shadows if it is quick, and loses them again if it is not quick with them.
"""

from __future__ import annotations

from statistics import median
from typing import Any

#: Pictures over which a page is judged, and those before them with shadows, for which it still compiles.
JUDGED, COMPILING = 6, 3

#: A page that takes less per picture tries shadows, one that takes more with them loses them, s.
QUICK, SLOW = 0.05, 0.15


class _Trial:
    """How long pictures took one page so far, without or with shadows; whether that is settled."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.lit = self.settled = False


class Shadows:
    """Decides for every page.

    Attributes
    ----------
    choice : bool or None
        What somebody chose for all pages; None: each as it can.
    """

    def __init__(self, server: Any) -> None:
        self.server = server
        self.choice: bool | None = None
        self._trials: dict[int, _Trial] = {}
        server.scene.configure_default_lights(cast_shadow=False)

    def choose(self, wanted: bool) -> None:
        """Shadows on all pages, or on none."""
        self.choice = wanted
        self.server.scene.configure_default_lights(cast_shadow=wanted)

    def went(self, client: Any) -> None:
        """A page was closed."""
        self._trials.pop(client.client_id, None)

    def told(self, client: Any, seconds: float) -> bool:
        """A page took so long for a picture; returns whether it should be sent another one, to learn more."""
        trial = self._trials.setdefault(client.client_id, _Trial())
        if self.choice is not None or trial.settled:
            return False
        trial.times.append(seconds)
        last = trial.times[-JUDGED:]
        if trial.lit and seconds > 10.0 * SLOW:  # no need to look further
            return self._settle(client, trial, False)
        if len(trial.times) < JUDGED + (COMPILING if trial.lit else 0):
            return True
        if trial.lit:
            return self._settle(client, trial, median(last) <= SLOW)
        if median(last) > QUICK:
            return self._settle(client, trial, False)
        trial.lit, trial.times = True, []
        client.scene.configure_default_lights(cast_shadow=True)
        return True

    def _settle(self, client: Any, trial: _Trial, wanted: bool) -> bool:
        trial.settled, trial.times = True, []
        if trial.lit and not wanted:
            client.scene.configure_default_lights(cast_shadow=False)
        trial.lit = wanted
        return False

    def on(self, client: Any) -> bool:
        """Whether a page has shadows."""
        trial = self._trials.get(client.client_id)
        return self.choice if self.choice is not None else trial is not None and trial.lit
