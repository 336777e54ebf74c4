"""Actuation coordinates: what inputs do work on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array
from supple.control.feedback import SAME, check_linear, chosen, nearby
from supple.errors import ModelError
from supple.numerics.quadrature import gauss_legendre

if TYPE_CHECKING:
    from supple.model.model import Model

#: Gauss nodes of the integral of B^T along a straight line: exact to rounding for usual bends.
NODES = 20
#: How far coordinates move between the states at which rates of B are differenced.
ALONG = 1e-3
#: A slope of forces that is less symmetric than this belongs to no potential.
SYMMETRIC = 1e-7


class Observed(NamedTuple):
    """Actuation coordinates at a state."""

    value: Array  #: y (m,)
    jacobian: Array  #: dy/dq (m, n)
    rate: Array  #: y' (m,)
    bias: Array  #: (m,) what y'' has besides (dy/dq) a


class ActuationCoordinates:
    """Coordinates y(q) with dy/dq = B(q)^T: the power of the inputs is u . y' ([AGNOSTIC-ID] 7.1).

    Of a motor y is the angle of its joint, of a tendon how much shorter it is than at ``q0``, of a chamber how much
    larger its volume is. Thrusters and wrenches on joints with several coordinates have none.

    Parameters
    ----------
    model : Model
    inputs : sequence of str, optional
        Names of the inputs; all if omitted.
    q0 : (n,), optional
        Where y is zero; q = 0 if omitted, so that y of a motor is its coordinate.

    Notes
    -----
    Columns of B that are constant, and those along lines, are integrated exactly; others along the straight line from
    ``q0`` to q, y = int_0^1 B(q0 + s (q - q0))^T (q - q0) ds, by 20 Gauss nodes.
    """

    def __init__(self, model: Model, inputs: Sequence[str] | None = None, q0: ArrayLike | None = None) -> None:
        what = "actuation_coordinates"
        self.model, self.columns = model, chosen(inputs, model.input_names, "input", what)
        self.q0 = finite_array(np.zeros(model.n) if q0 is None else q0, (model.n,), f"{what}: q0")
        check_linear(model, self.columns, what)
        places = [nearby(model, seed) for seed in (1, 2)]
        B = [model.actuation(q)[:, self.columns] for q in places]
        size = max(float(np.abs(B).max(initial=0.0)), 1e-300)
        self.constant = np.abs(B[0] - B[1]).max(axis=0, initial=0.0) <= SAME * size  #: which columns are, (m,)
        self._all_constant = bool(self.constant.all())
        self._B0 = np.where(self.constant, B[0], 0.0)
        self._lines = self._along_lines(places, B)
        self._integrated = [k for k in np.flatnonzero(~self.constant) if k not in self._lines]
        for k in self._integrated:
            self._check_potential(int(k), places[0])
        self._start = self._line_values(np.asarray(self.q0))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self.model.input_names[i] for i in self.columns)

    def __call__(self, q: ArrayLike) -> Array:
        """y (m,)."""
        step = np.asarray(q, dtype=float) - self.q0
        if self._all_constant:
            return np.asarray(self._B0.T @ step)
        y = self._B0.T @ step + self._line_values(np.asarray(q, dtype=float)) - self._start
        if self._integrated:
            for s, w in zip(*gauss_legendre(NODES), strict=True):
                B = self.model.actuation(self.q0 + s * step)[:, self.columns[self._integrated]]
                y[self._integrated] += w * (B.T @ step)
        return y

    def jacobian(self, q: ArrayLike) -> Array:
        """dy/dq = B^T, (m, n)."""
        if self._all_constant:
            return self._B0.T
        return self.model.actuation(q)[:, self.columns].T

    def rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """y' = B^T v, (m,)."""
        return np.asarray(self.jacobian(q) @ np.asarray(v, dtype=float))

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """What y'' has besides B^T a: (d B^T/dt) v, (m,); exact."""
        v, out = np.asarray(v, dtype=float), np.zeros(len(self.columns))
        if self._lines:
            biases = self.model.line_biases(q, v)
            for k, (name, factor) in self._lines.items():
                out[k] = factor * biases[name]
        if len(self._integrated):
            passive = self._slope(q, None)
            for i in self._integrated:
                out[i] = v @ (self._slope(q, self.columns[i]) - passive) @ v
        return out

    def observe(self, q: Array, v: Array) -> Observed:
        """All of them at a state (q, v), for less than one by one."""
        if self._all_constant:
            return Observed(self(q), self._B0.T, self._B0.T @ v, np.zeros(len(self.columns)))
        if len(self._lines) + int(self.constant.sum()) < len(self.columns):
            J = self.jacobian(q)
            return Observed(self(q), J, J @ v, self.bias(q, v))
        lines, J = self.model.lines(q), self._B0.T.copy()
        y = self._B0.T @ (q - self.q0) - self._start
        for k, (name, factor) in self._lines.items():
            y[k] += factor * lines[name].length
            J[k] = factor * lines[name].gradient
        return Observed(y, J, J @ v, self.bias(q, v))

    def jacobian_rates(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """d(B^T)/dt along v and d^2(B^T)/dt^2 along v and a, (m, n) each: d(y')/dq and d(y'')/dq.

        By differences of second order along q + v t + a t^2/2, right to some 1e-7 of what y'' has by itself.
        """
        if self._all_constant:
            return np.zeros_like(self._B0.T), np.zeros_like(self._B0.T)
        speed, size = float(np.abs(v).max(initial=0.0)), float(np.sqrt(np.abs(a).max(initial=0.0)))
        h = ALONG / max(speed, size, ALONG)
        J = self.jacobian(q)
        ahead, behind = (self.jacobian(q + x * v + 0.5 * x * x * a) for x in (h, -h))
        return (ahead - behind) / (2.0 * h), (ahead - 2.0 * J + behind) / h**2

    def _slope(self, q: ArrayLike, column: int | None) -> Array:
        """d tau/dq (n, n) with one unit of an input, or none."""
        u = np.zeros(self.model.nu)
        if column is not None:
            u[column] = 1.0
        return self.model.internal_force_derivatives(q, np.zeros(self.model.n), u).dq

    def _along_lines(self, places: list[Array], B: list[Array]) -> dict[int, tuple[str, float]]:
        """Columns that are a multiple of the gradient of a line of the same name: its name and the factor."""
        found = {}
        lines = [self.model.lines(q) for q in places] if not self._all_constant else []
        for k in np.flatnonzero(~self.constant):
            name = self.model.input_names[self.columns[k]]
            if not lines or name not in lines[0]:
                continue
            gradients = [states[name].gradient for states in lines]
            factor = float(gradients[0] @ B[0][:, k] / (gradients[0] @ gradients[0]))
            off = max(np.abs(b[:, k] - factor * g).max() for b, g in zip(B, gradients, strict=True))
            if off <= SAME * np.abs(B[0][:, k]).max():
                found[int(k)] = (name, factor)
        return found

    def _line_values(self, q: Array) -> Array:
        values = np.zeros(len(self.columns))
        if self._lines:
            lengths = self.model.line_lengths(q)
            for k, (name, factor) in self._lines.items():
                values[k] = factor * lengths[name]
        return values

    def _check_potential(self, k: int, q: Array) -> None:
        slope = self._slope(q, int(self.columns[k])) - self._slope(q, None)
        if np.abs(slope - slope.T).max() > SYMMETRIC * np.abs(slope).max():
            name = self.model.input_names[self.columns[k]]
            raise ModelError(
                f"actuation_coordinates: input {name!r} has none: the work that it does depends on the way "
                "(a thruster, a wrench on a joint with several coordinates); leave it out of inputs"
            )


def actuation_coordinates(
    model: Model, inputs: Sequence[str] | None = None, q0: ArrayLike | None = None
) -> ActuationCoordinates:
    """Coordinates y(q) on which inputs do work, dy/dq = B(q)^T: see `ActuationCoordinates`."""
    return ActuationCoordinates(model, inputs, q0)
