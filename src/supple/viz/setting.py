"""What stays the same over all pictures of a motion: the eye, the ground, the scales of arrows and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.errors import PictureError
from supple.model.meshes import revolved
from supple.model.model import Model
from supple.model.scene import Arrow, BodyLook, Mark, RodLook, Strand, Wall
from supple.viz.camera import Camera, Window, level_axes
from supple.viz.style import Style

#: Grid cells across the robot, about.
CELLS = 5


class State(NamedTuple):
    """What one picture shows: coordinates, rates and inputs (None: not known) at a time."""

    q: Array
    v: Array | None = None
    u: Array | None = None
    t: float = 0.0


class Posed:
    """The parts of a robot with their world frames at some q."""

    def __init__(self, model: Model, q: Array) -> None:
        scene = model.scene
        frames = model.poses(q, scene.stations) @ scene.offsets
        ends = np.cumsum([len(part.places) for part in scene.parts])
        self.parts: list[tuple[RodLook | BodyLook | Mark, Array]] = [
            (part, frames[end - len(part.places) : end]) for part, end in zip(scene.parts, ends.tolist(), strict=True)
        ]

    def cloud(self) -> Array:
        """World points (N, 3) that a picture must hold: skins of links, and lines."""
        points = [np.zeros((0, 3))]
        for part, frames in self.parts:
            if isinstance(part, RodLook):
                points.append(part.skin(frames))
            elif isinstance(part, BodyLook):
                mesh = np.zeros((0, 3)) if part.mesh is None else part.mesh.vertices
                points.append(np.vstack([mesh, part.tip, np.zeros(3)]) @ frames[0, :3, :3].T + frames[0, :3, 3])
            elif isinstance(part, Strand):
                points.append(frames[:, :3, 3])
        return np.concatenate(points)


@dataclass(frozen=True, eq=False)
class Setting:
    """The stage of one picture or of a motion.

    Attributes
    ----------
    camera : Camera
    cloud : (N, 3)
        Points that all pictures together must hold.
    size : float
        Of the whole, m.
    cell : float
        A round length, about a fifth of the size, m: of the grid and of the scale bar.
    ground : float or None
        Height along the vertical at which the ground is drawn, m.
    most : dict
        Largest "tension" [N], "chamber" pressure [Pa], "force" [N] and "moment" [N m], the latter also "per metre".
    """

    camera: Camera
    cloud: Array
    size: float
    cell: float
    ground: float | None
    most: dict[str, float]

    @staticmethod
    def of(model: Model, style: Style, states: Sequence[State]) -> Setting:
        """The stage on which all these states have room."""
        if not model.scene.parts:
            raise PictureError(f"model {model.name!r} has nothing to draw: compile it from a Robot")
        posed = [Posed(model, state.q) for state in states]
        cloud = np.concatenate([one.cloud() for one in posed])
        gravity = np.asarray(model.parameters.gravity)
        camera = Camera.choose(style, cloud, gravity)
        size = float(np.linalg.norm(np.ptp(cloud, axis=0)))
        cell = round_length(size / CELLS)
        ground = None
        walls = _world_walls(model) if style.contacts else []
        if style.ground and np.any(gravity) and not walls:
            ground = float((cloud @ camera.vertical).min())
        cloud = np.concatenate([cloud, *(_rims(wall, cloud) for wall in walls)])
        return Setting(camera, cloud, size, cell, ground, _largest(model, states))

    @cached_property
    def floor(self) -> tuple[Array, Array, Array] | None:
        """Origin and two edges (3,) of the patch of ground that is drawn, whole cells; None without ground."""
        if self.ground is None:
            return None
        first, second, upward = level_axes(self.camera.vertical)
        spans = []
        for axis in (first, second):
            along = self.cloud @ axis
            low = np.floor(along.min() / self.cell - 0.25) * self.cell
            high = np.ceil(along.max() / self.cell + 0.25) * self.cell
            spans.append((low, high))
        origin = self.ground * upward + spans[0][0] * first + spans[1][0] * second
        return origin, (spans[0][1] - spans[0][0]) * first, (spans[1][1] - spans[1][0]) * second

    @cached_property
    def window(self) -> Window:
        """The part of the picture's plane that holds the cloud, and the ground below it."""
        points = self.cloud
        if self.floor is not None:
            origin, first, second = self.floor
            patch = np.array([origin + a * first + b * second for a in (0.0, 1.0) for b in (0.0, 1.0)])
            points = np.concatenate([points, patch])
        return self.camera.window(points)


def round_length(length: float) -> float:
    """The largest of 1, 2, 5, 10, ... (times a power of ten) that does not exceed a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1.0 + 1e-9)) * power)


def tube_ends(local: Array) -> tuple[float, float]:
    """Where a tube about x is cut off: somewhat beyond points (N, 3) of its frame."""
    low, high = float(local[:, 0].min()), float(local[:, 0].max())
    margin = 0.05 * (high - low)
    return low - margin, high + margin


def _world_walls(model: Model) -> list[Wall]:
    """Planes and tubes of the world: with them a picture needs no other ground."""
    return [part for part in model.scene.marks if isinstance(part, Wall) and part.places[0].link == "world"]


def _rims(wall: Wall, cloud: Array) -> Array:
    """Points (N, 3) on the rims of a tube as long as a cloud of points; none of a plane."""
    frame = wall.places[0].offset
    if wall.radius is None:
        return np.zeros((0, 3))
    ends = tube_ends((cloud - frame[:3, 3]) @ frame[:3, :3])
    rims = revolved(ends, (wall.radius, wall.radius)).vertices
    return np.asarray(rims @ frame[:3, :3].T + frame[:3, 3])


def _largest(model: Model, states: Sequence[State]) -> dict[str, float]:
    """Largest tensions, pressures and wrenches over all states."""
    most = dict.fromkeys(("tension", "chamber", "force", "moment", "force per metre", "moment per metre"), 0.0)
    kinds = {part.name: part.kind for part in model.scene.marks if isinstance(part, Strand)}
    arrows = [part for part in model.scene.marks if isinstance(part, Arrow)]
    for state in states:
        for name, pull in pulls(model, state).items():
            key = "chamber" if kinds.get(name) == "chamber" else "tension"
            most[key] = max(most[key], abs(pull))
        for arrow in arrows:
            wrench, unit = arrow.at(state.t), " per metre" if arrow.per_metre else ""
            for key, part in (("moment", wrench[:3]), ("force", wrench[3:])):
                most[key + unit] = max(most[key + unit], float(np.linalg.norm(part)))
    return most


def pulls(model: Model, state: State) -> dict[str, float]:
    """Tension [N] (pressure [Pa]) of every line by name; empty if inputs are not known."""
    if not model.demand.lines or (state.u is None and model.nu):
        return {}
    return {name: line.tension for name, line in model.lines(state.q, state.v, state.u).items()}
