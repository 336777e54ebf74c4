"""Results of a motion as rows [q, v, a, lambda, z, R] and back: cotangents of anything a motion gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import floats, shown, why
from supple.errors import ModelError, ShapeError, StateError
from supple.gradients.effort_frames import effort_matrix, efforts_by_coordinate

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.motion.trajectory import Trajectory

Array = np.ndarray

#: Relative step of central differences of the energy.
STEP = 1e-5


def checked(given: Any, shape: tuple[int, ...], name: str) -> Array:
    """A finite array of a shape; zero if it was omitted."""
    if given is None:
        return np.zeros(shape)
    try:
        array = np.array(floats(given), dtype=float)
    except ValueError as reason:
        raise ShapeError(f"{name} is {shown(given)}, must be an array of shape {shape}{why(reason)}") from None
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}, must be {shape}")
    if not np.isfinite(array).all():
        raise StateError(f"{name} holds values that are not finite")
    return array


class Outputs:
    """Cotangents of the results of a motion at its T output times.

    Attributes
    ----------
    rows : (T, N)
        Of rows [q, v, a, lambda, z, R].
    u : (T, nu)
        Of inputs.
    poses : list of ((link, s), (T, 6))
        Of poses, body wrenches; ``rows`` hold what they do by way of q.
    energy : (T,) or None
        Of energies, likewise.
    efforts : (T, ne) or None
        Of efforts, likewise.
    """

    def __init__(self, motion: Trajectory, model: Model) -> None:
        self.motion, self.model, self.count = motion, model, len(motion.t)
        self.nz = motion.z.shape[1]
        self.rows = np.zeros((self.count, 4 * model.n + model.nc + self.nz))
        self.u = np.zeros((self.count, model.nu))
        self.poses: list[tuple[tuple[str, float], Array]] = []
        self.energy: Array | None = None
        self.efforts: Array | None = None

    def add(self, **given: Any) -> None:
        """Cotangents by name, as `Trajectory.vjp` takes them."""
        n, nc, T = self.model.n, self.model.nc, self.count
        for k, name in enumerate(("q", "v", "a")):
            self.rows[:, k * n : (k + 1) * n] += checked(given[name], (T, n), name)
        self.rows[:, 3 * n : 3 * n + nc] += checked(given["multipliers"], (T, nc), "multipliers")
        self.rows[:, 3 * n + nc : 3 * n + nc + self.nz] += checked(given["z"], (T, self.nz), "z")
        self.u += checked(given["u"], (T, self.model.nu), "u")
        self._add_efforts(checked(given["efforts"], self.motion.efforts.shape, "efforts"))
        for link, cotangent in _mapping(given["tip"], "tip").items():
            self._add_tip(link, checked(cotangent, (T, 3), f"tip[{link!r}]"))
        for station, cotangent in _mapping(given["pose"], "pose").items():
            if not isinstance(station, tuple) or len(station) != 2:
                raise ModelError(f'pose: a station is {shown(station)}, must be (link, s), such as ("arm", 1.0)')
            self._add_pose(station, checked(cotangent, (T, 6), f"pose[{station}]"))
        if given["energy"] is not None:
            self._add_energy(checked(given["energy"], (T,), "energy"))

    def _add_efforts(self, cotangent: Array) -> None:
        """Of the forces that prescribed joints supply, and of their coordinates, which their laws give."""
        model, motion, fixed, tape = self.model, self.motion, self.model.fixed_coordinates, self.motion.tape
        assert tape is not None
        if not cotangent.any():
            return
        self.efforts = cotangent
        first = self.rows.shape[1] - model.n
        for k in np.flatnonzero(cotangent.any(axis=1)):
            self.rows[k, first + fixed] += effort_matrix(model, motion.q[k]).T @ cotangent[k]
            if model.design is not None or tape.moments:  # nothing else moves them
                self.rows[k, fixed] += efforts_by_coordinate(model, motion.q[k], motion.efforts[k]).T @ cotangent[k]

    def _add_tip(self, link: str, cotangent: Array) -> None:
        """Of the position of a link's tip, in world axes."""
        model, wrenches = self.model, np.zeros((self.count, 6))
        for k in np.flatnonzero(cotangent.any(axis=1)):
            wrenches[k, 3:] = model.pose(self.motion.q[k], link)[:3, :3].T @ cotangent[k]
        self._add_pose((link, 1.0), wrenches)

    def _add_pose(self, station: tuple[str, float], wrenches: Array) -> None:
        """Body wrenches at a station."""
        model = self.model
        model.pose(self.motion.q[0], *station)  # an unknown link is told at once
        self.poses.append((station, wrenches))
        for k in np.flatnonzero(wrenches.any(axis=1)):
            self.rows[k, : model.n] += model.jacobian(self.motion.q[k], *station).T @ wrenches[k]

    def _add_energy(self, cotangent: Array) -> None:
        """Of the total energy."""
        n = self.model.n
        self.energy = cotangent
        for k in np.flatnonzero(cotangent):
            found = energy_slopes(self.motion, int(k))
            self.rows[k, : 2 * n] += cotangent[k] * found[: 2 * n]
            self.u[k] += cotangent[k] * found[2 * n :]


def energy_slopes(motion: Trajectory, k: int) -> Array:
    """Derivatives (2 n + nu,) of the total energy at the k-th output time by q, v, u: central differences."""
    model = motion.model
    assert model is not None
    n, t = model.n, float(motion.t[k])
    state = np.concatenate([motion.q[k], motion.v[k], motion.u[k]])
    found = np.zeros(len(state))
    for j in range(len(state)):
        step = np.zeros(len(state))
        step[j] = STEP * max(1.0, abs(state[j]))
        ends = [model.energy(x[:n], x[n : 2 * n], x[2 * n :], t).total for x in (state + step, state - step)]
        found[j] = (ends[0] - ends[1]) / (2.0 * step[j])
    return found


def _mapping(given: Any, name: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f"{name} is {shown(given)}, must be a dict of arrays by station")
    return given
