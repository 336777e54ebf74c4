"""MJCF as it is written: bodies with their joints, geoms and sites, checked, before they become a robot."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from supple.checks import Array, shown
from supple.files.mjcf_source import Defaults
from supple.files.xml_numbers import ElementReader
from supple.files.xml_tree import Element
from supple.lie.pose import pose

JOINTS = ("hinge", "slide", "ball", "free")
GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")

#: What pictures need and mechanics does not.
UNSEEN = ("light", "camera")

_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Compiler:
    """Options of a file that decide what its numbers mean."""

    degrees: bool = True
    euler: str = "xyz"
    autolimits: bool = True
    from_geoms: str = "auto"  #: "auto", "true" or "false"
    groups: tuple[float, float] = (0.0, 5.0)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    total_mass: float = -1.0
    meshes: str = ""
    strip_paths: bool = False  #: whether names of files lose their folders
    align_free: bool = False  #: whether bodies on free joints are turned along their principal axes

    @property
    def angle(self) -> float:
        """Radians of one unit of an angle."""
        return float(np.pi / 180.0) if self.degrees else 1.0


@dataclass(frozen=True, eq=False)
class MjcfJoint:
    """A joint: axis (3,) through ``pos`` (3,), in the body's frame; at q = ``ref`` the body is where it was put."""

    name: str
    line: int
    type: str
    pos: Array
    axis: Array
    ref: float
    limits: tuple[float, float] | None
    stiffness: float
    damping: float
    rest: float
    armature: float
    friction: float
    facts: dict[str, float]


@dataclass(frozen=True, eq=False)
class MjcfGeom:
    """A shape at a pose (4, 4) in the body's frame, with the sizes that its type asks for."""

    name: str
    line: int
    type: str
    at: Array
    sizes: tuple[float, ...]
    mesh: str
    mass: float | None
    density: float
    group: int
    collides: bool


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass, com (3,) and inertia (3, 3) about it, in the body's frame."""

    mass: float
    com: Array
    inertia: Array


@dataclass(eq=False)
class MjcfBody:
    """A body at a pose (4, 4) in its parent's frame."""

    name: str
    line: int
    at: Array
    joints: list[MjcfJoint] = field(default_factory=list)
    inertial: Inertial | None = None
    geoms: list[MjcfGeom] = field(default_factory=list)
    sites: list[tuple[str, Array]] = field(default_factory=list)
    children: list[MjcfBody] = field(default_factory=list)
    gravity_share: float = 0.0  #: of its weight that is taken from it


