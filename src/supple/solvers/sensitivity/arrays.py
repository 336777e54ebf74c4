"""The arrays that a sweep along a tape works on, and what their entries mean to compiled code.

A scheme is told as a short program over *registers*, rows [q, v, a, lambda, z, R, z'] of what it remembers.  The same
program runs forward on variations of these rows and, transposed and from its end, backward on their cotangents
(`solvers.sensitivity.program`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from supple.core.arrays import handle
from supple.core.records import pose_t
from supple.core.views import View, array_of, viewing
from supple.model.workspace import Functions
from supple.solvers.integrators.tape import RADAU_FAMILY
from supple.solvers.problem import FACTORS_AT, FEEDBACK, Problem

Array = np.ndarray

#: Registers: rows of what a scheme remembers come first; where a stage begins, where it ends, a row that is given out.
BEGIN, END, OUT, REGISTERS = 28, 29, 30, 31

#: Parts of a register, and all of it.
Q, V, A, LAMBDA, Z, R, RATE, ALL = range(8)

#: Most instructions and stages of a step.
MOST_INSTRUCTIONS, MOST_STAGES = 2048, 20

#: Entries of a row of `SweepArrays.stages`: where its state stands on the tape, its time, the latest time of laws, c_v,
#: c_a, c_z, the number of its P.
STATE_AT, TIME_OF, LATEST_OF, CV_OF, CA_OF, CZ_OF, P_OF = range(7)

#: Entries of `SweepArrays.counts`: instructions, stages of the program; stages met so far.
INSTRUCTIONS, STAGES_OF, MET = range(3)

#: Entries of `SweepArrays.calls`: addresses of the Jacobians of the residual, its derivatives by inputs as a matrix and
#: times a vector, moves between charts, gradients by parameters and their arrays, Python's share in what internal
#: states and controllers owe to parameters, stages forward, stages that are solved together, programs of entries,
#: transposed products with the Jacobians; 0 where nobody asks.
JACOBIANS_AT, COLUMNS_AT, POWER_AT, MOVES_AT, PARAMETERS_AT, BUNDLE_AT, FOLLOWERS_AT = range(7)
FORWARD_AT, COUPLED_AT, PLAN_AT, PRODUCTS_AT = 7, 8, 9, 10

#: Of stages that are solved together: tables of the problem and the sweep, first register, step, whether backward.
COUPLED_SIGNATURE = types.int64(types.int64, types.int64, types.int64, types.float64, types.int64)


class SweepArrays(NamedTuple):
    """What a sweep works on; X entries of a register, N of a row that is given out."""

    registers: Any  #: (REGISTERS, X) variations, or cotangents
    codes: Any  #: (MOST_INSTRUCTIONS, 6) int64, see `solvers.sensitivity.program`
    factors: Any  #: (MOST_INSTRUCTIONS, 2)
    stages: Any  #: (MOST_STAGES, 7), see above
    counts: Any  #: (3,) int64, see above
    calls: Any  #: (11,) int64, see above
    jacobians: Any  #: (3, n, n) dR/dq, dR/dv, dR/da
    products: Any  #: (3, n) the same transposed, times a vector
    by_input: Any  #: (nu, n) dR/du, transposed
    by_state: Any  #: (n, nz) dR/dz
    rates: Any  #: (nz, 3 n + nz + nu + nc) derivatives of z' by q, v, a, z, u, lambda
    force: Any  #: (n,) cotangent of the residual, or its variation
    rows: Any  #: (3, nc) cotangents of e, A v and A a + A' v
    power: Any  #: (nu,)
    baumgarte: Any  #: (1,) time constant of loops that hold in acceleration, s; 0: none
    tape: Any  #: (L,) the part of the tape that is swept
    directions: Any  #: (k, n, nc) its P
    given: Any  #: (T + 1, N) cotangents or variations of rows given out; the last one is that of no result
    inputs: Any  #: (S, nu) cotangents or variations of the inputs of stages, in the order in which they are met
    times: Any  #: (S,) at which their laws are taken, s
    signal_sums: Any  #: (k,) to which gradients by parameters add cotangents of signals, of which they are the negative
    signals: Any  #: (S, k) cotangents or variations of the signals of stages, where parameters are asked for
    motions: Any  #: (S, 3, ne) those of q, v, a of prescribed coordinates, likewise
    state_rates: Any  #: (nz,) cotangents of z' of a stage, or its variation by parameters alone
    sums: Any  #: (W,) all sums that gradients by parameters add to, one after the other; forward only
    direction: Any  #: (W,) variations of all that they are sums for; ``signal_sums`` and ``placement_sums`` are in it
    by_parameter: Any  #: (n + 3 nc,) variations of R, e, A v and A a + A' v by parameters alone; forward only
    unit: Any  #: (n + 3 nc,) cotangents of one of them
    displaced_trees: Any  #: (6,) int64, handles of displaced models (`solvers.sensitivity.displacements`)
    displaced_charts: Any  #: (6 n_blocks,) pose_t, their placements
    displaced: Any  #: (6, n + 3 nc) their R, e, A v and A a + A' v
    distance: Any  #: (1,) how far they are displaced along the direction; 0: not at all
    stage_factors: Any  #: (tables times S, 4) of formulas, see `solvers.integrators.formula`
    weights: Any  #: (tables times S, 3, 3 rows)
    weights_z: Any  #: (tables times S, 2, 2 rows)
    lagged: Any  #: (5,) the next lagged acceleration from the new a, a now, A now; stages of the scheme, and S
    tableau: Any  #: (s + 1 or 2 s + 2, s) of an explicit pair: A, b, and what positions move by besides (`Pair.rows`)
    coupled: Any  #: (3 m, 3 m) matrix of three stages that are solved together
    coupled_side: Any  #: (3, m)
    coupled_scales: Any  #: (3 m,)
    coupled_pivots: Any  #: (3 m,) int64
    move: Any  #: (18, 18) derivative of a change of charts
    placement_sums: Any  #: (n_blocks,) pose_t, to which gradients by parameters add, or variations; empty: nobody asks


_DIMENSIONS = dict.fromkeys(("jacobians", "directions", "weights", "weights_z", "motions"), 3)
_DIMENSIONS |= dict.fromkeys(
    ("registers", "codes", "factors", "stages", "products", "by_input", "by_state", "rates", "rows", "given"), 2
)
_DIMENSIONS |= dict.fromkeys(
    ("inputs", "signals", "stage_factors", "displaced", "tableau", "move", "coupled", "coupled_side"), 2
)
_INTEGERS = ("codes", "counts", "calls", "coupled_pivots", "displaced_trees")
_POSES = ("placement_sums", "displaced_charts")

#: Inside compiled code.
sweep_at = viewing(
    View(
        "sweep",
        {
            name: array_of(
                np.int64 if name in _INTEGERS else pose_t if name in _POSES else np.float64,
                _DIMENSIONS.get(name, 1),
            )
            for name in SweepArrays._fields
        },
    )
)


def _addresses(problem: Problem, functions: Functions, family: int, nu: int, forward: bool) -> Array:
    """Entries of ``calls`` that a sweep needs: what it does not call is not compiled."""
    from supple.solvers.sensitivity.plans import planner

    calls = np.zeros(11, dtype=np.int64)
    calls[JACOBIANS_AT], calls[PLAN_AT] = functions.jacobians, planner(family).address
    if nu and (forward or problem.flags[FEEDBACK]):
        calls[COLUMNS_AT] = functions.input_columns
    if nu and not forward:
        calls[POWER_AT] = functions.input_power
    if forward:
        from supple.solvers.sensitivity.stage_forward import FORWARD

        calls[FORWARD_AT] = FORWARD.address
    if len(problem.charts):
        from supple.solvers.sensitivity.chart_moves import CHART_MOVES

        calls[MOVES_AT] = CHART_MOVES.address
    if family == RADAU_FAMILY:
        from supple.solvers.sensitivity.coupled_stages import COUPLED_STAGES

        calls[COUPLED_AT] = COUPLED_STAGES.address
    if not forward and products_will_do(problem, functions):
        calls[PRODUCTS_AT] = functions.transposed_jacobians
    return calls


def products_will_do(problem: Problem, functions: Functions) -> bool:
    """Whether a backward sweep can do without Jacobians: its factors are over the tree, and nothing but the tree asks.

    Corrections of loops, feedback and coordinates that follow others need Jacobians entry by entry.
    """
    over_tree = problem.calls[FACTORS_AT] != 0
    return bool(over_tree and not len(problem.multipliers) and not problem.flags[FEEDBACK] and not functions.followers)


def make_sweep(
    problem: Problem, functions: Functions, family: int, baumgarte: float, nu: int, forward: bool, **scheme: Array
) -> SweepArrays:
    """Arrays for a problem and a scheme; ``scheme`` holds its coefficients, the rest of them is empty.

    ``functions`` are those of the model's workspace.
    """
    n, nc, nz = len(problem.q), len(problem.multipliers), len(problem.z)
    counts, calls = np.zeros(3, dtype=np.int64), _addresses(problem, functions, family, nu, forward)
    m = len(problem.rhs) if family == RADAU_FAMILY else 0
    shapes = {
        "registers": (REGISTERS, 4 * n + nc + 2 * nz),
        "factors": (MOST_INSTRUCTIONS, 2),
        "stages": (MOST_STAGES, 7),
        "jacobians": (3, n, n),
        "products": (3, n),
        "by_input": (nu, n),
        "by_state": (n, nz),
        "rates": (nz, 3 * n + nz + nu + nc),
        "force": (n,),
        "rows": (3, nc),
        "power": (nu,),
        "tape": (0,),
        "directions": (0, n, nc),
        "given": (1, 4 * n + nc + nz),
        "inputs": (0, nu),
        "times": (0,),
        "signal_sums": (0,),
        "signals": (0, 0),
        "motions": (0, 3, 0),
        "state_rates": (nz,),
        "sums": (0,),
        "direction": (0,),
        "by_parameter": (n + 3 * nc,),
        "unit": (n + 3 * nc,),
        "displaced": (0, n + 3 * nc),
        "distance": (1,),
        "stage_factors": (0, 4),
        "weights": (0, 3, 0),
        "weights_z": (0, 2, 0),
        "lagged": (5,),
        "tableau": (0, 0),
        "coupled": (3 * m, 3 * m),
        "coupled_side": (3, m),
        "coupled_scales": (3 * m,),
        "move": (18, 18),
    }
    zeros = {name: np.zeros(shape) for name, shape in shapes.items() if name not in scheme}
    codes = np.zeros((MOST_INSTRUCTIONS, 6), dtype=np.int64)
    given = {name: np.ascontiguousarray(values, dtype=float) for name, values in scheme.items()}
    others = {"baumgarte": np.array([baumgarte]), **{name: np.zeros(0, pose_t) for name in _POSES}}
    others["displaced_trees"] = np.zeros(0, dtype=np.int64)
    others["coupled_pivots"] = np.zeros(3 * m, dtype=np.int64)
    return SweepArrays(codes=codes, counts=counts, calls=calls, **others, **zeros, **given)


def table_of(arrays: SweepArrays) -> Array:
    """The table by which compiled code finds the arrays."""
    return handle(arrays)
