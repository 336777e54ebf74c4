"""Paths of equilibria under a growing load, through limit points, with stability and bifurcations.

Arc-length continuation (Riks, Keller): with x = (q_free, lambda) and a parameter s, the path F(x, s) = 0 is followed by
its tangent and corrected across it by Newton's method.  Weights make coordinates and s comparable.

Along the path the tangent stiffness on what loops allow is watched: an eigenvalue that crosses zero where s turns back
is a limit point; where s goes on, a bifurcation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import answer, ask, finite_float, shown
from supple.errors import ConvergenceError, Interrupted, ModelError, StateError
from supple.model.constraints import loop_terms
from supple.readouts.along import Readings
from supple.robot.summary import counted
from supple.solvers.inputs import check_tensions
from supple.solvers.rounding import NOTHING, ON_PATH, SAME_POINT
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.reduced import allowed_directions
from supple.solvers.statics.search import find, given_inputs, statics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supple.gradients.gradient import Gradient
    from supple.model.model import Model
    from supple.readouts.parts import State

Array = np.ndarray

#: Newton corrections of a point.
CORRECTIONS = 8
#: Corrections that are wished for: fewer lengthen the step.
WISHED = 4
#: Smallest cosine between a step and the path's directions at its ends.
ALONG = 0.9
#: Steps below this length may turn.
SHORTEST = 1e-4
#: Bisections towards a critical point.
BISECTIONS = 40


class CriticalPoint(NamedTuple):
    """Where the tangent stiffness is singular."""

    kind: str  #: "limit" or "bifurcation"
    s: float  #: parameter
    q: Array  #: (n,)
    direction: Array  #: (n,) the direction that costs no force, of unit length
    after: int  #: index of the point of the path before it


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumPath(Readings):
    """Equilibria along a path; read-outs have a leading axis of its K points.

    Attributes
    ----------
    s : (K,)
        Parameter.
    q : (K, n)
    multipliers : (K, nc)
    eigenvalues : (K,)
        Smallest (real part of an) eigenvalue of the tangent stiffness on what loops allow.
    negative : (K,)
        How many eigenvalues have a negative real part.
    critical : tuple of CriticalPoint
        Limit points and bifurcations, in order.
    reached : bool
        Whether the path came to its end; ``message`` says why not.
    """

    s: Array
    q: Array
    multipliers: Array
    eigenvalues: Array
    negative: Array
    critical: tuple[CriticalPoint, ...]
    reached: bool
    message: str
    inputs: Array  #: (K, nu)
    model: Model = field(repr=False)

    @property
    def stable(self) -> Array:
        """(K,) whether each point is stable."""
        return self.eigenvalues > 0.0

    def __len__(self) -> int:
        return len(self.s)

    def __repr__(self) -> str:
        span = f"s = {self.s[0]:g} to {self.s[-1]:g}" if len(self.s) else "empty"
        end = "" if self.reached else ", not to its end"
        found = f"{counted(len(self.s), 'point')}, {span}, {counted(len(self.critical), 'critical point')}"
        return f"<EquilibriumPath of {self.model.name!r}: {found}{end}>"

    def _need_model(self) -> Model:
        return self.model

    def _clock(self) -> tuple[Array, str]:
        return self.s, "parameter"

    def _states(self) -> list[State]:
        from supple.readouts.parts import make_state

        rows = zip(self.q, self.inputs, self.multipliers, self.s.tolist(), strict=True)
        return [make_state(self.model, q, u=u, lam=lam, t=s) for q, u, lam, s in rows]

    def at(self, s: float) -> Equilibrium:
        """The equilibrium at a parameter between two points, the first on the path."""
        s = finite_float(s, "s")
        for k in range(len(self.s) - 1):
            a, b = self.s[k], self.s[k + 1]
            if min(a, b) <= s <= max(a, b):
                x = (s - a) / (b - a) if b != a else 0.0
                q = (1.0 - x) * self.q[k] + x * self.q[k + 1]
                lam = (1.0 - x) * self.multipliers[k] + x * self.multipliers[k + 1]
                u = (1.0 - x) * self.inputs[k] + x * self.inputs[k + 1]
                return statics(self.model, u, q, s, lam, 1e-10, 60, False)
        raise ModelError(f"s = {s:g} is not on the path, which goes from {self.s.min():g} to {self.s.max():g}")

    def point(self, k: int) -> Equilibrium:
        """The k-th point of the path as an equilibrium of its own."""
        return statics(self.model, self.inputs[k], self.q[k], float(self.s[k]), self.multipliers[k], 1e-10, 60, False)

    def vjp(
        self,
        q: ArrayLike | None = None,
        *,
        multipliers: ArrayLike | None = None,
        pose: Mapping[tuple[str, float], ArrayLike] | None = None,
    ) -> Gradient:
        """The gradient of a scalar of all points, from its derivatives by what the robot does there, at given s.

        Parameters
        ----------
        q, multipliers : (K, n), (K, nc), optional
            Derivatives of the scalar by each point.
        pose : {(link, s): (K, 6)}, optional
            Derivatives by poses of stations, as for `Equilibrium.vjp`.

        Returns
        -------
        Gradient
            ``u`` (K, nu) and ``prescribed`` (K, ne) point by point, ``p`` of all of them together.  Points whose
            derivatives are all zero are not looked at: a limit point among them does no harm.
        """
        from supple.gradients.path import path_vjp

        return path_vjp(self, q, multipliers, pose)


class _Tracer:
    """Residual, tangents and weights of one path."""

    def __init__(self, model: Model, u: Callable[[float], Array], scale: float) -> None:
        self.model, self.u, self.scale = model, u, scale
        self.free = model.free_coordinates
        self.zero = np.zeros(model.n)

    def full(self, x: Array, s: float) -> tuple[Array, Array]:
        """q and multipliers of an unknown x."""
        q = np.zeros(self.model.n)
        q[self.free] = x[: len(self.free)]
        for joint in self.model.prescribed:
            q[list(joint.coordinates)] = joint.motion(s)[0]
        return q, x[len(self.free) :]

    def residual(self, x: Array, s: float) -> Array:
        """F = (R, e), (m,)."""
        q, lam = self.full(x, s)
        R = self.model.residual(q, self.zero, self.zero, self.u(s), lam, s)[self.free]
        return R if not self.model.nc else np.concatenate([R, self.model.loop_error(q)])

    def tangents(self, x: Array, s: float) -> tuple[Array, Array, Array]:
        """F, dF/dx and dF/ds (by central differences)."""
        model, free = self.model, self.free
        q, lam = self.full(x, s)
        R, T = model.residual_tangent(q, self.zero, self.zero, self.u(s), lam, s)
        F, J = R[free], T[np.ix_(free, free)]
        if model.nc:
            terms = loop_terms(model, q, self.zero, self.zero, model.loops)
            A, E = terms.jacobian[:, free], terms.error_derivative[:, free]
            F = np.concatenate([F, terms.error])
            J = np.block([[J, -A.T], [E, np.zeros((model.nc, model.nc))]])
        h = 1e-6 * self.scale
        ds = (self.residual(x, s + h) - self.residual(x, s - h)) / (2.0 * h)
        return F, J, ds

    def spectrum(self, x: Array, s: float) -> tuple[Array, Array]:
        """Eigenvalues (by rising real part) and vectors (n, k) of the tangent stiffness on what is allowed."""
        q, lam = self.full(x, s)
        T = self.model.residual_tangent(q, self.zero, self.zero, self.u(s), lam, s)[1]
        basis = allowed_directions(self.model, q)
        values, vectors = np.linalg.eig(basis.T @ T @ basis)
        order = np.argsort(values.real)
        return values[order], basis @ vectors[:, order].real


def equilibrium_path(
    model: Model,
    u: Any,
    s: tuple[float, float],
    q0: ArrayLike | None,
    step: float | None,
    max_step: float | None,
    max_points: int,
    stop: Callable[[float, Array], bool] | None,
) -> EquilibriumPath:
    """See `Model.equilibrium_path`."""
    begin, end = s
    law = _law(model, u, begin, end)
    tracer = _Tracer(model, law, abs(end - begin))
    start = find(model, law(begin), q0, begin, tolerance=ON_PATH, globalise=False)  # stable or not, near q0
    if not start.converged:
        start = find(model, law(begin), q0, begin, tolerance=ON_PATH)
    if not start.converged:
        raise ConvergenceError(f"the path has no beginning: {start.message}")
    x = np.concatenate([start.q[tracer.free], np.asarray(start.multipliers)])
    return _trace(tracer, x, begin, end, step, max_step, max_points, stop)


def _law(model: Model, u: Any, begin: float, end: float) -> Callable[[float], Array]:
    """Inputs as a function of the parameter: given as such, or growing in proportion from the beginning to the end."""
    if callable(u):
        return lambda s: answer(ask(u, (s,), f"u at s = {s:g}", StateError), model.nu, "u", s, "s")
    final = given_inputs(model, u)
    return lambda s: final * ((s - begin) / (end - begin))


def _says_stop(stop: Callable[[float, Array], bool], s: float, q: Array) -> bool:
    """What a user's function says."""
    said = ask(stop, (s, q), f"stop at s = {s:g}", StateError)
    if said is not None and not isinstance(said, (bool, np.bool_)):
        raise StateError(f"stop returned {shown(said)} at s = {s:g}; it must return True or False")
    return bool(said)


