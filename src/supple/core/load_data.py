"""The arrays of a load, by name.

A load declares them once, as a named tuple beside its kernel, and the kernel sees them by the same names:

    class SpringData(NamedTuple):
        ends: Integers  #: (1, 2) segments
        law: Annotated[Floats, Columns(stiffness="N/m", rest_length="m")]

    spring_data = load_view(SpringData)

    def _spring(tree, space, data, mode):
        spring = spring_data(data)
        ... spring.law[0, 0] ...

``Columns`` name the columns of an array of parameters, with their units: what residuals can be differentiated by.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from supple.core.records import pose_t
from supple.core.views import View, array_of, viewing


class Kind(NamedTuple):
    """Type of the entries of an array, and its number of dimensions."""

    dtype: Any
    dimensions: int


class Columns:
    """Parameters in the columns of an array: their names, with the unit of each ("" if it has none)."""

    def __init__(self, **units: str) -> None:
        self.units = units


class Incidental:
    """Columns of an array that do not say what a load is made of: addresses, notes, what follows from other arrays.

    All columns if none is named.  Robots of one structure may differ in them (`gradients.array_slopes`).
    """

    def __init__(self, *columns: int) -> None:
        self.columns = columns


#: (m, k) integers, (m, k) floats, (m,) records of poses (`core.records.pose_t`).
Integers = Annotated[np.ndarray, Kind(np.int64, 2)]
Floats = Annotated[np.ndarray, Kind(np.float64, 2)]
Poses = Annotated[np.ndarray, Kind(pose_t, 1)]


def array_kinds(record: Any) -> dict[str, Kind]:
    """Kind of every array of a named tuple of them."""
    hints = get_type_hints(record, include_extras=True)
    return {name: next(x for x in hints[name].__metadata__ if isinstance(x, Kind)) for name in record._fields}


def parameters(record: Any) -> dict[str, dict[str, str]]:
    """Names and units of the parameters of a load, by array: all that its forces can be differentiated by."""
    hints = get_type_hints(record, include_extras=True)
    found = {name: [x for x in hints[name].__metadata__ if isinstance(x, Columns)] for name in record._fields}
    return {name: columns[0].units for name, columns in found.items() if columns}


def incidental(record: Any) -> dict[str, tuple[int, ...]]:
    """The arrays of a load that are `Incidental`, and which of their columns: all, if none is named."""
    hints = get_type_hints(record, include_extras=True)
    found = {name: [x for x in hints[name].__metadata__ if isinstance(x, Incidental)] for name in record._fields}
    return {name: marks[0].columns for name, marks in found.items() if marks}


def load_view(record: Any) -> Any:
    """Compiled function that sees the arrays at the address that a load was called with, by name.

    After those of the record comes ``calls``: addresses of the kernels that the load calls (`Bound.calls`).
    """
    kinds = array_kinds(record) | {"calls": Kind(np.int64, 1)}
    return viewing(View(record.__name__, {name: array_of(*kind) for name, kind in kinds.items()}))
