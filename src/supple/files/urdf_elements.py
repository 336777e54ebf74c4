"""URDF as it is written: links, joints and geometries with checked numbers, before they become a robot.

What is rough is taken (no axis, no limits, no inertia); what is wrong is refused with the line and the element: numbers
that are none, NaN, decimal commas, left-overs of xacro, zero axes, negative masses, names that are missing or twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from supple.checks import Array, shown
from supple.files.xml_numbers import ElementReader, nearest
from supple.files.xml_tree import Element
from supple.lie.pose import pose

#: Types of joints.
TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")

#: Those with an axis.
WITH_AXIS = ("revolute", "continuous", "prismatic", "planar")

#: Most links of a file.
MOST_LINKS = 5000


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape of a link: "box", "cylinder", "sphere", "capsule" or "mesh", at a pose (4, 4) in the link's frame.

    ``sizes`` are its numbers: edges of a box, radius and length of a cylinder or capsule, radius of a sphere, scale of
    a mesh.
    """

    kind: str
    at: Array
    sizes: tuple[float, ...]
    file: str
    line: int


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A link: mass, com (3,) and inertia (3, 3) about it, both in the link's frame; shapes."""

    name: str
    line: int
    mass: float
    com: Array
    inertia: Array
    visuals: tuple[Geometry, ...]
    collisions: tuple[Geometry, ...]


@dataclass(frozen=True, eq=False)
class Mimic:
    """A joint follows another: q = multiplier * (q of the leader) + offset."""

    joint: str
    multiplier: float
    offset: float
    line: int


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint: its frame is ``origin`` (4, 4) in the parent's frame, its axis (3,) is given there."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    origin: Array
    axis: Array
    limits: tuple[float, float] | None
    damping: float
    facts: dict[str, float]  #: effort, velocity and friction, where given
    mimic: Mimic | None


@dataclass(frozen=True, eq=False)
class UrdfFile:
    """All of a file; ``notes`` are what warnings say of it."""

    name: str
    path: Path | None
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    notes: list[str]


