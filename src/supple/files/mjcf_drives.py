"""Tendons and actuators of MJCF: what is linear in lengths of joints, as coordinates that follow them.

A fixed tendon is a length L = sum_i c_i q_i.  It becomes a joint without mass on the world that follows the joints by
these ratios (`Robot.couple`): a spring, a damper, friction or limits on it act on the joints as the tendon's do.

The force of an actuator is F = g u + b0 + b1 l + b2 l', with l = gear * L.  It becomes a joint that follows y = g l: an
input u on it pushes along l with g u, and its spring of stiffness -b1 / g^2 and damper -b2 / g^2 give the rest.  With
g = gear = 1 and no bias, a motor, the drive is on the joint itself.

The rotor of a joint, its armature I, is a wheel of that inertia on the world that follows it: (1/2) I q'^2 of energy,
and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.checks import Array, shown
from supple.files.mjcf_elements import MjcfJoint, MjcfReader
from supple.files.mjcf_source import ACTUATORS, overlaid
from supple.files.xml_tree import Element
from supple.joints import Prismatic, Revolute
from supple.lie.pose import pose
from supple.loads import Cable, JointDrive, Spring, Tendon, Thruster
from supple.robot.bodies import Rigid
from supple.robot.robot import Robot
from supple.robot.validate import WORLD

#: Actuators whose force is not linear in input, length and rate.
NONLINEAR = ("muscle", "adhesion", "damper", "dcmotor", "plugin")

#: Kinds of dynamics of an actuator that are none.
STATIC = "none"


@dataclass(frozen=True)
class Law:
    """Force of an actuator, ``gain`` u + bias . (1, l, l'), and what it has besides."""

    gain: float = 1.0
    affine: bool = False  #: whether it has a bias
    numbers: tuple[float, float, float] = (0.0, 0.0, 0.0)
    dynamics: str = STATIC
    strange: str = ""  #: what does not fit

    @property
    def bias(self) -> tuple[float, float, float]:
        """Constant, by the length and by its rate."""
        return self.numbers if self.affine else (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Length:
    """A length that actuators act along: ratios by link."""

    ratios: dict[str, float]


class Drives:
    """Adds tendons and actuators to a robot."""

    def __init__(
        self,
        reader: MjcfReader,
        robot: Robot,
        links: dict[str, tuple[str, MjcfJoint]],
        sites: dict[str, tuple[str, Array]],
        new_name: Callable[[str], str],
        limits: bool,
        start: dict[str, Array],
    ) -> None:
        self.limits, self.start = limits, start
        self.reader, self.robot, self.links, self.sites, self.new_name = reader, robot, links, sites, new_name
        self.lengths: dict[str, Length] = {}
        self.paths: dict[str, list[tuple[str, Array]]] = {}
        self.ranged = 0

    def note(self, what: str) -> None:
        """Something is omitted."""
        self.reader.notes.append(what)

    def item_name(self, name: str) -> str:
        """A name that no load or actuator has."""
        k, own = 2, name
        while own in self.robot.item_names:
            own, k = f"{name} {k}", k + 1
        return own

    # ------------------------------------------------------------------ followers

    def rotor(self, joint: MjcfJoint, link: str) -> None:
        """The armature of a joint."""
        wheel = Rigid(0.0, (joint.armature, 0.5 * joint.armature, 0.5 * joint.armature))
        name = self.new_name(f"{link} rotor")
        self.robot.add_link(name, wheel, Revolute("x"))
        self.robot.couple(name, to=link)

    def follower(self, name: str, ratios: dict[str, float], **options: Any) -> str:
        """A joint without mass that follows a sum; its name."""
        own = self.new_name(name)
        self.robot.add_link(own, Rigid(0.0, np.zeros(3)), Prismatic("x", **options))
        self.robot.couple(own, to=ratios)
        return own

    # ------------------------------------------------------------------ tendons

    def tendons(self, root: Element) -> None:
        """All tendons."""
        for section in root.all("tendon"):
            for k, given in enumerate(section.children):
                element = self.reader.defaults.merged(given, tag="tendon")
                name = element.attributes.get("name", f"tendon {k}")
                if given.tag == "fixed":
                    self._fixed(element, name)
                elif given.tag == "spatial":
                    self._spatial(element, name)
                else:
                    self.note(f"line {given.line}: <{given.tag}>")

    def _fixed(self, element: Element, name: str) -> None:
        ratios: dict[str, float] = {}
        for part in element.all("joint"):
            link = self.link_of(part, "joint")
            if link is None:
                return self.note(f"tendon {name!r}, which is over a ball or free joint")
            ratios[link] = ratios.get(link, 0.0) + self.reader.number(part, "coef", None)
        if not ratios:
            self.reader.refuse(element, "a fixed tendon needs joints")
        self.lengths[name] = Length(ratios)
        options = self._passive(element, name, self._rest_length(element, name, ratios))
        if options:
            self.follower(name, ratios, **options)
        return None

    def _rest_length(self, element: Element, name: str, ratios: dict[str, float]) -> float:
        """springlength, or the length where springs of joints rest (``springref``)."""
        given = self.reader.some_numbers(element, "springlength", 1, 2, (-1.0,))
        if len(given) == 2 and given[0] != given[1]:
            self.note(f"tendon {name!r}: the play of its springlength")
        if given[0] >= 0.0 and given[0] != -1.0:
            return given[0]
        rests = {link: joint.rest for link, joint in self.links.values()}
        return float(sum(ratio * rests[link] for link, ratio in ratios.items()))

    def _passive(self, element: Element, name: str, rest: float) -> dict[str, Any]:
        """Options of a joint that is a tendon; empty if it has no force of its own."""
        keys = {"stiffness": "stiffness", "damping": "damping", "frictionloss": "friction"}
        found = {key: self.reader.some_numbers(element, key, 1, 3, (0.0,)) for key in keys}
        options: dict[str, Any] = {keys[key]: value[0] for key, value in found.items() if value[0]}
        if any(any(value[1:]) for value in found.values()):
            self.note(f"tendon {name!r}: what is not linear of its spring or damper")
        if any(value < 0.0 for value in options.values()):
            self.reader.refuse(element, "stiffness, damping and frictionloss must not be negative")
        if "stiffness" in options:
            options["rest"] = rest
        bounds = self.reader.range_of(element)
        if bounds is not None and self.limits:
            options["limits"] = bounds
        if self.reader.number(element, "armature", 0.0):
            self.note(f"tendon {name!r}: its armature")
        return options

    def _spatial(self, element: Element, name: str) -> None:
        """Straight from site to site."""
        path: list[tuple[str, Array]] = []
        for part in element.children:
            if part.tag != "site":
                return self.note(f"tendon {name!r}, which has a <{part.tag}>")
            site = self.reader.attribute(part, "site")
            if site not in self.sites:
                self.reader.refuse(part, f"there is no site {shown(site)}")
            path.append(self.sites[site])
        if len(path) < 2 or all(link == WORLD for link, _ in path):
            return self.note(f"tendon {name!r}, which moves nothing")
        self.paths[name] = path
        options = self._passive(element, name, -1.0)
        for key in {"friction", "limits"} & set(options):
            self.note(f"tendon {name!r}: its {key}")
        stiffness, damping = options.get("stiffness", 0.0), options.get("damping", 0.0)
        if not stiffness and not damping:
            return None
        rest = self.reader.some_numbers(element, "springlength", 1, 2, (-1.0,))[0]
        rest = self._straight(name, path) if rest < 0.0 else rest
        places = [(link, 0.0 if link == WORLD else 1.0, at) for link, at in path]
        own = self.item_name(name)
        if len(path) == 2:
            a, b = places
            self.robot.add(Spring(own, a, b, stiffness=stiffness, rest_length=rest, damping=damping))
        else:
            self.note(f"tendon {name!r} pushes where it is shorter than at rest: a Cable is slack")
            self.robot.add(Cable(own, places, stiffness, rest, damping))
        return None

    def _straight(self, name: str, path: list[tuple[str, Array]]) -> float:
        """Length from site to site where the file puts them, which is where springs rest, if they do there."""
        if any(joint.rest != joint.ref for _, joint in self.links.values()):
            self.note(f"tendon {name!r}: its spring rests where the file puts bodies, not where springs of joints do")
        points = np.array([(self.start[link] @ at)[:3, 3] for link, at in path])
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    def link_of(self, element: Element, key: str) -> str | None:
        """The link of a joint that an element names; None if that has several coordinates."""
        name = self.reader.attribute(element, key)
        if name not in self.links:
            self.reader.refuse(element, f"there is no joint {shown(name)}")
        link, joint = self.links[name]
        return link if joint.type in ("hinge", "slide") else None

    # ------------------------------------------------------------------ actuators

    def actuators(self, root: Element) -> None:
        """All actuators, in the order of the file, which is that of inputs."""
        elements = [element for section in root.all("actuator") for element in section.children]
        for k, element in enumerate(elements):
            name = element.attributes.get("name", f"actuator {k}")
            if element.tag not in ACTUATORS or element.tag in NONLINEAR:
                self.note(f"actuator {name!r} (<{element.tag}>)")
                continue
            self._actuator(element, name)
        if self.ranged:
            self.note(f"ranges of inputs and forces of {self.ranged} actuators, which nothing enforces")

    def _actuator(self, element: Element, name: str) -> None:
        law, merged = Law(), Element(element.tag, {}, element.line)
        for settings in (*self.reader.defaults.of_actuator(element), element):
            law = self._law(settings, law)
            merged.attributes = overlaid(merged.attributes, settings.attributes)
        merged.attributes["name"] = name
        if law.strange:
            return self.note(f"actuator {name!r}: {law.strange}")
        if law.dynamics != STATIC:
            self.note(f"actuator {name!r}: its dynamics ({law.dynamics}): it acts at once")
        self.ranged += any(key in merged.attributes for key in ("ctrlrange", "forcerange"))
        gear = self.reader.some_numbers(merged, "gear", 1, 6, (1.0,))
        self._act(merged, name, law, gear)
        return None

    def _act(self, element: Element, name: str, law: Law, gear: tuple[float, ...]) -> None:
        """Where an actuator acts."""
        given = element.attributes
        key = next((key for key in ("joint", "jointinparent") if key in given), "")
        if key:
            link = self.link_of(element, key)
            if link is None:
                return self.note(f"actuator {name!r}, of a ball or free joint")
            return self._along(name, law, gear[0], {link: 1.0})
        if "tendon" in given and given["tendon"] in self.lengths:
            return self._along(name, law, gear[0], self.lengths[given["tendon"]].ratios)
        if "tendon" in given and given["tendon"] in self.paths:
            return self._pull(name, law, gear[0], self.paths[given["tendon"]])
        if "site" in given and "refsite" not in given and given["site"] in self.sites:
            return self._thrust(name, law, gear, *self.sites[given["site"]])
        return self.note(f"actuator {name!r}, for where it acts")

    def _along(self, name: str, law: Law, gear: float, ratios: dict[str, float]) -> None:
        """Along a length."""
        own, (constant, slope, rate) = self.item_name(name), law.bias
        if law.gain == 1.0 and not any(law.bias) and len(ratios) == 1:
            ((link, ratio),) = ratios.items()
            if gear * ratio == 1.0:
                return self.robot.add(JointDrive(own, link))
        if slope > 0.0 or rate > 0.0 or (constant and not slope):
            return self.note(f"actuator {name!r}, whose bias is no spring or damper")
        scale = law.gain or 1.0
        options: dict[str, Any] = {"stiffness": -slope / scale**2, "damping": -rate / scale**2}
        if constant:
            options["rest"] = -constant * scale / slope
        weights = {link: scale * gear * ratio for link, ratio in ratios.items()}
        link = self.follower(f"{name} transmission", weights, **options)
        if law.gain:
            self.robot.add(JointDrive(own, link))
        return None

    def _pull(self, name: str, law: Law, gear: float, path: list[tuple[str, Array]]) -> None:
        """Along a spatial tendon: pulling by its tension is what maps."""
        links = [link for link, _ in path]
        again = any(link in links[:k] and links[k - 1] != link for k, link in enumerate(links))
        if any(law.bias) or law.gain * gear != -1.0 or again:
            return self.note(f"actuator {name!r}: along a spatial tendon, only a pull of gear -1 is a Tendon")
        route: dict[str, list[tuple[float, float, float]]] = {}
        for link, at in path:
            tip = np.eye(4)
            if link != WORLD:
                (spec,) = [spec for spec in self.robot.links if spec.name == link]
                tip = np.asarray(getattr(spec.body, "tip", tip))
            x, y, z = ((tip @ at)[:3, 3]).tolist()
            route.setdefault(link, []).append((x, y, z))
        return self.robot.add(Tendon(self.item_name(name), route))

    def _thrust(self, name: str, law: Law, gear: tuple[float, ...], link: str, at: Array) -> None:
        """A wrench of a site: force, then torque, in its frame."""
        if any(law.bias) or link == WORLD:
            return self.note(f"actuator {name!r}, of a site with a bias, or of the world")
        six = law.gain * np.array([*gear, *(0.0,) * (6 - len(gear))])
        axes = np.concatenate([six[3:], six[:3]])
        if not axes.any():
            return self.note(f"actuator {name!r}, whose gear is zero")
        return self.robot.add(Thruster(self.item_name(name), link, 1.0, pose() @ at, axes))

    # ------------------------------------------------------------------ laws

    def _law(self, element: Element, law: Law) -> Law:
        """The law after one more element: a default, or the actuator itself."""
        reader, given = self.reader, element.attributes
        if element.tag == "motor":
            law = replace(law, gain=1.0, affine=False)
        elif element.tag in ("position", "intvelocity"):
            gain = reader.number(element, "kp", law.gain)
            damping = reader.number(element, "kv", -law.bias[2] if law.bias[1] else 0.0)
            law = replace(law, gain=gain, affine=True, numbers=(0.0, -gain, -damping))
            if reader.number(element, "dampratio", 0.0):
                law = replace(law, strange="dampratio, which depends on inertias")
            if element.tag == "intvelocity" or reader.number(element, "timeconst", 0.0):
                law = replace(law, dynamics="integrator" if element.tag == "intvelocity" else "filter")
        elif element.tag == "velocity":
            gain = reader.number(element, "kv", law.gain)
            law = replace(law, gain=gain, affine=True, numbers=(0.0, 0.0, -gain))
        elif element.tag == "cylinder":
            radius = 0.5 * reader.number(element, "diameter", 0.0)
            area = np.pi * radius**2 if radius else reader.number(element, "area", 1.0)
            constant, slope, rate = reader.numbers(element, "bias", 3, (0.0, 0.0, 0.0))
            law = replace(law, gain=area, affine=True, numbers=(constant, slope, rate), dynamics="filter")
        elif element.tag in NONLINEAR:
            law = replace(law, strange=f"<{element.tag}> in its defaults")
        if element.tag == "intvelocity":
            law = replace(law, strange="an integrator")
        return self._general(element, law) if element.tag == "general" and given else law

    def _general(self, element: Element, law: Law) -> Law:
        """What <general> says by itself."""
        reader, given = self.reader, element.attributes
        if given.get("gaintype", "fixed") != "fixed":
            return replace(law, strange=f"its gaintype is {shown(given['gaintype'])}")
        if given.get("biastype", "none") not in ("none", "affine"):
            return replace(law, strange=f"its biastype is {shown(given['biastype'])}")
        gains = reader.some_numbers(element, "gainprm", 1, 10, (law.gain,))
        bias = reader.some_numbers(element, "biasprm", 0, 10, law.numbers)
        constant, slope, rate = (*bias, *law.numbers[len(bias) :])[:3]
        affine = given["biastype"] == "affine" if "biastype" in given else law.affine
        return Law(gains[0], affine, (constant, slope, rate), given.get("dyntype", law.dynamics), law.strange)
