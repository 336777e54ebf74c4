"""PD+: forces as in the paper, equilibria at the target, errors that obey their linear equation."""

import numpy as np
import pytest

import supple as sp
from control_cases import soft_arm, trunk
from supple.errors import ModelError

TARGET = np.array([0.8, -0.5, 0.02, -0.4, 0.6, 0.0])


def test_force_is_that_of_the_paper():
    """[AGNOSTIC-ID] (S3): K_P (q_d - q) - K_D q' + g(q_d) + s(q_d, 0)."""
    model = trunk().compile()
    rng = np.random.default_rng(0)
    q, v, zero = rng.standard_normal(6), rng.standard_normal(6), np.zeros(6)
    u = sp.control.pd_plus(model, TARGET, 0.2, 0.1)(0.0, q, v)
    held = model.inverse_dynamics(TARGET, zero, zero) + model.stiffness @ TARGET
    np.testing.assert_allclose(model.actuation(q) @ u, 0.2 * (TARGET - q) - 0.1 * v + held, atol=1e-12)
    u = sp.control.pd_plus(model, TARGET, 0.2, 0.1, compensation="state")(0.0, q, v)
    held = model.inverse_dynamics(q, zero, zero) + model.stiffness @ q
    np.testing.assert_allclose(model.actuation(q) @ u, 0.2 * (TARGET - q) - 0.1 * v + held, atol=1e-12)
    u = sp.control.pd_plus(model, TARGET, 0.2, 0.1, compensation="none")(0.0, q, v)
    np.testing.assert_allclose(model.actuation(q) @ u, 0.2 * (TARGET - q) - 0.1 * v, atol=1e-12)


@pytest.mark.parametrize("compensation", ["target", "state"])
def test_the_target_is_reached(compensation):
    model = trunk().compile()
    law = sp.control.pd_plus(model, TARGET, [0.2, 0.2, 20.0] * 2, [0.05, 0.05, 1.0] * 2, compensation)
    motion = model.simulate([0.0, 6.0], u=law)
    np.testing.assert_allclose(motion.q[-1], TARGET, atol=2e-3)


@pytest.mark.parametrize("compensation", ["target", "state"])
def test_a_moving_target_is_followed_without_error(compensation):
    """Begun on the target, both hold: R(q_d, q_d', q_d'') is what the motion takes."""
    model = trunk().compile()
    target = sp.laws.Sine(TARGET, 0.5)
    law = sp.control.pd_plus(model, target, 0.2, 0.1, compensation)
    t = np.linspace(0.0, 1.0, 5)
    motion = model.simulate(t, v0=target.rate(0.0), u=law, method=sp.NDF(rtol=1e-7, atol=1e-9))
    np.testing.assert_allclose(motion.q, [target(x) for x in t], atol=1e-5)


def test_velocity_terms_are_a_bilinear_form():
    """C(q, v) v_d is linear in v_d, symmetric, and C(q, v) v are the velocity terms: energy then obeys the PD alone."""
    model = trunk().compile()
    rng = np.random.default_rng(2)
    q, v, zero = rng.standard_normal(6), rng.standard_normal(6), np.zeros(6)
    forces = []
    for factor in (1.0, 2.0):
        motion = (q, factor * v, zero)
        law = sp.control.pd_plus(model, lambda t, motion=motion: motion, 0.0, 0.0, compensation="state")
        force = model.actuation(q) @ law(0.0, q, v)
        forces.append(force - model.residual(q, zero, zero) - factor * model.damping @ v)
    coriolis = model.inverse_dynamics(q, v, zero) - model.inverse_dynamics(q, zero, zero)
    np.testing.assert_allclose(forces[0], coriolis, atol=1e-11)
    np.testing.assert_allclose(forces[1], 2.0 * coriolis, atol=1e-11)


def test_some_coordinates_by_some_inputs():
    """[AGNOSTIC-ID] simulation 2: the soft arm's coordinates, whatever the others do."""
    model = soft_arm().compile()
    name = model.coordinate_names[1]
    law = sp.control.pd_plus(model, [0.4], 5.0, 0.5, "state", coordinates=[name], inputs=["elbow"])
    rng = np.random.default_rng(4)
    q, v, zero = rng.standard_normal(model.n), rng.standard_normal(model.n), np.zeros(model.n)
    u = law(0.0, q, v)
    assert u[0] == 0.0
    assert u[1] == pytest.approx(5.0 * (0.4 - q[1]) - 0.5 * v[1] + model.residual(q, zero, zero)[1])


def test_bad_options_are_named():
    model = soft_arm().compile()
    with pytest.raises(ModelError, match="2 inputs cannot move 7 coordinates"):
        sp.control.pd_plus(model, np.zeros(7), 1.0, 1.0)
    with pytest.raises(ModelError, match="compensation"):
        sp.control.pd_plus(model, [0.0], 1.0, 1.0, "somewhere", coordinates=[0])
    with pytest.raises(ModelError, match="there is no coordinate 'knee'"):
        sp.control.pd_plus(model, [0.0], 1.0, 1.0, coordinates=["knee"])
