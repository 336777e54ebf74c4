"""Derivatives of an equilibrium by what holds it there: the implicit function theorem.

At rest R(q, u, lambda) = 0 in the free coordinates and e(q) = 0 in the loops.  With K = dR/dq (loops' -d(A^T lambda)/dq
included), changes of inputs u, of the coordinates c of prescribed joints and of parameters p of a design give

    [ K_ff  -A_f^T ] [ dq_f    ]     [ R_u du + K_fc dc + R_p dp ]
    [ E_f    0     ] [ dlambda ] = - [ E_c dc + e_p dp           ],       E = de/dq,

and the efforts of prescribed joints, R_c - A_c^T lambda, follow from all of them.  Forward (jvp) this is solved for one
direction; backward (vjp) its transpose is solved for one cotangent, whatever the number of inputs and parameters: with
the solution y, one sweep gives y^T R_p for all of them (`core.parameter_gradient`).  Laws of time of loads and of
prescribed joints may follow parameters as well; poses do so directly, too.

The matrix is factorised once per equilibrium.  Where it is singular to rounding (a limit point, a bifurcation, a motion
that nothing resists) the derivative does not exist, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack  # type: ignore[import-untyped]

from supple.checks import FLOAT, all_finite, floats, shown, why
from supple.errors import DesignError, ModelError, ShapeError, SingularError, StateError, warn
from supple.gradients.design import how_to_have
from supple.gradients.effort_frames import effort_matrix, efforts_by_coordinate, efforts_by_parameter
from supple.gradients.gradient import GIVEN, Gradient, NoParameters, refuse_overflow
from supple.model.accelerations import joint_efforts
from supple.solvers.statics.rest_system import rest_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supple.model.model import Model
    from supple.solvers.statics.equilibrium import Equilibrium

Array = np.ndarray

#: Reciprocal condition number of the scaled system below which an equilibrium is a critical point.
CRITICAL = 1e-13


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

    factors: Array  #: LU factors of the transpose of the scaled system (nf + nc, nf + nc)
    pivots: Array
    scale: Array  #: (nf + nc,) by which rows and columns were multiplied
    K: Array  #: (n, n) dR/dq
    A: Array  #: (nc, n) rows of loops, velocities
    E: Array  #: (nc, n) de/dq
    by_input: Array  #: (nu, n) dR/du, transposed


def tangents(equilibrium: Equilibrium) -> Tangents:
    """The system at an equilibrium, factorised; refuses one that did not converge or is critical."""
    if not equilibrium.converged:
        raise StateError(f"no derivatives: this is no equilibrium ({equilibrium.note})")
    found = rest_system(equilibrium)
    factors, pivots, failed = found.matrix, np.zeros(0, np.int32), 0
    if factors.size:
        factors, pivots, failed = lapack.dgetrf(factors.T, overwrite_a=True)
        failed = failed or lapack.dgecon(factors, found.norm)[0] < CRITICAL
    if failed:
        raise SingularError(f"no derivatives: {_why_critical(equilibrium)}")
    if not found.stable and equilibrium.stable is False:
        warn("derivatives of an unstable equilibrium: the robot would not stay there")
    return Tangents(factors, pivots, found.scale, found.K, found.A, found.E, found.by_input)


def _why_critical(equilibrium: Equilibrium) -> str:
    from supple.solvers.statics.reduced import names_of

    loose = names_of(equilibrium.model, equilibrium.free_directions)
    if loose:
        return (
            f"nothing resists {', '.join(loose[:6])} here, so inputs do not decide where it rests; hold it by a "
            "spring, a prescribed joint or a loop"
        )
    return "the equilibrium is a limit or bifurcation point, where it changes infinitely fast; move away from it"


def jvp(
    equilibrium: Equilibrium,
    found: Tangents,
    u: Any,
    prescribed: ArrayLike | None,
    p: Mapping[str, Any] | None,
) -> EquilibriumVariation:
    """Where the equilibrium goes along changes of inputs, prescribed coordinates and parameters."""
    model = equilibrium.model
    free, fixed, n = model.free_coordinates, model.fixed_coordinates, model.n
    du = _vector(u, model.nu, "u", model.input_names)
    dp = _parameters(model, p)
    dq, push = np.zeros(n), du @ found.by_input
    dq[fixed] = _vector(prescribed, len(fixed), "prescribed", None)
    error = np.zeros(model.nc)
    if dp.any():
        from supple.gradients.equilibrium_parameters import push_forward

        by_parameters = push_forward(equilibrium, dp)
        push, error = push + by_parameters.force, by_parameters.error
        dq[fixed] += by_parameters.prescribed
    force = push + found.K[:, fixed] @ dq[fixed]
    error = error + found.E[:, fixed] @ dq[fixed]
    solution = _solve(found, -np.concatenate([force[free], error]), transposed=False)
    dq[free], multipliers = solution[: len(free)], solution[len(free) :]
    supplied = found.K @ dq + push - found.A.T @ multipliers
    efforts = _efforts_jvp(equilibrium, supplied, dq, dp)
    refuse_overflow({"q": dq, "multipliers": multipliers, "efforts": efforts}, "the changes that are given")
    return EquilibriumVariation(dq, multipliers, efforts)


def vjp(
    equilibrium: Equilibrium,
    found: Tangents,
    q: ArrayLike | None,
    efforts: ArrayLike | None,
    multipliers: ArrayLike | None,
    pose: Mapping[tuple[str, float], ArrayLike] | None,
) -> Gradient:
    """The gradient of a scalar whose derivatives by q, efforts, multipliers and poses are given."""
    model, stations = equilibrium.model, _stations(pose) if pose else {}
    free, fixed, nf = model.free_coordinates, model.fixed_coordinates, len(model.free_coordinates)
    q_bar = _vector(q, model.n, "q", model.coordinate_names)
    for (link, s), wrench in stations.items():
        q_bar = q_bar + model.jacobian(equilibrium.q, link, s).T @ wrench
    multiplier_bar = _vector(multipliers, model.nc, "multipliers", None)
    effort_bar = _vector(efforts, len(fixed), "efforts", None)
    by_efforts = efforts is not None and bool(effort_bar.any())
    supplied = np.zeros(model.n) if len(fixed) else effort_bar
    if by_efforts:
        supplied, turned = _efforts_vjp(equilibrium, effort_bar)
        q_bar = q_bar + turned + found.K.T @ supplied
        multiplier_bar = multiplier_bar - found.A @ supplied
    right = np.concatenate([q_bar[free], multiplier_bar]) if len(fixed) or model.nc else q_bar
    y = _solve(found, -right, transposed=True)
    forces, errors, by_fixed = y[:nf], y[nf:], effort_bar
    if len(fixed):
        own = np.zeros(model.n)
        own[free] = forces
        by_fixed = (q_bar + own @ found.K + errors @ found.E)[fixed]
        forces = supplied + own
    if model.design is None:
        by_input = found.by_input @ forces
        refuse_overflow({"u": by_input, "prescribed": by_fixed}, GIVEN)
        return Gradient(by_input, by_fixed, NoParameters(how_to_have(model)))
    from supple.gradients.equilibrium_parameters import pull_back

    by_parameter, by_input = pull_back(equilibrium, forces, errors, by_fixed, stations)
    if by_efforts:
        by_parameter += efforts_by_parameter(model, equilibrium.q, equilibrium.efforts).T @ effort_bar
    refuse_overflow({"u": by_input, "prescribed": by_fixed, "p": by_parameter}, GIVEN)
    return Gradient(by_input, by_fixed, model.design.design.unpack(by_parameter))


def _parameters(model: Model, p: Mapping[str, Any] | None) -> Array:
    """Changes of parameters (count,)."""
    if p is None:
        return np.zeros(0)
    if model.design is None:
        raise DesignError(f"p: model {model.name!r} has no parameters; {how_to_have(model)}")
    return model.design.design.pack(p)


def _solve(found: Tangents, right: Array, transposed: bool) -> Array:
    """Solution of the system, or of its transpose."""
    if not right.size:
        return right
    scaled, _ = lapack.dgetrs(found.factors, found.pivots, found.scale * right, trans=int(not transposed))
    return np.asarray(found.scale * scaled)


def _stations(pose: Mapping[tuple[str, float], ArrayLike]) -> dict[tuple[str, float], Array]:
    """Wrenches (6,) by station."""
    for station in pose:
        if not isinstance(station, tuple) or len(station) != 2:
            raise ModelError(f'pose: a station is {shown(station)}, must be (link, s), such as ("arm", 1.0)')
    return {station: _vector(wrench, 6, f"pose[{station}]", None) for station, wrench in pose.items()}


def _efforts_jvp(equilibrium: Equilibrium, supplied: Array, dq: Array, dp: Array) -> Array:
    """How efforts change with the forces that prescribed joints supply, and with the frames they are given in."""
    model = equilibrium.model
    if not len(model.fixed_coordinates):
        return np.zeros(0)
    change = joint_efforts(model, equilibrium.q, supplied)
    at = (model, equilibrium.q, equilibrium.efforts)
    change = change + efforts_by_coordinate(*at) @ dq[model.fixed_coordinates]
    return np.asarray(change + efforts_by_parameter(*at) @ dp if dp.any() else change)


def _efforts_vjp(equilibrium: Equilibrium, effort_bar: Array) -> tuple[Array, Array]:
    """Cotangents (n,) of the forces that prescribed joints supply, and of their coordinates."""
    model, q, n = equilibrium.model, equilibrium.q, equilibrium.model.n
    supplied_bar, q_bar, fixed = np.zeros(n), np.zeros(n), model.fixed_coordinates
    if effort_bar.any():
        supplied_bar[fixed] = effort_bar @ effort_matrix(model, q)
        q_bar[fixed] = effort_bar @ efforts_by_coordinate(model, q, equilibrium.efforts)
    return supplied_bar, q_bar


def _vector(given: Any, size: int, name: str, names: tuple[str, ...] | None) -> Array:
    """A finite vector (size,); zero if it was omitted; inputs also by name."""
    if given is None:
        return np.zeros(size)
    if type(given) is np.ndarray and given.dtype == FLOAT and given.shape == (size,) and all_finite(given):
        return given
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
    if not all_finite(vector):
        raise StateError(f"{name} holds values that are not finite")
    return vector
