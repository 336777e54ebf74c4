"""Rest shapes: the strain of a rod that is curved when nothing acts on it, from an arc, a helix or any curve.

What these functions return is what ``Rod(rest_strain=...)`` takes, in physical units (1/m and 1), the stretch being 1:
a (6,) vector, or a function of the station s in [0, 1].  Lengths and radii are in metres.

**Frames.**  A curve says where the centreline runs, not how sections turn about it.  Two choices:

* ``"parallel"``: sections do not twist about the tangent (rotation-minimising; torsion 0), and the direction in which
  the rod bends turns through the section.  Right for what is bent without twisting it, and at points without curvature.
* ``"frenet"``: y of the section always points where the curve bends (torsion is that of the curve, bend_y is 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, finite_float, positive_float, read_only, real_array
from supple.errors import ModelError
from supple.lie.pose import pose

#: Directions in a section, as angles from y towards z.
_TOWARD = {"y": 0.0, "z": 0.5 * math.pi, "-y": math.pi, "-z": 1.5 * math.pi}

#: Degrees tried for a curve given as a function, and the size of the last coefficients at which to stop.
DEGREES, SMOOTH = (16, 32, 64, 128, 256, 512), 1e-13

#: Cells in which arc length is tabulated, and Gauss nodes in each.
CELLS, NODES = 256, 8

#: Relative difference between a rod's length and that of its rest curve that is taken for rounding.
SAME_LENGTH = 1e-6


def arc(
    radius: float | None = None, *, angle: float | None = None, length: float | None = None, toward: str | float = "z"
) -> Array:
    """Rest strain (6,) of a circular arc.

    Parameters
    ----------
    radius : float
        Of the arc, m; or instead
    angle, length : float
        Angle [rad] through which a rod of that length [m] turns from base to tip.
    toward : "y", "z", "-y", "-z" or float
        Direction in the section towards which it bends, or its angle [rad] from y towards z.

    Examples
    --------
    >>> arc(0.5, toward="y").tolist()
    [0.0, -0.0, 2.0, 1.0, 0.0, 0.0]
    """
    if (radius is None) == (angle is None) or (angle is None) != (length is None):
        raise ModelError("rest.arc: give either a radius, or an angle and a length")
    if radius is not None:
        curvature = 1.0 / positive_float(radius, "rest.arc: radius", "m")
    else:
        curvature = finite_float(angle, "rest.arc: angle") / positive_float(length, "rest.arc: length", "m")
    if isinstance(toward, str):
        if toward not in _TOWARD:
            raise ModelError(f"rest.arc: toward is {toward!r}, must be one of {', '.join(_TOWARD)} or an angle")
        way = np.round([math.cos(_TOWARD[toward]), math.sin(_TOWARD[toward])])
    else:
        angle_of = finite_float(toward, "rest.arc: toward")
        way = np.array([math.cos(angle_of), math.sin(angle_of)])
    return read_only(_strain(0.0, curvature * way[0], curvature * way[1]))


def helix(
    radius: float, pitch: float, *, left: bool = False, frame: str = "frenet", length: float | None = None
) -> Array | Callable[[float], Array]:
    """Rest strain of a helix.

    Parameters
    ----------
    radius : float
        Of the cylinder on which the centreline lies, m.
    pitch : float
        Advance per turn, m; 0 is a ring.
    left : bool
        A left-handed helix.
    frame : "frenet" or "parallel"
        How sections turn (see above). With "frenet" the strain is constant.
    length : float, optional
        Of the rod, m; needed for "parallel" alone, whose bending turns along the rod.

    Returns
    -------
    (6,) or callable of s
        y of the base section points to the helix's axis.

    Notes
    -----
    With c = pitch / (2 pi): curvature r / (r^2 + c^2), torsion c / (r^2 + c^2). `helix_base` says where the base is.
    """
    r = positive_float(radius, "rest.helix: radius", "m")
    c = finite_float(pitch, "rest.helix: pitch") / (2.0 * math.pi)
    if c < 0.0:
        raise ModelError(f"rest.helix: pitch is {pitch:g} m, must not be negative: use left=True for the other hand")
    curvature, torsion = r / (r * r + c * c), (-c if left else c) / (r * r + c * c)
    if _frame(frame, "rest.helix") == "frenet":
        return read_only(_strain(torsion, curvature, 0.0))
    if length is None:
        raise ModelError('rest.helix: frame="parallel" needs the length of the rod: its bending turns along it')
    return _Turning(curvature, torsion * positive_float(length, "rest.helix: length", "m"))


def helix_base(radius: float, pitch: float, *, left: bool = False) -> Array:
    """Pose (4, 4) of the base of a rod with the rest strain of `helix`, in a frame whose x is the helix's axis.

    The base lies at (0, -radius, 0): ``robot.add_link("coil", rod, at=sp.rest.helix_base(0.02, 0.01))``.
    """
    r = positive_float(radius, "rest.helix_base: radius", "m")
    c = finite_float(pitch, "rest.helix_base: pitch") / (2.0 * math.pi)
    w, hand = math.hypot(r, c), -1.0 if left else 1.0
    t, b = np.array([c, 0.0, -hand * r]) / w, np.array([hand * r, 0.0, c]) / w
    return pose((0.0, -r, 0.0), rotation=np.column_stack([t, (0.0, 1.0, 0.0), b]))


def curve(
    path: ArrayLike | Callable[[float], ArrayLike], *, frame: str = "parallel", toward: ArrayLike = (0.0, 0.0, 1.0)
) -> Curve:
    """Rest strain of a rod along any smooth curve in space.

    Parameters
    ----------
    path : (M, 3) or callable
        Points in order, at least 4, m (joined by splines), or a function of u in [0, 1] -> (3,), at any speed.
    frame : "parallel" or "frenet"
        How sections turn (see above); "frenet" needs a function, and curvature everywhere.
    toward : (3,)
        With "parallel": y of the base section points as nearly this way as it can.

    Returns
    -------
    Curve
        A function of s in [0, 1] -> (6,), which also knows the ``length`` that the rod must have and the pose ``base``
        (4, 4) of its base: ``Rod(shape.length, ..., rest_strain=shape)``, ``add_link(..., at=shape.base)``.
    """
    kind = _frame(frame, "rest.curve")
    if callable(path):
        return Curve(_Fitted(path), kind, toward)
    if kind == "frenet":
        raise ModelError('rest.curve: frame="frenet" needs third derivatives: give the curve as a function')
    return Curve(_Spline(path), kind, toward)


class Curve:
    """A rest strain along a curve, as `curve` makes it: s -> (6,).

    Attributes
    ----------
    length : float
        Arc length, m: that of the rod.
    base : (4, 4)
        Pose of the base section in the frame in which the curve was given.
    """

    def __init__(self, path: _Path, frame: str, toward: ArrayLike) -> None:
        self._path, self._frame = path, frame
        self._u = np.linspace(0.0, 1.0, CELLS + 1)
        arcs = self._arc(self._u[:-1], self._u[1:])
        self._arcs = np.concatenate([[0.0], np.cumsum(arcs)])
        self.length = float(self._arcs[-1])
        if not self.length > 0.0 or arcs.min() < 1e-9 * self.length:
            raise ModelError("rest.curve: the curve stands still somewhere: its points must all differ")
        self.base = self._base(finite_array(toward, (3,), "rest.curve: toward"))
        self._across = self._transported() if frame == "parallel" else None

    def __call__(self, s: float | Array) -> Array:
        """Strain at station s, (6,); at stations (M,), (M, 6)."""
        stations = np.atleast_1d(np.asarray(s, dtype=np.float64))
        if not np.all((stations >= -SAME_LENGTH) & (stations <= 1.0 + SAME_LENGTH)):
            raise ModelError(f"rest.curve: s is {s!r}, must lie between 0 and 1")
        u = self.parameter(np.clip(stations, 0.0, 1.0))
        tangent, bend = self._bend(u)
        strains = np.zeros((len(u), 6))
        strains[:, 3] = 1.0
        if self._across is None:
            r1, r2, r3 = self._path.derivatives(u)
            normal = np.cross(r1, r2)
            strains[:, 0] = np.einsum("ij,ij->i", normal, r3) / np.einsum("ij,ij->i", normal, normal)
            strains[:, 2] = np.linalg.norm(bend, axis=1)
        else:
            y = np.asarray(self._across(u)).T
            y -= np.einsum("ij,ij->i", y, tangent)[:, None] * tangent
            y /= np.linalg.norm(y, axis=1)[:, None]
            strains[:, 1] = -np.einsum("ij,ij->i", bend, np.cross(tangent, y))
            strains[:, 2] = np.einsum("ij,ij->i", bend, y)
        return strains[0] if np.ndim(s) == 0 else strains

    def parameter(self, s: Array) -> Array:
        """U at stations s (M,): where the given path has covered that part of its length."""
        wanted = s * self.length
        cell = np.clip(np.searchsorted(self._arcs, wanted, side="right") - 1, 0, CELLS - 1)
        a, left = self._u[cell], wanted - self._arcs[cell]
        u = a + left / (self._arcs[cell + 1] - self._arcs[cell]) / CELLS
        for _ in range(6):  # Newton's method within a cell, where the speed hardly varies
            u = u - (self._arc(a, u) - left) / np.linalg.norm(self._path.derivatives(u)[0], axis=-1)
        return np.asarray(u)

    def _arc(self, a: Array, b: Array) -> Array:
        """Lengths from u = a to b, each (M,), within a cell."""
        x, w = np.polynomial.legendre.leggauss(NODES)
        u = a[:, None] + (b - a)[:, None] * (0.5 * (x + 1.0))
        speeds = np.linalg.norm(self._path.derivatives(u)[0], axis=-1)
        return np.asarray(0.5 * (b - a) * (speeds @ w))

    def _bend(self, u: Array) -> tuple[Array, Array]:
        """Unit tangents t and dt per metre at u (M,), each (M, 3)."""
        r1, r2, _ = self._path.derivatives(u)
        speed = np.linalg.norm(r1, axis=-1)[..., None]
        t = r1 / speed
        along = np.einsum("...j,...j->...", r2, t)[..., None]
        return t, (r2 - along * t) / speed**2

    def _base(self, toward: Array) -> Array:
        tangents, bends = self._bend(self._u)
        t = tangents[0]
        if self._frame == "frenet":
            if np.linalg.norm(bends, axis=1).min() * self.length < 1e-6:
                raise ModelError('rest.curve: the curve is straight somewhere: use frame="parallel"')
            y = bends[0]
        else:
            y = toward - (toward @ t) * t
            if np.linalg.norm(y) < 1e-6 * max(float(np.linalg.norm(toward)), 1e-300):
                least = np.eye(3)[np.argmin(np.abs(t))]  # any direction across will do
                y = least - (least @ t) * t
        y = y / np.linalg.norm(y)
        return pose(self._path(0.0), rotation=np.column_stack([t, y, np.cross(t, y)]))

    def _transported(self) -> Callable[[Array], Array]:
        """Y of the sections along the curve: dy/du = -(y . dt/du) t."""
        from scipy.integrate import solve_ivp  # type: ignore[import-untyped]

        def turn(u: float, y: Array) -> Array:
            t, bend = self._bend(np.asarray(u))
            speed = float(np.linalg.norm(self._path.derivatives(np.asarray(u))[0]))
            return np.asarray(-speed * (y @ bend) * t)

        options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "dense_output": True, "max_step": 0.02}
        return solve_ivp(turn, (0.0, 1.0), self.base[:3, 1], **options).sol  # type: ignore[no-any-return]


class _Turning:
    """Constant curvature whose direction turns evenly, by an angle from base to tip."""

    def __init__(self, curvature: float, angle: float) -> None:
        self._curvature, self._angle = curvature, angle

    def __call__(self, s: float) -> Array:
        """Strain at s, (6,)."""
        return _strain(0.0, self._curvature * math.cos(self._angle * s), self._curvature * math.sin(self._angle * s))


class _Path:
    """A curve of u in [0, 1] with three derivatives."""

    def __call__(self, u: float) -> Array:
        """Position, (3,)."""
        raise NotImplementedError

    def derivatives(self, u: Any) -> tuple[Array, Array, Array]:
        """By u, each (..., 3) for u of any shape."""
        raise NotImplementedError


class _Spline(_Path):
    """Splines through points, u proportional to the sum of chords."""

    def __init__(self, points: Any) -> None:
        from scipy.interpolate import make_interp_spline  # type: ignore[import-untyped]

        given = real_array(points, "rest.curve: path")
        if given.ndim != 2 or given.shape[1] != 3 or len(given) < 4:
            raise ModelError(
                f"rest.curve: path has shape {given.shape}, must be at least 4 points (M, 3), or a function"
            )
        finite_array(given, given.shape, "rest.curve: path")
        chords = np.linalg.norm(np.diff(given, axis=0), axis=1)
        if not chords.min() > 0.0:
            raise ModelError("rest.curve: two neighbouring points coincide, all must differ")
        u = np.concatenate([[0.0], np.cumsum(chords)]) / chords.sum()
        u[-1] = 1.0
        # of the fifth order where there are points enough: then the curvature is smooth between them
        self._position = make_interp_spline(u, given, k=5 if len(given) > 5 else 3)

    def __call__(self, u: float) -> Array:
        """Position, (3,)."""
        return np.asarray(self._position(u))

    def derivatives(self, u: Any) -> tuple[Array, Array, Array]:
        """By u, each (..., 3)."""
        first, second, third = (np.asarray(self._position(u, k)) for k in (1, 2, 3))
        return first, second, third


class _Fitted(_Path):
    """A user's function, replaced by a Chebyshev series that matches it to rounding."""

    def __init__(self, function: Callable[[float], ArrayLike]) -> None:
        def at(u: float) -> Array:
            return finite_array(function(u), (3,), f"rest.curve: path at u = {u:.3g}")

        chebyshev = np.polynomial.chebyshev
        for degree in DEGREES:
            x = chebyshev.chebpts1(degree + 1)
            values = np.array([at(u) for u in (0.5 * (x + 1.0)).tolist()])
            series = chebyshev.chebfit(x, values, degree)
            if np.abs(series[-3:]).max() <= SMOOTH * np.abs(series).max():
                break
        else:
            raise ModelError("rest.curve: the function is not smooth (a kink, a jump, noise?): give points instead")
        significant = np.flatnonzero(np.abs(series).max(axis=1) > 1e-16 * np.abs(series).max())
        series = series[: max(significant, default=0) + 1]
        self._series = [series, *(2.0**k * chebyshev.chebder(series, k) for k in (1, 2, 3))]

    def __call__(self, u: float) -> Array:
        """Position, (3,)."""
        return np.asarray(np.polynomial.chebyshev.chebval(2.0 * u - 1.0, self._series[0]))

    def derivatives(self, u: Any) -> tuple[Array, Array, Array]:
        """By u, each (..., 3)."""
        x = 2.0 * np.asarray(u) - 1.0
        first, second, third = (np.polynomial.chebyshev.chebval(x, s) for s in self._series[1:])
        return np.moveaxis(first, 0, -1), np.moveaxis(second, 0, -1), np.moveaxis(third, 0, -1)


def _strain(torsion: float, y: float, z: float) -> Array:
    """Strain of a centreline that bends by (y, z) [1/m] in its section: kappa x e_x = (0, y, z)."""
    return np.array([torsion, -z, y, 1.0, 0.0, 0.0])


def _frame(frame: str, what: str) -> str:
    if frame not in ("parallel", "frenet"):
        raise ModelError(f'{what}: frame is {frame!r}, must be "parallel" or "frenet"')
    return frame
