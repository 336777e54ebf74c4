"""What `Model` returns: named tuples of arrays, with shapes and units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.model.constraints import Multipliers

Array = np.ndarray


class Energy(NamedTuple):
    """Energies in joule; gravitational is zero at the world's origin."""

    kinetic: float
    elastic: float
    gravitational: float
    loads: float = 0.0  #: linear springs, cables and elastic tendons

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


class InternalForceDerivatives(NamedTuple):
    """Jacobians of the internal force."""

    dq: Array  #: dtau/dq, (n, n)
    dv: Array  #: dtau/dv, (n, n)
    du: Array  #: dtau/du = B, (n, nu)


class ResidualDerivatives(NamedTuple):
    """Jacobians of the residual R = ID - tau - A^T lambda."""

    dq: Array  #: (n, n)
    dv: Array  #: (n, n)
    da: Array  #: (n, n)
    du: Array  #: (n, nu)
    dlam: Array  #: (n, nc)


class LineState(NamedTuple):
    """A cable or tendon; of a chamber the volume, its rate and gradient, and the pressure."""

    length: float  #: m
    rate: float  #: m/s
    tension: float  #: N
    gradient: Array  #: d(length)/dq, (n,)


class Station(NamedTuple):
    """Motion of a point of a link."""

    pose: Array  #: world pose, (4, 4)
    twist: Array  #: body twist, (6,)
    jacobian: Array  #: body Jacobian, (6, n)
    jacobian_rate: Array  #: its time derivative, (6, n)


class Acceleration(NamedTuple):
    """Result of forward dynamics."""

    a: Array  #: accelerations, (n,)
    efforts: Array  #: of prescribed joints
    multipliers: Multipliers  #: of loops: a vector (nc,), and wrenches by name


class AccelerationDerivatives(NamedTuple):
    """Jacobians of the forward dynamics."""

    dq: Array  #: da/dq, (n, n)
    dv: Array  #: da/dv, (n, n)
    du: Array  #: da/du, (n, nu)
