"""Random sets of loads on the random robots of `helpers`, and what tests of loads share."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import supple as sp
from helpers import STATES, random_coordinates, random_pose, random_robot
from supple.model.check_derivatives import load_alone
from supple.model.model import Model

#: Widest place of a random route: inside every random section.
WIDEST = 0.04

#: Time at which laws of time are looked at.
TIME = 0.37


def random_route(rng, length):
    """Straight, tapered or helical."""
    radius, phase = rng.uniform(0.01, WIDEST), rng.uniform(0.0, 2.0 * np.pi)
    kind = rng.integers(3)
    if kind == 0:
        y, z = radius * np.cos(phase), radius * np.sin(phase)
        return lambda X: (y, z)
    if kind == 1:
        return lambda X: (radius * np.cos(phase) * (1.0 - 0.7 * X / length), radius * np.sin(phase))
    turns = rng.uniform(-2.0, 2.0)
    return lambda X: (
        radius * np.cos(phase + 2.0 * np.pi * turns * X / length),
        radius * np.sin(phase + 2.0 * np.pi * turns * X / length),
    )


def random_line(rng, robot):
    """Routes on one to three rods or soft bodies and where the last ends; None if there is none."""
    lengths = {link.name: axis_length(link.body) for link in robot.links if axis_length(link.body)}
    if not lengths:
        return None
    names = list(lengths)
    chosen = [names[i] for i in rng.permutation(len(names))[: rng.integers(1, 4)]]
    routes = {name: random_route(rng, lengths[name]) for name in chosen}
    until = {chosen[-1]: rng.uniform(0.3, 1.0) * lengths[chosen[-1]]} if rng.random() < 0.5 else {}
    return routes, until


def axis_length(body):
    """Of a rod or of a soft body with an axis, m; else None."""
    return body.length if isinstance(body, sp.Rod) else body.domain.length if body.continuum is not None else None


def random_station(rng, link):
    """Base, tip, a Gauss node, or anywhere between (a station of its own); of soft bodies any material point."""
    if link.body.continuum is not None and rng.random() < 0.5:
        x = link.body.quadrature.x
        return tuple(x[rng.integers(len(x))].tolist())
    if link.body.ends:
        return float(rng.integers(2))
    return [0.0, 1.0, 0.5, rng.uniform(0.02, 0.98)][rng.integers(4)]


def random_end(rng, robot, world=0.2):
    """(link, s, offset) somewhere on the robot or, with that probability, on the world."""
    if rng.random() < world:
        return "world", 0.0, random_pose(rng, 1.0)
    link = robot.links[rng.integers(len(robot.links))]
    return link.name, random_station(rng, link), random_pose(rng)


def random_ends(rng, robot, first=None):
    """Two ends, of which one may be given; not both on the world, where the base of a clamped rod is, too."""
    while True:
        ends = [random_end(rng, robot, 0.0) if first is None else first, random_end(rng, robot, 0.0)]
        if not all(_stands_still(robot, link, s) for link, s, _ in ends):
            return ends if rng.random() < 0.5 else ends[::-1]


def _stands_still(robot, name, s):
    if name == "world":
        return True
    (link,) = [link for link in robot.links if link.name == name]
    return s == 0.0 and isinstance(link.body, sp.Rod) and link.parent == "world" and link.joint.dof == 0


def swinging(wrench, frequency):
    return lambda t: np.sin(frequency * t + 1.0) * wrench


def swinging_along(wrench, frequency):
    return lambda t, s: np.sin(frequency * t + s) * wrench


def add_internal_loads(rng, robot, drive_root=True):
    """Tendons, chambers, drives, and springs between links: nothing that pushes a free robot away."""
    for i in range(int(rng.integers(0, 4))):
        line = random_line(rng, robot)
        if line is not None and rng.random() < 0.6:
            robot.add(sp.Tendon(f"tendon{i}", line[0], until=line[1]))
        elif line is not None:
            robot.add(sp.Chamber(f"chamber{i}", line[0], area=lambda s: 1e-3 * (1.0 + s), until=line[1]))
    for link in robot.links:
        if link.joint.dof and rng.random() < 0.5 and (drive_root or link.parent != "world"):
            robot.add(sp.JointDrive(f"drive_{link.name}", link.name))
    for i in range(int(rng.integers(1, 4))):
        ends = random_ends(rng, robot)
        robot.add(sp.Spring(f"spring{i}", *ends, stiffness=20.0, rest_length=0.3, damping=rng.uniform(0.0, 2.0)))


def add_external_loads(rng, robot):
    """Point wrenches, distributed loads, springs to the world, thrusters, wakes."""
    for i in range(int(rng.integers(1, 4))):
        link, s, offset = random_end(rng, robot, 0.0)
        wrench = rng.standard_normal(6)
        law = swinging(wrench, 3.0) if rng.random() < 0.5 else wrench
        frame = str(rng.choice(["world", "local"]))
        robot.add(sp.PointWrench(link, law, s=s, offset=offset, frame=frame, name=f"wrench{i}"))
    for link in robot.links:
        if isinstance(link.body, sp.Rod) and rng.random() < 0.5:
            wrench = rng.standard_normal(6)
            laws = [wrench, swinging_along(wrench, 2.0), lambda s, w=wrench: (1.0 + s) * w]
            frame = str(rng.choice(["world", "local"]))
            robot.add(sp.Distributed(link.name, laws[rng.integers(3)], frame, name=f"load_{link.name}"))
    if rng.random() < 0.7:
        ends = random_ends(rng, robot, ("world", 0.0, random_pose(rng, 1.0)))
        robot.add(sp.Spring("tether", *ends, 15.0, 0.2, 1.0))
    for kind in ("jet", "wake"):
        link, s, offset = random_end(rng, robot, 0.0)
        if rng.random() < 0.5 or _stands_still(robot, link, s):
            continue
        if kind == "jet":
            robot.add(sp.Thruster(kind, link, s, offset, rng.standard_normal((6, rng.integers(1, 4)))))
        else:
            robot.add(sp.Wake(link, (0.1, 0.2, 0.3, 0.0, 2.0, 3.0), s, current=rng.standard_normal(3)))


class LoadedCase(NamedTuple):
    """A random robot with random loads in a random state."""

    robot: sp.Robot
    model: Model
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    u: np.ndarray


@cache
def loaded_case(seed, internal_only=False):
    """Robot, loads and state of a seed; ``internal_only``: free in space, without gravity and external loads."""
    rng = np.random.default_rng([77, seed])
    if internal_only:
        robot = random_robot(rng, links=4, gravity=(0.0, 0.0, 0.0), root="Free", bare_root=True)
    else:
        robot = random_robot(rng)
        add_external_loads(rng, robot)
    add_internal_loads(rng, robot, drive_root=not internal_only)
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % len(STATES)])
    v, a = rng.standard_normal(model.n), rng.standard_normal(model.n)
    u = rng.uniform(0.5, 5.0, model.nu)
    for i, name in enumerate(model.input_names):
        u[i] *= 100.0 if name.startswith("chamber") else 1.0
    for array in (q, v, a, u):
        array.setflags(write=False)
    return LoadedCase(robot, model, q, v, a, u)


def generalised_force(model, q, v=None, u=None, t=0.0, name=None):
    """Q of one load (the only one if no name is given), summed over nothing else."""
    (load,) = [load for load in model.loads if name is None or load.name == name]
    v = np.zeros(model.n) if v is None else v
    return -load_alone(model, load).residual(q, v, np.zeros(model.n), u, t=t)
