"""Arc-length continuation (Riks, Keller): following a curve of equilibria through limit points.

With x = (q_free, lambda) and a parameter s, the path F(x, s) = 0 is followed by its tangent and corrected across it by
Newton's method.  Weights make coordinates and s comparable.

Along the path the tangent stiffness on what loops allow is watched: an eigenvalue that crosses zero where s turns back
is a limit point; where s goes on, a bifurcation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from supple.checks import ask, shown
from supple.errors import StateError
from supple.model.constraints import loop_terms
from supple.solvers.inputs import check_tensions
from supple.solvers.rounding import NOTHING, ON_PATH, SAME_POINT
from supple.solvers.statics.reduced import allowed_directions
from supple.solvers.statics.search import find

if TYPE_CHECKING:
    from supple.model.model import Model

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
#: How well x is known where several eigenvalues vanish at once, beside its scales.
HELD = 1e-4
#: Part of F_s out of the range of F_x below which it is in it, but for rounding: a bifurcation.
IN_RANGE = 1e-4


#: Two points (x, s) of a path, between which it is critical.
Bracket: TypeAlias = tuple[tuple[Array, float], tuple[Array, float]]


class CriticalPoint(NamedTuple):
    """Where the tangent stiffness is singular."""

    kind: str  #: "limit" or "bifurcation"
    s: float  #: parameter
    q: Array  #: (n,)
    direction: Array  #: (n,) the direction that costs no force, of unit length
    after: int  #: index of the point of the path before it
    multipliers: Array  #: (nc,) of loops


class Tracer:
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

    def negative(self, x: Array, s: float) -> int:
        """How many eigenvalues have a negative real part."""
        return int((self.spectrum(x, s)[0].real < 0.0).sum())


def extended_rows(tracer: Tracer, x: Array, s: float, weights: Array) -> Array:
    """[F_x, F_s] (m, m + 1) in weighted unknowns (x / weights, s / scale)."""
    _, J, ds = tracer.tangents(x, s)
    return np.hstack([J * weights, (ds * tracer.scale)[:, None]])


def row_sizes(rows: Sequence[Array]) -> Array:
    """Lengths (m,) of the rows of matrices (m, m + 1) along a path, the largest of each.

    At a bifurcation all of a row may vanish: how small it is there, its neighbours tell.
    """
    sizes = np.max([np.linalg.norm(matrix, axis=1) for matrix in rows], axis=0)
    return np.where(sizes > 0.0, sizes, 1.0)


def direction(J: Array, ds: Array, weights: Array, scale: float, last: Array | None) -> Array:
    """Unit tangent (m + 1,) of the path in weighted unknowns (x / weights, s / scale)."""
    rows = np.hstack([J * weights, (ds * scale)[:, None]])
    tangent = np.linalg.svd(rows / row_sizes([rows])[:, None])[2][-1]
    if last is None:
        return np.asarray(tangent if tangent[-1] > 0.0 else -tangent)
    return np.asarray(tangent if tangent @ last > 0.0 else -tangent)


def turn(chord: Array, begin: Array, end: Array) -> float:
    """Smallest cosine between a step and the path's directions at its beginning and end."""
    chord = chord / np.linalg.norm(chord)
    return float(min(chord @ begin, chord @ end))


def correct(tracer: Tracer, x: Array, s: float, tangent: Array, weights: Array) -> tuple[Array, float, int] | None:
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


class Point(NamedTuple):
    """A point of a path."""

    x: Array  #: free coordinates and multipliers
    s: float
    spectrum: Array  #: real parts of the eigenvalues of the tangent stiffness


class Track(NamedTuple):
    """What was found of a path so far."""

    points: list[Point]
    critical: list[CriticalPoint]


def _says_stop(stop: Callable[[float, Array], bool], s: float, q: Array) -> bool:
    """What a user's function says."""
    said = ask(stop, (s, q), f"stop at s = {s:g}", StateError)
    if said is not None and not isinstance(said, (bool, np.bool_)):
        raise StateError(f"stop returned {shown(said)} at s = {s:g}; it must return True or False")
    return bool(said)


class Walk(NamedTuple):
    """How far to follow a path, and in which steps."""

    ends: Sequence[tuple[float, float]]  #: (s, sign): the path ends where s comes to lie there or beyond, in this sense
    length: float  #: of the first step
    longest: float  #: of any
    max_points: int
    stop: Callable[[float, Array], bool] | None


def weights_at(tracer: Tracer, x: Array, s: float) -> Array:
    """Sizes (m,) at which coordinates and multipliers, which are forces, count alike."""
    weights = np.ones(len(x))
    weights[len(tracer.free) :] = max(float(np.abs(tracer.tangents(x, s)[1]).max(initial=0.0)), NOTHING)
    return weights


