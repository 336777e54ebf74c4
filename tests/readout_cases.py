"""A robot on which everything acts at once, for tests of read-outs, and random states of it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

import supple as sp
from supple.model.model import Model
from supple.readouts.parts import State, make_state

RUBBER = sp.Material(young=1e6, poisson=0.45, density=1100.0, viscosity=2e3)


def pushing(t, g, eta, etadot, xi, z):
    """A law that feels everything and has a state."""
    return np.array([0.1, 0.0, 0.2, 1.0 + z[0], 0.0, np.sin(3.0 * t)]) - 0.3 * eta - 0.05 * etadot + 0.1 * g[2, 3]


def relaxing(t, g, eta, etadot, xi, z):
    """z' = v_x - z."""
    return np.array([eta[3] - z[0]])


def holding(t, h, eta):
    """A spring and damper between two frames, in all directions."""
    return np.concatenate([0.02 * eta[:3], 3.0 * h[:3, 3] + 0.4 * eta[3:]])


def swinging(t):
    """Angle, rate and acceleration of the prescribed joint."""
    return 0.4 * np.sin(2.0 * t), 0.8 * np.cos(2.0 * t), -1.6 * np.sin(2.0 * t)


def circle(X):
    """A route that winds and tapers."""
    return 0.012 * np.cos(8.0 * X), 0.01 - 0.01 * X


@cache
def everything() -> Model:
    """A floating, immersed robot: rods and bodies, all kinds of loads, a loop, a prescribed joint."""
    robot = sp.Robot("everything", gravity=(0.3, -0.2, -9.81))
    rod = sp.Rod(0.5, sp.Circle((0.03, 0.02)), RUBBER, sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=1), points=5)
    soft = sp.Strain(bend_y=sp.Hat(2), bend_z=sp.Legendre(1), shear_y=sp.Legendre(0))
    robot.add_link("hull", sp.Rigid.box((0.2, 0.15, 0.1), density=700.0, tip=sp.pose((0.1, 0, 0))), joint=sp.Free())
    robot.add_link("arm", rod, parent="hull", at=sp.pose(rpy=(0.2, -0.3, 0.1)))
    hinge = sp.Revolute("y", stiffness=2.0, damping=0.1, rest=0.2, limits=(-0.5, 0.6))
    robot.add_link("hand", sp.Rigid.box((0.05, 0.05, 0.05), density=900.0), joint=hinge, parent="arm")
    fin = sp.Rigid.box((0.04, 0.01, 0.06), density=1000.0)
    robot.add_link("fin", fin, joint=sp.Revolute("x", damping=0.01), parent=("arm", 0.5), at=sp.pose((0, 0.04, 0)))
    robot.add_link("tail", fin, joint=sp.Spherical(damping=0.01), parent=("leg", 0.3))
    turning = sp.Universal("x", "z", damping=0.05)
    robot.add_link("leg", sp.Rod(0.3, sp.Circle(0.015), RUBBER, soft, points=3), joint=turning, parent="hull")
    robot.add_link("foot", sp.Rigid.sphere(0.03, density=1500.0), joint=sp.Revolute("z"), parent="leg")
    robot.add_link(
        "post", sp.Rigid.sphere(0.03, density=800.0), joint=sp.Spherical(damping=0.02), at=sp.pose((1, 0, 0))
    )
    robot.add(sp.Tendon("pull", {"arm": circle}, until={"arm": 0.4}))
    robot.add(sp.ElasticTendon("band", {"arm": lambda X: (0.0, -0.01)}, stiffness=300.0, rest_length=0.45, damping=5.0))
    robot.add(sp.Chamber("cell", {"arm": lambda X: (0.005, 0.0)}, area=lambda s: 1e-4 * (1.0 + s)))
    robot.add(sp.JointDrive("motor", "hand"))
    robot.add(sp.JointDrive("hip", "leg"))
    robot.add(sp.Thruster("jet", "hull", 0.0, sp.pose((0.0, 0.1, 0.0))))
    robot.add(sp.Prescribed("foot", swinging))
    robot.add(sp.Loop("closing", a=("hand", sp.pose()), b=("leg", sp.pose((0.1, 0, 0)), 0.5), joint=sp.Spherical()))
    robot.add(sp.PointWrench("arm", [0.1, 0.2, 0.0, 1.0, -0.5, 0.3], s=0.5, name="dead"))
    robot.add(sp.PointWrench("leg", lambda t: [0, 0, 0, np.cos(t), 0, 0.2], s=0.37, frame="local", name="following"))
    robot.add(sp.Distributed("arm", lambda s: [0, 0.1, 0, 0, 0, -1.0 - s], name="line load"))
    robot.add(sp.Spring("rope", ("world", 0.0), ("foot", 0.0), stiffness=30.0, rest_length=0.2, damping=1.0))
    robot.add(
        sp.Cable("stay", [("post", 0.0), ("leg", 0.7), ("hand", 0.0)], stiffness=200.0, rest_length=0.1, damping=2.0)
    )
    robot.add(sp.PairLaw("joined", ("post", 0.0), ("arm", 0.8), holding, tangent=holding_tangent))
    robot.add(
        sp.PointLaw(
            "pusher",
            "arm",
            pushing,
            s=0.6,
            uses=("pose", "twist", "acceleration"),
            tangent=pushing_tangent,
            state0=[0.3],
            rate=relaxing,
        )
    )
    robot.add(
        sp.Fluid(
            current=(0.2, 0.0, -0.1),
            drag=sp.Drag(),
            added_mass=sp.AddedMass(),
            links=("hull", "arm", "foot"),
        )
    )
    floor = sp.Plane(normal=(0.1, 0.0, 1.0), height=0.12)
    touch = {"stiffness": 2e3, "friction": 0.4, "damping": 0.2, "slip_velocity": 0.1}
    robot.add(sp.Contact("floor", sp.Spheres("arm", n=13), floor, **touch))
    robot.add(sp.Contact("bed", sp.Spheres("leg", radius=0.015), floor, per_length=True, **touch))
    robot.add(sp.Contact("clash", sp.Box((0.05, 0.05, 0.05), link="hand"), sp.Ball(0.6, link="post"), **touch))
    return robot.compile()