def _direction(J: Array, ds: Array, weights: Array, scale: float, last: Array | None) -> Array:
    """Unit tangent (m + 1,) of the path in weighted unknowns (x / weights, s / scale)."""
    rows = np.hstack([J * weights, (ds * scale)[:, None]])
    sizes = np.linalg.norm(rows, axis=1)
    rows /= np.where(sizes > 0.0, sizes, 1.0)[:, None]
    tangent = np.linalg.svd(rows)[2][-1]
    if last is None:
        return np.asarray(tangent if tangent[-1] > 0.0 else -tangent)
    return np.asarray(tangent if tangent @ last > 0.0 else -tangent)


def _turn(chord: Array, begin: Array, end: Array) -> float:
    """Smallest cosine between a step and the path's directions at its beginning and end."""
    chord = chord / np.linalg.norm(chord)
    return float(min(chord @ begin, chord @ end))


def _correct(tracer: _Tracer, x: Array, s: float, tangent: Array, weights: Array) -> tuple[Array, float, int] | None:
    """Newton's method on F = 0 across the tangent.  Returns point and corrections, or None."""
    m = len(x)
    before = np.inf
    for k in range(CORRECTIONS):
        F, J, ds = tracer.tangents(x, s)
        matrix = np.zeros((m + 1, m + 1))
        matrix[:m, :m], matrix[:m, m] = J * weights, ds * tracer.scale
        matrix[m] = tangent
        sizes = np.abs(matrix).max(axis=1)
        sizes[sizes == 0.0] = 1.0
        try:
            delta = np.linalg.solve(matrix / sizes[:, None], np.append(-F, 0.0) / sizes)
        except np.linalg.LinAlgError:
            return None
        size = float(np.linalg.norm(delta))
        if not np.isfinite(size) or (k > 1 and size > 2.0 * before):
            return None
        x, s, before = x + weights * delta[:m], s + tracer.scale * delta[m], size
        if size < SAME_POINT:
            return x, s, k + 1
    return None


