"""Equilibria: what a search for rest returns, and what it tells of stability."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.errors import SingularError
from supple.model.constraints import Multipliers
from supple.readouts.along import Readings
from supple.robot.summary import counted
from supple.solvers.rounding import NOTHING, SYMMETRIC
from supple.solvers.statics.reduced import Spectrum, allowed_at, allowed_directions, metric_at, names_of, spectrum_of
from supple.solvers.statics.rest_system import rest_system
from supple.solvers.statics.stability import SmallMotions, small_motions, tangent_stiffness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from supple.gradients.equilibrium import EquilibriumVariation, Tangents
    from supple.gradients.gradient import Gradient
    from supple.model.model import Model
    from supple.readouts.parts import State

Array = np.ndarray

#: Damping ratio of a mode that neither dies away nor grows.
UNDAMPED = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Readings):
    """A state of rest under inputs and loads.

    Its read-outs (`contact`, `reaction`, `strain`, `stress`, `inner_forces`, `tensions`, ...) are those of `Model`.

    Attributes
    ----------
    q : (n,)
    u : (nu,)
    t : float
        Time at which laws were taken, s.
    efforts : (ne,)
        Of prescribed joints.
    multipliers : Multipliers
        Of loops.
    residual : float
        Largest unbalanced generalised force.
    loop_error : float
        Largest error of loops (rad, m).
    iterations : int
        Newton steps, of all attempts.
    converged : bool
    how : str
        "newton"; "relaxation" and "steps" (let go step by step), for robots without loops first and second choice;
        "descent" (closed, then walked down on what loops allow).
    note : str
        What happened; why it failed if it did.
    doubtful : bool
        Whether the search met signs that something may move freely.
    """

    q: Array
    u: Array
    t: float
    efforts: Array
    multipliers: Multipliers
    residual: float
    loop_error: float
    iterations: int
    converged: bool
    how: str
    note: str
    doubtful: bool
    model: Model = field(repr=False)

    _single = True

    def __bool__(self) -> bool:
        return self.converged

    def __repr__(self) -> str:
        how = f"{self.how}, {counted(self.iterations, 'iteration')}" if self.converged else "not converged"
        size = f"{counted(self.model.n, 'coordinate')}, residual {self.residual:.1e}"
        return f"<Equilibrium of {self.model.name!r}: {size}, {how}>"

    def _need_model(self) -> Model:
        return self.model

    def _clock(self) -> tuple[Array, str]:
        return np.array([self.t]), "time [s]"

    def _states(self) -> list[State]:
        from supple.readouts.parts import make_state

        u = self.u if self.model.nu else None
        return [make_state(self.model, self.q, u=u, lam=np.asarray(self.multipliers), t=self.t)]

    @cached_property
    def message(self) -> str:
        """What happened; why it failed if it did; which coordinates move freely if some do."""
        names = names_of(self.model, self.free_directions) if self.converged and self.doubtful else []
        if not names:
            return self.note
        return f"{self.note}; a neutral equilibrium: nothing resists {_listed(names)}"

    @cached_property
    def stiffness(self) -> Array:
        """Tangent stiffness dR/dq (n, n), with loads and loops."""
        return tangent_stiffness(self)

    @cached_property
    def small_motions(self) -> SmallMotions:
        """Stiffness, damping and mass (n, n) of small motions about the equilibrium."""
        return small_motions(self)

    @cached_property
    def eigenvalues(self) -> Array:
        """Eigenvalues of the tangent stiffness on what loops and prescribed joints allow, by rising real part."""
        basis = allowed_directions(self.model, self.q)
        reduced = basis.T @ self.stiffness @ basis
        scale = np.abs(reduced).max(initial=NOTHING)
        if np.abs(reduced - reduced.T).max(initial=0.0) < SYMMETRIC * scale:
            return np.linalg.eigvalsh(0.5 * (reduced + reduced.T))
        values = np.linalg.eigvals(reduced)
        return np.asarray(values[np.argsort(values.real)])

    @property
    def smallest_eigenvalue(self) -> float:
        """Smallest real part of `eigenvalues`."""
        return float(self.eigenvalues[0].real) if len(self.eigenvalues) else np.inf

    @cached_property
    def _spectrum(self) -> Spectrum:
        """Stiffness on what loops allow, weighed as in `solvers.statics.reduced`."""
        free, metric = self.model.free_coordinates, metric_at(self.model, self.q)
        A = self.model.loop_jacobian(self.q)[:, free] if self.model.nc else np.zeros((0, len(free)))
        return spectrum_of(allowed_at(metric, A), self.stiffness[np.ix_(free, free)])

    @cached_property
    def free_directions(self) -> Array:
        """Orthonormal basis (n, k) of small motions that nothing resists: a cart, a leg that spins; mostly k = 0."""
        found = self._spectrum
        loose = np.abs(found.values) <= found.rounding
        directions = np.zeros((self.model.n, int(loose.sum())))
        directions[self.model.free_coordinates] = found.directions[:, loose]
        return np.linalg.qr(directions)[0] if directions.shape[1] else directions

    @cached_property
    def unstable_directions(self) -> Array:
        """Directions (n, k) of small motions along which the robot gives way, steepest first; mostly k = 0."""
        found = self._spectrum
        down = found.values < -found.rounding
        directions = np.zeros((self.model.n, int(down.sum())))
        directions[self.model.free_coordinates] = found.directions[:, down]
        return directions

    @cached_property
    def softest_direction(self) -> Array:
        """The direction (n,) of small motions that meets the least stiffness, positive or negative, but not none."""
        found = self._spectrum
        direction, sizes = np.zeros(self.model.n), np.abs(found.values)
        resisted = sizes > found.rounding
        if resisted.any():
            softest = int(np.where(resisted, sizes, np.inf).argmin())
            direction[self.model.free_coordinates] = found.directions[:, softest]
        return direction

    @property
    def stable(self) -> bool | None:
        """Whether every small disturbance meets a restoring force; None where that is not known.

        It is not for a state that did not converge, for a neutral one (`free_directions`), and, with loads that have no
        potential (follower loads), where small motions neither die away nor grow.
        """
        if not self.converged:
            return None
        found = self._spectrum
        if not found.symmetric:
            return self._stable_in_motion()
        if (found.values < -found.rounding).any():
            return False
        return True if (found.values > found.rounding).all() else None

    # ------------------------------------------------------------------ derivatives

    @cached_property
    def _tangents(self) -> Tangents:
        from supple.gradients.equilibrium import tangents

        return tangents(self)

    def variation(
        self, u: Any = None, prescribed: ArrayLike | None = None, p: Mapping[str, Any] | None = None
    ) -> EquilibriumVariation:
        """How q, multipliers and efforts move with small changes of what holds the robot there.

        Exact, by the implicit function theorem.  Raises `SingularError` at limit points and where something moves
        freely; warns at an unstable equilibrium.

        Parameters
        ----------
        u : (nu,) or dict, optional
            Changes of inputs, or by name.
        prescribed : (ne,), optional
            Changes of the coordinates of prescribed joints.
        p : dict, optional
            Changes of parameters of the model's `Design`, by name.
        """
        from supple.gradients.equilibrium import jvp

        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return jvp(self, self._tangents, u, prescribed, p)

    def jvp(
        self, u: Any = None, *, prescribed: ArrayLike | None = None, p: Mapping[str, Any] | None = None
    ) -> Array:
        """dq (n,) along changes of inputs, prescribed coordinates and parameters; see `variation`."""
        return self.variation(u, prescribed, p).q

    def vjp(
        self,
        q: ArrayLike | None = None,
        *,
        efforts: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        pose: Mapping[tuple[str, float], ArrayLike] | None = None,
    ) -> Gradient:
        """The gradient by inputs, prescribed coordinates and parameters of a scalar, from its derivatives by the rest.

        Parameters (``p``) are those of the `Design` that made the model, if one did.

        Parameters
        ----------
        q, efforts, multipliers : (n,), (ne,), (nc,), optional
            Derivatives of the scalar by each.
        pose : {(link, s): (6,)}, optional
            Derivatives by poses of stations, as wrenches [moment; force] in the frames there: the scalar changes by
            wrench . twist.  For a position alone, put R^T times the derivative by it in the last three.
        """
        from supple.gradients.equilibrium import vjp

        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            return vjp(self, self._tangents, q, efforts, multipliers, pose)

    def _stable_in_motion(self) -> bool | None:
        """Without a potential: whether small motions die away (True) or grow (False)."""
        if rest_system(self, with_inputs=False).stable:
            return True
        try:
            ratios = self.model.modes(self).damping_ratios
        except SingularError:
            return None
        if (ratios < -UNDAMPED).any():
            return False
        return True if (ratios > UNDAMPED).all() else None


def _listed(names: list[str], most: int = 6) -> str:
    """Names, the first of them if there are many."""
    more = f" and {len(names) - most} more coordinates" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Equilibria(NamedTuple):
    """Many equilibria, one per row of inputs."""

    q: Array  #: (N, n)
    multipliers: Array  #: (N, nc)
    residual: Array  #: (N,) largest unbalanced generalised force
    iterations: Array  #: (N,) Newton steps
    converged: Array  #: (N,) bool
    done: Array  #: (N,) bool: rows that were worked on; all of them, unless the batch was interrupted
    failures: dict[int, Exception]  #: why rows could not be worked on, which are NaN

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Equilibria: {len(self.q)}, {int(np.sum(self.converged))} of them converged{failed}>"
