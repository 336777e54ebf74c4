"""Distributed loads: a given wrench per metre of rod, summed at the rod's Gauss nodes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import finite_array
from supple.loads.point_wrench import frame_index
from supple.loads.wrench import WrenchEntry, bind_wrenches

if TYPE_CHECKING:
    from supple.model.binder import Binder, Bound


@dataclass(frozen=True, eq=False)
class Distributed:
    """A wrench per metre on a rod.

    Parameters
    ----------
    link : str
        A rod.
    wrench : (6,) or callable
        Moment (N) and force (N/m) per metre: constant, a function of s, or ``law(t, s)``.
    frame : "world" or "local"
        World: dead.  Local: follower, axes of the section.
    name : str
        For messages and reports.
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
        in_time = callable(self.wrench) and _required(self.wrench) == 2
        entries = []
        for s, weight in zip(rod.s.tolist(), rod.weight.tolist(), strict=True):
            if weight == 0.0:
                continue
            place = binder.station(self.link, s)
            value, signal = np.zeros(6), -1
            if in_time:
                signal = binder.signal(partial(_at_station, cast(Any, self.wrench), s), 6)
            else:
                given = self.wrench(s) if callable(self.wrench) else self.wrench
                value = finite_array(given, (6,), f"wrench at s = {s:.2f}")
            entries.append(WrenchEntry(place.segment, place.offset, frame, weight, value, signal))
        return bind_wrenches(self.name, entries)


def _required(law: Callable[..., Any]) -> int:
    """Number of arguments without a default: a bound constant such as ``lambda s, w=w: s * w`` is none."""
    parameters = inspect.signature(law).parameters.values()
    return sum(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _at_station(law: Callable[[float, float], Any], s: float, t: float) -> Any:
    """A law of time and place, at one place."""
    return law(t, s)
