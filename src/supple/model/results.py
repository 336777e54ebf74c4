"""What `Model` returns: named tuples of arrays, with shapes and units."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from supple.model.constraints import Multipliers

Array = np.ndarray


def short_repr(self: Any) -> str:
    """Name and shapes of a result, in one line: arrays print themselves when asked for."""
    return f"<{type(self).__name__}: {', '.join(f'{k} {_brief(x)}' for k, x in zip(self._fields, self, strict=True))}>"


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > 6 or value.dtype.kind not in "fi":
            return f"{value.shape}"
        return "[" + ", ".join(f"{x:.4g}" for x in value.ravel().tolist()) + "]"
    if isinstance(value, (tuple, list, dict)) and not hasattr(value, "_fields"):
        return f"{len(value)} entries"
    return f"{value:g}" if isinstance(value, float) else str(value)


class Energy(NamedTuple):
    """Energies in joule; gravitational is zero at the world's origin."""

    kinetic: float
    elastic: float
    gravitational: float
    loads: float = 0.0  #: linear springs, cables and elastic tendons; energy densities of soft bodies

    @property
    def total(self) -> float:
        """Sum of all four."""
        return self.kinetic + self.elastic + self.gravitational + self.loads


class InverseDynamicsDerivatives(NamedTuple):
    """Inverse dynamics and its Jacobians by q, v and a."""

    force: Array  #: ID, (n,)
    dq: Array  #: dID/dq, (n, n)
    dv: Array  #: dID/dv, (n, n)
    mass: Array  #: dID/da = M, (n, n)

    def __repr__(self) -> str:
        return short_repr(self)


class InternalForceDerivatives(NamedTuple):
    """Jacobians of the internal force."""

    dq: Array  #: dtau/dq, (n, n)
    dv: Array  #: dtau/dv, (n, n)
    du: Array  #: dtau/du = B, (n, nu)

    def __repr__(self) -> str:
        return short_repr(self)


class ResidualDerivatives(NamedTuple):
    """Jacobians of the residual R = ID - tau - A^T lambda."""

    dq: Array  #: (n, n)
    dv: Array  #: (n, n)
    da: Array  #: (n, n)
    du: Array  #: (n, nu)
    dlam: Array  #: (n, nc)

    def __repr__(self) -> str:
        return short_repr(self)


class LineState(NamedTuple):
    """A cable or tendon; of a chamber the volume, its rate and gradient, and the pressure."""

    length: float  #: m
    rate: float  #: m/s
    tension: float  #: N
    gradient: Array  #: d(length)/dq, (n,)

    def __repr__(self) -> str:
        return short_repr(self)


class Station(NamedTuple):
    """Motion of a point of a link."""

    pose: Array  #: world pose, (4, 4)
    twist: Array  #: body twist, (6,)
    jacobian: Array  #: body Jacobian, (6, n)
    jacobian_rate: Array  #: its time derivative, (6, n)

    def __repr__(self) -> str:
        return short_repr(self)


class Acceleration(NamedTuple):
    """Result of forward dynamics."""

    a: Array  #: accelerations, (n,)
    efforts: Array  #: of prescribed joints
    multipliers: Multipliers  #: of loops: a vector (nc,), and wrenches by name

    def __repr__(self) -> str:
        return short_repr(self)


class HybridAcceleration(NamedTuple):
    """Result of hybrid dynamics."""

    a: Array  #: accelerations, (n,)
    force: Array  #: generalised forces that given accelerations take, (n,), zero for all other coordinates
    multipliers: Multipliers  #: of loops: a vector (nc,), and wrenches by name

    def __repr__(self) -> str:
        return short_repr(self)


class _Step(NamedTuple):
    q: Array
    v: Array


class Step(_Step):
    """q and v after a step, (n,) each, in the model's own charts; ``z`` (nz,) are internal states of loads."""

    z: Array

    def __new__(cls, q: Array, v: Array, z: Array) -> Self:
        """A pair; internal states are an attribute of it."""
        made = super().__new__(cls, q, v)
        made.z = z
        return made

    def __getnewargs__(self) -> tuple[Array, Array, Array]:
        return (self.q, self.v, self.z)

    def __repr__(self) -> str:
        return short_repr(self)


class _StepDerivatives(NamedTuple):
    q: Array
    v: Array
    A: Array
    B: Array


class StepDerivatives(_StepDerivatives):
    """q and v after a step, and its derivatives by the state x = [q, v, z] before and by the inputs.

    ``A`` is (2 n + nz, 2 n + nz), ``B`` (2 n + nz, nu); ``z`` (nz,) are internal states of loads after the step.
    """

    z: Array

    def __new__(cls, q: Array, v: Array, A: Array, B: Array, z: Array) -> Self:
        """Four arrays; internal states are an attribute of them."""
        made = super().__new__(cls, q, v, A, B)
        made.z = z
        return made

    def __getnewargs__(self) -> tuple[Array, ...]:
        return (self.q, self.v, self.A, self.B, self.z)

    def __repr__(self) -> str:
        return short_repr(self)


class AccelerationDerivatives(NamedTuple):
    """Jacobians of the forward dynamics."""

    dq: Array  #: da/dq, (n, n)
    dv: Array  #: da/dv, (n, n)
    du: Array  #: da/du, (n, nu)

    def __repr__(self) -> str:
        return short_repr(self)
