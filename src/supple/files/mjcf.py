"""MJCF -> Robot: bodies, joints, geoms, sites, tendons, actuators, equalities; what was omitted is listed.

Every joint is a link, the last one of a body its body; so all that MuJoCo's joints of one body can do, these can.  A
link's frame is where its joint is, its tip the frame of the body: ``model.pose(q, body)`` is MuJoCo's pose of it.
Coordinates come in MuJoCo's order, and those of hinges and slides are MuJoCo's ``qpos``.
"""

from __future__ import annotations

from collections import Counter
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, choice, file_path, flag
from supple.errors import FileError, ModelError, SuppleError, naming, noted, warn
from supple.files.mjcf_drives import Drives
from supple.files.mjcf_elements import Inertial, MjcfBody, MjcfJoint, MjcfReader
from supple.files.mjcf_equalities import Equalities
from supple.files.mjcf_shapes import Solids, together
from supple.files.mjcf_source import read_source
from supple.files.xml_tree import Element
from supple.joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical
from supple.lie.pose import pose
from supple.loads import PointWrench
from supple.robot.bodies import Rigid
from supple.robot.compound_shapes import Compound
from supple.robot.rigid_shapes import Moved, SolidShape
from supple.robot.robot import Robot
from supple.robot.validate import WORLD, parent_indices, without_inertia

#: Sections that say nothing of the robot.
SILENT = ("compiler", "option", "size", "visual", "statistic", "asset", "default", "worldbody", "tendon", "actuator")

#: Geoms of these groups and above are not shown by MuJoCo unless asked.
HIDDEN = 3

#: Most things that one warning lists.
LISTED = 6


def mjcf_robot(
    path: str | PathLike[str],
    name: str | None,
    gravity: ArrayLike | None,
    shapes: str,
    limits: bool,
    armature: bool,
    merge: bool,
    folder: str | PathLike[str] | None,
) -> Robot:
    """Robot of an MJCF file; arguments are those of `supple.load_mjcf`."""
    file = file_path(path, "load_mjcf: path", FileError)
    choice(shapes, ("visual", "collision", "none"), "load_mjcf: shapes")
    flags = flag(limits, "load_mjcf: limits"), flag(armature, "load_mjcf: armature"), flag(merge, "load_mjcf: merge")
    try:
        inside = file.resolve().parent if folder is None else file_path(folder, "load_mjcf: folder", FileError)
    except (OSError, RuntimeError):  # a link that leads to itself
        raise FileError(f"{file}: there is no such file") from None
    root = read_source(file, inside)
    reader = MjcfReader(str(file), root)
    given = _gravity(reader, root) if gravity is None else gravity
    own = root.attributes.get("model", "").strip() or "robot"
    try:
        robot = Robot(own if name is None else name, given, massless="allow")
        solids = Solids(reader, root, file.parent, inside)
        return _Builder(reader, root, robot, solids, shapes, *flags).built()
    except FileError:
        raise
    except SuppleError as error:  # of a link, a joint or a load, which do not know where they stand
        raise FileError(f"{file}{', ' if str(error).startswith('line ') else ': '}{error}") from None


def _gravity(reader: MjcfReader, root: Element) -> tuple[float, ...]:
    """Gravity of a file, (3,) m/s^2; zero if it is switched off."""
    found: tuple[float, ...] = (0.0, 0.0, -9.81)
    for option in root.all("option"):
        found = reader.numbers(option, "gravity", 3, found)
        for key in ("density", "viscosity", "wind"):
            if any(reader.some_numbers(option, key, 1, 3)):
                reader.notes.append(f"line {option.line}: {key} of the medium (see Fluid)")
        if any(switch.attributes.get("gravity") == "disable" for switch in option.all("flag")):
            found = (0.0, 0.0, 0.0)
    return found