class UrdfReader(ElementReader):
    """Elements of one file, checked."""

    def __init__(self, file: str, path: Path | None) -> None:
        super().__init__(file)
        self.path = path

    def read(self, root: Element) -> UrdfFile:
        """The whole file."""
        if root.tag != "robot":
            self.refuse(root, f"the root element is <{root.tag}>, a URDF begins with <robot>")
        count = len(list(root.all("link")))
        if count > MOST_LINKS:
            self.refuse(root, f"has {count} links, more than the {MOST_LINKS} that are read")
        self._refuse_leftovers(root)
        links: dict[str, UrdfLink] = {}
        for element in root.all("link"):
            link = self.link(element)
            if link.name in links:
                self.refuse(element, f"there is a link of this name at line {links[link.name].line}, names must differ")
            links[link.name] = link
        joints: dict[str, UrdfJoint] = {}
        for element in root.all("joint"):
            joint = self.joint(element, links)
            if joint.name in joints:
                before = joints[joint.name].line
                self.refuse(element, f"there is a joint of this name at line {before}, names must differ")
            joints[joint.name] = joint
        if not links:
            self.refuse(root, "has no links")
        return UrdfFile(root.attributes.get("name", "").strip() or "robot", self.path, links, joints, self.notes)

    # ------------------------------------------------------------------ links

    def link(self, element: Element) -> UrdfLink:
        """A link."""
        name = self.own_name(element)
        mass, com, inertia = self.inertial(element)
        shapes = {}
        for kind in ("visual", "collision"):
            found = (self.geometry(part, name) for part in element.all(kind))
            shapes[kind] = tuple(shape for shape in found if shape is not None)
        return UrdfLink(name, element.line, mass, com, inertia, shapes["visual"], shapes["collision"])

    def inertial(self, link: Element) -> tuple[float, Array, Array]:
        """Mass, com (3,), and inertia (3, 3) about it in the axes of the link."""
        element = link.first("inertial")
        if element is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        mass_element, inertia_element = element.first("mass"), element.first("inertia")
        mass, inertia = 0.0, np.zeros((3, 3))
        if mass_element is None:
            self.notes.append(f"line {element.line}: {link.name} has an <inertial> without <mass>: taken as 0 kg")
        else:
            mass = self.number(mass_element, "value", None)
            if mass < 0.0:
                self.refuse(mass_element, f"the mass of {link.name} is {mass:g} kg, must not be negative")
        if inertia_element is None:
            self.notes.append(f"line {element.line}: {link.name} has an <inertial> without <inertia>: taken as zero")
        else:
            for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
                value = self.number(inertia_element, f"i{'xyz'[i]}{'xyz'[k]}", None if i == k else 0.0)
                inertia[i, k] = inertia[k, i] = value
        at = self.origin(element)
        turned = at[:3, :3] @ inertia @ at[:3, :3].T
        return mass, at[:3, 3].copy(), 0.5 * (turned + turned.T)

    def geometry(self, element: Element, link: str) -> Geometry | None:
        """A visual or a collision; None, with a note, if it is of no use."""
        at = self.origin(element)
        holder = element.first("geometry")
        shape = next(iter(holder.children), None) if holder is not None else None
        where = f"line {element.line}: a <{element.tag}> of link {link!r}"
        if shape is None:
            self.notes.append(f"{where} has no geometry: omitted")
            return None
        sizes: tuple[float, ...]
        if shape.tag == "box":
            sizes = self.numbers(shape, "size", 3, None)
        elif shape.tag in ("cylinder", "capsule"):
            sizes = (self.number(shape, "radius", None), self.number(shape, "length", None))
        elif shape.tag == "sphere":
            sizes = (self.number(shape, "radius", None),)
        elif shape.tag == "mesh":
            if len(shape.attributes.get("scale", "1").split()) not in (1, 3):
                given = shown(shape.attributes["scale"])
                self.notes.append(f"{where} is a mesh of scale {given}, which must be 3 numbers: omitted")
                return None
            sizes = self.scale(shape)
            file = self.attribute(shape, "filename")
            return Geometry("mesh", at, sizes, file, shape.line)
        else:
            self.notes.append(f"{where} is a <{shape.tag}>, which is not known: omitted")
            return None
        if min(sizes) <= 0.0:
            self.notes.append(f"{where} is a {shape.tag} of size {min(sizes):g} m: omitted")
            return None
        return Geometry(shape.tag, at, sizes, "", shape.line)

    def scale(self, mesh: Element) -> tuple[float, ...]:
        """Scale of a mesh along its axes; one number is for all."""
        text = mesh.attributes.get("scale", "1 1 1")
        return self.numbers(mesh, "scale", 1, None) * 3 if len(text.split()) == 1 else self.numbers(
            mesh, "scale", 3, (1.0, 1.0, 1.0)
        )

    # ------------------------------------------------------------------ joints

    def joint(self, element: Element, links: dict[str, UrdfLink]) -> UrdfJoint:
        """A joint."""
        name = self.own_name(element)
        kind = self.attribute(element, "type").strip()
        if kind not in TYPES:
            self.refuse(element, f"its type is {shown(kind)}{nearest(kind.lower(), TYPES)}")
        ends = {}
        for end in ("parent", "child"):
            part = element.first(end)
            if part is None:
                self.refuse(element, f"has no <{end}>")
            ends[end] = self.attribute(part, "link")
            if ends[end] not in links:
                self.refuse(part, f"{element.name}: there is no link {shown(ends[end])}{nearest(ends[end], links)}")
        axis = self.axis(element, kind)
        limits, facts = self.limits(element, kind)
        dynamics = element.first("dynamics")
        damping = 0.0
        if dynamics is not None:
            damping = self.number(dynamics, "damping", 0.0)
            facts["friction"] = self.number(dynamics, "friction", 0.0)
            if damping < 0.0 or facts["friction"] < 0.0:
                self.refuse(dynamics, f"damping or friction of {element.name} is negative")
        origin, mimic = self.origin(element), self.mimic(element)
        parent, child = ends["parent"], ends["child"]
        line = element.line
        return UrdfJoint(name, line, kind, parent, child, origin, axis, limits, damping, facts, mimic)

    def axis(self, element: Element, kind: str) -> Array:
        """Axis (3,) of a joint, x if it is not given; its length does not matter."""
        part = element.first("axis")
        if part is None:
            return np.array([1.0, 0.0, 0.0])
        axis = np.array(self.numbers(part, "xyz", 3, (1.0, 0.0, 0.0)))
        if kind in WITH_AXIS and not axis.any():
            self.refuse(part, f"the axis of {element.name} is the zero vector, must have a direction")
        return axis

    def limits(self, element: Element, kind: str) -> tuple[tuple[float, float] | None, dict[str, float]]:
        """Lower and upper limit, if it has any, and facts: effort and velocity."""
        part = element.first("limit")
        if part is None:
            return None, {}
        facts: dict[str, float] = {}
        for key in ("effort", "velocity"):
            if key in part.attributes:
                facts[key] = self.number(part, key, None, infinite=True)
        lower, upper = (self.number(part, key, 0.0, infinite=True) for key in ("lower", "upper"))
        if kind not in ("revolute", "prismatic") or not ("lower" in part.attributes or "upper" in part.attributes):
            return None, facts
        if not lower < upper:
            self.notes.append(
                f"line {part.line}: {element.name} is limited to [{lower:g}, {upper:g}]: left without limits"
            )
            return None, facts
        return (lower, upper), facts

    def mimic(self, element: Element) -> Mimic | None:
        """What a joint follows, if it does."""
        part = element.first("mimic")
        if part is None:
            return None
        leader = self.attribute(part, "joint")
        return Mimic(leader, self.number(part, "multiplier", 1.0), self.number(part, "offset", 0.0), part.line)

    # ------------------------------------------------------------------ parts of elements

    def origin(self, element: Element) -> Array:
        """Pose (4, 4) of an <origin>; identity if there is none."""
        part = element.first("origin")
        if part is None:
            return np.eye(4)
        zero = (0.0, 0.0, 0.0)
        xyz, rpy = self.numbers(part, "xyz", 3, zero), self.numbers(part, "rpy", 3, zero)
        if any(rpy):
            return pose(xyz, rpy)
        at = np.eye(4)
        at[:3, 3] = xyz
        return at

    def _refuse_leftovers(self, root: Element) -> None:
        """Raise for what xacro should have replaced."""
        waiting = [root]
        while waiting:
            element = waiting.pop()
            if element.tag.startswith("xacro:"):
                self.refuse(element, "is a left-over of xacro: run xacro on the file first")
            for key, value in element.attributes.items():
                if "${" in value or "$(" in value:
                    self.refuse(element, f"{key} is {shown(value)}, a left-over of xacro: run xacro on the file first")
            waiting += reversed(element.children)
