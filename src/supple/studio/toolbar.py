"""What concerns the picture as a whole: what is shown, from where, in which colours, and what is saved of it."""

from __future__ import annotations

import io
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.errors import SuppleError
from supple.serving.site import set_theme
from supple.studio.engine import RATE
from supple.studio.export import write_html
from supple.studio.film import Film, side_by_side
from supple.studio.glb import write_glb
from supple.studio.pieces import LAYERS
from supple.studio.shadows import Shadows
from supple.studio.video import record
from supple.studio.window import GRIDS, HIDDEN, aim_page
from supple.viz.camera import level_axes
from supple.viz.motion import FRAMING

if TYPE_CHECKING:
    from viser import ViserServer

    from supple.studio.actor import Actor
    from supple.viz.view import State

#: Views by name: to the right, up, and towards the eye, in axes of which the last is up.
VIEWS = {"Front": (1.0, 0.0, 0.0), "Side": (0.0, -1.0, 0.0), "Top": (0.0, -1e-3, 1.0)}

#: Width and height of pictures that are saved, pixels.
PICTURE = (1920, 1080)

#: What is said of files.
SAVING = "Films and videos hold what was played, the last minute of it at most."

#: Most views that are kept.
MOST_KEPT = 12


class Toolbar:
    """Controls of the whole picture."""

    def __init__(
        self,
        server: ViserServer,
        actors: list[Actor],
        ground: Any,
        home: tuple[Array, Array, Array],
        dark: bool,
        shadows: Shadows,
    ) -> None:
        self.server, self.actors, self.ground, self.home = server, actors, ground, home
        self._kept: list[tuple[Array, Array]] = []
        self._saving = threading.Lock()
        gui = server.gui
        with gui.add_folder("Show", expand_by_default=False):
            known = {layer for actor in actors for layer in actor.window.used + actor.extras.used}
            used = [layer for layer in LAYERS if layer in known]
            self.layers = {layer: gui.add_checkbox(layer.capitalize(), layer not in HIDDEN) for layer in used}
            for layer, box in self.layers.items():
                box.on_update(lambda event, layer=layer: self._show(layer, bool(event.target.value)))
            self.floor = gui.add_checkbox("Ground", True, visible=ground is not None)
            self.floor.on_update(lambda event: self._show_ground(bool(event.target.value)))
            self.shadows = gui.add_checkbox("Shadows", True, hint="At first only on pages that draw quickly")
            self.shadows.on_update(lambda event: shadows.choose(bool(event.target.value)))
            self.dark = gui.add_checkbox("Dark", dark)
            self.dark.on_update(lambda event: self._darken(bool(event.target.value)))
        with gui.add_folder("Camera", expand_by_default=False):
            self.views = gui.add_button_group("Look from", ("Home", *VIEWS))
            self.views.on_click(lambda event: self._look(event.client, str(event.target.value)))
            keep = gui.add_button("Keep this view", color="gray", hint="As a button below")
            keep.on_click(lambda event: self._keep(event.client))
            self.kept = gui.add_folder("Kept views", visible=False)
        with gui.add_folder("Save", expand_by_default=False):
            for label, save in (("Picture (png)", self._save_picture), ("Film (html)", self._save_html),
                                ("Film (glb)", self._save_glb), ("Video (mp4)", self._save_mp4),
                                ("Video (gif)", self._save_gif)):  # fmt: skip
                button = gui.add_button(label, color="gray")
                button.on_click(lambda event, save=save: self._save(event.client, save))
            self.told = gui.add_markdown(SAVING)

    # ------------------------------------------------------------------ what is shown

    def _show(self, layer: str, wanted: bool) -> None:
        for actor in self.actors:
            actor.window.layers[layer].visible = wanted
            actor.engine.refresh()

    def _show_ground(self, wanted: bool) -> None:
        if self.ground is not None:
            self.ground.visible = wanted

    def _darken(self, dark: bool) -> None:
        set_theme(self.server, dark)
        if self.ground is not None:
            self.ground.cell_color, self.ground.section_color = GRIDS[dark]

    # ------------------------------------------------------------------ from where

    def place(self, name: str) -> tuple[Array, Array]:
        """The eye and what it looks at, (3,) each, of a view by name."""
        eye, middle, up = self.home
        if name == "Home":
            return eye, middle
        toward = np.column_stack(level_axes(up)) @ np.array(VIEWS[name])
        return middle + np.linalg.norm(eye - middle) * toward / np.linalg.norm(toward), middle

    def _look(self, client: Any, name: str) -> None:
        if client is not None:
            aim_page(client, *self.place(name), self.home[2])

    def _keep(self, client: Any) -> None:
        """A button that brings the present view back."""
        if client is None or len(self._kept) >= MOST_KEPT:
            return
        here = np.array(client.camera.position), np.array(client.camera.look_at)
        self._kept.append(here)
        self.kept.visible = True
        with self.kept:
            button = self.server.gui.add_button(f"View {len(self._kept)}", color="gray")
            button.on_click(lambda event: aim_page(event.client, *here, self.home[2]))

    # ------------------------------------------------------------------ what is saved

    def _save(self, client: Any, save: Any) -> None:
        """Send a file to a browser; one at a time, and what goes wrong is told below the buttons."""
        if client is None or not self._saving.acquire(blocking=False):
            return
        try:
            save(client)
            self.told.content = SAVING
        except (SuppleError, RuntimeError, TimeoutError) as error:  # the latter two of viser, if the page goes
            self.told.content = f"⚠ {error}"
        finally:
            self._saving.release()

    def _save_mp4(self, client: Any) -> None:
        client.send_file_download("motion.mp4", record(client, self.actors, "mp4", self._progress))

    def _save_gif(self, client: Any) -> None:
        client.send_file_download("motion.gif", record(client, self.actors, "gif", self._progress))

    def _progress(self, done: float) -> None:
        self.told.content = f"recording, {100.0 * done:.0f} %"

    def _save_picture(self, client: Any) -> None:
        from imageio.v3 import imwrite  # comes with viser

        pixels = client.get_render(height=PICTURE[1], width=PICTURE[0], transport_format="png")
        file = io.BytesIO()
        imwrite(file, pixels, extension=".png")
        client.send_file_download("picture.png", file.getvalue())

    def _save_html(self, client: Any) -> None:
        film = self.film()
        client.send_file_download("motion.html", write_html(film).encode())

    def _save_glb(self, client: Any) -> None:
        client.send_file_download("motion.glb", write_glb(self.film()))

    def film(self) -> Film:
        """What all robots did last; if they are several, at even times that end together."""
        pasts = [list(actor.past) or [actor.engine.act.state] for actor in self.actors]
        if len(pasts) == 1:
            states = pasts[0]
            return _film(self.actors[0], states, np.array([state.t - states[0].t for state in states]))
        span = max(past[-1].t - past[0].t for past in pasts)
        times = np.linspace(0.0, span, max(1, round(span * RATE) + 1))
        films = []
        for actor, past in zip(self.actors, pasts, strict=True):
            known = np.array([state.t - past[-1].t + span for state in past])
            nearest = [past[int(np.abs(known - t).argmin())] for t in times]
            films.append(replace(_film(actor, nearest, times), at=actor.window.at, name=actor.name))
        return side_by_side(films)


def _film(actor: Actor, states: list[State], times: Array) -> Film:
    """States of one robot at times (T,) as a film, with room for wherever it went."""
    rows = [actor.stage.at(state) for state in states]
    some = np.unique(np.linspace(0, len(rows) - 1, FRAMING).astype(int))
    links = [(k, piece) for k, piece in enumerate(actor.stage.pieces) if piece.layer == "links"]
    seen = [piece.world(rows[i][k]) for i in some for k, piece in links]
    places = [list(column) for column in zip(*rows, strict=True)]
    return Film(actor.stage, times, places, seen=np.concatenate([np.zeros((0, 3)), *seen]))
