"""What stays the same over all pictures of a motion: the eye, the ground, the scales of arrows and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.compilation.scene import Arrow, Mark, Scene, Solid, Strand, Wall
from supple.errors import PictureError
from supple.model.model import Model
from supple.robot.bodies.looks import BodyLook, RodLook, SkinLook
from supple.robot.meshes import revolved
from supple.viz.camera import Camera, Window, level_axes
from supple.viz.sections import IN_A_PICTURE, fine_scene
from supple.viz.style import Style

#: Grid cells across the robot, about.
CELLS = 5

#: Obstacles larger than this, relative to the robot, may reach beyond the picture.
LARGE = 2.0

#: Frames follow a robot whose motion needs this many times the room of the robot itself.
FAR = 2.5


class State(NamedTuple):
    """What one picture shows: coordinates, rates and inputs (None: not known) at a time."""

    q: Array
    v: Array | None = None
    u: Array | None = None
    t: float = 0.0


class Posed:
    """The parts of a robot, as a scene of it shows them, with their world frames at some q."""

    def __init__(self, model: Model, scene: Scene, q: Array) -> None:
        frames = model.poses(q, scene.stations)[scene.station_of] @ scene.offsets
        ends = np.cumsum([len(part.places) for part in scene.parts])
        own = {layout.name: layout.body_coordinates for layout in model.layouts}
        skins = scene.carry(frames, lambda link: np.asarray(q)[own[link]])
        self.parts: list[tuple[RodLook | BodyLook | SkinLook | Mark, Array]] = [
            (
                part.shaped(skins.get(part.link)) if isinstance(part, SkinLook) else part,
                frames[end - len(part.places) : end],
            )
            for part, end in zip(scene.parts, ends.tolist(), strict=True)
        ]

    def cloud(self) -> Array:
        """World points (N, 3) that a picture must hold: skins of links, and lines."""
        points = [np.zeros((0, 3))]
        for part, frames in self.parts:
            if isinstance(part, RodLook):
                points.append(part.skin(frames))
            elif isinstance(part, BodyLook):
                mesh = np.zeros((0, 3)) if part.mesh is None else part.mesh.vertices
                local = np.vstack([mesh, part.com, part.tip, np.zeros(3)])
                points.append(local @ frames[0, :3, :3].T + frames[0, :3, 3])
            elif isinstance(part, SkinLook):
                local = np.zeros((1, 3)) if part.mesh is None else part.mesh.vertices
                points.append(local @ frames[0, :3, :3].T + frames[0, :3, 3])
            elif isinstance(part, Strand):
                points.append(frames[:, :3, 3])
        return np.concatenate(points)


@dataclass(frozen=True, eq=False)
class View:
    """What all pictures of a motion share: the eye, the window, the ground, scales of arrows and colours.

    Attributes
    ----------
    camera : Camera
    cloud : (N, 3)
        Points of the robot that all pictures together must hold.
    rims : (M, 3)
        Points of walls around it.
    size : float
        Of the whole, m.
    cell : float
        A round length, about a fifth of the size, m: of the grid and of the scale bar.
    ground : float or None
        Height along the vertical at which a ground is drawn, m; None if there is none, or if walls are in its place.
    shade : float or None
        Height of the plane on which shadows fall, m.
    scene : Scene
        The robot, with rods as finely drawn as their turns need.
    most : dict
        Largest "tension" [N], "chamber" pressure [Pa], "force" [N] and "moment" [N m], the latter also "per metre".
    frame : (float, float), optional
        Width and height of the picture's window, m; what the cloud needs if omitted.
    """

    camera: Camera
    cloud: Array
    rims: Array
    size: float
    cell: float
    ground: float | None
    shade: float | None
    scene: Scene
    most: dict[str, float]
    frame: tuple[float, float] | None = None

    @staticmethod
    def of(model: Model, style: Style, states: Sequence[State], sections: int = IN_A_PICTURE) -> View:
        """The view in which all these states have room; rods have so many ``sections`` together, about."""
        if not model.scene.parts:
            raise PictureError(f"model {model.name!r} has nothing to draw: compile it from a Robot")
        scene = fine_scene(model, [state.q for state in states], sections)
        posed = [Posed(model, scene, state.q) for state in states]
        cloud = np.concatenate([one.cloud() for one in posed])
        if style.contacts:
            cloud = np.concatenate([cloud, _obstacles(model, cloud)])
        gravity = np.asarray(model.parameters.gravity)
        camera = Camera.choose(style, cloud, gravity)
        size = float(np.linalg.norm(np.ptp(cloud, axis=0))) or 1.0  # a single point has room of a metre
        cell = round_length(size / CELLS)
        ground = None
        walls = _world_walls(model) if style.contacts else []
        if style.ground and np.any(gravity) and not walls:
            ground = float((cloud @ camera.vertical).min())
        shade = _floor_height(walls, camera) if walls and style.ground else ground
        rims = np.concatenate([np.zeros((0, 3)), *(_rims(wall, cloud, cell) for wall in walls)])
        return View(camera, cloud, rims, size, cell, ground, shade, scene, _largest(model, states))

    @cached_property
    def floor(self) -> tuple[Array, Array, Array] | None:
        """Origin and two edges (3,) of the patch of ground that is drawn, whole cells; None without ground."""
        if self.ground is None:
            return None
        first, second, upward = level_axes(self.camera.vertical)
        low, high = whole_cells(self.cloud @ np.column_stack([first, second]), self.cell)
        origin = self.ground * upward + low[0] * first + low[1] * second
        return origin, (high[0] - low[0]) * first, (high[1] - low[1]) * second

    @cached_property
    def window(self) -> Window:
        """The part of the picture's plane that holds the cloud, and the ground below it."""
        points = np.concatenate([self.cloud, self.rims])
        if self.floor is not None:
            origin, first, second = self.floor
            patch = np.array([origin + a * first + b * second for a in (0.0, 1.0) for b in (0.0, 1.0)])
            points = np.concatenate([points, patch])
        return self.camera.window(points).resized(self.frame)

    def following(self, model: Model, style: Style, states: Sequence[State]) -> list[View]:
        """The view of each state: this one for all, or, if the robot travels, windows of one size around it."""
        clouds = [Posed(model, self.scene, state.q).cloud() for state in states]
        windows = [self.camera.window(cloud) for cloud in clouds]
        width, height = (max(getattr(window, side) for window in windows) for side in ("width", "height"))
        far = max(self.window.width / width, self.window.height / height) > FAR
        if not (far if style.follow is None else style.follow):
            return [self] * len(states)
        size = max(float(np.linalg.norm(np.ptp(cloud, axis=0))) for cloud in clouds) or 1.0
        near = replace(self, size=size, cell=round_length(size / CELLS), frame=(1.2 * width, 1.2 * height))
        return [replace(near, cloud=cloud) for cloud in clouds]


