"""Child process of `startup`: a first simulation, then one of rods with a feature or a gradient, s of CPU as JSON."""

from __future__ import annotations

import json
import sys
from time import process_time
from typing import Any

import numpy as np

import supple as sp

#: What is asked for instead of a feature.
GRADIENT = "a gradient by states, inputs and parameters"


def rod(young: float = 1e6) -> sp.Rod:
    """A soft rod of a few coordinates."""
    silicone = sp.Material(young=young, poisson=0.5, density=1000.0, viscosity=1e4)
    return sp.Rod(0.3, sp.Circle(0.01), silicone, sp.Legendre(bend_y=2, bend_z=2, stretch=1), points=4)


def spheres(link: str) -> sp.Spheres:
    """What of a rod touches."""
    return sp.Spheres(link, n=8)


#: How many rods there are, clamped side by side, and what is added to them.
FEATURES: dict[str, tuple[int, Any]] = {
    "a tendon": (1, sp.Tendon("pull", {"arm0": lambda X: (0.0, 0.01)})),
    "loops": (2, sp.Loop("tips", ("arm0", sp.pose(xyz=(0.0, 0.05, 0.0))), ("arm1", sp.pose()), sp.Spherical())),
    "contact": (1, sp.Contact("floor", spheres("arm0"), sp.Plane(height=-0.1), stiffness=1e4, friction=0.3)),
    "contact of two rods": (2, sp.Contact("pair", spheres("arm0"), spheres("arm1"), stiffness=1e4, friction=0.3)),
    "water": (1, sp.Fluid(density=1000.0, drag={"arm0": sp.Drag()}, added_mass={"arm0": sp.AddedMass()})),
}


def first_simulation(feature: str) -> float:
    """CPU time of building and simulating one of `FEATURES`, s."""
    began = process_time()
    count, load = FEATURES[feature]
    robot = sp.Robot(feature, gravity=(0.0, 0.0, -9.81))
    for k in range(count):
        robot.add_link(f"arm{k}", rod(), at=sp.pose(xyz=(0.0, 0.05 * k, 0.0)))
    robot.add(load)
    robot.compile().simulate(0.02)
    return process_time() - began


def finger(young: float = 1e6, offset: float = 0.01) -> sp.Robot:
    """A rod with a tendon; its stiffness, Pa, and where the tendon runs, m, are parameters."""
    robot = sp.Robot("finger", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm0", rod(young))
    robot.add(sp.Tendon("pull", {"arm0": lambda X: (0.0, offset)}))
    return robot


def first_gradient() -> float:
    """CPU time of a tip's gradient by states, inputs and parameters along a short motion, s."""
    began = process_time()
    motion = sp.Design(finger, young=1e6, offset=0.01).model().simulate(0.02, u=[1.0], record=True)
    motion.vjp(tip={"arm0": np.ones((len(motion.t), 3))}, q=np.ones_like(motion.q))
    return process_time() - began


if __name__ == "__main__":
    first = first_simulation("a tendon")
    print(json.dumps([first, first_gradient() if sys.argv[1] == GRADIENT else first_simulation(sys.argv[1])]))
