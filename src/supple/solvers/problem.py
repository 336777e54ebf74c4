"""The problem that a solver works on: all arrays of one run, those of the problem and those that a step writes.

Compiled loops read and write nothing else, so a copy of these arrays is a checkpoint, and a run that is entered again
goes on as if it had never left.

A stage of any implicit scheme looks for an increment x (n,), multipliers lambda (nc,) and mu (nc,), and increments of
internal states, such that

    q = q0 + x,    v = v0 + c_v (x - P mu),    a = a0 + c_a (x - P mu),    z = z0 + x_z,    z' = z0' + c_z x_z

satisfy R(q, v, a, lambda) = 0, e(q) = 0, A(q) v = 0 and z' = f.  P mu is the extra correction of the stabilised
index-2 form (Gear, Gupta, Leimkuhler): position and velocity constraints both hold; without it (pure index 3), e(q) = 0
alone.  Statics is the stage with c_v = c_a = 0.

Internal states are those of controllers, then those of loads; loads find theirs among the signals, and leave f there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.compilation.law_program import Program
from supple.core.arrays import Space, handle, make_space
from supple.core.articulated_columns import ARTICULATED
from supple.core.forward_dynamics import FORWARD_DYNAMICS
from supple.core.records import has_chart, pose_t
from supple.core.tree_factors import TreeFactors, crossing_rows, make_factors, most_ties
from supple.core.tree_solve import TREE_SOLVER
from supple.core.views import View, array_of, viewing
from supple.solvers.stage.choice import tree_pays
from supple.solvers.stage.large_matrix import FACTORISE_LARGE, LARGE, lapack_address
from supple.solvers.stage.recentring import CHART

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Entries of `Problem.calls`: addresses of the residual, the robot, its scratch, the rows of loops, Python's functions,
#: changes of charts.
RESIDUAL_AT, TREE_AT, SPACE_AT, ROWS_AT, PYTHON_AT, CHART_AT = 0, 1, 2, 3, 4, 5
#: And of factors over the tree (`solvers.stage.factors`): the kernels that make them, solve with them and correct
#: loops, and the factors; 0 where the dense matrix is faster.
TREE_TANGENT_AT, TREE_SOLVER_AT, TREE_RATES_AT, FACTORS_AT = 6, 7, 8, 9
#: And of the Jacobians of the residual; 0 where nobody asks for them one by one.
JACOBIANS_AT = 10
#: And of `solvers.stage.large_matrix` and of LAPACK; 0 where matrices are small.
LARGE_AT, LAPACK_AT = 11, 12
#: And of what solves a stage and finds accelerations (`solvers.stage.calls`); 0 where nothing moves.
STAGE_AT, ACCELERATION_AT = 13, 14
#: And of forward dynamics by the recursion over the tree (`core.forward_dynamics`), and which coordinates are free; 0
#: where accelerations are rarely asked for, or take more than one solve with the mass matrix.
FORWARD_AT, ARTICULATED_AT, FREE_AT = 15, 16, 17

#: Entries of `Problem.numbers`.
STAGE_TIME, CV, CA, CZ, LATEST_TIME, FACTORED_CV, FACTORED_CA, NORM, RATE, NEWTON_STEP, SCALE = range(11)
BEND, MOVING_CV, MOVING_CA = 11, 12, 13
# LATEST_TIME: laws are taken at this time at the latest (just before a jump); FACTORED_*: coefficients of the factors;
# NORM, RATE, NEWTON_STEP: weighted size of the last Newton step, by which it shrank, and its size relative to q;
# SCALE: of the columns of lambda; BEND: weighted size of the step after one with new factors, over its size squared;
# MOVING_*: coefficients of `Problem.moving`

#: Entries of `Problem.flags`: what the problem has, what is stale, what happened.
FEEDBACK, TIME_CALLS, STABILISED, STALE, RESIDUALS, TANGENTS, WORST, ITERATIONS, DIFFERENCED = range(9)
#: And: whether the newest factors are over the tree, how many of the next are dense, how often the tree was in doubt.
OVER_TREE, DENSE_LEFT, DOUBTS = 9, 10, 11
#: And: of how many stages the factors are renewed at once, and of how many they still are (`solvers.stage.newton`).
HASTE, RENEWALS = 12, 13
#: And: for how many further matrices the part of the tangent that follows rates will do (`solvers.stage.matrix`).
MOVING_LEFT = 14
#: And: what Python is called for.
ASKED = 15

#: Targets of compiled laws: inputs, signals of loads, motions of prescribed coordinates; inputs that controllers drive.
TO_INPUT, TO_SIGNAL, TO_MOTION, TO_NOTHING = 0, 1, 2, 3

#: What Python is called for: laws of time, feedback and rates of internal states, their derivatives.
ASK_LAWS, ASK_FEEDBACK, ASK_SLOPES = 0, 1, 2


class Problem(NamedTuple):
    """Arrays of one run; n coordinates, nf of them free, nc loop rows, nz internal states, nu inputs, m unknowns."""

    calls: Any  #: (18,) int64 addresses
    numbers: Any  #: (14,) scalars, see above
    flags: Any  #: (16,) int64, see above
    free: Any  #: (nf,) int64 coordinates that move freely, those of children before those of parents
    fixed: Any  #: (n - nf,) int64 prescribed coordinates
    fields: Any  #: (n,) int64 first of the coordinates that describe the same: a strain of a rod, a joint's coordinate
    q: Any  #: (n,) trial state of a stage
    v: Any
    a: Any
    z: Any  #: (nz,)
    rates: Any  #: (nz,) f(t, q, v, z)
    q0: Any  #: (n,) where a stage begins
    v0: Any
    a0: Any
    z0: Any
    rates0: Any
    before: Any  #: (n,) configuration before the stage
    x: Any  #: (n,) increment
    y: Any  #: (n,) P mu
    xz: Any  #: (nz,)
    mu: Any  #: (nc,)
    lam0: Any  #: (nc,) multipliers at which a stage begins
    residual: Any  #: (n,) residual
    tangent: Any  #: (n, n) its tangent
    moving: Any  #: (n, n) T - dR/dq, what follows rates; with loops that are held in position and velocity
    vectors: Any  #: (3, nc), see core.loops
    matrices: Any  #: (5, nc, n)
    P: Any  #: (n, nc) directions of mu
    corrections: Any  #: (nc, n) what they do to R through v and a, where factors are over the tree
    B: Any  #: (n, nu) dtau/du, with feedback
    slopes: Any  #: (nu + nz, 2 n + nz) derivatives of inputs and rates by q, v, z; of loads' rates by x, 0, z
    load_states: Any  #: (k, 2) int64: signals of the last k states and of their rates, which loads read and write
    R_z: Any  #: (n, k) dR/dz of these
    matrix: Any  #: (m, m) of a Newton step, factorised
    pivots: Any  #: (m,) int64
    scales: Any  #: (m,)
    rhs: Any  #: (m,)
    tree_reals: Any  #: (.,) all floats of factors over the tree (`core.tree_factors`), and their pivots
    tree_pivots: Any
    weights: Any  #: (2, n) size of an error worth caring about, in q and v
    weights_z: Any  #: (nz,)
    motion: Any  #: (3, n) prescribed q, v, a
    ops: Any  #: compiled laws, see core.time_laws
    law_numbers: Any
    targets: Any  #: (rows, 2) int64: what every row of the laws is, and its index
    values: Any  #: (3, rows) values, rates, accelerations of laws
    inputs: Any  #: (nu,) views of the scratch
    signals: Any
    multipliers: Any
    tensions: Any  #: int64 inputs that must not be negative
    placement: Any  #: charts of joints, pose_t
    home: Any  #: the model's own charts
    charts: Any  #: (k, 4) int64 of joints that are re-centred: block, first coordinate, how many of them turn, how many
    turning: Any  #: (k, 4) int64 of joints that turn: block, first coordinate, how many, place in ``free``
    factored_q: Any  #: (n,) where the factors were made, of coordinates of these joints


#: Fields of laws, side by side: those of another run are put in their place.
LAWS = ("ops", "law_numbers", "targets", "values")

_INTEGERS = dict.fromkeys(("calls", "flags", "free", "fixed", "fields", "pivots", "tree_pivots", "tensions"), 1)
_INTEGERS |= dict.fromkeys(("ops", "targets", "charts", "turning", "load_states"), 2)
_POSES = ("placement", "home")
_MATRICES = (
    "tangent", "moving", "vectors", "P", "corrections", "B", "slopes", "R_z", "matrix", "weights", "motion", "values"
)  # fmt: skip


def _field_type(name: str) -> Any:
    """Type of an array of the problem, inside compiled code."""
    if name in _INTEGERS:
        return array_of(np.int64, _INTEGERS[name])
    if name in _POSES:
        return array_of(pose_t, 1)
    return array_of(np.float64, 3 if name == "matrices" else 2 if name in _MATRICES else 1)


#: A problem inside compiled code: ``problem_at(table.ctypes.data)`` of an workspace's table.
problem_at = viewing(View("problem", {name: _field_type(name) for name in Problem._fields}))


class Tables(NamedTuple):
    """Arrays of a problem that depend on the model alone and that nobody changes, see `Problem`."""

    free: Array
    fixed: Array
    fields: Array
    charts: Array
    turning: Array
    tensions: Array
    load_states: Array


class SolverWorkspace(NamedTuple):
    """A problem, and the arrays that its addresses point to."""

    problem: Problem
    table: Array  #: of the problem's arrays, for compiled code
    tree: Any
    space: Space
    handles: tuple[Array, Array]
    kept: Any  #: what the handles point to beyond tree and space
    factors: TreeFactors | None  #: over the tree, where they are faster than a dense matrix
    factors_table: Array | None


def make_workspace(
    model: Model,
    program: Program,
    targets: Array,
    stabilised: bool = True,
    states: int = 0,
    feedback: bool = False,
    integrated: bool = False,
    differenced: bool = False,
    over_tree: bool = True,
    apart: bool = False,
    explicit: bool = False,
) -> SolverWorkspace:
    """Allocate a problem for a model.

    Parameters
    ----------
    program, targets
        Compiled laws and what they drive.
    stabilised : bool
        Whether loops hold in position and velocity, or in position alone.
    states : int
        Number of internal states of controllers.
    feedback : bool
        Whether inputs or rates of controllers' states follow the state of the robot.
    integrated : bool
        Whether internal states of loads are among z; if not, their signals are left alone.
    differenced : bool
        Whether tangents of the residual are differences of it.
    over_tree : bool
        Whether matrices may be factorised over the tree, where that costs less (`solvers.stage.choice`).
    apart : bool
        Whether derivatives of the residual by q, v and a are asked for one by one; matrices are dense then.
    explicit : bool
        Whether accelerations are asked for at every stage.
    """
    tables = model.workspace.kept("tables of a problem", lambda: _tables(model))
    tables = tables if integrated else tables._replace(load_states=NO_STATES)
    load_states, free = tables.load_states, tables.free
    n, nc, nz, nu = model.n, model.nc, states + len(load_states), model.nu
    placement = model.parameters.placement.copy()  # always: arrays of other types would compile all loops again
    tree = model.workspace.arrays._replace(placement=placement)
    space = make_space(tree, **model.workspace.sizes())
    *handles, kept = model.workspace.handles(handle(tree), space)
    rows = (2 if stabilised else 1) * nc
    m = len(free) + rows + nz
    functions = model.workspace.functions
    calls = _addresses(model, handles, len(tables.turning) > 0, apart, explicit, m)
    flags, numbers = _scalars(feedback, stabilised and nc > 0, differenced)
    further = rows + nz + (nu if feedback or nz > 0 else 0)
    border = further + functions.follower_rows
    over_tree = over_tree and not differenced and not apart
    pays = over_tree and model.workspace.kept(("tree pays", border), lambda: _tree_pays(tree, space, border))
    made = _make_factors(tree, space, free, border, calls, functions, bool(flags[STABILISED])) if pays else NO_FACTORS
    zeros = _shapes(n, nc, nz, nu if feedback or nz > 0 else None, m, len(load_states), len(targets))
    problem = Problem(
        calls=calls,
        numbers=numbers,
        flags=flags,
        **tables._asdict(),
        pivots=np.zeros(m, dtype=np.int64),
        tree_reals=made.reals,
        tree_pivots=made.pivots,
        weights=np.ones((2, n)),
        weights_z=np.ones(nz),
        ops=program.ops,
        law_numbers=program.numbers.copy(),  # of the problem alone: another run puts its own there
        targets=targets,
        inputs=space.inputs,
        signals=space.signals,
        multipliers=space.multipliers,
        placement=placement,
        home=model.parameters.placement,
        **{name: np.zeros(shape) for name, shape in zeros.items()},
    )
    return SolverWorkspace(
        problem, handle(problem), tree, space, (handles[0], handles[1]), kept, made.factors, made.table
    )


def with_laws(workspace: SolverWorkspace, program: Program, targets: Array) -> SolverWorkspace:
    """The same arrays with other laws; compiled code sees these from now on."""
    problem = workspace.problem
    if problem.ops is program.ops and problem.targets is targets:  # only numbers differ
        problem.law_numbers[:], problem.values[:] = program.numbers, 0.0
        return workspace
    laws = program.ops, program.numbers.copy(), targets, np.zeros((3, len(targets)))
    first = Problem._fields.index(LAWS[0])
    workspace.table[first : first + len(LAWS)] = handle(laws)
    return workspace._replace(problem=problem._replace(**dict(zip(LAWS, laws, strict=True))))


def _addresses(model: Model, handles: list[Array], charted: bool, apart: bool, explicit: bool, m: int) -> Array:
    """Addresses of what every model calls, and of what loops, charts, Jacobians, accelerations and m unknowns do."""
    functions, calls = model.workspace.functions, np.zeros(18, dtype=np.int64)
    calls[[RESIDUAL_AT, TREE_AT, SPACE_AT]] = functions.residual, handles[0].ctypes.data, handles[1].ctypes.data
    if model.nc:
        calls[ROWS_AT] = functions.rows
    if charted:
        calls[CHART_AT] = CHART.address
    if apart:
        calls[JACOBIANS_AT] = functions.jacobians
    if explicit and not (model.nc or model.dense or model.demand.implicit):
        free_at = model.workspace.free.ctypes.data
        calls[[FORWARD_AT, ARTICULATED_AT, FREE_AT]] = FORWARD_DYNAMICS.address, ARTICULATED.address, free_at
    if m >= LARGE:
        calls[[LARGE_AT, LAPACK_AT]] = FACTORISE_LARGE.address, lapack_address(m)
    return calls


def _scalars(feedback: bool, stabilised: bool, differenced: bool) -> tuple[Array, Array]:
    """Flags and numbers of a problem that has not begun."""
    flags, numbers = np.zeros(16, dtype=np.int64), np.zeros(14)
    flags[[FEEDBACK, STABILISED, STALE, DIFFERENCED]] = feedback, stabilised, True, differenced
    numbers[LATEST_TIME] = np.inf
    return flags, numbers


def forget_factors(problem: Problem) -> None:
    """Nothing that earlier stages found is used again: neither their factors nor what was learned of them."""
    problem.flags[STALE] = True
    problem.flags[[HASTE, RENEWALS, MOVING_LEFT]] = 0
    problem.numbers[BEND] = 0.0


class _Factors(NamedTuple):
    """Factors over the tree, their table for compiled code, and all their floats and pivots."""

    factors: TreeFactors | None
    table: Array | None
    reals: Array
    pivots: Array


NO_FACTORS = _Factors(None, None, np.zeros(0), np.zeros(0, dtype=np.int64))


def _tree_pays(tree: Any, space: Space, further: int) -> bool:
    """Whether factors over the tree cost less than a dense matrix; ``further``: rows of the border beyond ties."""
    return tree_pays(tree, most_ties(space, crossing_rows(tree)) + further)


def _make_factors(
    tree: Any, space: Space, free: Array, further: int, calls: Array, functions: Any, stabilised: bool
) -> _Factors:
    """Factors over the tree, and the addresses of their kernels, which only models that use them compile."""
    factors, reals, pivots = make_factors(tree, space, free, further, functions.followers)
    table = handle(factors)
    calls[TREE_TANGENT_AT], calls[TREE_SOLVER_AT] = functions.tree_tangent, TREE_SOLVER.address
    calls[FACTORS_AT] = table.ctypes.data
    if stabilised:
        calls[TREE_RATES_AT] = functions.tree_rates
    return _Factors(factors, table, reals, pivots)


def _shapes(
    n: int, nc: int, nz: int, nu: int | None, m: int, load_states: int, laws: int
) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays that begin at zero; nu is None where neither inputs nor internal states follow the state."""
    names = ("q", "v", "a", "q0", "v0", "a0", "before", "x", "y", "residual", "factored_q")
    vectors = dict.fromkeys(names, (n,))
    states = dict.fromkeys(("z", "rates", "z0", "rates0", "xz"), (nz,))
    return {
        **vectors,
        **states,
        "mu": (nc,),
        "lam0": (nc,),
        "tangent": (n, n),
        "moving": (n, n) if nc else (0, 0),
        "vectors": (3, nc),
        "matrices": (5, nc, n),
        "P": (n, nc),
        "corrections": (nc, n),
        "B": (n, nu or 0),
        "slopes": (0, 0) if nu is None else (nu + nz, 2 * n + nz),
        "R_z": (n, load_states),
        "matrix": (m, m),
        "scales": (m,),
        "rhs": (m,),
        "motion": (3, n),
        "values": (3, laws),
    }


