"""A recorded motion made again along its own steps, from another state or with other inputs.

The programs of a tape (`supple.solvers.sensitivity`) are run on the rows themselves instead of on their variations:
sums are sums, stages are solved by Newton's method with differences of their equations, charts are changed as the run
changed them.  What comes out is the motion that the derivatives of a tape are the derivatives of; without a change it
is the motion itself, which tests the programs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernel_entry import entry
from supple.core.arrays import handle
from supple.core.loops import CONSTRAINT_ROWS, constraint_rows
from supple.core.residual import RESIDUAL, residual
from supple.gradients.piece_sweep import PieceSweep
from supple.jit import inner
from supple.solvers.inputs import Excitation, tabulate
from supple.solvers.integrators.radau_tableau import NODES, RATES
from supple.solvers.integrators.tape import AT_TIME, CHARTED, FIRST, GIVEN, HEADER, KIND, SAMPLED, SECOND
from supple.solvers.motion.start import initial_state
from supple.solvers.problem import TO_INPUT, TO_MOTION, TO_SIGNAL, problem_at
from supple.solvers.sensitivity import program
from supple.solvers.sensitivity.arrays import (
    BEGIN,
    INSTRUCTIONS,
    LATEST_OF,
    OUT,
    P_OF,
    REGISTERS,
    STATE_AT,
    TIME_OF,
    sweep_at,
)
from supple.solvers.sensitivity.plans import plan
from supple.solvers.stage.charts import to_home

#: Newton steps of a stage end when they are this small beside what they change.
SMALL = 1e-13


@inner
def _plan_entry(problem_table, sweep_table, at):
    """The program of one entry; returns how many instructions it has."""
    sweep = sweep_at(sweep_table.ctypes.data)
    plan(problem_at(problem_table.ctypes.data), sweep, at)
    return sweep.counts[INSTRUCTIONS]


plan_entry = entry(_plan_entry)


class Replay:
    """A motion to be made again; factors of stages are kept from one run to the next.

    By another model of the same structure, if one is given: its charts are moved with the joints they are charts of.
    """

    def __init__(self, motion, model=None, kept=None):
        self.motion, self.model, self.tape = motion, model or motion.model, motion.tape
        self.kept = {} if kept is None else kept
        self.n, self.nc, self.nz = self.model.n, self.model.nc, motion.z.shape[1]

    def run(self, q0, v0, u=None, z0=None):
        """Rows (T, N) of results from this initial state and, if given, other inputs."""
        results = np.zeros((len(self.motion.t), 4 * self.n + self.nc + self.nz))
        first, state = self.tape.pieces[0].u, (q0, v0, self._first_states() if z0 is None else z0)
        switched = last = None
        for k, piece in enumerate(self.tape.pieces):
            new = piece
            if piece.u is first:
                new = replace(piece, u=first if u is None else u)
            if piece.jump is not None:
                state, switched = self._jump(piece.jump, last)
                if switched is not None and piece.u is not self.tape.pieces[k - 1].u:
                    new = replace(piece, u=switched)
            last = _PieceReplay(self, k, new, results).run(*state)
            self._move_moments(last, k)
        return results

    def _first_states(self):
        return Excitation(self.model, self.tape.pieces[0].u, self.tape.times, self.tape.pieces[0].hold).first_states

    def _jump(self, jump, last):
        """State (and numbers for inputs) behind a switch, taken back to the recorded time."""
        n, moment = self.n, jump.moment
        dt, row = last.event(moment)
        found = moment.event.action(moment.t + dt, row[:n].copy(), row[n : 2 * n].copy())
        q = row[:n] if found is None or found.q is None else found.q
        v = row[n : 2 * n] if found is None or found.v is None else found.v
        z = row[3 * n + self.nc : len(row) - n]
        self.shift, self.later = jump.rate * dt, dt
        return (q, v, z), None if found is None or found.u is None or callable(found.u) else found.u

    def _move_moments(self, last, k):
        for moment in self.tape.moments:
            if moment.number >= 0 and moment.number in last.numbers:
                last.results[moment.number] = last.event(moment)[1]


class _PieceReplay:
    def __init__(self, replay, k, piece, results):
        self.replay, self.k, self.results, self.piece = replay, k, results, piece
        self.model, self.tape = replay.model, replay.tape
        self.sweep = PieceSweep(self.model, replay.tape, piece, np.zeros((1, results.shape[1])))
        self.problem, self.excitation = self.sweep.problem, self.sweep.excitation
        self.registers = np.zeros((REGISTERS, self.sweep.arrays.registers.shape[1]))
        self.numbers, self.after = set(), {}
        self.problem.placement[:] = self.problem.home

    # ------------------------------------------------------------------ the run

    def run(self, q, v, z):
        n, nc = self.model.n, self.model.nc
        q, v = initial_state(self.model, q, v, self.piece.t)
        if self.piece.sample >= 0:  # asked where the event is now
            self._hold(self.piece.t + (self.replay.later if self.piece.jump is not None else 0.0), q, v)
        if self.piece.jump is not None:
            shift = np.split(self.replay.shift, [n, 2 * n])
            q, v, z = q - shift[0], v - shift[1], z - shift[2]
        begin = self.registers[BEGIN]
        begin[:n], begin[n : 2 * n], begin[3 * n + nc : 3 * n + nc + len(z)] = q, v, z
        for p, part in enumerate(self.piece.parts):
            self.sweep._enter(part)
            at = 0
            while at < len(part.numbers):
                self._entry(p, at, part.numbers)
                self.last = part, at
                at += int(part.numbers[at])
        return self

    def _hold(self, t, q, v):
        u = self.excitation.outputs(t, q, v, np.zeros(0))
        self.problem.inputs[np.isfinite(u)] = u[np.isfinite(u)]

    def _entry(self, p, at, tape):
        if tape[at + KIND] == SAMPLED:
            n = self.model.n
            self._hold(tape[at + AT_TIME], self.given[:n], self.given[n : 2 * n])
            return
        self._program(p, at)
        if tape[at + KIND] == CHARTED:
            joint, rows = int(tape[at + FIRST]), int(tape[at + SECOND])
            block = self.problem.charts[joint, 0]
            first = at + HEADER + rows * 3 * self.problem.charts[joint, 3] + 12
            self._place(block, tape[first : first + 12])
        if tape[at + KIND] == GIVEN:
            number = int(tape[at + FIRST])
            if number >= 0:
                self.results[number] = self.given
                self.numbers.add(number)

    def _place(self, block, pose):
        R, p = self._moved(block, pose)
        self.problem.placement[block]["R"], self.problem.placement[block]["p"] = R, p

    def _moved(self, block, pose):
        """A chart of the motion's model as one of this model."""
        R, p = pose[:9].reshape(3, 3), pose[9:]
        old, new = (model.parameters.placement[block] for model in (self.replay.motion.model, self.model))
        if old == new:
            return R, p
        turned = new["R"] @ old["R"].T
        return turned @ R, new["p"] + turned @ (p - old["p"])

    def _program(self, p, at):
        arrays = self.sweep.arrays
        for k in range(plan_entry(self.sweep.workspace.table, self.sweep.table, at)):
            code, a, b, c, d, e = arrays.codes[k]
            if code == program.COMBINE:
                s, w = arrays.factors[k]
                x, y = self._part(a, b), self._part(c, d)
                x[:] = (s * x if s else 0.0) + (w * y if w else 0.0)
            elif code == program.CARRY:
                self._carry(a, c, e)
            elif code == program.GIVE:
                self.given = self.registers[OUT, : self.results.shape[1]].copy()
            elif code == program.COUPLED:
                self._coupled((self.k, p, at, "coupled"), a, arrays.factors[k][1])
            else:
                self._stage((self.k, p, at, c), a, c, code == program.ACCELERATE)

    def _part(self, register, part):
        n, nc, nz = self.model.n, self.model.nc, self.replay.nz
        ends = np.cumsum([0, n, n, n, nc, nz, n, nz])
        return self.registers[register] if part == 7 else self.registers[register, ends[part] : ends[part + 1]]

    def _carry(self, register, joint, poses):
        """Another chart, by the way results are brought home: from the chart of one pose to that of another."""
        problem, kept = self.problem, self.problem.placement.copy()
        block, home = problem.charts[joint, 0], self.problem.placement.copy()
        if poses:
            tape = self.sweep.arrays.tape
            self._place(block, tape[poses : poses + 12])
            new = tape[poses + 12 : poses + 24]
            home[block]["R"], home[block]["p"] = self._moved(block, new)
        else:
            home[block] = problem.home[block]
        charts = problem.charts[joint : joint + 1].copy()
        moving = problem._replace(home=home, charts=charts)
        to_home(handle(moving), self.registers[register])
        problem.placement[:] = kept

    # ------------------------------------------------------------------ events

    def event(self, moment):
        """By how much the time of an event moves, and its row."""
        n, dt = self.model.n, 0.0
        part = self.piece.parts[-1].numbers
        for _ in range(30):
            row = self._row_at(moment.t + dt)
            value = moment.event.function(moment.t + dt, row[:n], row[n : 2 * n])
            beside = self._row_at(moment.t + dt + 1e-6)
            slope = (moment.event.function(moment.t + dt + 1e-6, beside[:n], beside[n : 2 * n]) - value) / 1e-6
            step = value / slope
            dt -= step
            if abs(step) < 1e-15:
                break
        assert len(part)
        return dt, self._row_at(moment.t + dt)

    def _row_at(self, t):
        """The row at another time of the last step: the last entry of the tape, which gives one out, asked again."""
        part, at = self.last
        numbers = part.numbers.copy()
        assert numbers[at + KIND] == GIVEN
        numbers[at + AT_TIME] = t
        kept = self.registers.copy(), self.given.copy()
        self.sweep._enter(part._replace(numbers=numbers))
        self._program(0, at)
        row = self.given.copy()
        self.registers[:], self.given = kept
        self.sweep._enter(part)
        return row

    # ------------------------------------------------------------------ stages

    def _drive(self, t):
        """Inputs, signals and prescribed motions."""
        problem, (values, targets) = self.problem, self.excitation.program()
        found, rates = np.zeros((1, values.rows)), np.zeros((2, values.rows))
        tabulate(values.ops, values.numbers, np.array([t]), rates, found)
        for i, (kind, k) in enumerate(targets):
            if kind == TO_INPUT:
                problem.inputs[k] = found[0, i]
            elif kind == TO_SIGNAL:
                problem.signals[k] = found[0, i]
            elif kind == TO_MOTION:
                problem.motion[:, k] = found[0, i], rates[0, i], rates[1, i]
        self.excitation._time_laws(problem, t)

    def _stage(self, key, register, s, accelerates):
        n, nc, problem = self.model.n, self.model.nc, self.problem
        stage = self.sweep.arrays.stages[s].copy()
        self._drive(min(stage[TIME_OF], stage[LATEST_OF]))
        state = self.sweep.arrays.tape[int(stage[STATE_AT]) :]
        nz = 0 if accelerates else self.replay.nz
        stabilised = bool(problem.flags[2]) and not accelerates
        begin, free, fixed = self.registers[BEGIN].copy(), problem.free, problem.fixed
        for m in range(3):
            begin[m * n + fixed] = problem.motion[m, fixed]
        if accelerates:
            begin[2 * n : 3 * n] = problem.motion[2]
        P = self.sweep.arrays.directions[int(stage[P_OF])] if stabilised else np.zeros((n, nc))
        sizes = [len(free), nc, nc if stabilised else 0, nz]
        guess = np.zeros(sum(sizes))
        unknown = free + 2 * n if accelerates else free
        guess[: len(free)] = state[unknown] - begin[unknown]
        guess[len(free) : len(free) + nc] = state[3 * n : 3 * n + nc]
        if nz:
            guess[-nz:] = state[3 * n + nc : 3 * n + nc + nz] - begin[3 * n + nc : 3 * n + nc + nz]
        equations = _Equations(self, stage, accelerates, begin, P, sizes)
        w = self._solve(key, equations, guess)
        equations(w)
        self._write(register, equations.rates)

    def _coupled(self, key, register, h):
        """Three stages of Radau IIA at once."""
        n, nc, problem, now = self.model.n, self.model.nc, self.problem, self.registers[0].copy()
        guess, stages = [], self.sweep.arrays.stages[:3].copy()
        nz, free, stabilised = self.replay.nz, problem.free, bool(problem.flags[2])
        sizes = [len(free), nc, nc if stabilised else 0, nz]
        for i in range(3):
            state = self.sweep.arrays.tape[int(stages[i, STATE_AT]) :]
            x = state[free] - now[free] - NODES[i] * h * now[n + free]
            z = state[3 * n + nc : 3 * n + nc + nz] - now[3 * n + nc : 3 * n + nc + nz]
            guess += [x, state[3 * n : 3 * n + nc], np.zeros(sizes[2]), z]
        P = self.sweep.arrays.directions[int(stages[0, P_OF])] if stabilised else np.zeros((n, nc))
        equations = _CoupledEquations(self, stages, now, P, sizes, h)
        w = self._solve(key, equations, np.concatenate(guess) / equations.units)
        for i in range(3):
            equations.at(i, w)
            self._write(register + i, equations.rates)

    def _write(self, register, rates):
        n, nc, problem = self.model.n, self.model.nc, self.problem
        row = self.registers[register]
        row[:n], row[n : 2 * n], row[2 * n : 3 * n] = problem.q, problem.v, problem.a
        row[3 * n : 3 * n + nc], row[3 * n + nc : 3 * n + nc + self.replay.nz] = problem.multipliers, problem.z
        row[3 * n + nc + self.replay.nz : 4 * n + nc + self.replay.nz] = problem.residual
        row[4 * n + nc + self.replay.nz :] = rates

    def _solve(self, key, equations, w):
        kept = self.replay.kept
        if key not in kept:
            for _ in range(2):
                columns = []
                base = equations(w)
                for j, h in enumerate(equations.steps(w)):
                    step = np.zeros(len(w))
                    step[j] = h
                    columns.append((equations(w + step) - equations(w - step)) / (2.0 * h))
                matrix = np.array(columns).T
                rows = 1.0 / np.abs(matrix).max(axis=1)
                kept[key] = np.linalg.inv(rows[:, None] * matrix), rows
                w = w - kept[key][0] @ (kept[key][1] * base)
        inverse, rows = kept[key]
        before = np.inf
        for _ in range(40):
            step = inverse @ (rows * equations(w))
            w = w - step
            size = np.abs(step / np.maximum(1e-3, np.abs(w))).max(initial=0.0)
            if size < SMALL or (size < 1e-9 and size >= 0.5 * before):
                break
            before = size
        return w


