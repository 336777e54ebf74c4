"""Forward dynamics and its derivatives, hybrid dynamics, and products with the inverse of the mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty, ndarray, zeros
from numpy.typing import ArrayLike

from supple.checks import nonnegative_float, real_array, shown, whole_number
from supple.core import articulated_columns as _articulated
from supple.core import forward_dynamics as _forward
from supple.core.articulated import SOLVED
from supple.core.forward_dynamics import REFUSED
from supple.core.records import has_chart
from supple.errors import ModelError, ShapeError
from supple.model.arguments import number
from supple.model.balance import Given, State, balance
from supple.model.chart_changes import exponential_map
from supple.model.constrained_derivatives import held_derivatives
from supple.model.constraints import Multipliers, named_multipliers
from supple.model.results import Acceleration, AccelerationDerivatives, HybridAcceleration

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Of models without prescribed joints and without loops.
NO_EFFORTS, NO_MULTIPLIERS = np.zeros(0), Multipliers(np.zeros(0), {})


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

    The cost is linear in the number of joints and rods.  ``baumgarte`` [s] > 0 pulls drifted loops back with that time
    constant: A a = -(dA/dt) v - 2/T A v - e/T^2.
    Where loads feel accelerations, Newton's method on ID(q, v, a) = tau + A^T lambda; `ConvergenceError` if it
    finds none.
    """
    if type(baumgarte) is not float or baumgarte:
        baumgarte = nonnegative_float(baumgarte, "baumgarte", "s")
    if model.constrained:
        return _constrained(model, q, v, u, t, baumgarte, z)
    work, a, status = model.workspace, zeros(model.n), REFUSED
    calls, space, inputs = work.forward_calls, work.scratch(t, z), work.no_inputs if u is None else u
    if type(q) is type(v) is type(inputs) is ndarray:
        try:  # the kernel looks at types and lengths itself, sooner than Python does
            status = _forward.forward_dynamics(calls, space, q, v, inputs, a)
        except TypeError:
            status = REFUSED
    if status != SOLVED:
        check = model.arguments
        q, v, inputs = check.motion(q, v, u)
        status = _forward.forward_dynamics(calls, space, q, v, inputs, a) if status == REFUSED else status
        if status != SOLVED:
            check.inputs("u", u, model.nu)
            check.solved(status, q=q, v=v)
            a = _dense(model, q, -model.residual(q, v, work.zero, u, None, t, z)[:, None])[:, 0]
    return tuple.__new__(Acceleration, (a, NO_EFFORTS, NO_MULTIPLIERS))  # half the time of its own way


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
    if model.constrained:
        q, v, u = model.arguments.motion(q, v, u)
        state = State(q, v, u, number("t", t), _further(model, z))
        return held_derivatives(model, state, nonnegative_float(baumgarte, "baumgarte", "s")).accelerations
    if type(baumgarte) is not float or baumgarte:
        nonnegative_float(baumgarte, "baumgarte", "s")
    n, work, status = model.n, model.workspace, REFUSED
    kernel, calls, shape, other = work.derivative_calls
    out, du = empty(shape), empty(other)
    space, inputs = work.scratch(t, z), work.no_inputs if u is None else u
    if type(q) is type(v) is type(inputs) is ndarray:
        try:
            status = kernel(calls, space, q, v, inputs, out, du)
        except TypeError:
            status = REFUSED
    if status != SOLVED:
        check = model.arguments
        q, v, inputs = check.motion(q, v, u)
        if status == REFUSED:
            status = kernel(calls, space, q, v, inputs, out, du)
        if status != SOLVED:
            check.inputs("u", u, model.nu)
            check.solved(status, q=q, v=v)
            partial = model.residual_derivatives(q, v, model.forward_dynamics(q, v, u, t, z=z).a, u, None, t, z)
            found = _dense(model, q, -np.hstack([partial.dq, partial.dv, partial.du]))
            return AccelerationDerivatives(*(np.ascontiguousarray(x) for x in np.split(found, [n, 2 * n], axis=1)))
    return tuple.__new__(AccelerationDerivatives, (out[:n], out[n : 2 * n], du))


def _further(model: Model, z: ArrayLike | None) -> Array | None:
    """Internal states of one state; functions of the model that are called with them would take leading axes."""
    return None if z is None else model.arguments.inputs("z", z, model.nz)


def _dense(model: Model, q: Array, X: Array) -> Array:
    """M^-1 X (n, m) by the dense matrix: it tells whether a coordinate moves inertia where the factors are in doubt."""
    model.arguments.solved(_forward.solve_dense(model.mass_matrix(q), X), q=q)
    return model.arguments.finite(X, q=q)


