"""Derivatives of an equilibrium by what holds it there: the implicit function theorem.

At rest R(q, u, lambda) = 0 in the free coordinates and e(q) = 0 in the loops.  With K = dR/dq (loops' -d(A^T lambda)/dq
included), changes of inputs u and of the prescribed coordinates p give

    [ K_ff  -A_f^T ] [ dq_f    ]     [ R_u du + K_fp dp ]
    [ E_f    0     ] [ dlambda ] = - [ E_p dp           ],       E = de/dq,

and the efforts of prescribed joints, R_p - A_p^T lambda, follow from all of them.  Forward (jvp) this is solved for one
direction; backward (vjp) its transpose is solved for one cotangent, whatever the number of inputs.

The matrix is factorised once per equilibrium.  Where it is singular to rounding (a limit point, a bifurcation, a motion
that nothing resists) the derivative does not exist, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ModelError, ShapeError, SingularError, StateError, warn
from supple.gradients.gradient import Gradient
from supple.model.accelerations import joint_efforts
from supple.model.dynamics import actuation_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supple.solvers.statics.equilibrium import Equilibrium

Array = np.ndarray

#: Reciprocal condition number of the scaled system below which an equilibrium is a critical point.
CRITICAL = 1e-13
#: Entries of a scaled stiffness that differ by less from their mirror image do so by rounding.
SYMMETRIC = 1e-9
#: Relative step of differences of the frames in which efforts of turning joints are given.
STEP = 1e-6


@dataclass(frozen=True)
class EquilibriumVariation:
    """How an equilibrium moves along one direction of its inputs and prescribed coordinates."""

    q: Array  #: (n,)
    multipliers: Array  #: (nc,)
    efforts: Array  #: (ne,)

    def __repr__(self) -> str:
        return f"<EquilibriumVariation: q {self.q.shape}, multipliers {self.multipliers.shape}>"


class Tangents(NamedTuple):
    """Factors and blocks of the linear system at an equilibrium."""

    factors: Array  #: LU factors of the scaled system (nf + nc, nf + nc)
    pivots: Array
    scale: Array  #: (nf + nc,) by which rows and columns were multiplied
    K: Array  #: (n, n) dR/dq
    R_u: Array  #: (n, nu)
    A: Array  #: (nc, n) rows of loops, velocities
    E: Array  #: (nc, n) de/dq


def tangents(equilibrium: Equilibrium) -> Tangents:
    """The system at an equilibrium, factorised; refuses one that did not converge or is critical."""
    from scipy.linalg import lapack  # type: ignore[import-untyped]

    if not equilibrium.converged:
        raise StateError(f"no derivatives: this is no equilibrium ({equilibrium.note})")
    model, q, K = equilibrium.model, equilibrium.q, equilibrium.stiffness
    R_u = -actuation_at(model, q, np.zeros(model.n), equilibrium.u, equilibrium.t)
    A = model.loop_jacobian(q) if model.nc else np.zeros((0, model.n))
    E = model.loop_error_derivative(q) if model.nc else A
    free, nf, nc = model.free_coordinates, len(model.free_coordinates), model.nc
    matrix = np.zeros((nf + nc, nf + nc))
    matrix[:nf, :nf] = K if nf == model.n else K[np.ix_(free, free)]
    matrix[:nf, nf:], matrix[nf:, :nf] = -A[:, free].T, E[:, free]
    scale = _balancing(matrix, nf)
    scaled = scale[:, None] * matrix * scale
    factors, pivots, failed = lapack.dgetrf(scaled) if scaled.size else (scaled, np.zeros(0, np.int32), 0)
    if failed or (scaled.size and lapack.dgecon(factors, float(np.abs(scaled).sum(axis=0).max()))[0] < CRITICAL):
        raise SingularError(f"no derivatives: {_why_critical(equilibrium)}")
    if not _surely_stable(scaled, nc) and equilibrium.stable is False:
        warn("derivatives of an unstable equilibrium: the robot would not stay there")
    return Tangents(factors, pivots, scale, K, R_u, A, E)


def _surely_stable(matrix: Array, nc: int) -> bool:
    """Whether a stiffness is symmetric and positive, told quickly; loops ask for more than this."""
    from scipy.linalg import lapack

    if nc or not matrix.size or np.abs(matrix - matrix.T).max() > SYMMETRIC:
        return False
    return bool(lapack.dpotrf(matrix)[1] == 0)


def _balancing(matrix: Array, nf: int) -> Array:
    """Scales that make forces of all coordinates, and then rows of loops, of size one."""
    scale = np.ones(len(matrix))
    diagonal = np.abs(matrix[:nf, :nf]).max(axis=1, initial=0.0)
    scale[:nf] = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    rows = np.abs(matrix[nf:, :nf] * scale[:nf]).max(axis=1, initial=0.0)
    scale[nf:] = 1.0 / np.where(rows > 0.0, rows, 1.0)
    return scale


def _why_critical(equilibrium: Equilibrium) -> str:
    from supple.solvers.statics.reduced import names_of

    loose = names_of(equilibrium.model, equilibrium.free_directions)
    if loose:
        return (
            f"nothing resists {', '.join(loose[:6])} here, so inputs do not decide where it rests; hold it by a "
            "spring, a prescribed joint or a loop"
        )
    return "the equilibrium is a limit or bifurcation point, where it changes infinitely fast; move away from it"


def jvp(equilibrium: Equilibrium, found: Tangents, u: Any, prescribed: ArrayLike | None) -> EquilibriumVariation:
    """Where the equilibrium goes along du and dp."""
    model = equilibrium.model
    free, fixed, n = model.free_coordinates, model.fixed_coordinates, model.n
    du = _vector(u, model.nu, "u", model.input_names)
    dp = _vector(prescribed, len(fixed), "prescribed", None)
    dq = np.zeros(n)
    dq[fixed] = dp
    force = found.R_u @ du + found.K[:, fixed] @ dp
    solution = _solve(found, -np.concatenate([force[free], found.E[:, fixed] @ dp]), transposed=False)
    dq[free], multipliers = solution[: len(free)], solution[len(free) :]
    supplied = found.K @ dq + found.R_u @ du - found.A.T @ multipliers
    return EquilibriumVariation(dq, multipliers, _efforts_jvp(equilibrium, supplied, dq))


def vjp(
    equilibrium: Equilibrium,
    found: Tangents,
    q: ArrayLike | None,
    efforts: ArrayLike | None,
    multipliers: ArrayLike | None,
    pose: Mapping[tuple[str, float], ArrayLike] | None,
) -> Gradient:
    """The gradient of a scalar whose derivatives by q, efforts, multipliers and poses are given."""
    model = equilibrium.model
    free, fixed = model.free_coordinates, model.fixed_coordinates
    q_bar = _vector(q, model.n, "q", model.coordinate_names)
    for station, wrench in (pose or {}).items():
        q_bar = q_bar + _pose_cotangent(equilibrium, station, wrench)
    multiplier_bar = _vector(multipliers, model.nc, "multipliers", None)
    effort_bar = _vector(efforts, len(fixed), "efforts", None)
    supplied_bar, turned = _efforts_vjp(equilibrium, effort_bar)
    q_bar = q_bar + turned + found.K.T @ supplied_bar
    multiplier_bar = multiplier_bar - found.A @ supplied_bar
    y = _solve(found, -np.concatenate([q_bar[free], multiplier_bar]), transposed=True)
    forces = supplied_bar.copy()
    forces[free] += y[: len(free)]
    by_fixed = found.K[np.ix_(free, fixed)].T @ y[: len(free)] + found.E[:, fixed].T @ y[len(free) :]
    return Gradient(found.R_u.T @ forces, q_bar[fixed] + by_fixed)


def _solve(found: Tangents, right: Array, transposed: bool) -> Array:
    """Solution of the system, or of its transpose."""
    from scipy.linalg import lapack

    if not right.size:
        return right
    scaled, _ = lapack.dgetrs(found.factors, found.pivots, found.scale * right, trans=int(transposed))
    return np.asarray(found.scale * scaled)


def _pose_cotangent(equilibrium: Equilibrium, station: Any, wrench: ArrayLike) -> Array:
    """J^T w of a body wrench (6,) at a station."""
    if not isinstance(station, tuple) or len(station) != 2:
        raise ModelError(f'pose: a station is {shown(station)}, must be (link, s), such as ("arm", 1.0)')
    J = equilibrium.model.jacobian(equilibrium.q, *station)
    return np.asarray(J.T @ _vector(wrench, 6, f"pose[{station}]", None))


def _efforts_jvp(equilibrium: Equilibrium, supplied: Array, dq: Array) -> Array:
    """How efforts change with the forces that prescribed joints supply, and with the frames they are given in."""
    model, q, force = equilibrium.model, equilibrium.q, _supplied(equilibrium)
    if not len(model.fixed_coordinates):
        return np.zeros(0)
    change = joint_efforts(model, q, supplied)
    size = float(np.abs(dq[model.fixed_coordinates]).max(initial=0.0))
    if size > 0.0:
        h = STEP / size
        ends = [joint_efforts(model, q + x * dq, force) for x in (h, -h)]
        change = change + (ends[0] - ends[1]) / (2.0 * h)
    return np.asarray(change)


def _efforts_vjp(equilibrium: Equilibrium, effort_bar: Array) -> tuple[Array, Array]:
    """Cotangents (n,) of the forces that prescribed joints supply, and of their coordinates."""
    model, q, n = equilibrium.model, equilibrium.q, equilibrium.model.n
    supplied_bar, q_bar, fixed = np.zeros(n), np.zeros(n), model.fixed_coordinates
    if effort_bar.any():
        force = _supplied(equilibrium)
        for j in fixed:
            unit = np.zeros(n)
            unit[j] = 1.0
            supplied_bar[j] = effort_bar @ joint_efforts(model, q, unit)
            ends = [joint_efforts(model, q + h * unit, force) for h in (STEP, -STEP)]
            q_bar[j] = effort_bar @ (ends[0] - ends[1]) / (2.0 * STEP)
    return supplied_bar, q_bar


def _supplied(equilibrium: Equilibrium) -> Array:
    """Generalised forces (n,) that prescribed joints supply at the equilibrium."""
    model, zero = equilibrium.model, np.zeros(equilibrium.model.n)
    lam = np.asarray(equilibrium.multipliers)
    return model.residual(equilibrium.q, zero, zero, equilibrium.u, lam, equilibrium.t)


def _vector(given: Any, size: int, name: str, names: tuple[str, ...] | None) -> Array:
    """A finite vector (size,); zero if it was omitted; inputs also by name."""
    if given is None:
        return np.zeros(size)
    if isinstance(given, dict) and names is not None:
        unknown = [key for key in given if key not in names]
        if unknown:
            raise ModelError(f"{name}: there is no {shown(unknown[0])}; names are: {', '.join(names)}")
        given = [given.get(key, 0.0) for key in names]
    try:
        vector = np.array(floats(given), dtype=float)
    except ValueError as reason:
        raise ShapeError(f"{name} is {shown(given)}, must be {size} numbers{why(reason)}") from None
    if vector.shape != (size,):
        raise ShapeError(f"{name} has shape {vector.shape}, must be ({size},)")
    if not np.isfinite(vector).all():
        raise StateError(f"{name} holds values that are not finite")
    return vector
