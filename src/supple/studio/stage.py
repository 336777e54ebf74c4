"""A robot on stage: what a scene shows, as pieces in space, and where they are in any state.

The scene is that of all pictures (`compilation.scene`), and so are colours and sizes (`viz.style`, `viz.view`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.compilation.scene import Arrow, Hinge, JointLook, Solid, Spots, Strand, Wall
from supple.loads.contact.shapes import axis_frame
from supple.model.model import Model
from supple.robot import meshes
from supple.robot.bodies.looks import BodyLook, RodLook, SkinLook
from supple.robot.meshes import Mesh, revolved
from supple.sections.shapes import round_outline
from supple.studio import lofts
from supple.studio.pieces import Paint, Piece, Placed, loft_piece, rigid_piece
from supple.viz import style as colours
from supple.viz.camera import level_axes
from supple.viz.sections import IN_A_FRAME
from supple.viz.style import Style, faded, rgb
from supple.viz.view import Posed, State, View, named_inputs, pulls, tube_ends, whole_cells

#: Sizes relative to that of the whole: radii of lines, arrows and wires, lengths of arrows, triads and plates.
LINE, SHAFT, WIRE, ARROW, TRIAD, ANCHOR, COIL, DOT = 0.0028, 0.0045, 0.0018, 0.16, 0.06, 0.035, 0.012, 0.008

#: How much of the world around it a picture of the robot shows: aside, and up and down, relative to its size.
BESIDE, BELOW = 0.5, 20.0

#: Rings of a bent arrow and of a spring's wire, and turns of the latter.
ARC, WIRE_RINGS, TURNS = 33, 161, 8


class Moment(NamedTuple):
    """A state with what is read from it once: tensions by name of line, and inputs by name (None: not known)."""

    state: State
    pulls: dict[str, float]
    inputs: dict[str, float] | None


#: Where a piece of a part is, given the part in a state, its frames (M, 4, 4) and the moment.
Place = Callable[[Any, Array, Moment], Placed]


@dataclass(frozen=True, eq=False)
class Performer:
    """A piece, the number of the part it belongs to, and how it is placed."""

    piece: Piece
    part: int
    place: Place


class Stage:
    """All pieces of a robot.

    Parameters
    ----------
    model : Model
    states : sequence of State
        What the picture must have room for; edges are judged, and rods cut into sections, as these need it.
    beyond : sequence of State
        States above which the ground must not be.
    readings : bool
        Whether tensions are read from states, for colours; that asks for kernels beyond those of poses.

    Attributes
    ----------
    model : Model
    view : View
        Size, ground and scales of colours and arrows.
    pieces : list of Piece
    """

    def __init__(
        self, model: Model, states: Sequence[State], beyond: Sequence[State] = (), readings: bool = True
    ) -> None:
        self.model, self.readings = model, readings
        self.view = View.of(model, Style(), states, IN_A_FRAME)
        #: largest tension, pressure, force and moment, to which colours and arrows are scaled; grows as it must
        self.most = dict(self.view.most)
        obstacles = _beside(_obstacle_points(model), self.view)
        #: points (N, 3) of the world near the robot, walls and obstacles, on which it may fall or run up
        self.around = np.concatenate([_beside(self.view.rims, self.view), obstacles])
        clouds = [self.view.cloud, *(Posed(model, self.view.scene, state.q).cloud() for state in beyond)]
        clouds += [obstacles] if len(obstacles) else []
        #: height of the lowest point, along the vertical, m
        self.lowest = min(float((cloud @ self.view.camera.vertical).min()) for cloud in clouds)
        self._odd = {"world": True}
        for joint in self.view.scene.joints:
            self._odd[joint.link] = not self._odd.get(joint.places[0].link, True)
        self._performers: list[Performer] = []
        self._counts: dict[str, int] = {}
        for number, (part, frames) in enumerate(self._posed(states[0].q)):
            for piece, place in MAKERS[type(part)](self, part, frames):
                self._performers.append(Performer(piece, number, place))
        self.pieces = [performer.piece for performer in self._performers]

    @property
    def size(self) -> float:
        """Of the whole, m."""
        return self.view.size

    @property
    def ground(self) -> float | None:
        """Height of the grid that is the ground, m: just above a level plane of the world, which is drawn only as wide
        as the robot's first states need it, or just below all; None where other walls are in its place.
        """
        if self.view.ground is not None or not len(self.view.rims):
            return self.lowest - 1e-3 * self.size
        return None if self.view.shade is None else self.view.shade + 1e-3 * self.size

    def at(self, state: State) -> list[Placed]:
        """Where all pieces are in a state."""
        parts = self._posed(state.q)
        moment = Moment(state, pulls(self.model, state) if self.readings else {}, named_inputs(self.model, state))
        self._widen(moment)
        return [one.place(*parts[one.part], moment) for one in self._performers]

    def _posed(self, q: Array) -> list[tuple[Any, Array]]:
        """All parts with their frames, those of lines with x along the line."""
        parts: list[tuple[Any, Array]] = list(Posed(self.model, self.view.scene, q).parts)
        alike: dict[int, list[int]] = {}  # numbers of lines of as many points, which are turned all at once
        for number, (part, frames) in enumerate(parts):
            if isinstance(part, Strand) and part.kind != "spring":
                alike.setdefault(len(frames), []).append(number)
        for numbers in alike.values():
            turned = lofts.line_frames(np.array([parts[number][1] for number in numbers]))
            for number, frames in zip(numbers, turned, strict=True):
                parts[number] = parts[number][0], frames
        return parts

    def _widen(self, moment: Moment) -> None:
        """Let the scales of colours reach the largest tension and pressure seen."""
        for part in self.view.scene.marks:
            if isinstance(part, Strand) and part.name in moment.pulls:
                key = "chamber" if part.kind == "chamber" else "tension"
                self.most[key] = max(self.most[key], abs(moment.pulls[part.name]))
            elif isinstance(part, Arrow):
                wrench, unit = part.at(moment.state.t, moment.inputs), " per metre" if part.per_metre else ""
                for key, vector in (("moment", wrench[:3]), ("force", wrench[3:])):
                    self.most[key + unit] = max(self.most[key + unit], float(np.linalg.norm(vector)))

    def paint(self, name: str, layer: str, colour: str, link: str = "", opacity: float = 1.0) -> Paint:
        """The look of a new piece; its name is made unique."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        shade = faded(rgb(colour), 0.22 if layer == "links" and self._odd.get(link) else 0.0)
        return Paint(name if count == 1 else f"{name} {count}", layer, shade, link, opacity)


