"""Viscosity by the rate of the Green strain: what it dissipates, its slopes, what it does not feel."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from soft_robots import soft_cone, waving
from supple.tracing.program import evaluate
from supple.tracing.slopes import slope
from supple.tracing.symbols import COORDINATE

ETA = 300.0
VOIGT = sp.NeoHookean(2e5, 0.45, density=1100.0, kelvin_voigt=ETA)


def robot(material=VOIGT, child=True):
    made = sp.Robot("viscous")
    made.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=300.0), joint=sp.Revolute("y", stiffness=5.0))
    made.add_link("soft", soft_cone(0, material=material), parent="base")
    if child:
        body, joint = soft_cone(1, 0.2, material=material), sp.Revolute("z", stiffness=1.0)
        made.add_link("next", body, parent="soft", joint=joint)
    return made.compile()


def dissipation(body, q, v):
    """eta times the integral of dev(E') : dev(E'), without the kernel."""
    x, volume = body.quadrature
    F = evaluate(body.gradient, x, q)
    rate = sum(v[j] * evaluate(slope(body.gradient, COORDINATE, j), x, q) for j in range(len(v)))
    E = 0.5 * (rate.swapaxes(1, 2) @ F + F.swapaxes(1, 2) @ rate)
    E -= np.trace(E, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    return ETA * volume @ np.sum(E * E, axis=(1, 2))


def state(model, seed=0):
    return np.random.default_rng(seed).uniform(-0.4, 0.4, (3, model.n))


def test_the_force_is_the_slope_of_the_dissipation():
    model = robot(child=False)
    q, v, _ = state(model)
    body, still = soft_cone(0, material=VOIGT), np.zeros(model.n)
    expected = difference_jacobian(lambda w: np.array([dissipation(body, q[1:], w)]), v[1:])[0]
    found = model.internal_force(q, v) - model.internal_force(q, still)
    assert relative_error(found[1:], -expected) < 1e-9
    assert abs(found[0]) < 1e-12 * np.abs(found).max()
    lost = model.power(q, v, still).loads["viscosity of link 'soft'"]
    assert lost == pytest.approx(-2.0 * dissipation(body, q[1:], v[1:]))


def test_slopes():
    """Apart, fused, as products both ways, in the linear-time factors, and of accelerations."""
    model = robot()
    q, v, a = state(model)
    dq, dv, _ = model.internal_force_derivatives(q, v)
    assert relative_error(dq, difference_jacobian(lambda x: model.internal_force(x, v), q)) < 1e-8
    assert relative_error(dv, difference_jacobian(lambda x: model.internal_force(q, x), v)) < 1e-9
    assert np.abs(dv + model.damping).max() > 0.1 * np.abs(dv).max()  # it is not the linear one
    _, tangent = model.residual_tangent(q, v, a, None, None, 0.0, 2.0, 5.0)
    parts = model.residual_derivatives(q, v, a)
    assert relative_error(tangent, parts[0] + 2.0 * parts[1] + 5.0 * parts[2]) < 1e-12
    x = np.random.default_rng(1).standard_normal(model.n)
    assert relative_error(model.tangent_product(q, v, a, x, 2.0, 5.0), tangent @ x) < 1e-12
    assert relative_error(model.tangent_product(q, v, a, x, 2.0, 5.0, True), tangent.T @ x) < 1e-12
    found = model.forward_dynamics_derivatives(q, v)
    by_v = difference_jacobian(lambda x: model.forward_dynamics(q, x).a, v)
    assert relative_error(found.dv, by_v) < 1e-7


def test_beside_loads_on_dormant_stations():
    """What is asked for apart shares its place with spheres of contacts."""
    made = sp.Robot("viscous")
    made.add_link("soft", soft_cone(0, material=VOIGT), sp.Revolute("y"))
    made.add_link("rod", sp.Rod(0.3, sp.Circle(0.01), sp.Material(1e5, density=900.0), sp.Legendre(bend_y=1)))
    floor = sp.Plane((0.0, 0.0, 1.0), 0.0)
    made.add(sp.Contact("c", sp.Spheres("rod", 4), floor, stiffness=1e3, damping=0.5, friction=0.3))
    model = made.compile()
    q, v, a = state(model)
    parts = model.residual_derivatives(q, v, a)
    for found, at in ((parts.dq, 0), (parts.dv, 1)):
        known = [q, v, a]

        def residual(x, at=at, known=known):
            return model.residual(*[x if k == at else part for k, part in enumerate(known)])

        assert relative_error(found, difference_jacobian(residual, known[at])) < 1e-7


def test_at_rest_it_is_that_of_small_strains():
    model, linear = robot(), robot(sp.NeoHookean(2e5, 0.45, density=1100.0, viscosity=ETA))
    zero = np.zeros(model.n)
    dv = model.internal_force_derivatives(zero, zero).dv
    assert relative_error(dv, linear.internal_force_derivatives(zero, zero).dv) < 1e-10
    assert np.abs(model.damping[1:4, 1:4]).max() == 0.0


def test_it_does_not_feel_rotations():
    """Of a body that turns as a whole besides: neither how far nor how fast."""
    inner = waving(0.3, 0)

    def turned(x, q):
        p, c, s = inner(x, q[1:]), np.cos(q[0]), np.sin(q[0])
        return np.stack([c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]])

    made = sp.Robot("turning")
    made.add_link("soft", sp.SoftBody(turned, sp.Cone(0.3, 0.03, 0.02), VOIGT, n=4, points=(5, 2, 5)))
    model = made.compile()
    q, v, _ = state(model)
    forces = []
    for angle, rate in ((0.0, 0.0), (2.0, -3.0)):
        q[0], v[0] = angle, rate
        forces.append(model.internal_force(q, v) - model.internal_force(q, 0.0 * v))
    assert relative_error(forces[1], forces[0]) < 1e-12
    assert abs(forces[1][0]) < 1e-12 * np.abs(forces[1]).max()
    linear = sp.Robot("turning")
    wet = sp.NeoHookean(2e5, 0.45, density=1100.0, viscosity=ETA)
    linear.add_link("soft", sp.SoftBody(waving(0.3, 0), sp.Cone(0.3, 0.03, 0.02), wet, n=3, points=(5, 2, 5)))
    D = linear.compile().damping
    assert relative_error(-D @ v[1:], forces[0][1:]) > 1e-2  # small strains about rest are something else


def test_energy_is_lost_by_it_alone():
    model = robot(child=False)
    q, v, _ = state(model, 2)
    times = np.linspace(0.0, 0.1, 201)
    motion = model.simulate(times, q, 3.0 * v, method=sp.Radau(rtol=1e-9, atol=1e-11))
    body, total = soft_cone(0, material=VOIGT), motion.energy()[:, 3]
    lost = np.array([2.0 * dissipation(body, x[1:], w[1:]) for x, w in zip(motion.q, motion.v, strict=True)])
    integral = np.sum((lost[0:-1:2] + 4.0 * lost[1::2] + lost[2::2]) * (times[1] - times[0]) / 3.0)
    assert total[0] - total[-1] == pytest.approx(integral, rel=1e-4)
    assert integral > 0.05 * np.ptp(total)


def test_gradients_of_a_motion():
    """By where it begins and by the viscosity itself."""

    def make(eta, young=2e5):
        made = sp.Robot("viscous")
        material = sp.NeoHookean(young, 0.45, density=1100.0, kelvin_voigt=eta)
        made.add_link("soft", soft_cone(0, material=material), sp.Revolute("y", stiffness=1.0))
        return made

    q, v = state(make(ETA).compile())[:2]
    options = {"method": sp.BDF2(dt=2e-3), "t": 0.02, "q0": q}
    design = sp.Design(make, eta=ETA)
    motion = design.model().simulate(v0=v, record=True, **options)
    gradient = motion.vjp(q=np.ones_like(motion.q))
    ends = [design.model(eta=eta).simulate(v0=v, **options).q.sum() for eta in (1.01 * ETA, 0.99 * ETA)]
    assert gradient.p["eta"] == pytest.approx((ends[0] - ends[1]) / (0.02 * ETA), rel=1e-3)
    e = np.zeros(len(v))
    e[1] = 1e-5
    model = design.model()
    ends = [model.simulate(v0=v + x, **options).q.sum() for x in (e, -e)]
    assert gradient.v0[1] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)


def test_a_damping_matrix_takes_its_place():
    made = sp.Robot("viscous")
    made.add_link("soft", soft_cone(0, material=VOIGT, damping=[1.0, 2.0, 3.0]))
    model = made.compile()
    q, v, _ = state(model)
    found = model.internal_force(q, v) - model.internal_force(q, 0.0 * v)
    assert np.allclose(found, -v * (1.0, 2.0, 3.0), rtol=1e-12)


def test_refused():
    with pytest.raises(sp.ModelError, match="NeoHookean: kelvin_voigt"):
        sp.NeoHookean(1e5, density=1000.0, kelvin_voigt=-1.0)
