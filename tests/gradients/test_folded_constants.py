"""Parameters of kinematics at numbers that make an operation idle: derivatives are those beside them."""

import numpy as np
import pytest

import supple as sp
from supple.errors import DesignError
from supple.gradients.dynamics_parameters import residual_by_parameter


def swelling(k=1.0, lift=0.0, radius=0.03):
    """A soft body whose kinematics have two numbers."""

    def f(x, q):
        r = 1.0 + k * q[0] * x[0]
        return np.stack([x[0] * (1.0 + 0.3 * q[1]) + lift * q[0] * x[0], r * x[1] + k * q[1] * x[0], r * x[2]])

    robot = sp.Robot("swelling")
    body = sp.SoftBody(f, sp.Cylinder(0.3, radius), density=900.0, stiffness=np.eye(2), n=2, points=(3, 2, 4))
    robot.add_link("body", body)
    return robot


@pytest.mark.parametrize("values", [{"k": 1.0, "lift": 0.2}, {"k": 1.3, "lift": 0.0}, {"k": 1.0, "lift": 0.0}])
def test_derivatives_at_one_and_zero(values):
    design = sp.Design(swelling, **values)
    model = design.model()
    assert model.design.values == values
    q, v, a = 0.2 * np.random.default_rng(0).standard_normal((3, model.n))
    assert np.allclose(model.residual(q, v, a), swelling(**values).compile().residual(q, v, a), rtol=1e-12)
    found = residual_by_parameter(model, q, v, a, None, None, 0.0)[: model.n]
    for j, name in enumerate(values):
        high, low = (swelling(**values | {name: values[name] + x}).compile().residual(q, v, a) for x in (1e-5, -1e-5))
        expected = (high - low) / 2e-5
        np.testing.assert_allclose(found[:, j], expected, atol=1e-7 * max(np.abs(expected).max(), 1e-3))


def test_later_models_may_come_to_one():
    design = sp.Design(swelling, k=1.2, lift=0.1)
    design.model()
    model = design.model(k=1.0, lift=0.0)
    q = np.array([0.1, -0.2])
    other = swelling(k=1.0, lift=0.0).compile()
    assert np.allclose(model.residual(q, q, q), other.residual(q, q, q), rtol=1e-12)
    assert model.design.slopes.count == 2


@pytest.mark.parametrize("k", [1.0, 1.3])
def test_a_function_that_chooses_its_kinematics_is_left_alone(k):
    def build(k=1.0, both=0.0):
        return swelling(k, 0.7 if both else 0.2)

    design = sp.Design(build, k=k, both=0.0)
    q = np.array([0.1, -0.2])
    assert np.allclose(design.model().residual(q, q, q), build(k=k).compile().residual(q, q, q), rtol=1e-12)


def test_what_a_function_chooses_by_is_still_refused():
    def build(k=1.0, both=0.0):
        robot = swelling(k, 0.3)
        if both:
            robot.add_link("more", sp.Rigid(0.1, np.full(3, 1e-4)), sp.Revolute("y"), parent="body")
        return robot

    design = sp.Design(build, k=1.3, both=0.0)
    model = design.model()
    with pytest.raises(DesignError, match="parameter 'both' changes the coordinates"):
        _ = model.design.slopes
    with pytest.raises(DesignError, match="changes the coordinates"):
        design.model(both=1.0)
