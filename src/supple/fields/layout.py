"""Where the parts of a soft body's data are: what its compiled functions read.

Rows of the handle of data: whole numbers, masses of points (parts of the whole), then three plans
(`supple.tracing.plan`): the material points, frames at stations, and the frame of the tip.

Data may also stand for how a body follows a parameter.  Its plans then have one coordinate more, along which numbers of
the kinematics change (`supple.tracing.program.moving`), masses have a second row, how they change, and what the
functions write are derivatives by it: exact, and of the size of the things themselves.
"""

from __future__ import annotations

from supple.fields.interpreter import PLAN_ROWS

#: Rows of the handle.
NUMBERS, MASSES, POINTS = 0, 1, 2
STATIONS, TIP = POINTS + PLAN_ROWS, POINTS + 2 * PLAN_ROWS
ROWS = POINTS + 3 * PLAN_ROWS

#: Entries of the whole numbers: frames at stations; what the functions write.
STATION_COUNT, KIND = 0, 1
#: The body; its derivative by a parameter; zeros.
ITSELF, SLOPE, NOTHING = 0, 1, 2

#: Points that are run side by side; their number is a multiple of it.  More would spare instructions, but fall out of
#: the cache, and be filled up in vain where a body has few points.
LANES = 32
#: The same of functionals, many of which (tendons) have few points.
FUNCTIONAL_LANES = 16

#: Outputs of the plan of a frame: its origin, then its rotation row by row.
FRAME_OUTPUTS = 12