def _obstacle_points(model: Model) -> Array:
    """Vertices (N, 3) of all solids of the world."""
    solids = [part for part in model.scene.marks if isinstance(part, Solid) and part.places[0].link == "world"]
    return np.concatenate([np.zeros((0, 3)), *(part.mesh.moved(part.places[0].offset).vertices for part in solids)])


def _beside(points: Array, view: View) -> Array:
    """Points (N, 3), moved to where a picture of the robot has room for them: `BESIDE` away, `BELOW` up or down."""
    axes = np.column_stack(level_axes(view.camera.vertical))
    own, room = view.cloud @ axes, view.size * np.array([BESIDE, BESIDE, BELOW])
    return np.asarray(np.clip(points @ axes, own.min(axis=0) - room, own.max(axis=0) + room) @ axes.T)


Made = list[tuple[Piece, Place]]


def _carried(part: Any, frames: Array, moment: Moment, first: int = 0, last: int | None = None) -> Placed:
    """By frames of the part as they are."""
    return Placed(frames[first:last])


def _loft(paint: Paint, loft: lofts.Loft, frames: Array) -> Piece:
    return loft_piece(paint, loft.vertices, loft.faces, loft.ring, frames)


def _rod(stage: Stage, part: RodLook, frames: Array) -> Made:
    colour = colours.ROD if part.sized else colours.THIN_ROD
    return [(_loft(stage.paint(f"links/{part.link}", "links", colour, part.link), lofts.skin(part), frames), _carried)]


def _body(stage: Stage, part: BodyLook, frames: Array) -> Made:
    parts: list[tuple[Mesh, str]] = []
    if part.mesh is not None:
        parts.append((part.mesh, colours.RIGID))
    else:
        ball = meshes.ball(DOT * stage.size)
        parts.append((Mesh(ball.vertices + part.com, ball.faces), colours.ANCHOR))
    for ends in part.bones:
        bone = revolved((0.0, float(np.linalg.norm(ends[1] - ends[0]))), [LINE * stage.size] * 2, 12)
        parts.append((bone.moved(axis_frame(ends[0], ends[1] - ends[0])), colours.ANCHOR))
    return [
        (rigid_piece(stage.paint(f"links/{part.link}", "links", colour, part.link), *mesh), _carried)
        for mesh, colour in parts
    ]


