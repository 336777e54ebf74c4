"""Forward dynamics, and what it takes where one solve with the mass matrix is not enough.

With loops, prescribed joints, or loads that feel accelerations, unknown are
accelerations a and multipliers lambda of

    R(a) - A^T lambda = 0,      A a = rate,      a[fixed] = given,

where R(a) = ID(q, v, a) - tau is affine in a unless loads feel accelerations otherwise.  A Newton step solves with
M = dID/da at a; the step after it, with the same M, tells whether it helped: it must be shorter, or the first is halved
(the natural test of monotonicity, which does not see the units of coordinates).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import nonnegative_float
from supple.core import forward_dynamics as _forward
from supple.core.records import has_chart
from supple.errors import ConvergenceError, StateError
from supple.model.arguments import number
from supple.model.chart_changes import exponential_map
from supple.model.constraints import LoopTerms, loop_terms, named_multipliers, solve_constrained
from supple.model.results import Acceleration, AccelerationDerivatives

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Newton steps at most.
MOST_STEPS = 30
#: Halvings of one step at most.
MOST_HALVINGS = 8
#: Size of a step, relative to the accelerations, after which another one of its kind changes nothing.
CONVERGED = 1e-9
#: Forces out of balance that are rounding, relative to those that meet in a coordinate.
ROUNDING = 1e-12


class State(NamedTuple):
    """Where accelerations are looked for."""

    q: Array
    v: Array
    u: ArrayLike | None
    t: float
    z: ArrayLike | None


class Balance(NamedTuple):
    """Accelerations, multipliers (nc,), and the generalised forces (n,) that prescribed joints supply."""

    a: Array
    multipliers: Array
    supplied: Array


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: ArrayLike | None = None,
    t: float = 0.0,
    baumgarte: float = 0.0,
    z: ArrayLike | None = None,
) -> Acceleration:
    """Accelerations: M a = tau - ID(q, v, 0) + A^T lambda, A a = -(dA/dt) v; prescribed ones from their laws.

    ``baumgarte`` [s] > 0 pulls drifted loops back with that time constant: A a = -(dA/dt) v - 2/T A v - e/T^2.
    Where loads feel accelerations, Newton's method on ID(q, v, a) = tau + A^T lambda; `ConvergenceError` if it
    finds none.
    """
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    if type(baumgarte) is not float or baumgarte:
        baumgarte = nonnegative_float(baumgarte, "baumgarte", "s")
    if model.nc or model.prescribed or model.demand.implicit:
        found = balance(model, State(q, v, u, number("t", t), z), baumgarte)
        efforts, multipliers = joint_efforts(model, q, found.supplied), named_multipliers(model, found.multipliers)
        return Acceleration(found.a, efforts, multipliers)
    bias, M, a = np.empty(model.n), np.empty((model.n, model.n)), np.empty((model.n, 1))
    status = _forward.forward_dynamics(work.tree, work.space(u, t, None, z), q, v, work.zero, bias, M, a)
    check.solved(status, q=q, v=v)
    return Acceleration(a[:, 0], np.zeros(0), named_multipliers(model, np.zeros(0)))


def forward_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: ArrayLike | None = None,
    t: float = 0.0,
    baumgarte: float = 0.0,
    z: ArrayLike | None = None,
) -> AccelerationDerivatives:
    """da/dq, da/dv, da/du at the forward dynamics' accelerations; zero in rows and columns of prescribed joints."""
    check = model.arguments
    q, v = check.state("q", q), check.state("v", v)
    t, baumgarte = number("t", t), nonnegative_float(baumgarte, "baumgarte", "s")
    motion = model.forward_dynamics(q, v, u, t, baumgarte, z)
    partial = model.residual_derivatives(q, v, motion.a, u, np.asarray(motion.multipliers), t, z)
    if model.nc or model.prescribed or model.demand.implicit:  # dID/da need not be symmetric
        terms = loop_terms(model, q, v, motion.a, model.loops)
        force = -np.hstack([partial.dq, partial.dv, partial.du])
        _, rate_dq, rate_dv = terms.stabilised(baumgarte)
        rate = -np.hstack([rate_dq, rate_dv, np.zeros((model.nc, model.nu))])
        fixed = model.fixed_coordinates
        given = np.zeros((len(fixed), force.shape[1]))
        a, _ = solve_constrained(partial.da, terms.jacobian, force, rate, model.free_coordinates, fixed, given)
        dq, dv, du = a[:, : model.n], a[:, model.n : 2 * model.n], a[:, 2 * model.n :]
        dq[:, fixed], dv[:, fixed] = 0.0, 0.0
    else:
        dq, dv, du = -partial.dq, -partial.dv, -partial.du
        check.solved(_forward.solve_columns(partial.da, dq, dv, du), q=q, v=v)
    for block in (dq, dv, du):
        check.finite(block, q=q, v=v)
    return AccelerationDerivatives(dq, dv, du)


