"""Where Newton's method begins: by the formula, or on a parabola, whichever was better last time."""

import numpy as np
import pytest

import supple as sp
from kernel_entry import entry
from supple.solvers.integrators import guesses
from supple.systems.fin_ray import fin_ray

parabola = entry(guesses.parabola)


def test_parabola_goes_through_three_points():
    times, t = np.array([1.0, 0.7, 0.2, np.nan]), 1.3
    for power in range(3):
        assert np.dot(parabola(times, t), times[:3] ** power) == pytest.approx(t**power, rel=1e-14)


def test_oscillations_that_steps_do_not_resolve_are_guessed_by_configurations():
    """Ribs that swing within two steps: accelerations turn from step to step, and guesses by them were seen to fail."""
    model = fin_ray().compile()
    stats = model.simulate(1.0, method=sp.GeneralizedAlpha(dt=0.01), progress=False).stats
    assert stats["newton_failures"] < 5
    assert stats["residuals"] < 8.0 * stats["steps"]


def test_guesses_change_no_motion():
    """Newton's method converges to the same point from either guess."""
    rubber = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e3)
    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rod(0.3, sp.Circle(0.01), rubber, sp.Legendre(bend_y=2), points=5))
    model, times = robot.compile(), np.linspace(0.0, 0.3, 31)
    coarse, fine = (
        model.simulate(times, method=sp.GeneralizedAlpha(dt=0.01, newton_rtol=tight, newton_atol=tight)).q
        for tight in (1e-9, 1e-12)
    )
    assert coarse == pytest.approx(fine, abs=1e-8)