class MjcfReader(ElementReader):
    """Elements of one file, checked."""

    def __init__(self, file: str, root: Element) -> None:
        super().__init__(file)
        self.compiler = self._compiler(root)
        self.defaults = Defaults(self, root)
        self.names: dict[str, set[str]] = {"body": {"world"}, "joint": set(), "site": set()}

    # ------------------------------------------------------------------ options

    def _compiler(self, root: Element) -> Compiler:
        merged = Element("compiler", {}, root.line)
        for element in root.all("compiler"):
            merged = Element("compiler", merged.attributes | element.attributes, element.line, [], element.file)
        if self.choice(merged, "coordinate", ("local", "global"), "local") == "global":
            self.refuse(merged, "coordinate is 'global', which MuJoCo does not read any more: save it as local ones")
        sequence = merged.attributes.get("eulerseq", "xyz")
        if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
            self.refuse(merged, f"eulerseq is {shown(sequence)}, must be three of the letters x, y, z")
        low, high = self.numbers(merged, "inertiagrouprange", 2, (0.0, 5.0))
        return Compiler(
            self.choice(merged, "angle", ("degree", "radian"), "degree") == "degree",
            sequence,
            self._flag(merged, "autolimits", "true"),
            self.choice(merged, "inertiafromgeom", ("auto", "true", "false"), "auto"),
            (low, high),
            self.number(merged, "boundmass", 0.0),
            self.number(merged, "boundinertia", 0.0),
            self._flag(merged, "balanceinertia", "false"),
            self.number(merged, "settotalmass", -1.0),
            merged.attributes.get("meshdir", merged.attributes.get("assetdir", "")),
            self._flag(merged, "strippath", "false"),
            self._flag(merged, "alignfree", "false"),
        )

    def _flag(self, element: Element, key: str, default: str) -> bool:
        return self.choice(element, key, ("true", "false"), default) == "true"

    # ------------------------------------------------------------------ bodies

    def world(self, root: Element) -> MjcfBody:
        """The body of the world, with all others below it."""
        body = MjcfBody("world", root.line, np.eye(4))
        for element in root.all("worldbody"):
            self._fill(body, element, "main", np.eye(4))
        return body

    def _body(self, element: Element, inherited: str, frame: Array) -> MjcfBody:
        at = frame @ self.placed(element)
        body = MjcfBody(self._own(element, "body"), element.line, at)
        body.gravity_share = self.number(element, "gravcomp", 0.0)
        if element.attributes.get("mocap") == "true":
            self.notes.append(f"body {body.name!r} follows no mocap: it is fixed")
        self._fill(body, element, element.attributes.get("childclass", inherited), np.eye(4))
        return body

    def _fill(self, body: MjcfBody, element: Element, inherited: str, frame: Array) -> None:
        """Add to a body what an element, it or a frame inside of it, holds; ``frame`` (4, 4) is its pose there."""
        for child in element.children:
            if child.tag == "body":
                body.children.append(self._body(child, inherited, frame))
            elif child.tag == "frame":
                own = child.attributes.get("childclass", inherited)
                self._fill(body, child, own, frame @ self.placed(child))
            elif child.tag in ("joint", "freejoint"):
                body.joints.append(self._joint(child, inherited, frame))
            elif child.tag == "geom":
                body.geoms.append(self._geom(self.defaults.merged(child, inherited), frame))
            elif child.tag == "site":
                site = self.defaults.merged(child, inherited)
                at, _ = self._line_placed(site)
                body.sites.append((self._own(child, "site"), frame @ at))
            elif child.tag == "inertial":
                body.inertial = self._inertial(child, frame)
            elif child.tag not in UNSEEN:
                self.notes.append(f"line {child.line}: <{child.tag}> of body {body.name!r}")

    def _own(self, element: Element, kind: str) -> str:
        """The name of an element, unique among its kind; numbered if it has none."""
        taken = self.names[kind]
        name = element.attributes.get("name", "").strip()
        if name in taken:
            self.refuse(element, f"there is a {kind} of this name already, names must differ")
        k = len(taken)
        while not name or name in taken:
            name, k = f"{kind} {k}", k + 1
        taken.add(name)
        return name

    def _inertial(self, element: Element, frame: Array) -> Inertial:
        mass = self.number(element, "mass", None)
        if mass < 0.0:
            self.refuse(element, f"mass is {mass:g} kg, must not be negative")
        at = frame @ self.placed(element)
        inertia = np.zeros((3, 3))
        if "fullinertia" in element.attributes:
            xx, yy, zz, xy, xz, yz = self.numbers(element, "fullinertia", 6, None)
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        elif "diaginertia" in element.attributes:
            inertia = np.diag(self.numbers(element, "diaginertia", 3, None))
        else:
            self.notes.append(f"line {element.line}: <inertial> has no inertia: taken as zero")
        return Inertial(mass, at[:3, 3].copy(), at[:3, :3] @ inertia @ at[:3, :3].T)

    # ------------------------------------------------------------------ joints

    def _joint(self, element: Element, inherited: str, frame: Array) -> MjcfJoint:
        if element.tag == "freejoint":
            merged = Element("joint", {**element.attributes, "type": "free"}, element.line, [], element.file)
        else:
            merged = self.defaults.merged(element, inherited)
        kind = self.choice(merged, "type", JOINTS, "hinge")
        axis = np.array(self.numbers(merged, "axis", 3, (0.0, 0.0, 1.0)))
        if kind in ("hinge", "slide") and not axis.any():
            self.refuse(element, "its axis is the zero vector, must have a direction")
        pos = frame[:3, :3] @ np.array(self.numbers(merged, "pos", 3, _ZERO)) + frame[:3, 3]
        unit = self.compiler.angle if kind in ("hinge", "ball") else 1.0
        name = self._own(element, "joint")
        numbers = {key: self.number(merged, key, 0.0) for key in ("armature", "frictionloss")}
        for key in ("stiffness", "damping"):
            numbers[key], *further = self.some_numbers(merged, key, 1, 3, (0.0,))
            if any(further):
                self.notes.append(f"joint {name!r}: what is not linear of its {key}")
        for key, value in numbers.items():
            if value < 0.0:
                self.refuse(element, f"{key} is {value:g}, must not be negative")
        if "springdamper" in merged.attributes:
            self.notes.append(f"joint {name!r}: springdamper, which depends on inertias")
        ref, rest = (unit * self.number(merged, key, 0.0) for key in ("ref", "springref"))
        limits = self._limits(merged, name, kind, unit)
        facts: dict[str, float] = {}
        if "actuatorfrcrange" in merged.attributes:
            facts["effort"] = max(abs(x) for x in self.numbers(merged, "actuatorfrcrange", 2, None))
        armature, friction, stiffness, damping = numbers.values()
        if kind == "free":
            pos, ref = np.zeros(3), 0.0
            align = self.choice(merged, "align", ("auto", "true", "false"), "auto")
            if align == "true" or (align == "auto" and self.compiler.align_free):
                self.notes.append(f"joint {name!r} aligns nothing: its body stays as the file has it")
        return MjcfJoint(
            name, element.line, kind, pos, frame[:3, :3] @ axis, ref, limits, stiffness, damping, rest, armature,
            friction, facts,
        )  # fmt: skip

    def _limits(self, element: Element, name: str, kind: str, unit: float) -> tuple[float, float] | None:
        """The range of a joint, if it is limited."""
        bounds = self.range_of(element)
        if bounds is None or kind == "free":
            return None
        if kind == "ball":
            self.notes.append(f"joint {name!r}: the range of a ball joint")
            return None
        return unit * bounds[0], unit * bounds[1]

    def range_of(self, element: Element) -> tuple[float, float] | None:
        """``range`` of a joint or tendon that is limited."""
        limited = self.choice(element, "limited", ("auto", "true", "false"), "auto")
        if "range" not in element.attributes or limited == "false":
            return None
        low, high = self.numbers(element, "range", 2, None)
        if limited == "auto" and not self.compiler.autolimits:
            return None
        if not low < high:
            if limited == "true":
                self.notes.append(f"line {element.line}: {element.name}: its range [{low:g}, {high:g}]")
            return None
        return low, high

    # ------------------------------------------------------------------ geoms

    def _geom(self, element: Element, frame: Array) -> MjcfGeom:
        attributes = element.attributes
        kind = self.choice(element, "type", GEOMS, "sphere")
        at, half = self._line_placed(element)
        sizes = self.some_numbers(element, "size", 1, 3)
        if half is not None and sizes:
            sizes = (sizes[0], half) if kind in ("capsule", "cylinder") else (sizes[0], sizes[0], half)
        mass = self.number(element, "mass", None) if "mass" in attributes else None
        density = self.number(element, "density", 1000.0)
        if (mass is not None and mass < 0.0) or density < 0.0:
            self.refuse(element, "mass or density is negative")
        if attributes.get("shellinertia") == "true":
            self.notes.append(f"line {element.line}: {element.name}: shellinertia, it counts as solid")
        collides = any(self.number(element, key, 1.0) != 0.0 for key in ("contype", "conaffinity"))
        mesh, name = attributes.get("mesh", ""), attributes.get("name", "")
        group = int(self.number(element, "group", 0.0))
        return MjcfGeom(name, element.line, kind, frame @ at, sizes, mesh, mass, density, group, collides)

    def _line_placed(self, element: Element) -> tuple[Array, float | None]:
        """Pose (4, 4) of what may be given by two ends, and half the distance of these, None without."""
        if "fromto" not in element.attributes:
            return self.placed(element), None
        ends = np.array(self.numbers(element, "fromto", 6, None))
        along = ends[:3] - ends[3:]
        length = float(np.linalg.norm(along))
        if length == 0.0:
            self.refuse(element, "the two ends of fromto are the same point")
        at = np.eye(4)
        at[:3, :3], at[:3, 3] = turned_to(along / length), 0.5 * (ends[:3] + ends[3:])
        return at, 0.5 * length

    # ------------------------------------------------------------------ poses

    def placed(self, element: Element) -> Array:
        """Pose (4, 4) of ``pos`` and an orientation, however that is given."""
        at = np.eye(4)
        at[:3, 3] = self.numbers(element, "pos", 3, _ZERO)
        at[:3, :3] = self._orientation(element)
        return at

    def _orientation(self, element: Element) -> Array:
        given, unit = element.attributes, self.compiler.angle
        if "quat" in given:
            return self.quaternion(element, self.numbers(element, "quat", 4, None))
        if "axisangle" in given:
            x, y, z, angle = self.numbers(element, "axisangle", 4, None)
            axis = self._direction(element, "axisangle", np.array([x, y, z]))
            half = 0.5 * unit * angle
            return self.quaternion(element, (float(np.cos(half)), *(np.sin(half) * axis).tolist()))
        if "euler" in given:
            turn = np.eye(3)
            for letter, angle in zip(self.compiler.euler, self.numbers(element, "euler", 3, None), strict=True):
                rpy = tuple(unit * angle if axis == letter.lower() else 0.0 for axis in "xyz")
                own = pose(rpy=(rpy[0], rpy[1], rpy[2]))[:3, :3]
                turn = turn @ own if letter.islower() else own @ turn
            return turn
        if "xyaxes" in given:
            six = np.array(self.numbers(element, "xyaxes", 6, None))
            along = self._direction(element, "xyaxes", six[:3])
            across = self._direction(element, "xyaxes", six[3:] - (along @ six[3:]) * along)
            return np.column_stack([along, across, np.cross(along, across)])
        if "zaxis" in given:
            return turned_to(self._direction(element, "zaxis", np.array(self.numbers(element, "zaxis", 3, None))))
        return np.eye(3)

    def _direction(self, element: Element, key: str, vector: Array) -> Array:
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            self.refuse(element, f"{key} has no direction")
        return np.asarray(vector / length)

    def quaternion(self, element: Element, numbers: tuple[float, ...]) -> Array:
        """Rotation (3, 3) of a quaternion w, x, y, z of any length."""
        w, x, y, z = self._direction(element, "quat", np.array(numbers))
        return np.array([
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ])  # fmt: skip


def turned_to(direction: Array) -> Array:
    """The smallest rotation (3, 3) that takes z to a unit vector (3,)."""
    x, y, z = direction.tolist()
    across = float(np.hypot(x, y))
    if across < 1e-10:
        return np.diag([1.0, 1.0, 1.0]) if z > 0.0 else np.diag([1.0, -1.0, -1.0])
    u = np.array([-y / across, x / across, 0.0])
    cross = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.asarray(np.eye(3) + across * cross + (1.0 - z) * cross @ cross)
