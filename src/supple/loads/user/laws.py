"""Your own law: a wrench at points, or between two points, as any function of the motion there.

What becomes of the function is in `loads.user.functions`, what of its wrench and tangent in `loads.user.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import real_array, real_vector, shown
from supple.compilation.scene import Place, Strand
from supple.core.loads import EXTERNAL
from supple.errors import ModelError, warn
from supple.lie.pose import check_pose, pose
from supple.loads.spring import point_place
from supple.loads.user.functions import UserFunctions
from supple.loads.user.kernels import (
    MOST_STATES,
    PAIR_COLUMNS,
    PairLawData,
    PointLawData,
    pair_law,
    point_laws,
)
from supple.robot.stations import MaterialPoint, as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Most stations of one law: far more than any rod needs.
MOST_STATIONS = 10_000

#: Arguments of a point's law, in the order of its tangent's columns.
ARGUMENTS = ("pose", "twist", "acceleration", "strain")


def clock(t: float) -> float:
    """The time itself, as a signal."""
    return t


def time_signal(binder: Binder) -> int:
    """The signal of the time, one for all laws of a robot."""
    if clock in binder.laws:
        return binder.firsts[binder.laws.index(clock)]
    return binder.signal(clock, 1)


def _first_states(state0: ArrayLike, rate: Any) -> np.ndarray:
    """state0 as a vector; with states there must be a rate, and the other way round."""
    states = real_array(state0, "state0")
    if states.ndim != 1 or not np.isfinite(states).all():
        raise ModelError(f"state0 is {shown(state0)}, must be a vector of finite numbers")
    if len(states) > MOST_STATES:
        raise ModelError(f"state0 has {len(states)} entries, a law has {MOST_STATES} states at most")
    if len(states) and rate is None:
        raise ModelError("state0 is given, but no rate: pass rate, which takes the law's arguments and returns z'")
    if rate is not None and not len(states):
        raise ModelError("rate is given, but no state0: pass z at the beginning")
    return states


def _functions(
    what: str, kind: str, law: Any, tangent: Any, columns: int, rate: Any, state0: np.ndarray
) -> UserFunctions:
    functions = UserFunctions(what, kind, law, tangent if columns else None, columns, rate, state0)
    functions.try_out()
    if tangent is None and columns:
        warn(
            f"{what}: no tangent is given, it is taken by differences of the law: slower, and right to some nine "
            "digits where the law is smooth"
        )
    return functions


@dataclass(frozen=True, eq=False)
class PointLaw:
    """A wrench on a link that is any function of the motion there.

    Parameters
    ----------
    name : str
        For messages and reports.
    link : str
        The link it acts on.
    law : callable
        ``law(t, g, eta, etadot, xi)`` gives the wrench (6,), moment first, in the axes of the frame: time, pose (4, 4)
        in the world, body twist (6,), its time derivative (6,) (free of gravity), strain (6,).  Python or Numba.
    s : float, sequence of float, or "along"
        Stations: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip); of a soft body also material points
        [(x, y, z), ...].  "along": at the Gauss nodes of a rod, per metre.
    tangent : callable, optional
        Of the same arguments, gives (6, 6 k): derivatives of the wrench, six columns for each of the k arguments in
        ``uses``: the pose (along g exp(z)), twist, acceleration, strain, in this order.  Differenced, with a warning,
        if omitted.
    offset : (4, 4)
        Pose of the frame at the station.
    uses : tuple of str
        Which of "pose", "twist", "acceleration", "strain" the law looks at; the others reach it as NaN.  None of them:
        a follower wrench of time.
    state0 : (k,), optional
        Internal states z at the beginning, eight at most, which solvers integrate with the robot; every station has its
        own.  Law and tangent are then called with z (k,) as their last argument.
    rate : callable
        With states, ``rate(t, g, eta, etadot, xi, z)`` gives z' (k,).
    """

    name: str
    link: str
    law: Callable[..., Any]
    s: float | Sequence[float] | Sequence[Sequence[float]] | str = 1.0
    tangent: Callable[..., Any] | None = None
    offset: ArrayLike = field(default_factory=pose)
    uses: tuple[str, ...] = ("pose", "twist")
    state0: ArrayLike = ()
    rate: Callable[..., Any] | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where it acts."""
        if isinstance(self.s, str):
            if self.s != "along":
                raise ModelError(f's is {self.s!r}, must be a station, several, or "along"')
            return [(self.link, 0.0)]
        if isinstance(self.s, MaterialPoint):
            return [(self.link, self.s)]
        given = real_array(self.s, "s")
        if given.ndim == 2:  # material points
            return [(self.link, as_station(x, "s")) for x in given[:MOST_STATIONS]]
        return [(self.link, s) for s in real_vector(np.atleast_1d(given), "s", MOST_STATIONS)]

    def bind(self, binder: Binder) -> Bound:
        """One entry per station."""
        from supple.compilation.binder import Bound, pose_records

        uses, strained = self._uses(), "strain" in self.uses
        width = 6 * uses.bit_count()
        state0 = _first_states(self.state0, self.rate)
        functions = _functions(f"PointLaw {self.name!r}", "point", self.law, self.tangent, width, self.rate, state0)
        offset = check_pose(self.offset, "offset")
        entries, names = [], []
        for i, (s, weight) in enumerate(self._weighted(binder)):
            place = binder.station(self.link, s, offset)
            if place.segment > 0:
                entries.append((place, binder.node(self.link, s) if strained else 0, weight))
                names += [f"{self.name}[{i}].{k}" for k in range(len(state0))]
        first, rate = binder.states(names, np.tile(state0, len(entries))) if names else (0, 0)
        if strained:
            binder.rod(self.link)
            binder.couplings += len(entries)
        binder.implicit |= "acceleration" in self.uses
        where = np.array([(place.segment, node) for place, node, _ in entries], dtype=np.int64).reshape(-1, 2)
        weights = np.array([weight for *_, weight in entries], dtype=float).reshape(-1, 1)
        law = np.array([[uses, time_signal(binder), width, len(state0), first, rate]], dtype=np.int64)
        offsets = pose_records([place.offset for place, *_ in entries])
        data = PointLawData(where, law, functions.table, functions.state, weights, offsets)
        return Bound(self.name, point_laws, data, EXTERNAL, functions, spread=isinstance(self.s, str))

    def _uses(self) -> int:
        """As bits."""
        if not isinstance(self.uses, (tuple, list, set, frozenset)):
            raise ModelError(f'uses is {shown(self.uses)}, must be a tuple, such as ("pose", "twist")')
        for argument in self.uses:
            if not isinstance(argument, str) or argument not in ARGUMENTS:
                raise ModelError(f"uses names {shown(argument)}, must be among {', '.join(ARGUMENTS)}")
        return sum(1 << k for k, argument in enumerate(ARGUMENTS) if argument in self.uses)

    def _weighted(self, binder: Binder) -> list[tuple[float, float]]:
        """Stations and weights."""
        if isinstance(self.s, str):  # "along", as `stations` has made sure
            rod = binder.rod(self.link)
            return [(s, w) for s, w in zip(rod.s.tolist(), rod.weight.tolist(), strict=True) if w > 0.0]
        return [(s, 1.0) for _, s in self.stations()]


