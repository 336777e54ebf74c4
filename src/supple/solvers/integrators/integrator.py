"""The driver of all schemes, as a simulation sees it: one run of a method on a problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.compilation.law_program import Program
from supple.core.arrays import handle
from supple.errors import ShapeError
from supple.solvers.integrators import driver
from supple.solvers.integrators.method import Method
from supple.solvers.integrators.reuse import BUFFERS, LARGEST, Beginning, Form, arrays_of
from supple.solvers.integrators.run import (
    BAUMGARTE,
    DRIFT,
    END_TIME,
    EVERY,
    FAILED,
    HIGHEST,
    LONGEST_STEP,
    NEW_COEFFICIENTS,
    NEWTON,
    NEXT,
    PENDING,
    RECENTRED,
    RECORDED,
    REJECTED,
    RTOL,
    SLIP,
    START_ORDER,
    STEP,
    STEPS,
    TIME,
    make_run,
    with_times,
)
from supple.solvers.integrators.tape import ANEW, NOTING, ROOM, ROWS_GIVEN, TABLE
from supple.solvers.problem import DOUBTS, RESIDUALS, TANGENTS, Problem, SolverWorkspace, with_laws
from supple.solvers.stage.calls import put_addresses

Array = np.ndarray

#: Arrays of a problem that say what it is, not how far it has come.
CONSTANT = (
    *("calls", "free", "fixed", "fields", "ops", "law_numbers", "targets", "tensions", "home", "charts"),
    *("turning", "load_states"),
)


class Integrator:
    """One run: start, advance, look back.

    Attributes
    ----------
    ints, reals : ndarray
        Scalars of the run, see `solvers.integrators.run`.
    size : int
        Entries of a row.
    """

    def __init__(
        self,
        workspace: SolverWorkspace,
        method: Method,
        wanted: Array | None,
        buffers: tuple[int, int, int] = (0, 0, 0),
        form: Form | None = None,
    ) -> None:
        self.workspace, self.problem, self.method = workspace, workspace.problem, method
        problem, self.control = self.problem, method.control
        self.n = len(problem.q)
        self.run = make_run(self.n, len(problem.multipliers), len(problem.z), wanted, *buffers[:2])
        self.run.tape_counts[ROOM] = buffers[2]
        self.pasts: list[tuple[float, ...]] = []  #: of tables of coefficients, in the order in which they came
        self.ints, self.reals, self.wanted = self.run.ints, self.run.reals, self.run.wanted
        self.size = self.run.rows.shape[1]
        self.run.atol[:] = _absolute(self.control.atol, problem)
        self.reals[RTOL], self.reals[NEWTON] = self.control.rtol, self.control.newton
        self.reals[LONGEST_STEP] = self.control.max_step or np.inf
        self.reals[BAUMGARTE], self.reals[START_ORDER] = self.control.baumgarte, self.control.start_order
        self.ints[HIGHEST] = self.control.orders[1]
        self.own = method.own_arrays(problem, self.size)
        put_addresses(problem.calls, method.kernels.stages)
        if len(self.run.tape):
            self.pasts.append(method.past(self.own))
        self._tables = method.kernels.parts.address, workspace.table, handle(self.run), handle(self.own)
        self.form, self._given_times = form, wanted
        self.budget = 0  #: steps between the last two looks of a run; 0 before the first
        #: what the arrays begin with, if they are to be taken again
        self.beginning = None if form is None else self._beginning()

    def _beginning(self) -> Beginning | None:
        """What the arrays hold now; None if they are too large to be kept."""
        run = [array for name, array in self.run._asdict().items() if name not in BUFFERS]
        arrays = [*arrays_of(self.workspace), *run, *self.own]
        size = sum(array.nbytes for array in (*arrays, self.run.rows, self.run.tape, self.run.directions))
        return Beginning(arrays) if size <= LARGEST else None

    def begin_anew(self, program: Program, targets: Array, wanted: Array | None) -> None:
        """Make the arrays as they were at first, for a run with other laws and other output times."""
        assert self.beginning is not None
        self.beginning.restore()
        self.workspace = with_laws(self.workspace, program, targets)
        self.problem = self.workspace.problem
        if wanted is not self._given_times:
            self.run, self._given_times = with_times(self.run, self._tables[2], wanted), wanted
        self.ints[EVERY] = wanted is None
        self.wanted = self.run.wanted
        self.pasts = [self.method.past(self.own)] if len(self.run.tape) else []

    def start(self, t: float, t_end: float, step: float | None = None, anew: bool = False) -> int:
        """Begin at the problem's q, v, z, with a first step of that size if known.  Returns DONE or a failure.

        ``anew``: this state does not follow from what the run has done so far.
        """
        self.run.tape_counts[ANEW] = anew
        first = self.control.fixed_step or self.control.first_step or 0.0
        self.reals[TIME], self.reals[END_TIME], self.reals[STEP] = t, t_end, first if step is None else step
        self.ints[PENDING] = False
        return int(driver.start(*self._tables))

    def advance(self, budget: int) -> int:
        """At most ``budget`` steps.  Returns DONE, PAUSED, FULL or a failure."""
        last = int(self.ints[STEPS]) + budget
        while True:
            code = int(driver.advance(*self._tables, last - int(self.ints[STEPS])))
            if code != NEW_COEFFICIENTS:
                return code
            self.method.renew(self.own)
            if len(self.run.tape):
                self.run.tape_counts[TABLE] = len(self.pasts)
                self.pasts.append(self.method.past(self.own))

    def now(self) -> Array:
        """The newest row, in the charts of the run."""
        return np.array(self.method.newest(self.own, bool(self.ints[PENDING])))

    def look_back(self, t: float, note: int = 0) -> Array:
        """Row at a time of the last step, in the model's charts.

        ``note``: 1 to write it down as the next row of results, 2 as a row that is none (`solvers.integrators.tape`).
        """
        row = np.zeros(self.size)
        self.run.tape_counts[NOTING] = note
        driver.look_back(*self._tables, t, row)
        self.run.tape_counts[NOTING] = 0
        return row

    def take_over(self, other: Integrator) -> None:
        """Go on counting where another run of the same robot ended."""
        counters = [NEXT, STEPS, REJECTED, FAILED, RECENTRED]
        self.ints[counters], self.reals[[DRIFT, SLIP]] = other.ints[counters], other.reals[[DRIFT, SLIP]]
        flags = [RESIDUALS, TANGENTS, DOUBTS]
        self.problem.flags[flags] = other.problem.flags[flags]
        self.run.tape_counts[ROWS_GIVEN] = other.run.tape_counts[ROWS_GIVEN]

    def take(self) -> tuple[Array, Array]:
        """Times and rows that were recorded since last time, valid until the next steps are made."""
        count = int(self.ints[RECORDED])
        self.ints[RECORDED] = 0
        return self.run.times[:count], self.run.rows[:count]

    def put_state(self, row: Array) -> None:
        """q, v, z of the problem from a row in the charts of the run."""
        n, nc = self.n, len(self.problem.multipliers)
        self.problem.q[:], self.problem.v[:] = row[:n], row[n : 2 * n]
        self.problem.z[:] = row[3 * n + nc : self.size - n]

    def arrays(self) -> dict[str, Array]:
        """Everything that says how far a run has come: to be saved and put back."""
        problem = {f"problem.{k}": getattr(self.problem, k) for k in Problem._fields if k not in CONSTANT}
        if not len(self.problem.charts):
            problem.pop("problem.placement")
        own = {key: getattr(self.own, key) for key in self.method.saved}
        return {"ints": self.ints, "reals": self.reals, **problem, **own}


def _absolute(atol: ArrayLike, problem: Problem) -> Array:
    """Absolute tolerances of q, v and z, (2 n + nz,)."""
    n, nz = len(problem.q), len(problem.z)
    given = np.asarray(atol, dtype=float)
    full = np.full(2 * n + nz, given.min() if given.size else 1e-6)
    if given.shape == ():
        full[:] = given
    elif given.shape == (n,):
        full[:n], full[n : 2 * n] = given, given
    elif given.shape in ((2 * n,), (2 * n + nz,)):
        full[: len(given)] = given
    else:
        raise ShapeError(f"atol has shape {given.shape}, must be a number, ({n},) or ({2 * n},)")
    return full