class _Builder:
    """Turns a file into a robot."""

    def __init__(
        self,
        reader: MjcfReader,
        root: Element,
        robot: Robot,
        solids: Solids,
        shapes: str,
        limits: bool,
        armature: bool,
        merge: bool,
    ) -> None:
        self.reader, self.root, self.robot = reader, root, robot
        self.shapes, self.limits, self.armature, self.merge = shapes, limits, armature, merge
        self.solids = solids
        self.world = reader.world(root)
        self.taken: set[str] = {WORLD}
        self.colliding = 0
        #: joints by name: the link, and the joint; places of bodies and sites: link and pose (4, 4) in its tip frame
        self.joints: dict[str, tuple[str, MjcfJoint]] = {}
        self.bodies: dict[str, tuple[str, Array]] = {WORLD: (WORLD, np.eye(4))}
        self.sites: dict[str, tuple[str, Array]] = {}
        self.start: dict[str, Array] = {WORLD: np.eye(4)}  #: poses (4, 4) of bodies where the file puts them

    def built(self) -> Robot:
        """The robot."""
        scale = self._mass_scale()
        self.sites |= {name: (WORLD, at) for name, at in self.world.sites}
        waiting = [(body, WORLD, body.at, self.start[WORLD]) for body in reversed(self.world.children)]
        while waiting:
            body, parent, at, start = waiting.pop()
            parts = self._parts(body, start @ body.at)
            self._add(body, parent, at, parts, scale)
            moving = [(child, frame) for part, frame in parts for child in part.children if self._moves(child)]
            order = {id(child): k for k, child in enumerate(self._in_order(body))}
            moving.sort(key=lambda pair: order[id(pair[0])])
            waiting += [
                (child, body.name, frame @ child.at, start @ body.at @ frame) for child, frame in reversed(moving)
            ]
        self._add_forces()
        self._tell()
        return self.robot

    # ------------------------------------------------------------------ bodies

    def _moves(self, body: MjcfBody) -> bool:
        """Whether a body is a link of its own."""
        return bool(body.joints) or not self.merge

    def _parts(self, body: MjcfBody, start: Array) -> list[tuple[MjcfBody, Array]]:
        """A body and those that are fixed to it, with their poses (4, 4) in its frame."""
        parts, waiting = [], [(body, np.eye(4))]
        while waiting:
            part, frame = waiting.pop()
            parts.append((part, frame))
            self.start[part.name] = start @ frame
            waiting += [(child, frame @ child.at) for child in reversed(part.children) if not self._moves(child)]
        return parts

    def _in_order(self, body: MjcfBody) -> list[MjcfBody]:
        """Links that hang on a body or on what is fixed to it, as MuJoCo counts them."""
        found, waiting = [], list(reversed(body.children))
        while waiting:
            child = waiting.pop()
            if self._moves(child):
                found.append(child)
            else:
                waiting += reversed(child.children)
        return found

    def _add(
        self, body: MjcfBody, parent: str, at: Array, parts: list[tuple[MjcfBody, Array]], scale: float
    ) -> None:
        """Add the links of a body: one for each joint."""
        self.taken.add(body.name)
        place, into = at, np.eye(4)
        for joint in body.joints[:-1]:
            place, parent = self._add_joint(joint, parent, place)
        made: Joint = Fixed()
        facts: dict[str, Any] = {}
        for last in body.joints[-1:]:
            into, made, facts = pose(-last.pos), self._joint(last), {"joint": last.name, **last.facts}
            place = place @ _before(last)
            self.joints[last.name] = body.name, last
        with naming(f"line {body.line}: body {body.name!r}"), noted() as notes:
            rigid = self._rigid(parts, into, scale)
            self.robot.add_link(body.name, rigid, made, parent, place, facts=facts)
        self.reader.notes.extend(f"body {body.name!r}: {note}" for note in notes)
        for part, frame in parts:
            self.bodies[part.name] = body.name, frame
            if part is not body:
                self._frame(part.name, "body", body.name, frame)
            for site, own in part.sites:
                self.sites[site] = body.name, frame @ own
                self._frame(site, "site", body.name, frame @ own)

    def _add_joint(self, joint: MjcfJoint, parent: str, at: Array) -> tuple[Array, str]:
        """A link without mass for a joint that is not its body's last; where the next one begins."""
        name = self.new_name(joint.name)
        body = Rigid(0.0, np.zeros(3), tip=pose(-joint.pos))
        self.robot.add_link(name, body, self._joint(joint), parent, at @ _before(joint), facts={"joint": joint.name})
        self.joints[joint.name] = name, joint
        return np.eye(4), name

    def _frame(self, name: str, kind: str, link: str, at: Array) -> None:
        free = name not in self.taken and (kind == "body" or name not in self.reader.names["body"])
        own = name if free else self.new_name(f"{name} ({kind})")
        self.taken.add(own)
        self.robot.add_frame(own, link, at)

    def new_name(self, name: str) -> str:
        """A name that no link, frame or body has."""
        bodies = self.reader.names["body"]
        k, own = 2, name
        while own in self.taken or own in bodies:
            own, k = f"{name} {k}", k + 1
        self.taken.add(own)
        return own

    def _rigid(self, parts: list[tuple[MjcfBody, Array]], into: Array, scale: float) -> Rigid:
        """One rigid body of all parts, in the frame of the link, into which ``into`` (4, 4) leads from the body's."""
        inertials, solids = [], list[SolidShape]()
        for part, frame in parts:
            at, own = into @ frame, self.solids.inertial(part)
            turned = at[:3, :3] @ own.inertia @ at[:3, :3].T
            inertials.append(Inertial(scale * own.mass, at[:3, :3] @ own.com + at[:3, 3], scale * turned))
            for geom in part.geoms:
                self.colliding += geom.collides
                wanted = geom.group < HIDDEN if self.shapes == "visual" else geom.collides
                shape = self.solids.shape(geom) if wanted and self.shapes != "none" else None
                if shape is not None:
                    solids.append(Moved(shape, at))
        shape = None if not solids else solids[0] if len(solids) == 1 else Compound(tuple(solids))
        total = together(inertials)
        return Rigid(total.mass, total.inertia, total.com, into, shape=shape, physical=False)

    def _mass_scale(self) -> float:
        """By what all masses are multiplied."""
        wanted, total, waiting = self.reader.compiler.total_mass, 0.0, list(self.world.children)
        if wanted <= 0.0:
            return 1.0
        notes = len(self.reader.notes)
        while waiting:
            body = waiting.pop()
            total += self.solids.inertial(body).mass
            waiting += body.children
        del self.reader.notes[notes:]  # they come again
        return wanted / total if total > 0.0 else 1.0

    # ------------------------------------------------------------------ joints

    def _joint(self, joint: MjcfJoint) -> Joint:
        """A joint with its spring, damper, friction and limits."""
        options: dict[str, Any] = {}
        if joint.stiffness:
            options["stiffness"] = joint.stiffness
        if joint.damping:
            options["damping"] = joint.damping
        if joint.friction:
            options["friction"] = joint.friction
        if joint.type in ("ball", "free"):
            for key in ("damping", "friction"):
                if key in options:
                    self.reader.notes.append(f"joint {joint.name!r}: its {key} acts on rates of the rotation vector")
            if joint.armature:
                self.reader.notes.append(f"joint {joint.name!r}: the armature of a {joint.type} joint")
            return Spherical(**options) if joint.type == "ball" else Free(**options)
        if joint.stiffness:
            options["rest"] = joint.rest
        if joint.limits is not None and self.limits:
            options["limits"] = joint.limits
        with naming(f"line {joint.line}: joint {joint.name!r}"):
            return Revolute(joint.axis, **options) if joint.type == "hinge" else Prismatic(joint.axis, **options)

    # ------------------------------------------------------------------ all that acts

    def _add_forces(self) -> None:
        """Armatures, weights taken off, tendons, actuators, equalities."""
        drives = Drives(self.reader, self.robot, self.joints, self.sites, self.new_name, self.limits, self.start)
        for link, joint in list(self.joints.values()):
            if joint.armature and self.armature and joint.type in ("hinge", "slide"):
                drives.rotor(joint, link)
        self._lift(self.world)
        drives.tendons(self.root)
        drives.actuators(self.root)
        lengths = {name: length.ratios for name, length in drives.lengths.items()}
        Equalities(self.reader, self.robot, self.joints, self.bodies, self.sites, self.start, lengths).add(self.root)

    def _lift(self, world: MjcfBody) -> None:
        """Forces that take weights off bodies (``gravcomp``)."""
        waiting = list(world.children)
        while waiting:
            body = waiting.pop()
            waiting += body.children
            own = self.solids.inertial(body) if body.gravity_share else None
            if own is not None and own.mass:
                link, at = self.bodies[body.name]
                force = -body.gravity_share * own.mass * self._mass_scale() * np.asarray(self.robot.gravity)
                wrench, place = (0.0, 0.0, 0.0, *force.tolist()), at @ pose(own.com)
                self.robot.add(PointWrench(link, wrench, 1.0, place, name=f"{body.name} gravcomp"))

    # ------------------------------------------------------------------ messages

    def _tell(self) -> None:
        """What was omitted, on the robot and in one warning."""
        notes = list(dict.fromkeys(self.reader.notes))
        if self.solids.missing:
            notes.append(f"meshes that are not there: {', '.join(self.solids.missing[:LISTED])}")
        if self.colliding:
            notes.append(f"contact of {self.colliding} geoms (see Contact)")
        world = sum(geom.type != "plane" for geom in self.world.geoms)
        if world:
            notes.append(f"{world} geoms of the world")
        sections = Counter(
            f"{section.tag}: <{child.tag}>"
            for section in self.root.children
            if section.tag not in SILENT and section.tag != "equality"
            for child in section.children
        )
        notes += [f"{count} x {what}" for what, count in sections.items()]
        self.robot.left_out = tuple(notes)
        if notes:
            more = f"; and {len(notes) - LISTED} more (robot.left_out)" if len(notes) > LISTED else ""
            warn(f"{self.reader.file}: omitted or changed: {'; '.join(notes[:LISTED])}{more}")
        try:
            idle = without_inertia(self.robot.links, parent_indices(self.robot.links))
        except ModelError:  # an empty robot, which compile refuses
            return
        followers = {coupling.follower for coupling in self.robot.couplings}
        idle = [link for link in idle if link.name not in followers]
        if idle:
            names = ", ".join(repr(link.name) for link in idle[:LISTED])
            warn(f"{self.reader.file}: joints of these links move no inertia, they have no accelerations: {names}")


def _before(joint: MjcfJoint) -> Array:
    """Pose (4, 4) of a joint's frame in the body's: its anchor, turned or moved back by what q is there (``ref``)."""
    at = pose(joint.pos)
    if joint.ref and joint.type in ("hinge", "slide"):
        axis = joint.axis / np.linalg.norm(joint.axis)
        if joint.type == "slide":
            return np.asarray(at @ pose(-joint.ref * axis))
        x, y, z = axis.tolist()
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        at[:3, :3] = np.eye(3) - np.sin(joint.ref) * cross + (1.0 - np.cos(joint.ref)) * cross @ cross
    return at
