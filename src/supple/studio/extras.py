"""What is drawn beside the robot: forces of contacts, reactions of joints and loops, trails of tips.

Each is a layer that can be hidden, and costs nothing while it is.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.compilation.scene import Hinge, JointLook
from supple.errors import SuppleError
from supple.model.model import Model
from supple.studio.lofts import HEAD_LONG, HEAD_WIDE
from supple.studio.modes import POSE, STATICS
from supple.studio.stage import ARROW, SHAFT
from supple.viz import style as colours
from supple.viz.style import rgb
from supple.viz.view import Posed, State

if TYPE_CHECKING:
    from supple.studio.engine import Shot
    from supple.studio.window import Window

#: Points of a trail, most stations that leave one, and how far apart its points are, relative to the robot's size.
TRAIL, MOST_TRAILS, APART = 400, 4, 2e-3

#: Arrows shorter than this, relative to the longest, are not drawn.
FAINT = 1e-3


class Pushes(NamedTuple):
    """Vectors (N, 3) at points (N, 3): forces [N] or moments [N m]."""

    points: Array
    vectors: Array


def contact_forces(model: Model, state: State) -> Pushes:
    """Forces on the first partner of every contact, where they touch."""
    found = [model.contact(state.q, name, state.v, t=state.t) for name in model.contact_names]
    none = np.zeros((0, 3))
    return Pushes(
        np.concatenate([none, *(one.point for one in found)]), np.concatenate([none, *(one.force for one in found)])
    )


def reactions(model: Model, state: State, multipliers: Any) -> tuple[Pushes, Pushes]:
    """Forces and moments that links on the world receive from it, and that loops exert on their first link.

    With the ``multipliers`` of an equilibrium the robot is taken to rest; without, it moves as its equations say.
    """
    v, a = np.zeros(model.n), np.zeros(model.n)
    if multipliers is None:
        v = v if state.v is None else state.v
        found = model.forward_dynamics(state.q, v, state.u, state.t)
        a, multipliers = found.a, found.multipliers
    posed = Posed(model, model.scene, state.q)
    rows: list[tuple[Array, Array]] = []
    kept = np.asarray(multipliers) if model.nc else None
    for joint, frames in posed.parts:
        if isinstance(joint, JointLook) and joint.grounded:
            rows.append((frames[0, :3, 3], model.reaction(state.q, joint.link, v, a, state.u, kept, state.t)))
        elif isinstance(joint, Hinge) and model.nc:
            turn, wrench = frames[1, :3, :3], np.asarray(multipliers[joint.name])
            rows.append((frames[1, :3, 3], np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])))
    points = np.array([point for point, _ in rows]).reshape(-1, 3)
    wrenches = np.array([wrench for _, wrench in rows]).reshape(-1, 6)
    return Pushes(points, wrenches[:, 3:]), Pushes(points, wrenches[:, :3])


class _Arrows:
    """Arrows in browsers, the longest ever of which has a fixed length."""

    def __init__(self, window: Window, layer: str, name: str, colour: str) -> None:
        self.window, self.name, self.colour = window, f"{window.root}/{layer}/{name}", rgb(colour)
        self.most = 0.0
        self._node: Any = None

    def show(self, pushes: Pushes) -> None:
        """Draw vectors from their points on; those that are faint are omitted."""
        size = self.window.stage.size
        length = np.linalg.norm(pushes.vectors, axis=1)
        self.most = max(self.most, float(length.max(initial=0.0)))
        seen = length > FAINT * self.most
        if not np.any(seen):
            self.hide()
            return
        points, vectors = pushes.points[seen], pushes.vectors[seen] * (ARROW * size / self.most)
        ends = np.stack([points, points + vectors], axis=1).astype(np.float32)
        if self._node is not None and self._node.points.shape == ends.shape:
            self._node.points, self._node.visible = ends, True
            return
        if self._node is not None:
            self._node.remove()
        radius = SHAFT * size
        self._node = self.window.server.scene.add_arrows(
            self.name, ends, tuple(int(255 * part) for part in self.colour), shaft_radius=radius,
            head_radius=HEAD_WIDE * radius, head_length=HEAD_LONG * radius,
        )  # fmt: skip

    def hide(self) -> None:
        """Draw none."""
        if self._node is not None:
            self._node.visible = False


class Extras:
    """Forces, reactions and trails of one robot.

    Parameters
    ----------
    window : Window
        Has a node for every layer.
    watch : tuple of (str, float)
        Stations that leave trails.
    """

    def __init__(self, window: Window, watch: tuple[tuple[str, float], ...]) -> None:
        self.window, self.watch = window, watch[:MOST_TRAILS]
        model = window.stage.model
        held = any(isinstance(part, Hinge) or getattr(part, "grounded", False) for part in model.scene.parts)
        #: layers that this robot has a use for
        self.used = (
            *(("forces",) if model.contact_names else ()), *(("reactions",) if held else ()),
            *(("trails",) if self.watch else ()),
        )  # fmt: skip
        self.contacts = _Arrows(window, "forces", "contacts", colours.LOAD)
        self.forces = _Arrows(window, "reactions", "forces", colours.PALETTE[1])
        self.moments = _Arrows(window, "reactions", "moments", colours.PALETTE[4])
        self.trail: deque[Array] = deque(maxlen=TRAIL)
        self._lines: Any = None
        self._time = -np.inf

    def show(self, shot: Shot, settled: bool) -> None:
        """Follow a new state; before a robot is ``settled``, what needs its equations is omitted."""
        layers, model = self.window.layers, self.window.stage.model
        if "trails" in self.used and layers["trails"].visible:
            self._draw_trail()
        if not settled:
            return
        if "forces" in self.used and layers["forces"].visible:
            self.contacts.show(contact_forces(model, shot.state))
        if "reactions" in self.used and layers["reactions"].visible:
            self._react(model, shot)

    def _react(self, model: Model, shot: Shot) -> None:
        """Reactions at rest or in motion; a robot that is posed by hand has none."""
        if shot.mode == POSE or (shot.mode == STATICS and shot.multipliers is None):
            self.forces.hide()
            self.moments.hide()
            return
        try:
            forces, moments = reactions(model, shot.state, shot.multipliers if shot.mode == STATICS else None)
        except SuppleError:  # accelerations that a state does not have: no arrows rather than no picture
            self.forces.hide()
            self.moments.hide()
            return
        self.forces.show(forces)
        self.moments.show(moments)

    def follow(self, state: State) -> None:
        """Another point of the trail, if it is away from the last one; a new trail if time went back."""
        if not self.watch:
            return
        if state.t < self._time:
            self.trail.clear()
        self._time = state.t
        points = self.window.stage.model.poses(state.q, self.watch)[:, :3, 3]
        if not self.trail or np.abs(points - self.trail[-1]).max() > APART * self.window.stage.size:
            self.trail.append(points)

    def _draw_trail(self) -> None:
        if len(self.trail) < 2:
            if self._lines is not None:
                self._lines.visible = False
            return
        points = np.array(self.trail)
        ends = np.stack([points[:-1], points[1:]], axis=2).reshape(-1, 2, 3).astype(np.float32)
        if self._lines is None:
            colour = tuple(int(255 * part) for part in rgb(colours.PALETTE[0]))
            self._lines = self.window.server.scene.add_line_segments(
                f"{self.window.root}/trails/tips", ends, colour, thickness=2.5, thickness_units="screen"
            )
        else:
            self._lines.points, self._lines.visible = ends, True
