"""Equalities of MJCF: joints that follow others are eliminated, bodies that are connected or welded close loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import Array, shown
from supple.errors import ModelError
from supple.files.mjcf_elements import MjcfJoint, MjcfReader
from supple.files.xml_tree import Element
from supple.joints import Fixed, Spherical
from supple.laws import Constant
from supple.lie.pose import pose
from supple.loads import Loop, Prescribed
from supple.robot.robot import Robot

#: The polynomial of what moves as its leader does.
SAME = (0.0, 1.0, 0.0, 0.0, 0.0)


class Equalities:
    """Adds equalities to a robot.

    ``start`` are poses (4, 4) of bodies where the file puts them, ``lengths`` ratios of fixed tendons by link.
    """

    def __init__(
        self,
        reader: MjcfReader,
        robot: Robot,
        joints: dict[str, tuple[str, MjcfJoint]],
        bodies: dict[str, tuple[str, Array]],
        sites: dict[str, tuple[str, Array]],
        start: dict[str, Array],
        lengths: dict[str, dict[str, float]],
    ) -> None:
        self.lengths = lengths
        self.reader, self.robot, self.joints = reader, robot, joints
        self.bodies, self.sites, self.start = bodies, sites, start
        self.count = 0

    def add(self, root: Element) -> None:
        """All equalities of a file."""
        for section in root.all("equality"):
            for element in section.children:
                self.count += 1
                name = element.attributes.get("name", f"equality {self.count}")
                if element.attributes.get("active") == "false":
                    self._note(f"equality {name!r}, which is not active")
                elif element.tag == "joint":
                    self._joint(element, name)
                elif element.tag == "tendon":
                    self._tendon(element, name)
                elif element.tag in ("connect", "weld"):
                    self._loop(element, name)
                else:
                    self._note(f"equality {name!r} (<{element.tag}>)")

    def _note(self, what: str) -> None:
        self.reader.notes.append(what)

    # ------------------------------------------------------------------ joints

    def _joint(self, element: Element, name: str) -> None:
        """q1 - ref1 = p(q2 - ref2) with a polynomial p: the first joint follows the second."""
        follower, own = self._named(element, "joint1")
        c = self._polynomial(element)
        if own.type not in ("hinge", "slide"):
            return self._note(f"equality {name!r}, of a {own.type} joint")
        if "joint2" not in element.attributes:
            return self.robot.add(Prescribed(follower, Constant(own.ref + c[0])))
        leader, other = self._named(element, "joint2")
        if other.type not in ("hinge", "slide"):
            return self._note(f"equality {name!r}, of a {other.type} joint")
        try:
            if any(c[2:]):
                self.robot.couple(follower, to=[leader], function=_polynomial(c, own.ref, other.ref))
            else:
                offset = own.ref + c[0] - c[1] * other.ref
                self.robot.couple(follower, to=leader, ratio=c[1], offset=offset)
        except ModelError as error:
            self._note(f"equality {name!r}: {error}")
        return None

    def _tendon(self, element: Element, name: str) -> None:
        """L1 - (L1 at the start) = c0 + c1 (L2 - (L2 at the start)): the last joint that can follows the others."""
        tendons = [element.attributes[key] for key in ("tendon1", "tendon2") if key in element.attributes]
        weights = self._polynomial(element)
        if not tendons or any(tendon not in self.lengths for tendon in tendons) or any(weights[2:]):
            return self._note(f"equality {name!r} (<tendon>)")
        sums = dict(self.lengths[tendons[0]])
        for link, ratio in self.lengths[tendons[1]].items() if len(tendons) == 2 else ():
            sums[link] = sums.get(link, 0.0) - weights[1] * ratio
        refs = {link: joint.ref for link, joint in self.joints.values()}
        right = weights[0] + sum(ratio * refs[link] for link, ratio in sums.items())
        taken = {coupling.follower for coupling in self.robot.couplings}
        free = [link for link, ratio in sums.items() if ratio and link not in taken]
        if not free or len(sums) < 2:
            return self._note(f"equality {name!r} (<tendon>), which leaves no joint to follow")
        follower = free[-1]
        own = sums.pop(follower)
        ratios = {link: -ratio / own for link, ratio in sums.items() if ratio}
        return self.robot.couple(follower, to=ratios, offset=right / own)

    def _polynomial(self, element: Element) -> list[float]:
        """Coefficients (5,) of ``polycoef``, those that are not given as by default."""
        given = self.reader.some_numbers(element, "polycoef", 1, 5)
        return [*given, *SAME[len(given) :]]

    def _named(self, element: Element, key: str) -> tuple[str, MjcfJoint]:
        name = self.reader.attribute(element, key)
        if name not in self.joints:
            self.reader.refuse(element, f"there is no joint {shown(name)}")
        return self.joints[name]

    # ------------------------------------------------------------------ loops

    def _loop(self, element: Element, name: str) -> None:
        """Two bodies meet in a point, or are welded."""
        connect = element.tag == "connect"
        if "site1" in element.attributes:
            a, b = (self._site(element, key) for key in ("site1", "site2"))
        else:
            a, b = self._ends(element, connect)
        if a[0] == b[0]:
            return self._note(f"equality {name!r}, between parts of one link")
        return self.robot.add(Loop(name, a, b, Spherical() if connect else Fixed()))

    def _site(self, element: Element, key: str) -> tuple[str, Array]:
        name = self.reader.attribute(element, key)
        if name not in self.sites:
            self.reader.refuse(element, f"there is no site {shown(name)}")
        return self.sites[name]

    def _ends(self, element: Element, connect: bool) -> tuple[tuple[str, Array], tuple[str, Array]]:
        """Frames on two bodies that meet; where the second one is, if it is not given, is where the file puts it."""
        names = [element.attributes.get(key, "world") for key in ("body1", "body2")]
        for body in names:
            if body not in self.bodies:
                self.reader.refuse(element, f"there is no body {shown(body)}")
        (first, at1), (second, at2) = (self.bodies[body] for body in names)
        relative = np.linalg.inv(self.start[names[0]]) @ self.start[names[1]]  # of the second body in the first
        if connect:
            anchor = pose(self.reader.numbers(element, "anchor", 3, None))
            return (first, at1 @ anchor), (second, at2 @ np.linalg.inv(relative) @ anchor)
        numbers = self.reader.numbers(element, "relpose", 7, (0.0,) * 7)
        if any(numbers[3:]):
            relative = pose(numbers[:3])
            relative[:3, :3] = self.reader.quaternion(element, numbers[3:])
        return (first, _straightened(at1 @ relative)), (second, at2)


def _straightened(at: Array) -> Array:
    """A pose whose rotation lost nothing by rounding."""
    u, _, v = np.linalg.svd(at[:3, :3])
    out = at.copy()
    out[:3, :3] = u @ v
    return out


def _polynomial(c: list[float], ref: float, other: float) -> Any:
    """q1 as a function of q2."""

    def follow(q: Any) -> Any:
        x = q - other
        return ref + c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])))

    return follow
