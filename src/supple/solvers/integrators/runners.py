"""Runners: the arrays and compiled loops of one family of methods, behind one small interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import ModelError, ShapeError
from supple.solvers.desk import RESIDUALS, TANGENTS, Desk, Office
from supple.solvers.integrators import explicit as _explicit
from supple.solvers.integrators import ndf as _ndf
from supple.solvers.integrators import one_step as _one_step
from supple.solvers.integrators.history import (
    DRIFT,
    EVERY,
    FAILED,
    H_MAX,
    HIGHEST,
    NEWTON,
    NEXT,
    PENDING,
    RECENTRED,
    RECORDED,
    REJECTED,
    RTOL,
    SLIP,
    STEPS,
    T_END,
    H,
    T,
)
from supple.solvers.integrators.methods import BDF2, DOP853, NDF, RK45, GeneralizedAlpha, ImplicitEuler, Method, Newmark

Array = np.ndarray

#: Rows that the compiled loop writes before Python takes them.
BUFFER = 512

#: Arrays of a desk that say what the problem is, not how far it has come.
CONSTANT = ("calls", "free", "fixed", "ops", "law_numbers", "targets", "tensions", "home", "charts", "load_states")


class Runner:
    """One run: start, advance, look back.

    Attributes
    ----------
    ints, reals : ndarray
        Scalars of the run, see `solvers.integrators.history`.
    times, rows : ndarray
        Buffer of what was recorded.
    """

    baumgarte = 0.0
    #: Whether inputs that jump at a sample need a new start; else error control sees them.
    restarts = True
    #: Orders that a run may have reached, and its step if that is fixed: checkpoints are held against them.
    orders = (0, 0)
    fixed: float | None = None

    def __init__(self, office: Office, method: Any, wanted: Array | None) -> None:
        self.office, self.desk, self.table = office, office.desk, office.table
        desk = self.desk
        self.n = len(desk.q)
        self.size = 4 * self.n + len(desk.multipliers) + len(desk.z)
        self.ints, self.reals = np.zeros(11, dtype=np.int64), np.zeros(12)
        self.ints[EVERY] = wanted is None
        self.wanted = np.zeros(0) if wanted is None else np.ascontiguousarray(wanted, dtype=float)
        self.times, self.rows = np.zeros(BUFFER), np.zeros((BUFFER, self.size))
        self.atol = _absolute(getattr(method, "atol", 1e-6), desk)
        self.reals[RTOL] = getattr(method, "rtol", 1e-4)
        self.reals[H_MAX] = getattr(method, "max_step", None) or np.inf
        self.first = getattr(method, "first_step", None) or 0.0

    def start(self, t: float, t_end: float, step: float | None = None) -> int:
        """Begin at the desk's q, v, z, with a first step of that size if known.  Returns DONE or a failure."""
        self.reals[T], self.reals[T_END], self.reals[H] = t, t_end, self.first if step is None else step
        self.ints[PENDING] = False
        return self._start()

    def _start(self) -> int:
        raise NotImplementedError

    def advance(self, budget: int) -> int:
        """At most ``budget`` steps."""
        raise NotImplementedError

    def now(self) -> Array:
        """The newest row, in the charts of the run."""
        raise NotImplementedError

    def look_back(self, t: float) -> Array:
        """Row at a time of the last step, in the model's charts."""
        raise NotImplementedError

    def take_over(self, other: Runner) -> None:
        """Go on counting where another run of the same robot ended."""
        counters = [NEXT, STEPS, REJECTED, FAILED, RECENTRED]
        self.ints[counters], self.reals[[DRIFT, SLIP]] = other.ints[counters], other.reals[[DRIFT, SLIP]]
        flags = [RESIDUALS, TANGENTS]
        self.desk.flags[flags] = other.desk.flags[flags]

    def take(self) -> tuple[Array, Array]:
        """What was recorded since last time."""
        count = int(self.ints[RECORDED])
        self.ints[RECORDED] = 0
        return self.times[:count].copy(), self.rows[:count].copy()

    def put_desk(self, row: Array) -> None:
        """q, v, z of the desk from a row in the charts of the run."""
        n, nc = self.n, len(self.desk.multipliers)
        self.desk.q[:], self.desk.v[:] = row[:n], row[n : 2 * n]
        self.desk.z[:] = row[3 * n + nc : self.size - n]

    def history(self) -> dict[str, Array]:
        """The method's own arrays."""
        raise NotImplementedError

    def arrays(self) -> dict[str, Array]:
        """Everything that a run consists of: to be saved and put back."""
        desk = {f"desk.{k}": getattr(self.desk, k) for k in Desk._fields if k not in CONSTANT}
        if not len(self.desk.charts):
            desk.pop("desk.placement")
        return {"ints": self.ints, "reals": self.reals, **desk, **self.history()}


class NDFRunner(Runner):
    """Variable step and order."""

    restarts = False

    def __init__(self, office: Office, method: NDF, wanted: Array | None) -> None:
        super().__init__(office, method, wanted)
        rtol = method.rtol
        self.ints[HIGHEST] = method.max_order
        self.orders = (1, int(method.max_order))
        self.reals[NEWTON] = max(10.0 * np.finfo(float).eps / rtol, min(0.03, rtol**0.5))
        self.D, self.d = np.zeros((_ndf.DIFFERENCES, self.size)), np.zeros(self.size)
        self.work = np.zeros((3, 8, 8))

    def _start(self) -> int:
        return int(_ndf.start_ndf(self.table, self.ints, self.reals, self.atol, self.D, self.baumgarte))

    def advance(self, budget: int) -> int:
        """At most ``budget`` steps."""
        run = self.table, self.ints, self.reals, self.atol, self.D, self.d, self.work
        return int(_ndf.advance_ndf(*run, self.wanted, self.times, self.rows, budget))

    def now(self) -> Array:
        """The newest row."""
        return np.array(self.D[0])

    def look_back(self, t: float) -> Array:
        """Row at a time of the last step."""
        row = np.zeros(self.size)
        _ndf.look_back_ndf(self.table, self.ints, self.reals, self.D, t, row)
        return row

    def history(self) -> dict[str, Array]:
        """Backward differences."""
        return {"D": self.D, "d": self.d}


