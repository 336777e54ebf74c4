"""Plans of users' kinematics, run on truncated Taylor series over many places at once.

A plan (`supple.tracing.plan`) is a list of instructions on registers.  A register holds a number y of each of ``lanes``
places side by side, with two time derivatives along (q, v, a): of a product and of a function phi,

    (u v)'' = u'' v + 2 u' v' + u v'',     phi(u)'' = phi'' u'^2 + phi' u''.

Slopes by coordinates, and the Hessian of a weighted sum of outputs, are results of instructions like any others.  So no
formula of a user's is ever differentiated by hand, and no plan is ever compiled.

A run: `start_run` for what all places share, `run_places` for each block of them.  For a Hessian, `clear_hessian`
before; after each block the weights of its outputs, and `pull_places`; `finish_hessian` at the end.
"""

from __future__ import annotations

from collections import namedtuple

from supple.core.arrays import floats, handle_at, integers, matrix_at
from supple.fields.functions import function_values
from supple.fields.rows import (
    add_row,
    add_scaled_row,
    clear_row,
    copy_row,
    function_rates,
    gather_row,
    join_rates,
    join_rows,
    join_steady_rates,
    multiply_rates,
    multiply_rows,
    offset_row,
    scale_row,
    scatter_row,
    set_rates,
    sum_rows,
)
from supple.jit import inlined, inner
from supple.tracing.plan import (
    BEYOND,
    ENDS,
    KEPT,
    PER_LANE,
    REGISTERS,
    SCRATCH,
    STATION_SUMS,
    STATIONS,
    SUMS,
    N,
)
from supple.tracing.schedule import (
    ACCUMULATE,
    ADD,
    ADD_STEADY,
    CALL,
    ENTRY,
    FETCH,
    FILL,
    GATHER,
    JOIN,
    JOIN_STEADY,
    KEEP,
    LOAD,
    LOAD_STATION,
    MULTIPLE,
    OFFSET,
    SCATTER,
    STATION_SUM,
    SUM_ALL,
    TIMES,
    TIMES_STEADY,
    WEIGHT,
)

#: A plan and the memory of a run, rows of lanes: ``registers`` (3 r, lanes), of register y the rows 3 y + (time
#: derivative); ``wide`` (r, 3 lanes) the same; ``scratch`` (4, lanes); ``weights`` (o, lanes) of outputs in a Hessian;
#: ``H`` (n n, lanes), entries i n + j, i <= j; ``sums`` over all places; ``kept`` (3 k, stations) and ``station_sums``
#: of stations.
Run = namedtuple(
    "Run",
    (
        "sizes", "code", "outputs", "station_of", "constants", "tables", "station_tables", "n", "lanes", "registers",
        "wide", "scratch", "weights", "H", "sums", "kept", "station_sums",
    ),
)  # fmt: skip

#: Arrays of a plan in a handle of data.
PLAN_ROWS = 7


@inlined
def run_at(data, rows, row, lanes, memory):
    """The plan in rows ``row`` and following of the handle of data at an address, with memory at another."""
    h = handle_at(data, rows)
    sizes, code, outputs = integers(h, row), integers(h, row + 1), integers(h, row + 2)
    station_of, constants, tables = integers(h, row + 3), floats(h, row + 4), floats(h, row + 5)
    station_tables = floats(h, row + 6)
    n, stations, line = sizes[0, N], sizes[0, STATIONS], 8 * lanes
    registers = matrix_at(memory, (3 * sizes[0, REGISTERS], lanes))
    wide = matrix_at(memory, (sizes[0, REGISTERS], 3 * lanes))
    memory += 3 * sizes[0, REGISTERS] * line
    scratch = matrix_at(memory, (SCRATCH, lanes))
    memory += SCRATCH * line
    weights = matrix_at(memory, (outputs.shape[0], lanes))
    memory += outputs.shape[0] * line
    H = matrix_at(memory, (n * n, lanes))
    memory += n * n * line
    sums = matrix_at(memory, (sizes[0, SUMS], lanes))
    memory += sizes[0, SUMS] * line
    kept = matrix_at(memory, (3 * sizes[0, KEPT], stations))
    station_sums = matrix_at(memory + 24 * sizes[0, KEPT] * stations, (sizes[0, STATION_SUMS], stations))
    return Run(
        sizes, code, outputs, station_of, constants, tables, station_tables, n, lanes, registers, wide, scratch,
        weights, H, sums, kept, station_sums,
    )  # fmt: skip


