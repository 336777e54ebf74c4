"""A rigid arm of five joints with full inertias, computed by Pinocchio."""

from functools import cache

import numpy as np
import pytest

from helpers import DATA, relative_error
from reference_robots import five_joint_arm

STATES = range(10)


@cache
def reference():
    with np.load(DATA / "pinocchio_arm.npz") as data:
        return dict(data)


def build(joint_options=None):
    data = reference()
    table, kinds = data["joints_parent_T16_mass_com_inertia9"], data["joint_types"]
    return five_joint_arm(table, kinds, data["gravity"], joint_options).compile()


@cache
def arm():
    return build()


@pytest.mark.parametrize("k", STATES)
def test_inverse_dynamics_and_derivatives(k):
    data, model = reference(), arm()
    q, v, a = data["q"][k], data["v"][k], data["a"][k]
    found = model.inverse_dynamics_derivatives(q, v, a)
    assert relative_error(found.force, data["tau"][k]) < 1e-11
    assert relative_error(model.inverse_dynamics(q, v, a), data["tau"][k]) < 1e-11
    assert relative_error(found.dq, data["dtau_dq"][k]) < 1e-11
    assert relative_error(found.dv, data["dtau_dv"][k]) < 1e-11
    assert relative_error(found.mass, data["M"][k]) < 1e-11
    assert relative_error(model.mass_matrix(q), data["M"][k]) < 1e-11
    assert relative_error(model.inverse_dynamics(q, 0 * v, 0 * a), data["g"][k]) < 1e-11


@pytest.mark.parametrize("k", STATES)
def test_pose_of_the_last_joint(k):
    data = reference()
    assert relative_error(arm().pose(data["q"][k], "link5", 0.0), data["tip"][k]) < 1e-12


@pytest.mark.parametrize("k", STATES)
def test_forward_dynamics_and_derivatives(k):
    """Joint springs pulled to the reference torques stand in for motors; their stiffness adds -M^-1 K to da/dq."""
    data = reference()
    q, v, stiffness = data["q"][k], data["v"][k], 2.0
    rest = q + data["tau_fd"][k] / stiffness
    model = build([{"stiffness": stiffness, "rest": float(x)} for x in rest])
    assert relative_error(model.forward_dynamics(q, v).a, data["ddq"][k]) < 1e-9
    found = model.forward_dynamics_derivatives(q, v)
    spring = -stiffness * np.linalg.inv(data["M"][k])
    assert relative_error(found.dq - spring, data["dddq_dq"][k]) < 1e-9
    assert relative_error(found.dv, data["dddq_dv"][k]) < 1e-9
