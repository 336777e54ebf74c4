"""Frames in which efforts of prescribed joints are given: how efforts change with them, where forces stand still.

A joint whose screws do not commute supplies generalised forces f = B e to its coordinates, e being its effort, a wrench
in the frame after it, and B = S^T T(S q)^T S with its screws S (`model.accelerations.joint_efforts`).  So with f held,
B changes with the joint's own coordinates, and with parameters that change its screws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.model.accelerations import joint_efforts, turning_factors

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Step of differences (of fourth order) by coordinates.
STEP = 1e-3


def supplied_forces(model: Model, q: Array, efforts: Array) -> Array:
    """Generalised forces (n,) that prescribed joints supply with these efforts (ne,)."""
    fixed, force = model.fixed_coordinates, np.zeros(model.n)
    force[fixed] = np.linalg.solve(effort_matrix(model, q), efforts) if len(fixed) else 0.0
    return force


def effort_matrix(model: Model, q: Array) -> Array:
    """Efforts of unit generalised forces of prescribed coordinates, (ne, ne) = B^-1."""
    units = np.zeros((len(model.fixed_coordinates), model.n))
    units[np.arange(len(units)), model.fixed_coordinates] = 1.0
    return joint_efforts(model, np.broadcast_to(q, units.shape), units).T


def efforts_by_coordinate(model: Model, q: Array, efforts: Array) -> Array:
    """d(efforts)/d(prescribed coordinates) (ne, ne), forces held; zero unless joints turn freely."""
    fixed = model.fixed_coordinates
    found = np.zeros((len(fixed), len(fixed)))
    if not turning_factors(model):
        return found
    force = supplied_forces(model, q, efforts)
    for i, j in enumerate(fixed):
        unit = np.zeros(model.n)
        unit[j] = STEP
        ends = [joint_efforts(model, q + x * unit, force) for x in (1.0, -1.0, 2.0, -2.0)]
        found[:, i] = (8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * STEP)
    return found


def efforts_by_parameter(model: Model, q: Array, efforts: Array) -> Array:
    """d(efforts)/d(parameters) (ne, count), forces and coordinates held: by the screws of prescribed joints."""
    fixed, point = model.fixed_coordinates, model.design
    found = np.zeros((len(fixed), 0 if point is None else point.design.size))
    if point is None or not turning_factors(model):
        return found
    force = supplied_forces(model, q, efforts)
    for j, end in enumerate(point.ends):
        screws = end.plus.parameters.screws, end.minus.parameters.screws
        if not np.array_equal(screws[0][:, fixed], screws[1][:, fixed]):
            high, low = (joint_efforts(model, q, force, screw) for screw in screws)
            found[:, j] = (high - low) * end.scale
    return found