def _skin(stage: Stage, part: SkinLook, frames: Array) -> Made:
    if part.mesh is None:
        dot = meshes.ball(DOT * stage.size)
        return [(rigid_piece(stage.paint(f"links/{part.link}", "links", colours.ANCHOR, part.link), *dot), _carried)]
    piece = rigid_piece(stage.paint(f"links/{part.link}", "links", colours.ROD, part.link), *part.mesh, free=True)

    def place(part: SkinLook, frames: Array, moment: Moment) -> Placed:
        assert part.mesh is not None
        return Placed(frames, part.mesh.vertices[piece.source])

    return [(piece, place)]


def _joint(stage: Stage, part: JointLook, frames: Array) -> Made:
    made: Made = []
    if part.grounded:
        outline = next((rod.outline[0] for rod in stage.view.scene.rods if rod.link == part.link), None)
        if outline is None:
            outline = round_outline(ANCHOR * stage.size, ANCHOR * stage.size)
        paint = stage.paint(f"joints/{part.link} base", "links", colours.ANCHOR)
        made.append((rigid_piece(paint, *_plate(outline)), partial(_carried, last=1)))
    if part.dof > 0 or part.grounded:
        for axis, colour in enumerate(colours.AXES):
            paint = stage.paint(f"frames/{part.link} {'xyz'[axis]}", "frames", colour)
            ends = lofts.arrow_frames(np.zeros(3), TRIAD * stage.size * np.eye(3)[axis], 0.5 * SHAFT * stage.size)
            loft = lofts.arrow(0.5 * SHAFT * stage.size)
            local = np.einsum("vij,vj->vi", ends[loft.ring][:, :3, :3], loft.vertices) + ends[loft.ring][:, :3, 3]
            made.append((rigid_piece(paint, local, loft.faces), partial(_carried, first=1)))
    return made


def _plate(outline: Array) -> Mesh:
    """A plate somewhat larger than an outline (K, 2), behind the origin along x."""
    half = np.abs(outline).max(axis=0)
    rim = 0.35 * float(np.sqrt(half.prod())) + 0.06 * float(half.max())
    wide = outline * (half + rim) / np.where(half > 0.0, half, 1.0)
    both = np.array([np.column_stack([np.full(len(wide), x), wide]) for x in (-rim, 0.0)])
    return Mesh(meshes.solid_vertices(both), meshes.solid_faces(2, len(wide)))


def _strand(stage: Stage, part: Strand, frames: Array) -> Made:
    if part.kind == "spring":
        return _spring(stage, part, frames)
    plain = {"tendon": colours.LINE, "chamber": "#12806F", "cable": colours.CABLE, "law": colours.LAW}[part.kind]
    radius = np.full(len(frames), LINE * stage.size) if part.radius is None else part.radius
    paint = stage.paint(f"lines/{part.name}", "lines", plain)
    around = lofts.ROUND if part.radius is None else lofts.ARROW_ROUND
    piece = _loft(paint, lofts.rings(radius, around), frames)
    key, ramp = ("chamber", colours.PRESSURE) if part.kind == "chamber" else ("tension", colours.TENSION)

    def place(part: Strand, frames: Array, moment: Moment) -> Placed:
        pull, most = moment.pulls.get(part.name), stage.most[key]
        colour = None if pull is None else ramp(abs(pull) / most if most else 0.0)
        return Placed(frames, colour=colour)

    return [(piece, place)]


def _spring(stage: Stage, part: Strand, frames: Array) -> Made:
    """A wire wound from end to end: its turns move apart as it is stretched."""
    points = lofts.coil_points(WIRE_RINGS, TURNS, COIL * stage.size)

    def wire(frames: Array) -> Array:
        a, b = frames[0, :3, 3], frames[-1, :3, 3]
        whole = np.tile(np.eye(4), (len(points), 1, 1))
        along = axis_frame(a, b - a) if np.any(b - a) else frames[0]
        whole[:, :3, 3] = (points * [float(np.linalg.norm(b - a)), 1.0, 1.0]) @ along[:3, :3].T + along[:3, 3]
        return lofts.line_frames(whole)

    paint = stage.paint(f"lines/{part.name}", "lines", colours.SPRING)
    piece = _loft(paint, lofts.rings(np.full(len(points), WIRE * stage.size)), wire(frames))
    return [(piece, lambda part, frames, moment: Placed(wire(frames)))]