@inlined
def run_floats(run):
    """Floats of memory that a run takes."""
    return run.lanes * run.sizes[0, PER_LANE] + run.sizes[0, BEYOND]


@inner
def start_run(run, q, v, a, values, slopes):
    """All that does not depend on the place, or on the station alone.

    ``values`` and ``slopes`` are the highest time derivatives, 0 or 2, of values and of slopes; slopes -1: none.
    """
    for i in range(run.n):
        for k in range(run.lanes):
            run.registers[3 * i, k], run.registers[3 * i + 1, k], run.registers[3 * i + 2, k] = q[i], v[i], a[i]
    run_sections(run, 0, values, slopes, 0)
    for first in range(0, run.sizes[0, STATIONS], run.lanes):
        run_sections(run, 2, values, slopes, first)


@inner
def run_places(run, first, values, slopes):
    """Outputs and their slopes at the places from ``first`` on, as many as there are lanes."""
    run_sections(run, 4, values, slopes, first)


@inner
def run_sections(run, section, values, slopes, first):
    """A section of values and, unless ``slopes`` is -1, that of slopes behind it."""
    execute(run, section, values, first)
    if slopes >= 0:
        execute(run, section + 1, slopes, first)


@inlined
def value_row(run, i, m):
    """The row of registers with the m-th time derivative of output i."""
    return 3 * run.outputs[i, 0] + m


@inlined
def has_slope(run, i, j):
    """Whether output i follows coordinate j."""
    return run.outputs[i, 1 + j] >= 0


@inlined
def slope_row(run, i, j, m):
    """The row of registers with the m-th time derivative of the slope of output i by coordinate j."""
    return 3 * run.outputs[i, 1 + j] + m


@inner
def clear_hessian(run):
    """Before the first block of a Hessian."""
    for i in range(run.H.shape[0]):
        clear_row(run.H[i])
    for i in range(run.sums.shape[0]):
        clear_row(run.sums[i])
    for i in range(run.station_sums.shape[0]):
        clear_row(run.station_sums[i])


@inner
def pull_places(run, first):
    """What the places just run add to the Hessian of the sum of weights and outputs."""
    execute(run, 6, 0, first)


@inner
def finish_hessian(run):
    """After the last block: run.H, upper triangle, whose lanes are to be summed."""
    for first in range(0, run.sizes[0, STATIONS], run.lanes):
        execute(run, 7, 0, first)
    execute(run, 8, 0, 0)


