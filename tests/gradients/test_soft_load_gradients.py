"""Energies, viscosities, tendons, cavities and buoyancy of soft bodies by parameters, beside differences."""

import numpy as np
import pytest
from design_cases import extrapolated

import supple as sp
from soft_robots import waving
from supple.gradients.dynamics_parameters import residual_by_parameter
from supple.gradients.parameters import residual_sums

TETRAHEDRON = 0.01 * np.array([(8.0, -1.0, -1.0), (20.0, 1.0, -1.0), (14.0, 0.0, 1.5), (14.0, 1.0, 0.5)])
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def shaped(k, length):
    """Kinematics of three coordinates with a number of their own."""
    inner = waving(length, 0)

    def f(x, q):
        p = inner(x, q)
        return np.stack([p[0], p[1] * (1.0 + 0.2 * k * q[0] * x[0]), p[2] + 0.1 * np.exp(k * q[1]) * q[2] * x[0] ** 2])

    return f


def held(body, joint=None, items=(), gravity=(0.5, -1.0, -9.81)):
    """A soft body on a moving base that is not upright."""
    robot = sp.Robot("held", gravity=gravity)
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=700.0), sp.Free() if joint is None else joint)
    robot.add_link("soft", body, parent="base", at=sp.pose((0.02, 0.01, 0.0), (0.3, -0.2, 0.5)))
    for item in items:
        robot.add(item)
    return robot


def soft(k, length, radius, bore=0.01, **options):
    given = {"n": 3, "points": (4, 2, 6), "density": 1000.0} | options
    return sp.SoftBody(shaped(k, length), sp.HollowCylinder(length, radius, bore), **given)


def energetic(k=0.7, length=0.3, radius=0.03, young=2e5, poisson=0.4, viscosity=250.0):
    material = sp.NeoHookean(young, poisson, density=1000.0, kelvin_voigt=viscosity)
    return held(soft(k, length, radius, material=material, density=None))


def powered(k=0.7, length=0.3, radius=0.03, stiff=3e4, alpha=1.3):
    """An energy of the user's whose exponent is a parameter."""

    def energy(F):
        C, J = F.T @ F, determinant(F)
        return stiff * ((np.trace(C)) ** alpha - 3.0**alpha * J) + 10.0 * stiff * (J - 1.0) ** 2

    return held(soft(k, length, radius, material=sp.EnergyDensity(energy, density=900.0), density=None))


def determinant(F):
    a, b, c = np.asarray(F).T
    return a @ np.cross(b, c)


def pulled(k=0.7, length=0.3, radius=0.03, offset=0.012, stiff=200.0, rest=0.27, damping=3.0):
    items = [
        sp.Tendon("given", {"soft": lambda X: (offset, 0.3 * X)}),
        sp.ElasticTendon(
            "elastic", {"base": [(0.0, 0.05, 0.0)], "soft": lambda X: (-offset, offset)}, stiff, damping, rest
        ),
    ]
    return held(soft(k, length, radius, stiffness=np.eye(3)), items=items)


def hollow(k=0.7, length=0.3, radius=0.03, bore=0.01, place=1.0):
    items = [
        sp.Cavity("bore", "soft"),
        sp.Cavity("closed", "soft", (place * TETRAHEDRON, FACES)),
        sp.Cavity("filled", "soft", region=lambda x: x[2] > 0.0),
    ]
    return held(soft(k, length, radius, bore, stiffness=np.eye(3)), items=items)


def floating(k=0.7, length=0.3, radius=0.03, water=1020.0, surface=1.5, g=9.81):
    items = [sp.Fluid(density=water, links=["soft"], surface=surface)]
    return held(soft(k, length, radius, stiffness=np.eye(3)), items=items, gravity=(0.5, -1.0, -g))


