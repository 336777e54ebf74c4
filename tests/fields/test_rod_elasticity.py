"""Rods of nonlinear laws in every function of a model: forces, tangents, energies, equilibria, motions, gradients."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import (
    central_difference,
    coupled_energy,
    difference_jacobian,
    random_coordinates,
    random_robot,
    relative_error,
)
from load_kinds import KINDS, add_kinds

RUBBER = sp.Material(young=2e5, density=1000.0, viscosity=200.0)
ALL = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=1, shear_y=0, shear_z=0)
LAWS = {
    "quadratic": sp.QuadraticEnergy(),
    "rubber": sp.MooneyRivlinRod(0.3),
    "stiffening": sp.Stiffening(torsion=0.1, bend_y=0.1, stretch=2.0, shear_y=1.0),
    "saturating": sp.Saturating(torsion=2.0, bend_y=1.0, stretch=0.1),
    "own": sp.StrainEnergy(coupled_energy),
}


def rod(law, **options):
    options = {"section": sp.Circle((0.02, 0.012)), "material": RUBBER, "strain": ALL} | options
    return sp.Rod(0.4, law=law, **options)


def robot(law, **options):
    made = sp.Robot("bent", gravity=(0.0, 0.0, -9.81))
    made.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=300.0), joint=sp.Revolute("y", stiffness=5.0))
    made.add_link("arm", rod(law, **options), parent="base")
    made.add_link("tip", sp.Rigid.sphere(0.02, density=500.0), parent="arm")
    return made


def state(model, seed=0, size=0.2):
    rng = np.random.default_rng(seed)
    return size * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.standard_normal(model.n)


def stored(model, q):
    """All that is not kinetic and not of gravity."""
    energy = model.energy(q, np.zeros(model.n))
    return energy.elastic + energy.loads


def test_quadratic_energy_is_the_linear_rod():
    for section in (sp.Circle((0.02, 0.012)), sp.Section(lambda s: (1.0 + s) * coupling(), np.ones(6))):
        options = {"section": section, "material": None if isinstance(section, sp.Section) else RUBBER}
        options["rest_strain"] = np.array([1.0, -2.0, 0.5, 0.9, 0.1, 0.0])
        model, linear = robot(sp.QuadraticEnergy(), **options).compile(), robot(None, **options).compile()
        q, v, a = state(model)
        assert relative_error(model.stiffness, linear.stiffness) < 1e-13
        assert relative_error(model.internal_force(q, v), linear.internal_force(q, v)) < 1e-13
        for x, y in zip(model.residual_derivatives(q, v, a), linear.residual_derivatives(q, v, a), strict=True):
            assert relative_error(x, y) < 1e-13
        assert abs(stored(model, q) - stored(linear, q)) < 1e-13 * stored(linear, q)
        here, there = (m.stress(q, "arm", [0.0, 0.37, 1.0], v=v) for m in (model, linear))
        assert relative_error(here.elastic, there.elastic) < 1e-12
        assert relative_error(model.statics().q, linear.statics().q) < 1e-9


def coupling():
    A = np.random.default_rng(5).standard_normal((6, 6))
    return A @ A.T + np.eye(6)


@pytest.mark.parametrize("name", LAWS)
def test_force_is_the_slope_of_the_energy_and_tangents_are_its_slopes(name):
    model = robot(LAWS[name]).compile()
    q, v, a = state(model)
    zero = np.zeros(model.n)
    slope = difference_jacobian(lambda x: np.array([stored(model, x)]), q)[0]
    assert relative_error(model.internal_force(q, zero), -slope) < 1e-9
    dq, dv, _ = model.internal_force_derivatives(q, v)
    assert relative_error(dq, difference_jacobian(lambda x: model.internal_force(x, v), q)) < 1e-8
    assert relative_error(dv, -model.damping) < 1e-12
    parts = model.residual_derivatives(q, v, a)
    _, tangent = model.residual_tangent(q, v, a, None, None, 0.0, 2.0, 5.0)
    assert relative_error(tangent, parts[0] + 2.0 * parts[1] + 5.0 * parts[2]) < 1e-12
    x = np.random.default_rng(1).standard_normal(model.n)
    assert relative_error(model.tangent_product(q, v, a, x, 2.0, 5.0), tangent @ x) < 1e-12
    assert relative_error(model.tangent_product(q, v, a, x, 2.0, 5.0, True), tangent.T @ x) < 1e-12
    assert model.check_derivatives(q, v, a).worst.error < 1e-7
    at_rest = -model.internal_force_derivatives(zero, zero)[0]
    assert relative_error(model.stiffness, at_rest) < 1e-12


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_rubber_band_is_stretched_as_the_formula_says(share):
    band = sp.Rod(0.3, sp.Circle(0.005), RUBBER, sp.Legendre(stretch=0), points=2, law=sp.MooneyRivlinRod(share))
    made = sp.Robot("band", gravity=(0.0, 0.0, 0.0))
    made.add_link("band", band)
    made.add(sp.PointWrench("band", lambda t: np.array([0.0, 0.0, 0.0, t, 0.0, 0.0]), s=1.0))
    model = made.compile()
    EA = 2e5 * np.pi * 0.005**2
    for stretch in (0.6, 1.1, 2.0, 3.5):
        first = (1.0 - share) * (stretch - 1.0 / stretch**2)
        force = EA / 3.0 * (first + share * (1.0 - 1.0 / stretch**3))
        found = model.statics(t=force)
        assert found.converged
        assert abs(1.0 + found.q[0] - stretch) < 1e-8
        assert abs(model.stress(found.q, "band", 0.5).elastic[3] - force) < 1e-6 * abs(force)
        assert abs(model.inner_forces(found.q, "band", 0.5, t=force)[3] - force) < 1e-6 * abs(force)


def test_stress_agrees_with_balance():
    """A rod that is bent at its tip carries one moment all along, whatever its law."""
    law = sp.Stiffening(bend_y=0.05)
    made = sp.Robot("bent", gravity=(0.0, 0.0, 0.0))
    options = {"strain": sp.Legendre(bend_y=0), "section": sp.Circle(0.02)}
    made.add_link("arm", rod(law, **options))
    made.add(sp.PointWrench("arm", np.array([0.0, 0.3, 0.0, 0.0, 0.0, 0.0]), frame="local"))
    model = made.compile()
    q = model.statics().q
    kappa = q[0] / 0.4
    EI = 2e5 * np.pi * 0.02**4 / 4.0
    assert abs(EI * kappa * (1.0 + 0.05 * kappa**2) - 0.3) < 1e-9
    assert np.allclose(model.stress(q, "arm", [0.1, 0.9]).total[:, 1], 0.3, rtol=1e-9)
    assert np.allclose(model.inner_forces(q, "arm", [0.1, 0.9])[:, 1], 0.3, rtol=1e-9)
    slopes = model.stress_derivatives(q, "arm", [0.1, 0.9])
    expected = difference_jacobian(lambda x: model.stress(x, "arm", [0.1, 0.9]).total, q)
    assert relative_error(slopes.dq, expected) < 1e-9


@pytest.mark.parametrize(
    "method",
    [
        sp.GeneralizedAlpha(dt=2e-3),
        sp.Newmark(dt=2e-3),
        sp.BDF2(dt=2e-3),
        sp.ImplicitEuler(dt=2e-3),
        sp.NDF(rtol=1e-6),
        sp.RK45(rtol=1e-6),
        sp.DOP853(rtol=1e-6),
        sp.Nystrom(rtol=1e-5),
    ],
    ids=lambda method: type(method).__name__,
)
def test_all_methods_move_alike(method):
    model = robot(sp.MooneyRivlinRod(0.3)).compile()
    exact = model.simulate(0.05, method=sp.DOP853(rtol=1e-10, atol=1e-12))
    motion = model.simulate(0.05, method=method)
    tolerance = 0.05 if isinstance(method, sp.ImplicitEuler) else 5e-3
    assert relative_error(motion.q[-1], exact.q[-1]) < tolerance


def test_energy_is_conserved():
    still = sp.Material(young=2e4, density=1000.0)
    model = robot(sp.MooneyRivlinRod(0.2), material=still).compile()
    q0 = state(model, 3, 0.1)[0]
    motion = model.simulate(0.2, q0=q0, method=sp.DOP853(rtol=1e-10, atol=1e-12))
    total = [model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.ptp(total) < 1e-7 * np.abs(total).max()
    linear = robot(None, material=still).compile()
    other = linear.simulate(0.2, q0=q0, method=sp.DOP853(rtol=1e-10, atol=1e-12))
    assert relative_error(other.q[-1], motion.q[-1]) > 1e-2  # the law matters


@pytest.mark.filterwarnings("ignore:.*no tangent is given:supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", range(6))
def test_random_robots_with_all_kinds_of_loads(seed):
    rng = np.random.default_rng([41, seed])
    plain = random_robot(rng, links=4, rods=0.9, laws=0.8)
    made = add_kinds(rng, plain, [k for i, k in enumerate(KINDS) if (i + seed) % 5 == 0])
    model = made.compile()
    assert any("elasticity" in load.name for load in model.loads)
    q = random_coordinates(rng, made, "moderate")
    v, a, u = (rng.standard_normal(k) for k in (model.n, model.n, model.nu))
    report = model.check_derivatives(q, v, a, u)
    assert report.worst.error < 1e-5
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.residual(q, v, a, u), model.residual(q, v, a, u))


def design():
    def build(young=2e5, share=0.3, limit=1.0, curve=1.5, radius=0.02):
        made = robot(
            sp.MooneyRivlinRod(share), material=sp.Material(young=young, density=1000.0, viscosity=200.0),
            rest_strain=np.array([0.0, curve, 0.0, 1.0, 0.0, 0.0]), section=sp.Circle((radius, 0.5 * radius)),
        )  # fmt: skip
        made.add_link("second", rod(sp.Saturating(bend_y=limit), strain=sp.Legendre(bend_y=1)), parent="tip")
        return made

    return sp.Design(build, young=2e5, share=0.3, limit=1.0, curve=1.5, radius=0.02)


def test_gradients_of_equilibria_by_material_law_and_rest():
    made = design()
    found = made.model().statics()
    assert found.converged
    weights = np.random.default_rng(0).standard_normal(len(found.q))
    gradient = found.vjp(q=weights).p
    for name, x in made.values.items():
        expected = central_difference(
            lambda e: made.model(**{name: x * (1.0 + e)}).statics(q0=found.q).q @ weights / x,  # noqa: B023
            1e-3,
        )
        assert np.isclose(gradient[name], expected, rtol=1e-5), name


def test_gradients_of_motions_by_the_law():
    made = design()
    method = sp.GeneralizedAlpha(dt=2e-3)
    motion = made.model().simulate(0.02, method=method, record=True)
    weights = np.zeros_like(motion.q)
    weights[-1] = np.random.default_rng(0).standard_normal(weights.shape[1])
    gradient = motion.vjp(q=weights).p
    for name in ("young", "share", "limit", "curve"):
        x = float(made.values[name])
        expected = central_difference(
            lambda e: made.model(**{name: x * (1.0 + e)}).simulate(0.02, method=method).q[-1] @ weights[-1] / x,  # noqa: B023
            1e-3,
        )
        assert np.isclose(gradient[name], expected, rtol=2e-4, atol=1e-9 * abs(weights).max()), name


def test_what_fails_is_named():
    model = robot(sp.StrainEnergy(lambda e, K, s: 0.5 * e @ K @ e + np.sqrt(1.0 + e[3]))).compile()
    q = np.zeros(model.n)
    q[list(model.coordinate_names).index("arm.stretch_0")] = -2.0
    with pytest.raises(sp.StateError, match=r"link 'arm': law StrainEnergy is not finite at s = .* stretch -2"):
        model.internal_force(q, np.zeros(model.n))
    q[:] = 0.0
    assert np.isfinite(model.internal_force(q, q)).all()
