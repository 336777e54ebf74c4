"""Robots as functions of parameters of every kind, and differences by rebuilt models."""

from __future__ import annotations

import numpy as np

import supple as sp

#: Parameters of `everything`, of every kind.
EVERYTHING = {
    "young": 2e5,
    "poisson": 0.4,
    "density": 1000.0,
    "viscosity": 300.0,
    "length": 0.4,
    "radii": (0.03, 0.02),
    "bulge": (0.001, -0.002, 0.0015),
    "rest_strain": (0.1, 0.4, -0.2, 1.0, 0.02, 0.01),
    "axis": (0.2, 1.0, 0.1),
    "place": (0.02, -0.03, 0.05),
    "turn": 0.3,
    "mass": 0.5,
    "inertia": (0.002, 0.003, 0.004),
    "com": (0.01, 0.0, -0.02),
    "spring": 3.0,
    "damper": 0.2,
    "joint_rest": 0.1,
    "lower": 0.2,
    "limit_stiffness": 40.0,
    "offset": 0.012,
    "slope": 0.4,
    "area": 2e-4,
    "elastic": 60.0,
    "slack": 0.3,
    "bolt": 25.0,
    "bolt_place": (0.05, 0.1, 0.4),
    "wrench": (0.01, -0.02, 0.03, 0.2, -0.1, 0.3),
    "swing": 0.4,
    "frequency": 1.3,
    "per_metre": 0.6,
    "floor": 800.0,
    "friction": 0.4,
    "height": 0.05,
    "ball": 0.02,
    "water": 200.0,
    "drag": 1.2,
    "current": (0.1, -0.2, 0.05),
    "thrust": (0.1, 0.0, 1.0),
    "wake": 2.0,
    "gravity": (0.5, 0.2, -9.0),
}


def everything(**p):
    """A rod on a revolute joint, a body on its tip, and loads of all kinds."""
    robot = sp.Robot("everything", gravity=p["gravity"])
    material = sp.Material(young=p["young"], poisson=p["poisson"], density=p["density"], viscosity=p["viscosity"])
    base, tip = p["radii"]

    def radius(s):
        waves = sum(b * np.sin((k + 1) * np.pi * s) for k, b in enumerate(p["bulge"]))
        return base + (tip - base) * s + waves

    joint = sp.Revolute(
        p["axis"],
        stiffness=p["spring"],
        damping=p["damper"],
        rest=p["joint_rest"],
        limits=[(p["lower"], 2.0)],
        limit_stiffness=p["limit_stiffness"],
        limit_width=0.3,
    )
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=0, shear_y=0)
    rod = sp.Rod(p["length"], sp.Circle(radius), material, strain, points=4, rest_strain=p["rest_strain"])
    robot.add_link("arm", rod, joint, at=sp.pose(p["place"], (p["turn"], 0.1, 0.0)))
    body = sp.Rigid(p["mass"], p["inertia"], com=p["com"], tip=sp.pose((0.05, 0.0, 0.01)))
    wrist = sp.Spherical(stiffness=0.8, damping=0.01)
    robot.add_link("hand", body, wrist, parent="arm", at=sp.pose(rpy=(0.0, p["turn"], 0.0)))
    o, k, L = p["offset"], p["slope"], p["length"]
    robot.add(sp.Tendon("pull", {"arm": lambda X: (o * np.cos(k * X), o * (1.0 - X / (2.0 * L)))}))
    robot.add(sp.Chamber("blow", {"arm": lambda X: (0.0, -o)}, area=lambda s: p["area"] * (1.0 + s)))
    line = {"world": [p["bolt_place"]], "hand": [(0.02, o, 0.0)]}
    robot.add(sp.ElasticTendon("winch", line, stiffness=p["elastic"], rest_length=p["slack"], damping=0.3))
    end = sp.pose(p["bolt_place"])
    robot.add(sp.Spring("bolt", ("hand", 1.0), ("world", 0.0, end), p["bolt"], rest_length=0.2, damping=0.1))
    robot.add(sp.PointWrench("hand", p["wrench"], offset=sp.pose((o, 0.0, 0.0)), frame="local"))
    robot.add(sp.PointWrench("arm", lambda t: p["swing"] * np.sin(p["frequency"] * t) * np.ones(6), s=0.6))
    robot.add(sp.Distributed("arm", lambda s: np.array([0, 0, 0, 0, p["per_metre"] * (1 + s), 0.1])))
    ground = sp.Plane((0.0, 0.1, 1.0), p["height"])
    law = {"stiffness": p["floor"], "friction": p["friction"], "damping": 0.3, "slip_velocity": 0.05}
    robot.add(sp.Contact("ground", sp.Spheres("arm", n=6, radius=p["ball"]), ground, **law))
    drag, added = p["drag"] * np.ones(6), 0.2 * p["drag"] * np.ones(6)
    robot.add(sp.Fluid(p["water"], p["current"], {"arm": drag}, {"arm": added}, links=["arm"]))
    robot.add(sp.Wake("arm", (0.1, 0.1, 0.1, 0.0, p["wake"], p["wake"]), current=p["current"]))
    robot.add(sp.Thruster("jet", "hand", 1.0, np.eye(4), np.array([[0.0, 0.0, 0.1, *p["thrust"]]]).T))
    robot.add(sp.JointDrive("wrist", "hand"))
    return robot


