"""``supple check``: every derivative of a model against central differences, at a random state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.model.check_derivatives import TOTAL, difference
from supple.model.model import Model

#: Coefficients of the fused tangent: those of a Newmark step of 2 ms, c_v = 2 / h, c_a = 4 / h^2.
CV, CA = 1e3, 1e6


class Comparison(NamedTuple):
    """One line of the report."""

    quantity: str
    reference: str
    error: float  #: largest deviation, relative to the largest entry of the reference


def compare_derivatives(model: Model, seed: int = 0) -> list[Comparison]:
    """Compare all derivatives of ``model`` with independent computations.

    Parameters
    ----------
    model : Model
        Any compiled robot.
    seed : int
        Of the random state: normally distributed q, v, a of size 0.3.

    Returns
    -------
    list of Comparison
        Jacobians of the inverse dynamics, fused tangent, tangent products, body Jacobian and its rate, then the
        derivatives of every load that is there.
    """
    rng = np.random.default_rng(seed)
    q, v, a, x = 0.3 * rng.standard_normal((4, model.n))
    _, dq, dv, mass = model.inverse_dynamics_derivatives(q, v, a)
    _, tangent = model.residual_tangent(q, v, a, cv=CV, ca=CA)
    blocks = model.residual_derivatives(q, v, a)
    link = model.link_names[-1]
    differences = "central differences"
    loads = model.check_derivatives(q, v, a, np.ones(model.nu)).rows if model.loads else ()
    return [
        Comparison("dID/dq", differences, _error(dq, difference(lambda y: model.inverse_dynamics(y, v, a), q))),
        Comparison("dID/dv", differences, _error(dv, difference(lambda y: model.inverse_dynamics(q, y, a), v))),
        Comparison("dID/da = M", differences, _error(mass, difference(lambda y: model.inverse_dynamics(q, v, y), a))),
        Comparison("M", "mass_matrix(q)", _error(mass, model.mass_matrix(q))),
        Comparison("fused tangent", "sum of its blocks", _error(tangent, blocks.dq + CV * blocks.dv + CA * blocks.da)),
        Comparison(
            "tangent times vector", "matrix product", _error(model.tangent_product(q, v, a, x, CV, CA), tangent @ x)
        ),
        Comparison(
            "transposed tangent times vector",
            "matrix product",
            _error(model.tangent_product(q, v, a, x, CV, CA, transposed=True), tangent.T @ x),
        ),
        Comparison("body Jacobian of the tip", differences, _error(model.jacobian(q, link), _twists(model, q, link))),
        Comparison(
            "its time derivative",
            differences,
            _error(
                model.jacobian_rate(q, v, link),
                difference(lambda h: model.jacobian(q + h[0] * v, link).ravel(), np.zeros(1)).reshape(6, -1),
            ),
        ),
        *(Comparison(f"{row.load}: {row.derivative}", differences, row.error) for row in loads if row.load != TOTAL),
    ]


def _twists(model: Model, q: Array, link: str) -> Array:
    """Body Jacobian by central differences of poses: columns (g^-1 dg/dq_k)^vee, angular part first."""
    inverse = np.linalg.inv(model.pose(q, link))
    slopes = difference(lambda y: model.pose(y, link).ravel(), q)
    twists = [inverse @ slope.reshape(4, 4) for slope in slopes.T]
    return np.stack([(t[2, 1], t[0, 2], t[1, 0], *t[:3, 3]) for t in twists], axis=1)


def _error(value: Array, reference: Array) -> float:
    return float(np.abs(value - reference).max() / np.abs(reference).max())
