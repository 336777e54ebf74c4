"""Water in gradients by parameters: a current that begins, a body at rest in it."""

import numpy as np
import pytest

import supple as sp
from supple.gradients.parameters import residual_sums


def swimmer(current=(0.0, 0.0, 0.0), drag=1.0, added=0.3, density=50.0):
    robot = sp.Robot("swimmer", gravity=(0.0, 0.0, -9.81))
    robot.add_link("body", sp.Rigid.sphere(0.1, density=300.0), sp.Free())
    robot.add(sp.Fluid(density, current, {"body": np.full(6, drag)}, {"body": np.full(6, added)}))
    return robot


def gradient_and_differences(design, v, step=1e-4):
    model, rng = design.model(), np.random.default_rng(0)
    q, a, y = rng.standard_normal((3, model.n))
    found = residual_sums(model, q, v, a, y).by_parameter()
    values, expected = design.pack(design.values), []
    for k in range(design.size):
        h = np.zeros(design.size)
        h[k] = step
        ends = [y @ design.model(**design.unpack(values + x * h)).residual(q, v, a) for x in (1.0, -1.0)]
        expected.append((ends[0] - ends[1]) / (2.0 * step))
    return found, np.array(expected)


def test_a_current_that_begins():
    design = sp.Design(swimmer, current=(0.0, 0.0, 0.0), drag=1.0, added=0.3, density=50.0)
    found, expected = gradient_and_differences(design, np.array([0.3, -0.2, 0.1, 0.5, 0.4, -0.7]))
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)


def test_nothing_is_lost_at_rest():
    design = sp.Design(swimmer, drag=1.0, added=0.3)
    found, _ = gradient_and_differences(design, np.zeros(6))
    assert np.isfinite(found).all()
    assert found[0] == 0.0  # without motion there is no drag