def pushing_tangent(t, g, eta, etadot, xi, z):
    """Derivatives by pose (along g exp(z)), twist, acceleration."""
    by_pose = np.zeros((6, 6))
    by_pose[:, 3:] = 0.1 * g[2, :3]
    return np.hstack([by_pose, -0.3 * np.eye(6), -0.05 * np.eye(6)])


def holding_tangent(t, h, eta):
    """Derivatives by pose (along exp(z) h) and twist."""
    x, y, z = h[:3, 3]
    by_pose, by_twist = np.zeros((6, 6)), np.zeros((6, 6))
    by_pose[3:, 3:] = 3.0 * np.eye(3)
    by_pose[3:, :3] = -3.0 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    by_twist[:3, :3], by_twist[3:, 3:] = 0.02 * np.eye(3), 0.4 * np.eye(3)
    return np.hstack([by_pose, by_twist])


class Case(NamedTuple):
    """A model in a state."""

    model: Model
    state: State


@cache
def random_case(seed: int) -> Case:
    """Everything in a random state; the contacts touch."""
    model, rng = everything(), np.random.default_rng([5, seed])
    q, v, a = 0.25 * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.standard_normal(model.n)
    q[5] = -0.05 + 0.02 * rng.standard_normal()
    u = rng.uniform(0.5, 2.0, model.nu)
    u[model.input_names.index("cell")] = 2e3
    u[model.input_names.index("band")] = 0.02
    lam, z = rng.standard_normal(model.nc), rng.standard_normal(model.nz)
    return Case(model, make_state(model, q, v, a, u, lam, 0.37, z))


def varied(state: State, name: str, value: np.ndarray) -> State:
    """The state with one argument changed."""
    return state._replace(**{name: value})
