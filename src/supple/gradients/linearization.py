"""Linear systems about a state: x' = A x + B u for small changes x = [q, v, z], continuous, held, and without loops.

The accelerations follow from R(q, v, a, u, lambda, z) = 0, with loops A_l a = -A_l' v and prescribed joints whose
motion is given, so

    A = [[0, 1, 0], [da/dq, da/dv, da/dz], [dz'/dq, dz'/dv, dz'/dz]],      B = [0; da/du; dz'/du],

z the internal states of loads, whose laws are users' functions: what depends on them is differenced.

**On the manifold.**  With loops not every change is possible: e(q) = 0 and A_l v = 0 leave those with

    A_l dq = 0,      A_l dv + (dA_l/dq v) dq = 0.

With N an orthonormal basis of the first, changes are x = E y, E = [[N, 0], [-A_l^+ (dA_l/dq v) N, N]], and y = W x with
W = [[N, 0], [0, N]]^T, since A_l^+ is normal to N.  On the manifold y' = W A E y + W B u, whatever A says off it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import positive_float
from supple.gradients.linear_matrices import fill_matrices
from supple.model.arguments import number
from supple.model.balance import State
from supple.model.constrained_derivatives import held_derivatives
from supple.model.results import short_repr

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Relative step of differences by internal states: half the digits of a number.
STEP = 1e-7
#: Singular values of the rows of loops below this part of the largest count as zero.
RANK = 1e-10


class HeldSystem(NamedTuple):
    """x(t + dt) = A x(t) + B u with u held over the step."""

    A: Array  #: (m, m)
    B: Array  #: (m, nu)
    dt: float  #: s

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class LinearSystem:
    """x' = A x + B u."""

    A: Array  #: (m, m)
    B: Array  #: (m, nu)

    def discrete(self, dt: float) -> HeldSystem:
        """The system over a step ``dt`` [s] in which u is held: exp([[A, B], [0, 0]] dt)."""
        from scipy.linalg import expm  # type: ignore[import-untyped]

        dt = positive_float(dt, "dt", "s")
        m = len(self.A)
        held = expm(dt * np.block([[self.A, self.B], [np.zeros((self.B.shape[1], m + self.B.shape[1]))]]))
        return HeldSystem(held[:m, :m], held[:m, m:], dt)

    @property
    def eigenvalues(self) -> Array:
        """Of A, (m,) complex [1/s], slowest decay first."""
        values = np.linalg.eigvals(self.A)
        return np.asarray(values[np.argsort(-values.real, kind="stable")])


@dataclass(frozen=True)
class ReducedLinearization(LinearSystem):
    """A linear system in coordinates y of what loops and prescribed joints allow."""

    basis: Array  #: E, (m, k): x = E y
    projection: Array  #: W, (k, m): y = W x for every x that is allowed

    def __repr__(self) -> str:
        return f"<ReducedLinearization: {self.A.shape[0]} states, {self.B.shape[1]} inputs>"


@dataclass(frozen=True)
class Linearization(LinearSystem):
    """x' = A x + B u about a state, x = [dq, dv, dz].

    Rows and columns of prescribed joints are zero: their motion is given.  With loops only changes that these
    allow have a meaning; `reduced` gives the system in as many states as there are freedoms.
    """

    free: Array  #: (nf,) int64 coordinates that no law prescribes
    rows: Array  #: (nc, n) A_l, rows of loops
    turning: Array  #: (nc, n) d(A_l v)/dq

    @cached_property
    def _changes(self) -> tuple[Array, Array]:
        """E and W, made when they are first asked for."""
        return _allowed(len(self.A), self.rows.shape[1], self.free, self.rows, self.turning)

    @property
    def allowed(self) -> Array:
        """(2 n + nz, k) E, see `reduced`."""
        return self._changes[0]

    @property
    def projection(self) -> Array:
        """(k, 2 n + nz) W."""
        return self._changes[1]

    def reduced(self) -> ReducedLinearization:
        """The same in coordinates of what loops and prescribed joints allow: x = basis y."""
        E, W = self.allowed, self.projection
        return ReducedLinearization(W @ self.A @ E, W @ self.B, E, W)

    def __repr__(self) -> str:
        return f"<Linearization: {self.A.shape[0]} states ({self.allowed.shape[1]} free), {self.B.shape[1]} inputs>"


