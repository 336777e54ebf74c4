"""What a motion takes: inverse dynamics, internal forces, their difference R, and the derivatives of all three."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import flag
from supple.core import actuation as _actuation
from supple.core import internal_force as _internal
from supple.core import inverse_dynamics as _inverse
from supple.core import inverse_dynamics_derivatives as _derivatives
from supple.core import mass_matrix as _mass
from supple.core import residual as _residual
from supple.core import residual_jacobians as _jacobians
from supple.core import tangent_products as _products
from supple.model.arguments import number
from supple.model.results import InternalForceDerivatives, InverseDynamicsDerivatives, ResidualDerivatives

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def inverse_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
) -> Array:
    """Generalised force ID = M a + Coriolis - gravity - external loads, (n,)."""
    work, check = model.workspace, model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    out = np.empty(model.n)
    if not _inverse.inverse_dynamics(work.tree, work.space(None, t, None, z), q, v, a, out):
        check.finite(out, q=q, v=v, a=a)
    return out


def inverse_dynamics_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
) -> InverseDynamicsDerivatives:
    """ID with dID/dq, dID/dv and dID/da = M, exact."""
    work, check = model.workspace, model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    n = model.n
    out, dq, dv, da = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    space = work.space(None, t, None, z)
    if not _derivatives.inverse_dynamics_derivatives(work.tree, space, q, v, a, out, dq, dv, da):
        check.finite(np.vstack((out, dq, dv, da)), q=q, v=v, a=a)
    return InverseDynamicsDerivatives(out, dq, dv, da)


def mass_matrix(model: Model, q: ArrayLike) -> Array:
    """M(q), (n, n), symmetric positive definite; with the added mass of fluids."""
    work, check = model.workspace, model.arguments
    q = check.state("q", q)
    M = np.empty((model.n, model.n))
    if not _mass.mass_matrix(work.tree, work.own()[1], q, work.zero, M):
        check.finite(M, q=q)
    return M


def actuation(model: Model, q: ArrayLike, t: float = 0.0) -> Array:
    """B(q), (n, nu): generalised force per unit of input."""
    return model.input_forces(q, model.workspace.zero, None, t)


def input_forces(model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Array:
    """dtau/du (n, nu) at any inputs; actuators need not be linear in them."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    B = np.empty((model.n, model.nu))
    if model.nu and _actuation.actuation(work.tree, work.space(u, t), q, v, work.zero, B):
        return B
    check.finite(v, v=v)  # whether B depends on it or not
    return check.finite(B, q=check.finite(q, q=q), v=v)


def internal_force(model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Array:
    """tau = B u - K (q - q_rest) - D v + soft limits, (n,)."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    out = np.empty(model.n)
    if not _internal.internal_force(work.tree, work.space(u, t), q, v, work.zero, out):
        check.finite(out, q=q, v=v)
    return out


def internal_force_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0
) -> InternalForceDerivatives:
    """dtau/dq, dtau/dv, dtau/du."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    n = model.n
    dq, dv, scratch = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    if not _internal.internal_force_derivatives(work.tree, work.space(u, t), q, v, work.zero, dq, dv, scratch):
        check.finite(np.vstack((dq, dv)), q=q, v=v)
    return InternalForceDerivatives(dq, dv, model.input_forces(q, v, u, t))


def residual(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Array:
    """R = ID - tau - A^T lambda, (n,): zero along a motion.

    ``z`` (nz,) are internal states of loads; where they begin if omitted, as for all other functions of a model.
    """
    work, check = model.workspace, model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    out = np.empty(model.n)
    function, space = work.functions.residual, work.space(u, t, lam, z)
    if not _residual.residual(function, work.tree, space, q, v, a, out):
        check.finite(out, q=q, v=v, a=a)
    return out


def residual_tangent(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    cv: float = 0.0,
    ca: float = 0.0,
    z: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """R (n,) and dR/dq + cv dR/dv + ca dR/da (n, n) in one pass: a Newton step of any implicit scheme."""
    work, check = model.workspace, model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    out, tangent = np.empty(model.n), np.empty((model.n, model.n))
    cv, ca = number("cv", cv), number("ca", ca)
    function, space = work.functions.residual, work.space(u, t, lam, z)
    if not _residual.residual_tangent(function, work.tree, space, q, v, a, cv, ca, out, tangent):
        check.finite(np.vstack((out, tangent)), q=q, v=v, a=a)
    return out, tangent


def state_rates(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    z: ArrayLike | None = None,
    t: float = 0.0,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
) -> Array:
    """z' (nz,) of the internal states of loads, at z, or where they begin.

    States that follow reactions of joints (`BearingFriction`) feel inputs u and multipliers lam, too.
    """
    work, check = model.workspace, model.arguments
    # one state: the residual would take leading axes, and leave the signals of one of their rows
    q, v, a, t = check.state("q", q), check.state("v", v), check.state("a", a), number("t", t)
    u, lam = check.inputs("u", u, model.nu), check.inputs("lam", lam, model.nc)
    model.residual(q, v, a, u, lam, t, None if z is None else check.inputs("z", z, model.nz))
    signals = work.own()[0].signals
    rates = [signals[states.rate : states.rate + len(states.state0)] for states in model.demand.states]
    return check.finite(np.concatenate(rates or [np.zeros(0)]), q=q, v=v)


def residual_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> ResidualDerivatives:
    """dR/dq, dR/dv, dR/da, dR/du, dR/dlambda."""
    check = model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    blocks = residual_blocks(model, q, v, a, u, lam, t, z)
    return ResidualDerivatives(*blocks, -model.loop_jacobian(q).T if model.nc else np.zeros((model.n, 0)))


def residual_blocks(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    u: ArrayLike | None,
    lam: ArrayLike | None,
    t: float,
    z: ArrayLike | None,
) -> tuple[Array, Array, Array, Array]:
    """dR/dq, dR/dv, dR/da (n, n), dR/du (n, nu) at a state that was checked."""
    work, check, n = model.workspace, model.arguments, model.n
    out, dq, dv, da = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    function, space = work.functions.jacobians, work.space(u, t, lam, z)
    if not _jacobians.residual_jacobians(function, work.tree, space, q, v, a, out, dq, dv, da):
        check.finite(np.vstack((out, dq, dv, da)), q=q, v=v, a=a)
    return dq, dv, da, -model.input_forces(q, v, u, t) if model.nu else np.zeros((n, 0))


def tangent_product(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    x: ArrayLike,
    cv: float = 0.0,
    ca: float = 0.0,
    transposed: bool = False,
    u: ArrayLike | None = None,
    t: float = 0.0,
    lam: ArrayLike | None = None,
    z: ArrayLike | None = None,
) -> Array:
    """(dR/dq + cv dR/dv + ca dR/da) x, or its transpose times x, without forming the matrix: cost linear in n."""
    work, check = model.workspace, model.arguments
    q, v, a, x = check.state("q", q), check.state("v", v), check.state("a", a), check.state("x", x)
    out = np.empty(model.n)
    cv, ca, transposed = number("cv", cv), number("ca", ca), flag(transposed, "transposed")
    space = work.space(u, t, lam, z)
    if not _products.tangent_product(work.tree, space, q, v, a, cv, ca, x, transposed, out):
        check.finite(out, q=q, v=v, a=a, x=x)
    return out
