"""A stage in browsers, by viser: every piece is a node there, which moves when its place changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.studio.lofts import arrow, arrow_frames
from supple.studio.pieces import LAYERS, Paint, Piece, Placed, loft_piece, wxyz
from supple.studio.stage import SHAFT, Stage
from supple.viz import style as colours
from supple.viz.camera import level_axes
from supple.viz.style import rgb

if TYPE_CHECKING:
    from viser import ViserServer

#: Layers that are hidden until somebody asks for them.
HIDDEN = ("reactions", "trails", "frames")

#: Colours of the ground's lines and of every fifth, light and dark.
GRIDS = {False: ((226, 230, 236), (204, 210, 219)), True: ((58, 64, 74), (78, 86, 99))}

#: How far the robot stands left of the middle, relative to half the picture's height.
ASIDE = 0.3

#: Angle of view from bottom to top, rad, and how much room is left around the robot.
VIEW_ANGLE, ROOM = np.radians(32.0), 1.1


class Window:
    """What browsers show of one robot.

    Parameters
    ----------
    server : ViserServer
    stage : Stage
    name : str
        Root of its nodes.
    at : (3,)
        Where its world is put.
    """

    def __init__(self, server: ViserServer, stage: Stage, name: str, at: Array) -> None:
        self.server, self.stage, self.root, self.at = server, stage, f"/{_safe(name)}", np.asarray(at, dtype=float)
        scene = server.scene
        scene.add_frame(self.root, show_axes=False, position=self.at)
        self.layers = {
            layer: scene.add_frame(f"{self.root}/{layer}", show_axes=False, visible=layer not in HIDDEN)
            for layer in LAYERS
        }
        self.used = tuple(layer for layer in LAYERS if any(piece.layer == layer for piece in stage.pieces))
        self.nodes: list[Any] = []
        self._shown: list[Placed | None] = []
        self._pull: tuple[Piece, Any] | None = None

    def raise_curtain(self, places: list[Placed]) -> None:
        """Make all nodes, at the places given."""
        for piece, placed in zip(self.stage.pieces, places, strict=True):
            name = f"{self.root}/{piece.layer}/{_safe(piece.name.partition(chr(47))[2])}"
            self.nodes.append(self._node(name, piece, placed))
            self._shown.append(placed)

    def change(self, stage: Stage, places: list[Placed]) -> None:
        """Show another stage of the same robot."""
        for node in [*self.nodes, *(() if self._pull is None else (self._pull[1],))]:
            node.remove()
        self.stage, self.nodes, self._shown, self._pull = stage, [], [], None
        self.raise_curtain(places)

    def _node(self, name: str, piece: Piece, placed: Placed) -> Any:
        carried = _is_carried(piece)
        solid = piece.opacity >= 1.0
        node = self.server.scene.add_mesh_simple(
            name,
            piece.vertices if carried else piece.world(placed),
            piece.faces,
            color=_bytes(piece.colour if placed.colour is None else placed.colour),
            opacity=None if solid else piece.opacity,
            side="front" if solid else "double",
            cast_shadow=solid and piece.layer != "frames",
            receive_shadow=solid,
            visible=placed.visible,
        )
        if carried:
            node.position, node.wxyz = placed.frames[0, :3, 3], wxyz(placed.frames[0, :3, :3])
        return node

    def show(self, places: list[Placed]) -> None:
        """Move all nodes to new places; what did not change, or is hidden, is not sent."""
        hidden = {layer for layer, node in self.layers.items() if not node.visible}
        for k, (piece, placed) in enumerate(zip(self.stage.pieces, places, strict=True)):
            if piece.layer in hidden:
                continue
            before, node = self._shown[k], self.nodes[k]
            self._shown[k] = placed
            if before is None or placed.visible != before.visible:
                node.visible = placed.visible
            if not placed.visible:
                continue
            if before is None or not _same_place(before, placed) or not before.visible:
                if _is_carried(piece):
                    node.position, node.wxyz = placed.frames[0, :3, 3], wxyz(placed.frames[0, :3, :3])
                else:
                    node.vertices = piece.world(placed).astype(np.float32)
            if placed.colour is not None and (
                before is None or before.colour is None or _bytes(before.colour) != _bytes(placed.colour)
            ):
                node.color = _bytes(placed.colour)

    def forget(self) -> None:
        """Send all pieces next time, whether they changed or not."""
        self._shown = [None] * len(self._shown)

    def show_pull(self, ends: Array | None) -> None:
        """An arrow from the point that is dragged to the hand, (2, 3); None takes it away."""
        radius = 0.7 * SHAFT * self.stage.size
        if ends is None:
            if self._pull is not None:
                self._pull[1].visible = False
            return
        placed = Placed(arrow_frames(ends[0], ends[1] - ends[0], radius))
        if self._pull is None:
            loft, straight = arrow(radius), arrow_frames(np.zeros(3), np.array([self.stage.size, 0.0, 0.0]), radius)
            paint = Paint("pull", "links", rgb(colours.PALETTE[1]))
            piece = loft_piece(paint, loft.vertices, loft.faces, loft.ring, straight)
            self._pull = piece, self._node(f"{self.root}/pull", piece, placed)
        piece, node = self._pull
        node.vertices, node.visible = piece.world(placed).astype(np.float32), True


def add_ground(server: ViserServer, windows: list[Window], dark: bool) -> Any:
    """A level grid on which robots stand, or below them all, with their shadows; None where walls take its place."""
    stages = [window.stage for window in windows]
    vertical = stages[0].view.camera.vertical
    server.scene.set_up_direction(vertical)
    heights = [
        one.ground + float(window.at @ vertical)
        for one, window in zip(stages, windows, strict=True)
        if one.ground is not None
    ]
    if not heights:
        return None
    first, second, upward = level_axes(vertical)
    size, cell = max(one.size for one in stages), stages[0].view.cell
    middle = np.mean([one.view.cloud.mean(axis=0) + window.at for one, window in zip(stages, windows, strict=True)], 0)
    where = middle - (middle @ upward) * upward + min(heights) * upward
    line, section = GRIDS[dark]
    return server.scene.add_grid(
        "/ground", infinite_grid=True, cell_size=cell, section_size=5.0 * cell, cell_color=line, section_color=section,
        cell_thickness=1.0, section_thickness=1.4, fade_distance=9.0 * size, fade_strength=1.5, fade_from="origin",
        shadow_opacity=0.32, position=where, wxyz=wxyz(np.column_stack([first, second, upward])),
    )  # fmt: skip


def aim(server: ViserServer, windows: list[Window]) -> tuple[Array, Array, Array]:
    """Set where new browsers look from; returns the eye, what it looks at, and what is up, (3,) each."""
    clouds = [part + window.at for window in windows for part in (window.stage.view.cloud, window.stage.around)]
    camera = windows[0].stage.view.camera
    eye, middle = viewpoint(np.concatenate(clouds), camera.toward)
    aside = ASIDE * np.linalg.norm(eye - middle) * np.tan(0.5 * VIEW_ANGLE) * camera.right
    eye, middle = eye + aside, middle + aside  # the panel covers the right of the page
    initial = server.initial_camera
    initial.position, initial.look_at, initial.up = eye, middle, camera.vertical
    set_lens(initial, eye, middle)
    return eye, middle, camera.vertical


def aim_page(client: Any, eye: Array, middle: Array, up: Array) -> None:
    """Turn the camera of a page that is open."""
    with client.atomic():
        client.camera.up_direction = up
        client.camera.position, client.camera.look_at = eye, middle


def set_lens(camera: Any, eye: Array, middle: Array) -> None:
    """Angle of view of a camera, and how near and far it sees."""
    distance = float(np.linalg.norm(eye - middle))
    camera.fov, camera.near, camera.far = float(VIEW_ANGLE), 2e-3 * distance, 1e2 * distance


def viewpoint(cloud: Array, toward: Array) -> tuple[Array, Array]:
    """The eye and what it looks at, (3,) each, so that points (N, 3) seen from a direction (3,) fill the picture."""
    middle = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
    rays = cloud - middle
    across = np.linalg.norm(rays - np.outer(rays @ toward, toward), axis=1)
    # the nearest place on the line of sight from which every point is within the angle of view
    distance = float(np.max(rays @ toward + across / np.tan(0.5 * VIEW_ANGLE), initial=0.0)) or 1.0
    return middle + ROOM * distance * toward, middle


def _is_carried(piece: Piece) -> bool:
    """Whether its vertices stay as they are in one frame."""
    return piece.frames == 1 and not piece.free


def _same_place(one: Placed, other: Placed) -> bool:
    if not np.array_equal(one.frames, other.frames):
        return False
    if one.vertices is None or other.vertices is None:
        return True
    return bool(np.array_equal(one.vertices, other.vertices))


def _bytes(colour: Array) -> tuple[int, int, int]:
    r, g, b = np.round(255.0 * np.clip(colour, 0.0, 1.0)).astype(int).tolist()
    return r, g, b


def _safe(name: str) -> str:
    """A name without slashes, which would make it the child of another node."""
    return name.replace("/", "|")
