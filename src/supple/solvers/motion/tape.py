"""The tape of a motion, as Python keeps it: pieces between starts from new states, each in parts as it was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from supple.solvers.integrators.method import Method
from supple.solvers.integrators.run import RunArrays
from supple.solvers.integrators.tape import (
    AT_TIME,
    FIRST,
    GIVEN,
    HEADER,
    KEPT,
    KIND,
    LATEST,
    LENGTH,
    ROWS_GIVEN,
    SAMPLED,
    SECOND,
    STAGE_HEADER,
    THIRD,
    USED,
)
from supple.solvers.motion.events import Event, Switch
from supple.solvers.problem import LATEST_TIME, Problem

Array = np.ndarray

#: Numbers that the compiled loop writes before Python takes them, and P of loops.
BUFFER, DIRECTIONS = 1 << 16, 64
#: Most stages of one step, most rows of a scheme that are carried to a new chart.
STAGES, ROWS = 20, 8


class Part(NamedTuple):
    """A part of a tape."""

    numbers: Array  #: (L,) whole entries, see `solvers.integrators.tape`
    directions: Array  #: (k, n, nc) P of its stages


class Sample(NamedTuple):
    """Feedback that was sampled."""

    t: float  #: s
    u: Array  #: (nu,) inputs from then on
    q: Array  #: (n,) in the model's charts
    v: Array  #: (n,)


class Moment(NamedTuple):
    """Where an event stopped or switched a motion."""

    event: Event
    t: float  #: s
    row: Array  #: (N,) in the model's charts
    rate: Array  #: (N,) its rate along the motion before
    number: int  #: of the row of results that was recorded there; -1: none


class Jump(NamedTuple):
    """How a motion went on behind an event."""

    moment: Moment
    change: Switch
    rate: Array  #: (2 n + nz,) v, a, z' behind it


@dataclass
class Piece:
    """What was driven by the same inputs from one state on, without a jump of the state."""

    u: Any  #: inputs, as the user gave them
    hold: bool
    t: float  #: when it begins, s
    q: Array  #: (n,) the state it was asked to begin at, before loops and prescribed joints
    v: Array
    sample: int  #: number of the sample of feedback that was taken there; -1: none
    rested: bool = False  #: whether it was asked to begin at rest, wherever that is
    jump: Jump | None = None  #: the event behind which it begins
    parts: list[Part] = field(default_factory=list)
    pasts: list[tuple[float, ...]] = field(default_factory=list)  #: of tables of coefficients, see `Implicit.formula`
    charts: Array | None = None  #: poses of joints at its end


@dataclass
class Tape:
    """Everything that derivatives of a motion need besides its model."""

    method: Method
    times: Array | None  #: output times that the user gave
    sampled: bool  #: whether feedback was sampled
    pieces: list[Piece] = field(default_factory=list)
    held: list[Sample] = field(default_factory=list)  #: samples of feedback
    moments: list[Moment] = field(default_factory=list)  #: events at which rows were recorded

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return sum(part.numbers.size + part.directions.size for piece in self.pieces for part in piece.parts)

    def __repr__(self) -> str:
        return f"<Tape: {len(self.pieces)} pieces, {8e-6 * self.size:.1f} MB>"


def buffers(problem: Problem) -> tuple[int, int, int]:
    """Lengths of the buffers for a problem, and the room that a step may need."""
    n, nc, nz, charts = len(problem.q), len(problem.multipliers), len(problem.z), len(problem.charts)
    stage, joints = STAGE_HEADER + 3 * n + nc + nz, 18 * charts
    room = 8 * (HEADER + 1 + joints) + STAGES * stage + charts * (HEADER + 25 + 18 * ROWS)
    return max(BUFFER, 8 * room), DIRECTIONS if nc else 0, room


def take_part(run: RunArrays) -> Part | None:
    """What was written since last time; the last P stays, since the next stage may have it."""
    counts = run.tape_counts
    used, kept = int(counts[USED]), int(counts[KEPT])
    if not used:
        return None
    part = Part(run.tape[:used].copy(), run.directions[:kept].copy())
    counts[USED] = 0
    if kept > 1:
        run.directions[0] = run.directions[kept - 1]
        counts[KEPT] = 1
    return part


def note_newest(problem: Problem, run: RunArrays, t: float, row: Array, result: bool) -> None:
    """The newest row (in the charts of the run) is given out, as the next of the results or as none of them."""
    counts, joints = run.tape_counts, []
    n = len(problem.q)
    for _, start, _, size in problem.charts:
        joints += [row[m * n + start : m * n + start + size] for m in range(3)]
    number = int(counts[ROWS_GIVEN]) if result else -1
    header = {FIRST: number, SECOND: t, THIRD: t}
    _write(problem, run, GIVEN, t, header, np.concatenate([*joints, np.zeros(0)]))
    counts[ROWS_GIVEN] += result


def note_sample(problem: Problem, run: RunArrays, t: float, number: int) -> None:
    """Feedback was sampled."""
    _write(problem, run, SAMPLED, t, {FIRST: number}, np.zeros(0))


def _write(problem: Problem, run: RunArrays, kind: int, t: float, header: dict[int, float], data: Array) -> None:
    entry = np.zeros(HEADER + len(data) + 1)
    entry[KIND], entry[AT_TIME], entry[LATEST] = kind, t, problem.numbers[LATEST_TIME]
    for place, value in header.items():
        entry[place] = value
    entry[HEADER:-1] = data
    entry[LENGTH] = entry[-1] = len(entry)
    used = int(run.tape_counts[USED])
    run.tape[used : used + len(entry)] = entry
    run.tape_counts[USED] += len(entry)
