"""One Newton step of an implicit stage (residual, tangent, solve) on chains of rods: over the tree and dense."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

import supple as sp
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.compilation.law_program import make_program
from supple.solvers.problem import CA, CV, SolverWorkspace, make_workspace, problem_at
from supple.solvers.stage.matrix import linearise
from supple.solvers.stage.newton import newton_step

if TYPE_CHECKING:
    from supple.model.model import Model

#: Rods of a chain; of 6 coordinates each, and of 24.
RODS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: Coordinates up to which the dense matrix is timed, too.
DENSE = 960
#: Length of the step, s.
STEP = 1e-3

#: Goals: exponent of growth beyond 8 rods; at 960 coordinates, dense over chosen; at 24, chosen over dense.
LINEAR, FASTER, NEVER_SLOWER = 1.1, 20.0, 1.05


@cache
def step_kernel() -> Callable[[Any], Any]:
    """Matrix, factors and solution of a stage at its state; not cached on disk: its stamp would miss the solvers."""
    from numba import njit

    @njit
    def one_step(table):  # type: ignore[no-untyped-def]
        problem = problem_at(table.ctypes.data)
        status = linearise(problem)
        newton_step(problem)
        return status

    return one_step  # type: ignore[no-any-return]


def chain(rods: int, coordinates: int) -> sp.Robot:
    """Silicone rods of 6 or 24 coordinates, one behind the other."""
    order = coordinates // 6 - 1
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e3)
    strain = sp.Legendre(**dict.fromkeys(("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z"), order))
    robot, parent = sp.Robot(f"{rods} rods of {coordinates}"), "world"
    for k in range(rods):
        robot.add_link(f"rod{k}", sp.Rod(0.1, sp.Circle(0.02), material, strain, points=order + 2), parent=parent)
        parent = f"rod{k}"
    return robot


def workspace(model: Model, over_tree: bool) -> SolverWorkspace:
    """A stage at a generic state; dense, or as the solvers choose."""
    made = make_workspace(model, make_program([], []), np.zeros((0, 2), np.int64), over_tree=over_tree)
    rng = np.random.default_rng(0)
    for x in (made.problem.q, made.problem.v, made.problem.a):
        x[:] = 0.05 * rng.standard_normal(model.n)
    made.problem.numbers[CV], made.problem.numbers[CA] = 1.0 / STEP, 1.0 / STEP**2
    return made


def step_times(made: dict[str, SolverWorkspace], seconds: float) -> dict[str, float]:
    """Seconds of a step of each stage, timed in turn."""
    one_step = step_kernel()
    calls: dict[str, Callable[[], Any]] = {name: lambda w=w: one_step(w.table) for name, w in made.items()}
    return best_times(calls, seconds, process_time)  # of the process: what long steps wait for others does not count


def growth(size: int, seconds: float) -> float:
    """Exponent of growth of a step beyond 8 rods; all lengths in turn, so that a slow phase meets them all."""
    long = [rods for rods in RODS if rods >= 8]
    found = step_times({str(rods): workspace(chain(rods, size).compile(), True) for rods in long}, seconds)
    return float(np.polyfit(np.log(long), np.log([found[str(rods)] for rods in long]), 1)[0])


def run(seconds: float) -> list[Table]:
    """Steps of chains, and how they grow."""
    table = Table(
        "One Newton step of an implicit stage: residual, tangent, solve",
        (
            Column("size", "coordinates per rod", "count"),
            Column("rods", "rods", "count"),
            Column("n", "coordinates", "count"),
            Column("chosen", "as chosen, us", "micro"),
            Column("dense", "dense, us", "micro"),
            Column("factor", "times faster", "ratio"),
        ),
    )
    goals = Table(
        "Newton steps: growth and comparison",
        (Column("what", "what"), Column("value", "value", "ratio"), *GOAL),
    )
    for size in (6, 24):
        times: dict[int, dict[str, float]] = {}
        for rods in (*RODS, DENSE // size):
            model = chain(rods, size).compile()
            made = {"chosen": workspace(model, True)}
            if model.n <= DENSE:
                made["dense"] = workspace(model, False)
            times[rods] = step_times(made, 0.5 * seconds)
            dense = times[rods].get("dense")
            factor = None if dense is None else dense / times[rods]["chosen"]
            table.add(size=size, rods=rods, n=rods * size, chosen=times[rods]["chosen"], dense=dense, factor=factor)
        goals.add(what=f"exponent beyond 8 rods of {size}", value=growth(size, 2.0 * seconds), at_most=LINEAR)
        last, small = times[DENSE // size], times[24 // size]
        share = FASTER * last["chosen"] / last["dense"]
        what = f"{FASTER:g} x step / dense step, {DENSE} coordinates in rods of {size}"
        goals.add(what=what, value=share, at_most=1.0)
        ratio = small["chosen"] / small["dense"]
        goals.add(what=f"step / dense step, 24 coordinates in rods of {size}", value=ratio, at_most=NEVER_SLOWER)
    return [table, goals.judge("value")]
