"""Accelerations where one solve with the mass matrix is not enough.

With loops, prescribed joints, or loads that feel accelerations, unknown are
accelerations a and multipliers lambda of

    R(a) - A^T lambda = 0,      A a = rate,      a[fixed] = given,

where R(a) = ID(q, v, a) - tau is affine in a unless loads feel accelerations otherwise.  If it is, the factors of M
over the tree, with the fixed coordinates locked, give x = M^-1 (-R(given)) and Z = M^-1 A^T, and

    (A Z) lambda = rate - A (given + x),      a = given + x + Z lambda.

If it is not, or where M is singular and only loops hold the rest, the whole system is solved at once.
A Newton step solves with
M = dID/da at a; the step after it, with the same M, tells whether it helped: it must be shorter, or the first is halved
(the natural test of monotonicity, which does not see the units of coordinates).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.core import articulated_columns as _articulated
from supple.core import forward_dynamics as _forward
from supple.core.articulated import SOLVED
from supple.errors import ConvergenceError, SingularError, StateError
from supple.model.constraints import LoopTerms, loop_terms, solve_constrained, solve_regular

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Newton steps at most.
MOST_STEPS = 30
#: Halvings of one step at most.
MOST_HALVINGS = 8
#: Size of a step, relative to the accelerations, after which another one of its kind changes nothing.
CONVERGED = 1e-9
#: Accelerations of laws beyond this are looked at more closely.
LARGEST = 1e300
#: Forces out of balance that are rounding, relative to those that meet in a coordinate.
ROUNDING = 1e-12


class State(NamedTuple):
    """Where accelerations are looked for."""

    q: Array
    v: Array
    u: ArrayLike | None
    t: float
    z: ArrayLike | None


class Given:
    """Coordinates whose accelerations are given: those of prescribed joints by their laws at time t.

    Attributes
    ----------
    a : (n,)
        Accelerations that are given, zero for all others.
    free : (n,)
        0 where they are given, else 1.
    """

    def __init__(self, model: Model, t: float) -> None:
        self.a, self.free = np.zeros(model.n), model.workspace.free
        for joint, first, stop, law in model.workspace.prescribed:
            value = None
            if law is not None:
                try:
                    value = law(t)
                except Exception:  # asked again below, where the joint names itself in an error
                    value = None
            if type(value) is float and -LARGEST < value < LARGEST:
                self.a[first] = value
            else:
                self.a[first:stop] = joint.acceleration(t)

    def also(self, coordinates: Array, a: Array) -> Given:
        """The same with some more of them; prescribed ones stay as they are."""
        more = coordinates[self.free[coordinates] > 0.0]
        self.a[more], self.free = a[self.free[coordinates] > 0.0], self.free.copy()
        self.free[more] = 0.0
        return self


class Balance(NamedTuple):
    """Accelerations, multipliers (nc,), and the generalised forces (n,) that given accelerations take."""

    a: Array
    multipliers: Array
    supplied: Array


def balance(model: Model, state: State, baumgarte: float, given: Given) -> Balance:
    """Accelerations and multipliers at a state; ``baumgarte`` as in `forward_dynamics`."""
    q, v, u, t, z = state
    if not model.nc and not model.demand.implicit and not model.dense and given.free is model.workspace.free:
        return _prescribed(model, state, given)
    terms = loop_terms(model, q, v, given.a, model.loops)
    rate = -terms.stabilised(baumgarte)[0]
    if model.demand.implicit:
        return _iterate(model, state, terms, rate, given)
    force = -model.residual(q, v, given.a, u, None, t, z)
    columns = allowed_columns(model, q, None, terms.jacobian, force[:, None], rate[:, None], given.free)
    a, multipliers = given.a + columns[0][:, 0], columns[1][:, 0]
    model.arguments.finite(a, q=q, v=v)
    model.arguments.finite(multipliers, q=q, v=v)
    supplied = np.zeros(model.n)
    if not given.free.all():
        unbalanced = model.residual(q, v, a, u, multipliers, t, z)
        supplied[given.free == 0.0] = unbalanced[given.free == 0.0]
    model.arguments.finite(supplied, q=q, v=v)
    return Balance(a, multipliers, supplied)


def _prescribed(model: Model, state: State, given: Given) -> Balance:
    """With prescribed joints alone, as without: the kernel of forward dynamics has them locked."""
    work, check = model.workspace, model.arguments
    q, v, u, t, z = state
    x = given.a.copy()
    inputs = check.motion(q, v, u)[2]
    status = _forward.forward_dynamics(work.forward_calls, work.scratch(t, z), q, v, inputs, x)
    if status != SOLVED:
        check.inputs("u", u, model.nu)
        check.solved(status, q=q, v=v)
        force = -model.residual(q, v, given.a, u, None, t, z)[:, None]
        M, none = model.mass_matrix(q), np.zeros((0, model.n))
        x = allowed_columns(model, q, M, none, force, force[:0], given.free)[0][:, 0]
    a = given.a + x
    supplied = model.residual(q, v, a, u, None, t, z)
    return Balance(a, np.zeros(0), np.where(given.free > 0.0, 0.0, supplied))


@np.errstate(over="ignore", invalid="ignore")  # in states so large that products overflow, which callers refuse
def allowed_columns(
    model: Model, q: Array, M: Array | None, A: Array, force: Array, rate: Array, free: Array
) -> tuple[Array, Array]:
    """x (n, m) and lambda (nc, m) of M x - A^T lambda = force, A x = rate, with x = 0 where ``free`` is 0.

    M is the mass matrix unless it is given, used as its factors over the tree if the model has them.  What overflows is
    returned as it is: callers look at it (`Arguments.finite`), for they know the state.
    """
    work, m = model.workspace, force.shape[1]
    if M is None and not model.dense:
        X = np.ascontiguousarray(np.hstack([force, A.T]))
        function, space = _articulated.ARTICULATED.address, work.own()[1]
        status = _articulated.solve_mass(function, work.tree, space, q, work.zero, free, X)
        if status == SOLVED and not len(A):
            return X, np.zeros((0, m))
        if status == SOLVED:
            x, Z = X[:, :m], X[:, m:]
            try:
                multipliers = _solve_symmetric(A @ Z, rate - A @ x)
                return x + Z @ multipliers, multipliers
            except SingularError:
                pass  # the whole system tells better
    if M is None:
        M = model.mass_matrix(q)
    fixed = np.flatnonzero(free == 0.0)
    return solve_constrained(M, A, force, rate, np.flatnonzero(free), fixed, np.zeros((len(fixed), m)))


def _solve_symmetric(S: Array, right: Array) -> Array:
    """S^-1 right for a positive matrix S whose rows may have different units."""
    sizes = np.abs(S.diagonal())
    scale = 1.0 / np.sqrt(np.where(sizes > 0.0, sizes, 1.0))
    return np.asarray(scale[:, None] * solve_regular(scale[:, None] * S * scale, scale[:, None] * right))


def _iterate(model: Model, state: State, terms: LoopTerms, rate: Array, given: Given) -> Balance:
    """Newton's method on R(a) - A^T lambda = 0, from the accelerations that are given; rate is that of these."""
    q, v, u, t, z = state
    A, free = terms.jacobian, given.free > 0.0

    def step_from(a: Array, R: Array, M: Array) -> tuple[Array, Array]:
        left = (rate - A @ (a - given.a))[:, None]
        step, multipliers = allowed_columns(model, q, M, A, -R[:, None], left, given.free)
        return step[:, 0], multipliers[:, 0]

    a = given.a.copy()
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
            supplied = model.residual(q, v, a, u, None, t, z) - A.T @ multipliers
            return Balance(a, multipliers, np.where(free, 0.0, supplied))
    raise ConvergenceError(
        f"Newton's method finds no accelerations at t = {t:g}: a load feels them too strongly, or jumps; check its "
        "law and its tangent (check_derivatives), smooth the law, or leave the acceleration out of it"
    )


def _size(M: Array, a: Array) -> float:
    """Size of accelerations in one unit, that of the square root of kinetic energy."""
    return float(np.abs(np.sqrt(np.abs(M.diagonal())) * a).max(initial=0.0))
