"""Fixed steps that are cut where Newton's method fails: a rib buckles, a contact snaps.

A step is halved until its parts can be made, and filled with such parts, so that full steps go on where they would have
been: outputs that fall on steps still do.  Parts are powers of one half, and grow again where they fit.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.run import (
    CUT_BEGIN,
    CUT_END,
    PLACE,
    ROW_STEP,
    SHORT,
    STEP,
    TIME,
    end_of_step,
    whole_steps,
)

#: The least part of a fixed step.
SHORTEST = 1.0 / 1024.0
#: All parts that there are.
PARTS = tuple(0.5**k for k in range(1, 11))


@inner
def cut(reals, t):
    """part = part / 2 of the step that was to end at t, from part = 1.  Returns whether that may be tried."""
    if reals[SHORT] == 0.0:
        reals[SHORT], reals[PLACE], reals[CUT_BEGIN], reals[CUT_END] = 1.0, 0.0, reals[TIME], t
    if reals[SHORT] <= SHORTEST:
        return False
    reals[SHORT] *= 0.5
    return True


@inner
def cut_step(run):
    """h = part (end - begin), the length of the next part; of a new step, if the last one is filled."""
    reals = run.reals
    if reals[PLACE] == 1.0:
        reals[PLACE], reals[CUT_BEGIN] = 0.0, reals[TIME]
        reals[CUT_END] = end_of_step(run, whole_steps(reals, reals[STEP]))
    reals[ROW_STEP] = 0.0
    return reals[SHORT] * (reals[CUT_END] - reals[CUT_BEGIN])


@inner
def end_of_part(reals):
    """When the next part ends: t = begin + (place + part) (end - begin)."""
    place = reals[PLACE] + reals[SHORT]
    if place == 1.0:
        return reals[CUT_END]
    return reals[CUT_BEGIN] + place * (reals[CUT_END] - reals[CUT_BEGIN])


@inner
def lengthen(reals):
    """place = place + part; then part = 2 part where such parts fill the step, too; at last, steps are full."""
    reals[PLACE] += reals[SHORT]
    twice = 2.0 * reals[SHORT]
    if reals[PLACE] % twice == 0.0:
        reals[SHORT] = twice if twice < 1.0 else 0.0
