"""What robots are described by, and methods, with good arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from supple import laws

from .argument_uses import (
    base,
    basis,
    body,
    controller,
    driven,
    event,
    exercise,
    joint,
    law,
    load,
    material,
    method,
    netted,
    on_arm,
    plain,
    shape,
    switched,
    touching,
)
from .call import Call


def _sections() -> list[Call]:
    section = lambda made: on_arm(section=made)  # noqa: E731
    direct = lambda made: on_arm(section=made, material=None)  # noqa: E731
    common = {"shear_factor": 1.0, "torsion_constant": 1e-8}
    stiff = {"EA": 1e3, "EI_y": 0.1, "EI_z": 0.1, "GJ": 0.1, "GA_y": 300.0, "GA_z": 300.0, "mass_per_length": 1.0}
    more = {"rotary_inertia": (1e-4, 1e-4, 1e-4), "damping": None, "damping_time": 0.1, "radius": 0.01, "shape": None}
    matrices = {"stiffness": np.full(6, 10.0), "inertia": np.array([1e-4, 1e-4, 1e-4, 1.0, 1.0, 1.0])}
    constants = {"young": 1e6, "poisson": 0.4, "shear": None, "density": 1e3, "viscosity": 1.0, "damping_time": 0.1}
    law = lambda made: on_arm(law=made, strain=sp.Legendre(bend_y=1, stretch=0))  # noqa: E731
    own = {"function": lambda e, K, s, c: e @ K @ e + c * e[1] ** 4, "given": {"c": 1.0}}
    return [
        Call("MooneyRivlinRod", sp.MooneyRivlinRod, {"share": 0.3}, law),
        Call("Stiffening", sp.Stiffening, {"bend_y": 0.3, "stretch": 1.0}, law),
        Call("Saturating", sp.Saturating, {"bend_y": 0.3, "stretch": 1.0}, law),
        Call("QuadraticEnergy", sp.QuadraticEnergy, {}, law),
        Call("StrainEnergy", sp.StrainEnergy, own, law),
        Call("Circle", sp.Circle, {"radius": 0.02, **common}, section),
        Call("Annulus", sp.Annulus, {"outer": 0.02, "inner": (0.01, 0.005), **common}, section),
        Call("Rectangle", sp.Rectangle, {"height": 0.02, "width": 0.01, **common}, section),
        Call("Ellipse", sp.Ellipse, {"semi_y": 0.02, "semi_z": lambda s: 0.01, **common}, section),
        Call("Section", sp.Section, {**matrices, "damping": None, "radius": 0.01, "shape": None}, direct),
        Call("Section.from_stiffness", sp.Section.from_stiffness, {**stiff, **more}, direct),
        Call("Material", sp.Material, constants, lambda made: on_arm(material=made)),
    ]


def _bases() -> list[Call]:
    families = (sp.Legendre, sp.Chebyshev, sp.Monomial, sp.Fourier, sp.Hat, sp.Hermite, sp.PiecewiseConstant)
    several = {"torsion": 1, "bend_y": 1, "stretch": None, "shear_y": 1}
    calls = [Call(f.__name__, f, several, lambda made: on_arm(strain=made, points=5)) for f in families]
    family = sp.Legendre(1)
    mixed = {"torsion": family, "bend_y": sp.Hat(2), "bend_z": None, "stretch": None, "shear_y": None, "shear_z": None}
    return [
        *calls,
        Call("Gaussian", sp.Gaussian, {"bend_y": 2, "width": 0.5}, basis),
        Call("CustomBasis", sp.CustomBasis, {"bend_y": lambda s: [1.0, s], "pieces": (0.5,)}, basis),
        Call("Strain", sp.Strain, mixed, basis),
    ]


def _joints() -> list[Call]:
    def options(dof: int) -> dict[str, Any]:
        limits = (-1.0, 1.0) if dof == 1 else [(-1.0, 1.0)] + [None] * (dof - 1)
        soft = {"limits": limits, "limit_stiffness": 10.0, "limit_width": 0.1, "friction": 0.1}
        return {"stiffness": 1.0, "damping": 0.1, "rest": [0.0] * dof if dof > 1 else 0.0, **soft}

    axis = {"axis": [0.0, 0.0, 1.0]}
    rubbing = {"coulomb": 1.0, "static": 2.0, "stribeck_velocity": 0.1, "slip_velocity": 0.01, "viscous": 0.1}
    frames = np.array([sp.pose((0.1 * k, 0.0, 0.0)) for k in range(5)])
    return [
        Call("Revolute", sp.Revolute, {**axis, **options(1)}, joint),
        Call("Prismatic", sp.Prismatic, {**axis, **options(1)}, joint),
        Call("Helical", sp.Helical, {**axis, "pitch": 0.1, **options(1)}, joint),
        Call("Cylindrical", sp.Cylindrical, {**axis, **options(2)}, joint),
        Call("Universal", sp.Universal, {"axis1": "x", "axis2": [0.0, 1.0, 0.0], **options(2)}, joint),
        Call("Planar", sp.Planar, {"normal": "z", **options(3)}, joint),
        Call("Translational", sp.Translational, options(3), joint),
        Call("Spherical", sp.Spherical, options(3), joint),
        Call("Free", sp.Free, options(6), joint),
        Call("Fixed", sp.Fixed, {}, joint),
        Call("Friction", sp.Friction, rubbing, lambda made: joint(sp.Revolute("x", friction=made))),
        Call("Euler", sp.Euler, {"order": "zyx", **options(3)}, joint),
        Call("Composite", sp.Composite, {"joints": [sp.Revolute("x"), sp.Prismatic("y")], **options(2)}, joint),
        Call("CurveJoint", sp.CurveJoint, {"frames": frames, "cyclic": False, **options(1)}, joint),
        Call("SurfaceJoint", sp.SurfaceJoint, {"values": 0.1 * np.arange(96.0).reshape(6, 4, 4), **options(2)}, joint),
    ]


def _bodies() -> list[Call]:
    tip = {"density": 500.0, "tip": sp.pose((0.1, 0.0, 0.0))}
    outline = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]])
    given = {"mass": 1.0, "inertia": np.ones(3), "com": np.zeros(3), "tip": sp.pose(), "volume": 1e-3, "shape": None}
    soft = {"length": 0.4, "section": sp.Circle(0.02), "material": material(), "strain": sp.Legendre(bend_y=1)}
    numbers = {"points": 3, "rest_strain": [0.0, 0.1, 0.0, 1.0, 0.0, 0.0], "magnus": 4, "extra_points": (0.3,)}
    return [
        Call("Rod", sp.Rod, {**soft, **numbers, "law": None}, lambda made: exercise(base(body=made).compile())),
        Call("Rigid", sp.Rigid, given, body),
        Call("Rigid.box", sp.Rigid.box, {"size": (0.1, 0.1, 0.1), **tip}, body),
        Call("Rigid.sphere", sp.Rigid.sphere, {"radius": 0.1, **tip}, body),
        Call("Rigid.capsule", sp.Rigid.capsule, {"length": 0.1, "radius": 0.02, **tip}, body),
        Call("Rigid.prism", sp.Rigid.prism, {"outline": outline, "height": 0.01, **tip}, body),
        Call("Rigid.cylinder", sp.Rigid.cylinder, {"length": 0.1, "radius": 0.02, **tip}, body),
        Call("Rigid.cone", sp.Rigid.cone, {"length": 0.1, "base_radius": 0.02, "tip_radius": 0.01, **tip}, body),
        Call("pose", sp.pose, {"xyz": np.zeros(3), "rpy": np.zeros(3), "rotation": None}),
    ]


def _loads() -> list[Call]:
    there = {"s": 0.5, "offset": sp.pose()}
    route = {"route": {"arm": lambda X: (0.0, 0.01)}, "until": {"arm": 0.3}, "slope": {"arm": lambda X: (0.0, 0.0)}}
    elastic = {"stiffness": 100.0, "damping": 1.0, "rest_length": 0.2, "smoothing": 1e-4}
    ends = {"a": ("world", 0.0), "b": ("arm", 0.5, sp.pose())}
    point = {"law": lambda t, g, eta, etadot, xi, z: -eta * z[0], "rate": lambda t, g, eta, etadot, xi, z: -z}
    tangent = lambda t, g, eta, etadot, xi, z: np.hstack([np.zeros((6, 6)), -z[0] * np.eye(6)])  # noqa: E731
    pair = {"law": lambda t, h, eta, z: eta * z[0], "rate": lambda t, h, eta, z: -z, "tangent": None}
    hold = {"a": ("hand", sp.pose()), "b": ("world", sp.pose((0.4, 0.0, 0.0))), "joint": sp.Spherical()}
    touch = {"exponent": 1.5, "damping": 0.1, "friction": 0.2, "slip_velocity": 1e-3, "per_length": False}
    water = {"density": 1e3, "current": [0.1, 0.0, 0.0], "drag": sp.Drag(), "added_mass": {"arm": np.ones(6)}}
    spring = {"stiffness": 5.0, "rest_length": 0.1, "damping": 0.1, "law": None, "slopes": None}
    wake = {"added_mass": sp.AddedMass(), "s": 1.0, "head": "base", "density": 1e3, "current": np.zeros(3)}
    rub = {"radius": 0.01, "arm": 0.1, "lag": 0.01, "slip_velocity": 1e-3, "start": 1.0}
    mesh = {"pairs": [(0, 1)], "stiffness": 5.0, "rest_length": [0.1], "damping": 0.1, "slack": True}
    net = {"springs": [(0, 1)], "stiffness": 5.0, "damping": 0.1, "rest_length": 0.2, "attached": {0: ("arm", 1.0)}}
    strand = {"start": np.zeros(3), "end": (0.4, 0.0, 0.0), "pieces": 3, "first": ("arm", 1.0), "sag": (0.0, 1.0, 0.0)}
    sheet = {"corner": np.zeros(3), "along": (0.1, 0.0, 0.0), "across": (0.0, 0.1, 0.0), "pieces": (1, 2)}
    wrench = np.full(6, 0.1)
    given = {"link": "arm", "wrench": wrench, "name": "w"}
    bodies = {"a": sp.Spheres("arm", 3), "b": sp.Plane(), "stiffness": 1e3}
    world, zero, one = {"link": "world", "s": 0.0}, np.zeros(3), np.ones(3)
    steering = {"rate": lambda t, q, v, z: -z, "output": lambda t, q, v, z: 0.1, "inputs": ("t",)}
    states = {"state0": (1.0,), "uses": ("pose", "twist"), "tangent": tangent}
    return [
        Call("PointWrench", sp.PointWrench, {**given, **there, "frame": "world"}, load),
        Call("Distributed", sp.Distributed, {**given, "frame": "local"}, load),
        Call("Thruster", sp.Thruster, {"name": "jet", "link": "hand", **there, "s": 1.0, "axes": wrench}, load),
        Call("JointDrive", sp.JointDrive, {"name": "motor", "link": "hand"}, load),
        Call("Prescribed", sp.Prescribed, {"link": "hand", "law": lambda t: (0.1 * t, 0.1, 0.0)}, driven),
        Call("Tendon", sp.Tendon, {"name": "t", **route}, load),
        Call("ElasticTendon", sp.ElasticTendon, {"name": "t", **route, **elastic}, load),
        Call("Chamber", sp.Chamber, {"name": "c", **route, "area": 1e-4}, load),
        Call("Cable", sp.Cable, {"name": "c", "points": [("world", 0.0), ("arm", 0.5)], **elastic}, load),
        Call("Spring", sp.Spring, {"name": "s", **ends, **spring}, load),
        Call("BearingFriction", sp.BearingFriction, {"name": "b", "link": "hand", "coefficient": 0.1, **rub}, load),
        Call("Springs", sp.Springs, {"name": "s", "points": list(ends.values()), **mesh, "smoothing": None}, load),
        Call("SpringNet", sp.SpringNet, {"nodes": np.eye(3), "mass": 0.1, **net}, netted),
        Call("SpringNet.rope", sp.SpringNet.rope, {**strand, "mass": 0.1, "stiffness": 50.0, "length": 0.6}, netted),
        Call("SpringNet.sheet", sp.SpringNet.sheet, {**sheet, "mass": 0.1, "stiffness": 50.0, "shear": 1.0}, netted),
        Call("PointLaw", sp.PointLaw, {"name": "p", "link": "arm", **point, **there, **states}, load),
        Call("PairLaw", sp.PairLaw, {"name": "p", **ends, **pair, "state0": (1.0,)}, load),
        Call("Loop", sp.Loop, {"name": "l", **hold}, load),
        Call("Contact", sp.Contact, {"name": "c", **bodies, **touch}, load),
        Call("Fluid", sp.Fluid, {**water, "buoyancy": True, "links": ["arm"], "name": "f"}, load),
        Call("Wake", sp.Wake, {"link": "arm", **wake, "name": "w"}, load),
        Call("Drag", sp.Drag, {"normal": 1.0, "tangential": 0.1, "lift": 0.1}, lambda made: load(sp.Fluid(drag=made))),
        Call("AddedMass", sp.AddedMass, {"x": 0.0, "y": 1.0, "z": 1.0}, lambda made: load(sp.Fluid(added_mass=made))),
        Call("Ball", sp.Ball, {"radius": 0.1, "center": zero, **world}, shape),
        Call("Capsule", sp.Capsule, {"radius": 0.1, "a": zero, "b": one, **world}, shape),
        Call("Box", sp.Box, {"size": one, "pose": sp.pose(), "link": "hand", "s": 0.0}, shape),
        Call("Plane", sp.Plane, {"normal": one, "height": -1.0, **world}, shape),
        Call("Tube", sp.Tube, {"point": zero, "axis": one, "radius": 0.5, "inside": True, **world}, shape),
        Call("Spheres", sp.Spheres, {"link": "arm", "n": 3, "radius": 0.01, "at": (0.2, 0.8)}, touching),
        Call("Controller", sp.Controller, {"state0": [0.0], **steering, "name": "pid"}, controller),
    ]


def _laws() -> list[Call]:
    table = {"times": np.array([0.0, 1.0, 2.0]), "values": np.array([0.0, 1.0, 0.5])}
    ramp = laws.Ramp(0.0, 0.1)
    return [
        Call("laws.Constant", laws.Constant, {"value": 0.1}, law),
        Call("laws.Ramp", laws.Ramp, {"start": 0.0, "end": 0.1, "t0": 0.0, "t1": 1.0}, law),
        Call("laws.Sine", laws.Sine, {"amplitude": 0.1, "frequency": 1.0, "phase": 0.1, "offset": 0.2}, law),
        Call("laws.Steps", laws.Steps, table, law),
        Call("laws.Spline", laws.Spline, {**table, "ends": "natural"}, law),
        Call("laws.Table", laws.Table, {**table, "hold": False}, law),
        Call("laws.Polynomial", laws.Polynomial, {"coefficients": [0.1, 0.2], "t0": 0.0, "t1": 1.0}, law),
        Call("laws.Sum", laws.Sum, {"a": ramp, "b": laws.Constant(0.1)}, law),
        Call("laws.Product", laws.Product, {"a": ramp, "b": laws.Constant(0.1)}, law),
    ]


def _methods() -> list[Call]:
    what = {"action": "stop", "direction": 0, "name": "e"}
    adaptive = {"rtol": 1e-3, "atol": 1e-6, "max_step": 0.1, "first_step": 1e-4}
    fixed = {"dt": 1e-3, "newton_rtol": 1e-10, "newton_atol": 1e-11, "loops": "stabilised"}
    return [
        Call("NDF", sp.NDF, {**adaptive, "loops": "stabilised", "max_order": 5, "jacobian": "analytical"}, method),
        Call("GeneralizedAlpha", sp.GeneralizedAlpha, {"rho_inf": 0.8, **adaptive, **fixed}, method),
        Call("Newmark", sp.Newmark, {"beta": 0.3, "gamma": 0.55, **adaptive, **fixed}, method),
        Call("ImplicitEuler", sp.ImplicitEuler, fixed, method),
        Call("BDF2", sp.BDF2, fixed, method),
        Call("Radau", sp.Radau, {**adaptive, "loops": "index3"}, method),
        Call("RK45", sp.RK45, {**adaptive, "baumgarte": 0.1}, method),
        Call("DOP853", sp.DOP853, {**adaptive, "baumgarte": 0.0}, method),
        Call("Nystrom", sp.Nystrom, {**adaptive, "baumgarte": 0.2, "order": 4}, method),
        Call("Event", sp.Event, {"function": lambda t, q, v: t - 0.005, **what}, event),
        Call("Switch", sp.Switch, {"q": np.zeros(plain().n), "v": None, "u": [0.2]}, switched),
    ]


def description_calls() -> list[Call]:
    """All of them."""
    return [*_sections(), *_bases(), *_joints(), *_bodies(), *_loads(), *_laws(), *_methods()]
