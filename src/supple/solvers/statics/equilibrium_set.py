"""Several equilibria of one robot under the same loads, by rising energy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from supple.robot.summary import counted
from supple.robot.text_table import text_table
from supple.solvers.statics.equilibrium import Equilibrium

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model.model import Model

Array = np.ndarray

#: Width of the table, characters.
WIDTH = 100


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumSet(Sequence[Equilibrium]):
    """What `Model.statics_all` found: a sequence of `Equilibrium`, lowest energy first.

    Attributes
    ----------
    equilibria : tuple of Equilibrium
    energies : (K,)
        Potential energy [J] with everything that acts: what is stored, and the potential of loads from outside (dead
        weights, contacts, tensions), which is zero at rest coordinates.  Without a potential (follower loads) what is
        stored alone.
    hits : (K,) int
        How many searches ended in each.  If some were met only once, there may be more.
    starts : int
        Places from which was looked, with several searches from each.
    complete : bool
        Whether all starts were made: the budget was enough, and nobody interrupted.
    conservative : bool
        Whether forces have a potential.
    message : str
        Why it ended.
    """

    equilibria: tuple[Equilibrium, ...]
    energies: Array
    hits: Array
    starts: int
    complete: bool
    conservative: bool
    message: str
    model: Model = field(repr=False)

    @property
    def q(self) -> Array:
        """(K, n) coordinates."""
        return np.array([found.q for found in self.equilibria]).reshape(len(self), self.model.n)

    @property
    def stable(self) -> EquilibriumSet:
        """Those that are surely stable."""
        kept = [k for k, found in enumerate(self.equilibria) if found.stable is True]
        return EquilibriumSet(
            tuple(self.equilibria[k] for k in kept),
            self.energies[kept],
            self.hits[kept],
            self.starts,
            self.complete,
            self.conservative,
            self.message,
            self.model,
        )

    def __len__(self) -> int:
        return len(self.equilibria)

    @overload
    def __getitem__(self, k: int) -> Equilibrium: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Equilibrium, ...]: ...
    def __getitem__(self, k: int | slice) -> Equilibrium | tuple[Equilibrium, ...]:
        return self.equilibria[k]

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.equilibria)

    def __repr__(self) -> str:
        sure = sum(found.stable is True for found in self.equilibria)
        words = f"{len(self)} equilibria" if len(self) != 1 else "1 equilibrium"
        head = f"<EquilibriumSet of {self.model.name!r}: {words}, {sure} of them stable, {self.message}>"
        if not len(self):
            return head
        energy = "energy [J]" if self.conservative else "stored [J]"
        lowest = float(self.energies[0])
        rows = [
            [
                str(k),
                f"{value:.6g}",
                f"{value - lowest:.3g}",
                self.verdict(k),
                counted(int(hits), "time"),
                f"{found.residual:.1e}",
            ]
            for k, (found, value, hits) in enumerate(
                zip(self.equilibria, self.energies.tolist(), self.hits.tolist(), strict=True)
            )
        ]
        table = text_table(["", energy, "above", "stability", "met", "residual"], rows, WIDTH)
        return f"{head}\n{table}"

    def verdict(self, k: int) -> str:
        """In a few words, whether the k-th is stable."""
        found = self.equilibria[k]
        if found.stable is True:
            return "stable"
        if found.free_directions.shape[1]:
            neutral = counted(found.free_directions.shape[1], "free direction")
            down = found.unstable_directions.shape[1]
            return f"neutral: {neutral}" if not down else f"unstable: {counted(down, 'direction')}, {neutral}"
        if found.stable is False:
            return f"unstable: {counted(found.unstable_directions.shape[1], 'direction')}"
        return "not known"

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Figure:
        """The shapes side by side, with energy and stability below, lowest first.

        Parameters
        ----------
        path : path, optional
            Where to save it.
        **options
            Fields of `supple.viz.Style`.
        """
        from supple.viz.pictures import shapes

        labels = [f"{value:.4g} J, {self.verdict(k)}" for k, value in enumerate(self.energies.tolist())]
        return shapes(self.model, [(found.q, found.u, found.t) for found in self.equilibria], labels, path, **options)
