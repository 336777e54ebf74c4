"""Products of the tangent with a vector, plain and transposed, against the matrices themselves."""

import numpy as np
import pytest

from helpers import ROBOTS, case, floating_tree, relative_error, size


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