def balance(model: Model, state: State, baumgarte: float) -> Balance:
    """Accelerations and multipliers at a state; ``baumgarte`` as in `forward_dynamics`."""
    work = model.workspace
    q, v, u, t, z = state
    terms = loop_terms(model, q, v, work.zero, model.loops)
    given = np.concatenate([joint.acceleration(t) for joint in model.prescribed] or [np.zeros(0)])
    rate = -terms.stabilised(baumgarte)[0]
    if model.demand.implicit:
        return _iterate(model, state, terms, rate, given)
    force, M = -model.residual(q, v, work.zero, u, None, t, z), model.mass_matrix(q)
    a, multipliers = _solve(model, M, terms, force, rate, given)
    return _finite(model, state, Balance(a, multipliers, M @ a - force - terms.jacobian.T @ multipliers))


def _solve(
    model: Model, M: Array, terms: LoopTerms, force: Array, rate: Array, given: Array
) -> tuple[Array, Array]:
    """a (n,) and lambda (nc,) of M a - A^T lambda = force, A a = rate."""
    sides = force[:, None], rate[:, None], model.free_coordinates, model.fixed_coordinates, given[:, None]
    a, multipliers = solve_constrained(M, terms.jacobian, *sides)
    return a[:, 0], multipliers[:, 0]


def _iterate(model: Model, state: State, terms: LoopTerms, rate: Array, given: Array) -> Balance:
    """Newton's method on R(a) - A^T lambda = 0, from a = 0."""
    q, v, u, t, z = state
    A, free, fixed = terms.jacobian, model.free_coordinates, model.fixed_coordinates

    def step_from(a: Array, R: Array, M: Array) -> tuple[Array, Array]:
        return _solve(model, M, terms, -R, rate - A @ a, given - a[fixed])

    a = np.zeros(model.n)
    R, stiffness = model.residual_tangent(q, v, a, u, None, t, z=z)
    forces = np.abs(stiffness) @ (1.0 + np.abs(q))  # those that meet in R, and may cancel, when a is small
    for _ in range(MOST_STEPS):
        M = model.inverse_dynamics_derivatives(q, v, a, t, z).mass
        step, _ = step_from(a, R, M)
        size = _size(M, step)
        for halving in range(MOST_HALVINGS):
            trial, failure = a + step / 2.0**halving, None
            try:
                R = model.residual(q, v, trial, u, None, t, z)
            except StateError as error:  # where a law cannot go
                failure = error
                continue
            further, multipliers = step_from(trial, R, M)
            unbalanced = np.abs(M @ further)[free]
            settled = bool((unbalanced <= ROUNDING * (np.abs(M) @ np.abs(trial) + forces)[free]).all())
            if settled or _size(M, further) <= (1.0 - 0.25 / 2.0**halving) * size:
                break
        else:
            if failure is not None:
                raise failure
            break
        a = trial
        if settled or _size(M, further) <= CONVERGED * _size(M, a):
            a = a + further
            return Balance(a, multipliers, model.residual(q, v, a, u, None, t, z) - A.T @ multipliers)
    raise ConvergenceError(
        f"Newton's method finds no accelerations at t = {t:g}: a load feels them too strongly, or jumps; check its "
        "law and its tangent (check_derivatives), smooth the law, or leave the acceleration out of it"
    )


def _size(M: Array, a: Array) -> float:
    """Size of accelerations in one unit, that of the square root of kinetic energy."""
    return float(np.abs(np.sqrt(np.abs(M.diagonal())) * a).max(initial=0.0))


def _finite(model: Model, state: State, found: Balance) -> Balance:
    """What was found, if it is finite."""
    for part in found:
        model.arguments.finite(part, q=state.q, v=state.v)
    return found


def joint_efforts(model: Model, q: Array, force: Array, screws: Array | None = None) -> Array:
    """Efforts (..., ne) of prescribed joints at q (..., n) from the generalised forces (..., n) that they supply.

    ``screws`` (6, n) stand in for the model's own.

    Every factor of a joint is an exponential of its own, and its effort what the inputs of a `JointDrive` would be: the
    generalised force if its screws commute, else the wrench in the frame after the factor.
    """
    efforts = force[..., model.fixed_coordinates]
    for own in model.workspace.kept("turning factors", lambda: _turning_factors(model)):
        first = int(np.flatnonzero(model.fixed_coordinates == own.start)[0])
        axes = (model.parameters.screws if screws is None else screws)[:, own]
        for row in np.ndindex(efforts.shape[:-1]):
            T = exponential_map(-axes @ q[row][own])[1]
            into = slice(first, first + own.stop - own.start)
            efforts[row][into] = np.linalg.solve(axes.T @ T.T @ axes, force[row][own])
    return np.asarray(efforts)


def _turning_factors(model: Model) -> list[slice]:
    """Coordinates of every factor of a prescribed joint whose screws do not commute."""
    blocks = model.topology.blocks
    found = blocks[has_chart(blocks) & np.isin(blocks["start"], model.fixed_coordinates)]
    return [slice(int(block["start"]), int(block["start"] + block["n"])) for block in found]
