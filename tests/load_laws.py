"""Laws of users' own loads, feedback and springs: classes and functions of a module, so that every model pickles."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np


@dataclass(frozen=True, eq=False)
class Swing:
    """A wrench that swings."""

    wrench: np.ndarray

    def __call__(self, t):
        return np.sin(3.0 * t + 1.0) * self.wrench


@dataclass(frozen=True, eq=False)
class SwingAlong:
    """A wrench per metre that swings, later towards the tip."""

    wrench: np.ndarray

    def __call__(self, t, s):
        return np.sin(2.0 * t + s) * self.wrench


@dataclass(frozen=True, eq=False)
class Waving:
    """q, q', q'' of a prescribed joint."""

    size: int

    def __call__(self, t):
        phase = 1.3 * t + np.arange(self.size)
        return 0.2 * np.sin(phase), 0.26 * np.cos(phase), -0.338 * np.sin(phase)


@numba.njit
def everything(t, g, eta, etadot, xi):
    """Nonlinear in all that a point's law may see, gently in the acceleration; compiled, for it is called often."""
    F = np.empty(6)
    for i in range(3):
        F[i] = 0.1 * np.sin(t + g[i, 3]) * eta[3 + i] + 0.05 * xi[i] * g[i, 2]
        F[3 + i] = -0.5 * eta[3 + i] + 0.2 * g[2, i] - 0.05 * np.tanh(etadot[3 + i]) + 0.1 * np.cos(xi[3 + i]) * xi[i]
    return F


@numba.njit
def posed(t, g, eta, etadot, xi):
    """Of pose and twist, compiled."""
    F = np.empty(6)
    for i in range(3):
        F[i] = 0.2 * np.sin(t + g[i, 3]) * eta[3 + i]
        F[3 + i] = -0.4 * eta[3 + i] * np.sqrt(1.0 + eta[3 + i] ** 2) + g[2, i]
    return F


def remembering(t, g, eta, etadot, xi, z):
    """With two internal states."""
    return np.concatenate([z[0] * eta[:3], -0.3 * eta[3:] + z[1] * g[:3, 0]])


def memory(t, g, eta, etadot, xi, z):
    return np.array([eta[3] - z[0], np.sin(t) - 0.5 * z[1]])


def bushing(t, h, eta):
    return np.concatenate([0.3 * eta[:3], 5.0 * h[:3, 3] + 0.5 * eta[3:]])


def bushing_tangent(t, h, eta):
    """By exp(z) h: the point h_p moves by z_v + z_w x h_p."""
    T, (x, y, z) = np.zeros((6, 12)), h[:3, 3]
    T[3:, :3] = -5.0 * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    T[3:, 3:6] = 5.0 * np.eye(3)
    T[:3, 6:9], T[3:, 9:] = 0.3 * np.eye(3), 0.5 * np.eye(3)
    return T


def creeping(t, h, eta, z):
    return np.concatenate([0.1 * h[:3, 1], 2.0 * (h[:3, 3] - z)])


def creep(t, h, eta, z):
    return 0.7 * (h[:3, 3] - z)


def hardening(l, rate):
    return 10.0 * (l - 0.2) + 30.0 * (l - 0.2) ** 3 + 0.5 * rate


def hardening_slope(l, rate):
    return 10.0 + 90.0 * (l - 0.2) ** 2


def hardening_rate(l, rate):
    return 0.5


def still(t, q, v, z):
    return -z + 0.1 * np.sum(q)


@dataclass(frozen=True, eq=False)
class Holding:
    """Output of a controller: small inputs, never negative."""

    inputs: int

    def __call__(self, t, q, v, z):
        return np.full(self.inputs, 0.1 + 0.01 * np.tanh(z[0]) ** 2)
