"""Kinematics of soft bodies: volumes are kept, bases stay, and an arc is that of a rod."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.robot.kinematics import polynomial_modes
from supple.tracing.program import evaluate, trace
from supple.tracing.slopes import gradient_by_material

L = 0.2


def mode(rng, size=1.0):
    """A random smooth mode."""
    a, b, c = rng.uniform(-1.0, 1.0, 3)
    return lambda x: size * (a + b * x / L + 0.5 * np.sin(c + 3.0 * x / L))


def primitives(rng):
    return [
        sp.Source([mode(rng, 1e-4)]),
        sp.Twist([mode(rng), mode(rng)]),
        sp.Stretch(mode(rng)),
        sp.Shear(mode(rng, 0.02), "z"),
        sp.Shear(mode(rng, 0.02), "y"),
        sp.Bend(mode(rng, 5.0), "y"),
        sp.Bend([mode(rng, 5.0)], "z"),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_compositions_keep_volumes(seed):
    rng = np.random.default_rng(seed)
    parts = primitives(rng)
    chosen = [parts[i] for i in rng.permutation(len(parts))[: rng.integers(1, 5)]]
    f = sp.VolumePreserving(chosen)
    x = sp.HollowCylinder(L, 0.02, 0.01).quadrature((3, 2, 4)).x
    q = rng.uniform(-0.5, 0.5, f.n)
    F = gradient_by_material(trace(f, f.n, 3, (3,), "f"))
    assert np.abs(np.linalg.det(evaluate(F, x, q)) - 1.0).max() < 1e-12
    assert len(set(f.labels)) == f.n


def test_bend_of_constant_curvature_is_an_arc():
    f, q, k = sp.VolumePreserving([sp.Bend(lambda x: 1.0 + 0.0 * x)]), np.array([4.0]), 4.0
    place = f(np.array([L, 0.0, 0.0]), q)
    assert relative_error(place, [np.sin(k * L) / k, (1.0 - np.cos(k * L)) / k, 0.0]) < 1e-14


def test_arc_is_that_of_a_rod():
    material = sp.Material(1e6, poisson=0.4, density=1e3)
    rod = sp.Rod(L, sp.Circle(0.02), material, sp.Legendre(bend_y=0, bend_z=0, stretch=0), points=8)
    soft = sp.SoftBody(sp.ConstantCurvature(L, stretch=True), sp.Cylinder(L, 0.02), material, points=(8, 2, 8))
    assert soft.labels == ("bend_y", "bend_z", "stretch")
    assert relative_error(soft.tabulate().stiffness, rod.tabulate().stiffness) < 1e-12
    models = []
    for body in (rod, soft):
        robot = sp.Robot("r", gravity=(1.0, 2.0, 3.0))
        robot.add_link("arm", body, joint=sp.Spherical())
        models.append(robot.compile())
    rng = np.random.default_rng(0)
    for scale in (0.0, 1e-7, 0.8):  # regular where the arc is straight
        q, v, a = scale * rng.uniform(-1.0, 1.0, 6), rng.uniform(-1.0, 1.0, 6), rng.uniform(-1.0, 1.0, 6)
        expected, found = (model.inverse_dynamics_derivatives(q, v, a) for model in models)
        for x, y in zip(found, expected, strict=True):
            assert relative_error(x, y) < 1e-10


def test_network():
    rng = np.random.default_rng(0)
    layers = [(rng.standard_normal((6, 5)), rng.standard_normal(6)), (0.05 * rng.standard_normal((3, 6)), np.zeros(3))]
    f = sp.Network(layers, L)
    assert f.n == 2
    x = np.array([0.1, 0.01, 0.0])
    assert np.allclose(f(x, np.zeros(2)), x)
    assert np.allclose(f(np.array([0.0, 0.01, 0.0]), np.ones(2)), [0.0, 0.01, 0.0])
    assert np.isfinite(sp.SoftBody(f, sp.Block(L, 0.02, 0.02), density=1e3).tabulate().mass).all()


def test_polynomial_modes():
    assert [power(0.1) for power in polynomial_modes(L, 2)] == [1.0, 0.5, 0.25]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.Stretch([]), "Stretch: modes is"),
        (lambda: sp.Bend(lambda x: x, "x"), "Bend: towards"),
        (lambda: sp.VolumePreserving([]), "one at least"),
        (lambda: sp.Network([(np.ones((3, 3)), np.ones(3))], 1.0), "must take 3"),
        (lambda: sp.Network([(np.ones((2, 4)), np.ones(2)), (np.ones((3, 3)), np.ones(3))], 1.0), "layer 2 has shape"),
    ],
)
def test_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_polynomial_modes_integrate_as_functions_do():
    """The same body by modes that know their integrals, and by functions that do not."""
    known = sp.PolynomialMode((0.5, -1.0, 2.0), L)
    plain = [lambda x: 0.5 - x / L + 2.0 * (x / L) ** 2]
    bodies = [
        sp.VolumePreserving([sp.Stretch(modes), sp.Bend(modes, "y"), sp.Bend(modes, "z")]) for modes in (known, plain)
    ]
    x, q = np.array([[0.13, 0.01, -0.02]]), np.array([0.1, 0.7, -0.4])
    places = [evaluate(trace(body, 3, 3, (3,), "body"), x, q) for body in bodies]
    np.testing.assert_allclose(places[0], places[1], atol=1e-15)
    assert known.integral(0.1) == pytest.approx(0.1 * (0.5 - 0.5 * 0.1 / (2.0 * L) * 2.0 + 2.0 * (0.1 / L) ** 2 / 3.0))


@pytest.mark.parametrize("coefficients", [(), (0.0,), (np.nan,), "ab", ((1.0,),)])
def test_bad_polynomials_are_refused(coefficients):
    with pytest.raises(sp.ModelError, match="PolynomialMode"):
        sp.PolynomialMode(coefficients)


def test_a_body_of_variable_radius_bends_and_stretches_as_one_of_constant_curvature():
    """Without bulges; with them, sections grow by the bump, above and below for themselves."""
    length, radius = 0.2, 0.02
    kinematics, plain = sp.VariableRadius(length, radius), sp.ConstantCurvature(length, stretch=True)
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = rng.uniform((0.0, -radius, -radius), (length, radius, radius))
        bend, longer = rng.uniform(-1.0, 1.0), rng.uniform(-0.02, 0.02)
        mine = kinematics(x, np.array([bend, longer, 0.0, 0.0]))
        np.testing.assert_allclose(mine, plain(x, np.array([bend, 0.0, longer / length])), rtol=1e-12, atol=1e-15)
        up, down = kinematics.bumps(x)
        assert (up > 0.0) == (x[2] > 0.0)
        assert (down > 0.0) == (x[2] < 0.0)
        grown = kinematics(x, np.array([0.0, 0.0, 0.005, 0.003]))
        np.testing.assert_allclose(grown[1:] / x[1:], 1.0 + (0.005 * up + 0.003 * down) / radius, rtol=1e-12)
    assert kinematics.bumps(np.array([0.0, 0.01, 0.01]))[0] == 0.0
    with pytest.raises(sp.ModelError, match="VariableRadius: radius"):
        sp.VariableRadius(0.2, -1.0)
