"""A robot painted: links, then what each kind of mark looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Array
from supple.compilation.scene import Arrow, Hinge, JointLook, Solid, Spots, Strand, Wall
from supple.loads.contact.shapes import axis_frame
from supple.model.model import Model
from supple.robot import meshes
from supple.robot.bodies.looks import BodyLook, RodLook, SkinLook
from supple.robot.meshes import revolved
from supple.sections.shapes import round_outline
from supple.viz import style as colours
from supple.viz.painter import BEHIND, BODY, FRONT, GROUND, TOP, Painter, unit_normals
from supple.viz.style import Style, faded, rgb
from supple.viz.view import Posed, State, View, named_inputs, pulls, tube_ends, whole_cells

#: Sizes relative to that of the whole picture: triads, anchors, arrows, coils of springs.
TRIAD, ANCHOR, ARROW, COIL = 0.05, 0.035, 0.16, 0.012

#: A loop is open if its frames are farther apart than this, relative to the size of the whole.
OPEN = 2e-3

#: Cosine of the angle between faces that meet at a sharp edge.
SHARP = 0.7

#: Width of lines in points: tendons and cables, thin ones.
LINE, THIN = 1.6, 0.8


@dataclass
class Brush:
    """Paints one state of a robot.

    Attributes
    ----------
    layer : float
        Of its links; later snapshots are painted over earlier ones.
    fade : float
        0 full colours, 1 white.
    """

    painter: Painter
    model: Model
    view: View
    style: Style
    state: State
    layer: float = BODY
    fade: float = 0.0
    ghost: bool = False  #: links alone: an earlier state, in the background

    def __post_init__(self) -> None:
        self.pulls = {} if self.ghost else pulls(self.model, self.state)
        self.radius = {rod.link: (rod.s, rod.radius) for rod in self.view.scene.rods}
        self.odd = {"world": True}
        for joint in self.view.scene.joints:  # neighbours differ a little, so that one sees where a link ends
            self.odd[joint.link] = not self.odd.get(joint.places[0].link, True)

    def colour(self, name: str) -> Array:
        """A colour, faded."""
        return faded(rgb(name), self.fade)

    def robot(self) -> None:
        """Links and marks."""
        for part, frames in Posed(self.model, self.view.scene, self.state.q).parts:
            if not self.ghost or isinstance(part, (RodLook, BodyLook, SkinLook)):
                PAINTERS[type(part)](self, part, frames)

    def dot(self, point: Array, colour: str, width: float, layer: float) -> None:
        """A round spot of so many points."""
        self.painter.dot(point, self.colour(colour), width, layer=layer)

    def edges(self, mesh: meshes.Mesh, edges: meshes.Edges, colour: str) -> None:
        """Thin dark lines along the sharp edges that are seen."""
        normal = unit_normals(mesh.corners)
        first, second = normal[edges.faces[:, 0]], normal[edges.faces[:, 1]]
        toward = self.painter.camera.toward
        sharp = np.einsum("ij,ij->i", first, second) < SHARP
        kept = sharp & ((first @ toward > 0.0) | (second @ toward > 0.0))
        ends = mesh.vertices[edges.vertices[kept]]
        x = np.linspace(0.0, 1.0, 5)[:, None, None]  # short pieces hide rightly behind small faces
        points = (1.0 - x) * ends[:, 0] + x * ends[:, 1]
        shade = faded(0.62 * rgb(colour), self.fade)
        starts, stops = points[:-1].reshape(-1, 3), points[1:].reshape(-1, 3)
        self.painter.lines(starts, stops, shade, 0.45, layer=self.layer, bias=4e-3 * self.view.size)

    def skin(self, corners: Array, colour: str, link: str = "", bias: float = 0.0) -> None:
        """Opaque faces with their shadow."""
        shade = faded(rgb(colour), 0.22 if self.odd.get(link) else 0.0)
        self.painter.faces(corners, shade, layer=self.layer, fade=self.fade, bias=bias)
        height, vertical = self.view.shade, self.view.camera.vertical
        if height is not None and not self.ghost:
            lit = corners[unit_normals(corners) @ vertical > 0.0]
            fallen = lit - ((lit @ vertical) - height)[..., None] * vertical
            self.painter.shadow(fallen)


def paint_ground(painter: Painter, view: View) -> None:
    """A patch with a grid, below everything."""
    if view.floor is None:
        return
    origin, first, second = view.floor
    patch = np.array([[origin, origin + first, origin + first + second, origin + second]])
    painter.faces(patch, colours.GROUND, layer=GROUND, shaded=False, facing=None)
    for edge, across in ((first, second), (second, first)):
        for k in range(round(np.linalg.norm(edge) / view.cell) + 1):
            start = origin + k * view.cell * edge / np.linalg.norm(edge)
            # the patch is one face: its lines must be nearer than its middle
            ends = np.array([start, start + across])
            painter.path(ends, colours.GRID, 0.7, layer=GROUND, bias=10.0 * view.size)


def _rod(brush: Brush, part: RodLook, frames: Array) -> None:
    mesh = meshes.Mesh(part.skin(frames), part.faces)
    brush.edges(mesh, part.edges, colours.ROD)
    colour, caps = colours.ROD if part.sized else colours.THIN_ROD, len(part.faces) - part.caps
    brush.skin(mesh.corners[:caps], colour, part.link)
    # where another link goes on, the end of this one is inside: let the other's skin win
    brush.skin(mesh.corners[caps:], colour, part.link, -float(part.radius.max()))


def _body(brush: Brush, part: BodyLook, frames: Array) -> None:
    brush.skin(_carried(frames[0], part.corners), colours.RIGID, part.link)
    if part.mesh is not None:
        brush.edges(part.mesh.moved(frames[0]), part.edges, colours.RIGID)
    else:
        brush.dot(_carried(frames[0], part.com), colours.ANCHOR, 5.0, brush.layer)
    for ends in _carried(frames[0], part.bones):
        brush.painter.path(ends, brush.colour(colours.ANCHOR), LINE, layer=brush.layer)


def _skin(brush: Brush, part: SkinLook, frames: Array) -> None:
    if part.mesh is None:
        brush.dot(frames[0, :3, 3], colours.ANCHOR, 5.0, brush.layer)
        return
    mesh = part.mesh.moved(frames[0])
    brush.skin(mesh.corners, colours.ROD, part.link)
    brush.edges(mesh, part.edges, colours.ROD)


def _joint(brush: Brush, part: JointLook, frames: Array) -> None:
    size = brush.view.size
    if part.grounded:
        outline = next((rod.outline[0] for rod in brush.view.scene.rods if rod.link == part.link), None)
        if outline is None:
            outline = round_outline(ANCHOR * size, ANCHOR * size)
        # the link stands on the plate: where they touch, let the link's skin win
        brush.skin(_carried(frames[0], _plate(outline)), colours.ANCHOR, bias=-float(np.abs(outline).max()))
    if brush.style.frames and (part.dof > 0 or part.grounded):
        _triad(brush, frames[1], TRIAD * size)


def _plate(outline: Array) -> Array:
    """Faces of a plate somewhat larger than an outline (K, 2), behind the origin along x."""
    half = np.abs(outline).max(axis=0)
    rim = 0.35 * float(np.sqrt(half.prod())) + 0.06 * float(half.max())
    wide = outline * (half + rim) / np.where(half > 0.0, half, 1.0)
    rings = np.array([np.column_stack([np.full(len(wide), x), wide]) for x in (-rim, 0.0)])
    return meshes.Mesh(meshes.solid_vertices(rings), meshes.solid_faces(2, len(wide))).corners


def _triad(brush: Brush, frame: Array, length: float) -> None:
    origin = frame[:3, 3]
    for axis, colour in enumerate(colours.AXES):
        ends = np.array([origin, origin + length * frame[:3, axis]])
        brush.painter.path(ends, colour, 1.3, layer=TOP)


def _strand(brush: Brush, part: Strand, frames: Array) -> None:
    if not brush.style.lines:
        return
    points = frames[:, :3, 3]
    if part.kind == "spring":
        brush.painter.path(_coil(points[0], points[1], COIL * brush.view.size), colours.SPRING, 1.1, layer=brush.layer)
        return
    colour = _strand_colour(brush, part)
    # a line inside a rod is painted over the rod's skin, paler where it runs on the far side
    depth_of_axis, radius = _hosts(brush, part, frames)
    far = brush.painter.camera.depth(points) < depth_of_axis - 1e-12
    middle_far = far[:-1] & far[1:]
    rgba = np.column_stack([np.tile(colour, (len(points) - 1, 1)), np.where(middle_far, 0.32, 1.0)])
    point = brush.painter.unit * brush.painter.weight
    width = LINE if part.radius is None else 2.0 * float(part.radius.mean()) / point
    bias = 0.5 * (radius[:-1] + radius[1:]) * np.where(middle_far, 2.2, 1.2)
    brush.painter.lines(points[:-1], points[1:], rgba, width, layer=brush.layer, bias=bias)


def _strand_colour(brush: Brush, part: Strand) -> Array:
    """By tension or pressure where known, else by kind."""
    pull = brush.pulls.get(part.name)
    if pull is None:
        plain = {"tendon": colours.LINE, "chamber": "#12806F", "cable": colours.CABLE, "law": colours.LAW}
        return brush.colour(plain[part.kind])
    chamber = part.kind == "chamber"
    most = brush.view.most["chamber" if chamber else "tension"]
    scale = (colours.PRESSURE if chamber else colours.TENSION)(abs(pull) / most if most else 0.0)
    return faded(scale, brush.fade)


def _hosts(brush: Brush, part: Strand, frames: Array) -> tuple[Array, Array]:
    """Depth of the rods' axes at the points of a line, and the rods' radii there; minus infinity and 0 elsewhere.

    In soft bodies lines are painted over the skin: their distance from the axis stands for the radius.
    """
    depth, radius = np.full(len(frames), -np.inf), np.zeros(len(frames))
    toward = brush.painter.camera.toward
    for i, place in enumerate(part.places):
        if place.link in brush.radius:
            centre = frames[i, :3, 3] - frames[i, :3, :3] @ (place.offset[:3, :3].T @ place.offset[:3, 3])
            depth[i] = centre @ toward
            radius[i] = np.interp(place.s, *brush.radius[place.link])
        elif place.point is not None:
            radius[i] = np.hypot(*place.point.x[1:])
    return depth, radius


def _coil(a: Array, b: Array, radius: float, turns: int = 8) -> Array:
    """A helix from a to b with straight ends, (N, 3)."""
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return np.array([a, b])
    frame = axis_frame(a, b - a)
    x = np.linspace(0.0, 1.0, 24 * turns + 1)
    angle = 2.0 * np.pi * turns * np.clip((x - 0.12) / 0.76, 0.0, 1.0)
    reach = radius * np.where((x > 0.12) & (x < 0.88), 1.0, 0.0)
    local = np.column_stack([length * x, reach * np.cos(angle), reach * np.sin(angle)])
    return _carried(frame, local)


def _arrow(brush: Brush, part: Arrow, frames: Array) -> None:
    if not brush.style.loads:
        return
    wrench, frame = part.at(brush.state.t, named_inputs(brush.model, brush.state)), frames[0]
    turn = frame[:3, :3] if part.local else np.eye(3)
    unit, reach = (" per metre", 0.5) if part.per_metre else ("", 1.0)
    for key, vector, painter in (("moment", wrench[:3], _turning), ("force", wrench[3:], _pushing)):
        most = brush.view.most[key + unit]
        if most > 0.0 and np.linalg.norm(vector) > 1e-3 * most:
            painter(
                brush, frame[:3, 3], turn @ vector * (reach * ARROW * brush.view.size / most), 0.5 * (1.0 + reach)
            )


def _pushing(brush: Brush, origin: Array, vector: Array, weight: float) -> None:
    """A straight arrow."""
    brush.painter.faces(
        _arrow_corners(origin, vector, weight * brush.view.size), brush.colour(colours.LOAD), layer=TOP
    )


def _turning(brush: Brush, origin: Array, vector: Array, weight: float) -> None:
    """An arrow bent about its axis; its size tells the moment's."""
    radius, angle = 0.4 * float(np.linalg.norm(vector)), np.linspace(0.0, 1.5 * np.pi, 31)
    circle = radius * np.column_stack([np.zeros(31), np.cos(angle), np.sin(angle)])
    ring = _carried(axis_frame(origin, vector), circle)
    colour = brush.colour(colours.LOAD)
    brush.painter.path(ring, colour, 1.5 * weight, layer=TOP)
    head = _arrow_corners(ring[-2], (ring[-1] - ring[-2]) * 2.0, weight * brush.view.size)
    brush.painter.faces(head, colour, layer=TOP)


