"""Robots with parameters for derivatives of motions, one per feature, and how they are held to account."""

import warnings

import numpy as np
import pytest

import supple as sp
from motion_cases import END, METHODS, feedback
from motion_replay import Replay
from supple.model.accelerations import joint_efforts
from supple.solvers.inputs import Excitation


def arm(items=(), young=3e5, density=1000.0, length=0.4, offset=0.01, gravity=-9.81):
    """A rod with two tendons and whatever else."""
    robot = sp.Robot("arm", gravity=(0.0, 0.0, gravity))
    material = sp.Material(young, density=density, viscosity=3e3)
    basis = sp.Legendre(bend_y=1, bend_z=1, stretch=0)
    robot.add_link("arm", sp.Rod(length, sp.Circle((0.02, 0.015)), material, basis, points=3))
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, offset)}))
    robot.add(sp.ElasticTendon("side", {"arm": lambda X: (0.008, 0.002)}, stiffness=100.0))
    for item in items:
        robot.add(item)
    return robot


def flyer(density=800.0, young=3e5, place=0.1):
    """Spins fast, so that its charts are re-centred; its joints have places that are parameters."""
    robot = sp.Robot("flyer")
    at = sp.pose((place, 0.2 * place, 0.0), (place, 0.0, 0.3))
    robot.add_link("body", sp.Rigid.box((0.1, 0.2, 0.15), density=density), sp.Free(), at=at)
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    tail = sp.Rod(0.2, sp.Circle(0.02), material, sp.Legendre(bend_y=1), points=3)
    robot.add_link("tail", tail, parent="body", at=sp.pose((0.0, place, 0.0)))
    ball = sp.Rigid(0.1, (1e-3, 1e-3, 2e-3))
    robot.add_link("ball", ball, sp.Spherical(), "body", at=sp.pose((0.0, 0.0, place), (0.3, place, 0.0)))
    robot.add(sp.Spring("guy", ("tail", 1.0), ("world", 0.0), 5.0, 0.05))
    return robot


def looped(young=3e5, place=0.36, length=0.4, spring=0.01, lift=0.05):
    robot = sp.Robot("bow")
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    bow = sp.Rod(length, sp.Circle((0.02, 0.015)), material, sp.Legendre(bend_y=2, stretch=1), points=3)
    robot.add_link("bow", bow, sp.Revolute("y", stiffness=spring))
    robot.add(sp.Tendon("string", {"bow": lambda X: (0.0, 0.008)}))
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((place, 0.0, lift))), sp.Spherical()))
    return robot


class Turning:
    """A motion of a joint with three coordinates that follows parameters."""

    def __init__(self, swing, speed):
        self.swing, self.speed = swing, speed

    def __call__(self, t):
        size, w = self.swing * np.array([1.0, 0.5, -0.7]), self.speed
        return size * np.sin(w * t + 0.4), w * size * np.cos(w * t + 0.4), -w * w * size * np.sin(w * t + 0.4)


def turned(swing=0.4, speed=5.0, normal=0.3, density=800.0, young=3e5):
    """A base that a planar joint moves, whose axes follow a parameter, and that is prescribed by laws that do."""
    robot = sp.Robot("turned")
    joint = sp.Planar((np.sin(normal), 0.0, np.cos(normal)))
    robot.add_link("base", sp.Rigid.box((0.1, 0.12, 0.1), density=density), joint)
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    arm = sp.Rod(0.4, sp.Circle((0.02, 0.015)), material, sp.Legendre(bend_y=1, bend_z=1), points=3)
    robot.add_link("arm", arm, parent="base")
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.Prescribed("base", Turning(swing, speed)))
    return robot


def held_loop(swing=0.2, place=0.36, young=3e5):
    """A loop whose hinge is prescribed by a law that follows a parameter."""
    robot = sp.Robot("held")
    robot.add_link("crank", sp.Rigid.cylinder(0.1, 0.01, density=900.0), sp.Revolute("y"))
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    bow = sp.Rod(0.4, sp.Circle(0.02), material, sp.Legendre(bend_y=2, stretch=1), points=3)
    robot.add_link("bow", bow, sp.Revolute("y", stiffness=0.05), parent="crank")
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((place + 0.1, 0.0, 0.05))), sp.Spherical()))
    robot.add(sp.Prescribed("crank", sp.laws.Sine(swing, 1.5, 0.2)))
    return robot


def touching(stiffness=2e3, friction=0.4, height=-0.02, **others):
    floor = sp.Plane(height=height)
    ball = sp.Spheres("arm", n=5)
    return arm([sp.Contact("floor", ball, floor, stiffness=stiffness, friction=friction, slip_velocity=0.05)], **others)


def swimming(water=1000.0, current=(0.1, 0.0, 0.2), drag=0.5, **others):
    matrices = {"arm": drag * np.array([0.01, 0.01, 0.01, 0.1, 1.0, 1.0])}
    return arm([sp.Fluid(density=water, current=tuple(current), drag=matrices, added_mass=matrices)], **others)