@inner
def execute(run, section, order, first):
    """Instructions y = k a + l b, y = k c + l a b, y = a b, y = k a + l, y = phi(a) of a section, and moves of numbers.

    On time derivatives up to ``order``, (a b)'' = a'' b + 2 a' b' + a b'', at places (or stations) from ``first`` on.
    """
    code, x, wide, constants = run.code, run.registers, run.wide, run.constants
    width = 3 * run.lanes if order > 0 else run.lanes
    low = run.sizes[0, ENDS + section - 1] if section > 0 else 0
    for i in range(low, run.sizes[0, ENDS + section]):
        what, y, a, b = code[i, 0], code[i, 1], code[i, 2], code[i, 3]
        k, l = constants[0, code[i, 5]], constants[0, code[i, 6]]
        if what == ADD:
            sum_rows(k, wide[a, :width], l, wide[b, :width], wide[y, :width])
        elif what in (JOIN, JOIN_STEADY):
            y, a, b, c = 3 * y, 3 * a, 3 * b, 3 * code[i, 4]
            join_rows(k, x[c], l, x[a], x[b], x[y])
            if order > 0 and what == JOIN:
                join_rates(
                    k, x[c + 1], x[c + 2], l, x[a], x[a + 1], x[a + 2], x[b], x[b + 1], x[b + 2], x[y + 1], x[y + 2]
                )
            elif order > 0:
                join_steady_rates(k, x[c + 1], x[c + 2], l, x[a + 1], x[a + 2], x[b], x[y + 1], x[y + 2])
        elif what in (TIMES, TIMES_STEADY):
            y, a, b = 3 * y, 3 * a, 3 * b
            multiply_rows(x[a], x[b], x[y])
            if order > 0 and what == TIMES:
                set_rates(x[a], x[a + 1], x[a + 2], x[b], x[b + 1], x[b + 2], x[y + 1], x[y + 2])
            elif order > 0:
                multiply_rates(x[a + 1], x[a + 2], x[b], x[y + 1], x[y + 2])
        elif what <= MULTIPLE:
            scale_row(k, wide[a, :width], wide[y, :width])
            if what == ADD_STEADY:
                add_scaled_row(l, x[3 * b], x[3 * y])
            elif what == OFFSET:
                offset_row(l, x[3 * y])
        elif what == CALL:
            call_function(run, i, order)
        else:
            move_numbers(run, i, order, first)


@inner
def call_function(run, i, order):
    """y = phi(u), and phi'(u), phi''(u) where they are needed, with y' = phi' u' and y'' = phi' u'' + phi'' u'^2."""
    code, x = run.code, run.registers
    a, phi, phi1, phi2, phi3 = 3 * code[i, 2], run.scratch[0], run.scratch[1], run.scratch[2], run.scratch[3]
    function_values(code[i, 7], run.constants[0, code[i, 5]], run.lanes, x[a], phi, phi1, phi2, phi3)
    if code[i, 1] >= 0:
        y = 3 * code[i, 1]
        copy_row(phi, x[y])
        if order > 0:
            function_rates(phi1, phi2, x[a + 1], x[a + 2], x[y + 1], x[y + 2])
    if code[i, 3] >= 0:
        y = 3 * code[i, 3]
        copy_row(phi1, x[y])
        if order > 0:
            function_rates(phi2, phi3, x[a + 1], x[a + 2], x[y + 1], x[y + 2])
    if code[i, 4] >= 0:
        copy_row(phi2, x[3 * code[i, 4]])


@inner
def move_numbers(run, i, order, first):
    """Numbers between registers and arrays."""
    x, what, y, a, last = run.registers, run.code[i, 0], 3 * run.code[i, 1], run.code[i, 2], first + run.lanes
    number = run.code[i, 7]
    if what == LOAD:
        copy_row(run.tables[a, first:last], x[y])
    elif what == LOAD_STATION:
        copy_row(run.station_tables[a, first:last], x[y])
    elif what == FILL:
        for k in range(run.lanes):
            x[y, k] = run.constants[0, a]
    elif what == GATHER:
        for m in range(order + 1):
            gather_row(run.kept[3 * a + m], run.station_of[0, first:last], x[y + m])
    elif what == FETCH:
        copy_row(run.kept[3 * a, first:last], x[y])
    elif what == KEEP:
        for m in range(order + 1):
            copy_row(x[3 * a + m], run.kept[3 * number + m, first:last])
    elif what == WEIGHT:
        copy_row(run.weights[a], x[y])
    elif what == SCATTER:
        scatter_row(x[3 * a], run.station_of[0, first:last], run.station_sums[number])
    elif what == STATION_SUM:
        copy_row(run.station_sums[a, first:last], x[y])
    elif what == ACCUMULATE:
        add_row(x[3 * a], run.sums[number])
    elif what == SUM_ALL:
        copy_row(run.sums[a], x[y])
    elif what == ENTRY:
        copy_row(x[3 * a], run.H[number])
    if what <= FILL and order > 0:  # steady
        clear_row(x[y + 1])
        clear_row(x[y + 2])
