"""Robots and methods for derivatives of motions, and how they are held to account: by replays of what was recorded."""

import warnings

import numpy as np
import pytest

import supple as sp
from motion_replay import Replay
from supple.model.accelerations import joint_efforts

METHODS = {
    "ndf": sp.NDF(rtol=1e-8, atol=1e-10),
    "alpha": sp.GeneralizedAlpha(dt=4e-3),
    "adaptive": sp.GeneralizedAlpha(rtol=1e-7, atol=1e-9),
    "newmark": sp.Newmark(beta=0.31, gamma=0.6, dt=4e-3),
    "bdf2": sp.BDF2(dt=4e-3),
    "euler": sp.ImplicitEuler(dt=4e-3),
    "radau": sp.Radau(rtol=1e-8, atol=1e-10),
    "rk45": sp.RK45(rtol=1e-6, atol=1e-9),
    "dop853": sp.DOP853(rtol=1e-6, atol=1e-9),
    "nystrom": sp.Nystrom(rtol=1e-5, atol=1e-8),
    "nystrom4": sp.Nystrom(rtol=1e-5, atol=1e-8, order=4),
}
END = 0.03

# ---------------------------------------------------------------------- robots


def rod(length=0.4, **strain):
    material = sp.Material(3e5, density=1000.0, viscosity=3e3)
    basis = sp.Legendre(**(strain or {"bend_y": 1, "bend_z": 1}))
    return sp.Rod(length, sp.Circle((0.02, 0.015)), material, basis, points=3)


def tendon_arm(*items):
    robot = sp.Robot("arm")
    robot.add_link("arm", rod(bend_y=1, bend_z=1, stretch=0))
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.ElasticTendon("side", {"arm": lambda X: (0.008, 0.002)}, stiffness=100.0))
    for item in items:
        robot.add(item)
    return robot.compile()


def flyer():
    """Spins fast, so that its chart is re-centred."""
    robot = sp.Robot("flyer")
    robot.add_link("body", sp.Rigid(1.0, (0.01, 0.02, 0.03), tip=sp.pose((0.1, 0.0, 0.0))), sp.Free())
    robot.add_link("tail", rod(0.2, bend_y=1), parent="body")
    robot.add_link("ball", sp.Rigid(0.1, (1e-3, 1e-3, 2e-3)), sp.Spherical(), "body")
    robot.add(sp.Tendon("pull", {"tail": lambda X: (0.0, 0.01)}))
    return robot.compile()


def looped():
    robot = sp.Robot("bow")
    robot.add_link("bow", rod(bend_y=2, stretch=1), sp.Revolute("y", stiffness=0.01))
    robot.add(sp.Tendon("string", {"bow": lambda X: (0.0, 0.008)}))
    robot.add(sp.JointDrive("motor", "bow"))
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((0.36, 0.0, 0.05))), sp.Spherical()))
    return robot.compile()


class Wave:
    def __call__(self, t):
        return 0.3 * np.sin(5.0 * t), 1.5 * np.cos(5.0 * t), -7.5 * np.sin(5.0 * t)


def moved_base():
    robot = sp.Robot("moved")
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=800.0), sp.Revolute("y"))
    robot.add_link("arm", rod(), parent="base")
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.Prescribed("base", Wave()))
    return robot.compile()


def bouncing():
    floor = sp.Plane(height=-0.02)
    contact = sp.Contact("floor", sp.Spheres("arm", n=5), floor, stiffness=2e3, friction=0.4, slip_velocity=0.05)
    return tendon_arm(contact)


def swimming():
    return tendon_arm(sp.Fluid(density=1000.0, current=(0.1, 0.0, 0.2)))


def leak(t, q, v, z):
    return np.array([q[0] - 0.3 * z[0] * z[0], v[1] - z[1]])


def answer_of(t, q, v, z):
    return np.array([2.0 + 0.5 * np.sin(z[0]) + 0.1 * v[0], 0.1 + 0.01 * z[1] + 0.005 * q[1] ** 2])


def controlled():
    return tendon_arm(sp.Controller((0.2, -0.1), leak, answer_of))


def remembering(t, g, eta, etadot, xi, z):
    return np.concatenate([-1e-3 * (1.0 + z[0]) * eta[:3], -0.2 * eta[3:] + 0.3 * z[1] * g[:3, 0]])


def memory(t, g, eta, etadot, xi, z):
    return np.array([eta[3] - z[0] + 1e-3 * etadot[4], np.sin(t) - 0.5 * z[1] + 0.1 * eta[4]])


def with_memory():
    uses = ("pose", "twist", "acceleration")
    law = sp.PointLaw("memory", "arm", remembering, uses=uses, state0=(0.2, 0.1), rate=memory)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its tangent is differenced
        return tendon_arm(law)


def feedback(t, q, v):
    return np.array([2.0 + np.sin(q[0]) + 0.05 * v[1], 0.1 + 0.01 * q[1] - 0.002 * v[0]])


ROBOTS = {
    "tendon": (tendon_arm, {}),
    "flyer": (flyer, {}),
    "loop": (looped, {}),
    "index3": (looped, {"loops": "index3"}),
    "prescribed": (moved_base, {}),
    "contact": (bouncing, {}),
    "water": (swimming, {}),
    "controller": (controlled, {}),
    "states": (with_memory, {}),
    "feedback": (tendon_arm, {"u": feedback}),
    "sampled": (tendon_arm, {"u": feedback, "control_rate": 60.0}),
}