def driven(amplitude=0.3, speed=3.0, knots=(0.1, 0.3, -0.2), **others):
    wave = sp.PointWrench("arm", sp.laws.Sine(amplitude * np.array([0.0, 0.0, 0.0, 0.1, 1.0, 2.0]), speed))
    table = sp.laws.Spline([0.0, 0.02, 0.04], np.outer(knots, [0.0, 0.0, 0.01, 0.0, 0.3, 0.0]))
    return arm([wave, sp.PointWrench("arm", table, s=0.5)], **others)


def controlled(gain=0.5, leak=0.3, first=(0.2, -0.1), **others):
    """A controller whose gains and initial states are parameters."""

    def rate(t, q, v, z):
        return np.array([q[0] - leak * z[0] * z[0], v[1] - z[1] + gain])

    def output(t, q, v, z):
        return np.array([2.0 + gain * np.sin(z[0]) + 0.1 * v[0], 0.1 + 0.01 * z[1] + 0.005 * q[1] ** 2])

    return arm([sp.Controller(tuple(first), rate, output)], **others)


def sampled(gain=0.5, **others):
    """A controller without states, which is sampled."""
    none = np.zeros(0)

    def output(t, q, v, z):
        return np.array([2.0 + gain * np.sin(q[0]) + 0.05 * gain * v[1], 0.1 + 0.01 * gain * q[1] - 0.002 * v[0]])

    return arm([sp.Controller((), lambda t, q, v, z: none, output)], **others)


def remembering(push=0.3, leak=0.5, first=(0.2, 0.1), **others):
    """A load with states, whose law, rate and initial states follow parameters."""

    def law(t, g, eta, etadot, xi, z):
        return np.concatenate([-1e-3 * (1.0 + z[0]) * eta[:3], -0.2 * eta[3:] + push * z[1] * g[:3, 0]])

    def rate(t, g, eta, etadot, xi, z):
        return np.array([eta[3] - z[0] + 1e-3 * etadot[4] + g[2, 3], np.sin(t) - leak * z[1] + 0.1 * eta[4]])

    uses = ("pose", "twist", "acceleration")
    return arm([sp.PointLaw("memory", "arm", law, uses=uses, state0=tuple(first), rate=rate)], **others)


def rested(rest=0.4, spring=2.0, young=3e5):
    """Begins at rest, which is a parameter."""
    robot = sp.Robot("rested")
    joint = sp.Revolute("y", stiffness=spring, rest=rest, damping=0.01)
    robot.add_link("base", sp.Rigid.box((0.1, 0.12, 0.1), density=800.0), joint)
    material = sp.Material(young, density=1000.0, viscosity=3e3)
    arm = sp.Rod(0.4, sp.Circle((0.02, 0.015)), material, sp.Legendre(bend_y=1, bend_z=1), points=3)
    robot.add_link("arm", arm, sp.Revolute("z", stiffness=1.0, rest=0.5 * rest), parent="base")
    return robot


COMMON = {"young": 3e5, "density": 1000.0, "length": 0.4, "offset": 0.01, "gravity": -9.81}

#: Name: the function, its parameters, options of the simulation.
DESIGNS = {
    "tendon": (arm, COMMON, {}),
    "flyer": (flyer, {"density": 800.0, "young": 3e5, "place": 0.1}, {}),
    "loop": (looped, {"young": 3e5, "place": 0.36, "length": 0.4, "spring": 0.01, "lift": 0.05}, {}),
    "index3": (looped, {"young": 3e5, "place": 0.36, "length": 0.4}, {"loops": "index3"}),
    "turned": (turned, {"swing": 0.4, "speed": 5.0, "normal": 0.3, "density": 800.0, "young": 3e5}, {}),
    "held loop": (held_loop, {"swing": 0.2, "place": 0.36, "young": 3e5}, {}),
    "held open": (held_loop, {"swing": 0.2, "place": 0.36, "young": 3e5}, {"closed": False}),
    "contact": (touching, {"stiffness": 2e3, "friction": 0.4, "height": -0.02, "young": 3e5}, {}),
    "water": (swimming, {"water": 1000.0, "current": (0.1, 0.0, 0.2), "drag": 0.5, "length": 0.4}, {}),
    "laws": (driven, {"amplitude": 0.3, "speed": 3.0, "knots": (0.1, 0.3, -0.2), "young": 3e5}, {}),
    "controller": (controlled, {"gain": 0.5, "leak": 0.3, "first": (0.2, -0.1), "young": 3e5}, {}),
    "states": (remembering, {"push": 0.3, "leak": 0.5, "first": (0.2, 0.1), "length": 0.4}, {}),
    "feedback": (arm, {"young": 3e5, "offset": 0.01}, {"u": feedback}),
    "sampled": (sampled, {"gain": 0.5, "young": 3e5}, {"control_rate": 60.0}),
    "rest": (rested, {"rest": 0.4, "spring": 2.0, "young": 3e5}, {"q0": None}),
}