class _Point(NamedTuple):
    """A point of a path."""

    x: Array  #: free coordinates and multipliers
    s: float
    spectrum: Array  #: real parts of the eigenvalues of the tangent stiffness


class _Track(NamedTuple):
    """What was found of a path so far."""

    points: list[_Point]
    critical: list[CriticalPoint]


def _trace(
    tracer: _Tracer,
    x: Array,
    begin: float,
    end: float,
    step: float | None,
    max_step: float | None,
    max_points: int,
    stop: Callable[[float, Array], bool] | None,
) -> EquilibriumPath:
    """Follow the path from x at ``begin``; what there is of it is kept if Ctrl-C comes in between."""
    track = _Track([_Point(x, begin, tracer.spectrum(x, begin)[0].real)], [])
    try:
        reached, message = _follow(tracer, track, end, step or 0.05, max_step or 0.5, max_points, stop)
    except KeyboardInterrupt:
        message = f"interrupted at s = {track.points[-1].s:g} after {len(track.points)} points"
        raise Interrupted(f"{message}, which are kept in .result", _path(tracer, track, False, message)) from None
    return _path(tracer, track, reached, message)


def _follow(
    tracer: _Tracer,
    track: _Track,
    end: float,
    length: float,
    longest: float,
    max_points: int,
    stop: Callable[[float, Array], bool] | None,
) -> tuple[bool, str]:
    """Go on from the first point of a track.  Returns whether the path came to its end, and what happened."""
    x, s, _ = track.points[0]
    sign, weights = np.sign(end - s), np.ones(len(x))
    _, J, ds = tracer.tangents(x, s)
    weights[len(tracer.free) :] = max(float(np.abs(J).max()), NOTHING)  # multipliers are forces
    tangent = _direction(J, ds, weights, tracer.scale, None) * sign
    tangent = tangent if tangent[-1] * sign > 0.0 else -tangent
    while len(track.points) < max_points:
        found = _correct(
            tracer, x + length * weights * tangent[:-1], s + length * tracer.scale * tangent[-1], tangent, weights
        )
        if found is None:
            length *= 0.5
            if length < 1e-7:
                return False, f"the path cannot be followed beyond s = {s:g}: Newton's method fails for any step"
            continue
        new_x, new_s, count = found
        _, J, ds = tracer.tangents(new_x, new_s)
        new_tangent = _direction(J, ds, weights, tracer.scale, tangent)
        chord = np.append((new_x - x) / weights, (new_s - s) / tracer.scale)
        if _turn(chord, tangent, new_tangent) < ALONG and length > SHORTEST:  # too long a step, or another branch
            length *= 0.5
            continue
        over = (new_s - end) * sign >= 0.0
        if over:
            new_x, new_s = _end_point(tracer, new_x, new_s, end)
        check_tensions(tracer.model, tracer.u(new_s))
        _add_point(tracer, track, new_x, new_s, new_tangent[-1] * tangent[-1] < 0.0, weights)
        x, s, tangent = new_x, new_s, new_tangent
        if over:
            return True, f"reached s = {end:g} in {len(track.points)} points"
        if stop is not None and _says_stop(stop, s, tracer.full(x, s)[0]):
            return True, f"stopped at s = {s:g}"
        length = min(length * min(2.0, (WISHED / count) ** 0.5 * 1.2), longest)
    return False, f"{max_points} points were not enough"


