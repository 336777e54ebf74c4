"""Paths of equilibria under a growing load, through limit points, with stability, bifurcations and their branches.

`solvers.statics.arc_length` follows a path, `solvers.statics.branching` leaves it where another one crosses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import answer, ask, finite_float
from supple.errors import ConvergenceError, Interrupted, ModelError, StateError
from supple.pickling import why_not_picklable
from supple.readouts.along import Readings
from supple.robot.summary import counted
from supple.solvers.options import PathOptions
from supple.solvers.rounding import ON_PATH
from supple.solvers.statics.arc_length import (
    CriticalPoint,
    Point,
    Tracer,
    Track,
    Walk,
    direction,
    follow,
    weights_at,
)
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.search import find, given_inputs, statics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from supple.gradients.gradient import Gradient
    from supple.model.model import Model
    from supple.readouts.parts import State

Array = np.ndarray

#: First and longest step along a path, in units of coordinates (rad) and of the range of s.
STEP, LONGEST = 0.05, 0.5


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
    tracer: Tracer | None = field(repr=False)  #: its equations; None if pickling left them behind

    @property
    def stable(self) -> Array:
        """(K,) whether each point is stable."""
        return self.eigenvalues > 0.0

    def __getstate__(self) -> dict[str, Any]:
        """All of it; without its equations if inputs are a function that cannot be pickled."""
        kept = self.tracer is not None and not why_not_picklable(self.tracer.u)
        return self.__dict__ | {"tracer": self.tracer if kept else None}

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

    def branches(
        self,
        at: int | CriticalPoint,
        *,
        s: tuple[float, float] | None = None,
        step: float | None = None,
        max_step: float | None = None,
        max_points: int = 500,
        stop: Callable[[float, Array], bool] | None = None,
    ) -> tuple[EquilibriumPath, EquilibriumPath]:
        """The other path through a bifurcation, followed from there both ways.

        Both begin at the bifurcation.  They have bifurcations of their own: ``path.branches(0)[0].branches(0)``.

        Parameters
        ----------
        at : int or CriticalPoint
            Which of ``critical``.
        s : (float, float), optional
            Range of the parameter in which to follow them; that of this path if omitted.
        step, max_step, max_points, stop : optional
            As for `Model.equilibrium_path`, for each way.

        Raises
        ------
        ModelError
            At a limit point, where there is no other path, and for a point that is not one of this path.
        SingularError
            Where more than two paths meet, or touch without crossing.
        Interrupted
            At Ctrl-C, with both ways so far in ``.result``.
        """
        from supple.solvers.options import path_options
        from supple.solvers.statics.branching import branches

        given = path_options((self.s.min(), self.s.max()) if s is None else s, step, max_step, max_points, stop)
        return branches(self, at, given)

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


@dataclass(frozen=True)
class ProportionalInputs:
    """Inputs that grow in proportion from zero at the beginning of a path."""

    final: Array  #: (nu,) at its end
    begin: float
    end: float

    def __call__(self, s: float) -> Array:
        """(nu,) at s."""
        return self.final * ((s - self.begin) / (self.end - self.begin))


@dataclass(frozen=True)
class GivenInputs:
    """Inputs as a user's function of the parameter."""

    function: Callable[[float], Any]
    size: int

    def __call__(self, s: float) -> Array:
        """(nu,) at s."""
        return answer(ask(self.function, (s,), f"u at s = {s:g}", StateError), self.size, "u", s, "s")


def equilibrium_path(model: Model, u: Any, q0: ArrayLike | None, options: PathOptions) -> EquilibriumPath:
    """See `Model.equilibrium_path`."""
    begin, end = options.s
    law = GivenInputs(u, model.nu) if callable(u) else ProportionalInputs(given_inputs(model, u), begin, end)
    tracer = Tracer(model, law, abs(end - begin))
    start = find(model, law(begin), q0, begin, tolerance=ON_PATH, globalise=False)  # stable or not, near q0
    if not start.converged:
        start = find(model, law(begin), q0, begin, tolerance=ON_PATH)
    if not start.converged:
        raise ConvergenceError(f"the path has no beginning: {start.message}")
    x = np.concatenate([start.q[tracer.free], np.asarray(start.multipliers)])
    track = Track([Point(x, begin, tracer.spectrum(x, begin)[0].real)], [])
    sign, weights = float(np.sign(end - begin)), weights_at(tracer, x, begin)
    tangent = sign * direction(*tracer.tangents(x, begin)[1:], weights, tracer.scale, None)
    try:
        reached, message = follow(tracer, track, tangent, weights, walk_of(options, [(end, sign)]))
    except KeyboardInterrupt:
        message = f"interrupted at s = {track.points[-1].s:g} after {len(track.points)} points"
        raise Interrupted(f"{message}, which are kept in .result", path_of(tracer, track, False, message)) from None
    return path_of(tracer, track, reached, message)


def walk_of(options: PathOptions, ends: list[tuple[float, float]]) -> Walk:
    """How to follow a path that ends at one of ``ends`` (s, sign)."""
    return Walk(ends, options.step or STEP, options.max_step or LONGEST, options.max_points, options.stop)


def path_of(tracer: Tracer, track: Track, reached: bool, message: str) -> EquilibriumPath:
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
        tracer=tracer,
    )