def recorded(robot, method, seed=0):
    """A recorded motion with random inputs, from a random state."""
    make, options = ROBOTS[robot]
    options = dict(options)
    model, rng = make(), np.random.default_rng(seed)
    if "loops" in options:
        scheme = METHODS[method]
        if scheme.control.fixed_step is None and method != "radau":
            pytest.skip("methods whose steps vary have no index 3")
        fields = {name: getattr(scheme, name) for name in scheme.__dataclass_fields__}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheme = type(scheme)(**{**fields, "loops": options.pop("loops")})
    else:
        scheme = METHODS[method]
    t = np.linspace(0.0, END, 7)
    q0, v0 = 0.1 * rng.normal(size=model.n), rng.normal(size=model.n)
    if model.name == "flyer":
        v0 = np.zeros(model.n)
        v0[:3], v0[-3:] = (60.0, 40.0, -20.0), (-40.0, 10.0, 30.0)
    u = options.pop("u", None)
    if u is None and not model.controllers and model.nu:
        u = (2.0 + rng.uniform(size=(len(t), model.nu))) * np.where(np.array(model.input_names) == "side", 0.03, 1.0)
    if model.nc:
        q0 = model.assemble(0.1 * q0)
    motion = model.simulate(t, q0, v0, u, scheme, record=True, **options)
    return motion, q0, v0, u


def rows_of(motion):
    return np.hstack([motion.q, motion.v, motion.a, np.asarray(motion.multipliers), motion.z])


def cotangents(motion, seed=1):
    """Random ones, of results at about the same size."""
    rng, found = np.random.default_rng(seed), {}
    for name in ("q", "v", "a", "z", "efforts", "multipliers"):
        values = np.asarray(getattr(motion, name))
        if values.size:
            found[name] = rng.normal(size=values.shape) / max(1.0, np.abs(values).max())
    return found


def loss_of(motion, results, weights, model=None):
    """The scalar with these cotangents, of replayed rows (by another model, if one is given)."""
    model, n, nc, nz = model or motion.model, motion.model.n, motion.model.nc, motion.z.shape[1]
    q, v, a, lam, z, R = np.split(results, [n, 2 * n, 3 * n, 3 * n + nc, 3 * n + nc + nz], axis=1)
    values = {"q": q, "v": v, "a": a, "z": z, "multipliers": lam, "efforts": joint_efforts(model, q, R)}
    return sum((weights[name] * values[name]).sum() for name in weights)


def directions(motion, u, seed=2):
    rng, n = np.random.default_rng(seed), motion.model.n
    change = {"q0": rng.normal(size=n), "v0": rng.normal(size=n)}
    if isinstance(u, np.ndarray):
        change["u"] = rng.normal(size=u.shape) * np.abs(u)
    if motion.z.size:
        change["z0"] = rng.normal(size=motion.z.shape[1])
    return change


def differenced(motion, q0, v0, u, weights, change, h=2e-5):
    """Central differences of fourth order of the scalar along each direction, of replayed motions."""
    replay = Replay(motion)
    base = replay.run(q0, v0, u)
    own = rows_of(motion)
    scale = np.maximum(1.0, np.abs(own).max(axis=0))
    found = {"same": np.abs((base[:, : own.shape[1]] - own) / scale).max()}
    z0 = replay._first_states()
    for name, direction in change.items():
        def at(x, name=name, direction=direction):
            given = {"q0": q0, "v0": v0, "u": u, "z0": z0}
            given[name] = given[name] + x * direction
            return loss_of(motion, replay.run(**given), weights)

        found[name] = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    return found


#: Results that short steps divide by h^2: rounding of positions shows in them, in replays above all.
DIVIDED = ("a", "multipliers", "efforts")


def check_apart(motion, q0, v0, u, steps=(2e-5, 2e-6)):
    """Positions, velocities and internal states as `check` has it; all results by differences over longer steps."""
    weights = {name: value for name, value in cotangents(motion).items() if name not in DIVIDED}
    check(motion, q0, v0, u, weights=weights, steps=steps)
    check(motion, q0, v0, u, tolerance=1e-5, steps=max(steps, (2e-4, 2e-5)))


def check(motion, q0, v0, u, tolerance=1e-6, same=1e-4, weights=None, steps=(2e-5, 2e-6)):
    weights, change = cotangents(motion) if weights is None else weights, directions(motion, u)
    gradient = motion.vjp(**weights)
    found = {name: float(np.sum(getattr(gradient, name) * change[name])) for name in change}
    expected = differenced(motion, q0, v0, u, weights, change, steps[0])
    assert expected.pop("same") < same
    size = max(abs(x) for x in expected.values())

    def wrong(expected):
        return {
            name: (found[name], value)
            for name, value in expected.items()
            if not abs(found[name] - value) < tolerance * max(abs(value), 1e-3 * size)
        }

    if wrong(expected):  # a contact that begins within a difference
        expected = differenced(motion, q0, v0, u, weights, change, steps[1])
        expected.pop("same")
    assert not wrong(expected)
    variation = motion.jvp(**change)
    along = sum((weights[name] * getattr(variation, name)).sum() for name in weights)
    terms = sum(np.abs(weights[name] * getattr(variation, name)).sum() for name in weights)
    total = sum(found.values())
    assert abs(along - total) < 1e-10 * terms, (along, total)


def small(method="alpha", **options):
    """A model, an initial state, and a function that simulates from one with inputs."""
    model = tendon_arm()
    rng = np.random.default_rng(4)
    q0, v0 = 0.1 * rng.normal(size=model.n), rng.normal(size=model.n)
    t = options.pop("t", np.linspace(0.0, 0.04, 5))
    return model, q0, v0, lambda q, v, x: model.simulate(t, q, v, x, METHODS[method], record=True, **options)


def along(function, h=1e-5):
    """Derivative at zero of a function of one number, by differences of fourth order."""
    return (8.0 * (function(h) - function(-h)) - (function(2.0 * h) - function(-2.0 * h))) / (12.0 * h)
