"""Quadrature on [0, 1] in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=64)
def gauss_legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the n-point Gauss-Legendre rule on [0, 1], each shape (n,), read-only."""
    x, w = np.polynomial.legendre.leggauss(n)
    nodes, weights = 0.5 * (x + 1.0), 0.5 * w
    nodes.setflags(write=False)
    weights.setflags(write=False)
    return nodes, weights


def rod_stations(
    points: int, breaks: Sequence[float] = (), extra: Sequence[float] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Computational points of a rod and their weights.

    Parameters
    ----------
    points : int
        Gauss nodes per piece.
    breaks : sequence of float
        Interior breaks in (0, 1) where the strain field is not smooth; a Magnus step must not cross them.
    extra : sequence of float
        Further stations in (0, 1) that split a step.

    Returns
    -------
    s, weight : ndarray, shape (P,)
        Base, Gauss nodes of every piece with breaks and extra stations among them, tip; weights sum to 1 and
        are zero everywhere but at Gauss nodes.
    """
    s, weights = _stations(points, tuple(breaks), tuple(extra))
    return s.copy(), weights.copy()


@lru_cache(maxsize=256)
def _stations(points: int, breaks: tuple[float, ...], extra: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """As `rod_stations`, kept: models of one design ask for the same again and again."""
    edges = np.array([0.0, *breaks, 1.0])
    x, w = gauss_legendre(points)
    length = np.diff(edges)
    nodes = (edges[:-1, None] + length[:, None] * x).ravel()
    weights = (length[:, None] * w).ravel()
    stations = dict.fromkeys((*edges, *extra), 0.0)
    stations.update(zip(nodes.tolist(), weights.tolist(), strict=True))
    s = np.array(sorted(stations))
    return s, np.array([stations[x] for x in s.tolist()])
