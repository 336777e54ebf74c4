"""Times that steps must hit: where laws jump, where feedback is sampled, the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from supple.errors import ModelError
from supple.solvers.options import MOST_STOPS

#: Just before a jump: this part of the time (or of a second) earlier.
BEFORE = 1e-12
#: Stops closer than this part of a sample (or of a millisecond) are one; a sample so close to the end is none.
TOGETHER = 1e-9


class Stop(NamedTuple):
    """A time that steps must hit."""

    t: float
    jumps: bool  #: laws jump here: a new start
    samples: bool  #: feedback is sampled here

    @property
    def latest_time(self) -> float:
        """The latest time at which laws are taken on the way here: just before they jump, s."""
        return self.t - margin(self.t) if self.jumps else np.inf


def margin(t: float) -> float:
    """A time that is nothing beside t, s."""
    return BEFORE * max(1.0, abs(t))


def make_stops(t0: float, t_end: float, breaks: Iterable[float], rate: float | None) -> list[Stop]:
    """All stops behind t0, in order; laws jump at ``breaks``, feedback is sampled ``rate`` times per second."""
    jumps = {float(t) for t in breaks if t0 < t <= t_end}
    samples: set[float] = set()
    if rate is not None:
        wanted = (t_end - t0) * rate
        if not wanted <= MOST_STOPS:
            raise ModelError(
                f"control_rate is {rate:g}: {wanted:.3g} samples until t = {t_end:g} s, at most "
                f"{MOST_STOPS} are possible; take a lower rate or a shorter time"
            )
        samples = {t0 + k / rate for k in range(1, int(np.ceil(wanted - TOGETHER)))}
    stops: list[Stop] = []
    for t in sorted({*jumps, *samples, t_end}):
        if stops and t - stops[-1].t < TOGETHER * max(1.0 / (rate or np.inf), 1e-3):
            last = stops.pop()
            stops.append(Stop(t, last.jumps or t in jumps, last.samples or t in samples))
        else:
            stops.append(Stop(t, t in jumps, t in samples))
    return stops