def _arrow_corners(origin: Array, vector: Array, size: float) -> Array:
    """Faces of an arrow from an origin along a vector."""
    length, thick = float(np.linalg.norm(vector)), 0.004 * size
    head = min(6.0 * thick, 0.6 * length) if length > 6.0 * thick else 6.0 * thick
    neck = max(length - head, 0.0)
    mesh = revolved((0.0, neck, neck, neck + head), (thick, thick, 2.4 * thick, 0.0), 12)
    return _carried(axis_frame(origin, vector), mesh.corners)


def _hinge(brush: Brush, part: Hinge, frames: Array) -> None:
    """A ring where the loop is closed; a line between the frames while it is open."""
    if not brush.style.loops:
        return
    a, b = frames[:, :3, 3]
    if np.linalg.norm(b - a) > OPEN * brush.view.size:
        brush.painter.path(np.array([a, b]), colours.LOOP, THIN, layer=TOP)
    brush.dot(b, "#FFFFFF", 6.5, FRONT)
    brush.dot(b, colours.LOOP, 4.6, TOP)


def _solid(brush: Brush, part: Solid, frames: Array) -> None:
    if brush.style.contacts:
        fixed = part.places[0].link == "world"
        corners = _carried(frames[0], part.corners)
        if fixed:
            brush.skin(corners, colours.OBSTACLE)
        else:
            brush.painter.faces(corners, brush.colour(colours.COLLIDER), layer=brush.layer + 0.5, alpha=0.22)


