"""URDF files like those of public robots: arms, quadrupeds, humanoid parts, hands, grippers; written here, not copied.

Each is a function of a generator of random numbers that returns the text of a file; inertias are those of random
bodies, origins and axes partly round, partly oblique.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np


class Writer:
    """A URDF under construction."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.lines = []

    def link(self, name, mass=None, inertia=True, shape=""):
        """A link with the inertia of four point masses; none without a mass."""
        rng = self.rng
        inside = shape
        if mass is not None:
            x = rng.uniform(-0.1, 0.1, (4, 3))
            x -= x.mean(axis=0)
            J = sum(0.25 * mass * (y @ y * np.eye(3) - np.outer(y, y)) for y in x) if inertia else np.zeros((3, 3))
            numbers = {f"i{'xyz'[i]}{'xyz'[k]}": repr(float(J[i, k])) for i in range(3) for k in range(i, 3)}
            attributes = " ".join(f'{key}="{value}"' for key, value in numbers.items())
            inside += (
                f'<inertial><origin xyz="{numbers_of(rng.uniform(-0.1, 0.1, 3))}" '
                f'rpy="{numbers_of(rng.uniform(-3, 3, 3))}"/><mass value="{mass}"/><inertia {attributes}/></inertial>'
            )
        self.lines.append(f'  <link name="{name}">{inside}</link>')
        return name

    def joint(self, kind, parent, child, xyz=(0, 0, 0), rpy=(0, 0, 0), axis=None, inside="", name=None):
        axis = "" if axis is None else f'<axis xyz="{numbers_of(axis)}"/>'
        name = f"{child}_joint" if name is None else name
        self.lines.append(
            f'  <joint name="{name}" type="{kind}"><origin xyz="{numbers_of(xyz)}" rpy="{numbers_of(rpy)}"/>'
            f'<parent link="{parent}"/><child link="{child}"/>{axis}{inside}</joint>'
        )
        return name

    def moving(self, kind, parent, child, xyz, rpy=(0, 0, 0), axis=(0, 0, 1), mass=None, inside=""):
        """A link with mass on a joint."""
        self.link(child, self.rng.uniform(0.2, 3.0) if mass is None else mass)
        if kind in ("revolute", "prismatic") and "<limit" not in inside:
            inside += LIMIT  # other readers insist on it
        self.joint(kind, parent, child, xyz, rpy, axis, inside)
        return child

    def text(self):
        return f'<?xml version="1.0"?>\n<robot name="{self.name}">\n' + "\n".join(self.lines) + "\n</robot>\n"


def numbers_of(values):
    return " ".join(repr(float(x)) for x in values)


LIMIT = '<limit lower="-2.8" upper="2.8" effort="87" velocity="2.2"/>'
HALF = np.pi / 2


def seven_axis_arm(rng):
    """Base on a link "world", seven joints about z with turned origins, flange and tool on fixed joints."""
    w = Writer("seven_axis_arm", rng)
    w.link("world")
    w.link("link0", 2.9, shape='<visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual>')
    w.joint("fixed", "world", "link0")
    turns = ((0, 0, 0), (-HALF, 0, 0), (HALF, 0, 0), (HALF, 0, 0), (-HALF, 0, 0), (HALF, 0, 0), (HALF, 0, 0))
    places = ((0, 0, 0.333), (0, 0, 0), (0, -0.316, 0), (0.0825, 0, 0), (-0.0825, 0.384, 0), (0, 0, 0), (0.088, 0, 0))
    for i, (turn, place) in enumerate(zip(turns, places, strict=True)):
        inside = LIMIT + '<dynamics damping="0.5" friction="0.0"/>'
        w.moving("revolute", f"link{i}", f"link{i + 1}", place, turn, inside=inside)
    w.link("flange")
    w.joint("fixed", "link7", "flange", (0, 0, 0.107))
    w.link("hand", 0.73)
    w.joint("fixed", "flange", "hand", rpy=(0, 0, -0.7853981633974483))
    w.link("tcp")
    w.joint("fixed", "hand", "tcp", (0, 0, 0.1034))
    return w.text()


