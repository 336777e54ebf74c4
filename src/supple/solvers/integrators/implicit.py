"""Bases of implicit schemes that are a `Formula`: what users may choose, and how a scheme becomes arrays."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from supple.errors import ModelError, unwarned
from supple.solvers.integrators import implicit_loop as loop
from supple.solvers.integrators.formula import (
    POINTS,
    SDIRK2,
    STAGES,
    Formula,
    Table,
    diagonally_implicit,
    tabulated,
)
from supple.solvers.integrators.method import Control, Kernels, Method, SingleStep
from supple.solvers.integrators.one_step import implicit_step
from supple.solvers.integrators.option_checks import check_fixed_step, check_loops, check_tolerances, positive
from supple.solvers.integrators.tape import FORMULA_FAMILY
from supple.solvers.problem import Problem

Array = np.ndarray

#: Most that the order of an adaptive scheme may be: its error is a difference of order + 2 points.
MOST_ADAPTIVE = POINTS - 1
#: Sizes of Newton's last step in adaptive and in fixed steps, in units of the tolerances and of the weights.
ADAPTIVE_NEWTON, FIXED_NEWTON = 0.01, 1.0


class Implicit(Method):
    """An implicit scheme that is a `Formula`: nothing is compiled for it.

    A subclass is a frozen dataclass of its options, those of `FixedStep` at least, and says

    - ``order``: of convergence;
    - ``behind``: how many points behind the present one its formula uses;
    - ``starter``: whether the first ``max(behind, 1)`` steps are made by SDIRK2: a scheme of several points needs it,
      and so does one that begins with an acceleration;
    - `formula`: its stages;
    - `error_constant`: C of its error C h^(p+1) y^(p+1), if its steps may adapt.
    """

    order: ClassVar[int]
    behind: ClassVar[int] = 0
    starter: ClassVar[bool] = False
    saved = ("memory", "instants", "rates")

    # fields of all subclasses
    loops: str
    newton_rtol: float
    newton_atol: float

    @property
    def fixed_step(self) -> float | None:
        """The step, s; None if it adapts."""
        return getattr(self, "dt", None)

    @abstractmethod
    def formula(self, past: tuple[float, ...]) -> Formula:
        """The stages of a step.

        Parameters
        ----------
        past : (behind,)
            How far the points behind lie back from the present one, in units of the step: 1, 2, ... if all are equal.
        """

    @property
    def error_constant(self) -> float:
        """C of the error C h^(p+1) y^(p+1) of a step of order p; 0 if the scheme does not say."""
        return 0.0

    @property
    def control(self) -> Control:
        """Tolerances and steps."""
        fixed = self.fixed_step
        common = Control(start_order=self.order, stabilised=self.loops == "stabilised")
        if fixed is not None:
            return common._replace(fixed_step=fixed, newton=FIXED_NEWTON)
        given = {name: getattr(self, name) for name in ("rtol", "atol", "max_step", "first_step")}
        return common._replace(newton=ADAPTIVE_NEWTON, **given)

    @property
    def kernels(self) -> Kernels:
        """What is compiled for all formulas."""
        return loop.KERNELS

    def own_arrays(self, problem: Problem, size: int) -> loop.FormulaArrays:
        """The scheme as arrays, with room for what it remembers."""
        past = tuple(float(k + 1) for k in range(self.behind))
        table, start = _table(self, past), _start_table()
        adaptive, starts = self.fixed_step is None, max(self.behind, 1) if self.starter else 0
        if adaptive and not (self.error_constant and self.order <= MOST_ADAPTIVE):
            raise ModelError(
                f"{type(self).__name__}: steps adapt with an error constant, and up to order {MOST_ADAPTIVE}; give dt"
            )
        main, rows = len(table.factors), STAGES + max(len(table.factors), len(start.factors)) - 1
        stages, nz = main + len(start.factors), len(problem.z)
        own = loop.FormulaArrays(
            memory=np.zeros((rows, size)),
            instants=np.zeros(POINTS),
            rates=np.zeros((rows, nz)),
            row=np.zeros(size),
            factors=np.zeros((stages, 4)),
            weights=np.zeros((stages, 3, 3 * rows)),
            weights_z=np.zeros((stages, 2, 2 * rows)),
            lagged=np.zeros(3),
            settings=np.zeros(loop.SETTINGS),
            past=np.zeros((2, POINTS - 1)),
            last=np.zeros(1),
        )
        own.settings[:] = (
            *(self.order, self.behind, starts, adaptive, self.newton_rtol, self.newton_atol),
            *(self.error_constant, table.lag, table.uses_lagged, main),
        )
        own.past[0, : self.behind] = past
        own.lagged[:] = table.lagged
        _put(own, 0, table)
        _put(own, main, start)
        return own

    def taped_scheme(self, problem: Problem, pasts: list[tuple[float, ...]]) -> tuple[int, dict[str, Array]]:
        """See `Method.taped_scheme`: coefficients of all tables of a run, one behind the other."""
        own = self.own_arrays(problem, 1)
        factors, weights, weights_z = [], [], []
        for past in pasts:
            own.past[1, : self.behind] = past
            self.renew(own)
            factors.append(own.factors.copy())
            weights.append(own.weights.copy())
            weights_z.append(own.weights_z.copy())
        return FORMULA_FAMILY, {
            "stage_factors": np.concatenate(factors),
            "weights": np.concatenate(weights),
            "weights_z": np.concatenate(weights_z),
            "lagged": np.array([*own.lagged, own.settings[loop.MAIN_STAGES], len(own.factors)]),
        }

    def from_one_state(self) -> Method | None:
        """See `Method.from_one_state`: by its own stages, or by those of SDIRK2, which it begins with."""
        return self.over(1.0) if self.starter or not self.behind else None

    def over(self, dt: float) -> Method:
        """See `Method.over`."""
        with unwarned():  # whoever made the method was warned
            return replace(self, dt=dt) if hasattr(self, "dt") else self  # type: ignore[type-var]

    def single_step(self, own: Any) -> SingleStep:
        """See `Method.single_step`."""
        return SingleStep(implicit_step, len(single_coefficients(own)[0]), FORMULA_FAMILY)

    def renew(self, own: Any) -> None:
        """Coefficients for the points behind as they lie."""
        past = tuple(own.past[1, : self.behind].tolist())
        _put(own, 0, _table(self, past))
        own.past[0] = own.past[1]

    def past(self, own: Any) -> tuple[float, ...]:
        """How far the points behind lie back, for the coefficients in use."""
        return tuple(own.past[0, : self.behind].tolist())

    def newest(self, own: Any, pending: bool) -> Array:
        """The newest row."""
        return np.asarray(own.memory[0])


def single_coefficients(own: loop.FormulaArrays) -> tuple[Array, Array, Array]:
    """Factors, weights and weights of internal states (`solvers.integrators.formula`) of a single step's stages."""
    first, last = 0, int(own.settings[loop.MAIN_STAGES])
    if own.settings[loop.STARTED] > 0.0:
        first, last = last, len(own.factors)
    return own.factors[first:last], own.weights[first:last], own.weights_z[first:last]