def _wall(brush: Brush, part: Wall, frames: Array) -> None:
    """A plane or a tube, as long as the cloud of the motion."""
    if not brush.style.contacts:
        return
    frame, cloud = frames[0], brush.view.cloud
    local = (cloud - frame[:3, 3]) @ frame[:3, :3]
    if part.radius is None:
        _plane(brush, frame, local)
    else:
        _tube(brush, frame, local, part.radius)


def _plane(brush: Brush, frame: Array, local: Array) -> None:
    cell = brush.view.cell
    low, high = whole_cells(local, cell)
    corners = [(0.0, y, z) for y, z in ((low[1], low[2]), (high[1], low[2]), (high[1], high[2]), (low[1], high[2]))]
    patch = _carried(frame, np.array(corners))
    seen = frame[:3, 0] @ brush.painter.camera.toward > 0.0
    layer, alpha = (GROUND, 1.0) if seen else (FRONT, 0.25)
    brush.painter.faces(
        patch[None], faded(rgb(colours.OBSTACLE), 0.55), layer=layer, alpha=alpha, shaded=False, facing=None
    )
    for axis in (1, 2):
        other = 3 - axis
        for x in np.arange(low[axis], high[axis] + 0.5 * cell, cell):
            ends = np.zeros((2, 3))
            ends[:, axis], ends[:, other] = x, (low[other], high[other])
            brush.painter.path(_carried(frame, ends), colours.OBSTACLE, 0.6, layer=layer, bias=10.0 * brush.view.size)


