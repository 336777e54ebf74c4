"""What a sweep goes through: all combinations of a grid, or samples one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from supple.checks import shown
from supple.errors import ModelError

#: Most points of a grid.
MOST = 10_000_000


class Points(NamedTuple):
    """Points of a sweep, in order, and the shape in which they stand."""

    values: Sequence[Any]
    shape: tuple[int, ...]
    names: tuple[str, ...]  #: of the axes of a grid


def points_of(given: Any) -> Points:
    """Points of what a user gives.

    A mapping of names to values is a grid: every combination, the last name running fastest.  Anything else is a
    sequence of samples: mappings are keyword arguments of the function, all other things its one argument.
    """
    if isinstance(given, Mapping):
        return _grid(given)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ModelError(f"samples are {shown(given)}, must be a grid {{name: values}} or a sequence of samples")
    if isinstance(given, np.ndarray) and given.ndim == 0:
        raise ModelError(f"samples are {shown(given)}, must be a sequence, one entry per run")
    values = list(given)
    for i, value in enumerate(values):
        if isinstance(value, Mapping) and not all(isinstance(name, str) for name in value):
            raise ModelError(f"sample {i} is {shown(value)}: its keys must be names of arguments")
    return Points(values, (len(values),), ())


def _grid(axes: Mapping[Any, Any]) -> Points:
    """All combinations."""
    if not axes:
        raise ModelError("the grid is empty: give at least one name with its values")
    columns = []
    for name, values in axes.items():
        if not isinstance(name, str):
            raise ModelError(f"the grid has a key {shown(name)}: keys must be names of arguments")
        try:
            columns.append([] if isinstance(values, (str, bytes)) else list(values))
        except TypeError:
            columns.append([])
        if not columns[-1]:
            raise ModelError(f"the grid's {name!r} is {shown(values)}, must be a sequence of values")
    shape = tuple(len(column) for column in columns)
    if prod(shape) > MOST:
        raise ModelError(f"the grid has {prod(shape)} points, must have at most {MOST}")
    names = tuple(axes)
    return Points([dict(zip(names, row, strict=True)) for row in itertools.product(*columns)], shape, names)