class OneStepRunner(Runner):
    """Generalised-alpha, Newmark, implicit Euler, BDF2."""

    def __init__(self, office: Office, method: Any, wanted: Array | None) -> None:
        super().__init__(office, method, wanted)
        kind = {ImplicitEuler: _one_step.EULER, BDF2: _one_step.BDF2}.get(type(method), _one_step.ALPHA)
        coefficients = getattr(method, "coefficients", (0.0, 0.0, 0.25, 0.5))
        adaptive = method.dt is None
        newton = method.newton_rtol, method.newton_atol
        self.scheme = np.array([kind, *coefficients, adaptive, *newton], dtype=float)
        self.reals[NEWTON] = 0.01 if adaptive else 1.0
        if not adaptive:
            self.first = method.dt
            self.fixed = float(method.dt)
        self.points, self.instants = np.zeros((_one_step.POINTS, self.size)), np.zeros(_one_step.POINTS)
        self.A, self.rates = np.zeros(self.n), np.zeros(len(self.desk.z))
        self.row, self.stage = np.zeros(self.size), np.zeros(self.size)
        self.stack = np.zeros((_one_step.POINTS + 1, self.size))

    def _start(self) -> int:
        run = self.table, self.scheme, self.ints, self.reals, self.atol, self.points, self.instants, self.A, self.rates
        return int(_one_step.start_one_step(*run, self.baumgarte))

    def advance(self, budget: int) -> int:
        """At most ``budget`` steps."""
        run = self.table, self.scheme, self.ints, self.reals, self.atol, self.points, self.instants, self.A, self.rates
        scratch = self.row, self.stage, self.stack, self.wanted, self.times, self.rows
        return int(_one_step.advance_one_step(*run, *scratch, budget))

    def now(self) -> Array:
        """The newest row."""
        return np.array(self.points[0])

    def look_back(self, t: float) -> Array:
        """Row at a time of the last step."""
        row = np.zeros(self.size)
        _one_step.look_back_one_step(self.table, self.ints, self.points, self.instants, t, row)
        return row

    def history(self) -> dict[str, Array]:
        """Points behind."""
        return {"points": self.points, "instants": self.instants, "A": self.A, "rates": self.rates}


class ExplicitRunner(Runner):
    """Explicit Runge-Kutta pairs, with SciPy's tableaus."""

    def __init__(self, office: Office, method: RK45, wanted: Array | None) -> None:
        from scipy import integrate  # type: ignore[import-untyped]

        super().__init__(office, method, wanted)
        pair: Any = integrate.DOP853 if isinstance(method, DOP853) else integrate.RK45
        stages = pair.n_stages
        self.A, self.B, self.C = (np.array(x[:stages], dtype=float) for x in (pair.A, pair.B, pair.C))
        self.A = np.ascontiguousarray(self.A[:, :stages])
        self.E = np.array([pair.E5, pair.E3] if isinstance(method, DOP853) else [pair.E], dtype=float)
        self.order = float(pair.error_estimator_order)
        self.baumgarte = method.baumgarte
        self.K = np.zeros((stages + 1, 2 * self.n + len(self.desk.z)))
        self.points = np.zeros((3, self.size))

    def _start(self) -> int:
        run = self.table, self.ints, self.reals, self.atol, self.points, self.K
        return int(_explicit.start_explicit(*run, self.order, self.baumgarte))

    def advance(self, budget: int) -> int:
        """At most ``budget`` steps."""
        run = self.table, self.ints, self.reals, self.atol, self.points, self.K
        tableau = self.A, self.B, self.C, self.E, self.order, self.baumgarte
        return int(_explicit.advance_explicit(*run, *tableau, self.wanted, self.times, self.rows, budget))

    def now(self) -> Array:
        """The newest row."""
        return np.array(self.points[2 if self.ints[PENDING] else 0])

    def look_back(self, t: float) -> Array:
        """Row at a time of the last step, by quintics."""
        row = np.zeros(self.size)
        _explicit.look_back_explicit(self.table, self.reals, self.points, t, row)
        return row

    def history(self) -> dict[str, Array]:
        """Points and stages."""
        return {"points": self.points, "K": self.K}


def make_runner(office: Office, method: Method, wanted: Array | None) -> Runner:
    """The runner of a method."""
    if isinstance(method, NDF):
        return NDFRunner(office, method, wanted)
    if isinstance(method, (GeneralizedAlpha, Newmark, ImplicitEuler, BDF2)):
        return OneStepRunner(office, method, wanted)
    if isinstance(method, RK45):
        return ExplicitRunner(office, method, wanted)
    raise ModelError(f"method is {method!r}, must be one such as supple.NDF(), supple.GeneralizedAlpha(dt=1e-3)")


def _absolute(atol: Any, desk: Desk) -> Array:
    """Absolute tolerances of q, v and z, (2 n + nz,)."""
    n, nz = len(desk.q), len(desk.z)
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
