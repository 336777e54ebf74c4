"""The exact derivative of one step: what `solvers.motion.step` made, linearised stage by stage.

**Implicit.**  A stage (`solvers.problem`) begins at q0, v0, a0, z0, z0', sums of what is known, and its unknowns w =
(x, lambda, mu, x_z) make F(w, begin, u) = 0.  With the three Jacobians of R separately, at the state that was found,

    dF/dw = [ R_q + c_v R_v + c_a R_a   -A^T   -(c_v R_v + c_a R_a) P    R_z       ]
            [ E                                                                   ]
            [ (A v)_q + c_v A                   -c_v A P                           ]
            [ -(f_q + c_v f_v + c_a f_a)  -f_l   (c_v f_v + c_a f_a) P   c_z - f_z ],

and dw = -(dF/dw)^-1 (dF/dbegin dbegin + dF/du du) for all columns at once.  The next stage begins at the same sums of
what is known, of derivatives now.  f and R of internal states are users' functions: by z, and f altogether, they are
differenced.  (f_l is that by lambda: states that follow reactions of joints feel it, and inputs.)

**Radau.**  The equations of three stages depend on the unknowns of all (`solvers.integrators.radau_stages`) and are one
system: v and a of stage i follow the unknowns of stage j with c_v = W_ij / h, c_a = (W^2)_ij / h^2.

**Explicit.**  Rates at the stages are accelerations, whose derivatives `Model.forward_dynamics_derivatives` has.

Held are what a run holds, too: the charts in which the step is made, and the directions P in which loops correct
positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import positive_float
from supple.errors import SingularError
from supple.model.arguments import number
from supple.model.balance import allowed_columns
from supple.model.changes import changed_model
from supple.model.chart_changes import tangent_rates
from supple.model.constraints import loop_terms
from supple.model.results import StepDerivatives
from supple.solvers.integrators.formula import STAGES
from supple.solvers.integrators.implicit import single_coefficients
from supple.solvers.integrators.radau_tableau import NODES, RATES, SQUARES
from supple.solvers.integrators.tape import FORMULA_FAMILY, PAIR_FAMILY, RADAU_FAMILY
from supple.solvers.motion.step import Stepper, checked_state, stepper

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.integrators import Method

Array = np.ndarray

#: Relative step of differences of users' functions by internal states: half the digits of a number, central.
DIFFERENCE = 1e-6


class Point(NamedTuple):
    """A state of the motion, and its derivatives by q, v, z at the beginning and by u, (., N) each."""

    q: Array
    v: Array
    a: Array
    z: Array
    rate: Array  #: of z'


class Rates(NamedTuple):
    """Derivatives of f by q, v, a, z, u and lambda, and of R by z."""

    q: Array
    v: Array
    a: Array
    z: Array
    u: Array
    lam: Array
    force: Array


def step_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    u: Any,
    dt: float,
    method: Method | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> StepDerivatives:
    """The step and its derivatives; see `Model.step_derivatives`."""
    dt, t = positive_float(dt, "dt", "s"), number("t", t)
    state = checked_state(model, q, v, u, z)
    made, n, nz = stepper(model, method), model.n, model.nz
    row = made.take(*state, t, dt)
    changed = len(made.problem.charts) > 0 and (made.problem.placement != made.problem.home).any()
    there = _in_charts(model, made) if changed else model
    begin = _beginning(model)
    if changed:
        begin = _moved(model, made.problem.home, made.problem.placement, state[0], state[1], made.rows[0], begin)
    end = _chain(made)(there, made, begin, state[2], t, dt)
    if changed:
        last = made.rows[-1]
        end = _moved(model, made.problem.placement, made.problem.home, last[:n], last[n : 2 * n], row, end)
    full, states = np.concatenate([end.q, end.v, end.z]), 2 * n + nz
    model.arguments.finite(full, q=state[0], v=state[1])
    z1 = row[3 * n + model.nc : len(row) - n]
    return StepDerivatives(row[:n], row[n : 2 * n], full[:, :states].copy(), full[:, states:].copy(), z1)


def _beginning(model: Model) -> Point:
    """Where a step begins, by itself: prescribed joints are where their laws say."""
    n, nz, count = model.n, model.nz, 2 * model.n + model.nz + model.nu
    unit = np.eye(2 * n + nz, count)
    fixed = model.fixed_coordinates
    unit[fixed], unit[n + fixed] = 0.0, 0.0
    return Point(unit[:n], unit[n : 2 * n], np.zeros((n, count)), unit[2 * n :], np.zeros((nz, count)))


def _inputs(model: Model) -> Array:
    """du by everything, (nu, N)."""
    return np.eye(model.nu, 2 * model.n + model.nz + model.nu, 2 * model.n + model.nz)


def _parts(model: Model, row: Array) -> tuple[Array, Array, Array, Array, Array]:
    """q, v, a, lambda, z of a row."""
    n, nc, nz = model.n, model.nc, model.nz
    return row[:n], row[n : 2 * n], row[2 * n : 3 * n], row[3 * n : 3 * n + nc], row[3 * n + nc : 3 * n + nc + nz]


def _chain(made: Stepper) -> Callable[[Model, Stepper, Point, Array, float, float], Point]:
    """What makes derivatives of the end of a step, from those of its beginning."""
    chains = {PAIR_FAMILY: _explicit, FORMULA_FAMILY: _implicit, RADAU_FAMILY: _coupled}
    return chains[made.single.family]


# ---------------------------------------------------------------------- implicit


def _implicit(model: Model, made: Stepper, begin: Point, u: Array, t: float, h: float) -> Point:
    """Derivatives of the last stage."""
    factors, weights, weights_z = single_coefficients(made.integrator.own)
    uses_start = np.any(weights[:, :, 2 : 3 * STAGES : 3]) or np.any(weights_z[:, :, 1 : 2 * STAGES : 2])
    if uses_start:
        begin = _with_accelerations(model, made.rows[0], begin, u, t, 0.0)
    count = weights.shape[2] // 3
    none = Point(*(np.zeros_like(part) for part in begin))
    # behind the points, of which there is one, stand the lagged acceleration, that of the beginning, and stages
    known = [begin, *[none] * (STAGES - 2), none._replace(a=begin.a), *[none] * (count - STAGES)]
    end = begin
    for s, (at, cv, ca, cz) in enumerate(factors):
        start = _sums(known, weights[s], weights_z[s], h)
        time = t + at * h
        scale = cv / h, ca / h / h, cz / h
        slopes = _slopes(model, made.rows[s + 1], made.directions[s], u, time, made.method.control.stabilised)
        end = _stage(slopes, start, scale)
        if s + 1 < len(factors):
            known[STAGES + s] = end
    return end


def _sums(known: list[Point], weights: Array, weights_z: Array, h: float) -> Point:
    """Where a stage begins: what `implicit_loop.begin_stage` does, of derivatives."""
    units = np.array([1.0, h, h * h])
    sums = []
    for kind in range(3):
        total = np.zeros_like(known[0].q)
        for r, point in enumerate(known):
            for part in range(3):
                w = weights[kind, 3 * r + part]
                if w:
                    total = total + w * units[part] / units[kind] * point[part]
        sums.append(total)
    z, rate = np.zeros_like(known[0].z), np.zeros_like(known[0].rate)
    for r, point in enumerate(known):
        z = z + weights_z[0, 2 * r] * point.z + weights_z[0, 2 * r + 1] * h * point.rate
        rate = rate + weights_z[1, 2 * r] / h * point.z + weights_z[1, 2 * r + 1] * point.rate
    return Point(sums[0], sums[1], sums[2], z, rate)


class Slopes(NamedTuple):
    """Derivatives at the state that a stage has found, and how loops are corrected there."""

    model: Model
    partial: Any  #: of R by q, v, a, u
    f: Rates
    A: Array  #: (nc, n)
    E: Array  #: (nc, n) of e by q
    slip: Array  #: (nc or 0, n) of A v by q, if velocities of loops hold
    P: Array  #: (n, nc or 0)

    @property
    def parts(self) -> tuple[slice, slice, slice, slice]:
        """Where x of free coordinates, lambda, mu and x_z are among the unknowns."""
        m, nc, nm = len(self.model.free_coordinates), self.model.nc, len(self.slip)
        ends = np.cumsum([0, m, nc, nm, self.model.nz])
        return slice(0, m), slice(m, ends[2]), slice(ends[2], ends[3]), slice(ends[3], ends[4])

    def matrix(self, cv: float, ca: float, cz: float, own: float = 1.0) -> Array:
        """dF/dw where v, a and z' follow the unknowns by these; ``own`` is 0 of another stage's q, lambda and z."""
        model, partial, f, A, P = self.model, self.partial, self.f, self.A, self.P
        free, (R_, E_, S_, Z_) = model.free_coordinates, self.parts
        moving, rate = cv * partial.dv + ca * partial.da, cv * f.v + ca * f.a
        W = np.zeros((Z_.stop, Z_.stop))
        W[R_, R_], W[R_, E_] = (own * partial.dq + moving)[np.ix_(free, free)], -own * A.T[free]
        W[R_, S_], W[R_, Z_], W[E_, R_] = -(moving @ P)[free], own * f.force[free], own * self.E[:, free]
        if len(self.slip):
            W[S_, R_], W[S_, S_] = (own * self.slip + cv * A)[:, free], -cv * A @ P
        W[Z_, R_], W[Z_, S_] = -(own * f.q + rate)[:, free], rate @ P
        W[Z_, Z_], W[Z_, E_] = cz * np.eye(model.nz) - own * f.z, -own * f.lam
        return W

    def right(self, start: Point) -> Array:
        """dF/dbegin dbegin + dF/du du."""
        partial, f, du = self.partial, self.f, _inputs(self.model)
        force = partial.dq @ start.q + partial.dv @ start.v + partial.da @ start.a + f.force @ start.z + partial.du @ du
        rate = start.rate - f.q @ start.q - f.v @ start.v - f.a @ start.a - f.z @ start.z - f.u @ du
        slip = self.slip @ start.q + self.A[: len(self.slip)] @ start.v
        return np.concatenate([force[self.model.free_coordinates], self.E @ start.q, slip, rate])

    def moved(self, found: Array) -> tuple[Array, Array]:
        """x and x - P mu of all coordinates, from unknowns."""
        model, (R_, _, S_, _) = self.model, self.parts
        x, y = np.zeros((model.n, found.shape[1])), self.P @ found[S_]
        x[model.free_coordinates] = found[R_]
        y[model.fixed_coordinates] = 0.0
        return x, x - y


def _slopes(model: Model, row: Array, P: Array, u: Array, t: float, stabilised: bool) -> Slopes:
    """Derivatives at a row."""
    nz, n = model.nz, model.n
    q, v, a, lam, z = (part.copy() for part in _parts(model, row))
    partial = model.residual_derivatives(q, v, a, u, lam, t, z if nz else None)
    terms, f = loop_terms(model, q, v, a, model.loops), _rates(model, q, v, a, u, lam, z, t)
    held = bool(model.nc) and stabilised
    slip, P = (terms.slip_dq, P) if held else (np.zeros((0, n)), np.zeros((n, 0)))
    return Slopes(model, partial, f, terms.jacobian, terms.error_derivative, slip, P)


def _stage(slopes: Slopes, start: Point, scale: tuple[float, float, float]) -> Point:
    """Derivatives of the state that a stage has found, from those of where it began."""
    (cv, ca, cz), Z_ = scale, slopes.parts[3]
    for part in (start.q, start.v, start.a):
        part[slopes.model.fixed_coordinates] = 0.0
    found = -_solve_scaled(slopes.matrix(cv, ca, cz), slopes.right(start))
    x, moved = slopes.moved(found)
    return Point(
        start.q + x, start.v + cv * moved, start.a + ca * moved, start.z + found[Z_], start.rate + cz * found[Z_]
    )


def _coupled(model: Model, made: Stepper, begin: Point, u: Array, t: float, h: float) -> Point:
    """Derivatives of the last of three stages that were solved together."""
    stabilised = made.method.control.stabilised
    stages = [
        _slopes(model, made.rows[i + 1], made.directions[i], u, t + NODES[i] * h, stabilised) for i in range(len(NODES))
    ]
    fixed, none = model.fixed_coordinates, np.zeros_like(begin.q)
    starts = [begin._replace(q=begin.q + c * h * begin.v, a=none, rate=np.zeros_like(begin.rate)) for c in NODES]
    for start in starts:
        start.q[fixed], start.v[fixed] = 0.0, 0.0
    rates, squares = RATES / h, SQUARES / h**2
    W = np.block(
        [
            [one.matrix(rates[i, j], squares[i, j], rates[i, j], float(i == j)) for j in range(len(NODES))]
            for i, one in enumerate(stages)
        ]
    )
    right = np.concatenate([one.right(start) for one, start in zip(stages, starts, strict=True)])
    found = np.split(-_solve_scaled(W, right), len(NODES))
    last, Z_ = starts[-1], stages[-1].parts[3]
    moves = [one.moved(part) for one, part in zip(stages, found, strict=True)]
    v = last.v + sum(rates[-1, j] * moved for j, (_, moved) in enumerate(moves))
    return last._replace(q=last.q + moves[-1][0], v=v, z=last.z + found[-1][Z_])


def _solve_scaled(W: Array, right: Array) -> Array:
    """W^-1 right; rows and columns of W have different units, and are scaled to size one."""
    rows = np.abs(W).max(axis=1, initial=0.0)
    rows[rows == 0.0] = 1.0
    W = W / rows[:, None]
    columns = np.abs(W).max(axis=0, initial=0.0)
    columns[columns == 0.0] = 1.0
    try:
        return np.asarray(np.linalg.solve(W / columns, right / rows[:, None]) / columns[:, None])
    except np.linalg.LinAlgError:
        raise SingularError("the step has no derivative: the matrix of a stage is singular at its end") from None


def _rates(model: Model, q: Array, v: Array, a: Array, u: Array, lam: Array, z: Array, t: float) -> Rates:
    """Derivatives of f and R that are differenced; empty without internal states."""
    n, nz = model.n, model.nz
    if not nz:
        none = np.zeros((0, n))
        by_u, by_lam = np.zeros((0, len(u))), np.zeros((0, len(lam)))
        return Rates(none, none, none, np.zeros((0, 0)), by_u, by_lam, np.zeros((n, 0)))
    middle = np.concatenate([q, v, a, z, u, lam])
    ends = np.cumsum([n, n, n, nz, len(u)])
    f, force = np.zeros((nz, len(middle))), np.zeros((n, nz))

    def both(x: Array) -> tuple[Array, Array]:
        q, v, a, z, u, lam = np.split(x, ends)
        return model.state_rates(q, v, a, z, t, u, lam), model.residual(q, v, a, u, lam, t, z)

    for j in range(len(middle)):
        ahead, behind, h = middle.copy(), middle.copy(), DIFFERENCE * max(1.0, abs(middle[j]))
        ahead[j] += h
        behind[j] -= h
        above, below = both(ahead), both(behind)
        f[:, j] = (above[0] - below[0]) / (2.0 * h)
        if 3 * n <= j < 3 * n + nz:
            force[:, j - 3 * n] = (above[1] - below[1]) / (2.0 * h)
    by_q, by_v, by_a, by_z, by_u, by_lam = np.split(f, ends, axis=1)
    return Rates(by_q, by_v, by_a, by_z, by_u, by_lam, force)


# ---------------------------------------------------------------------- explicit


def _explicit(model: Model, made: Stepper, begin: Point, u: Array, t: float, h: float) -> Point:
    """Derivatives of the end of a step of a pair: sums of those of the rates at its stages."""
    own, n = made.integrator.own, model.n
    now, baumgarte = np.concatenate(_parts(model, made.rows[0])[:2]), made.method.control.baumgarte
    z, points = _parts(model, made.rows[0])[4], list[Point]()
    beside = own.beside if len(own.beside) else np.zeros((len(own.b) + 1, len(own.b)))
    for s in range(len(own.b)):
        moved = h * own.A[s, :s] @ own.K[:s]
        moved[:n] += h * h * beside[s, :s] @ own.K[:s, n : 2 * n]
        row = made.rows[0].copy()
        row[: 2 * n], row[2 * n : 3 * n] = now + moved[: 2 * n], own.K[s, n : 2 * n]
        _parts(model, row)[4][:] = z + moved[2 * n :]
        point = _advanced(begin, points, own.A[s], beside[s], h)
        points.append(_with_accelerations(model, row, point, u, t + own.c[s] * h, baumgarte))
    return _advanced(begin, points, own.b, beside[-1], h)


def _advanced(begin: Point, points: list[Point], weights: Array, beside: Array, h: float) -> Point:
    """begin + h sum of weights times the rates at points; of positions, + h^2 sum of ``beside`` times accelerations."""
    q, v, z = begin.q.copy(), begin.v.copy(), begin.z.copy()
    for w, d, point in zip(weights, beside, points, strict=False):
        q, v, z = q + h * w * point.v + h * h * d * point.a, v + h * w * point.a, z + h * w * point.rate
    return begin._replace(q=q, v=v, z=z)


def _with_accelerations(model: Model, row: Array, point: Point, u: Array, t: float, baumgarte: float) -> Point:
    """The same point with derivatives of its accelerations and of z'; prescribed coordinates are their laws'."""
    q, v, a, lam, z = (part.copy() for part in _parts(model, row))
    fixed = model.fixed_coordinates
    for part in (point.q, point.v):
        part[fixed] = 0.0
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        q[own], v[own], a[own] = joint.motion(t)
    states, du = z if model.nz else None, _inputs(model)
    found = model.forward_dynamics_derivatives(q, v, u, t, baumgarte, states)
    da = found.dq @ point.q + found.dv @ point.v + found.du @ du
    if not model.nz:
        return point._replace(a=da)
    if model.nc:  # the row's are of the step's beginning
        lam = np.asarray(model.forward_dynamics(q, v, u, t, baumgarte, states).multipliers)
    f = _rates(model, q, v, a, u, lam, z, t)
    A = loop_terms(model, q, v, a, model.loops).jacobian
    partial = model.residual_derivatives(q, v, a, u, lam, t, states)
    M, still = partial.da if model.demand.implicit else None, np.zeros((model.nc, model.nz))
    da = da + allowed_columns(model, q, M, A, -f.force, still, model.workspace.free)[0] @ point.z
    rate = f.q @ point.q + f.v @ point.v + f.a @ da + f.z @ point.z + f.u @ du
    if f.lam.any():  # A^T dlambda = dR of all else, in coordinates that move freely
        force = partial.dq @ point.q + partial.dv @ point.v + partial.da @ da + partial.du @ du + f.force @ point.z
        free = model.free_coordinates
        rate = rate + f.lam @ np.linalg.lstsq(A.T[free], force[free], rcond=None)[0]
    return point._replace(a=da, rate=rate)


# ---------------------------------------------------------------------- charts


def _in_charts(model: Model, made: Stepper) -> Model:
    """The model in the charts of a step."""
    return changed_model(model, parameters=model.parameters._replace(placement=made.problem.placement.copy()))


def _moved(model: Model, old: Array, new: Array, q: Array, v: Array, after: Array, point: Point) -> Point:
    """Derivatives of q and v in other charts: twists turn with the charts, and so do their rates.

    In a chart, dq makes the twist nu = T Phi dq, and dv its rate nu' = T' Phi dq + T Phi dv; Ad of the old chart's pose
    in the new one carries both.  ``old``, ``new`` are placements, q and v (n,) the motion before, ``after`` a row of
    it.
    """
    n, dq, dv = model.n, point.q.copy(), point.v.copy()
    for b, block in enumerate(model.topology.blocks):
        if old[b] == new[b]:
            continue
        own = slice(int(block["start"]), int(block["start"] + block["n"]))
        screws = model.parameters.screws[:, own]
        R, turn = new[b]["R"].T @ old[b]["R"], new[b]["R"].T @ (old[b]["p"] - new[b]["p"])
        T, Td = _operators(screws, q[own], v[own])
        nu, rate = T @ point.q[own], Td @ point.q[own] + T @ point.v[own]
        T, Td = _operators(screws, after[own], after[n : 2 * n][own])
        back = np.linalg.pinv(T)
        dq[own] = back @ _carried(R, turn, nu)
        dv[own] = back @ (_carried(R, turn, rate) - Td @ dq[own])
    return point._replace(q=dq, v=dv)


def _operators(screws: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """T(Omega) Phi and its time derivative, (6, k) each."""
    T, Td = tangent_rates(screws @ q, screws @ v)
    return T @ screws, Td @ screws


def _carried(R: Array, p: Array, X: Array) -> Array:
    """Ad_g X for columns X (6, m)."""
    w = R @ X[:3]
    return np.concatenate([w, R @ X[3:] + np.cross(p, w, axisb=0, axisc=0)])
