"""Leaving a path of equilibria where another one crosses it.

At a simple bifurcation [F_x, F_s] has two null vectors instead of one, and one left null vector psi.  A curve through
the point with direction y in the plane of the null vectors satisfies the algebraic bifurcation equation ([KELLER])

    psi . F''(y, y) = 0,

a quadratic form on a plane: two directions, one of them that of the path.  With t the path's direction, as its points
on both sides tell it, p the unit null vector across it, and y = p + g t,

    c_tt g^2 + 2 c_tp g + c_pp = 0,     c_ab = psi . F''(a, b),

whose other root (g large) is the path itself.  F'' comes from differences of the exact tangent along t and p.  The
first point of the branch is corrected at a given distance along p, where the path itself never is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import shown, whole_number
from supple.errors import Interrupted, ModelError, SingularError
from supple.robot.summary import counted
from supple.solvers.statics.arc_length import (
    CriticalPoint,
    Point,
    Tracer,
    Track,
    correct,
    direction,
    extended_rows,
    follow,
    row_sizes,
    weights_at,
)
from supple.solvers.statics.continuation import EquilibriumPath, path_of, walk_of

if TYPE_CHECKING:
    from supple.solvers.options import PathOptions

Array = np.ndarray

#: Part of the path's step around a bifurcation within which directions that give way do so at once.
BESIDE = 1e-3
#: Step of differences of the tangent, in weighted unknowns.
DIFFERENCE = 1e-4
#: Shares of c_tp, beside the other second derivatives, below which paths do not cross.
CROSSING = 1e-6
#: Smallest first step onto a branch; smallest cosine between it and the direction of the branch.
NEAREST, ALONG = 1e-4, 0.8


class Crossing(NamedTuple):
    """Where two paths cross, in weighted unknowns (x / weights, s / scale)."""

    x: Array
    s: float
    weights: Array
    across: Array  #: (m + 1,) unit null vector across the path
    tangent: Array  #: (m + 1,) unit direction of the other path


def branches(
    path: EquilibriumPath, at: int | CriticalPoint, options: PathOptions
) -> tuple[EquilibriumPath, EquilibriumPath]:
    """See `EquilibriumPath.branches`."""
    tracer, point = _tracer(path), _chosen(path, at)
    low, high = min(options.s), max(options.s)
    if not low < point.s < high:
        raise ModelError(f"s is {options.s}, but the bifurcation is at s = {point.s:g}: give a range around it")
    crossing = _crossing(path, point)
    walk, found = walk_of(options, [(low, -1.0), (high, 1.0)]), list[EquilibriumPath]()
    spectrum = tracer.spectrum(crossing.x, crossing.s)[0].real
    for sign in (1.0, -1.0):
        track = Track([Point(crossing.x, crossing.s, spectrum)], [])
        try:
            tangent = _step_off(tracer, track, crossing, sign, walk.length)
            found.append(path_of(tracer, track, *follow(tracer, track, tangent, crossing.weights, walk)))
        except KeyboardInterrupt:
            message = f"interrupted at s = {track.points[-1].s:g} after {len(track.points)} points"
            found.append(path_of(tracer, track, False, message))
            raise Interrupted(f"{message}, which are kept in .result", tuple(found)) from None
    return found[0], found[1]


def _tracer(path: EquilibriumPath) -> Tracer:
    """The equations of a path."""
    if path.tracer is None:
        raise ModelError(
            "this path was pickled, and its inputs are a function that cannot be: follow it again by "
            "model.equilibrium_path, or give inputs as numbers or as a function of a module"
        )
    return path.tracer


def _chosen(path: EquilibriumPath, at: int | CriticalPoint) -> CriticalPoint:
    """The bifurcation that is meant."""
    if isinstance(at, CriticalPoint):
        chosen = next((point for point in path.critical if point is at), None)
        if chosen is None:
            raise ModelError(f"at is the {at.kind} at s = {at.s:g}, which is not one of path.critical")
    else:
        if not path.critical:
            raise ModelError(f"at is {shown(at)}, but the path has no critical points")
        chosen = path.critical[whole_number(at, "at", 0, len(path.critical) - 1)]
    if chosen.kind != "bifurcation":
        raise ModelError(
            f"at is the limit point at s = {chosen.s:g}: no other path goes through it, this one turns back there"
        )
    return chosen


def _crossing(path: EquilibriumPath, point: CriticalPoint) -> Crossing:
    """Solve the algebraic bifurcation equation."""
    tracer = _tracer(path)
    x = np.concatenate([point.q[tracer.free], point.multipliers])
    weights = weights_at(tracer, x, point.s)
    a, b = (_unknowns(path, k) for k in (point.after, point.after + 1))
    near = [extended_rows(tracer, *place, weights) for place in ((x, point.s), a, b)]
    sizes = row_sizes(near)[:, None]
    left, _, right = np.linalg.svd(near[0] / sizes)
    plane = right[-2:]
    chord = np.append((b[0] - a[0]) / weights, (b[1] - a[1]) / tracer.scale)
    along = plane.T @ (plane @ chord)
    along /= np.linalg.norm(along)
    _check_single(tracer, point, weights, BESIDE * chord)
    across = plane.T @ np.array([-plane[1] @ along, plane[0] @ along])

    def bend(y: Array) -> Array:
        """psi . F''(y, .), (m + 1,)."""
        ahead, behind = (
            extended_rows(tracer, x + h * weights * y[:-1], point.s + h * tracer.scale * y[-1], weights)
            for h in (DIFFERENCE, -DIFFERENCE)
        )
        return np.asarray(left[:, -1] @ ((ahead - behind) / sizes) / (2.0 * DIFFERENCE))

    by_along, by_across = bend(along), bend(across)
    tt, tp, pp = by_along @ along, 0.5 * (by_along @ across + by_across @ along), by_across @ across
    inside = tp * tp - tt * pp
    n = len(tracer.free)  # not by multipliers: forces of loops are of another size
    others = max(np.linalg.norm(np.append(by[:n], by[-1])) for by in (by_along, by_across))
    if abs(tp) <= CROSSING * others or inside <= 0.0:
        raise SingularError(
            f"at s = {point.s:g} no second path crosses this one: stiffness vanishes there without changing its sign "
            "along the path, or paths touch"
        )
    tangent = across - along * pp / (tp + np.copysign(np.sqrt(inside), tp))
    return Crossing(x, point.s, weights, across, tangent / np.linalg.norm(tangent))


def _check_single(tracer: Tracer, point: CriticalPoint, weights: Array, step: Array) -> None:
    """Refuse a point at which several directions give way: as many eigenvalues change their sign along a step (m + 1,).

    Singular values would tell as well if all were of one size, but bending may be a million times softer than stretch.
    """
    x = np.concatenate([point.q[tracer.free], point.multipliers])
    counts = [
        tracer.negative(x + sign * weights * step[:-1], point.s + sign * tracer.scale * step[-1])
        for sign in (-1.0, 1.0)
    ]
    missing = abs(counts[1] - counts[0])
    if missing > 1:
        raise SingularError(
            f"at s = {point.s:g} {counted(missing, 'direction')} give way at once, so that more than two paths meet: "
            "no single one can be named; let the modes come apart by a small change of the robot (another second "
            "moment, a spring), or start paths of their own from equilibria of model.statics_all"
        )


def _unknowns(path: EquilibriumPath, k: int) -> tuple[Array, float]:
    """x (m,) and s of the k-th point of a path."""
    return np.concatenate([path.q[k][path.model.free_coordinates], path.multipliers[k]]), float(path.s[k])


def _step_off(tracer: Tracer, track: Track, crossing: Crossing, sign: float, length: float) -> Array:
    """Put the first point beside a crossing on a track.  Returns the unit direction (m + 1,) of the branch there.

    Stability at the crossing itself is that of neither side, so it is not compared with that of the first point.
    """
    weights, ahead = crossing.weights, sign * crossing.tangent
    while length > NEAREST:
        x = crossing.x + length * weights * ahead[:-1]
        found = correct(tracer, x, crossing.s + length * tracer.scale * ahead[-1], crossing.across, weights)
        if found is not None:
            x, s, _ = found
            chord = np.append((x - crossing.x) / weights, (s - crossing.s) / tracer.scale)
            if chord @ ahead > ALONG * np.linalg.norm(chord):
                track.points.append(Point(x, s, tracer.spectrum(x, s)[0].real))
                return direction(*tracer.tangents(x, s)[1:], weights, tracer.scale, chord)
        length *= 0.5
    raise SingularError(f"the branch at s = {crossing.s:g} cannot be entered: Newton's method fails beside it")
