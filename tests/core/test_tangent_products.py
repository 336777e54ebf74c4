"""Products of the tangent with a vector, plain and transposed, against the matrices themselves."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, relative_error, size
from load_kinds import host
from load_laws import memory, remembering
from reference_robots import floating_tree


def matrix(model, q, v, a, cv, ca):
    blocks = model.residual_derivatives(q, v, a)
    return blocks.dq + cv * blocks.dv + ca * blocks.da


@pytest.mark.parametrize("seed", range(ROBOTS))
@pytest.mark.parametrize("transposed", [False, True])
def test_equal_to_products_with_the_matrix(seed, transposed):
    """c_v and c_a as an implicit step would choose them, with either sign."""
    _, model, q, v, a = case(seed)
    rng = np.random.default_rng(seed)
    cv, ca = rng.uniform(-30.0, 30.0), rng.uniform(0.0, 300.0)
    T, x = matrix(model, q, v, a, cv, ca), rng.standard_normal(model.n)
    product = model.tangent_product(q, v, a, x, cv=cv, ca=ca, transposed=transposed)
    assert relative_error(product, T.T @ x if transposed else T @ x, floor=1e-3 * size(T)) < 1e-11


@pytest.mark.parametrize("transposed", [False, True])
def test_without_coefficients_it_is_the_derivative_by_coordinates(transposed):
    model = floating_tree().compile()
    rng = np.random.default_rng(1)
    q, v, a, x = rng.standard_normal((4, model.n))
    T = model.residual_derivatives(q, v, a).dq
    product = model.tangent_product(q, v, a, x, transposed=transposed)
    assert relative_error(product, T.T @ x if transposed else T @ x) < 1e-12


@pytest.mark.parametrize("seed", range(0, ROBOTS, 10))
def test_the_transposed_product_is_the_adjoint(seed):
    """y.(T x) = (T^T y).x without ever seeing T."""
    _, model, q, v, a = case(seed)
    x, y = np.random.default_rng(seed).standard_normal((2, model.n))
    plain = y @ model.tangent_product(q, v, a, x, 3.0, 50.0)
    adjoint = x @ model.tangent_product(q, v, a, y, 3.0, 50.0, transposed=True)
    terms = np.abs(y) @ np.abs(model.tangent_product(q, v, a, x, 3.0, 50.0))
    assert plain == pytest.approx(adjoint, abs=1e-12 * terms)


@pytest.mark.parametrize("transposed", [False, True])
def test_multipliers_and_further_states_count(transposed):
    """Wrenches of loops turn with their frames, laws follow their states: both are in the product."""
    robot = host()
    robot.add(sp.Loop("ring", ("c", sp.pose()), ("d", sp.pose()), sp.Spherical()))
    robot.add(sp.PointLaw("law", "a", remembering, s=0.6, state0=(0.1, -0.2), rate=memory))
    with pytest.warns(sp.ModelWarning, match="no tangent"):
        model = robot.compile()
    rng = np.random.default_rng(4)
    q, v, a, x = 0.3 * rng.standard_normal((4, model.n))
    lam, z = 10.0 * rng.standard_normal(model.nc), np.array([2.0, -3.0])
    given = {"t": 0.2, "lam": lam, "z": z}
    T = model.residual_tangent(q, v, a, cv=3.0, ca=50.0, **given)[1]
    product = model.tangent_product(q, v, a, x, 3.0, 50.0, transposed, **given)
    assert relative_error(product, T.T @ x if transposed else T @ x) < 1e-12
    for left_out in ("lam", "z"):
        other = model.tangent_product(q, v, a, x, 3.0, 50.0, transposed, **{**given, left_out: None})
        assert relative_error(other, product) > 1e-4
