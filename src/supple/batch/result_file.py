"""Results of any function in files: numbers, texts, arrays, lists, tuples and dicts of these, and motions.

Reading never executes what it finds (see `supple.storage`), so there is no pickle: what cannot be written is refused by
name.  The result is written as a JSON tree in which arrays are replaced by their numbers; the arrays stand beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import shown
from supple.errors import StateError, StorageError
from supple.solvers.motion.trajectory import Trajectory
from supple.storage import KINDS, read_npz, read_text, write_npz

KIND = "result"

#: Integers as long as this are not written: Python reads none of more than 4300 digits.
LARGEST = 10**4000

#: Keys of what JSON has no word for.
ARRAY, TUPLE, DICT = "array", "tuple", "dict"


def save_result(result: Any, path: Path) -> None:
    """Write what a function returned, atomically."""
    if isinstance(result, Trajectory):
        result.save(path)
        return
    arrays: list[np.ndarray] = []
    try:
        tree = json.dumps(_tree(result, arrays, "the result"))
    except RecursionError:
        raise StateError("the result is nested too deep for a folder, or in itself: return something flatter") from None
    numbered = {f"array{k}": array for k, array in enumerate(arrays)}
    write_npz(path, {"kind": KIND, "tree": tree, **numbered})


def load_result(path: Path) -> Any:
    """Read what `save_result` wrote; motions come without their model."""
    try:
        arrays = read_npz(path, KIND)
    except StorageError:
        try:
            return Trajectory.load(path)
        except StorageError:
            pass
        raise
    try:
        return _value(json.loads(read_text(arrays, "tree", path)), arrays)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"{path} is damaged: {error}") from None


def _tree(value: Any, arrays: list[np.ndarray], what: str) -> Any:
    """What JSON can hold of a value; arrays are put aside."""
    if isinstance(value, int) and not -LARGEST < value < LARGEST:
        raise StateError(f"{what} is an integer of more than 4000 digits, which a folder cannot hold: return a text")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return float(value) if value.dtype.kind == "f" else value.item()
    if isinstance(value, np.ndarray):
        if np.ma.is_masked(value):
            raise StateError(f"{what} is an array with masked entries, which a folder cannot hold: fill them")
        if value.dtype.kind not in KINDS:
            raise StateError(f"{what} is an array of {value.dtype}, which a folder cannot hold")
        arrays.append(value)
        return {ARRAY: len(arrays) - 1}
    if isinstance(value, Mapping):
        entries = [[_tree(k, arrays, what), _tree(v, arrays, f"{what}[{shown(k)}]")] for k, v in value.items()]
        return {DICT: entries}
    if isinstance(value, (list, tuple)):
        entries = [_tree(entry, arrays, f"{what}[{i}]") for i, entry in enumerate(value)]
        return {TUPLE: entries} if isinstance(value, tuple) else entries
    raise StateError(
        f"{what} is a {type(value).__name__}, which a folder cannot hold: return numbers, texts, arrays, lists, tuples "
        "or dicts of these, or a Trajectory"
    )


def _value(tree: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value of a tree."""
    if isinstance(tree, list):
        return [_value(entry, arrays) for entry in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == ARRAY:
        return arrays[f"array{content}"]
    if kind == TUPLE:
        return tuple(_value(entry, arrays) for entry in content)
    if kind == DICT:
        return {_value(key, arrays): _value(entry, arrays) for key, entry in content}
    raise ValueError(f"unknown entry {kind!r}")