@dataclass(frozen=True, eq=False)
class PairLaw:
    """A wrench between two points that is any function of their relative motion; it acts on a, its opposite on b.

    Parameters
    ----------
    name : str
        For messages and reports.
    a, b : (link, s) or (link, s, offset)
        The two frames; "world" with s = 0 for a fixed one given by the offset pose.
    law : callable
        ``law(t, h, eta)`` gives the wrench (6,) on a, moment first, in the axes of a: time, pose h (4, 4) of b in a,
        twist (6,) of b relative to a, at the origin and in the axes of a.  Python or Numba.
    tangent : callable, optional
        Of the same arguments, gives (6, 12): derivatives of the wrench by the pose (along exp(z) h) and by the twist.
        Differenced, with a warning, if omitted.
    state0 : (k,), optional
        Internal states z at the beginning, eight at most, which solvers integrate with the robot.  Law and tangent are
        then called with z (k,) as their last argument.
    rate : callable
        With states, ``rate(t, h, eta, z)`` gives z' (k,).
    """

    name: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    law: Callable[..., Any]
    tangent: Callable[..., Any] | None = None
    state0: ArrayLike = ()
    rate: Callable[..., Any] | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """Both frames."""
        return [(link, s) for link, s, _ in (self._end("a"), self._end("b"))]

    def bind(self, binder: Binder) -> Bound:
        """Both frames and the law."""
        from supple.compilation.binder import Bound, pose_records

        ends = [binder.station(*self._end(which)) for which in ("a", "b")]
        if ends[0].segment == ends[1].segment:
            raise ModelError("both ends are on the same body: their relative pose never changes")
        state0 = _first_states(self.state0, self.rate)
        functions = _functions(
            f"PairLaw {self.name!r}", "pair", self.law, self.tangent, PAIR_COLUMNS, self.rate, state0
        )
        names = [f"{self.name}.{k}" for k in range(len(state0))]
        first, rate = binder.states(names, state0) if names else (0, 0)
        binder.couplings += 2
        where = np.array([[end.segment] for end in ends], dtype=np.int64)
        law = np.array([[time_signal(binder), len(state0), first, rate]], dtype=np.int64)
        data = PairLawData(where, law, functions.table, functions.state, pose_records([end.offset for end in ends]))
        return Bound(self.name, pair_law, data, EXTERNAL, functions)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A line between its frames."""
        return [Strand("law", self.name, (Place(*self._end("a")), Place(*self._end("b"))))]

    def _end(self, which: str) -> tuple[str, float, np.ndarray]:
        return point_place(getattr(self, which), which)
