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

    def __init__(
        self, model: Model, size: int, t0: float, excitation: Excitation, events: tuple[str, ...], expected: int = 0
    ) -> None:
        self.model, self.size = model, size
        self._count, self._times, self._rows = 0, np.empty(expected), np.empty((expected, size))
        self.held: list[tuple[float, Array]] = []
        self.excitations: list[tuple[float, Excitation]] = [(t0, excitation)]
        self.noted: dict[str, list[float]] = {name: [] for name in events}

    def keep(self, times: Array, rows: Array) -> None:
        """Record copies of rows (k, N) of times (k,)."""
        first, last = self._count, self._count + len(times)
        if last > len(self._times):
            room = max(last, 2 * first)
            self._times = np.concatenate([self._times[:first], np.empty(room - first)])
            self._rows = np.concatenate([self._rows[:first], np.empty((room - first, self.size))])
        self._times[first:last], self._rows[first:last] = times, rows
        self._count = last

    def keep_one(self, t: float, row: Array) -> None:
        """Record a row (N,)."""
        self.keep(np.array([t]), row[None])

    @property
    def last(self) -> float | None:
        """The newest time, s; None if nothing is recorded yet."""
        return float(self._times[self._count - 1]) if self._count else None

    def times(self) -> Array:
        """All times (T,), a part of what is kept."""
        return self._times[: self._count]

    def rows(self) -> Array:
        """All rows (T, N), likewise."""
        return self._rows[: self._count]

    def quantities(self, sampled: bool, failed: bool = False) -> dict[str, Array]:
        """What a motion consists of by name, at all times; parts of what is kept where possible.

        If the run ``failed``, inputs that cannot be had again are NaN.
        """
        model, n, nc = self.model, self.model.n, self.model.nc
        t, rows = self.times(), self.rows()
        q, v, z = rows[:, :n], rows[:, n : 2 * n], rows[:, 3 * n + nc : self.size - n]
        return {
            "q": q,
            "v": v,
            "a": rows[:, 2 * n : 3 * n],
            "u": self._inputs(t, q, v, z, sampled, failed),
            "z": z,
            "efforts": joint_efforts(model, q, rows[:, self.size - n :]),
            "multipliers": rows[:, 3 * n : 3 * n + nc],
        }

    def trajectory(
        self, stats: dict[str, Any], sampled: bool, failed: bool = False, tape: Tape | None = None
    ) -> Trajectory:
        """Everything recorded so far; if the run ``failed``, inputs that cannot be had again are NaN."""
        found: dict[str, Any] = {name: array.copy() for name, array in self.quantities(sampled, failed).items()}
        found["multipliers"] = named_multipliers(self.model, found["multipliers"])
        return Trajectory(
            t=self.times().copy(),
            **found,
            stats=stats,
            description=self.model.description,
            model=self.model,
            tape=tape,
        )

    def _inputs(self, t: Array, q: Array, v: Array, z: Array, sampled: bool, failed: bool) -> Array:
        """Inputs (T, nu) at recorded states."""
        if not self.model.nu:
            return np.zeros((len(t), 0))
        if len(self.excitations) == 1 and not sampled and not failed:
            return self.excitations[0][1].inputs_along(t, q, v, z)
        u = np.full((len(t), self.model.nu), np.nan)
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
