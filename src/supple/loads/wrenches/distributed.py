"""Distributed loads: a given wrench per metre of rod, summed at the rod's Gauss nodes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, ask, finite_array
from supple.compilation.scene import Arrow, Place
from supple.errors import ModelError
from supple.loads.wrenches.given import WrenchEntry, bind_wrenches
from supple.loads.wrenches.point_wrench import frame_index

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Arrows by which pictures show a load along a rod.
ARROWS = 9


@dataclass(frozen=True, eq=False)
class Distributed:
    """A wrench per metre on a rod.

    Parameters
    ----------
    link : str
        A rod.
    wrench : (6,) or callable
        Moment (N) and force (N/m) per metre: constant, a function of the station s from 0 (base) to 1 (tip), or
        ``law(t, s)``.
    frame : "world" or "local"
        World: dead.  Local: follower, axes of the section.
    name : str
        For messages and reports; unnamed ones are called "distributed", "distributed 2", and so on.
    """

    link: str
    wrench: ArrayLike | Callable[..., Any]
    frame: str = "world"
    name: str = "distributed"

    def stations(self) -> Iterable[tuple[str, float]]:
        """The rod; its own Gauss nodes are used."""
        return [(self.link, 0.0)]

    def bind(self, binder: Binder) -> Bound:
        """One entry per Gauss node."""
        rod, frame = binder.rod(self.link), frame_index(self.frame)
        entries = []
        for s, weight in zip(rod.s.tolist(), rod.weight.tolist(), strict=True):
            if weight == 0.0:
                continue
            place = binder.station(self.link, s)
            value, signal = np.zeros(6), -1
            given = self._at(s)
            if callable(given):
                signal = binder.signal(given, 6)
            else:
                value = given
            entries.append(WrenchEntry(place.segment, place.offset, frame, weight, value, signal))
        return bind_wrenches(self.name, entries)._replace(spread=True)

    def sketch(self, binder: Binder) -> list[Mark]:
        """Arrows along the rod."""
        stations, local = np.linspace(0.0, 1.0, ARROWS).tolist(), self.frame == "local"
        return [Arrow((Place(self.link, s),), self._at(s), local, per_metre=True) for s in stations]

    def _at(self, s: float) -> Array | Callable[[float], Any]:
        """The wrench per metre at s, or its law of time there."""
        if callable(self.wrench) and _required(self.wrench) == 2:
            return partial(_at_station, self.wrench, s)
        what = f"wrench at s = {s:.2f}"
        given = ask(self.wrench, (s,), what, ModelError) if callable(self.wrench) else self.wrench
        return finite_array(given, (6,), what)


def _required(law: Callable[..., Any]) -> int:
    """Number of arguments without a default: a bound constant such as ``lambda s, w=w: s * w`` is none."""
    try:
        parameters = inspect.signature(law).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not tell
        return 1
    return sum(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _at_station(law: Callable[[float, float], Any], s: float, t: float) -> Any:
    """A law of time and place, at one place."""
    return law(t, s)