def _tables(model: Model) -> Tables:
    free = free_coordinates(model)
    found = Tables(
        free=free,
        fixed=np.array(model.fixed_coordinates, dtype=np.int64),
        fields=field_table(model),
        charts=chart_table(model),
        turning=turning_table(model, free),
        tensions=np.flatnonzero(model.demand.tensions).astype(np.int64),
        load_states=load_state_table(model),
    )
    for table in found:
        table.setflags(write=False)
    return found


def free_coordinates(model: Model) -> Array:
    """Coordinates that are not prescribed, from the leaves of the tree to its root.

    Branches meet only in their common ancestors, and so do their rows in a tangent: eliminated in this order, its zeros
    stay zeros ([SPARSITY]), and `linalg.lu` passes over them.
    """
    blocks = model.topology.blocks[::-1]  # parents come first in the kernels
    order = [k for block in blocks for k in range(int(block["start"]), int(block["start"] + block["n"]))]
    fixed = set(model.fixed_coordinates.tolist())
    return np.array([k for k in order if k < model.n and k not in fixed], dtype=np.int64)


def field_table(model: Model) -> Array:
    """The first coordinate of every coordinate's field, (n,): those of one strain of a rod describe one function."""
    fields, component = np.arange(model.n), model.topology.component
    for block in model.topology.blocks:
        own = np.arange(int(block["start"]), min(int(block["start"] + block["n"]), model.n))
        for k in range(6):
            same = own[component[own] == k]
            fields[same] = same.min(initial=model.n)
    return fields.astype(np.int64)


