"""Changes of chart: exponential coordinates of spherical, free and planar joints brought back to |w| <= pi.

exp(Omega) repeats along a rotation vector with period 2 pi, and the coordinates are singular at |w| = 2 pi.  The
same pose has the rotation vector w' = w (1 - 2 pi k / |w|) with k the nearest whole number of turns; the linear part
keeps the position, T(w') v' = T(w) v on so(3), and rates keep the twist, T(Omega') Phi qd' = T(Omega) Phi qd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core.exponential import exponential, tangent_jet
from supple.core.records import has_chart
from supple.errors import StateError

if TYPE_CHECKING:
    from supple.model.model import Model

#: Longest rotation vector [rad] that is wrapped: beyond it, rounding of the angle is above 1e-6 rad.
MOST_ANGLE = 1e10


def exponential_map(Omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(Omega) (4, 4) and the tangent operator T(Omega) (6, 6) of a twist (6,)."""
    jet = np.zeros((3, 6))
    jet[0] = Omega
    g, T = np.empty((4, 4)), np.empty((6, 6))
    exponential(jet, g, T)
    return g, T


def tangent_rates(Omega: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tangent operator T(Omega) (6, 6), and its time derivative along dOmega/dt = ``rate`` (6,)."""
    jet, T = np.zeros((3, 6)), np.empty((2, 6, 6))
    jet[0], jet[1] = Omega, rate
    tangent_jet(jet, T)
    return T[0], T[1]


def rewrap_joint(screws: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (k,) and rates (k,) of one exponential joint with |w| <= pi: same pose, same twist.

    ``screws`` (6, k) must have orthonormal columns, as all exponential joints have.
    """
    Omega = screws @ q
    angle = float(np.abs(Omega[:3]).max())
    if angle > MOST_ANGLE:
        raise StateError(
            f"a rotation vector of {angle:.3g} rad cannot be wrapped: float64 no longer tells its turns apart; "
            "rewrap after every step of your solver"
        )
    angle = float(np.linalg.norm(Omega[:3]))
    turns = round(angle / (2.0 * np.pi))
    if turns == 0:
        return q.copy(), v.copy()
    g, T = exponential_map(Omega)
    wrapped = np.zeros(6)
    wrapped[:3] = Omega[:3] * (1.0 - 2.0 * np.pi * turns / angle)
    left = exponential_map(wrapped)[1][:3, :3]
    wrapped[3:] = np.linalg.solve(left, g[:3, 3])
    _, T_wrapped = exponential_map(wrapped)
    rates = np.linalg.lstsq(T_wrapped @ screws, T @ (screws @ v), rcond=None)[0]
    return screws.T @ wrapped, rates


def rewrap_state(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and v, overwritten, with every joint wrapped whose coordinates have no meaning of their own."""
    model.arguments.finite(np.concatenate((q, v)), q=q, v=v)
    for block in model.topology.blocks[has_chart(model.topology.blocks)]:
        own = slice(int(block["start"]), int(block["start"] + block["n"]))
        if not any(own.start in layout.coordinates and layout.keeps_chart for layout in model.layouts):
            wrapped = rewrap_joint(model.parameters.screws[:, own], q[own], v[own])
            if not np.isfinite(wrapped).all():
                model.arguments.finite(np.append(*wrapped), q=q, v=v)
            q[own], v[own] = wrapped
    return q, v
