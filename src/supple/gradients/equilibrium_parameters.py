"""What parameters of a design do to an equilibrium: forces, errors of loops and prescribed coordinates, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.gradients.displaced_models import displaced_along
from supple.gradients.parameter_sums import ParameterSums
from supple.gradients.parameters import NO_ROWS, pull_back_poses, residual_sums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supple.gradients.design import DesignPoint
    from supple.solvers.statics.equilibrium import Equilibrium

Array = np.ndarray


class ParameterPush(NamedTuple):
    """Changes along a direction of the parameters, where q and the multipliers stand still."""

    force: Array  #: (n,) of R
    error: Array  #: (nc,) of e
    prescribed: Array  #: (ne,) of the coordinates of prescribed joints


def _point(equilibrium: Equilibrium) -> DesignPoint:
    point = equilibrium.model.design
    assert point is not None
    return point


def _sums(equilibrium: Equilibrium, y: Array, errors: Array) -> ParameterSums:
    """The gradient of y . R + errors . e."""
    model, zero = equilibrium.model, np.zeros(equilibrium.model.n)
    rows = NO_ROWS
    if model.nc:
        rows = np.zeros((3, model.nc))
        rows[0] = errors
    lam = np.asarray(equilibrium.multipliers)
    return residual_sums(model, equilibrium.q, zero, zero, y, equilibrium.u, lam, equilibrium.t, rows=rows)


def pull_back(
    equilibrium: Equilibrium,
    forces: Array,
    errors: Array,
    prescribed: Array,
    poses: Mapping[tuple[str, float], Array],
) -> tuple[Array, Array]:
    """Cotangents (count,) of the parameters from those of R, e, prescribed coordinates, and of poses directly.

    And those (nu,) of inputs, which the same sweep gives.
    """
    point, q = _point(equilibrium), equilibrium.q
    sums = _sums(equilibrium, forces, errors)
    bar, by_input = sums.by_parameter(), sums.inputs.copy()
    if point.laws.parameters:
        joints = np.zeros((3, len(prescribed)))
        joints[0] = prescribed
        bar += point.laws.pulled_back(equilibrium.t, sums.signals, joints)
    for (link, s), wrench in poses.items():
        bar += pull_back_poses(equilibrium.model, link, s, q[None], wrench[None])
    return bar, by_input


def push_forward(equilibrium: Equilibrium, change: Array) -> ParameterPush:
    """R, e and prescribed coordinates along changes (count,) of the parameters: by differences, or a sweep per row."""
    point, model = _point(equilibrium), equilibrium.model
    laws, t = point.laws, equilibrium.t
    signals = laws.of_signals(t) @ change if laws.loads else np.zeros(laws.signals)
    found, displaced = None, displaced_along(model, point.slopes, change)
    if displaced is not None:
        models, distance = displaced
        zero, lam = np.zeros(model.n), np.asarray(equilibrium.multipliers)
        state = equilibrium.q, zero, zero
        found = models.variations(distance, state, equilibrium.u, lam, t, signals if laws.loads else None)
    if found is None:
        found = _by_rows(equilibrium, change, signals)
    joints = laws.of_joints(t)[0] @ change if laws.joints else np.zeros(len(model.fixed_coordinates))
    return ParameterPush(found[: model.n], found[model.n : model.n + model.nc], joints)


def _by_rows(equilibrium: Equilibrium, change: Array, signals: Array) -> Array:
    """Variations (n + nc,) of R and e: one sweep for each."""
    point, model = _point(equilibrium), equilibrium.model
    numbers, found = point.slopes.pushed(change), np.zeros(model.n + model.nc)
    for i in range(len(found)):
        unit = np.zeros(len(found))
        unit[i] = 1.0
        sums = _sums(equilibrium, unit[: model.n], unit[model.n :])
        found[i] = sums.along(numbers, change) + sums.signals @ signals
    return found