#: The internal states of loads where nobody asks for them.
NO_STATES = np.zeros((0, 2), dtype=np.int64)


def load_state_table(model: Model) -> Array:
    """Signals of z and z' of every internal state of loads, (k, 2)."""
    rows = [(block.first + i, block.rate + i) for block in model.demand.states for i in range(len(block.state0))]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def chart_table(model: Model) -> Array:
    """Joints whose charts may be re-centred: (k, 4) block, first coordinate, number of (leading) rotations, size."""
    rows = []
    for b, block in enumerate(model.topology.blocks):
        start, size = int(block["start"]), int(block["n"])
        kept = any(start in layout.coordinates and layout.keeps_chart for layout in model.layouts)
        if has_chart(block) and not kept and start not in model.fixed_coordinates:
            turning = np.abs(model.parameters.screws[:3, start : start + size]).max(axis=0) > 0.0
            rows.append((b, start, int(turning.sum()), size))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def turning_table(model: Model, free: Array) -> Array:
    """Joints that turn and are not prescribed: (k, 4) block, first coordinate, size, place in ``free``."""
    rows, place = [], {int(k): i for i, k in enumerate(free)}
    for b, block in enumerate(model.topology.blocks):
        if has_chart(block) and int(block["start"]) in place:
            rows.append((b, int(block["start"]), int(block["n"]), place[int(block["start"])]))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)
