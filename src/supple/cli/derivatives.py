"""Every derivative of a system against independent computations: near where it begins, and along its motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import Array
from supple.model.check_derivatives import TOTAL, DerivativeReport, deviation, difference

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.systems import System

#: Coefficients of the fused tangent: those of a Newmark step of 2 ms, c_v = 2 / h, c_a = 4 / h^2.
CV, CA = 1e3, 1e6

#: How far the random state is from where the system begins: q stays near, so that loops stay nearly closed and
#: contacts do not become absurd; v and a may be anything.
NEAR, FAST = 0.03, 0.3

#: States along the motion, and the part of the system's time that they are spread over.
STATES, PART = 3, 0.2

DIFFERENCES = "central differences"


class Comparison(NamedTuple):
    """One line of the report."""

    quantity: str
    reference: str
    error: float  #: largest deviation, relative to the largest entry of the reference


def compare_derivatives(system: System, model: Model, seed: int = 0, t_end: float | None = None) -> list[Comparison]:
    """Compare all derivatives of a system with independent computations.

    Parameters
    ----------
    system, model : System, Model
        Any system, and its compiled robot.
    seed : int
        Of the random state.
    t_end : float, optional
        How long the motion is followed, s; `PART` of the system's own time if omitted.

    Returns
    -------
    list of Comparison
        At a random state near the beginning: Jacobians of the inverse dynamics, fused tangent, tangent products, body
        Jacobian and its rate.  Then the residual's Jacobians and those of loops and of each load alone, the worst of
        some states along a short run, which closes loops, and makes and breaks contacts.
    """
    return [
        *_near_the_beginning(system, model, np.random.default_rng(seed)),
        *_along_the_motion(system, model, PART * system.t_end if t_end is None else t_end),
    ]


def _near_the_beginning(system: System, model: Model, random: np.random.Generator) -> list[Comparison]:
    from supple.solvers.motion.start import initial_state

    q = initial_state(model, *system.start(model), 0.0)[0] + NEAR * random.standard_normal(model.n)
    v, a, x = FAST * random.standard_normal((3, model.n))
    _, dq, dv, mass = model.inverse_dynamics_derivatives(q, v, a)
    _, tangent = model.residual_tangent(q, v, a, cv=CV, ca=CA)
    blocks = model.residual_derivatives(q, v, a)
    link = model.link_names[-1]
    product, transposed = (model.tangent_product(q, v, a, x, CV, CA, transposed=back) for back in (False, True))
    rate = model.jacobian_rate(q, v, link).reshape(-1, 1)
    return [
        _differs("dID/dq", dq, lambda y: model.inverse_dynamics(y, v, a), q),
        _differs("dID/dv", dv, lambda y: model.inverse_dynamics(q, y, a), v),
        _differs("dID/da = M", mass, lambda y: model.inverse_dynamics(q, v, y), a),
        _equals("M", "mass_matrix(q)", model.mass_matrix(q), mass),
        _equals("fused tangent", "sum of its blocks", tangent, blocks.dq + CV * blocks.dv + CA * blocks.da),
        _equals("tangent times vector", "matrix product", product, tangent @ x),
        _equals("transposed tangent times vector", "matrix product", transposed, tangent.T @ x),
        Comparison("body Jacobian of the tip", DIFFERENCES, _twist_error(model, q, link)),
        _differs("its time derivative", rate, lambda h: model.jacobian(q + h[0] * v, link).ravel(), np.zeros(1)),
    ]


def _twist_error(model: Model, q: Array, link: str) -> float:
    """Body Jacobian against differences of poses: columns (g^-1 dg/dq_k)^vee, angular part first."""
    inverse = np.linalg.inv(model.pose(q, link))

    def twists(step: float) -> Array:
        slopes = difference(lambda y: model.pose(y, link).ravel(), q, step)
        matrices = [inverse @ slope.reshape(4, 4) for slope in slopes.T]
        return np.stack([(t[2, 1], t[0, 2], t[1, 0], *t[:3, 3]) for t in matrices], axis=1)

    return deviation(model.jacobian(q, link), twists).error


def _along_the_motion(system: System, model: Model, t_end: float) -> list[Comparison]:
    times = np.linspace(0.0, t_end, STATES + 1)
    run = system.simulate(model, times, progress=False)
    multipliers = np.asarray(run.multipliers)
    reports, rows = [], []
    for k in range(1, len(run)):
        q = run.q[k]
        reports.append(model.check_derivatives(q, run.v[k], run.a[k], run.u[k], float(run.t[k]), multipliers[k]))
        if model.nc:
            rows.append(_differs("", model.loop_error_derivative(q), model.loop_error, q).error)
    found = _worst(reports)
    if model.nc:
        found.append(Comparison("motion: de/dq of loops", DIFFERENCES, _largest(rows)))
    return found


def _worst(reports: list[DerivativeReport]) -> list[Comparison]:
    """The largest errors of several reports: of the total by derivative, of each load at all."""
    errors: dict[str, list[float]] = {}
    for report in reports:
        for row in report.rows:
            label = f"motion: {row.derivative}" if row.load == TOTAL else f"motion: load {row.load!r} alone"
            errors.setdefault(label, []).append(row.error)
    return [Comparison(label, DIFFERENCES, _largest(some)) for label, some in errors.items()]


def _largest(errors: list[float]) -> float:
    """The largest; NaN is larger than any."""
    return float(np.max(errors, initial=0.0))


def _differs(quantity: str, value: Array, function: Callable[[Array], Array], x: Array) -> Comparison:
    """Compare a Jacobian with differences of a function."""
    return Comparison(quantity, DIFFERENCES, deviation(value, lambda step: difference(function, x, step)).error)


def _equals(quantity: str, reference: str, value: Array, other: Array) -> Comparison:
    """Compare a matrix or vector with another way to compute it."""
    return Comparison(quantity, reference, deviation(value, lambda _: other).error)