def six_axis_arm(rng):
    """Axes along y and z, continuous wrist, child joints before parents in the file."""
    w = Writer("six_axis_arm", rng)
    w.link("base_link", 4.0)
    names = ["base_link", "shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3"]
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)]
    steps = list(zip(names, names[1:], axes, strict=False))
    for i, (parent, child, axis) in enumerate(steps[::-1]):
        kind = "continuous" if i == 0 else "revolute"
        w.moving(kind, parent, child, rng.uniform(-0.4, 0.4, 3), (0, HALF, 0), axis, inside=LIMIT)
    w.link("tool0")
    w.joint("fixed", "wrist_3", "tool0", (0, 0.08, 0), (-HALF, 0, 0))
    return w.text()


def quadruped(rng):
    w = Writer("quadruped", rng)
    w.link("trunk", 6.9)
    w.link("imu_link", 0.001)
    w.joint("fixed", "trunk", "imu_link", (-0.01, 0, 0))
    for leg, x, y in (("FR", 1, -1), ("FL", 1, 1), ("RR", -1, -1), ("RL", -1, 1)):
        w.moving("revolute", "trunk", f"{leg}_hip", (0.18 * x, 0.05 * y, 0), axis=(1, 0, 0), inside=LIMIT)
        w.moving("revolute", f"{leg}_hip", f"{leg}_thigh", (0, 0.08 * y, 0), axis=(0, 1, 0), inside=LIMIT)
        w.moving("revolute", f"{leg}_thigh", f"{leg}_calf", (0, 0, -0.2), axis=(0, 1, 0), inside=LIMIT)
        w.link(f"{leg}_foot", 0.06)
        w.joint("fixed", f"{leg}_calf", f"{leg}_foot", (0, 0, -0.2))
    return w.text()


def humanoid_upper_body(rng):
    """A torso, two arms of seven joints, a neck; many fixed frames, oblique axes."""
    w = Writer("humanoid_upper_body", rng)
    w.link("pelvis", 9.0)
    w.moving("revolute", "pelvis", "torso", (0, 0, 0.1), axis=(0, 0, 1))
    w.moving("revolute", "torso", "head", (0, 0, 0.4), axis=(0, -1, 0))
    for k in range(4):
        w.link(f"camera_{k}")
        w.joint("fixed", "head" if k == 0 else f"camera_{k - 1}", f"camera_{k}", rng.uniform(-0.1, 0.1, 3), (0.1, k, 0))
    for side in ("left", "right"):
        parent = "torso"
        for k in range(7):
            axis = np.eye(3)[k % 3] if k < 5 else rng.standard_normal(3)
            child = f"{side}_arm_{k}"
            w.moving("revolute", parent, child, rng.uniform(-0.2, 0.2, 3), rng.uniform(-3, 3, 3), axis)
            parent = child
        w.link(f"{side}_palm", 0.4)
        w.joint("fixed", parent, f"{side}_palm", (0, 0, 0.1), (0, 0, 1.0))
    return w.text()


def hand(rng):
    """Four fingers of four joints, a thumb; tips without mass on fixed joints."""
    w = Writer("hand", rng)
    w.link("palm", 0.4)
    for finger in ("thumb", "index", "middle", "ring"):
        parent = "palm"
        for k in range(4):
            axis = (1, 0, 0) if k == 0 else (0, 1, 0)
            xyz = rng.uniform(-0.05, 0.05, 3)
            w.moving("revolute", parent, f"{finger}_{k}", xyz, axis=axis, mass=rng.uniform(0.01, 0.05), inside=LIMIT)
            parent = f"{finger}_{k}"
        w.link(f"{finger}_tip")
        w.joint("fixed", parent, f"{finger}_tip", (0, 0, 0.03))
    return w.text()


def gantry(rng):
    """Three sliders, one along an oblique axis of any length, and a continuous spindle without limits."""
    w = Writer("gantry", rng)
    w.link("frame", 30.0)
    names = "frame", "x_carriage", "y_carriage", "quill"
    for k, (parent, child) in enumerate(pairwise(names)):
        axis = 3.0 * np.eye(3)[k] if k < 2 else (0.1, 0.2, -2.0)
        inside = '<limit lower="-0.5" upper="0.5" effort="100" velocity="1"/>'
        w.moving("prismatic", parent, child, rng.uniform(-0.3, 0.3, 3), (0, 0.1 * k, 0), axis, inside=inside)
    w.moving("continuous", "quill", "spindle", (0, 0, -0.1))
    return w.text()


