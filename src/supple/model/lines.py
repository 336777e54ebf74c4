"""Lengths of tendons and chambers, and their Jacobian, from the numbers that `loads.tendon.bind_line` stores.

A line at d = (0, y, z) in the sections of a rod has the tangent T = epsilon + kappa x d + d' per metre of rod, so its
length is the sum of w |T| over its nodes, and dl/dxi = w [d x t; t] with t = T / |T|.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from supple.core.arrays import Parameters
from supple.model.binder import Bound

Array = np.ndarray


def lengths_and_jacobian(
    loads: Iterable[Bound], parameters: Parameters, component: Array, q: Array
) -> tuple[Array, Array]:
    """Lengths (m,) and their derivatives (m, n) of all loads that have a line, in the order they were added."""
    courses = [load.line for load in loads if load.line is not None]
    lengths, jacobian = np.zeros(len(courses)), np.zeros((len(courses), len(q)))
    for i, course in enumerate(courses):
        for node, weight, y, z, slope_y, slope_z in course.tolist():
            record = parameters.nodes[int(node)]
            own = slice(int(record["start"]), int(record["start"] + record["n"]))
            psi = parameters.psi[int(record["column"]) : int(record["column"] + record["n"])]
            xi = record["rest"].copy()
            np.add.at(xi, component[own], psi * q[own])
            d = np.array([0.0, y, z])
            tangent = xi[3:] + np.cross(xi[:3], d) + (0.0, slope_y, slope_z)
            size = np.linalg.norm(tangent)
            lengths[i] += weight * size
            by_strain = np.concatenate((np.cross(d, tangent), tangent)) * (weight / size)
            jacobian[i, own] += by_strain[component[own]] * psi
    return lengths, jacobian
