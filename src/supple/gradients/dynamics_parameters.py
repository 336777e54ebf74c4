"""Accelerations and inverse dynamics by the parameters of a model's design, at a state.

Accelerations: with R(q, v, a, u, lambda; p) = 0 and A a + A' v = 0 in the loops,

    [ R_a  -A^T ] [ da      ]     [ R_p dp             ]
    [ A     0   ] [ dlambda ] = - [ (A a + A' v)_p dp  ],

and prescribed accelerations follow their laws.  R_p is exact, one sweep per row (`core.parameter_gradient`).  Inverse
dynamics is without internal forces, which these sweeps include: it is differenced between the ends of every parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from supple.gradients.parameters import residual_sums
from supple.model.constraints import solve_constrained

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Relative step of central differences by states of loads.
STEP = 6e-6


def residual_by_parameter(model: Model, q: Array, v: Array, a: Array, u: Array, lam: Array, t: float) -> Array:
    """d(R, e, A v, A a + A' v)/d(parameters), (n + 3 nc, count), at a state; states of loads are where they begin."""
    point, n, nc = model.design, model.n, model.nc
    assert point is not None
    found = np.zeros((n + 3 * nc, point.design.size))
    signals = point.laws.of_signals(t) if point.laws.loads else None
    for i in range(len(found)):
        unit = np.zeros(len(found))
        unit[i] = 1.0
        rows = unit[n:].reshape(3, nc).copy()
        sums = residual_sums(model, q, v, a, unit[:n].copy(), u, lam, t, rows=rows)
        found[i] = sums.by_parameter() + (0.0 if signals is None else sums.signals @ signals)
    if model.nz:
        found[:n] += _by_states(model, q, v, a, u, lam, t) @ point.feedback.first_states[-model.nz :]
    return found


def _by_states(model: Model, q: Array, v: Array, a: Array, u: Array, lam: Array, t: float) -> Array:
    """dR/dz (n, nz) where states of loads begin, by differences."""
    z = np.concatenate([np.asarray(states.state0, dtype=float) for states in model.demand.states])
    columns = []
    for j in range(len(z)):
        step = np.zeros(len(z))
        step[j] = STEP * max(1.0, abs(z[j]))
        ends = [model.residual(q, v, a, u, lam, t, x) for x in (z + step, z - step)]
        columns.append((ends[0] - ends[1]) / (2.0 * step[j]))
    return np.array(columns).T


def accelerations_by_parameter(model: Model, q: Array, v: Array, u: Array, t: float) -> Array:
    """da/d(parameters) (n, count) of `Model.forward_dynamics`, at a state that is held."""
    point, n, nc = model.design, model.n, model.nc
    assert point is not None
    found = model.forward_dynamics(q, v, u, t)
    a, lam = found.a, np.asarray(found.multipliers)
    by = residual_by_parameter(model, q, v, a, u, lam, t)
    mass = model.residual_derivatives(q, v, a, u, lam, t).da
    loops = model.loop_jacobian(q) if nc else np.zeros((0, n))
    given = np.zeros((len(model.fixed_coordinates), point.design.size))
    if point.laws.joints:
        given = point.laws.of_joints(t)[2]
    free, fixed = model.free_coordinates, model.fixed_coordinates
    return solve_constrained(mass, loops, -by[:n], -by[n + 2 * nc :], free, fixed, given)[0]


def inverse_dynamics_by_parameter(model: Model, q: Array, v: Array, a: Array, t: float) -> Array:
    """d(ID)/d(parameters) (n, count) at a state, by differences, right to some nine digits."""
    return _differenced(model, lambda other: other.inverse_dynamics(q, v, a, t))


def _differenced(model: Model, function: Callable[[Model], Array]) -> Array:
    """Derivatives (k, count) of a function of models, between the ends of every parameter."""
    point = model.design
    assert point is not None
    columns = [
        (function(plus) - function(minus)) * end.scale
        for (plus, minus), end in zip(point.models, point.ends, strict=True)
    ]
    return np.array(columns).T
