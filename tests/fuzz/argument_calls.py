"""Every public name of supple with good arguments, and what is done with what it returns."""

from __future__ import annotations

import inspect
import math
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import supple as sp
from supple import laws
from supple.model.model import Model

from .argument_uses import (
    STEPS,
    base,
    basis,
    body,
    closed,
    controller,
    designed,
    driven,
    event,
    exercise,
    joint,
    law,
    load,
    material,
    method,
    motion,
    netted,
    on_arm,
    path,
    plain,
    recorded,
    rich,
    shape,
    slim,
    state,
    switched,
    touching,
    trajectory,
)
from .soft_body_calls import soft_body_calls


class Call(NamedTuple):
    """A public function or class, good arguments, and what is done with the result."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    use: Callable[[Any], Any] = lambda made: made
    slow: bool = False  #: pictures: tried less often


# ---------------------------------------------------------------------- descriptions


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
        Call("Event", sp.Event, {"function": lambda t, q, v: t - 0.005, **what}, event),
        Call("Switch", sp.Switch, {"q": np.zeros(plain().n), "v": None, "u": [0.2]}, switched),
    ]


# ---------------------------------------------------------------------- robots and models


def _robots() -> list[Call]:
    link = {
        "name": "new",
        "body": sp.Rigid.sphere(0.1, density=1e3),
        "joint": sp.Revolute(),
        "parent": "arm",
        "at": sp.pose(),
    }

    def add_link(**given: Any) -> Any:
        robot = base()
        robot.add_link(**given)
        return exercise(robot.compile())

    def add(item: Any) -> Any:
        return load(item)

    def add_discs(**given: Any) -> Any:
        robot = base()
        robot.add_discs(**given)
        return exercise(robot.compile())

    def couple(**given: Any) -> Any:
        robot = base(sp.Revolute("z"))
        robot.couple(**given)
        return exercise(robot.compile())

    def follow(coupling: Any) -> Any:
        robot = base(sp.Revolute("z"))
        robot.follow(coupling)
        return exercise(robot.compile())

    coupled = base(sp.Revolute("z"))
    coupled.couple("hand", to="arm.rotation")
    discs = {"rod": "arm", "n": 2, "at": None, "radius": 0.03, "thickness": 0.005}

    return [
        Call("Robot", sp.Robot, {"name": "r", "gravity": np.array([0.0, 0.0, -9.81])}, repr),
        Call("Robot.add_link", add_link, {**link, "at": sp.pose()}),
        Call("Robot.add_discs", add_discs, {**discs, "density": 500.0, "mass": None, "name": "disc"}),
        Call("Robot.add", add, {"item": sp.PointWrench("arm", np.zeros(6))}),
        Call("Robot.compile", base().compile, {}, exercise),
        Call("Robot.couple", couple, {"follower": "hand", "to": "arm.rotation", "ratio": 2.0, "offset": 0.1}),
        Call("Robot.follow", follow, {"coupling": coupled.couplings[0]}),
        Call("Robot.copy", base().copy, {}, lambda made: exercise(made.compile())),
        Call("Robot.plot", base().plot, {"q": np.zeros(3), "ax": None, "frames": False}, closed, slow=True),
    ]


#: Good values of the parameters of functions of a model, by name.
def _known(model: Model) -> dict[str, Any]:
    x = state(model)
    given = {**x, "x": x["q"], "u": np.full(model.nu, 0.1), "lam": np.full(model.nc, 0.1), "z": np.full(model.nz, 0.1)}
    numbers = {"t": 0.1, "cv": 0.5, "ca": 2.0, "baumgarte": 0.1, "transposed": False, "link": "arm", "s": 0.5}
    others = {"X": x["q"], "given": [model.n - 1]}
    return {**given, **numbers, **others, "stations": [("arm", 0.5), ("hand", 1.0)], "frame": "world"}


def model_calls(model: Model, kind: str) -> list[Call]:
    """All public functions of a model whose parameters are states, times and stations."""
    known = _known(model)
    calls = []
    for name, function in inspect.getmembers(model, inspect.ismethod):
        parameters = inspect.signature(function).parameters
        if not name.startswith("_") and name not in SOLVERS and set(parameters) <= set(known):
            calls.append(Call(f"Model.{name} ({kind})", function, {p: known[p] for p in parameters}))
    return calls


def named_calls() -> list[Call]:
    """Functions of a model that ask for a load by its name."""
    names = {"contact": "floor", "contact_derivatives": "floor", "tension_derivatives": "guy", "link_index": "arm"}
    known = {**_known(rich()), "every_pair": False}
    calls = []
    for function, load_name in names.items():
        parameters = inspect.signature(getattr(rich(), function)).parameters
        given = {p: load_name if p == "name" else known[p] for p in parameters}
        calls.append(Call(f"Model.{function}", getattr(rich(), function), given))
    return calls


def motion_calls() -> list[Call]:
    """Read-outs along a motion."""
    known = {"link": "arm", "s": [0.2, 0.7], "frame": "world", "name": "floor", "every_pair": False}
    pages = {"path": None, "number": 2, "over_time": False}
    calls = []
    for name, function in inspect.getmembers(motion(), inspect.ismethod):
        parameters = [p for p in inspect.signature(function).parameters if p != "options"]
        if name.startswith("plot_"):
            given = {p: {**known, **pages}[p] for p in parameters}
            calls.append(Call(f"Trajectory.{name}", function, given, closed, slow=True))
        elif name[0] != "_" and name not in ("pose", "tip", "view") and set(parameters) <= set(known):
            calls.append(Call(f"Trajectory.{name}", function, {p: known[p] for p in parameters}))
    return calls


#: Functions of a model with calls of their own below, or without anything to ask.
SOLVERS = (
    *("statics", "statics_batch", "equilibrium_path", "modes", "simulate", "plot", "assemble", "check_derivatives"),
    *("step", "step_derivatives", "simulate_batch", "statics_all"),
)


def _solvers(model: Model, kind: str) -> list[Call]:
    x, u = state(model), np.full(model.nu, 0.1)
    search = {"tolerance": 1e-10, "max_iterations": 20}
    at = {"u": u, "q0": x["q"], "t": 0.1}
    run = {"t": 0.01, "q0": np.zeros(model.n), "v0": np.zeros(model.n), "u": u, "method": None, "breaks": (0.005,)}
    more = {"hold": False, "control_rate": None, "events": (), "progress": False, "checkpoint": None, "resume": False}
    limit = {"checkpoint_every": 30.0, "max_steps": STEPS}
    budget = {"starts": 2, "most": 2, "seconds": 0.05, "seed": 0, "spread": 1.0, "progress": None}
    steps = {"step": 0.05, "max_step": 0.5, "max_points": 4, "stop": None}
    closed_state = {"q": model.assemble(np.zeros(model.n)), "v": np.zeros(model.n), "z": np.full(model.nz, 0.1)}
    one = {**closed_state, "u": u, "dt": 1e-4, "method": None, "t": 0.1}
    calls = [
        ("step", one),
        ("step_derivatives", one),
        ("statics", {**at, **search, "multipliers": np.zeros(model.nc), "globalise": False}),
        ("statics_batch", {"u": np.array([u, u]), "q0": x["q"], "t": 0.1, **search, "threads": 1}),
        ("statics_all", {**at, **search, **budget}),
        ("equilibrium_path", {"u": u, "s": (0.0, 1.0), "q0": x["q"], **steps}),
        ("modes", {"at": None, "u": u, "t": 0.1, "count": 2}),
        ("simulate", {**run, **more, **limit}),
        ("assemble", {"q0": x["q"], "at_rest": False, "u": u, "t": 0.1}),
        ("check_derivatives", {**x, "u": u, "t": 0.1, "lam": np.zeros(model.nc)}),
    ]
    made = [Call(f"Model.{name} ({kind})", getattr(model, name), given) for name, given in calls]
    many = {**run, "t": np.array([0.0, 0.01]), "q0": np.zeros((2, model.n)), "threads": 1, "max_steps": STEPS}
    many |= {"hold": False, "control_rate": None, "events": (), "progress": False, "folder": None, "record": False}
    made.append(Call(f"Model.simulate_batch ({kind})", model.simulate_batch, many, lambda made: made.q[~made.failed]))
    picture = {"q": x["q"], "u": u, "t": 0.1, "ax": None}
    return [*made, Call(f"Model.plot ({kind})", model.plot, picture, closed, slow=True)]


def _results() -> list[Call]:
    folder = Path(tempfile.mkdtemp(prefix="supple-fuzz-"))
    run, route = trajectory(), path()
    saved = run.save(folder / "good.npz")
    film = {"path": folder / "film.gif", "fps": 2.0, "speed": 0.02, "watch": None, "progress": None}
    plot = {"path": folder / "page.png", "watch": [("arm", 1.0)]}
    page = {"path": folder / "page.html", "fps": 100.0, "speed": 1.0, "title": None}
    tape, n = recorded(), plain().n
    slender = designed(slim, 0.01).model().simulate(np.linspace(0.0, 0.01, 3), method=sp.BDF2(dt=5e-3), record=True)
    varied = slender.jvp(p={"radius": 0.01})
    rows = {name: np.zeros((3, n)) for name in ("q", "v", "a")}
    more = {"tip": {"arm": np.ones((3, 3))}, "pose": None, "u": np.ones((3, 1)), "energy": np.ones(3)}
    start = {"q0": np.zeros(n), "v0": np.ones(n), "u": np.ones(1), "z0": np.zeros(0)}
    swept = {"function": math.sqrt, "samples": [1.0, 4.0], "executor": None, "resume": True, "progress": False}
    return [
        Call("sweep", sp.sweep, swept, lambda made: made.array()[~made.failed]),
        Call("Design", designed, {"build": slim, "radius": 0.01}, lambda made: made.model().n),
        Call("Trajectory.vjp", tape.vjp, {**rows, **more}, lambda made: made.q0),
        Call("Trajectory.jvp", tape.jvp, start, lambda made: made.q),
        Call("Trajectory.jvp (design)", slender.jvp, {"p": {"radius": 0.01}}, lambda made: made.q),
        Call("Variation.tip", varied.tip, {"link": "arm"}),
        Call("Variation.pose", varied.pose, {"link": "arm", "s": 0.5}),
        Call("Trajectory.pose", run.pose, {"link": "arm", "s": 0.5}),
        Call("Trajectory.tip", run.tip, {"link": "arm", "s": 0.5}),
        Call("Trajectory.save", run.save, {"path": folder / "copy.npz"}),
        Call("Trajectory.load", sp.Trajectory.load, {"path": saved, "model": plain()}, lambda made: made.q),
        Call("Trajectory.plot", run.plot, plot, closed, slow=True),
        Call("Trajectory.animate", run.animate, film, slow=True),
        Call("Trajectory.export", run.export, page, slow=True),
        Call("EquilibriumPath.at", route.at, {"s": 0.3}, lambda made: made.q),
        Call("Multipliers.__getitem__", rich().statics().multipliers.__getitem__, {"name": "tip"}),
    ]


def _files() -> list[Call]:
    """Frames, parts and files; every call has a robot and files of its own."""
    folder = Path(tempfile.mkdtemp())
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    ends = '<parent link="a"/><child link="b"/>'
    links = f'<link name="a"/><link name="b">{body}</link>'
    (folder / "a.urdf").write_text(f'<robot name="r">{links}<joint name="j" type="continuous">{ends}</joint></robot>')

    def fresh() -> sp.Robot:
        robot = sp.Robot("r")
        robot.add_link("a", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
        return robot

    file = folder / "a.yaml"
    fresh().save(file)
    file.write_text(file.read_text() + "parameters: {p: 1.0}\n")
    urdf = {"path": folder / "a.urdf", "base": "fixed", "name": None, "gravity": (0.0, 0.0, -9.81), "packages": None}
    hinge = '<joint name="j" axis="0 1 0"/><geom type="sphere" size="0.1"/>'
    (folder / "a.xml").write_text(f'<mujoco><worldbody><body name="a">{hinge}</body></worldbody></mujoco>')
    mjcf = {"path": folder / "a.xml", "name": None, "gravity": (0.0, 0.0, -9.81), "folder": folder}
    part = {"part": fresh(), "to": "a", "at": sp.pose(), "prefix": "p/"}
    framed = fresh()
    framed.add_frame("tool", "a")
    return [
        Call("Robot.add_frame", lambda **x: fresh().add_frame(**x), {"name": "f", "link": "a", "at": sp.pose()}),
        Call("Robot.attach", lambda **x: fresh().attach(**x), part),
        Call("Robot.save", lambda **x: fresh().save(**x), {"path": folder / "b.yaml", "functions": None}),
        Call("load", sp.load, {"path": file, "functions": None, "p": 1.0}),
        Call("load_design", sp.load_design, {"path": file, "functions": None}),
        Call("load_urdf", sp.load_urdf, {**urdf, "shapes": "visual", "limits": True, "merge": True}),
        Call("load_mjcf", sp.load_mjcf, {**mjcf, "shapes": "visual", "limits": True, "armature": True, "merge": True}),
        Call("HelicalRoute", sp.HelicalRoute, {"radius": 0.01, "pitch": 0.1, "phase": 0.0}, lambda made: made(0.1)),
        Call("Model.frame", framed.compile().frame, {"name": "tool"}),
    ]


def all_calls() -> list[Call]:
    """Everything, built once per process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [(plain(), "plain"), (rich(), "rich")]
        made = [Call(*call) for call in soft_body_calls()]
        made += [*_sections(), *_bases(), *_joints(), *_bodies(), *_loads(), *_laws(), *_methods(), *_robots()]
        for model, kind in models:
            made += [*model_calls(model, kind), *_solvers(model, kind)]
        return [*made, *named_calls(), *motion_calls(), *_results(), *_files()]
