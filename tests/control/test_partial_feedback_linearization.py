"""Partial feedback linearisation gives the actuation coordinates exactly the acceleration that is asked for."""

import numpy as np
import pytest

import supple as sp
from control_cases import driven, soft_arm
from supple.errors import SingularError


@pytest.mark.parametrize("seed", range(16))
def test_accelerations_are_those_asked_for(seed):
    model, inputs, q, v = driven(seed)
    m = len(inputs)
    reference = sp.laws.Sine(np.linspace(0.1, 0.2, m), 0.7)
    kp, kd = np.linspace(3.0, 5.0, m), np.linspace(1.0, 2.0, m)
    law = sp.control.partial_feedback_linearization(model, reference, kp, kd, inputs)
    t, y = 0.37, law.coordinates
    try:
        u = law(t, q, v)
    except SingularError:  # a tendon that a loop or a prescribed joint holds
        assert model.constrained
        return
    a = model.forward_dynamics(q, v, u, t).a
    found = y.jacobian(q) @ a + y.bias(q, v)
    wanted = reference.acceleration(t) + kp * (reference(t) - y(q)) + kd * (reference.rate(t) - y.rate(q, v))
    np.testing.assert_allclose(found, wanted, atol=1e-9 * max(1.0, (np.abs(y.jacobian(q)) @ np.abs(a)).max()))


def test_it_is_the_law_of_the_paper():
    """[AGNOSTIC-ID] (S2): motors are the first coordinates, the soft rod is what follows."""
    model = soft_arm().compile()
    rng = np.random.default_rng(3)
    q, v = 0.4 * rng.standard_normal(model.n), rng.standard_normal(model.n)
    law = sp.control.partial_feedback_linearization(model, [0.3, 0.2], 100.0, 50.0)
    M, h = model.mass_matrix(q), model.residual(q, v, np.zeros(model.n))
    wanted = 100.0 * (np.array([0.3, 0.2]) - q[:2]) - 50.0 * v[:2]
    schur = M[:2, :2] - M[:2, 2:] @ np.linalg.solve(M[2:, 2:], M[2:, :2])
    paper = schur @ wanted + h[:2] - M[:2, 2:] @ np.linalg.solve(M[2:, 2:], h[2:])
    np.testing.assert_allclose(law(0.0, q, v), paper, rtol=1e-9)


@pytest.mark.parametrize("rate", [None, 1000.0])
def test_errors_vanish_as_of_a_damped_spring(rate):
    model = soft_arm().compile()
    law = sp.control.partial_feedback_linearization(model, sp.laws.Sine(0.5, 0.5), 25.0, 10.0)
    t = np.linspace(0.0, 1.0, 6)
    options = {} if rate is None else {"control_rate": rate}
    motion = model.simulate(t, u=law, method=sp.NDF(rtol=1e-7, atol=1e-9), **options)
    e0 = -0.5 * np.pi  # rate of the error at first, 1/s; double pole at -5
    expected = 0.5 * np.sin(np.pi * t) + e0 * t * np.exp(-5.0 * t)
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-6 if rate is None else 5e-3)
    np.testing.assert_allclose(motion.q[:, 1], expected, atol=1e-6 if rate is None else 5e-3)


def test_inputs_that_replace_each_other_are_told():
    twice = [sp.Tendon(name, {"rod": (0.01, 0.0)}) for name in ("one", "two")]
    model = soft_arm(*twice).compile()
    law = sp.control.partial_feedback_linearization(model, np.zeros(4), 1.0, 1.0)
    with pytest.raises(SingularError, match="shoulder, elbow, one, two do not move as many coordinates"):
        law(0.0, np.zeros(model.n), np.zeros(model.n))
