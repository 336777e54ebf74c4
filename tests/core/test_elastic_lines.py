"""Lines whose tension follows their length: gradients, and the rank-one terms of a tangent."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from line_robots import branched_robot, random_motion


@pytest.fixture(scope="module")
def model():
    """A cable across the branches, with damping: its parts are segments."""
    ends = [("b", 0.6), ("body", 1.0), ("d", 0.0)]
    cable = sp.Cable("cable", ends, stiffness=200.0, rest_length=0.05, damping=5.0)
    return branched_robot(cable)


def test_gradient_of_the_length(model):
    q, _, _ = random_motion(model, 1)
    lengths = difference_jacobian(lambda x: np.array(list(model.line_lengths(x).values())), q)
    assert relative_error(model.line_jacobian(q), lengths) < 1e-9
    assert lengths.any()


@pytest.mark.parametrize("seed", range(2))
def test_what_the_tension_adds(model, seed):
    """The cable's part of the tangent, against differences of its part of the residual."""
    q, v, a = random_motion(model, seed)
    bare = branched_robot()

    def force(x, y):
        return model.residual(x, y, a) - bare.residual(x, y, a)

    found, without = model.residual_derivatives(q, v, a), bare.residual_derivatives(q, v, a)
    assert np.abs(force(q, v)).max() > 1.0
    assert relative_error(found.dq - without.dq, difference_jacobian(lambda x: force(x, v), q)) < 1e-8
    assert relative_error(found.dv - without.dv, difference_jacobian(lambda x: force(q, x), v)) < 1e-8
    assert np.linalg.matrix_rank(found.dv - without.dv, tol=1e-9) == 1  # g g^T times dT/dl'


def test_products_with_vectors(model):
    q, v, a = random_motion(model, 2)
    x = np.random.default_rng(0).standard_normal(model.n)
    tangent = model.residual_tangent(q, v, a, cv=3.0, ca=7.0)[1]
    for transposed, matrix in ((False, tangent), (True, tangent.T)):
        found = model.tangent_product(q, v, a, x, cv=3.0, ca=7.0, transposed=transposed)
        assert relative_error(found, matrix @ x) < 1e-12
