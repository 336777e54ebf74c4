"""Errors of steps: weights, norms that name the worst coordinate, ratios of steps."""

from collections import namedtuple

import numpy as np
import pytest

import supple as sp
from kernel_entry import entry
from supple.solvers.integrators import error_control
from supple.solvers.problem import WORST
from supple.solvers.rounding import NO_ERROR

Stand = namedtuple("Stand", "q multipliers z weights weights_z flags fields")

set_weights, error_norm, ratio_of = (
    entry(error_control.set_weights),
    entry(error_control.error_norm),
    entry(error_control.ratio_of),
)


def stand(n=3, nc=2, nz=1):
    """As much of a problem as errors see."""
    weights, flags, fields = np.full((2, n), np.nan), np.zeros(20, np.int64), np.arange(n)
    return Stand(np.zeros(n), np.zeros(nc), np.zeros(nz), weights, np.zeros(nz), flags, fields)


def test_weights():
    problem, atol = stand(), np.arange(1.0, 8.0)
    q, v, z = np.array([1.0, -2.0, 0.0]), np.array([0.0, 4.0, -1.0]), np.array([-3.0])
    set_weights(problem, 0.1, atol, q, v, z, 0.5)
    assert problem.weights[0] == pytest.approx(atol[:3] + 0.1 * np.abs(q))
    assert problem.weights[1] == pytest.approx(atol[3:6] + 0.1 * np.abs(v))
    assert problem.weights_z == pytest.approx(atol[6:] + 0.1 * np.abs(z))


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_coefficients_of_one_field_share_weights(share):
    """The first coordinate keeps its own where that is more, and so do fields whose coordinates lie apart."""
    problem, atol, rtol = stand(n=6), np.full(13, 1e-3), 0.1
    problem.fields[:] = [0, 1, 0, 3, 1, 0]
    q, v = np.array([0.0, 2.0, 5.0, 0.0, -0.1, 0.0]), np.array([3.0, 0.0, 0.0, 1.0, 0.0, 9.0])
    set_weights(problem, rtol, atol, q, v, np.zeros(1), share)
    for found, y in zip(problem.weights, (q, v), strict=True):
        own = 1e-3 + rtol * np.abs(y)
        largest = np.array([own[problem.fields == field].max() for field in problem.fields])
        assert found == pytest.approx(np.maximum(own, share * largest))


def test_the_norm_and_the_worst_coordinate():
    """Root of the mean square over q, v and z; accelerations and multipliers do not count."""
    problem = stand()
    problem.weights[:], problem.weights_z[:] = 2.0, 0.5
    row = np.full(3 * 3 + 2 + 1 + 3, np.nan)
    row[:6], row[11] = (2.0, 0.0, 0.0, 0.0, -6.0, 0.0), 1.0
    assert error_norm(problem, row, -0.5) == pytest.approx(0.5 * np.sqrt((1.0 + 9.0 + 4.0) / 7.0))
    assert problem.flags[WORST] == 1


@pytest.mark.parametrize("order", [1, 4])
def test_ratios_of_steps(order):
    """An error of e at a step h is one at h times the ratio; no error allows no more than a finite one."""
    for error in (1e-3, 1.0, 50.0):
        assert error * ratio_of(error, order) ** (order + 1) == pytest.approx(1.0)
    assert ratio_of(0.0, order) == pytest.approx(NO_ERROR ** (-1.0 / (order + 1)))


def tiny_beam(length, young):
    """Undamped, in no gravity; with its slowest period, s."""
    material = sp.Material(young=young, density=1000.0)
    robot = sp.Robot("beam", gravity=(0.0, 0.0, 0.0))
    rod = sp.Rod(length, sp.Circle(0.01 * length), material, sp.Legendre(bend_y=3), points=6)
    robot.add_link("rod", rod)
    model = robot.compile()
    return model, 1.0 / model.modes().frequencies[0]


@pytest.mark.parametrize("method", [sp.NDF, sp.Radau, sp.DOP853])
def test_beams_of_a_micrometre_begin_to_move(method):
    """The same motion as that of a metre, in its own time; the first step was taken for one that is lost."""
    tips = []
    for length, young in ((1.0, 1e6), (1e-6, 1e13)):
        model, period = tiny_beam(length, young)
        motion = model.simulate([0.0, 0.5 * period], [0.01, 0.0, 0.0, 0.0], method=method(rtol=1e-6, atol=1e-9))
        tips.append(motion.tip("rod")[-1] / length)
    assert tips[0] == pytest.approx(tips[1], abs=1e-5)
