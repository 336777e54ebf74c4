"""Robots that the calls of the campaign work on, and what is done with what they return."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import supple as sp
from supple import laws
from supple.model.model import Model
from supple.solvers.statics.search import Equilibrium

#: Steps of simulations: enough to begin, so that endless ones end.
STEPS = 60
#: Values of laws beyond this may overflow.
HUGE = 1e100


# ---------------------------------------------------------------------- robots


def material() -> sp.Material:
    return sp.Material(young=1e6, density=1000.0, viscosity=300.0)


def rod(**changes: Any) -> sp.Rod:
    given = {"length": 0.4, "section": sp.Circle(0.02), "material": material(), "strain": sp.Legendre(bend_y=1)}
    return sp.Rod(**{**given, "points": 3, **changes})


def base(joint: Any = None, body: Any = None) -> sp.Robot:
    """A hand on an arm."""
    robot = sp.Robot("host")
    robot.add_link("arm", rod() if body is None else body, joint)
    robot.add_link(
        "hand", sp.Rigid.box((0.05, 0.05, 0.05), density=500.0), sp.Revolute("y", stiffness=1.0), parent="arm"
    )
    return robot


@cache
def plain() -> Model:
    """An arm with a tendon on a ball joint."""
    robot = base(sp.Spherical())
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.01, 0.0)}))
    return robot.compile()


@cache
def rich() -> Model:
    """Loops, laws with states, laws of time, a drive, a prescribed joint, contact and a cable."""
    robot = base(sp.Revolute("z", stiffness=1.0), rod(strain=sp.Legendre(bend_y=1, stretch=0)))
    robot.add_link("crank", sp.Rigid.sphere(0.03, density=900.0), sp.Revolute("z"))
    robot.add(sp.Loop("tip", ("hand", sp.pose()), ("world", sp.pose((0.4, 0.0, 0.0))), sp.Spherical()))
    robot.add(sp.JointDrive("motor", "hand"))
    robot.add(sp.Prescribed("crank", laws.Sine(0.1, 1.0)))
    robot.add(sp.PointWrench("hand", laws.Ramp(np.zeros(6), np.full(6, 0.01))))
    robot.add(sp.Cable("guy", [("world", 0.0), ("arm", 0.5)], 10.0))
    robot.add(sp.Contact("floor", sp.Spheres("arm", 3), sp.Plane(height=-0.5), 1e3))
    memory = {"state0": (0.1,), "rate": lambda t, g, eta, etadot, xi, z: -z, "uses": ()}
    robot.add(sp.PointLaw("law", "arm", lambda t, g, eta, etadot, xi, z: np.full(6, 1e-3 * z[0]), **memory))
    return robot.compile()


def state(model: Model) -> dict[str, np.ndarray]:
    """A good state."""
    q = 0.05 * np.cos(np.arange(model.n))
    return {"q": q, "v": 0.3 * q, "a": -0.2 * q}


@cache
def equilibrium() -> Equilibrium:
    return plain().statics([0.3])


@cache
def trajectory() -> sp.Trajectory:
    return plain().simulate(0.02, u=[0.1])


@cache
def recorded() -> sp.Trajectory:
    """A motion that can be differentiated."""
    return plain().simulate(np.linspace(0.0, 0.01, 3), u=[0.1], record=True)


def slim(radius: float) -> sp.Robot:
    """A robot of one parameter."""
    robot = sp.Robot("slim")
    rubber = sp.Material(young=1e6, poisson=0.4, density=1000.0)
    robot.add_link("arm", sp.Rod(0.2, sp.Circle(radius), rubber, sp.Legendre(bend_y=1)))
    return robot


def designed(build: Any, radius: Any) -> sp.Design:
    """A design by names of its arguments."""
    return sp.Design(build, radius=radius)


@cache
def motion() -> sp.Trajectory:
    """A motion with loops, contact and prescribed joints."""
    return rich().simulate(0.01)


@cache
def path() -> Any:
    return plain().equilibrium_path([0.4], max_points=6)


# ---------------------------------------------------------------------- uses


def exercise(model: Model) -> list[Any]:
    """The functions of a model at a good state."""
    x = state(model)
    q, v, a = x["q"], x["v"], x["a"]
    u = np.full(model.nu, 0.1)
    return [
        model.residual(q, v, a, u),
        model.residual_tangent(q, v, a, u, None, 0.1, 1.0, 1.0),
        model.mass_matrix(q),
        model.internal_force_derivatives(q, v, u),
        model.energy(q, v, u),
        model.pose(q, "hand"),
    ]


def load(item: Any, body: Any = None) -> Any:
    """A load on a robot."""
    robot = base(body=body)
    robot.add(item)
    return exercise(robot.compile())


def law(made: Any) -> Any:
    """A law at some times, and as input of a run."""
    values = [f(t) for f in (made, made.rate, made.acceleration) for t in (0.0, 0.3, 2.0)]
    if (
        not np.abs(values).max(initial=0.0) <= HUGE
    ):  # it may overflow, as all functions of floats do; models refuse that
        values = []
    if np.ndim(made(0.0)) == 0:
        driven = plain().simulate(0.01, u=made, max_steps=STEPS)
        values.append(driven.q)
    return values


def method(made: Any) -> Any:
    """A few steps of a method."""
    return plain().simulate(0.01, u=[0.1], method=made, max_steps=STEPS)


def shape(made: Any) -> Any:
    """A shape that something touches."""
    return load(sp.Contact("touch", sp.Spheres("arm", 3), made, 1e3))


def on_arm(**changes: Any) -> Any:
    return exercise(base(body=rod(**changes)).compile())


def basis(made: Any) -> Any:
    return on_arm(strain=made)


def joint(made: Any) -> Any:
    return exercise(base(made).compile())


def body(made: Any) -> Any:
    robot = sp.Robot("bodies")
    robot.add_link("arm", rod())
    robot.add_link("hand", made, sp.Revolute("y"), parent="arm")
    return exercise(robot.compile())


def controller(made: Any) -> Any:
    robot = base()
    robot.add(sp.Tendon("t", {"arm": (0.01, 0.0)}))
    robot.add(made)
    return robot.compile().simulate(0.01, max_steps=STEPS)


def event(made: Any) -> Any:
    return plain().simulate(0.02, events=[made], max_steps=STEPS)


def nothing(made: Any) -> None:
    """Where there is nothing more to do."""


def netted(made: Any) -> Any:
    """A net on a robot."""
    robot = base()
    made.add_to(robot, "net")
    return exercise(robot.compile())


def driven(made: Any) -> Any:
    """A prescribed joint in motion."""
    robot = base()
    robot.add(made)
    model = robot.compile()
    return exercise(model), model.simulate(0.01, max_steps=STEPS)


def touching(made: Any) -> Any:
    """Spheres that touch a plane."""
    return load(sp.Contact("touch", made, sp.Plane(), 1e3))


def switched(made: Any) -> Any:
    """A run that goes on from a switch."""
    return event(sp.Event(lambda t, q, v: t - 0.005, action=lambda t, q, v: made))


def closed(figure: Any) -> None:
    """Let go of a picture."""
    import matplotlib.pyplot as plt

    plt.close(figure)
