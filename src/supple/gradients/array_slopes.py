"""How all numbers of a model follow the parameters of its design: differences of the tabulated arrays.

A robot that is built for slightly other parameters has the same structure, and arrays that differ a little.  Their
central differences are smooth and lose no digits to cancelling forces: with a relative step of 6e-6 they are right to
some 1e-10.  Structure (who hangs on whom, numbers of points, kept rows of loops, what loads are made of) must not
change, and is compared.

Numbers of loads whose kernels tell how their forces depend on them (`core.load_gradients`) are part of it; loads that
do not are kept for both ends of a difference instead, for the sweep to difference their forces.  So are laws of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.core import load_data
from supple.errors import DesignError
from supple.fingerprint import fingerprint
from supple.gradients.probe_plans import Entries

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.compilation.compiled import CompiledRobot
    from supple.core.blocks.custom import BoundMap

Array = np.ndarray


#: Files of loads that hold traced functions.
TRACED = (
    "supple.fields.elasticity",
    "supple.fields.rod_elasticity",
    "supple.fields.viscosity",
    "supple.loads.fluid.buoyancy",
    "supple.loads.lines.members",
)

#: What may be behind a change of a traced function.
FOLDED = (
    " (a number of a traced function that is exactly 0, 1, -1, or 2 as an exponent, is left out of its formula; take "
    "one beside it, such as 1 + 1e-9)"
)

#: Numbers jump that are apart from the middle of both ends by so much of their distance and of the largest number.
JUMP, ROUGH = 10.0, 1e-6

_INCIDENTAL: dict[Any, dict[str, tuple[int, ...]]] = {}


class Ends(NamedTuple):
    """The robot at both ends of a difference along one parameter."""

    plus: CompiledRobot
    minus: CompiledRobot
    scale: float  #: one over the distance of the ends


class LoadEnds(NamedTuple):
    """A load whose force is to be differenced along a parameter."""

    load: int
    parameter: int
    plus: Bound
    minus: Bound
    scale: float


class MapEnds(NamedTuple):
    """A map of a joint or body that is to be differenced along a parameter."""

    row: int  #: of the maps of the model
    parameter: int
    plus: BoundMap
    minus: BoundMap
    scale: float


@dataclass(frozen=True)
class ArraySlopes:
    """d(numbers of a model)/d(parameters), sparse; numbers in the order of `flat_numbers`."""

    rows: Array  #: (k,) which number
    columns: Array  #: (k,) which parameter
    values: Array  #: (k,)
    size: int  #: number of numbers
    loads: tuple[LoadEnds, ...]
    count: int  #: number of parameters
    maps: tuple[MapEnds, ...] = ()

    @property
    def differenced(self) -> tuple[LoadEnds | MapEnds, ...]:
        """Loads and maps that do not say how they depend on their numbers."""
        return (*self.loads, *self.maps)

    def pulled_back(self, bar: Array) -> Array:
        """Cotangents (count,) of the parameters from those of all numbers (size,)."""
        # counts of nothing are integers
        return np.bincount(self.columns, self.values * bar[self.rows], minlength=self.count).astype(float)

    def pushed(self, change: Array) -> Array:
        """Changes (size,) of all numbers along changes (count,) of the parameters."""
        return np.bincount(self.rows, self.values * change[self.columns], minlength=self.size)


def incidental(record: Any) -> dict[str, tuple[int, ...]]:
    """`core.load_data.incidental`, looked up once per kind of load: type hints are slow to read."""
    if record not in _INCIDENTAL:
        _INCIDENTAL[record] = load_data.incidental(record)
    return _INCIDENTAL[record]


def tells(load: Bound) -> bool:
    """Whether a load's kernel tells how its force depends on all its numbers."""
    return load.gradient is not None


def number_arrays(parameters: Any, loads: Sequence[Bound], data: Sequence[Any] | None = None) -> Iterator[Array]:
    """All arrays of floats of a model, or of a gradient shaped like it; ``data`` stands in for that of the loads."""
    for array in parameters:
        yield from _floats_in(array)
    for load, arrays in zip(loads, [load.data for load in loads] if data is None else data, strict=True):
        if tells(load):
            skipped = incidental(type(load.data)) if hasattr(load.data, "_fields") else {}
            names = getattr(load.data, "_fields", range(len(load.data)))
            for name, array in zip(names, arrays, strict=False):
                if name not in skipped:
                    yield from _floats_in(array)


def _floats_in(array: Array) -> Iterator[Array]:
    """The array itself, or the fields of its records, if they are floats."""
    if array.dtype.names is None:
        if array.dtype == np.float64:
            yield array
        return
    for name in array.dtype.names:
        if array.dtype[name].base == np.float64:
            yield array[name]


def flat_numbers(parameters: Any, loads: Sequence[Bound], data: Sequence[Any] | None = None) -> Array:
    """All floats of a model in one row."""
    return flattened(number_arrays(parameters, loads, data))


