"""Frames of the efforts of prescribed joints that turn freely."""

import numpy as np

import supple as sp
from gradients.parameter_cases import turned
from supple.gradients.effort_frames import effort_matrix, efforts_by_coordinate, efforts_by_parameter, supplied_forces
from supple.model.accelerations import joint_efforts

rng = np.random.default_rng(8)
DESIGN = sp.Design(turned, normal=0.3, young=3e5)
MODEL = DESIGN.model()
Q, FORCE = 0.4 * rng.normal(size=MODEL.n), rng.normal(size=MODEL.n)
EFFORTS = joint_efforts(MODEL, Q, FORCE)


def test_forces_and_efforts_follow_from_each_other():
    fixed = MODEL.fixed_coordinates
    assert np.allclose(effort_matrix(MODEL, Q) @ FORCE[fixed], EFFORTS, rtol=1e-13)
    assert np.allclose(supplied_forces(MODEL, Q, EFFORTS)[fixed], FORCE[fixed], rtol=1e-12)
    assert not np.allclose(EFFORTS, FORCE[fixed], rtol=1e-3)


def test_by_coordinates():
    found, h = efforts_by_coordinate(MODEL, Q, EFFORTS), 1e-5
    for i, j in enumerate(MODEL.fixed_coordinates):
        step = np.zeros(MODEL.n)
        step[j] = h
        expected = (joint_efforts(MODEL, Q + step, FORCE) - joint_efforts(MODEL, Q - step, FORCE)) / (2.0 * h)
        assert np.allclose(found[:, i], expected, rtol=1e-7, atol=1e-8)
    assert np.abs(found).max() > 0.1


def test_by_parameters():
    found, h = efforts_by_parameter(MODEL, Q, EFFORTS), 1e-5
    ends = [joint_efforts(DESIGN.model(normal=0.3 + x), Q, FORCE) for x in (h, -h)]
    assert np.allclose(found[:, 0], (ends[0] - ends[1]) / (2.0 * h), rtol=1e-7, atol=1e-8)
    assert not found[:, 1].any()


def test_models_without_prescribed_joints_or_parameters():
    plain = turned().compile()
    assert efforts_by_parameter(plain, Q, EFFORTS).shape == (3, 0)
    none = sp.Design(_with_mass, mass=1.0).model()
    assert efforts_by_coordinate(none, np.zeros(1), np.zeros(0)).shape == (0, 0)
    assert efforts_by_parameter(none, np.zeros(1), np.zeros(0)).shape == (0, 1)


def _with_mass(mass):
    robot = sp.Robot("free")
    robot.add_link("body", sp.Rigid(mass, (0.1, 0.1, 0.1)), sp.Revolute("y"))
    return robot
