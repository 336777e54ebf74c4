"""What derivatives of a motion need to know of it, written down as the run goes: a tape.

A tape is a stream of numbers in *entries*, one behind the other, each with its length at both ends, so that it can be
read from both:

    [length, kind, t, h, six more numbers, (data), length].

Steps are written when they are accepted; what was tried and rejected leaves no trace.  A stage is told by the state at
which it was solved, from which all tangents can be had again:

    [time of the stage, number of its P, q, v, a, lambda, z],

where P (n, nc) are the directions of the stabilised form of loops (`solvers.problem`).  They change seldom, so they are
kept apart, and a stage names the one that it was solved with.

Nothing is written where the tape has no length.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.run import EQUAL, LAST_STEP, ORDER, TIME, TIME_BEFORE
from supple.solvers.problem import LATEST_TIME, STABILISED

#: Kinds of entries: a start, an accepted step, a chart that was re-centred, a row that was given out, feedback that was
#: sampled.
START, STEPPED, CHARTED, GIVEN, SAMPLED = 1, 2, 3, 4, 5

#: Families of schemes: how a step on a tape becomes a program (`solvers.sensitivity.plans`).
NDF_FAMILY, FORMULA_FAMILY, PAIR_FAMILY, RADAU_FAMILY = 0, 1, 2, 3

#: Numbers of an entry before its data: its length, its kind, a time, a step, five that depend on the kind, and the
#: latest time at which laws were taken.
LENGTH, KIND, AT_TIME, OF_STEP, FIRST, SECOND, THIRD, FOURTH, FIFTH, LATEST = range(10)
HEADER = 10
# START: h, whether the run begins anew (1) or goes on from where it was (0); then the state
# STEPPED by NDF: h, order, the step of the differences before; by a formula: h, its first stage, table of its
#   coefficients, ratio by which the lagged acceleration was scaled, whether it was set to the new one; by a pair: h;
#   then all stages
# CHARTED: time, h, joint, number of rows, how far the lagged acceleration lies ahead (formulas), order and step of the
#   differences before (NDF); then q, v, a of the joint in every row before, the old and the new chart (12 each)
# GIVEN: time, h, number of the row (-1: none of the results), end and begin of the step, order, whether it is a first
#   step; then q, v, a of every joint with a chart
# SAMPLED: time, number of the sample

#: Numbers of a stage before its state: its time, and the number of its P.
STAGE_HEADER = 2

#: Entries of `RunArrays.tape_counts`: numbers in use, where the open entry is written, room that a step may need, how
#: many P were kept, rows given out, whether to write down what `look_back` gives (1: as a row of results, 2: as none),
#: whether a start begins anew, the table of coefficients in use.
USED, WRITING, ROOM, KEPT, ROWS_GIVEN, NOTING, ANEW, TABLE = range(8)
COUNTS = 8

#: Most P that one step may bring.
MOST_DIRECTIONS = 9


@inner
def is_taping(run):
    """Whether anything is written."""
    return run.tape.shape[0] > 0


@inner
def is_full(run):
    """Whether the next entries may not find room."""
    counts = run.tape_counts
    if run.tape.shape[0] == 0:
        return False
    crowded = run.directions.shape[0] > 0 and counts[KEPT] + MOST_DIRECTIONS > run.directions.shape[0]
    return crowded or counts[USED] + counts[ROOM] > run.tape.shape[0]


@inner
def open_entry(problem, run, kind, t, h, first, second, third, fourth, fifth):
    """Begin an entry; nothing counts before `close_entry`."""
    if run.tape.shape[0] == 0:
        return
    at, tape = run.tape_counts[USED], run.tape
    tape[at + KIND], tape[at + AT_TIME], tape[at + OF_STEP] = kind, t, h
    tape[at + FIRST], tape[at + SECOND], tape[at + THIRD], tape[at + FOURTH] = first, second, third, fourth
    tape[at + FIFTH] = fifth
    tape[at + LATEST] = problem.numbers[LATEST_TIME]
    run.tape_counts[WRITING] = at + HEADER


@inner
def close_entry(run):
    """The open entry counts."""
    counts, tape = run.tape_counts, run.tape
    if tape.shape[0] == 0:
        return
    begin, end = counts[USED], counts[WRITING] + 1
    tape[begin], tape[end - 1] = end - begin, end - begin
    counts[USED] = end


@inner
def put(run, vector):
    """Numbers of the open entry."""
    at = run.tape_counts[WRITING]
    for i in range(vector.shape[0]):
        run.tape[at + i] = vector[i]
    run.tape_counts[WRITING] = at + vector.shape[0]


@inner
def put_stage(problem, run, t):
    """The stage at time t that was solved last, as part of the open entry."""
    if run.tape.shape[0] == 0:
        return
    at = run.tape_counts[WRITING]
    run.tape[at], run.tape[at + 1] = t, keep_directions(problem, run)
    run.tape_counts[WRITING] = at + STAGE_HEADER
    put(run, problem.q)
    put(run, problem.v)
    put(run, problem.a)
    put(run, problem.multipliers)
    put(run, problem.z)


@inner
def keep_directions(problem, run):
    """The number of P among those that are kept; -1 if there is none.  The last one is not kept twice."""
    if not problem.flags[STABILISED]:
        return -1
    counts, P = run.tape_counts, problem.P
    if counts[KEPT] > 0:
        last, same = run.directions[counts[KEPT] - 1], True
        for i in range(P.shape[0]):
            for k in range(P.shape[1]):
                same = same and last[i, k] == P[i, k]
        if same:
            return counts[KEPT] - 1
    for i in range(P.shape[0]):
        for k in range(P.shape[1]):
            run.directions[counts[KEPT], i, k] = P[i, k]
    counts[KEPT] += 1
    return counts[KEPT] - 1


@inner
def put_joints(problem, run, row):
    """q, v, a of every joint that may be re-centred, from a row in the charts of the run."""
    n = problem.q.shape[0]
    for i in range(problem.charts.shape[0]):
        put_joint(run, row, n, problem.charts[i, 1], problem.charts[i, 3])


@inner
def put_joint(run, row, n, start, size):
    """q, v, a of one joint."""
    for m in range(3):
        put(run, row[m * n + start : m * n + start + size])


@inner
def put_pose(run, pose):
    """R and p of a pose, 12 numbers."""
    at, tape = run.tape_counts[WRITING], run.tape
    for i in range(3):
        for j in range(3):
            tape[at + 3 * i + j] = pose.R[i, j]
        tape[at + 9 + i] = pose.p[i]
    run.tape_counts[WRITING] = at + 12


@inner
def note_given(problem, run, t, row):
    """A row (in the charts of the run) is given out for time t of the last step."""
    if run.tape.shape[0] == 0:
        return
    reals, counts, first = run.reals, run.tape_counts, run.ints[EQUAL] == 1
    number = -1 if counts[NOTING] == 2 else counts[ROWS_GIVEN]
    h, now, before = reals[LAST_STEP], reals[TIME], reals[TIME_BEFORE]
    open_entry(problem, run, GIVEN, t, h, number, now, before, run.ints[ORDER], 1.0 if first else 0.0)
    put_joints(problem, run, row)
    close_entry(run)
    if number >= 0:
        counts[ROWS_GIVEN] += 1
