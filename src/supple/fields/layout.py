"""Where the parts of a soft body's data are: what its compiled functions read.

Rows of the handle of data: whole numbers, masses of points (parts of the whole), then three programs
(`supple.tracing.program`): the material points, frames at stations, and the frame of the tip.
"""

from __future__ import annotations

from supple.fields.interpreter import PROGRAM_ROWS

#: Rows of the handle.
NUMBERS, MASSES, POINTS = 0, 1, 2
STATIONS, TIP = POINTS + PROGRAM_ROWS, POINTS + 2 * PROGRAM_ROWS
ROWS = POINTS + 3 * PROGRAM_ROWS

#: Entries of the whole numbers: frames at stations.
STATION_COUNT = 0

#: Points that are run side by side; their number is a multiple of it.
LANES = 16

#: Outputs of the program of a frame: its origin, then its rotation row by row.
FRAME_OUTPUTS = 12
