"""Two systems computed by the GVS authors' own toolbox: matrices, inverse dynamics, poses, Jacobians."""

from functools import cache

import numpy as np
import pytest

import supple as sp
from helpers import DATA, relative_error, size
from reference_robots import cable_manipulator, serial_arm

STATES = range(5)
TOLERANCE = 1e-12
#: The toolbox's closed forms for f' and f'' may lose digits at angles of 0.01 to 0.03; at these states they do not.
DERIVATIVE_TOLERANCE = 1e-11


@cache
def reference(name):
    with np.load(DATA / f"sorosim_{name}.npz") as data:
        return dict(data)


@cache
def model(name):
    if name == "cdm":
        return cable_manipulator().compile()
    data = reference("serial")
    if name == "serial solids":
        bodies = [sp.Rigid.cylinder(0.3, 0.03, density=1000.0)] * 2
        bodies.append(sp.Rigid.cone(0.25, 0.03, 0.02, density=1000.0))
    else:
        bodies = [body_at_its_frame(data, i) for i in (1, 2, 3)]
    return serial_arm(bodies, data["g_ini"]).compile()


def body_at_its_frame(data, i):
    """The toolbox gives the inertia at the centre of mass, and poses before and after it."""
    inertia, before, after = (data[f"link{i}_{key}"] for key in ("M", "gi", "gf"))
    assert np.array_equal(before[:3, :3], np.eye(3))
    return sp.Rigid(inertia[3, 3], inertia[:3, :3], com=before[:3, 3], tip=before @ after)


def system(name):
    return model(name), reference(name.split()[0])


SYSTEMS = ["cdm", "serial", "serial solids"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_stiffness_and_damping(name):
    found, data = system(name)
    assert relative_error(found.stiffness, data["K"]) < TOLERANCE
    assert relative_error(found.damping, data["D"]) < TOLERANCE


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("k", STATES)
def test_dynamics(name, k):
    """M, ID at given accelerations, F = -ID at none, the passive force."""
    found, data = system(name)
    q, v, a = data["q"][k], data["qd"][k], data["qdd_id"][k]
    assert relative_error(found.mass_matrix(q), data["M"][k]) < TOLERANCE
    assert relative_error(found.inverse_dynamics(q, v, a), data["ID"][k]) < TOLERANCE
    assert relative_error(-found.inverse_dynamics(q, v, 0 * a), data["F"][k]) < TOLERANCE
    assert relative_error(found.internal_force(q, v), data["tau_passive"][k]) < TOLERANCE


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("k", STATES)
def test_derivatives(name, k):
    found, data = system(name)
    derivatives = found.inverse_dynamics_derivatives(data["q"][k], data["qd"][k], data["qdd_id"][k])
    assert relative_error(derivatives.force, data["ID"][k]) < TOLERANCE
    assert relative_error(derivatives.mass, data["M"][k]) < TOLERANCE
    assert relative_error(derivatives.dq, data["dID_dq"][k]) < DERIVATIVE_TOLERANCE
    assert relative_error(derivatives.dv, data["dID_dqd"][k]) < DERIVATIVE_TOLERANCE


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("k", STATES)
def test_forward_dynamics(name, k):
    """At the toolbox's accelerations the residual is the force of its actuators: M qdd = B u + tau + F."""
    found, data = system(name)
    q, v, a = data["q"][k], data["qd"][k], data["qdd"][k]
    actuation = data["B"][k] @ data["u_full"][k]
    terms = size(found.mass_matrix(q) @ a) + size(data["F"][k]) + size(data["tau_passive"][k])
    assert size(found.residual(q, v, a) - actuation) < TOLERANCE * terms
    unactuated = found.forward_dynamics(q, v).a
    pushed = np.linalg.solve(data["M"][k], actuation)
    condition = np.linalg.cond(data["M"][k])
    assert relative_error(unactuated + pushed, a) < 1e-14 * condition


@pytest.mark.parametrize("k", STATES)
def test_forward_dynamics_derivatives(k):
    """Joint torques do not depend on q, so M da/dq = -dR/dq at the toolbox's accelerations."""
    found, data = system("serial")
    blocks = found.residual_derivatives(data["q"][k], data["qd"][k], data["qdd"][k])
    for key, block in (("dFD_dq", blocks.dq), ("dFD_dqd", blocks.dv)):
        assert size(blocks.da @ data[key][k] + block) < DERIVATIVE_TOLERANCE * size(block)


def points(name):
    """Pairs (point of the toolbox, link and station of ours, fixed offset between them)."""
    if name == "cdm":
        stations = [("arm", s) for _, s in model("cdm").point_table]
        return [(1 + i, *station, np.eye(4)) for i, station in enumerate(stations)]
    data = reference("serial")
    found = [(2 * i - 1, f"link{i}", 0.0, data[f"link{i}_gi"]) for i in (1, 2, 3)]
    stations = [s for link, s in model("serial").point_table if link == "rod"]
    return found + [(7 + i, "rod", s, np.eye(4)) for i, s in enumerate(stations)]


def carried(offset, twists):
    """Body twists, (6,) or (6, n), seen in a frame fixed at ``offset``: Ad^-1."""
    R, p = offset[:3, :3], offset[:3, 3]
    angular, linear = twists[:3], twists[3:]
    return np.concatenate([R.T @ angular, R.T @ (linear - np.cross(p, angular.T).T)])


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("k", STATES)
def test_kinematics(name, k):
    """Poses, body Jacobians, twists, and dJ/dt through its products: (dJ/dt) qd and etad = J a + (dJ/dt) qd."""
    found, data = system(name)
    q, v, a = data["q"][k], data["qd"][k], data["qdd_id"][k]
    compared = points(name.split()[0])
    assert len(compared) >= 7
    for point, link, s, offset in compared:
        J = carried(offset, found.jacobian(q, link, s))
        drift = carried(offset, found.jacobian_rate(q, v, link, s) @ v)
        assert relative_error(found.pose(q, link, s) @ offset, data["g"][k, point]) < TOLERANCE
        assert relative_error(J, data["J"][k, point], floor=1.0) < TOLERANCE
        assert relative_error(carried(offset, found.twist(q, v, link, s)), data["eta"][k, point], 1.0) < TOLERANCE
        assert relative_error(drift, data["Jdot_qd"][k, point], floor=1.0) < TOLERANCE
        assert relative_error(J @ a + drift, data["etadot_id"][k, point], floor=1.0) < TOLERANCE
