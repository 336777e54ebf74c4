"""Energy and momentum of a robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.core import energy as _energy
from supple.model.results import Energy

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def energy(model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Energy:
    """Kinetic (with added mass), elastic (rods, joint springs, limits), gravitational (net of buoyancy) [J].

    ``loads`` is what linear springs, cables and elastic tendons (at their pulled length in u) store, what soft bodies
    of nonlinear materials store, and rods with a law beyond their stiffness at rest.  Springs with a law of their own,
    contacts, given wrenches, tendons, chambers, drives and users' laws count as work from outside.
    """
    parts, _ = _energy_and_momentum(model, q, v, u, t)
    return Energy(*parts.tolist())


def momentum(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """[angular about the world origin; linear] momentum (6,), world axes."""
    return _energy_and_momentum(model, q, v)[1]


def _energy_and_momentum(
    model: Model, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0
) -> tuple[Array, Array]:
    """Kinetic, elastic, gravitational energy and that of loads (4,); momentum (6,)."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    parts, momentum = np.empty(4), np.empty(6)
    if not _energy.energy_and_momentum(work.tree, work.space(u, t), q, v, work.zero, parts, momentum):
        check.finite(np.append(parts, momentum), q=q, v=v)
    return parts, momentum
