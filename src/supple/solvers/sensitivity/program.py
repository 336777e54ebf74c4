"""Programs over registers: what a scheme does between and around stages, as instructions that run in both directions.

| code | forward, on variations | backward, on cotangents |
|---|---|---|
| COMBINE | x <- s x + w y, for parts x, y of registers | y <- y + w x, then x <- s x |
| SOLVE, ACCELERATE | END <- derivative of a stage at BEGIN | BEGIN <- its transpose at END |
| COUPLED | three registers <- derivative of three stages that are solved together | its transpose |
| CARRY | q, v, a of a joint <- J (q, v, a), its move to another chart | J^T |
| GIVE | a row is given out: taken from OUT | its cotangent is put into OUT |

Backward, a program is run from its end.  What is written first is always written with s = 0, so that nothing is left
over from the program before.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.sensitivity.arrays import ALL, BEGIN, INSTRUCTIONS, RATE, STAGES_OF, Q, R, V, Z

#: Codes of instructions.
COMBINE, SOLVE, ACCELERATE, CARRY, GIVE, COUPLED = 0, 1, 2, 3, 4, 5

# Columns of `SweepArrays.codes`: code, then
# COMBINE: register and part that are written, register and part that are read
# SOLVE, ACCELERATE: register that is written, 0, number of the stage
# CARRY: register, 0, joint, where its q, v, a stand on the tape, where the relative poses stand (0: home)
# GIVE: number of the row
# COUPLED: register of the first of three stages, which begin at register 0; its second factor is the step


@inner
def add_instruction(sweep, code, a, b, c, d, e, s, w):
    """The next instruction of the program."""
    k = sweep.counts[INSTRUCTIONS]
    codes, factors = sweep.codes[k], sweep.factors[k]
    codes[0], codes[1], codes[2], codes[3], codes[4], codes[5] = code, a, b, c, d, e
    factors[0], factors[1] = s, w
    sweep.counts[INSTRUCTIONS] = k + 1


@inner
def set_part(sweep, x, part_x, w, y, part_y):
    """x = w y."""
    add_instruction(sweep, COMBINE, x, part_x, y, part_y, 0, 0.0, w)


@inner
def add_part(sweep, x, part_x, w, y, part_y):
    """x += w y."""
    if w != 0.0:
        add_instruction(sweep, COMBINE, x, part_x, y, part_y, 0, 1.0, w)


@inner
def scale_part(sweep, x, part, s, w, y, part_y):
    """x = s x + w y."""
    add_instruction(sweep, COMBINE, x, part, y, part_y, 0, s, w)


@inner
def set_row(sweep, x, w, y):
    """x = w y, for whole registers."""
    set_part(sweep, x, ALL, w, y, ALL)


@inner
def add_row(sweep, x, w, y):
    """x += w y, for whole registers."""
    add_part(sweep, x, ALL, w, y, ALL)


@inner
def clear_begin(sweep):
    """A stage begins at zero, to which sums are added."""
    set_row(sweep, BEGIN, 0.0, 0)


@inner
def solve_into(sweep, register, code):
    """The stage that was told last is solved; its row becomes a register."""
    add_instruction(sweep, code, register, 0, sweep.counts[STAGES_OF] - 1, 0, 0, 0.0, 0.0)


@inner
def span_of(problem, part):
    """First entry and length of a part of a register."""
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    if part < 3:
        return part * n, n
    if part == ALL:
        return 0, 4 * n + nc + 2 * nz
    if part == Z:
        return 3 * n + nc, nz
    if part == R:
        return 3 * n + nc + nz, n
    if part == RATE:
        return 4 * n + nc + nz, nz
    return 3 * n, nc


@inner
def combine(problem, sweep, k, backward):
    """x = s x + w y, forward; backward y += w x, then x = s x: run one COMBINE."""
    codes, s, w = sweep.codes[k], sweep.factors[k, 0], sweep.factors[k, 1]
    first_x, count = span_of(problem, codes[2])
    first_y, _ = span_of(problem, codes[4])
    x = sweep.registers[codes[1], first_x : first_x + count]
    y = sweep.registers[codes[3], first_y : first_y + count]
    if backward:
        if w != 0.0:
            for i in range(count):
                y[i] += w * x[i]
        if s != 1.0:
            for i in range(count):
                x[i] *= s
        return
    if s == 0.0:
        for i in range(count):
            x[i] = 0.0
    elif s != 1.0:
        for i in range(count):
            x[i] *= s
    if w != 0.0:
        for i in range(count):
            x[i] += w * y[i]


@inner
def begin_from(sweep, register):
    """A stage of accelerations begins at q, v, z of a register."""
    clear_begin(sweep)
    add_part(sweep, BEGIN, Q, 1.0, register, Q)
    add_part(sweep, BEGIN, V, 1.0, register, V)
    add_part(sweep, BEGIN, Z, 1.0, register, Z)