def _constrained(
    model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None, t: float, baumgarte: float, z: ArrayLike | None
) -> Acceleration:
    """Accelerations with loops, prescribed joints, or loads that feel accelerations."""
    q, v, _ = model.arguments.motion(q, v, u)
    state = State(q, v, u, number("t", t), _further(model, z))
    found = balance(model, state, baumgarte, Given(model, state.t))
    efforts, multipliers = joint_efforts(model, q, found.supplied), named_multipliers(model, found.multipliers)
    return Acceleration(found.a, efforts, multipliers)


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    given: Sequence[int | str] | ArrayLike,
    u: ArrayLike | None = None,
    t: float = 0.0,
    baumgarte: float = 0.0,
    z: ArrayLike | None = None,
) -> HybridAcceleration:
    """Accelerations of some coordinates are given, those of all others follow; and the forces that this takes.

    Parameters
    ----------
    a : (n,)
        Accelerations, of which those of ``given`` count.
    given : sequence of int or str
        Coordinates whose accelerations are given, by number or by name; or (n,) bool.  Those of prescribed joints come
        from their laws.
    u, t, baumgarte, z
        As for `forward_dynamics`, which is the case of none given; all given is inverse dynamics.

    Returns
    -------
    HybridAcceleration
        All accelerations, the generalised forces that the given ones take beyond u and loads (n,), zero for all
        others, and the multipliers of loops.
    """
    check = model.arguments
    q, v, a = check.state("q", q), check.state("v", v), check.state("a", a)
    chosen = _coordinates(model, given)
    check.finite(a[chosen], a=a)
    state = State(q, v, check.inputs("u", u, model.nu), number("t", t), _further(model, z))
    found = balance(
        model, state, nonnegative_float(baumgarte, "baumgarte", "s"), Given(model, state.t).also(chosen, a[chosen])
    )
    return HybridAcceleration(found.a, found.supplied, named_multipliers(model, found.multipliers))


def _coordinates(model: Model, given: Any) -> Array:
    """Coordinates by number, by name, or as a mask, as numbers."""
    sized = given.ndim == 1 if isinstance(given, np.ndarray) else isinstance(given, Sequence)
    if isinstance(given, str) or not sized:
        raise ModelError(f"given is {shown(given)}, must be a list of coordinates: numbers or names, or (n,) bool")
    if len(given) == model.n and all(isinstance(x, (bool, np.bool_)) for x in given):
        return np.flatnonzero(given)
    chosen = []
    for x in given:
        if isinstance(x, str):
            if x not in model.coordinate_names:
                known = ", ".join(model.coordinate_names)
                raise ModelError(f"given: there is no coordinate {shown(x)}; coordinates are: {known}")
            chosen.append(model.coordinate_names.index(x))
        else:
            chosen.append(whole_number(x, "given: a coordinate", 0, model.n - 1))
    return np.array(sorted(set(chosen)), dtype=np.int64)


def solve_mass(model: Model, q: ArrayLike, X: ArrayLike) -> Array:
    """M(q)^-1 X for X (n,) or (n, m), without M: the cost is linear in the number of joints and rods.

    M is that of `mass_matrix`, whatever loops or prescribed joints hold.
    """
    work, check = model.workspace, model.arguments
    q, given = check.state("q", q), real_array(X, "X")
    if given.ndim not in (1, 2) or given.shape[0] != model.n:
        raise ShapeError(f"X has shape {given.shape}, model {model.name!r} needs ({model.n},) or ({model.n}, m)")
    out = np.array(given.reshape(model.n, -1), dtype=float, order="C")
    function, ones = _articulated.ARTICULATED.address, np.ones(model.n)
    status = _articulated.solve_mass(function, work.tree, work.own()[1], q, work.zero, ones, out)
    if status != SOLVED:
        check.solved(status, q=q)
        out = _dense(model, q, np.array(given.reshape(model.n, -1), dtype=float, order="C"))
    return check.finite(out.reshape(given.shape), q=q)


def joint_efforts(model: Model, q: Array, force: Array, screws: Array | None = None) -> Array:
    """Efforts (..., ne) of prescribed joints at q (..., n) from the generalised forces (..., n) that they supply.

    ``screws`` (6, n) stand in for the model's own.

    Every factor of a joint is an exponential of its own, and its effort what the inputs of a `JointDrive` would be: the
    generalised force if its screws commute, else the wrench in the frame after the factor.
    """
    efforts = force[..., model.fixed_coordinates]
    for own in turning_factors(model):
        first = int(np.flatnonzero(model.fixed_coordinates == own.start)[0])
        axes = (model.parameters.screws if screws is None else screws)[:, own]
        for row in np.ndindex(efforts.shape[:-1]):
            T = exponential_map(-axes @ q[row][own])[1]
            into = slice(first, first + own.stop - own.start)
            efforts[row][into] = np.linalg.solve(axes.T @ T.T @ axes, force[row][own])
    return np.asarray(efforts)


def turning_factors(model: Model) -> list[slice]:
    """Coordinates of every factor of a prescribed joint whose screws do not commute: their efforts have frames."""

    def found() -> list[slice]:
        blocks = model.topology.blocks
        turning = blocks[has_chart(blocks) & np.isin(blocks["start"], model.fixed_coordinates)]
        return [slice(int(block["start"]), int(block["start"] + block["n"])) for block in turning]

    return model.workspace.kept("turning factors", found)
