"""Modal analysis: small motions about an equilibrium, M x'' + C x' + K x = 0, on what loops allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import ModelError, SingularError
from supple.solvers.statics import Equilibrium, _inputs, allowed_directions, statics

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class Modes(NamedTuple):
    """Small motions, slowest first.

    A pair of conjugate eigenvalues is one mode; each real eigenvalue (overdamped, or unstable) is one of its own.
    """

    frequencies: Array  #: (m,) undamped natural frequencies |lambda| / (2 pi) [Hz]
    damping_ratios: Array  #: (m,) -Re(lambda) / |lambda|; negative where motions grow
    shapes: Array  #: (n, m) complex: coordinates move as Re(shape exp(lambda t)); largest entry 1
    eigenvalues: Array  #: (m,) lambda [1/s]

    @property
    def angular_frequencies(self) -> Array:
        """2 pi frequencies [rad/s]."""
        return 2.0 * np.pi * self.frequencies


def modes(model: Model, at: Equilibrium | ArrayLike | None, u: Any, t: float, count: int | None) -> Modes:
    """See `Model.modes`."""
    from scipy.linalg import eig, eigh  # type: ignore[import-untyped]

    if at is None:
        at = statics(model, u, None, t, None, 1e-10, 60, True)
    if isinstance(at, Equilibrium):
        if not at.converged:
            raise ModelError(f"modes need an equilibrium: {at.message}")
        q, u, t, lam = at.q, at.u, at.t, np.asarray(at.multipliers)
    else:
        q, u, lam = model._state("q", at), _inputs(model, u), None
    zero = np.zeros(model.n)
    found = model.residual_derivatives(q, zero, zero, u, lam, t)
    basis = allowed_directions(model, q)
    K, C, M = (basis.T @ part @ basis for part in (found.dq, found.dv, found.da))
    if (
        np.linalg.matrix_rank(M, tol=1e-14 * np.abs(M).max(initial=0.0)) < len(M)
        and np.linalg.eigvalsh(0.5 * (M + M.T))[0] <= 0.0
    ):
        raise SingularError("the mass matrix is singular on what loops allow: a coordinate moves no inertia")
    size = len(M)
    symmetric = all(np.allclose(X, X.T, rtol=0.0, atol=1e-9 * max(np.abs(X).max(initial=0.0), 1e-300)) for X in (K, M))
    if not C.any() and symmetric:
        squares, vectors = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        values = np.emath.sqrt(-squares.astype(complex))
    else:
        # scaled by a typical frequency, so that both halves of the state count alike
        w = np.sqrt(max(np.abs(K).max(initial=0.0) / np.abs(M).max(initial=1e-300), 1e-300))
        left = np.block([[np.zeros((size, size)), np.eye(size)], [-K / w**2, -C / w]])
        right = np.block([[np.eye(size), np.zeros((size, size))], [np.zeros((size, size)), M]])
        values, states = eig(left, right)
        values, vectors = w * values, states[:size]
        keep = values.imag >= 0.0
        values, vectors = values[keep], vectors[:, keep]
    order = np.argsort(np.abs(values))[:count]
    values, shapes = values[order], (basis @ vectors[:, order]).astype(complex)
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(len(values))] if len(values) else np.ones(0)
    sizes = np.abs(values)
    ratios = np.where(sizes > 0.0, -values.real / np.where(sizes > 0.0, sizes, 1.0), 0.0) + 0.0
    return Modes(sizes / (2.0 * np.pi), ratios, shapes / largest, values)
