"""The Cartesian regulator: force on points where inputs can give it, points at their places in the end."""

import numpy as np
import pytest

import supple as sp
from control_cases import driven, soft_arm, trunk
from helpers import difference_jacobian
from supple.errors import ModelError, SingularError


def test_a_fully_actuated_robot_gets_the_whole_force():
    model = trunk().compile()
    rng = np.random.default_rng(0)
    q, v, zero = 0.5 * rng.standard_normal(6), rng.standard_normal(6), np.zeros(6)
    law = sp.control.cartesian_regulator(model, [0.3, 0.1, 0.0], 20.0, 2.0, at="s1")
    J = law.jacobian(q)
    np.testing.assert_allclose(difference_jacobian(law.places, q), J, atol=1e-7)
    force = J.T @ (20.0 * (np.array([0.3, 0.1, 0.0]) - model.tip(q, "s1")) - 2.0 * J @ v)
    expected = force + model.residual(q, zero, zero)
    np.testing.assert_allclose(model.actuation(q) @ law(0.0, q, v), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_not_held_follows_with_least_energy(seed):
    """B^T N = 1, loops stay closed, and all forces that are left are those of inputs and loops."""
    model, inputs, q, _ = driven(seed)
    law = sp.control.cartesian_regulator(model, np.zeros(3), 1.0, 1.0, at=model.link_names[-1], inputs=inputs)
    B, zero, free = model.actuation(q, 0.2)[:, law.columns], np.zeros(model.n), model.free_coordinates
    try:
        N = law.followers(q, 0.2, B)
    except SingularError:  # a spherical joint without springs is not held, a tendon on prescribed joints does not move
        return
    np.testing.assert_allclose(B.T @ N, np.eye(len(inputs)), atol=1e-7)
    A, size = model.loop_jacobian(q), np.abs(N).max()
    np.testing.assert_allclose(A @ N, 0.0, atol=1e-8 * size)
    K = model.residual_derivatives(q, zero, zero, t=0.2).dq
    reach = np.hstack([B, A.T])[free]
    force = (K @ N)[free]
    left = force - reach @ np.linalg.lstsq(reach, force, rcond=None)[0]
    assert np.abs(left).max() < 1e-6 * max(np.abs(K).max() * size, 1.0)


def test_an_underactuated_robot_brings_its_tip_there():
    """Seven coordinates, two motors and two chambers: three numbers of a place."""
    chambers = [sp.Chamber(f"c{k}", {"rod": place}, area=1e-4) for k, place in enumerate([(0.01, 0.0), (0.0, 0.01)])]
    model = soft_arm(*chambers).compile()
    target = np.array([0.5, 0.2, -0.15])
    law = sp.control.cartesian_regulator(model, target, 40.0, 8.0, at=("rod", 1.0), damping=[0.3, 0.3, 1e7, 1e7])
    motion = model.simulate([0.0, 3.0], u=law)
    np.testing.assert_allclose(motion.tip("rod")[-1], target, atol=1e-4)
    without = sp.control.cartesian_regulator(model, target, 40.0, 8.0, at="rod", compensation=False)
    sagging = model.simulate([0.0, 3.0], u=without)
    assert np.linalg.norm(sagging.tip("rod")[-1] - target) > 1e-2


def test_bad_points_are_named():
    model = soft_arm().compile()
    for at in ([], 3, [("rod",)], ["rod", 2]):
        with pytest.raises(ModelError, match=r"at is .* must be points"):
            sp.control.cartesian_regulator(model, [0.0, 0.0, 0.0], 1.0, 1.0, at=at)
    with pytest.raises(ModelError, match="leg"):
        sp.control.cartesian_regulator(model, [0.0, 0.0, 0.0], 1.0, 1.0, at="leg")