LOOPED = {"width": 0.5, "reach": 0.3, "tilt": 0.1, "young": 3e5, "hang": 0.6, "frame": (0.01, 0.0, 0.02), "swing": 0.2}


def looped(**p):
    """A rod between two cranks, closed by a ball joint; one crank is prescribed."""
    robot = sp.Robot("looped", gravity=(0.0, 0.0, -9.81))
    crank = sp.Rigid(0.3, [0.001, 0.002, 0.002], tip=sp.pose((p["reach"], 0.0, 0.0)))
    robot.add_link("left", crank, sp.Revolute("y", stiffness=0.5), at=sp.pose(rpy=(0.0, -1.2, p["tilt"])))
    material = sp.Material(young=p["young"], poisson=0.4, density=900.0)
    rod = sp.Rod(p["width"], sp.Circle(0.015), material, sp.Legendre(bend_y=2, bend_z=1, torsion=0), points=4)
    robot.add_link("top", rod, sp.Universal("y", "z"), parent="left", at=sp.pose(rpy=(0.0, 1.2, 0.0)))
    at = sp.pose((p["width"], 0.0, 0.0), (0.0, -1.2, 0.0))
    robot.add_link("right", crank, sp.Spherical(stiffness=0.4), at=at)
    robot.add(sp.Loop("ball", ("top", sp.pose(p["frame"])), ("right", sp.pose((0.0, 0.01, 0.0))), sp.Spherical()))
    robot.add(sp.PointWrench("right", (0, 0, 0, p["hang"], 0.1, 0), s=0.0))
    robot.add(sp.Prescribed("left", sp.laws.Sine(p["swing"], 0.4, 0.3)))
    return robot


def differences(design, function, step=2e-4):
    """d(function(model))/d(parameters) by rebuilt models, to fourth order, (size, ...)."""
    values, found = design.pack(design.values), []
    for k in range(design.size):
        sizes = design.pack({name: np.full(np.shape(x), np.abs(x).max()) for name, x in design.values.items()})
        h, ends = step * (sizes[k] or 1.0), []
        for x in (-2.0, -1.0, 1.0, 2.0):
            moved = values.copy()
            moved[k] += x * h
            ends.append(np.asarray(function(design.model(**design.unpack(moved)))))
        found.append((8.0 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12.0 * h))
    return np.array(found)


def extrapolated(design, function, h=5e-4):
    """Differences of fourth order by every number of a design, (count, ...)."""
    found = []
    for name, value in design.values.items():
        for i in np.ndindex(np.shape(value)):

            def moved(step, name=name, value=value, i=i):
                x = np.array(value, dtype=float)
                x[i] *= 1.0 + step
                return function(design.model(**{name: x}))

            first, second = ((moved(x) - moved(-x)) / (2.0 * x * np.asarray(value)[i]) for x in (h, 2.0 * h))
            found.append((4.0 * first - second) / 3.0)
    return np.array(found)
