"""The trimmed helicoid: volumes, equilibria with given tips, inputs that act, tips that follow their circles."""

import numpy as np
import pytest

from supple.control import actuation_coordinates
from supple.systems import trimmed_helicoid
from supple.systems.trimmed_helicoid import circles, equilibrium_at, helicoid_kinematics, in_world
from supple.tracing.program import evaluate


@pytest.fixture(scope="module")
def model():
    return trimmed_helicoid().compile()


def test_bodies_keep_their_volume():
    system = trimmed_helicoid()
    body = system.robot.links[0].body
    q = np.array([0.3, -0.4, 0.004, -0.003, 0.6, 2.0, -0.5, 3.0])
    F = evaluate(body.gradient, body.quadrature.x, q)
    np.testing.assert_allclose(np.linalg.det(F), 1.0, atol=1e-12)
    assert helicoid_kinematics(0.1).n == 8


def test_tendons_move_as_many_coordinates_as_they_are(model):
    """At the straight state, too, and each one its own body alone."""
    B = model.actuation(np.zeros(model.n))
    assert np.linalg.matrix_rank(B, tol=1e-3) == 9
    own = np.kron(np.eye(3), np.ones((8, 3)))
    assert (B[own == 0.0] == 0.0).all()
    # a tendon at (r cos, r sin) is shortened by an angle towards it: r cos(angle) per radian
    np.testing.assert_allclose(B[4, :3], 0.02 * np.cos(2.0 * np.pi * np.arange(3) / 3.0), atol=1e-12)
    np.testing.assert_allclose(B[6, :3], 0.02 * np.sin(2.0 * np.pi * np.arange(3) / 3.0), atol=1e-12)


def test_equilibria_have_their_tips_where_they_are_wanted(model):
    straight = in_world([(0.1 * (k + 1), 0.0, 0.0) for k in range(3)])
    places = 0.9 * straight + 0.1 * circles(0.0)
    q, u = equilibrium_at(model, places, np.zeros(24), np.ones(9))
    zero = np.zeros(24)
    assert np.abs(model.residual(q, zero, zero, u)).max() < 1e-9
    for k in range(3):
        np.testing.assert_allclose(model.tip(q, f"body{k + 1}"), places[k], atol=1e-9)
    y = actuation_coordinates(model)
    shorter = [model.line_lengths(zero)[name] - length for name, length in model.line_lengths(q).items()]
    np.testing.assert_allclose(y(q), shorter, atol=1e-15)


@pytest.mark.slow
def test_actuation_coordinates_move_like_masses_on_springs():
    """Where no tension is cut off, the error obeys e'' + kd e' + kp e = 0."""
    system = trimmed_helicoid()
    model = system.compile()
    law = system.inputs(model)
    q, v = np.zeros(24), np.zeros(24)
    for t in (0.0, 1.3):
        u = law.drive(t, q, v, np.zeros(9))  # before it is cut off
        a = model.forward_dynamics(q, v, u).a
        wanted = law.reference(t)
        J = law.coordinates.jacobian(q)
        expected = wanted.acceleration + wanted.rate + 10.0 * (wanted.value - law.coordinates(q))
        np.testing.assert_allclose(J @ a + law.coordinates.bias(q, v), expected, atol=1e-9)
    motion = system.simulate(model, np.linspace(0.0, 5.0, 11), progress=False)
    apart = np.linalg.norm(system.paths(motion) - [circles(t)[::-1] for t in motion.t], axis=-1).max(axis=1)
    assert apart[0] < 1e-9  # at rest where the circles begin
    assert 5e-3 < apart[1] < 0.02  # it falls behind
    assert apart[-1] < 2e-3  # exp(-t / 2) of that is left
    assert motion.u.min() > 0.0  # nothing is cut off
    error = [law.reference(t).value - law.coordinates(x) for t, x in zip(motion.t, motion.q, strict=True)]
    beginning, way = law.reference(0.0).rate, np.sqrt(10.0 - 0.25)
    expected = [np.exp(-0.5 * t) * np.sin(way * t) / way * beginning for t in motion.t]
    np.testing.assert_allclose(error, expected, atol=1e-5)
