"""Runs whose files are damaged, or that are killed: small robots with everything that a run remembers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import supple as sp
from motions import four_bar, free_body, pendulum, soft_arm, wheel

FIELDS = ("t", "q", "v", "a", "u", "z", "efforts")


def tendon_arm() -> Any:
    """A rod that a tendon with a law of time pulls."""
    return soft_arm(0.01, sp.Tendon("tendon", {"rod": lambda X: (0.005, 0.0)}))


def pull(t: float) -> Any:
    """Of the tendon, in Python."""
    return np.array([1.0 + np.sin(9.0 * t)])


def follow(t: float, q: Any, v: Any) -> Any:
    """Feedback."""
    return -2.0 * (q[:1] - np.sin(3.0 * t)) - 0.3 * v[:1]


def half_way(t: float, q: Any, v: Any) -> float:
    """An event."""
    return float(q[0] - 0.5)


def still(t: float, q: Any, v: Any) -> float:
    """An event."""
    return float(v[0])


def integral() -> Any:
    """A wheel behind a controller with a state."""
    return wheel(sp.Controller([0.0], lambda t, q, v, z: 1.0 - v, lambda t, q, v, z: 3.0 * (1.0 - v) + 10.0 * z))


def led() -> Any:
    """A pendulum on a bar that is led around."""
    robot = sp.Robot("led")
    robot.add_link("bar", sp.Rigid(1.0, (0.1, 0.1, 0.1), com=(0.2, 0, 0)), joint=sp.Revolute("y"))
    robot.add_link("bob", sp.Rigid(1.0, (0.1, 0.1, 0.1), com=(0.2, 0, 0)), joint=sp.Revolute("y"), parent="bar")
    robot.add(sp.Prescribed("bar", sp.laws.Sine(0.5, 2.0)))
    return robot.compile()


def remembering() -> Any:
    """A pendulum in something that creeps: a law with a state."""

    def law(t: float, g: Any, eta: Any, etadot: Any, xi: Any, z: Any) -> Any:
        return np.array([0.0, z[0], 0.0, 0.0, 0.0, 0.0])

    def rate(t: float, g: Any, eta: Any, etadot: Any, xi: Any, z: Any) -> Any:
        return np.array([-5.0 * z[0] - eta[1]])

    robot = sp.Robot("creeping")
    robot.add_link("bar", sp.Rigid(1.0, (1e-3, 0.1, 0.1), com=(0.5, 0, 0)), joint=sp.Revolute("y"))
    robot.add(sp.PointLaw("creep", "bar", law, s=0.0, uses=("twist",), state0=[0.1], rate=rate))
    return robot.compile()


class Run(NamedTuple):
    """A model and the arguments of its simulation."""

    model: Any
    options: dict[str, Any]


#: Name -> model and arguments; all last 0.4 s.
ROBOTS: dict[str, Callable[[], Run]] = {
    "soft arm": lambda: Run(soft_arm(0.01), {"q0": [0.5, 0.2, -0.1]}),
    "tendon": lambda: Run(tendon_arm(), {"u": pull}),
    "loop": lambda: Run(*(lambda m, q: (m, {"q0": q}))(*four_bar())),
    "charts": lambda: Run(free_body(), {"v0": [8.0, 1.0, -5.0, 0.1, 0.2, 0.3]}),
    "controller": lambda: Run(integral(), {}),
    "prescribed": lambda: Run(led(), {}),
    "states": lambda: Run(remembering(), {}),
    "sampled": lambda: Run(wheel(stiffness=3.0), {"u": follow, "control_rate": 40.0}),
    "feedback": lambda: Run(wheel(stiffness=3.0), {"u": follow}),
    "events": lambda: Run(pendulum(), {"events": [sp.Event(half_way, "note", name="a/b"), sp.Event(still, "note")]}),
    "steps": lambda: Run(wheel(stiffness=9.0), {"u": sp.laws.Steps([0.0, 0.11, 0.3], [[0.0], [1.0], [-2.0]])}),
}

METHODS = {
    "NDF": sp.NDF(rtol=1e-7, atol=1e-9),
    "GeneralizedAlpha": sp.GeneralizedAlpha(dt=4e-3),
    "adaptive": sp.GeneralizedAlpha(rtol=1e-5, atol=1e-7),
    "Newmark": sp.Newmark(dt=4e-3),
    "ImplicitEuler": sp.ImplicitEuler(dt=4e-3),
    "BDF2": sp.BDF2(dt=4e-3),
    "Radau": sp.Radau(rtol=1e-6, atol=1e-8),
    "RK45": sp.RK45(rtol=1e-7, atol=1e-9),
    "DOP853": sp.DOP853(rtol=1e-9, atol=1e-11),
    "Nystrom": sp.Nystrom(rtol=1e-6, atol=1e-8),
    "Nystrom of order 4": sp.Nystrom(rtol=1e-6, atol=1e-8, order=4),
}

#: Output times, or every step.
TIMES = {"wanted": np.linspace(0.0, 0.4, 21), "every": 0.4}

#: A damaged run does not go on for ever.
MOST_STEPS = 4000


@cache
def robot(name: str) -> Run:
    """A robot, compiled once."""
    return ROBOTS[name]()


def arguments(name: str, method: str, times: str) -> dict[str, Any]:
    """Of `Model.simulate`."""
    return {
        "t": TIMES[times],
        **robot(name).options,
        "method": METHODS[method],
        "max_steps": MOST_STEPS,
    }


def same(a: sp.Trajectory, b: sp.Trajectory) -> bool:
    """Whether two motions are equal, bit for bit."""
    arrays = [(getattr(a, name), getattr(b, name)) for name in FIELDS]
    arrays.append((np.asarray(a.multipliers), np.asarray(b.multipliers)))
    return all(x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in arrays)


def finite(run: sp.Trajectory) -> bool:
    """Whether a motion consists of numbers."""
    arrays = [*(getattr(run, name) for name in FIELDS), np.asarray(run.multipliers)]
    return all(np.isfinite(x).all() and len(x) == len(run.t) for x in arrays)