def round_length(length: float) -> float:
    """The largest of 1, 2, 5, 10, ... (times a power of ten) that does not exceed a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1.0 + 1e-9)) * power)


def whole_cells(points: Array, cell: float) -> tuple[Array, Array]:
    """Lower and upper bounds (k,) of points (N, k) with some room, in whole cells."""
    low, high = points.min(axis=0), points.max(axis=0)
    return np.floor(low / cell - 0.25) * cell, np.ceil(high / cell + 0.25) * cell


def tube_ends(local: Array) -> tuple[float, float]:
    """Where a tube about x is cut off: somewhat beyond points (N, 3) of its frame."""
    low, high = float(local[:, 0].min()), float(local[:, 0].max())
    margin = 0.05 * (high - low)
    return low - margin, high + margin


def _world_walls(model: Model) -> list[Wall]:
    """Planes and tubes of the world: with them a picture needs no other ground."""
    return [part for part in model.scene.marks if isinstance(part, Wall) and part.places[0].link == "world"]


def _floor_height(walls: list[Wall], camera: Camera) -> float | None:
    """Height of the first level plane that is seen from above; None without one."""
    for wall in walls:
        frame = wall.places[0].offset
        if (
            wall.radius is None
            and frame[:3, 0] @ camera.vertical > 1.0 - 1e-9
            and camera.toward @ camera.vertical > 0.0
        ):
            return float(frame[:3, 3] @ camera.vertical)
    return None


def _obstacles(model: Model, cloud: Array) -> Array:
    """Points (N, 3) of solids fixed to the world, but for those much larger than the robot."""
    points, most = [np.zeros((0, 3))], LARGE * np.ptp(cloud, axis=0).max()
    for part in model.scene.marks:
        if isinstance(part, Solid) and part.places[0].link == "world":
            mesh = part.mesh.moved(part.places[0].offset)
            if np.ptp(mesh.vertices, axis=0).max() < most:
                points.append(mesh.vertices)
    return np.concatenate(points)


def _rims(wall: Wall, cloud: Array, cell: float) -> Array:
    """Points (N, 3) on the rim of a plane or a tube, cut off somewhat beyond a cloud of points."""
    frame = wall.places[0].offset
    local = (cloud - frame[:3, 3]) @ frame[:3, :3]
    if wall.radius is None:
        low, high = whole_cells(local, cell)
        rims = np.array([(0.0, y, z) for y in (low[1], high[1]) for z in (low[2], high[2])])
    else:
        rims = revolved(tube_ends(local), (wall.radius, wall.radius)).vertices
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
            wrench, unit = arrow.at(state.t, named_inputs(model, state)), " per metre" if arrow.per_metre else ""
            for key, part in (("moment", wrench[:3]), ("force", wrench[3:])):
                most[key + unit] = max(most[key + unit], float(np.linalg.norm(part)))
    return most


def named_inputs(model: Model, state: State) -> dict[str, float] | None:
    """Inputs by name; None if they are not known."""
    return None if state.u is None else dict(zip(model.input_names, state.u.tolist(), strict=True))


def pulls(model: Model, state: State) -> dict[str, float]:
    """Tension [N] (pressure [Pa]) of every line by name; empty if inputs are not known."""
    if not model.demand.lines or (state.u is None and model.nu):
        return {}
    return {name: line.tension for name, line in model.lines(state.q, state.v, state.u).items()}
