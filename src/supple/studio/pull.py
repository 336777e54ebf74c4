"""A spring between a point of a link and the hand that drags it, for live dynamics.

The spring pulls with f = k (p* - p) - c p', p being the point and p* the hand. Before a step of length h the rates jump
by what it does meanwhile,

    M dv + A^T lambda = h J^T f,   A dv = 0,   f = k (p* - p - h (p' + J dv)) - c (p' + J dv),

with the mass matrix M = dR/da (that of water about the robot included), the rows A of loops, and prescribed
coordinates left alone. Because f is taken at the end, the pull is stable however stiff the spring and however light the
link, and being an impulse it asks nothing of the model: no load has to be compiled for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Array
from supple.model.model import Model
from supple.studio.tangents import tangents_at
from supple.viz.view import State

#: Time in which a pull brings the point to the hand if nothing else holds it, s.
QUICK = 0.12


@dataclass(frozen=True, eq=False)
class Grip:
    """A point of a link: ``offset`` (3,) in the frame at station s."""

    link: str
    s: float
    offset: Array

    def point(self, model: Model, q: Array) -> Array:
        """Where it is, (3,)."""
        frame = model.pose(q, self.link, self.s)
        return np.asarray(frame[:3, :3] @ self.offset + frame[:3, 3])


def grip_near(model: Model, q: Array, link: str, point: Array) -> Grip:
    """The point of a link nearest to a world point (3,), as it is at q (n,)."""
    stations = _stations(model, link)
    frames = model.poses(q, [(link, s) for s in stations])
    k = int(np.argmin(np.linalg.norm(frames[:, :3, 3] - point, axis=1)))
    frame = frames[k]
    return Grip(link, stations[k], frame[:3, :3].T @ (point - frame[:3, 3]))


def _stations(model: Model, link: str) -> list[float]:
    """Where along a link it can be held."""
    layout = model.layouts[model.link_index(link)]
    return np.linspace(0.0, 1.0, 41).tolist() if layout.rod is not None else [0.0]


def impulse(model: Model, state: State, grip: Grip, target: Array, h: float) -> Array:
    """By how much (n,) rates jump in a step h [s] while the grip is pulled to a target (3,).

    The spring is as stiff as moves the point's own mass within `QUICK`, critically damped.
    """
    station = model.station(state.q, state.v, grip.link, grip.s)
    turn, offset = station.pose[:3, :3], grip.offset
    J = turn @ (station.jacobian[3:] - np.cross(offset, station.jacobian[:3], axisb=0, axisc=0))
    rates = np.zeros(model.n) if state.v is None else state.v
    response = _response(model, state, J)  # dv per unit of h f, (n, 3)
    mobility = J @ response
    point = station.pose[:3, 3] + turn @ offset
    light = float(np.trace(mobility)) / 3.0
    if not light > 0.0:  # nothing there can move
        return np.zeros(model.n)
    stiffness, damping = 1.0 / (light * QUICK**2), 2.0 / (light * QUICK)
    grown = stiffness * h + damping
    free = stiffness * (target - point) - grown * (J @ rates)
    force = np.linalg.solve(np.eye(3) + h * grown * mobility, free)
    return np.asarray(response @ (h * force))


def _response(model: Model, state: State, J: Array) -> Array:
    """Jump of rates (n, k) per unit of impulse along rows J (k, n), as loops and prescribed joints allow."""
    mass = tangents_at(model, state).mass
    free = model.free_coordinates
    loops = model.loop_jacobian(state.q)[:, free]
    n, c = len(free), len(loops)
    matrix = np.zeros((n + c, n + c))
    matrix[:n, :n], matrix[n:, :n], matrix[:n, n:] = mass[np.ix_(free, free)], loops, loops.T
    right = np.zeros((n + c, len(J)))
    right[:n] = J[:, free].T
    result = np.zeros((model.n, len(J)))
    try:
        result[free] = np.linalg.solve(matrix, right)[:n]
    except np.linalg.LinAlgError:  # massless links, or loops in a singular pose: the least jump
        result[free] = np.linalg.lstsq(matrix, right, rcond=1e-10)[0][:n]
    return result