def linearize(
    model: Model, q: ArrayLike, v: ArrayLike | None, u: ArrayLike | None, t: float, z: ArrayLike | None
) -> Linearization:
    """A and B about a state, see `Model.linearize`."""
    n, nz, check = model.n, model.nz, model.arguments
    # one state, and no leading axes of it, which the functions below would take
    q, v, u = check.motion(q, model.workspace.zero if v is None else v, u)
    t, z = t if type(t) is float else number("t", t), None if z is None else check.inputs("z", z, nz)
    A, B = np.empty((2 * n + nz, 2 * n + nz)), np.empty((2 * n + nz, model.nu))
    if model.constrained:
        found, rows, turning = held_derivatives(model, State(q, v, u, t, z), 0.0, fleeting=True)
    else:
        found = model.forward_dynamics_derivatives(q, v, u, t, 0.0, z)
        rows = turning = A[:0, :n]
    fill_matrices(model.workspace.free, *found, A, B)
    if nz:
        _add_further_states(model, q, v, u, t, z, A, B)
    return Linearization(A, B, model.free_coordinates, rows, turning)


def _add_further_states(
    model: Model,
    q: Array,
    v: Array,
    u: Array,
    t: float,
    z: Array | None,
    A: Array,
    B: Array,
) -> None:
    """Columns of z, and rows of z', by central differences: they are users' functions."""
    n, nz = model.n, model.nz
    middle = np.concatenate([q, v, _first_states(model) if z is None else z, u])

    def rates(x: Array) -> Array:
        q, v, z, u = np.split(x, [n, 2 * n, 2 * n + nz])
        found = model.forward_dynamics(q, v, u, t, z=z)
        rate = model.state_rates(q, v, found.a, z, t, u, np.asarray(found.multipliers))
        return np.concatenate([found.a, rate])

    for j in range(len(middle)):
        h = STEP * max(1.0, abs(middle[j]))
        step = np.zeros(len(middle))
        step[j] = h
        column = (rates(middle + step) - rates(middle - step)) / (2.0 * h)
        if j >= 2 * n + nz:
            B[2 * n :, j - 2 * n - nz] = column[n:]
            continue
        A[2 * n :, j] = column[n:]
        if j >= 2 * n:
            A[n : 2 * n, j] = column[:n]


def _first_states(model: Model) -> Array:
    """Where internal states begin, (nz,)."""
    return np.concatenate([np.asarray(states.state0, float) for states in model.demand.states] or [np.zeros(0)])


def _allowed(states: int, n: int, free: Array, rows: Array, turning: Array) -> tuple[Array, Array]:
    """E (2 n + nz, k) and W (k, 2 n + nz): changes that loops and prescribed joints allow, and their coordinates."""
    nz, rows, turning = states - 2 * n, rows[:, free], turning[:, free]
    if len(rows):
        _, sizes, transposed = np.linalg.svd(rows)
        rank = int((sizes > RANK * sizes[0]).sum())
        N, follow = transposed[rank:].T, -np.linalg.pinv(rows, rcond=RANK) @ turning
    else:
        N, follow = np.eye(len(free)), np.zeros((len(free), len(free)))
    k = N.shape[1]
    E, W = np.zeros((2 * n + nz, 2 * k + nz)), np.zeros((2 * k + nz, 2 * n + nz))
    E[free, :k], E[n + free, :k], E[n + free, k : 2 * k] = N, follow @ N, N
    W[:k, free], W[k : 2 * k, n + free] = N.T, N.T
    E[2 * n :, 2 * k :], W[2 * k :, 2 * n :] = np.eye(nz), np.eye(nz)
    return E, W
