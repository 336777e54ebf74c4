"""Stiffness and forces on what loops and prescribed joints allow, in a metric in which all coordinates count alike.

Coordinates are angles, strains and metres, and the stiffness against them differs by ten orders of magnitude.  In

    G = K + w^2 M,      K the elastic stiffness, M the mass matrix, w^2 the smallest K_ii / M_ii (1 without elasticity)

what is elastic has a tangent stiffness near one, however stiff it is, and what is not is weighed by the mass that it
moves.  Directions b_i (nf,) with A b_i = 0 and b_i^T G b_j = delta_ij that diagonalise the symmetric part of the
tangent stiffness T tell apart what resists, what gives way, and what nothing resists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.solvers.rounding import NO_RANK, NOTHING, ROUNDED_STIFFNESS, SYMMETRIC

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Rows of loops below this part of the largest are dependent on others.
DEPENDENT = 1e-9
#: Part of the terms whose sum a stiffness or force is, below which it is rounding.
ROUNDING = 1e-11
#: Part of the terms whose sum a stiffness is, below which Newton's method does not rely on it.
UNANSWERED = 1e-8


class Metric(NamedTuple):
    """G = L L^T on the free coordinates."""

    inverse: Array  #: L^-1, (nf, nf)
    mass: Array  #: M, (nf, nf)
    frequency2: float  #: w^2, 1/s^2
    size: float  #: largest sqrt(G_ii): what the stiffest coordinate counts


class Allowed(NamedTuple):
    """What loops allow at a configuration."""

    basis: Array  #: (nf, k) directions, G-orthonormal
    balance: Array  #: (nc, nf): multipliers that come nearest to balancing forces R are balance @ R


class Spectrum(NamedTuple):
    """Tangent stiffness along directions that do not mix."""

    values: Array  #: (k,) in G, rising
    directions: Array  #: (nf, k)
    rounding: Array  #: (k,) below which a value is rounding
    symmetric: bool  #: whether forces have a potential there, but for rounding


def metric_at(model: Model, q: Array) -> Metric:
    """The metric at a configuration."""
    free = model.free_coordinates
    K, M = model.stiffness[np.ix_(free, free)], model.mass_matrix(q)[np.ix_(free, free)]
    K = 0.5 * (K + K.T)
    stiff, inert = K.diagonal(), M.diagonal()
    soft = (stiff > 0.0) & (inert > 0.0)
    frequency2 = float((stiff[soft] / inert[soft]).min()) if soft.any() else 1.0
    G = K + frequency2 * M
    ridge, size = 0.0, float(G.diagonal().max(initial=0.0)) or 1.0
    while True:  # what neither resists nor weighs anything
        try:
            lower = np.linalg.cholesky(G + ridge * np.eye(len(G)))
            break
        except np.linalg.LinAlgError:
            ridge = max(10.0 * ridge, NO_RANK * size)
    return Metric(np.linalg.inv(lower), M, frequency2, np.sqrt(size))


def allowed_at(metric: Metric, A: Array) -> Allowed:
    """Directions that rows A (nc, nf) allow."""
    left, sizes, rows = np.linalg.svd(A @ metric.inverse.T)
    rank = int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())
    basis = metric.inverse.T @ rows[rank:].T
    return Allowed(basis, (left[:, :rank] / sizes[:rank]) @ (rows[:rank] @ metric.inverse))


def spectrum_of(allowed: Allowed, T: Array) -> Spectrum:
    """Eigenvalues and directions of the symmetric part of T (nf, nf) on what is allowed."""
    reduced = allowed.basis.T @ T @ allowed.basis
    values, vectors = np.linalg.eigh(0.5 * (reduced + reduced.T))
    directions = allowed.basis @ vectors
    terms = _terms(directions, T)
    twist = np.abs(reduced - reduced.T).max(initial=0.0)
    symmetric = bool(twist <= SYMMETRIC * np.abs(reduced).max(initial=NOTHING))
    rounding = ROUNDING * terms + ROUNDED_STIFFNESS * np.abs(values).max(initial=0.0)
    return Spectrum(values, directions, rounding, symmetric)


def _terms(directions: Array, T: Array) -> Array:
    """Sums (k,) of the sizes of the terms of b_k . T b_k."""
    sizes = np.abs(directions)
    return np.asarray((sizes * (np.abs(T) @ sizes)).sum(axis=0))


def across(allowed: Allowed, T: Array, forces: Array) -> tuple[Array, Array]:
    """Directions (nf, r) in which no stiffness answers forces, and the Newton step (nf,) across them."""
    basis = allowed.basis
    left, sizes, right = np.linalg.svd(basis.T @ T @ basis)
    terms = np.sqrt(_terms(basis @ left, T) * _terms(basis @ right.T, T))
    kept = sizes > UNANSWERED * terms + ROUNDED_STIFFNESS * sizes.max(initial=0.0)
    y = right[kept].T @ ((left[:, kept].T @ (basis.T @ forces)) / sizes[kept])
    return basis @ left[:, ~kept], -(basis @ y)


def allowed_directions(model: Model, q: Array) -> Array:
    """Orthonormal basis (n, k) of velocities that loops and prescribed joints allow at q."""
    free = model.free_coordinates
    basis = np.zeros((model.n, len(free)))
    basis[free, np.arange(len(free))] = 1.0
    if not model.nc:
        return basis
    _, sizes, rows = np.linalg.svd(model.loop_jacobian(q)[:, free])
    rank = int((sizes > DEPENDENT * sizes.max(initial=0.0)).sum())
    return np.asarray(basis @ rows[rank:].T)


def names_of(model: Model, directions: Array) -> list[str]:
    """Coordinates that take a good part in directions (n, k)."""
    if not directions.shape[1]:
        return []
    parts = np.abs(directions) / np.abs(directions).max(axis=0)
    return [model.coordinate_names[i] for i in np.flatnonzero(parts.max(axis=1) > 0.3)]
