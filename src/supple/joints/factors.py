"""What joints are made of: screws, of which motions are exponentials, and maps g(q) of any other kind."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from supple.checks import Array

if TYPE_CHECKING:
    from supple.core.blocks.custom import BoundMap

#: Angles [rad] at which a joint is looked at where it should not be special.
GENERIC = 0.4


@dataclass(frozen=True, eq=False)
class JointMap:
    """A factor that moves by a compiled map g(q) of its coordinates.

    Attributes
    ----------
    module, name : str
        Where the map is: the `MapKernel` of that name in ``supple.maps.<module>``, loaded when a robot is compiled.
    data : tuple of ndarray
        What it reads, contiguous.
    at : (k,)
        Coordinates where it is not special; k is their number.
    """

    module: str
    name: str
    data: tuple[np.ndarray, ...]
    at: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Of its columns: (6, k)."""
        return 6, len(self.at)

    def bound(self) -> BoundMap:
        """The compiled map with its data."""
        from supple.core.blocks.custom import BoundMap  # late: it loads kernels

        return BoundMap(getattr(import_module(f"supple.maps.{self.module}"), self.name), self.data)

    def motion(self, q: Array) -> tuple[Array, Array]:
        """Pose (4, 4) at q, and columns (6, k) of the twist in the frame before it."""
        from supple.maps.evaluation import evaluate

        found = evaluate(self.bound(), q)
        return found.pose, found.S


#: A factor of a joint: screws (6, k), angular part first, or a map of k coordinates.
Factor: TypeAlias = Array | JointMap


def telling_subspace(factors: tuple[Any, ...]) -> Array:
    """Columns (6, k) of a joint's twist: at zero, unless it is special there or has a map; then where it is generic."""
    if all(isinstance(factor, np.ndarray) for factor in factors):
        columns = np.hstack([*factors, np.zeros((6, 0))])
        if not columns.size or np.linalg.matrix_rank(columns) == columns.shape[1]:  # NumPy 1 has no rank of no columns
            return columns
    return generic_subspace(factors)


def generic_subspace(factors: tuple[Any, ...]) -> Array:
    """Columns (6, k) of a joint's twist in the frame after it, where nothing is special.

    Factors with one coordinate have turned by an angle, those with several (one exponential) stand at zero, where their
    columns are their screws.
    """
    columns: list[Array] = []
    for i, factor in enumerate(factors):
        if isinstance(factor, JointMap):
            after, own = factor.motion(factor.at)
        elif factor.shape[1] == 1:
            after, own = exponential((GENERIC + 0.13 * i) * factor[:, 0]), factor
        else:
            after, own = np.eye(4), factor
        back = adjoint(np.asarray(np.linalg.inv(after), dtype=float))
        columns = [back @ column for column in (*columns, own)]
    return np.hstack(columns) if columns else np.zeros((6, 0))


def adjoint(g: Array) -> Array:
    """Ad_g (6, 6) of a pose (4, 4): a twist in its frame, seen from the frame before it."""
    out, R = np.zeros((6, 6)), g[:3, :3]
    out[:3, :3] = out[3:, 3:] = R
    out[3:, :3] = cross_matrix(g[:3, 3]) @ R
    return out


def cross_matrix(x: Array) -> Array:
    """x~ (3, 3) with x~ y = x x y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def exponential(twist: Array) -> Array:
    """exp of a twist (6,), a pose (4, 4)."""
    angle = float(np.linalg.norm(twist[:3]))
    g, W = np.eye(4), cross_matrix(twist[:3])
    a = np.sinc(angle / np.pi)
    b = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    c = (1.0 - a) / angle**2 if angle > 0.1 else (1.0 - angle**2 / 20.0 + angle**4 / 840.0) / 6.0
    g[:3, :3] = np.eye(3) + a * W + b * W @ W
    g[:3, 3] = (np.eye(3) + b * W + c * W @ W) @ twist[3:]
    return g


def logarithm(g: Array) -> Array:
    """The twist (6,) whose exponential is a pose (4, 4); its angle is less than pi, see `turn`."""
    s, angle = _sine(g), turn(g)
    w = s * (angle / np.sin(angle)) if angle > 1e-8 else s
    W, x = cross_matrix(w), angle**2
    if angle > 0.1:
        c = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / x
    else:
        c = 1.0 / 12.0 + x * (1.0 / 720.0 + x * (1.0 / 30240.0 + x / 1209600.0))
    return np.concatenate([w, (np.eye(3) - 0.5 * W + c * W @ W) @ g[:3, 3]])


def turn(g: Array) -> float:
    """Angle [rad] of the rotation of a pose, from 0 to pi."""
    return float(np.arctan2(np.linalg.norm(_sine(g)), 0.5 * (np.trace(g[:3, :3]) - 1.0)))


def _sine(g: Array) -> Array:
    R = g[:3, :3]
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
