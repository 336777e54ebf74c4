"""The arrays of one run that all schemes share, and what their entries mean to compiled code."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import handle
from supple.core.views import View, array_of, viewing
from supple.jit import inner
from supple.solvers.rounding import NOTHING, ROUNDED_TIME, SAME_STEP, SAME_TIME

#: Entries of a run's integers.
ORDER, EQUAL, STEPS, REJECTED, FAILED, NEXT, RECORDED, EVERY, RECENTRED, PENDING, HIGHEST, IN_ROW = range(12)
#: And: whether Newton's method begins on a parabola (`solvers.integrators.guesses`).
ON_PARABOLA = 12
# EQUAL: steps since a start (or since the step changed); EVERY: whether every step is recorded, or the wanted times;
# NEXT: the next wanted time; RECORDED: rows in use; PENDING: a step was made that is not yet written down;
# HIGHEST: order that is not exceeded; IN_ROW: steps of the same length since ROW_BEGIN (`end_of_step`)

#: Entries of a run's floats.
TIME, STEP, END_TIME, LONGEST_STEP, RTOL, NEWTON, LAST_STEP, TIME_BEFORE, DRIFT, SLIP, ERROR, SHORT = range(12)
# STEP: to be tried next; NEWTON: size of Newton's last step; TIME_BEFORE: begin of the last step; DRIFT, SLIP: largest
# errors of loops; ERROR: of the last step; SHORT: the part of a fixed step that is made at once, 0 if it is not cut

#: Constants of a method, in the same array.
BAUMGARTE, START_ORDER = 12, 13

#: Of steps of the same length in a row: when the first began, s, and their length; 0 between rows.
ROW_BEGIN, ROW_STEP = 14, 15

#: Of a fixed step that is cut: which part of it is made, when it began and when it will end, s.
PLACE, CUT_BEGIN, CUT_END = 16, 17, 18

#: How many integers and floats they are.
INTS, REALS = 13, 19

#: What came of an advance; failures are 10 and the status of the stage.
DONE, PAUSED, FULL, TOO_SMALL, NEW_COEFFICIENTS = 0, 1, 2, 3, 4
FAILURE = 10

#: Part of a step by which the last one may be longer than the others.
SPARE = 1e-6

#: Rows that the compiled loop writes before Python takes them.
BUFFER = 512
#: Rows of scratch: the first step needs three.
SCRATCH = 5


class RunArrays(NamedTuple):
    """Arrays of one run; N = 4 n + nc + nz entries of a row [q, v, a, lambda, z, R]."""

    ints: Any  #: (INTS,) int64, see above
    reals: Any  #: (REALS,), see above
    atol: Any  #: (2 n + nz,) absolute tolerances of q, v, z
    wanted: Any  #: (T,) times to be recorded, s
    times: Any  #: (BUFFER,) of what was recorded
    rows: Any  #: (BUFFER, N)
    scratch: Any  #: (SCRATCH, N), valid within a step
    tape: Any  #: what derivatives need (`solvers.integrators.tape`); of length 0 if nobody asked for it
    tape_counts: Any  #: (8,) int64
    directions: Any  #: (k, n, nc) P of loops that stages on the tape were solved with


_TYPES = {"ints": array_of(np.int64, 1), "rows": array_of(np.float64, 2), "scratch": array_of(np.float64, 2)}
_TYPES |= {"tape_counts": array_of(np.int64, 1), "directions": array_of(np.float64, 3)}

#: A run inside compiled code: ``run_at(table.ctypes.data)``.
run_at = viewing(View("run", {name: _TYPES.get(name, array_of(np.float64, 1)) for name in RunArrays._fields}))


def make_run(n: int, nc: int, nz: int, wanted: np.ndarray | None, tape: int = 0, directions: int = 0) -> RunArrays:
    """Arrays for a robot of n coordinates, nc loop rows and nz internal states; every step is recorded without times.

    ``tape`` and ``directions`` are lengths of buffers for what derivatives need.
    """
    size = 4 * n + nc + nz
    ints = np.zeros(INTS, dtype=np.int64)
    ints[EVERY] = wanted is None
    return RunArrays(
        ints=ints,
        reals=np.zeros(REALS),
        atol=np.zeros(2 * n + nz),
        wanted=np.zeros(0) if wanted is None else np.ascontiguousarray(wanted, dtype=float),
        times=np.zeros(BUFFER),
        rows=np.zeros((BUFFER, size)),
        scratch=np.zeros((SCRATCH, size)),
        tape=np.zeros(tape),
        tape_counts=np.zeros(8, dtype=np.int64),
        directions=np.zeros((directions, n, nc)),
    )


def with_times(run: RunArrays, table: np.ndarray, wanted: np.ndarray | None) -> RunArrays:
    """The same arrays with other times to be recorded; compiled code sees these in ``table`` from now on."""
    times = np.zeros(0) if wanted is None else np.ascontiguousarray(wanted, dtype=float)
    table[RunArrays._fields.index("wanted")] = handle((times,))[0]
    return run._replace(wanted=times)


@inner
def shortest_step(reals):
    """h = eps |t|, s: by shorter steps the time hardly changes."""
    return ROUNDED_TIME * max(abs(reals[TIME]), abs(reals[END_TIME])) + NOTHING


@inner
def is_lost(reals):
    """Whether h < eps |t|: the step has become so short that the time hardly changes."""
    return reals[STEP] < shortest_step(reals)


@inner
def reaches(h, left):
    """Whether h >= left, but for rounding: a step of h reaches the end of what is left."""
    return h >= left * (1.0 - SAME_STEP)


@inner
def full_or_half(left, h):
    """left, if h reaches it; left / 2, if h > left / 2; else h: two equal steps rather than a long and a tiny one."""
    if reaches(h, left):
        return left
    return min(h, 0.5 * left) if h > 0.5 * left else h


@inner
def whole_steps(reals, h):
    """A step of about h such that whole steps reach the end; the last one again if only rounding changed it."""
    end, last = reals[END_TIME], reals[LAST_STEP]
    left = end - reals[TIME]
    count = max(1.0, math.ceil(left / h - SPARE))
    h = left / count
    return last if abs(h - last) <= SAME_STEP * h + SAME_TIME * abs(end) / count else h


@inner
def end_of_step(run, h):
    """When a step of length h ends: at the end itself, if only rounding would keep it from there.

    Steps of the same length are counted from the first of them on: a sum of a million steps would drift.
    """
    ints, reals = run.ints, run.reals
    left = reals[END_TIME] - reals[TIME]
    if abs(h - left) <= SPARE * h:
        return reals[END_TIME]
    if h != reals[ROW_STEP]:
        reals[ROW_BEGIN], reals[ROW_STEP], ints[IN_ROW] = reals[TIME], h, 0
    return reals[ROW_BEGIN] + (ints[IN_ROW] + 1) * h


@inner
def count_step(run, t):
    """A step that `end_of_step` let end at t was accepted; at the end, the next row begins."""
    if t == run.reals[END_TIME]:
        run.reals[ROW_STEP] = 0.0
    run.ints[IN_ROW] += 1