def _end_point(tracer: _Tracer, x: Array, s: float, end: float) -> tuple[Array, float]:
    """The point at the end of the path, near one just beyond it; that one, if there is none."""
    q, lam = tracer.full(x, s)
    last = find(tracer.model, tracer.u(end), q, end, lam, tolerance=ON_PATH, globalise=False)
    if not last.converged:
        return x, s
    return np.concatenate([last.q[tracer.free], np.asarray(last.multipliers)]), end


def _add_point(tracer: _Tracer, track: _Track, x: Array, s: float, turned: bool, weights: Array) -> None:
    """Write a point down, and the critical one before it if stability has changed."""
    before, spectrum = track.points[-1], tracer.spectrum(x, s)[0].real
    if (spectrum < 0.0).sum() != (before.spectrum < 0.0).sum():
        ends = (before.x, before.s), (x, s)
        track.critical.append(_critical(tracer, *ends, turned, len(track.points) - 1, weights))
    track.points.append(_Point(x, s, spectrum))


def _path(tracer: _Tracer, track: _Track, reached: bool, message: str) -> EquilibriumPath:
    """The path that a track is."""
    points, count = track.points, len(track.points)
    states = [tracer.full(point.x, point.s) for point in points]
    return EquilibriumPath(
        s=np.array([point.s for point in points]),
        q=np.array([q for q, _ in states]),
        multipliers=np.array([lam for _, lam in states]).reshape(count, -1),
        eigenvalues=np.array([point.spectrum.min(initial=np.inf) for point in points]),
        negative=np.array([(point.spectrum < 0.0).sum() for point in points]),
        critical=tuple(point for point in track.critical if point.after < count - 1),
        reached=reached,
        message=message,
        inputs=np.array([tracer.u(point.s) for point in points]).reshape(count, -1),
        model=tracer.model,
    )


def _critical(
    tracer: _Tracer, a: tuple[Array, float], b: tuple[Array, float], turned: bool, index: int, weights: Array
) -> CriticalPoint:
    """Bisect for the point between a and b where the number of negative eigenvalues changes."""
    count = (tracer.spectrum(*a)[0].real < 0.0).sum()
    chord = np.append((b[0] - a[0]) / weights, (b[1] - a[1]) / tracer.scale)
    chord /= np.linalg.norm(chord)
    for _ in range(BISECTIONS):
        middle = _correct(tracer, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), chord, weights)
        if middle is None:
            break
        point = middle[0], middle[1]
        if (tracer.spectrum(*point)[0].real < 0.0).sum() == count:
            a = point
        else:
            b = point
        if np.linalg.norm((b[0] - a[0]) / weights) + abs(b[1] - a[1]) / tracer.scale < SAME_POINT:
            break
    x, s = 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])
    values, vectors = tracer.spectrum(x, s)
    soft = vectors[:, int(np.abs(values).argmin())]
    return CriticalPoint(
        "limit" if turned else "bifurcation", s, tracer.full(x, s)[0], soft / np.linalg.norm(soft), index
    )
