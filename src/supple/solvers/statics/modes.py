"""Modal analysis: small motions about an equilibrium, M x'' + C x' + K x = 0, on what loops allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import ModelError, SingularError
from supple.solvers.rounding import NO_RANK, NOTHING, SYMMETRIC
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.reduced import allowed_directions
from supple.solvers.statics.search import balancing_multipliers, find, given_inputs

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class Modes(NamedTuple):
    """Small motions, slowest first.

    A pair of conjugate eigenvalues is one mode; each real eigenvalue (overdamped, or unstable) is one of its own; a
    motion that meets no force (a robot adrift) is one mode with eigenvalue zero.
    """

    frequencies: Array  #: (m,) undamped natural frequencies |lambda| / (2 pi) [Hz]
    damping_ratios: Array  #: (m,) -Re(lambda) / |lambda|; negative where motions grow
    shapes: Array  #: (n, m) complex: coordinates move as Re(shape exp(lambda t)); largest entry 1
    eigenvalues: Array  #: (m,) lambda [1/s]

    def __repr__(self) -> str:
        slowest = ", ".join(f"{f:.4g}" for f in self.frequencies[:4]) + (", ..." if len(self.frequencies) > 4 else "")
        return f"<Modes: {len(self.frequencies)}, {slowest} Hz>" if slowest else "<Modes: none, nothing can move>"

    @property
    def angular_frequencies(self) -> Array:
        """2 pi frequencies [rad/s]."""
        return 2.0 * np.pi * self.frequencies


def modes(model: Model, at: Equilibrium | ArrayLike | None, u: Any, t: float, count: int | None) -> Modes:
    """See `Model.modes`."""
    if at is None:
        at = find(model, u, t=t)
    if isinstance(at, Equilibrium):
        if not at.converged:
            raise ModelError(f"modes need an equilibrium: {at.message}")
        q, u, t, lam = at.q, at.u, at.t, np.asarray(at.multipliers)
    else:
        q, u = model.arguments.state("q", at), given_inputs(model, u)
        lam = balancing_multipliers(model, q, u, t)
    zero = np.zeros(model.n)
    found = model.residual_derivatives(q, zero, zero, u, lam, t)
    basis = allowed_directions(model, q)
    K, C, M = (basis.T @ part @ basis for part in (found.dq, found.dv, found.da))
    _check_mass(M)
    drifting, rest = _split_drifting(K, C, M)
    values, vectors = _vibrations(*(rest.T @ part @ rest for part in (K, C, M)))
    values = np.concatenate([np.zeros(drifting.shape[1]), values])
    vectors = np.hstack([drifting, rest @ vectors])
    order = np.argsort(np.abs(values), kind="stable")[:count]
    values, shapes = values[order], (basis @ vectors[:, order]).astype(complex)
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(len(values))] if len(values) else np.ones(0)
    sizes = np.abs(values)
    ratios = np.where(sizes > 0.0, -values.real / np.where(sizes > 0.0, sizes, 1.0), 0.0) + 0.0
    return Modes(sizes / (2.0 * np.pi), ratios, shapes / largest, values)


def _check_mass(M: Array) -> None:
    """Every allowed motion must move some inertia."""
    size = np.abs(M).max(initial=0.0)
    if np.linalg.matrix_rank(M, tol=NO_RANK * size) < len(M) and np.linalg.eigvalsh(0.5 * (M + M.T))[0] <= 0.0:
        raise SingularError("the mass matrix is singular on what loops allow: a coordinate moves no inertia")


def _split_drifting(K: Array, C: Array, M: Array) -> tuple[Array, Array]:
    """Bases (k, r) of motions that meet no force at all, such as those of a free robot, and (k, k - r) of the others.

    The former are double eigenvalues zero without a second eigenvector, which rounding would tear apart.  With
    coordinates as they are a light part on a stiff one seems to be among them; weighed by inertia, a slow one beside a
    fast one.  What both agree on counts.
    """
    drifting, weighed = (_forceless(K, C, scale) for scale in (np.ones(len(M)), _by_inertia(M)))
    if weighed.shape[1] < drifting.shape[1]:
        drifting = weighed
    rows = np.linalg.svd(drifting.T @ M)[2]
    return drifting, rows[drifting.shape[1] :].T


def _forceless(K: Array, C: Array, scale: Array) -> Array:
    """Orthonormal basis (k, r) of the motions that K and C resist no more than rounding would, coordinates scaled."""
    parts = [scale[:, None] * part * scale for X in (K, C) for part in (X, X.T) if X.any()]
    if not parts:
        return np.eye(len(K))
    _, sizes, rows = np.linalg.svd(np.vstack([part / np.abs(part).max() for part in parts]))
    rank = int((sizes > NO_RANK * len(K) * sizes[0]).sum())
    return np.linalg.qr(scale[:, None] * rows[rank:].T)[0]


def _by_inertia(M: Array) -> Array:
    """Scale (k,) of coordinates by which all of them have the inertia one."""
    inertia = np.diag(M)
    return np.asarray(1.0 / np.sqrt(np.where(inertia > 0.0, inertia, 1.0)))


def _vibrations(K: Array, C: Array, M: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors of M x'' + C x' + K x = 0, one of each conjugate pair."""
    from scipy.linalg import eig, eigh  # type: ignore[import-untyped]

    size = len(M)
    if not C.any() and _is_symmetric(K) and _is_symmetric(M):
        squares, vectors = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        falling = squares < 0.0
        values = np.emath.sqrt(-squares.astype(complex))
        return np.concatenate([values, -values[falling]]), np.hstack([vectors, vectors[:, falling]])
    # scaled by the inertia of every coordinate and by a typical frequency, so that all of the state counts alike
    scale = _by_inertia(M)
    K, C, M = (scale[:, None] * part * scale for part in (K, C, M))
    w = np.sqrt(max(np.abs(K).max(initial=0.0) / np.abs(M).max(initial=NOTHING), NOTHING))
    left = np.block([[np.zeros((size, size)), np.eye(size)], [-K / w**2, -C / w]])
    right = np.block([[np.eye(size), np.zeros((size, size))], [np.zeros((size, size)), M]])
    values, states = eig(left, right)
    keep = values.imag >= 0.0
    return w * values[keep], scale[:, None] * states[:size, keep]


def _is_symmetric(X: Array) -> bool:
    return np.allclose(X, X.T, rtol=0.0, atol=SYMMETRIC * max(np.abs(X).max(initial=0.0), NOTHING))