def _tube(brush: Brush, frame: Array, local: Array, radius: float) -> None:
    rings, around = 9, 96
    mesh = revolved(np.linspace(*tube_ends(local), rings), np.full(rings, radius), around)
    skin = meshes.Mesh(mesh.vertices, meshes.loft_faces(rings, around))
    corners = _carried(frame, skin.corners)
    brush.painter.faces(corners, colours.OBSTACLE, layer=BEHIND, fade=0.7, facing=False)
    brush.painter.faces(corners, colours.OBSTACLE, layer=FRONT, alpha=0.09, facing=True)
    for first in (0, (rings - 1) * around):
        ring = _carried(frame, mesh.vertices[first : first + around])
        brush.painter.path(np.vstack([ring, ring[:1]]), "#A8966F", 0.7, layer=FRONT)


def _spots(brush: Brush, part: Spots, frames: Array) -> None:
    """Outlines of spheres."""
    if not brush.style.contacts:
        return
    camera, angle = brush.painter.camera, np.linspace(0.0, 2.0 * np.pi, 25)
    circle = np.outer(np.cos(angle), camera.right) + np.outer(np.sin(angle), camera.up)
    for centre, radius in zip(frames[:, :3, 3], part.radius.tolist(), strict=True):
        if radius == 0.0:
            brush.dot(centre, colours.COLLIDER, 2.5, brush.layer)
        else:
            rgba = np.append(brush.colour("#B8860B"), 0.55)
            brush.painter.path(centre + radius * circle, rgba, 0.5, layer=brush.layer, bias=1.2 * radius)


#: What every kind of part looks like.
PAINTERS: dict[type, Callable[[Brush, Any, Array], None]] = {
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


def _carried(pose: Array, points: Array) -> Array:
    """Points (..., 3) of a frame, in the world."""
    return np.asarray(points @ pose[:3, :3].T + pose[:3, 3])
