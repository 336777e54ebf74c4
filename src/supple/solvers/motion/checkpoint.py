"""Checkpoints: all arrays of a run in one file, from which it goes on bit for bit.

A file is believed in two steps.  It must be whole (its digest, see `supple.storage`) and of the same run: robot and
arguments of `Model.simulate` are compared by their content (`compilation.digest`).  Then every field is checked before
it reaches compiled code, which has no bounds of its own: kinds, shapes, finiteness, and the ranges of all that counts,
points somewhere or decides how long a loop runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.compilation.digest import Digest, differences, told
from supple.core.tree_factors import integers_fit
from supple.errors import ModelError, StorageError, warn
from supple.solvers.integrators.cut_steps import PARTS
from supple.solvers.integrators.integrator import Integrator
from supple.solvers.integrators.run import (
    BAUMGARTE,
    CUT_BEGIN,
    CUT_END,
    DRIFT,
    END_TIME,
    EQUAL,
    ERROR,
    EVERY,
    FAILED,
    HIGHEST,
    IN_ROW,
    LAST_STEP,
    LONGEST_STEP,
    NEWTON,
    NEXT,
    ON_PARABOLA,
    ORDER,
    PENDING,
    PLACE,
    RECENTRED,
    RECORDED,
    REJECTED,
    ROW_BEGIN,
    ROW_STEP,
    RTOL,
    SHORT,
    SLIP,
    START_ORDER,
    STEP,
    STEPS,
    TIME,
    TIME_BEFORE,
)
from supple.solvers.problem import (
    ASK_LAWS,
    ASK_SLOPES,
    ASKED,
    DENSE_LEFT,
    DIFFERENCED,
    DOUBTS,
    FACTORS_AT,
    FEEDBACK,
    HASTE,
    ITERATIONS,
    LATEST_TIME,
    MOVING_LEFT,
    OVER_TREE,
    RENEWALS,
    RESIDUALS,
    STABILISED,
    STALE,
    TANGENTS,
    TIME_CALLS,
    WORST,
)
from supple.solvers.stage.factors import DENSE_AFTER
from supple.solvers.stage.matrix import MOVING_SERVES
from supple.solvers.stage.newton import MOST, MOST_HASTE
from supple.storage import FORMAT, check_finite, read_array, read_npz, read_text, write_npz

Array = np.ndarray

KIND = "checkpoint"

#: Owner of the arguments of a run in its digest.
CALL = "simulate()"

#: Steps, and other things that are counted, are fewer than this.
COUNTABLE = 2**62

#: How far a chart may be from a rotation, by rounding.
TURNED = 1e-6


def save(path: str | os.PathLike[str], digest: Digest, arrays: Mapping[str, Array]) -> None:
    """Write a checkpoint, atomically."""
    from supple import __version__

    plain = {key: _unrecorded(array) for key, array in arrays.items()}
    write_npz(path, {**plain, "kind": KIND, "version": __version__, "content": digest.text()})


def load(path: str | os.PathLike[str], digest: Digest, other_inputs: bool = False) -> Saved:
    """The arrays of a checkpoint of the same run; with ``other_inputs``, of one that may have had another u."""
    from supple import __version__

    saved = Saved(Path(path), read_npz(path, KIND))
    version = saved.text("version", "0.1.0")
    if version != __version__ or not saved.text(FORMAT, ""):
        raise StorageError(
            f"{path} is a checkpoint of another version of supple ({version}, here {__version__}) and would not go on "
            "bit for bit; end the run with that one, or delete the file (or simulate with resume=False)"
        )
    told_of = {owner: dict(parts) for owner, parts in digest.parts.items()}
    found = saved.parts()
    if other_inputs:
        told_of.get(CALL, {}).pop("u", None)
        found.get(CALL, {}).pop("u", None)
    different = differences(told_of, found)
    if different:
        hint = '; resume="other inputs" goes on with this u' if different == [f"{CALL}: u differs"] else ""
        raise ModelError(
            f"{path} is a checkpoint of another run: {told(different)}; delete it, or simulate with resume=False{hint}"
        )
    warn_unknown(path, digest)
    return saved


def warn_unknown(path: str | os.PathLike[str], digest: Digest) -> None:
    """Say what a comparison with a file could not look into."""
    if digest.unknown:
        warn(
            f"{path}: cannot tell whether all is as it was when the file was written: {told(list(digest.unknown))} "
            "cannot be looked into"
        )


class Saved:
    """Fields of a checkpoint: each is asked for once, by name, kind and shape."""

    def __init__(self, path: Path, arrays: dict[str, Array]) -> None:
        self.path, self.arrays = path, arrays
        self.arrays.pop("kind", None)

    def damaged(self, what: str) -> StorageError:
        """The error of a file that does not hold what it should."""
        return StorageError(f"{self.path} is damaged: {what}; delete it, or simulate with resume=False")

    def text(self, key: str, default: str | None = None) -> str:
        """A text."""
        found = read_text(self.arrays, key, self.path, default)
        self.arrays.pop(key, None)
        return found

    def parts(self) -> dict[str, dict[str, str]]:
        """The digest of the run, part by part."""
        return parts_of(self.text("content"), self.path)

    def floats(self, key: str, *shape: int | None, finite: bool = True) -> Array:
        """Floats."""
        array = read_array(self.arrays, key, shape, self.path)
        self.arrays.pop(key)
        return check_finite(array, key, self.path) if finite else array

    def integers(self, key: str, *shape: int | None) -> Array:
        """Integers."""
        array = read_array(self.arrays, key, shape, self.path, "i")
        self.arrays.pop(key)
        return array

    def number(self, key: str, least: int, most: int) -> int:
        """One integer of a range."""
        value = int(self.integers(key, 1)[0])
        self.check(least <= value <= most, f"{key!r} is {value}, must lie between {least} and {most}")
        return value

    def times(self, key: str, begin: float, end: float, count: int | None = None) -> Array:
        """Times that do not decrease, in a range."""
        times = self.floats(key, count)
        fine = (np.diff(times) >= 0.0).all() and (times >= begin).all() and (times <= end).all()
        self.check(bool(fine), f"{key!r} holds times out of order or out of [{begin:g}, {end:g}] s")
        return times

    def check(self, fine: bool, what: str) -> None:
        """Raise unless all is fine."""
        if not fine:
            raise self.damaged(what)

    def end(self) -> None:
        """Nothing may be left."""
        self.check(not self.arrays, f"it has {next(iter(self.arrays), '')!r}, which no checkpoint has")


def parts_of(text: str, path: Path) -> dict[str, dict[str, str]]:
    """The digest that a file holds, part by part."""
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    fine = isinstance(parts, dict) and all(
        isinstance(aspects, dict) and all(isinstance(x, str) for x in aspects.values()) for aspects in parts.values()
    )
    if not fine:
        raise StorageError(f"{path} is damaged: 'content' does not say what the file is of")
    return parts  # type: ignore[no-any-return]


# ---------------------------------------------------------------------- a run's arrays


def put_back(saved: Saved, integrator: Integrator, span: tuple[float, float], begin: float, end: float) -> None:
    """Check the arrays of a run that goes on between two stops ``begin`` and ``end``, then copy them into it.

    ``span`` is the time of the whole run.
    """
    checks = {"ints": _check_ints, "problem.flags": _check_flags, "problem.pivots": _check_pivots}
    checks |= {"problem.tree_pivots": _check_tree_pivots, "pivots": _check_own_pivots}
    unbounded = {"reals", "problem.numbers", "problem.tree_reals"}  # some of their entries may be infinite
    arrays: dict[str, Array] = {}
    for key, own in integrator.arrays().items():
        plain = _unrecorded(own)
        if plain.dtype == np.int64:
            arrays[key] = saved.integers(key, *plain.shape)
            checks[key](saved, integrator, arrays[key])
        else:
            arrays[key] = saved.floats(key, *plain.shape, finite=key not in unbounded)
    _check_numbers(saved, integrator, arrays["problem.numbers"])
    _check_reals(saved, integrator, arrays["reals"], bool(arrays["ints"][PENDING]), span, (begin, end))
    if "instants" in arrays:
        used = arrays["instants"][: min(int(arrays["ints"][EQUAL]), len(arrays["instants"]) - 1) + 1]
        saved.check(
            bool((np.diff(used) < 0.0).all() and used[0] == arrays["reals"][TIME]), "'instants' are out of order"
        )
    if "problem.placement" in arrays:
        _check_charts(saved, arrays["problem.placement"])
    for key, own in integrator.arrays().items():
        _unrecorded(own)[...] = arrays[key]


def _check_ints(saved: Saved, integrator: Integrator, ints: Array) -> None:
    bounds = dict.fromkeys((EQUAL, STEPS, REJECTED, FAILED, RECENTRED, IN_ROW), (0, COUNTABLE))
    bounds |= {ORDER: integrator.control.orders, NEXT: (0, len(integrator.wanted)), RECORDED: (0, 0), PENDING: (0, 1)}
    bounds[ON_PARABOLA] = (0, 1)
    bounds |= {k: (int(integrator.ints[k]), int(integrator.ints[k])) for k in (EVERY, HIGHEST)}
    _check_bounds(saved, "ints", ints, bounds)


def _check_flags(saved: Saved, integrator: Integrator, flags: Array) -> None:
    problem = integrator.problem
    bounds = dict.fromkeys((RESIDUALS, TANGENTS, DOUBTS), (0, COUNTABLE))
    bounds |= {OVER_TREE: (0, int(problem.calls[FACTORS_AT] != 0)), DENSE_LEFT: (0, DENSE_AFTER)}
    bounds |= {HASTE: (0, MOST_HASTE), RENEWALS: (0, MOST_HASTE), MOVING_LEFT: (0, MOVING_SERVES)}
    bounds[ASKED] = ASK_LAWS, ASK_SLOPES
    bounds |= {STALE: (0, 1), ITERATIONS: (0, MOST), WORST: (-1, max(len(problem.q), len(problem.inputs)))}
    bounds |= {k: (int(problem.flags[k]),) * 2 for k in (FEEDBACK, TIME_CALLS, STABILISED, DIFFERENCED)}
    _check_bounds(saved, "problem.flags", flags, bounds)


def _check_pivots(saved: Saved, integrator: Integrator, pivots: Array) -> None:
    saved.check(_are_rows(pivots), "'problem.pivots' holds rows that are not there")


def _check_own_pivots(saved: Saved, integrator: Integrator, pivots: Array) -> None:
    saved.check(_are_rows(pivots), "'pivots' holds rows that are not there")


def _are_rows(pivots: Array) -> bool:
    return bool(((pivots >= 0) & (pivots < max(len(pivots), 1))).all())


def _check_tree_pivots(saved: Saved, integrator: Integrator, pivots: Array) -> None:
    factors = integrator.workspace.factors
    fine = factors is None or integers_fit(integrator.workspace.tree.blocks, factors, pivots)
    saved.check(fine, "'problem.tree_pivots' holds rows that are not there")


def _check_bounds(saved: Saved, key: str, values: Array, bounds: Mapping[int, tuple[int, int]]) -> None:
    for k, value in enumerate(values.tolist()):
        least, most = bounds[k]
        saved.check(least <= value <= most, f"{key}[{k}] is {value}, must lie between {least} and {most}")


def _check_numbers(saved: Saved, integrator: Integrator, numbers: Array) -> None:
    """All finite, but for the time of the next jump, which is that of the stop ahead."""
    left = integrator.problem.numbers[LATEST_TIME]
    saved.check(
        bool(numbers[LATEST_TIME] == left), f"problem.numbers[{LATEST_TIME}] is {numbers[LATEST_TIME]}, must be {left}"
    )
    check_finite(np.delete(numbers, LATEST_TIME), "problem.numbers", saved.path)


def _check_reals(
    saved: Saved,
    integrator: Integrator,
    reals: Array,
    pending: bool,
    span: tuple[float, float],
    stops: tuple[float, float],
) -> None:
    """Times between the stops, sizes of steps, constants of the method."""
    own, t = integrator.reals, float(reals[TIME])
    check_finite(np.delete(reals, LONGEST_STEP), "reals", saved.path)
    for k in (LONGEST_STEP, RTOL, NEWTON, END_TIME, BAUMGARTE, START_ORDER):
        saved.check(reals[k] == own[k], f"reals[{k}] is {reals[k]}, must be {own[k]}")
    saved.check(
        stops[0] <= t <= stops[1], f"reals[{TIME}], the time, is {t} s, not between {stops[0]} and {stops[1]} s"
    )
    before = float(reals[TIME_BEFORE])
    fine = span[0] <= before <= t and (before < t or not pending)
    saved.check(fine, f"reals[{TIME_BEFORE}], the beginning of the last step, is {before} s")
    saved.check(
        reals[ROW_STEP] == 0.0 or stops[0] <= reals[ROW_BEGIN] <= t,
        f"reals[{ROW_BEGIN}], the beginning of equal steps, is {reals[ROW_BEGIN]} s",
    )
    for k in (DRIFT, SLIP, ERROR, SHORT, ROW_STEP):
        saved.check(reals[k] >= 0.0, f"reals[{k}] is {reals[k]}, must not be negative")
    step, last = float(reals[STEP]), float(reals[LAST_STEP])
    saved.check(
        step > 0.0 and (integrator.control.fixed_step is None or step == integrator.control.fixed_step),
        f"reals[{STEP}], the step, is {step} s",
    )
    _check_cut(saved, reals, stops)
    saved.check(last > 0.0 or (last == 0.0 and not pending), f"reals[{LAST_STEP}], the last step, is {last} s")


def _check_cut(saved: Saved, reals: Array, stops: tuple[float, float]) -> None:
    """A fixed step that is cut: how, and between which times."""
    short, place = float(reals[SHORT]), float(reals[PLACE])
    saved.check(short == 0.0 or short in PARTS, f"reals[{SHORT}], the part of a step that is made, is {short}")
    saved.check(0.0 <= place <= 1.0, f"reals[{PLACE}], how much of a step is made, is {place}")
    if short == 0.0 or place == 1.0:
        return
    begin, end = float(reals[CUT_BEGIN]), float(reals[CUT_END])
    saved.check((place / short).is_integer(), f"reals[{PLACE}], how much of a step is made, is {place}")
    fine = stops[0] <= begin <= reals[TIME] < end <= stops[1]
    saved.check(bool(fine), f"reals[{CUT_BEGIN}] and [{CUT_END}], a step that is cut, are {begin} s and {end} s")


def _check_charts(saved: Saved, charts: Array) -> None:
    turns = charts[:, :9].reshape(-1, 3, 3)
    error = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0)
    saved.check(bool(error < TURNED), f"'problem.placement' is off a rotation by {error:.2g}")


def _unrecorded(array: Any) -> Array:
    """An array of records of floats as floats (k, m), sharing their memory; others as they are."""
    plain = np.asarray(array)
    return plain.view(np.float64).reshape(len(plain), plain.dtype.itemsize // 8) if plain.dtype.names else plain