class _Equations:
    """The equations of a stage as a function of its unknowns."""

    def __init__(self, piece, stage, accelerates, begin, P, sizes):
        self.piece, self.problem, self.stage, self.accelerates = piece, piece.problem, stage, accelerates
        self.begin, self.P, self.ends = begin, P, np.cumsum(sizes)[:-1]

    def steps(self, w):
        """Those of differences by the unknowns."""
        return 1e-6 * np.maximum(1.0, np.abs(w))

    def __call__(self, w):
        piece, problem, stage = self.piece, self.problem, self.stage
        n, nc, nz = piece.model.n, piece.model.nc, piece.replay.nz
        free = problem.free
        x_free, lam, mu, xz = np.split(w, self.ends)
        x = np.zeros(n)
        x[free] = x_free
        q0, v0, a0 = self.begin[:n], self.begin[n : 2 * n], self.begin[2 * n : 3 * n]
        z0, r0 = self.begin[3 * n + nc : 3 * n + nc + nz], self.begin[4 * n + nc + nz :]
        if self.accelerates:
            problem.q[:], problem.v[:], problem.a[:], problem.z[:] = q0, v0, a0 + x, z0
        else:
            moved = x - (self.P @ mu if len(mu) else 0.0)
            problem.q[:], problem.v[:], problem.a[:] = q0 + x, v0 + stage[3] * moved, a0 + stage[4] * moved
            problem.z[:] = z0 + xz
        return self.rows(stage, lam, len(mu) > 0, None if self.accelerates or not nz else r0 + stage[5] * xz)

    def rows(self, stage, lam, stabilised, rates):
        """What must be zero at the state of the problem; ``rates`` are those of z by the formula."""
        piece, problem, free = self.piece, self.problem, self.problem.free
        workspace, nc, nz = piece.sweep.workspace, piece.model.nc, piece.replay.nz
        problem.multipliers[:] = lam
        t = min(stage[TIME_OF], stage[LATEST_OF])
        if problem.flags[0]:
            piece.excitation._follow(workspace, t)
        own = nz - len(problem.load_states)
        for k, (signal, _) in enumerate(problem.load_states):
            problem.signals[signal] = problem.z[own + k]
        residual(RESIDUAL.address, *workspace.handles, problem.q, problem.v, problem.a, problem.residual)
        for k, (_, signal) in enumerate(problem.load_states):
            problem.rates[own + k] = problem.signals[signal]
        parts = [problem.residual[free]]
        if nc:
            at = (*workspace.handles, problem.q, problem.v, problem.a)
            constraint_rows(CONSTRAINT_ROWS.address, *at, problem.vectors, problem.matrices)
            e, slip, rate = problem.vectors.copy()
            if self.accelerates:
                T = piece.sweep.arrays.baumgarte[0]
                parts.append(rate + (2.0 / T * slip + e / T**2 if T else 0.0))
            else:
                parts.append(e)
                if stabilised:
                    parts.append(slip)
        self.rates = problem.rates.copy()
        if rates is not None:
            self.rates = rates
            parts.append(self.rates - problem.rates)
        return np.concatenate(parts)


