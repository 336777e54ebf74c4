"""Elastic energies of soft bodies: forces are their slopes, small strains those of the linear material."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error
from soft_robots import MATERIAL, soft_cone

NEO = sp.NeoHookean(2e5, 0.45, density=1100.0, viscosity=200.0)


def saint_venant(F):
    """The linear law of Green's strain."""
    E, mu, lam = 0.5 * (F.T @ F - np.eye(3)), 2e5 / 2.9, 2e5 * 0.45 / (1.45 * 0.1)
    return mu * np.sum(E * E) + 0.5 * lam * np.trace(E) ** 2


MATERIALS = [NEO, sp.EnergyDensity(saint_venant, density=1100.0, viscosity=200.0)]


def robot(material, child=True, gravity=(0.0, 0.0, -9.81)):
    made = sp.Robot("elastic", gravity=gravity)
    made.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=300.0), joint=sp.Revolute("y", stiffness=5.0))
    made.add_link("soft", soft_cone(0, material=material), parent="base")
    if child:
        body, joint = soft_cone(1, 0.2, material=material), sp.Revolute("z", stiffness=1.0)
        made.add_link("next", body, parent="soft", joint=joint)
    return made.compile()


@pytest.mark.parametrize("material", MATERIALS)
def test_force_is_the_slope_of_the_energy(material):
    model = robot(material)
    rng = np.random.default_rng(0)
    q, v, zero = rng.uniform(-0.3, 0.3, model.n), rng.uniform(-0.3, 0.3, model.n), np.zeros(model.n)
    slope = difference_jacobian(lambda x: np.array([model.energy(x, zero).elastic + model.energy(x, zero)[3]]), q)[0]
    assert relative_error(model.internal_force(q, zero), -slope) < 1e-8
    dq, dv, _ = model.internal_force_derivatives(q, v)
    assert relative_error(dq, difference_jacobian(lambda x: model.internal_force(x, v), q)) < 1e-8
    assert relative_error(dv, -model.damping) < 1e-12
    _, tangent = model.residual_tangent(q, v, zero, None, None, 0.0, 2.0, 5.0)
    parts = model.residual_derivatives(q, v, zero)
    assert relative_error(tangent, parts[0] + 2.0 * parts[1] + 5.0 * parts[2]) < 1e-12
    x = rng.standard_normal(model.n)
    assert relative_error(model.tangent_product(q, v, zero, x, 2.0, 5.0), tangent @ x) < 1e-12
    assert relative_error(model.tangent_product(q, v, zero, x, 2.0, 5.0, True), tangent.T @ x) < 1e-12


@pytest.mark.parametrize("material", MATERIALS)
def test_small_strains_are_linear(material):
    zero = np.zeros(7 + 1)
    model, linear = robot(material), robot(MATERIAL)
    stiffness = -model.internal_force_derivatives(zero, zero)[0]
    assert relative_error(stiffness, linear.stiffness) < 1e-10
    assert relative_error(model.damping, linear.damping) < 1e-12
    assert np.abs(model.internal_force(zero, zero)).max() < 1e-9 * np.abs(stiffness).max()


def test_equilibria_and_their_gradients():
    def build(young=2e5, weight=9.81):
        made = sp.Robot("elastic", gravity=(0.0, 0.0, -weight))
        body = soft_cone(0, material=sp.NeoHookean(young, 0.45, density=1100.0))
        made.add_link("soft", body)
        return made

    design = sp.Design(build, young=2e5, weight=9.81)
    found = design.model().statics()
    assert found.converged
    gradient = found.vjp(q=np.ones(3)).p
    for name, x in (("young", 2e5), ("weight", 9.81)):
        expected = central_difference(
            lambda e: np.array([design.model(**{name: x * (1.0 + e)}).statics().q.sum() / x])  # noqa: B023
        )
        assert np.isclose(gradient[name], expected[0], rtol=1e-4), name


def test_energy_is_conserved():
    model = robot(sp.NeoHookean(2e4, 0.4, density=1100.0), child=False)
    motion = model.simulate(0.2, q0=np.array([0.2, 0.3, 0.1, 0.05]), method=sp.DOP853(rtol=1e-9, atol=1e-10))
    total = [sum(model.energy(q, v)[:4]) for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.ptp(total) < 1e-6 * max(np.abs(total))


def test_refused():
    with pytest.raises(sp.ModelError, match="change volumes, which Poisson's ratio"):
        soft_cone(0, material=sp.NeoHookean(2e5, 0.5, density=1100.0)).tabulate()
    with pytest.raises(sp.ModelError, match=r"energy density of the material: .*cannot be traced"):
        soft_cone(0, material=sp.EnergyDensity(np.linalg.eigvalsh, density=1100.0)).tabulate()
    with pytest.raises(sp.ModelError, match=r"NeoHookean: poisson is 0\.7"):
        sp.NeoHookean(1e5, 0.7, density=1.0)
