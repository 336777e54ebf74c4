"""What is recorded of a simulation: rows at output times, inputs that were held, which laws drove it from when on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.model.accelerations import joint_efforts
from supple.model.constraints import named_multipliers
from supple.solvers.inputs import Excitation
from supple.solvers.motion.tape import Tape
from supple.solvers.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class Record:
    """Rows [q, v, a, lambda, z, R] in the model's charts, as they come in.

    Attributes
    ----------
    held : list of (t, u)
        Inputs of sampled feedback, from when on.
    excitations : list of (t, Excitation)
        What drives the run, from when on.
    noted : dict
        Times of events, by name.
    """

    def __init__(self, model: Model, size: int, t0: float, excitation: Excitation, events: tuple[str, ...]) -> None:
        self.model, self.size = model, size
        self._times: list[Array] = []
        self._rows: list[Array] = []
        self.held: list[tuple[float, Array]] = []
        self.excitations: list[tuple[float, Excitation]] = [(t0, excitation)]
        self.noted: dict[str, list[float]] = {name: [] for name in events}

    def keep(self, times: Array, rows: Array) -> None:
        """Record rows (k, N) of times (k,)."""
        if len(times):
            self._times.append(times)
            self._rows.append(rows)

    def keep_one(self, t: float, row: Array) -> None:
        """Record a row (N,)."""
        self.keep(np.array([t]), row[None])

    @property
    def last(self) -> float | None:
        """The newest time, s; None if nothing is recorded yet."""
        return float(self._times[-1][-1]) if self._times else None

    def times(self) -> Array:
        """All times (T,)."""
        return np.concatenate(self._times or [np.zeros(0)])

    def rows(self) -> Array:
        """All rows (T, N)."""
        return np.concatenate(self._rows or [np.zeros((0, self.size))])

    def trajectory(
        self, stats: dict[str, Any], sampled: bool, failed: bool = False, tape: Tape | None = None
    ) -> Trajectory:
        """Everything recorded so far; if the run ``failed``, inputs that cannot be had again are NaN."""
        model, n, nc = self.model, self.model.n, self.model.nc
        t, rows = self.times(), self.rows()
        q, v, a = rows[:, :n], rows[:, n : 2 * n], rows[:, 2 * n : 3 * n]
        z, forces = rows[:, 3 * n + nc : self.size - n], rows[:, self.size - n :]
        return Trajectory(
            t=t,
            q=q.copy(),
            v=v.copy(),
            a=a.copy(),
            u=self._inputs(t, q, v, z, sampled, failed),
            z=z.copy(),
            efforts=joint_efforts(model, q, forces),
            multipliers=named_multipliers(model, rows[:, 3 * n : 3 * n + nc].copy()),
            stats=stats,
            description=model.description,
            model=model,
            tape=tape,
        )

    def _inputs(self, t: Array, q: Array, v: Array, z: Array, sampled: bool, failed: bool) -> Array:
        """Inputs (T, nu) at recorded states."""
        u = np.full((len(t), self.model.nu), np.nan)
        if not self.model.nu:
            return u
        begins = np.array([moment for moment, _ in self.excitations])
        owners = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
        try:
            for owner in set(owners.tolist()):
                own = owners == owner
                excitation = self.excitations[owner][1]
                u[own] = excitation.inputs_along(t[own], q[own], v[own], z[own], not sampled)
        except Exception:
            if not failed:
                raise
        if sampled:
            moments = np.array([moment for moment, _ in self.held])
            which = np.maximum(np.searchsorted(moments, t, side="right") - 1, 0)
            for k, i in enumerate(which[: len(t) if self.held else 0]):
                followed = np.isnan(u[k])
                u[k, followed] = self.held[i][1][followed]
        return u
