"""URDF -> Robot: fixed joints are merged, their links stay as named frames; what was omitted is told.

Coordinates come in the order of the tree: a joint before all that hangs on it, joints of one link as in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, choice, file_path, flag, shown
from supple.errors import FileError, ModelError, naming, noted, warn
from supple.files.urdf_elements import Geometry, Mimic, UrdfFile, UrdfJoint, UrdfLink, UrdfReader
from supple.files.urdf_shapes import Meshes, compound
from supple.files.xml_tree import read_xml
from supple.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from supple.lie.pose import pose
from supple.robot.bodies import Rigid
from supple.robot.robot import Robot
from supple.robot.validate import WORLD, parent_indices, without_inertia

#: Types of joints with one coordinate.
ONE_COORDINATE = ("revolute", "continuous", "prismatic")

#: Most things of a kind that one warning lists.
LISTED = 6


def urdf_robot(
    path: str | PathLike[str],
    base: str,
    name: str | None,
    gravity: ArrayLike,
    packages: Mapping[str, str | PathLike[str]] | None,
    shapes: str,
    limits: bool,
    merge: bool,
) -> Robot:
    """Robot of a URDF file; arguments are those of `supple.load_urdf`."""
    file = file_path(path, "load_urdf: path", FileError)
    root = read_xml(file)
    choice(shapes, ("visual", "collision", "none"), "load_urdf: shapes")
    if packages is not None and not isinstance(packages, Mapping):
        raise ModelError(f"load_urdf: packages is {shown(packages)}, must map names of packages to folders")
    choice(base, ("fixed", "free"), "load_urdf: base")
    read = UrdfReader(str(file), file).read(root)
    found = {key: file_path(value, f"load_urdf: package {key!r}") for key, value in (packages or {}).items()}
    meshes = Meshes(file.resolve().parent, found)
    builder = _Builder(read, str(file), meshes, shapes, flag(limits, "load_urdf: limits"), flag(merge, "merge"))
    with naming(str(file)):
        robot = Robot(read.name if name is None else name, gravity, massless="allow")
    return builder.robot(robot, base == "free")


class _Part(NamedTuple):
    """A link of the file, in the frame of the link of the robot that it became a part of."""

    link: UrdfLink
    at: Array


class _Builder:
    """Turns a file into a robot."""

    def __init__(
        self, file: UrdfFile, path: str, meshes: Meshes, shapes: str, limits: bool, merge: bool
    ) -> None:
        self.file, self.path, self.meshes = file, path, meshes
        self.shapes, self.limits, self.merge = shapes, limits, merge
        self.joint_of = self._joints_by_child()
        self.children: dict[str, list[UrdfJoint]] = {name: [] for name in file.links}
        for joint in file.joints.values():
            self.children[joint.parent].append(joint)

    def robot(self, robot: Robot, free: bool) -> Robot:
        """Add all links to an empty robot."""
        root = self._root()
        self._check_reached(root)
        grounded = root == WORLD and not free
        waiting: list[tuple[str, str, Array, UrdfJoint | None]] = [(root, WORLD, pose(), None)]
        while waiting:
            name, parent, at, joint = waiting.pop()
            parts = [_Part(self.file.links[name], np.eye(4))]
            if name == root and grounded:
                own = WORLD
            else:
                parts += self._merged(name)
                own = self._own_name(name)
                with naming(self.path):
                    self._add(robot, own, parent, at, joint, parts, Free() if joint is None and free else Fixed())
            frames = {part.link.name: part.at for part in parts}
            moving = [j for part in parts for j in self.children[part.link.name] if j.child not in frames]
            waiting += [(j.child, own, frames[j.parent] @ j.origin, j) for j in reversed(moving)]
        self._couple(robot)
        self._tell(robot)
        return robot

    # ------------------------------------------------------------------ the tree

    def _joints_by_child(self) -> dict[str, UrdfJoint]:
        found: dict[str, UrdfJoint] = {}
        for joint in self.file.joints.values():
            if joint.child == joint.parent:
                self._refuse(joint, f"its parent and child are both {shown(joint.child)}")
            if joint.child in found:
                other = found[joint.child]
                self._refuse(
                    joint,
                    f"link {shown(joint.child)} is the child of joint {other.name!r} (line {other.line}) already; "
                    "a tree has one joint for each link (closed loops are made with Loop)",
                )
            found[joint.child] = joint
        return found

    def _root(self) -> str:
        roots = [name for name in self.file.links if name not in self.joint_of]
        if not roots:
            joint = next(iter(self.file.joints.values()))
            self._refuse(joint, "every link is a child of another: the joints form a cycle")
        if len(roots) > 1:
            lines = ", ".join(f"{name!r} (line {self.file.links[name].line})" for name in roots[:LISTED])
            raise FileError(f"{self.path}: has {len(roots)} root links, must have one: {lines}; join them by joints")
        return roots[0]

    def _check_reached(self, root: str) -> None:
        reached, waiting = {root}, [root]
        while waiting:
            below = [joint.child for joint in self.children[waiting.pop()]]
            reached.update(below)
            waiting += below
        for name in self.file.links:
            if name not in reached:
                self._refuse(self.joint_of[name], f"it is part of a cycle: link {shown(name)} hangs on itself")

    def _merged(self, name: str) -> list[_Part]:
        """Links that fixed joints make a part of a link, with their poses (4, 4) in its frame."""
        parts: list[_Part] = []
        waiting = [(joint, np.eye(4)) for joint in reversed(self.children[name])] if self.merge else []
        while waiting:
            joint, frame = waiting.pop()
            if joint.type == "fixed":
                at = frame @ joint.origin
                parts.append(_Part(self.file.links[joint.child], at))
                waiting += [(below, at) for below in reversed(self.children[joint.child])]
        return parts

    # ------------------------------------------------------------------ links

    def _add(
        self, robot: Robot, name: str, parent: str, at: Array, joint: UrdfJoint | None, parts: list[_Part], root: Joint
    ) -> None:
        """Add a link with all parts of it, and frames of those."""
        made = root if joint is None else self._joint(joint)
        body = self._body(parts, parent == WORLD and made.dof == 0, name)
        facts: dict[str, Any] = {} if joint is None else {"joint": joint.name, **joint.facts}
        robot.add_link(name, body, made, parent, at, facts=facts)
        for part in parts[1:]:
            robot.add_frame(self._own_name(part.link.name), name, part.at)

    def _joint(self, joint: UrdfJoint) -> Joint:
        options: dict[str, Any] = {}
        if joint.damping:
            options["damping"] = joint.damping
        if joint.facts.get("friction"):
            options["friction"] = joint.facts["friction"]
        if joint.limits is not None and self.limits and any(np.isfinite(joint.limits)):
            options["limits"] = joint.limits
        with naming(f"line {joint.line}: joint {joint.name!r}"):
            if joint.type in ("revolute", "continuous"):
                return Revolute(joint.axis, **options)
            if joint.type == "prismatic":
                return Prismatic(joint.axis, **options)
            for left_out in {"damping", "friction"} & set(options):
                self._note(joint, f"{left_out} of a {joint.type} joint is omitted")
            return Planar(joint.axis) if joint.type == "planar" else Free() if joint.type == "floating" else Fixed()

    def _body(self, parts: list[_Part], grounded: bool, name: str) -> Rigid:
        """One body of all parts."""
        mass, com, inertia = _together(parts)
        if grounded and np.linalg.eigvalsh(inertia)[0] < 0.0:
            inertia = np.zeros((3, 3))  # it never moves
        drawn: list[tuple[Array, Geometry]] = []
        if self.shapes != "none":
            for part in parts:
                chosen = part.link.visuals if self.shapes == "visual" else part.link.collisions
                drawn += [(part.at, geometry) for geometry in chosen]
        where = f"line {parts[0].link.line}: link {name!r}"
        with naming(where), noted() as notes:
            body = Rigid(mass, inertia, com, shape=compound(drawn, self.meshes), physical=False)
        self.file.notes.extend(f"{where}: {note}" for note in notes)
        return body

    def _own_name(self, name: str) -> str:
        """The name of a link in the robot: "world" is taken."""
        if name != WORLD:
            return name
        free = (f"world_link{suffix}" for suffix in ("", *map(str, range(2, len(self.file.links) + 3))))
        return next(other for other in free if other not in self.file.links)

    # ------------------------------------------------------------------ joints that follow others

    def _couple(self, robot: Robot) -> None:
        """Eliminate joints that mimic others."""
        followers = [joint for joint in self.file.joints.values() if joint.mimic is not None]
        for joint in followers:
            found = self._leader(joint)
            if joint.type == "fixed" or found is None:
                continue
            leader, ratio, offset = found
            if joint.type not in ONE_COORDINATE:
                self._refuse(joint, f"it mimics {leader.name!r}, but a {joint.type} joint has several coordinates")
            with naming(f"{self.path}, line {joint.line}: <joint name={joint.name!r}>"):
                robot.couple(self._own_name(joint.child), to=self._own_name(leader.child), ratio=ratio, offset=offset)

    def _leader(self, joint: UrdfJoint) -> tuple[UrdfJoint, float, float] | None:
        """The joint that moves on its own and is followed in the end, with q = ratio * (its q) + offset.

        None, with a note, if it is not in the file or fixed.
        """
        ratio, offset, seen, here = 1.0, 0.0, {joint.name}, joint
        mimic: Mimic | None = joint.mimic
        while mimic is not None:
            if mimic.joint not in self.file.joints:
                self._note(here, f"mimics joint {shown(mimic.joint)}, which is not there: moves on its own")
                return None
            if mimic.joint in seen:
                self._refuse(here, f"it mimics {shown(mimic.joint)}, which mimics it in turn")
            ratio, offset = ratio * mimic.multiplier, offset + ratio * mimic.offset
            here = self.file.joints[mimic.joint]
            seen.add(here.name)
            mimic = here.mimic
        if here.type == "fixed":
            self._note(joint, f"mimics joint {shown(here.name)}, which is fixed: moves on its own")
            return None
        if here.type not in ONE_COORDINATE:
            self._refuse(joint, f"it mimics {here.name!r}, a {here.type} joint, which has not one coordinate")
        return here, ratio, offset

    # ------------------------------------------------------------------ messages

    def _refuse(self, joint: UrdfJoint, why: str) -> None:
        raise FileError(f"{self.path}, line {joint.line}: <joint name={joint.name!r}>: {why}")

    def _note(self, joint: UrdfJoint, what: str) -> None:
        self.file.notes.append(f"line {joint.line}: joint {joint.name!r}: {what}")

    def _tell(self, robot: Robot) -> None:
        """One warning for each kind of thing that is rough or omitted."""
        robot.left_out = tuple(self.file.notes)
        _warn_of(self.path, "", self.file.notes)
        _warn_of(self.path, "meshes that are not there are not drawn", [shown(name) for name in self.meshes.missing])
        try:
            idle = without_inertia(robot.links, parent_indices(robot.links))
        except ModelError:  # an empty robot, which compile refuses
            idle = []
        _warn_of(
            self.path,
            "joints of these links move no inertia: kinematics and inverse dynamics work, accelerations and "
            "simulations do not",
            [repr(link.name) for link in idle],
        )


def _together(parts: list[_Part]) -> tuple[float, Array, Array]:
    """Mass, com (3,) and inertia (3, 3) about it of all parts: masses add up, inertias about the common centre."""
    mass = sum(part.link.mass for part in parts)
    if len(parts) == 1:
        link = parts[0].link
        return mass, link.com if mass > 0.0 else np.zeros(3), link.inertia
    centres = [part.at[:3, :3] @ part.link.com + part.at[:3, 3] for part in parts]
    com = np.zeros(3)
    if mass > 0.0:
        com = np.asarray(sum(part.link.mass * x for part, x in zip(parts, centres, strict=True)) / mass)
    inertia = np.zeros((3, 3))
    for part, centre in zip(parts, centres, strict=True):
        turn, arm = part.at[:3, :3], centre - com
        inertia += turn @ part.link.inertia @ turn.T
        inertia += part.link.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, com, 0.5 * (inertia + inertia.T)


def _warn_of(path: str, what: str, culprits: list[str]) -> None:
    if culprits:
        listed = "; ".join(culprits[:LISTED])
        more = f"; and {len(culprits) - LISTED} more" if len(culprits) > LISTED else ""
        warn(f"{path}: {what}{': ' if what else ''}{listed}{more}")