@dataclass(frozen=True)
class FixedStep(Implicit):
    """What schemes of fixed step share: their options, as `ImplicitEuler` tells them."""

    dt: float
    loops: str = "stabilised"
    newton_rtol: float = 1e-10
    newton_atol: float = 1e-11

    def __post_init__(self) -> None:
        check_fixed_step(self)
        check_loops(self)


def check_adaptive(method: Any) -> None:
    """Options of a scheme whose step is fixed by ``dt``, or adapts if that is None."""
    if method.dt is not None:
        positive(method, "dt")
    for name in ("newton_rtol", "newton_atol"):
        positive(method, name)
    check_tolerances(method)
    check_loops(method)


@lru_cache(maxsize=256)
def _table(method: Implicit, past: tuple[float, ...]) -> Table:
    """A scheme as arrays, which nobody changes; equal schemes share them."""
    return tabulated(method.formula(past), type(method).__name__)


@lru_cache(maxsize=1)
def _start_table() -> Table:
    """The scheme that makes first steps."""
    return tabulated(diagonally_implicit(SDIRK2), "SDIRK2")


def _put(own: loop.FormulaArrays, first: int, table: Table) -> None:
    """A scheme's coefficients from a stage on."""
    count = len(table.factors)
    own.factors[first : first + count] = table.factors
    own.weights[first : first + count, :, : table.weights.shape[2]] = table.weights
    own.weights_z[first : first + count, :, : table.weights_z.shape[2]] = table.weights_z
