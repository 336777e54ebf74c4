"""Any robot as a design: factors of what its links and each of its loads are made of are parameters, all about one."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import supple as sp
from helpers import rebuilt

#: Where the first link stands, relative to which the parameter ``place`` moves it.
PLACE = np.array([0.1, -0.1, 0.2])


@dataclass(frozen=True, eq=False)
class Scaled:
    """A function's values times a factor; a tuple of them each."""

    function: Any
    factor: float

    def __call__(self, *arguments):
        values = self.function(*arguments)
        if isinstance(values, tuple):
            return tuple(self.factor * np.asarray(x) for x in values)
        return self.factor * np.asarray(values) if np.ndim(values) else self.factor * values


def times(given, factor):
    """Numbers, or a function of whatever, times a factor; None stays."""
    if given is None:
        return None
    if not callable(given):
        return factor * np.asarray(given, dtype=float)
    count = len(inspect.signature(getattr(given, "py_func", given)).parameters)
    scaled = Scaled(given, factor)
    if count == 1 and isinstance(given, sp.laws.Law):
        return given * sp.laws.Constant(factor)
    # functions are told apart by their arguments
    return {1: lambda x: scaled(x), 2: lambda x, y: scaled(x, y)}.get(count, scaled)


def scaled_route(route, factor):
    """Of a tendon through one link: a function of arc length, a pair, or points."""
    if callable(route):
        return lambda X: tuple(factor * np.asarray(route(X), dtype=float))
    if isinstance(route, list):
        return [tuple(factor * np.asarray(point, dtype=float)) for point in route]
    return tuple(factor * np.asarray(route, dtype=float))


def scaled_load(load, f):
    """A load whose numbers are f times as large."""
    if isinstance(load, sp.Tendon):
        return replace(load, route={link: scaled_route(route, f) for link, route in load.route.items()})
    if isinstance(load, (sp.ElasticTendon, sp.Cable)):
        return replace(load, stiffness=f * load.stiffness, damping=f * load.damping)
    if isinstance(load, sp.Chamber):
        return replace(load, area=times(load.area, f))
    if isinstance(load, sp.Prescribed):
        return sp.Prescribed(load.link, times(load.law, f))
    if isinstance(load, sp.Loop):
        link, frame, s = load.a
        moved = np.array(frame)
        moved[:3, 3] *= f
        return replace(load, a=(link, moved, s))
    if isinstance(load, (sp.PointWrench, sp.Distributed)):
        return replace(load, wrench=_along(load.wrench, f))
    if isinstance(load, sp.Spring):
        if load.law is None:
            return replace(load, stiffness=f * load.stiffness, rest_length=f * load.rest_length)
        slopes = None if load.slopes is None else tuple(times(slope, f) for slope in load.slopes)
        return replace(load, law=times(load.law, f), slopes=slopes)
    if isinstance(load, sp.BearingFriction):
        return replace(load, coefficient=f * load.coefficient, start=f * load.start)
    if isinstance(load, sp.Springs):
        return replace(load, stiffness=times(load.stiffness, f), rest_length=times(load.rest_length, f))
    if isinstance(load, sp.Contact):
        return replace(load, stiffness=f * load.stiffness, friction=f * load.friction, damping=f * load.damping)
    if isinstance(load, sp.Fluid):
        drag = {link: times(matrix, f) for link, matrix in load.drag.items()}
        return replace(load, density=f * load.density, current=times(load.current, f), drag=drag)
    if isinstance(load, sp.Wake):
        return replace(load, current=times(load.current, f))
    if isinstance(load, sp.Thruster):
        return replace(load, axes=times(load.axes, f))
    if isinstance(load, (sp.PointLaw, sp.PairLaw)):
        parts = {name: times(getattr(load, name), f) for name in ("law", "tangent", "rate")}
        return replace(load, state0=f * np.asarray(load.state0, dtype=float), **parts)
    return load  # drives have no numbers


def _along(wrench, f):
    """A wrench, or a function of time, of s, or of both."""
    return replace(wrench, wrench=f * wrench.wrench) if hasattr(wrench, "wrench") else times(wrench, f)


def scaled_body(body, size, mass, young):
    """Longer rods of another material, heavier bodies."""
    if isinstance(body, sp.Rod):
        material = None if body.material is None else replace(body.material, young=young * body.material.young)
        return replace(body, length=size * body.length, material=material)
    if isinstance(body, sp.SoftBody):  # whose size and mass gradients do not know
        return replace(body, material=replace(body.material, young=young * body.material.young))
    return replace(body, mass=mass * body.mass) if isinstance(body, sp.Rigid) else body


def random_design(robot):
    """The design of a robot, of which it is the nominal one."""
    items, gravity = list(robot.items), np.array(robot.gravity, dtype=float)

    def build(pull, place, size, mass, young, loads=None):
        made = rebuilt(robot, gravity=pull * gravity, at=lambda link: _placed(robot, link, np.asarray(place) - PLACE))
        bodies = [scaled_body(link.body, size, mass, young) for link in robot.links]
        other = sp.Robot(robot.name, gravity=made.gravity)
        for link, body in zip(made.links, bodies, strict=True):
            parent = link.parent if link.station == 1.0 else (link.parent, link.station)
            other.add_link(link.name, body, joint=link.joint, parent=parent, at=link.at)
        for factor, load in zip([] if loads is None else loads, items, strict=True):
            other.add(scaled_load(load, factor))
        return other

    values = {"pull": 1.0, "place": PLACE, "size": 1.0, "mass": 1.0, "young": 1.0}
    return sp.Design(build, **values, **({"loads": np.ones(len(items))} if items else {}))


def _placed(robot, link, shift):
    """Where a link stands: the first one moves."""
    at = np.array(link.at)
    if link.name == robot.links[0].name:
        at[:3, 3] += shift
    return at
