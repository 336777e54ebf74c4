"""Which method integrates a model if nothing else is said, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.solvers.integrators import NDF, GeneralizedAlpha, Method, Radau
from supple.solvers.problem import chart_table

if TYPE_CHECKING:
    from supple.model.model import Model

#: Damping ratio below which a mode counts as undamped, and how much faster than the slowest it must be to matter.
LIGHT, FASTER = 0.05, 10.0
#: Coordinates beyond which dense matrices, which `Radau` has, cost more than short steps over the tree.
MOST_COORDINATES = 100
#: Modes slower than this part of the fastest are rounding of zero.
STANDING = 1e-7


class Choice(NamedTuple):
    """A method, and why it was chosen, in words."""

    method: Method
    reason: str


def choose_method(model: Model) -> Choice:
    """What integrates a model if nothing else is said; found once for every model."""
    return model.workspace.kept("choice of a method", lambda: _choice(model))


def _choice(model: Model) -> Choice:
    """`Radau` where modes far faster than the slowest are hardly damped, which step control of others would follow.

    Not where it was measured to be slower than `NDF`: with contact, where joints may spin, whose turning within
    one of its long steps slows down Newton's method, and with very many coordinates.
    """
    if model.nc:
        return Choice(GeneralizedAlpha(), "closed loops, whose velocities are held at every step")
    if _touches(model):
        return Choice(NDF(), "contact, which changes fast: short steps of low order")
    if len(chart_table(model)):
        return Choice(NDF(), "free or spherical joints, which may spin: moderate steps")
    if model.n > MOST_COORDINATES:
        return Choice(NDF(), f"more than {MOST_COORDINATES} coordinates, for which Radau has dense matrices")
    ratio = fast_damping(model)
    if ratio is not None and ratio[0] < LIGHT:
        damping, frequency = ratio
        return Choice(
            Radau(),
            f"at {frequency / (2.0 * np.pi):.3g} Hz the robot vibrates with a damping ratio of {damping:.2g}, which "
            "steps of other adaptive methods would follow",
        )
    return Choice(NDF(), "nothing fast was found that is hardly damped")


def _touches(model: Model) -> bool:
    """Whether anything may touch; asked by name, since whoever has no contact does not load it."""
    return any(load.kernel.function.__module__.startswith("supple.loads.contact") for load in model.loads)


def fast_damping(model: Model) -> tuple[float, float] | None:
    """Least damping ratio of modes that are fast beside the slowest, about rest, and its angular frequency [1/s].

    None where there are no such modes.
    """
    free = np.setdiff1d(np.arange(model.n), model.fixed_coordinates)
    if not len(free):
        return None
    try:
        K, D, M = (x[np.ix_(free, free)] for x in linear_parts(model))
    except Exception:  # of a user's law, say: the run will meet it, and tell
        return None
    try:
        root = np.linalg.cholesky(0.5 * (M + M.T))
    except np.linalg.LinAlgError:
        return None
    half = np.linalg.solve(root, 0.5 * (K + K.T))
    squares, modes = np.linalg.eigh(np.linalg.solve(root, half.T))
    moving = squares > STANDING**2 * np.abs(squares).max(initial=0.0)
    if not moving.any():
        return None
    frequencies = np.sqrt(squares[moving])
    shapes = np.linalg.solve(root.T, modes[:, moving])
    ratios = 0.5 * np.einsum("ij,ik,kj->j", shapes, D, shapes) / frequencies
    fast = frequencies > FASTER * frequencies[0]
    if not fast.any():
        return None
    worst = int(np.argmin(ratios[fast]))
    return float(ratios[fast][worst]), float(frequencies[fast][worst])


def linear_parts(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """dR/dq, dR/dv, dR/da (n, n) at rest, from tangents that every run needs."""
    still = np.zeros(model.n)
    large = 1e24  # beside which stiffness is rounding
    K = model.residual_tangent(model.rest, still, still)[1]
    D = model.residual_tangent(model.rest, still, still, cv=1.0)[1] - K
    M = model.residual_tangent(model.rest, still, still, ca=large)[1] / large
    return K, D, M