class _CoupledEquations(_Equations):
    """Those of three stages of Radau IIA, whose velocities and accelerations depend on all increments.

    Unknowns are increments in units of h^2 (positions, corrections) and h (internal states), so that accelerations are
    solved for to rounding however short a step is.
    """

    def __init__(self, piece, stages, now, P, sizes, h):
        super().__init__(piece, None, False, now, P, sizes)
        self.stages, self.h = stages, h
        self.units = np.tile(np.repeat([h * h, 1.0, h * h, h], sizes), 3)

    def steps(self, w):
        """Positions move by 1e-8 however short a step is: less would drown in their rounding."""
        return np.where(self.units < 1.0, 1e-8 / self.units, super().steps(w))

    def __call__(self, w):
        return np.concatenate([self.at(i, w) for i in range(3)])

    def at(self, i, w):
        piece, problem, now, h = self.piece, self.problem, self.begin, self.h
        n, nc, nz = piece.model.n, piece.model.nc, piece.replay.nz
        parts = [np.split(x, self.ends) for x in np.split(w * self.units, 3)]
        D, moved = np.zeros((3, n)), np.zeros((3, n))
        for j, (x, _, mu, _) in enumerate(parts):
            D[j, problem.free] = x
            moved[j] = D[j] - (self.P @ mu if len(mu) else 0.0)
        piece._drive(min(self.stages[i, TIME_OF], self.stages[i, LATEST_OF]))
        problem.q[:] = now[:n] + NODES[i] * h * now[n : 2 * n] + D[i]
        problem.v[:] = now[n : 2 * n] + RATES[i] @ moved / h
        problem.a[:] = RATES[i] @ RATES @ moved / h**2
        for state, motion in zip((problem.q, problem.v, problem.a), problem.motion, strict=True):
            state[problem.fixed] = motion[problem.fixed]
        problem.z[:] = now[3 * n + nc : 3 * n + nc + nz] + parts[i][3]
        rates = RATES[i] @ np.array([part[3] for part in parts]) / h if nz else None
        return self.rows(self.stages[i], parts[i][1], len(parts[i][2]) > 0, rates)
