"""Prescribed joints: accelerations from the law, efforts that make the residual vanish, zero rows and columns."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error


def arm(*items, joint=None):
    """A shaft, an elbow of any joint, and a soft rod at the end."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e3)
    robot = sp.Robot("arm")
    robot.add_link("shaft", sp.Rigid.cylinder(0.2, 0.02, density=1000.0), joint=sp.Revolute("y"))
    elbow = sp.Revolute("z") if joint is None else joint
    robot.add_link("elbow", sp.Rigid.cylinder(0.1, 0.02, density=1000.0), joint=elbow, parent="shaft")
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=1)
    robot.add_link("rod", sp.Rod(0.3, sp.Circle(0.01), material, strain, points=4), parent="elbow")
    for item in items:
        robot.add(item)
    return robot


def sine(t):
    return np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)


def test_the_law_moves_the_joint_and_the_effort_closes_the_residual():
    model = arm(sp.Prescribed("shaft", sine)).compile()
    rng = np.random.default_rng(0)
    q, v = 0.3 * rng.normal(size=(2, model.n))
    motion = model.forward_dynamics(q, v, t=0.7)
    assert motion.a[0] == sine(0.7)[2]
    residual = model.residual(q, v, motion.a, t=0.7)
    residual[0] -= motion.efforts[0]
    assert np.abs(residual).max() < 1e-10 * np.abs(model.inverse_dynamics(q, v, 0 * v)).max()


def test_the_effort_equals_the_input_of_a_drive_that_makes_the_same_motion():
    """Inverse and forward: a drive with the effort as input gives back the prescribed acceleration, for any joint."""
    rng = np.random.default_rng(1)
    for joint in (sp.Revolute("z"), sp.Spherical(), sp.Planar("x"), sp.Universal("x", "y"), sp.Cylindrical("y")):
        k = joint.dof
        wanted = rng.normal(size=(3, k))
        law = (lambda t, w=wanted: tuple(w)) if k > 1 else (lambda t, w=wanted: tuple(w[:, 0]))
        held = arm(sp.Prescribed("elbow", law), joint=joint).compile()
        driven = arm(sp.JointDrive("motor", "elbow"), joint=joint).compile()
        q, v = 0.4 * rng.normal(size=(2, held.n))
        motion = held.forward_dynamics(q, v)
        np.testing.assert_array_equal(motion.a[1 : 1 + k], wanted[2])
        again = driven.forward_dynamics(q, v, motion.efforts)
        M = held.mass_matrix(q)
        assert relative_error(M @ again.a, M @ motion.a) < 1e-9, type(joint).__name__


def test_rows_and_columns_of_prescribed_coordinates_are_zero_and_the_rest_is_exact():
    model = arm(sp.Prescribed("elbow", sine)).compile()
    rng = np.random.default_rng(2)
    q, v = 0.3 * rng.normal(size=(2, model.n))
    partial = model.forward_dynamics_derivatives(q, v, t=0.2)
    for matrix in (partial.dq, partial.dv):
        assert np.all(matrix[1] == 0.0)
        assert np.all(matrix[:, 1] == 0.0)
    M = model.mass_matrix(q)
    for j in (0, 2, 5, model.n - 1):
        step = 1e-5
        d = step * np.eye(model.n)[j]
        dq = (model.forward_dynamics(q + d, v, t=0.2).a - model.forward_dynamics(q - d, v, t=0.2).a) / (2 * step)
        step = 0.1  # accelerations are quadratic in v, so central differences are exact for any step
        d = step * np.eye(model.n)[j]
        dv = (model.forward_dynamics(q, v + d, t=0.2).a - model.forward_dynamics(q, v - d, t=0.2).a) / (2 * step)
        assert relative_error(M @ partial.dq[:, j], M @ dq) < 1e-6
        assert relative_error(M @ partial.dv[:, j], M @ dv) < 1e-6


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([sp.Prescribed("rod", sine)], "Prescribed 'rod': link 'rod' is fixed"),
        ([sp.Prescribed("nobody", sine)], "Prescribed 'nobody': there is no link"),
        ([sp.Prescribed("elbow", 3.0)], "law is 3.0, must be a function"),
        ([sp.JointDrive("m", "elbow"), sp.Prescribed("elbow", sine)], "also driven by JointDrive 'm'"),
        ([sp.Prescribed("elbow", sine), sp.JointDrive("m", "elbow")], "is prescribed: it cannot be driven too"),
        ([sp.Prescribed("elbow", sine), sp.Prescribed("elbow", sine)], "is prescribed already"),
    ],
)
def test_bad_prescriptions_are_refused(items, message):
    with pytest.raises(sp.ModelError, match=message):
        arm(*items).compile()


@pytest.mark.parametrize("law", [lambda t: 1.0, lambda t: (0.0, np.nan, 0.0), lambda t: ([0.0, 1.0], 0.0, 0.0)])
def test_a_law_that_returns_nonsense_names_the_link(law):
    model = arm(sp.Prescribed("elbow", law)).compile()
    with pytest.raises(sp.StateError, match="Prescribed 'elbow'"):
        model.forward_dynamics(np.zeros(model.n), np.zeros(model.n))