CASES = {
    "energy": (energetic, {"k": 0.7, "length": 0.3, "radius": 0.03, "young": 2e5, "poisson": 0.4, "viscosity": 250.0}),
    "exponent": (powered, {"k": 0.7, "length": 0.3, "stiff": 3e4, "alpha": 1.3}),
    "tendons": (
        pulled, {"k": 0.7, "length": 0.3, "offset": 0.012, "stiff": 200.0, "rest": 0.27, "damping": 3.0, "radius": 0.03}
    ),
    "cavities": (hollow, {"k": 0.7, "length": 0.3, "radius": 0.03, "bore": 0.01, "place": 1.0}),
    "buoyancy": (floating, {"k": 0.7, "length": 0.3, "radius": 0.03, "water": 1020.0, "surface": 1.5, "g": 9.81}),
}  # fmt: skip


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    sizes = np.array([{"given": 3.0, "elastic": 0.02}.get(name, 2e3) for name in model.demand.inputs])
    return q, v, a, rng.uniform(0.5, 1.0, model.nu) * sizes


@pytest.mark.parametrize("case", CASES)
def test_residuals_by_numbers_of_loads_of_soft_bodies(case):
    build, values = CASES[case]
    design = sp.Design(build, **values)
    model = design.model()
    q, v, a, u = state(model)
    assert not model.design.slopes.loads  # nothing is differenced
    found = residual_by_parameter(model, q, v, a, u, None, 0.0)[: model.n].T
    expected = extrapolated(design, lambda other: other.residual(q, v, a, u))
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-9 * np.abs(theirs).max() + 1e-10)


def test_numbers_of_energies_cost_no_more_if_there_are_many():
    """One pass gives all of them: no load, and no map, is asked once per parameter."""

    def build(weights):
        def energy(F):
            C, J = F.T @ F, determinant(F)
            shear = sum(w * (C[0, 1] ** 2 + C[1, 2] ** 2) ** (1 + k % 3) for k, w in enumerate(weights))
            return 1e4 * (np.trace(C) - 3.0 - 2.0 * np.log(J)) + 1e5 * (J - 1.0) ** 2 + 1e3 * shear

        return held(soft(0.7, 0.3, 0.03, material=sp.EnergyDensity(energy, density=900.0), density=None))

    design = sp.Design(build, weights=np.linspace(0.5, 0.9, 40))
    model = design.model()
    q, v, a, _ = state(model)
    sums = residual_sums(model, q, v, a, np.ones(model.n))
    assert not model.design.slopes.differenced
    assert len(sums.arrays.along) == 0
    found, h = sums.by_parameter(), 0.3  # forces are linear in weights: a long step leaves rounding behind
    for k in (0, 17, 39):
        models = [design.model(weights=design.values["weights"] + s * h * np.eye(40)[k]) for s in (1, -1)]
        plus, minus = (other.residual(q, v, a).sum() for other in models)
        assert found[k] == pytest.approx((plus - minus) / (2.0 * h), rel=1e-7)


def simple(k=0.7, stiff=3.0, power=3.0):
    """A body with a number in its kinematics, one in its energy and an exponent."""

    def energy(F):
        return stiff * (np.trace(F.T @ F) - 3.0 - 2.0 * np.log(determinant(F)))

    def f(x, q):
        return np.stack([x[0], x[1] + k * q[0] * x[0] ** power, x[2]])

    return held(sp.SoftBody(f, sp.Cylinder(0.3, 0.03), sp.EnergyDensity(energy, density=900.0), n=1))


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(("name", "value"), [("k", 1.0), ("stiff", 1.0), ("power", 2.0), ("power", 1.0)])
def test_numbers_that_formulas_leave_out_have_gradients(name, value, later):
    """1 x is x, for every other number a product; the slope of x^p is 2 x if p = 2, else p times x^(p-1)."""
    design, h = sp.Design(simple, **{name: value + 0.3 * later}), 1e-4
    _ = design.model().design.slopes
    model = design.model(**{name: value})
    q, v, a, _ = state(model)
    plus, minus = (simple(**{name: value + s * h}).compile().residual(q, v, a).sum() for s in (1, -1))
    found = residual_sums(model, q, v, a, np.ones(model.n)).by_parameter()
    assert found == pytest.approx((plus - minus) / (2.0 * h), rel=1e-6)


def test_a_value_at_which_a_function_is_written_otherwise_is_told():
    """4 is no number that all formulas know."""

    def build(power=4.0):
        return simple(power=2.0 if power == 4.0 else 0.5 * power)

    with pytest.raises(sp.DesignError, match=r"'power' has a value at which .* is written otherwise .*beside"):
        _ = sp.Design(build, power=4.0).model().design.slopes