def recorded(name, method, seed=0, **more):
    """A design, a recorded motion of its model, and what it began with."""
    build, values, options = DESIGNS[name]
    options, scheme, rng = {**options, **more}, METHODS[method], np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = sp.Design(build, **values)
        model = design.model()
        if "loops" in options:
            if scheme.control.fixed_step is None:
                pytest.skip("methods whose steps vary have no index 3")
            fields = {name: getattr(scheme, name) for name in scheme.__dataclass_fields__}
            scheme = type(scheme)(**{**fields, "loops": options.pop("loops")})
        t = options.pop("t", np.linspace(0.0, END, 5))
        q0, v0 = 0.1 * rng.normal(size=model.n), rng.normal(size=model.n)
        if name == "flyer":
            v0 = np.zeros(model.n)
            v0[:3], v0[-3:] = (60.0, 40.0, -20.0), (-40.0, 10.0, 30.0)
        if model.nc:
            q0 = model.assemble(0.1 * q0)
            for joint in model.prescribed:  # its law begins elsewhere than where robots are assembled
                q0[joint.coordinates.start : joint.coordinates.stop] = joint.motion(0.0)[0]
            q0 = model.assemble(q0) if options.pop("closed", True) else q0
        if "q0" in options:
            q0 = options.pop("q0")
        u = options.pop("u", None)
        if u is None and not model.controllers and model.nu:
            u = (2.0 + rng.uniform(size=model.nu)) * np.where(np.array(model.input_names) == "side", 0.03, 1.0)
        motion = model.simulate(t, q0, v0, u, scheme, record=True, **options)
    return design, motion, q0, v0


def stations(model):
    """A tip and a pose."""
    return model.link_names[-1], (model.link_names[0], 1.0)


def cotangents(motion, seed=1):
    """Random ones of everything that a motion gives, of about the same size."""
    rng, T, found = np.random.default_rng(seed), len(motion.t), {}
    for name in ("q", "v", "a", "u", "z", "efforts", "multipliers"):
        values = np.asarray(getattr(motion, name))
        if values.size:
            found[name] = rng.normal(size=values.shape) / max(1.0, np.abs(values).max())
    tip, pose = stations(motion.model)
    found["tip"], found["pose"] = {tip: rng.normal(size=(T, 3))}, {pose: rng.normal(size=(T, 6))}
    found["energy"] = 0.1 * rng.normal(size=T)
    return found


def variation_terms(motion, variation, weights):
    """Products of cotangents and variations, by name."""
    tip, pose = stations(motion.model)
    terms = {"tip": weights["tip"][tip] * variation.tip(tip), "pose": weights["pose"][pose] * variation.pose(*pose)}
    terms["energy"] = weights["energy"] * variation.energy()
    return terms | {x: weights[x] * getattr(variation, x) for x in weights if x not in terms}


def direction_of(design, seed=2):
    """Changes of all parameters, of their own sizes."""
    rng = np.random.default_rng(seed)
    return {name: np.abs(x) * rng.normal(size=np.shape(x)) for name, x in design.values.items()}


def replayed_loss(motion, model, rows, weights):
    """The scalar with these cotangents, of rows that were replayed by a model; inputs follow from the rows."""
    n, nc, nz = model.n, model.nc, motion.z.shape[1]
    q, v, a, lam, z, R = np.split(rows, [n, 2 * n, 3 * n, 3 * n + nc, 3 * n + nc + nz], axis=1)
    values = {"q": q, "v": v, "a": a, "z": z, "multipliers": lam, "efforts": joint_efforts(model, q, R)}
    u = motion.u.copy()
    if model.controllers or callable(motion.tape.pieces[0].u):
        excitation = Excitation(model, motion.tape.pieces[0].u, motion.tape.times, False)
        if not motion.tape.sampled:
            u = excitation.inputs_along(motion.t, q, v, z)
    values["u"] = u
    tip, pose = stations(model)
    total = sum((weights[x] * values[x]).sum() for x in values if x in weights)
    for k, state in enumerate(q):
        g0 = motion.model.pose(motion.q[k], *pose)
        total += weights["tip"][tip][k] @ model.pose(state, tip)[:3, 3]
        total += weights["pose"][pose][k] @ _small_twist(np.linalg.inv(g0) @ model.pose(state, *pose))
        total += weights["energy"][k] * model.energy(state, v[k], u[k], float(motion.t[k])).total
    return total


def _small_twist(g):
    """Of a pose next to the identity, to second order."""
    S = 0.5 * (g[:3, :3] - g[:3, :3].T)
    return np.array([S[2, 1], S[0, 2], S[1, 0], *g[:3, 3]])


def replayed_slope(design, motion, q0, v0, weights, change, steps=(2e-5, 4e-6, 1e-4)):
    """Differences (fourth order) of replays along a direction of the parameters, one for each step."""
    base = Replay(motion)
    base.run(motion.model.rest if q0 is None else q0, v0)
    values = design.values

    def at(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = design.model(**{name: np.asarray(values[name]) + x * change[name] for name in change})
        rows = Replay(motion, model, base.kept).run(model.rest if q0 is None else q0, v0)
        return replayed_loss(motion, model, rows, weights)

    for h in steps:
        yield (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