def flattened(arrays: Iterable[Array]) -> Array:
    """Arrays in one row."""
    return np.concatenate([np.zeros(0), *(array.reshape(-1) for array in arrays)])


def differences(ends: Sequence[Ends], numbers: Callable[[CompiledRobot], Sequence[Array]]) -> Entries:
    """Differences of some numbers of a robot along every parameter whose ends are apart."""
    rows, columns, values, size = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)], 0
    for j, (plus, minus, scale) in enumerate(ends):
        if plus is minus:
            continue
        high, low = (flattened(numbers(end)) for end in (plus, minus))
        differ, size = np.flatnonzero(high != low), len(high)
        rows.append(differ)
        columns.append(np.full(len(differ), j))
        values.append((high[differ] - low[differ]) * scale)
    return Entries(np.concatenate(rows), np.concatenate(columns), np.concatenate(values), size)


def numbers_of(robot: CompiledRobot) -> list[Array]:
    """All arrays of floats of a robot."""
    return list(number_arrays(robot.parameters, robot.loads))


def array_slopes(base: CompiledRobot, ends: Sequence[Ends], labels: Sequence[str]) -> ArraySlopes:
    """Differences of all numbers along every parameter; ``labels`` are their names, for messages."""
    loads, maps = list[LoadEnds](), list[MapEnds]()
    for j, end in enumerate(ends):
        for robot in end[:2] if end.plus is not end.minus else ():
            changed = structure_change(base, robot)
            if changed:
                raise DesignError(
                    f"parameter {labels[j]!r} changes {changed}; parameters must not change the structure of a robot"
                )
        jump = jumps(base, *end[:2])
        if jump:
            raise DesignError(f"parameter {labels[j]!r} has a value at which {jump} is written otherwise{FOLDED}")
        loads += load_ends(j, end)
        maps += map_ends(j, base, end)
    found = differences(ends, numbers_of)
    size = len(flat_numbers(base.parameters, base.loads))
    return ArraySlopes(*found[:3], size, tuple(loads), len(ends), tuple(maps))


def joined_entries(one: Entries, other: Entries) -> Entries:
    """Entries of different parameters together."""
    parts = [np.concatenate(pair) for pair in zip(one[:3], other[:3], strict=True)]
    return Entries(parts[0], parts[1], parts[2], other.size)


def joined(slopes: ArraySlopes, further: Entries) -> ArraySlopes:
    """Slopes with entries of further parameters."""
    own = Entries(slopes.rows, slopes.columns, slopes.values, slopes.size)
    rows, columns, values, _ = joined_entries(own, further)
    return replace(slopes, rows=rows, columns=columns, values=values)


def load_ends(parameter: int, ends: Ends) -> list[LoadEnds]:
    """Loads that do not tell how they depend on their numbers, if these differ at the ends of a difference."""
    if ends.plus is ends.minus:
        return []
    pairs = enumerate(zip(ends.plus.loads, ends.minus.loads, strict=True))
    return [LoadEnds(i, parameter, a, b, ends.scale) for i, (a, b) in pairs if not tells(a) and _data_differ(a, b)]


def map_ends(parameter: int, base: CompiledRobot, ends: Ends) -> list[MapEnds]:
    """Maps whose data differ at the ends of a difference: their derivatives and zeros, where these are known."""
    from supple.gradients.map_slopes import map_slope, nothing  # late: it loads kernels of soft bodies

    found = list[MapEnds]()
    if ends.plus is ends.minus:
        return found
    for row, (a, b) in enumerate(zip(ends.plus.maps, ends.minus.maps, strict=True)):
        if not all(np.array_equal(x, y) for x, y in zip(a.data, b.data, strict=True)):
            slope = map_slope(row, base, ends[:2], ends.scale)
            given = (a, b, ends.scale) if slope is None else (slope, nothing(base.maps[row]), 1.0)
            found.append(MapEnds(row, parameter, *given))
    return found


def _data_differ(a: Bound, b: Bound) -> bool:
    """Whether two loads of one structure differ in their numbers or in a user's functions behind them."""
    skipped = incidental(type(a.data)) if hasattr(a.data, "_fields") else {}
    names = getattr(a.data, "_fields", range(len(a.data)))
    for name, x, y in zip(names, a.data, b.data, strict=True):
        if name not in skipped and not np.array_equal(x, y):
            return True
    return _laws(a) != _laws(b)


def _laws(load: Bound) -> list[Any]:
    """Fingerprints of users' functions behind a load; what cannot be looked into differs from everything."""
    parts = [part for part in (*load.data, load.guard) if hasattr(type(part), "__fingerprint__")]
    prints = [fingerprint(part) for part in parts]
    return [object() if found.unknown else found.digest for found in prints]


# ---------------------------------------------------------------------- structure


