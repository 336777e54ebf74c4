"""The studio: robots and motions in a browser."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.model.model import Model
from supple.serving.gate import Gate
from supple.serving.site import Site, set_theme
from supple.studio.actor import Actor, Options
from supple.studio.lights import add_lights
from supple.studio.pace import AHEAD, Pace
from supple.studio.shadows import Shadows
from supple.studio.toolbar import Toolbar
from supple.studio.window import add_ground, aim, aim_page, set_lens
from supple.viz.motion import model_of

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: How long a closed page may come back before a studio that waits for it ends, s.
GRACE = 3.0

#: How long to look for the first page before telling that none came, s.
PATIENCE = 600.0

#: How long a page waits for robots to be settled before it shows them as they stand, s.
SOON = 1.0

#: How long ending waits for a kernel that is being compiled, s: the process must not end under it.
FINISH = 90.0

#: How long ending waits for threads that speak with pages, s: they end by themselves when the server has.
CLOSING = 10.0


class Studio:
    """Robots and motions in a browser, served from this process at a site, which is opened for it and ends with it.

    Made by `view`, `Model.view` and `Trajectory.view`. It lives until `stop`, or until the process ends; while no
    browser shows it, nothing is computed. In a notebook it shows itself inline.

    Attributes
    ----------
    url : str
        Where a browser finds it.
    actors : list of Actor
    settled : threading.Event
        Set when sliders, statics and dynamics work; until then, where kernels are compiled first, robots can be
        posed, and motions played.
    """

    def __init__(self, what: Sequence[Model | Trajectory], open_site: Callable[[], Site], options: Options) -> None:
        self.dark, spacing = options.dark, options.spacing
        self._lock = threading.Lock()
        self._ended, self._planned, self._entered = threading.Event(), threading.Event(), threading.Event()
        self.settled = threading.Event()  #: set when sliders, statics and dynamics work
        self._seen = self._gone = 0.0
        self.actors: list[Actor] = []
        with ExitStack() as undone:
            undone.callback(self._give_up)
            names = _unique([(one if isinstance(one, Model) else model_of(one)).name for one in what])
            self.actors += [Actor(one, name, options) for one, name in zip(what, names, strict=True)]
            self._preparing = threading.Thread(target=self._prepare, name="supple studio, preparing", daemon=True)
            self._preparing.start()
            undone.callback(atexit.register, self._preparing.join, FINISH)  # as in `stop`
            # viser is loaded meanwhile: kernels are linked outside of Python
            self.site = undone.enter_context(open_site())
            self.server = self.site.server
            planned = self._planned.wait(SOON)
            failures = [actor.failure for actor in self.actors if planned and actor.failure is not None]
            if failures:
                raise failures[0]
            self._enter(planned, spacing)
            undone.pop_all()
        atexit.register(self.stop)

    def _give_up(self) -> None:
        """Leave nothing running of a studio that did not come about."""
        self._ended.set()
        self._entered.set()
        for actor in self.actors:
            if hasattr(actor, "engine"):
                actor.engine.stop()

    def _enter(self, planned: bool, spacing: float | None) -> None:
        """Bring all robots into the scene: as planned, or as they stand, to be settled later."""
        self.shadows = Shadows(self.server)
        self.pace = Pace(self.server, self._nudge, AHEAD * len(self.actors), self.shadows.told, self._show_again)
        entered: list[Actor] = []
        for actor in self.actors:
            actor.enter(self.server, _free_place(entered, spacing), planned, self.pace)
            entered.append(actor)
        self._dress()
        for actor in self.actors:
            if len(self.actors) > 1:
                with self.server.gui.add_folder(actor.name):
                    actor.add_panel()
            else:
                actor.add_panel()
        self.toolbar = Toolbar(self.server, self.actors, self.ground, self.home, self.dark, self.shadows)
        self.site.opened()
        self.server.on_client_connect(self._came)
        self.server.on_client_disconnect(self._went)
        for actor in self.actors:
            actor.engine.pause(True)
            if planned:
                actor.settle()
            else:
                actor.engine.wish(mode=actor.engine.mode)
            actor.engine.start()
        self._entered.set()

    def _prepare(self) -> None:
        """In a thread of its own: make all plans; if robots have entered without, settle them."""
        for actor in self.actors:
            if self._ended.is_set():
                return
            actor.make_plan()
        self._planned.set()
        self._entered.wait()
        late = [actor for actor in self.actors if not actor.settled]
        for actor in late:
            if self._ended.is_set():
                return
            actor.settle()
        if self._ended.is_set():
            return
        if any(actor.settled for actor in late):
            if self.ground is not None:
                self.ground.remove()
            self._dress()
            self.toolbar.ground, self.toolbar.home = self.ground, self.home
        self.settled.set()

    def _nudge(self) -> None:
        watched = self.pace.watched
        for actor in self.actors:
            actor.engine.pause(not watched)

    def _show_again(self) -> None:
        """Let pages draw the present state once more, as if all of it had changed."""
        for actor in self.actors:
            actor.show_all()

    def _dress(self) -> None:
        windows = [actor.window for actor in self.actors]
        set_theme(self.server, self.dark)
        self.ground = add_ground(self.server, windows, self.dark)
        add_lights(self.server, windows[0].stage.view.camera.vertical)
        self.home = aim(self.server, windows)

    # as coroutines, which viser runs one after the other: of plain functions, that of a page's end might come first

    async def _came(self, client: Any) -> None:
        with self._lock:
            self._seen = time.monotonic()
        if client.client_id in self.site.early:
            aim_page(client, *self.home)
            set_lens(client.camera, *self.home[:2])
        self.pace.came(client)
        self._nudge()

    async def _went(self, client: Any) -> None:
        with self._lock:
            self._gone = time.monotonic()
        self.pace.went(client)
        self.shadows.went(client)
        self._nudge()

    @property
    def url(self) -> str:
        """Where a browser finds it; with the token, if other machines reach it."""
        return self.site.url

    @property
    def gate(self) -> Gate | None:
        """Through which other machines reach it."""
        return self.site.gate

    def wait(self, patience: float = PATIENCE) -> None:
        """Return when the last page that showed it was closed, or if none was opened for so long [s]."""
        began = time.monotonic()
        while not self._ended.wait(0.2):
            if self.server.get_clients():
                continue
            now = time.monotonic()
            if self._seen and now - self._gone > GRACE:
                return
            if not self._seen and now - began > patience:
                return

    def stop(self) -> None:
        """End threads and the server; nothing is left running."""
        with self._lock:
            if self._ended.is_set():
                return
            self._ended.set()
        atexit.unregister(self.stop)
        self.pace.stop()
        for actor in self.actors:
            actor.engine.stop()
        if self._preparing is not threading.current_thread():
            self._preparing.join(FINISH)
        self.site.stop()
        self.pace.join(CLOSING)

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def _repr_html_(self) -> str:
        """What notebooks show: the page itself."""
        return f'<iframe src="{self.url}" width="100%" height="560" style="border: 0; border-radius: 6px"></iframe>'

    def __repr__(self) -> str:
        state = "stopped" if self._ended.is_set() else f"at {self.url}"
        return f"<Studio {', '.join(repr(actor.name) for actor in self.actors)}, {state}>"


def _free_place(others: Sequence[Actor], spacing: float | None) -> Array:
    """Where the next robot stands: beside the others."""
    if not others:
        return np.zeros(3)
    last, axis = others[-1], np.array([0.0, 1.0, 0.0])
    wide = float(np.ptp(last.stage.view.cloud @ axis)) + 0.5 * last.stage.size if spacing is None else spacing
    return np.asarray(last.window.at + wide * axis)


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return result
