"""Stiffness and mass of a robot at a state, by the one kernel that steps in time need anyway.

`Model.residual_derivatives` gives the same from kernels of its own, for which a first use would have to wait.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.model.model import Model
from supple.viz.view import State

#: Factor c of dR/da in a tangent dR/dq + c dR/da of which the first part is taken away again, 1/s^2: as large as lets
#: the digits of masses survive beside stiff rods.
WEIGHT = 1e12


class Tangents(NamedTuple):
    """dR/dq and dR/da at rest or in motion, (n, n) each."""

    stiffness: Array
    mass: Array


def tangents_at(model: Model, state: State, moving: bool = True) -> Tangents:
    """Tangents at a state, without accelerations; without rates, too, unless it is ``moving``."""
    still = np.zeros(model.n)
    v = still if state.v is None or not moving else state.v
    stiffness = model.residual_tangent(state.q, v, still, state.u, None, state.t)[1]
    both = model.residual_tangent(state.q, v, still, state.u, None, state.t, 0.0, WEIGHT)[1]
    return Tangents(stiffness, (both - stiffness) / WEIGHT)