def mobile_manipulator(rng):
    """A planar base, and a short arm on it."""
    w = Writer("mobile_manipulator", rng)
    w.link("map")
    w.moving("planar", "map", "chassis", (0.1, 0.2, 0.0), (0, 0, 0.3), (0, 0, 1), mass=40.0)
    w.moving("revolute", "chassis", "shoulder", (0.2, 0, 0.3), axis=(0, 0, 1))
    w.moving("revolute", "shoulder", "elbow", (0.3, 0, 0), axis=(0, 1, 0))
    return w.text()


def satellite(rng):
    """A floating joint under "world", two panels, an arm."""
    w = Writer("satellite", rng)
    w.link("world")
    w.moving("floating", "world", "bus", (0, 0, 1), (0.1, 0.2, 0.3), mass=120.0)
    for side in (-1, 1):
        w.moving("revolute", "bus", f"panel{side}", (0, side, 0), axis=(0, 1, 0), mass=8.0)
    w.moving("prismatic", "bus", "boom", (1, 0, 0), axis=(1, 0, 0), mass=3.0)
    w.moving("continuous", "boom", "camera", (0.2, 0, 0), axis=(0, 1, 1), mass=1.0)
    return w.text()


def gripper(rng):
    """Two sliding fingers, the second following the first; a knuckle that follows it, too."""
    w = Writer("gripper", rng)
    w.link("palm", 0.6)
    w.moving("prismatic", "palm", "finger_1", (0, 0.01, 0.06), axis=(0, 1, 0), mass=0.05)
    follow = '<mimic joint="finger_1_joint"/>'
    w.moving("prismatic", "palm", "finger_2", (0, -0.01, 0.06), axis=(0, -1, 0), mass=0.05, inside=follow)
    w.moving(
        "revolute", "finger_2", "knuckle", (0, 0, 0.05), axis=(1, 0, 0), mass=0.02,
        inside='<mimic joint="finger_2_joint" multiplier="-2.5" offset="0.1"/>',
    )
    return w.text()


def dual_arm_on_rail(rng):
    """A slider that carries two arms of different axes."""
    w = Writer("dual_arm_on_rail", rng)
    w.link("rail", 50.0)
    w.moving("prismatic", "rail", "wagon", (0, 0, 0.1), axis=(0, 1, 0), mass=12.0)
    for side in "ab":
        parent = "wagon"
        for k in range(5):
            child = f"{side}{k}"
            place = rng.uniform(-0.3, 0.3, 3), rng.uniform(-1, 1, 3)
            w.moving("revolute", parent, child, *place, rng.standard_normal(3))
            parent = child
    return w.text()


def biped(rng):
    """Two legs of six joints on a pelvis, with soles on fixed joints and heavy fixed plates."""
    w = Writer("biped", rng)
    w.link("pelvis", 8.0)
    for side, y in (("left", 0.1), ("right", -0.1)):
        parent = "pelvis"
        for k, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0))):
            child = f"{side}_leg_{k}"
            w.moving("revolute", parent, child, (0.0, y if k == 0 else 0.0, -0.1 * k), axis=axis, inside=LIMIT)
            w.link(f"{child}_plate", 0.3)
            w.joint("fixed", child, f"{child}_plate", rng.uniform(-0.1, 0.1, 3), rng.uniform(-3, 3, 3))
            parent = child
        w.link(f"{side}_sole")
        w.joint("fixed", f"{parent}_plate", f"{side}_sole", (0, 0, -0.05))
    return w.text()


def random_tree(rng):
    """Joints of all types between links of a random tree."""
    w = Writer("random_tree", rng)
    w.link("root", 1.0)
    names = ["root"]
    for k in range(int(rng.integers(5, 20))):
        kinds = ["revolute", "prismatic", "continuous", "fixed", "floating"]
        kind = str(rng.choice(kinds, p=[0.4, 0.15, 0.1, 0.3, 0.05]))
        parent = names[rng.integers(len(names))]
        place = rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)
        names.append(w.moving(kind, parent, f"l{k}", *place, axis=rng.standard_normal(3)))
    return w.text()


ROBOTS = {
    make.__name__: make
    for make in (
        seven_axis_arm, six_axis_arm, quadruped, humanoid_upper_body, hand, gantry, mobile_manipulator, satellite,
        gripper, dual_arm_on_rail, biped, random_tree,
    )
}  # fmt: skip
