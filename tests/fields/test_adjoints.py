"""One pass backward: derivatives of sums over material points by all numbers of their programs, beside differences."""

import numpy as np
import pytest

import supple as sp
from supple.gradients.dynamics_parameters import residual_by_parameter
from supple.gradients.parameters import residual_sums

#: Functions that programs may hold, of numbers around 0.5.
FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "abs": np.abs,
    "negative": np.negative,
    "sinc": np.sinc,
    "sinc of a root": lambda y: np.sinc(np.sqrt(y)),
    "reciprocal": lambda y: 1.0 / y,
    "cube": lambda y: y**3,
    "power": lambda y: y**1.7,
}


def bent(x, q):
    return np.stack([x[0] * (1.0 + 0.2 * q[1] * x[0]), x[1] + q[0] * x[0] ** 2, x[2] * (1.0 + q[1] * x[0])])


def robot(energy, **options):
    made = sp.Robot("body", gravity=(0.0, 0.0, 0.0))
    material = sp.EnergyDensity(energy, density=900.0, **options)
    made.add_link("body", sp.SoftBody(bent, sp.Cylinder(0.3, 0.03), material, n=2, points=(3, 2, 5)))
    return made


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function(name):
    """W = phi(a + b (C_11 - 1) + x c C_12) d, by a, b, c, d."""

    def build(numbers):
        a, b, c, d = numbers
        return robot(lambda F: 1e4 * d * FUNCTIONS[name](a + b * ((F.T @ F)[0, 0] - 1.0) + c * (F.T @ F)[0, 1]))

    design = sp.Design(build, numbers=np.array([0.45, 0.23, 0.31, 0.7]))
    model = design.model()
    q, v = np.array([0.2, 0.4]), np.zeros(2)
    found = residual_by_parameter(model, q, v, v, None, None, 0.0)[:2]
    assert not model.design.slopes.differenced
    for k, step in enumerate(1e-3 * np.eye(4)):
        at = [design.model(numbers=design.values["numbers"] + s * step).residual(q, v, v) for s in (1, -1, 2, -2)]
        expected = (8.0 * (at[0] - at[1]) - (at[2] - at[3])) / (12.0 * 1e-3)
        np.testing.assert_allclose(found[:, k], expected, atol=2e-8 * np.abs(found).max())


def test_exponents_and_rates():
    """Exponents are numbers like others; viscous forces follow the numbers of the kinematics by both their rates."""

    def build(alpha, k, eta):
        def f(x, q):
            return np.stack([x[0], x[1] + k * q[0] * x[0] ** 2, x[2] * (1.0 + q[1] * x[0]) ** alpha])

        made = sp.Robot("body", gravity=(0.0, 0.0, 0.0))
        material = sp.EnergyDensity(lambda F: 1e3 * np.trace(F.T @ F) ** alpha, density=1e-3, kelvin_voigt=eta)
        made.add_link("body", sp.SoftBody(f, sp.Cylinder(0.3, 0.03), material, n=2, points=(3, 2, 5)))
        return made

    values = {"alpha": 1.4, "k": 0.7, "eta": 200.0}
    design = sp.Design(build, **values)
    model = design.model()
    q, v, a = np.array([0.2, 0.4]), np.array([0.6, -0.8]), np.zeros(2)
    assert not model.design.slopes.loads
    found = residual_by_parameter(model, q, v, a, None, None, 0.0)[:2]
    for k, (name, value) in enumerate(values.items()):
        h = 1e-3 * value
        at = [design.model(**{name: value + s * h}).residual(q, v, a) for s in (1, -1, 2, -2)]
        expected = (8.0 * (at[0] - at[1]) - (at[2] - at[3])) / (12.0 * h)
        np.testing.assert_allclose(found[:, k], expected, rtol=3e-7)


def test_sums_are_added_to():
    """What kernels leave in the arrays of a gradient is twice as much after two calls, whoever runs in between."""
    design = sp.Design(lambda c: robot(lambda F: c * np.trace(F.T @ F)), c=1e4)
    model, other = design.model(), robot(lambda F: 1e4 * np.trace(F.T @ F) ** 2).compile()
    q, v, y = np.array([0.2, 0.4]), np.zeros(2), np.ones(2)
    first = residual_sums(model, q, v, v, y).by_parameter().copy()
    other.residual(q, v, v)
    again = residual_sums(model, q, v, v, y).by_parameter()
    np.testing.assert_array_equal(first, again)
    assert first[0] == pytest.approx((model.residual(q, v, v) @ y) / 1e4, rel=1e-9)
