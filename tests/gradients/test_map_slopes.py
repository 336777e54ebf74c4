"""Derivatives of soft bodies by numbers of their kinematics, shapes and masses, beside extrapolated differences."""

import warnings

import numpy as np
import pytest
from design_cases import extrapolated

import supple as sp
from supple.fields.evaluation import evaluate_jets
from supple.gradients.dynamics_parameters import residual_by_parameter
from supple.gradients.map_slopes import map_slope
from supple.tracing.plan import plan_of
from supple.tracing.program import make_program, moving, trace

VALUES = {"k": 0.37, "length": 0.3, "radius": 0.03, "shape": np.array([0.5, 0.7]), "heavier": 1.0}


def build(k=0.37, length=0.3, radius=0.03, shape=(0.5, 0.7), heavier=1.0):
    """A box in free motion, a body of a plain function with a spring on it, one of primitives, and a box at its tip."""

    def f(x, q):
        s = x[0] / length
        r, angle = 1.0 + k * q[0] * s + 0.2 * np.tanh(shape[0] * q[1]) * s**2, q[2] * s * shape[1]
        c, d = np.cos(angle), np.sin(angle)
        along, across = x[0] * (1.0 + 0.3 * q[1] * s) * np.cos(0.1 * angle), k * q[2] * x[0] * s
        return np.stack([along, r * (x[1] * c - x[2] * d) + across, r * (x[1] * d + x[2] * c)])

    robot = sp.Robot("made", gravity=(0.3, -0.2, -9.81))
    robot.add_link("head", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Free())
    options = {"n": 3, "stiffness": np.eye(3), "points": (4, 2, 6), "stations": (0.4,)}
    body = sp.SoftBody(f, sp.Cone(length, radius, 0.01), density=lambda x: 1000.0 * (1.0 + heavier * x[0]), **options)
    robot.add_link("tail", body, parent="head", at=sp.pose(xyz=(0.1, 0.02, 0.3), rpy=(0.3, 0.2, 0.1)))
    modes = [sp.PolynomialMode((1.0 / length,)), sp.PolynomialMode((0.0, k / length))]
    bent = sp.VolumePreserving([sp.Stretch(sp.PolynomialMode((0.0, 1.0), length)), sp.Bend(modes, towards="y")])
    body = sp.SoftBody(bent, sp.Cylinder(length, 0.02), density=800.0, stiffness=np.eye(3), points=(4, 2, 6))
    robot.add_link("more", body, parent="tail")
    robot.add_link("end", sp.Rigid.box((0.05, 0.05, 0.05), density=500.0), parent="more")
    robot.add(sp.Spring("spring", ("tail", 0.4), ("world", (0.1, 0.2, 0.3)), stiffness=30.0, rest_length=0.1))
    return robot


@pytest.mark.parametrize("still", [False, True])
def test_residuals_by_numbers_of_the_kinematics(still):
    design = sp.Design(build, **VALUES)
    model = design.model()
    q, v, a = 0.3 * np.random.default_rng(0).standard_normal((3, model.n))
    if still:
        v = np.zeros(model.n)
    found = residual_by_parameter(model, q, v, a, None, None, 0.0)[: model.n].T
    expected = extrapolated(design, lambda other: other.residual(q, v, a))
    assert {end.scale for end in model.design.slopes.maps} == {1.0}  # nothing is differenced
    assert len(model.design.slopes.maps) == 8  # k and length change both bodies
    np.testing.assert_allclose(found, expected, atol=3e-10 * np.abs(expected).max())
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=3e-9 * np.abs(theirs).max() + 3e-11)


def test_motions_by_numbers_of_the_kinematics():
    design = sp.Design(build, k=0.37, length=0.3)
    model = design.model()
    q, v = 0.05 * np.random.default_rng(1).standard_normal((2, model.n))
    times, method = [0.0, 0.02], sp.GeneralizedAlpha(dt=2e-3)

    def end(other):
        return other.simulate(times, q, v, method=method).q[-1]

    motion = model.simulate(times, q, v, method=method, record=True)
    y = np.random.default_rng(2).standard_normal(model.n)
    gradient = motion.vjp(q=np.stack([0.0 * y, y])).p
    expected = extrapolated(design, end, 1e-3) @ y
    np.testing.assert_allclose([gradient["k"], gradient["length"]], expected, rtol=1e-7)


def test_a_program_along_its_numbers():
    def outputs(a, b):
        return trace(lambda x, q: np.stack([np.sin(a * q[0] * x[0]) + b, q[0] ** 2 * b * x[1], x[0]]), 1, 3, (3,), "f")

    X = np.random.default_rng(0).uniform(0.5, 1.0, (4, 3))
    base, plus, minus = (make_program(outputs(*ab), X, 1) for ab in ((0.7, 0.4), (0.7 + 1e-6, 0.4), (0.7 - 1e-6, 0.4)))
    moved = moving(base, (plus.constants - minus.constants) / 2e-6, (plus.tables - minus.tables) / 2e-6)
    jets = [evaluate_jets(plan_of(p), np.append(0.8, np.zeros(p.n - 1)), *np.zeros((2, p.n))) for p in (base, moved)]
    np.testing.assert_allclose(jets[1].values[0], jets[0].values[0], atol=1e-15)
    expected = np.zeros((3, 4))
    expected[0] = 0.8 * X[:, 0] * np.cos(0.7 * 0.8 * X[:, 0])
    np.testing.assert_allclose(jets[1].slopes[0, 1], expected, atol=1e-9)


def test_exponents_are_differenced():
    def made(power=1.5):
        def f(x, q):
            return np.stack([x[0], x[1] * (1.0 + q[0] * x[0]) ** power, x[2]])

        robot = sp.Robot("power")
        robot.add_link("body", sp.SoftBody(f, sp.Cylinder(0.2, 0.02), density=900.0, n=1, stiffness=np.eye(1)))
        return robot

    design = sp.Design(made, power=1.5)
    model = design.model()
    ends = model.design.ends[0]
    assert map_slope(0, model.compiled, ends[:2], ends.scale) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = residual_by_parameter(model, np.array([0.3]), np.array([0.2]), np.array([0.1]), None, None, 0.0)[:1]
    expected = extrapolated(design, lambda other: other.residual([0.3], [0.2], [0.1]))
    np.testing.assert_allclose(found.T, expected, rtol=1e-6)