def _arrow(stage: Stage, part: Arrow, frames: Array) -> Made:
    radius, per_metre = SHAFT * stage.size * (0.75 if part.per_metre else 1.0), " per metre" if part.per_metre else ""
    name = f"loads/{part.places[0].link}"
    straight = _loft(
        stage.paint(name, "loads", colours.LOAD), lofts.arrow(radius),
        lofts.arrow_frames(np.zeros(3), np.array([ARROW * stage.size, 0.0, 0.0]), radius),
    )  # fmt: skip
    bent = _loft(
        stage.paint(name, "loads", colours.LOAD), lofts.arc_arrow(0.8 * radius, ARC),
        lofts.arc_frames(np.zeros(3), np.array([1.0, 0.0, 0.0]), 0.4 * ARROW * stage.size, radius, ARC),
    )  # fmt: skip

    def vector(part: Arrow, frames: Array, moment: Moment, key: str, rows: slice) -> Array:
        wrench = part.at(moment.state.t, moment.inputs)[rows]
        most = stage.most[key + per_metre]
        turn = frames[0, :3, :3] if part.local else np.eye(3)
        reach = 0.5 if part.per_metre else 1.0
        return np.asarray(turn @ wrench * (reach * ARROW * stage.size / most) if most else np.zeros(3))

    def push(part: Arrow, frames: Array, moment: Moment) -> Placed:
        along = vector(part, frames, moment, "force", slice(3, 6))
        return Placed(lofts.arrow_frames(frames[0, :3, 3], along, radius), visible=_seen(along, stage))

    def turn(part: Arrow, frames: Array, moment: Moment) -> Placed:
        axis = vector(part, frames, moment, "moment", slice(0, 3))
        reach = 0.4 * float(np.linalg.norm(axis))
        return Placed(lofts.arc_frames(frames[0, :3, 3], axis, reach, radius, ARC), visible=_seen(axis, stage))

    return [(straight, push), (bent, turn)]


def _seen(vector: Array, stage: Stage) -> bool:
    return bool(np.linalg.norm(vector) > 1e-3 * ARROW * stage.size)


def _hinge(stage: Stage, part: Hinge, frames: Array) -> Made:
    paint = stage.paint(f"loops/{part.name}", "loops", colours.LOOP)
    return [(_loft(paint, lofts.balls(np.full(2, DOT * stage.size)), frames[:2]), partial(_carried, last=2))]


def _solid(stage: Stage, part: Solid, frames: Array) -> Made:
    fixed = part.places[0].link == "world"
    look = (colours.OBSTACLE, "", 1.0) if fixed else (colours.COLLIDER, "", 0.22)
    return [(rigid_piece(stage.paint(f"contacts/{part.places[0].link}", "contacts", *look), *part.mesh), _carried)]


def _wall(stage: Stage, part: Wall, frames: Array) -> Made:
    """A plane or a tube, as far as the motion goes."""
    frame, view = frames[0], stage.view
    local = (view.cloud - frame[:3, 3]) @ frame[:3, :3]
    if part.radius is None:
        low, high = whole_cells(local, view.cell)
        corners = [(low[1], low[2]), (high[1], low[2]), (high[1], high[2]), (low[1], high[2])]
        rim = np.array([(x, y, z) for x in (-0.004 * view.size, 0.0) for y, z in corners])
        ends = np.array([(3, 2, 1, 0), (4, 5, 6, 7)])
        mesh, opacity = Mesh(rim, np.concatenate([meshes.loft_faces(2, 4), ends])), 1.0
    else:
        x = np.linspace(*tube_ends(local), 9)
        skin = revolved(x, np.full(9, part.radius), 64)
        mesh, opacity = Mesh(skin.vertices, meshes.loft_faces(9, 64)), 0.25
    colour = faded(rgb(colours.OBSTACLE), 0.35)
    paint = stage.paint(f"contacts/{part.places[0].link}", "contacts", colours.OBSTACLE, "", opacity)
    return [(rigid_piece(paint._replace(colour=colour), *mesh), _carried)]


def _spots(stage: Stage, part: Spots, frames: Array) -> Made:
    radius = np.where(part.radius > 0.0, part.radius, 0.5 * DOT * stage.size)
    paint = stage.paint(f"contacts/{part.places[0].link} spheres", "contacts", colours.COLLIDER, "", 0.22)
    return [(_loft(paint, lofts.balls(radius), frames), _carried)]


#: How every kind of part is made.
MAKERS: dict[type, Callable[[Stage, Any, Array], Made]] = {
    RodLook: _rod,
    BodyLook: _body,
    SkinLook: _skin,
    JointLook: _joint,
    Strand: _strand,
    Arrow: _arrow,
    Hinge: _hinge,
    Solid: _solid,
    Wall: _wall,
    Spots: _spots,
}