def follow(tracer: Tracer, track: Track, tangent: Array, weights: Array, walk: Walk) -> tuple[bool, str]:
    """Go on from the last point of a track along its tangent.  Returns whether it came to an end, and what happened."""
    x, s, _ = track.points[-1]
    length = walk.length
    while len(track.points) < walk.max_points:
        found = correct(
            tracer, x + length * weights * tangent[:-1], s + length * tracer.scale * tangent[-1], tangent, weights
        )
        if found is None:
            length *= 0.5
            if length < 1e-7:
                return False, f"the path cannot be followed beyond s = {s:g}: Newton's method fails for any step"
            continue
        new_x, new_s, count = found
        _, J, ds = tracer.tangents(new_x, new_s)
        new_tangent = direction(J, ds, weights, tracer.scale, tangent)
        chord = np.append((new_x - x) / weights, (new_s - s) / tracer.scale)
        if turn(chord, tangent, new_tangent) < ALONG and length > SHORTEST:  # too long a step, or another branch
            length *= 0.5
            continue
        over = next((end for end, sign in walk.ends if (new_s - end) * sign >= 0.0), None)
        if over is not None:
            new_x, new_s = _end_point(tracer, new_x, new_s, over)
        check_tensions(tracer.model, tracer.u(new_s))
        _add_point(tracer, track, new_x, new_s, new_tangent[-1] * tangent[-1] < 0.0, weights)
        x, s, tangent = new_x, new_s, new_tangent
        if over is not None:
            return True, f"reached s = {over:g} in {len(track.points)} points"
        if walk.stop is not None and _says_stop(walk.stop, s, tracer.full(x, s)[0]):
            return True, f"stopped at s = {s:g}"
        length = min(length * min(2.0, (WISHED / count) ** 0.5 * 1.2), walk.longest)
    return False, f"{walk.max_points} points were not enough"


def _end_point(tracer: Tracer, x: Array, s: float, end: float) -> tuple[Array, float]:
    """The point at the end of the path, near one just beyond it; that one, if there is none."""
    q, lam = tracer.full(x, s)
    last = find(tracer.model, tracer.u(end), q, end, lam, tolerance=ON_PATH, globalise=False)
    if not last.converged:
        return x, s
    return np.concatenate([last.q[tracer.free], np.asarray(last.multipliers)]), end


def _add_point(tracer: Tracer, track: Track, x: Array, s: float, turned: bool, weights: Array) -> None:
    """Write a point down, and the critical ones before it if stability has changed."""
    before, spectrum = track.points[-1], tracer.spectrum(x, s)[0].real
    a, b, last = (before.x, before.s), (x, s), int((spectrum < 0.0).sum())
    ends = a, b
    count, brackets = int((before.spectrum < 0.0).sum()), list[Bracket]()
    while count != last and len(brackets) < len(spectrum):
        brackets.append(_bracket(tracer, a, b, count, weights))
        a = brackets[-1][1]
        count = tracer.negative(*a)
    for bracket in _apart(brackets, tracer.scale, weights):
        middle = 0.5 * (bracket[0][0] + bracket[1][0]), 0.5 * (bracket[0][1] + bracket[1][1])
        limit = turned if len(brackets) == 1 else _is_limit(tracer, (middle, *ends), weights)
        track.critical.append(_critical(tracer, *middle, limit, len(track.points) - 1))
    track.points.append(Point(x, s, spectrum))


def _apart(brackets: list[Bracket], scale: float, weights: Array) -> list[Bracket]:
    """Without those that hold the same point as the one before.

    Where several eigenvalues vanish at once, rounding lets them do so one by one, and as little holds x there.
    """
    kept = brackets[:1]
    for bracket in brackets[1:]:
        (x, s), (new_x, new_s) = kept[-1][1], bracket[0]
        if abs(new_s - s) > SAME_POINT * scale or np.linalg.norm((new_x - x) / weights) > HELD:
            kept.append(bracket)
    return kept


def _bracket(
    tracer: Tracer, a: tuple[Array, float], b: tuple[Array, float], count: int, weights: Array
) -> Bracket:
    """Bisect: two points between a and b, close together, the first alone with ``count`` negative eigenvalues."""
    chord = np.append((b[0] - a[0]) / weights, (b[1] - a[1]) / tracer.scale)
    chord /= np.linalg.norm(chord)
    for _ in range(BISECTIONS):
        middle = correct(tracer, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), chord, weights)
        # beside a bifurcation Newton's method may fail: there the chord is as good
        point = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])) if middle is None else (middle[0], middle[1])
        if tracer.negative(*point) == count:
            a = point
        else:
            b = point
        if np.linalg.norm((b[0] - a[0]) / weights) + abs(b[1] - a[1]) / tracer.scale < SAME_POINT:
            break
    return a, b


def _is_limit(tracer: Tracer, places: Sequence[tuple[Array, float]], weights: Array) -> bool:
    """Whether the path turns back at the first of some places on it: F_s is not in the range of F_x there."""
    rows = [extended_rows(tracer, x, s, weights) for x, s in places]
    here = rows[0] / row_sizes(rows)[:, None]
    left = np.linalg.svd(here[:, :-1])[0][:, -1]
    return bool(abs(left @ here[:, -1]) > IN_RANGE * np.linalg.norm(here[:, -1]))


def _critical(tracer: Tracer, x: Array, s: float, limit: bool, index: int) -> CriticalPoint:
    """What is told of a singular point."""
    values, vectors = tracer.spectrum(x, s)
    soft = vectors[:, int(np.abs(values).argmin())]
    q, lam = tracer.full(x, s)
    return CriticalPoint("limit" if limit else "bifurcation", s, q, soft / np.linalg.norm(soft), index, lam.copy())
