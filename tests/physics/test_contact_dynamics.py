"""Contact in motion: a soft rod that a tendon rolls up lies against itself and does not pass through."""

import numpy as np
import pytest

import supple as sp

LENGTH, RADIUS, SPHERES = 0.5, 0.01, 51


def rolled_up(touching: bool):
    """Centres (T, SPHERES, 3) along a rod that a tendon would roll up by one and a half turns."""
    rubber = sp.Material(young=1e5, poisson=0.45, density=1000.0, viscosity=2e3)
    rod = sp.Rod(
        length=LENGTH,
        section=sp.Circle(radius=RADIUS),
        material=rubber,
        strain=sp.Legendre(bend_y=6, stretch=1),
        points=16,
    )
    robot = sp.Robot("roll", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rod", rod)
    robot.add(sp.Tendon("pull", {"rod": lambda X: (0.0, 0.009)}))
    if touching:
        spheres = sp.Spheres("rod", SPHERES)
        robot.add(sp.Contact("self", spheres, spheres, stiffness=1e5, damping=1.0))
    model = robot.compile()
    run = model.simulate(np.linspace(0.0, 3.0, 61), u=[sp.laws.Ramp(0.0, 3.4, 0.0, 2.0)])
    stations = np.linspace(0.0, 1.0, SPHERES)
    return np.array([[model.pose(q, "rod", float(s))[:3, 3] for s in stations] for q in run.q])


def nearest(centres):
    """Smallest distance of the axis to itself, between stations at least four radii apart along the rod."""
    apart = np.abs(np.subtract.outer(np.arange(SPHERES), np.arange(SPHERES))) * LENGTH / (SPHERES - 1) > 4 * RADIUS
    gaps = np.linalg.norm(centres[:, :, None] - centres[:, None], axis=-1)
    return gaps[:, apart].min(axis=1)


@pytest.mark.slow
def test_a_rod_rolled_up_on_itself_does_not_pass_through():
    through, held = nearest(rolled_up(False)), nearest(rolled_up(True))
    assert through.min() < 0.5 * RADIUS  # nothing in its way, it passes through itself
    assert held.min() > 1.9 * RADIUS
    assert held[-1] < 2.0 * RADIUS  # and it does lie against itself in the end