def structure_change(base: CompiledRobot, other: CompiledRobot) -> str:
    """What differs in the structure of two compiled robots, in words; empty if nothing does."""
    if base.coordinate_names != other.coordinate_names:
        return f"the coordinates ({len(base.coordinate_names)} of them, then {len(other.coordinate_names)})"
    for name, a, b in zip(base.topology._fields, base.topology, other.topology, strict=True):
        if not np.array_equal(a, b):
            return f"the tree of links or the points along rods ({name!r} of the topology)"
    for name, a, b in zip(base.parameters._fields, base.parameters, other.parameters, strict=True):
        if a.shape != b.shape:
            return f"the number of {name}: {a.shape}, then {b.shape}"
    if not _same_integers(base.parameters.nodes, other.parameters.nodes):
        return "the nodes of rods at which loads act"
    if not np.array_equal(np.isfinite(base.parameters.limits), np.isfinite(other.parameters.limits)):
        return "which joints have limits"
    if not all(np.array_equal(a, b) for a, b in zip(base.followers or (), other.followers or (), strict=True)):
        return "how joints follow others (couple), which gradients by parameters do not know"
    for a, b in zip(base.maps, other.maps, strict=True):
        if a.kernel is not b.kernel or [x.shape for x in a.data] != [x.shape for x in b.data]:
            return f"the map of a joint or of a body with kinematics of its own{FOLDED}"
        if not all(np.array_equal(x, y) for x, y in zip(a.data, b.data, strict=True) if x.dtype == np.int64):
            return "the structure of the map of a joint or body"
    return _loads_change(base, other) or _laws_change(base, other)


def jumps(base: CompiledRobot, plus: CompiledRobot, minus: CompiledRobot) -> str:
    """Which traced function has numbers that lie apart from those at both ends of a difference; empty if none has.

    k p x^(p-1) is the number k p and a table; where p = 2 it is the number k and the table 2 x: of the same structure,
    but derivatives beside it are of other numbers.
    """
    robots = (base, plus, minus)
    for k, load in enumerate(base.loads):
        if load.kernel.function.__module__ in TRACED and _apart(*(robot.loads[k].data for robot in robots)):
            return load.owner
    for k in range(len(base.maps)):
        if _apart(*(robot.maps[k].data for robot in robots)):
            return "the map of a joint or of a body with kinematics of its own"
    return ""


def _apart(here: Sequence[Array], high: Sequence[Array], low: Sequence[Array]) -> bool:
    """Whether arrays of floats are not where those at both ends of a difference lead to."""
    for x, a, b in zip(here, high, low, strict=True):
        if x.dtype == np.float64 and x.size and not (np.array_equal(x, a) and np.array_equal(x, b)):
            size = np.abs([x, a, b]).max()
            if (np.abs(a + b - 2.0 * x) > JUMP * np.abs(a - b) + ROUGH * size).any():
                return True
    return False


def _loads_change(base: CompiledRobot, other: CompiledRobot) -> str:
    if [load.owner for load in base.loads] != [load.owner for load in other.loads]:
        return "the loads of the robot"
    for a, b in zip(base.loads, other.loads, strict=True):
        if a.kernel.function is not b.kernel.function or a.side != b.side:
            return f"what {a.owner} is"
        fixed = incidental(type(a.data)) if hasattr(a.data, "_fields") else {}
        for name, x, y in zip(getattr(a.data, "_fields", range(len(a.data))), a.data, b.data, strict=True):
            if x.shape != y.shape:
                hint = FOLDED if a.kernel.function.__module__ in TRACED else ""
                return f"the structure of {a.owner} ({name!r}: {x.shape}, then {y.shape}){hint}"
            loose = fixed.get(name)
            if x.dtype == np.int64 and loose != () and not np.array_equal(_kept(x, loose), _kept(y, loose)):
                hint = FOLDED if a.kernel.function.__module__ in TRACED else ""
                return f"the structure of {a.owner} ({name!r}){hint}"
    return ""


def _laws_change(base: CompiledRobot, other: CompiledRobot) -> str:
    a, b = base.demand, other.demand
    if (a.inputs, a.sizes, a.owners) != (b.inputs, b.sizes, b.owners):
        return "the inputs or the laws of time of loads"
    if [(s.owner, s.names) for s in a.states] != [(s.owner, s.names) for s in b.states]:
        return "the internal states of loads"
    if [(p.link, p.coordinates) for p in base.prescribed] != [(p.link, p.coordinates) for p in other.prescribed]:
        return "which joints are prescribed"
    kinds = [[(c.name, c.inputs, len(c.state0)) for c in robot.controllers] for robot in (base, other)]
    if kinds[0] != kinds[1]:
        return "the controllers, their inputs or the number of their states"
    return ""


def _kept(array: Array, loose: tuple[int, ...] | None) -> Array:
    """Columns of an array that are structure."""
    return array if loose is None else np.delete(array, loose, axis=1)


def _same_integers(a: Array, b: Array) -> bool:
    """Whether records agree in their integers."""
    names = [name for name in a.dtype.names or () if a.dtype[name].base == np.int64]
    return all(np.array_equal(a[name], b[name]) for name in names)


