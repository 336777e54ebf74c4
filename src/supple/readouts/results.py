"""What read-outs return.  Along a motion every array has a leading axis of times, and so has every number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.model.results import Energy, short_repr

Array = np.ndarray


class ContactForces(NamedTuple):
    """Forces of one contact, pair by pair: a contact sphere of one shape, a surface of the other.  World axes."""

    name: str
    a: tuple[tuple[str, float], ...]  #: (link, s) of the contact sphere of each pair, m of them
    b: tuple[tuple[str, float], ...]  #: (link, s) of the surface of each pair
    gap: Array  #: (m,) distance of the two [m]; negative: they overlap
    point: Array  #: (m, 3) middle of the overlap, or of the gap [m]
    normal: Array  #: (m, 3) from b towards a
    force: Array  #: (m, 3) on a at the point; its opposite acts on b [N]
    friction: Array  #: (m, 3) the part of the force across the normal [N]
    velocity: Array  #: (m, 3) of a relative to b at the point [m/s]; zero where nothing touches
    power: Array  #: (m,) that the force does on both [W]
    dissipated: Array  #: (m,) the part of minus that power that friction and damping turn into heat [W]
    total: Array  #: (6,) sum of all wrenches on a, [moment about the world origin; force]

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def wrench_a(self) -> Array:
        """(m, 6) wrench [moment; force] on a about the world origin."""
        return np.concatenate([np.cross(self.point, self.force), self.force], axis=-1)

    @property
    def wrench_b(self) -> Array:
        """(m, 6) wrench [moment; force] on b about the world origin: the opposite of that on a."""
        return -self.wrench_a

    def on(self, link: str) -> Array:
        """(6,) sum of the wrenches [moment about the world origin; force] on one link, or on "world"."""
        signs = [float(a == link) - float(b == link) for (a, _), (b, _) in zip(self.a, self.b, strict=True)]
        return np.asarray(np.einsum("m,...mi->...i", np.array(signs), self.wrench_a))

    @property
    def touching(self) -> Array:
        """(m,) bool: which pairs overlap."""
        return self.gap < 0.0


class ContactDerivatives(NamedTuple):
    """How the forces of a contact follow the state; pairs as in `ContactForces`."""

    gap_dq: Array  #: (m, n)
    force_dq: Array  #: (m, 3, n)
    force_dv: Array  #: (m, 3, n)
    total_dq: Array  #: (6, n) of the sum of all wrenches on a about the world origin
    total_dv: Array  #: (6, n)

    def __repr__(self) -> str:
        return short_repr(self)


class ReactionDerivatives(NamedTuple):
    """A reaction, and how it follows state, acceleration, inputs and multipliers."""

    wrench: Array  #: (6,)
    dq: Array  #: (6, n)
    dv: Array  #: (6, n)
    da: Array  #: (6, n)
    du: Array  #: (6, nu)
    dlam: Array  #: (6, nc)

    def __repr__(self) -> str:
        return short_repr(self)


class Stress(NamedTuple):
    """Stress resultants [moments N m; forces N] in the axes of the section, (K, 6), by the law of the material.

    The order is that of strains: torsion, bend_y, bend_z, stretch, shear_y, shear_z.  Positive: what lies beyond the
    section pulls.  A strain that is kept at rest has no stress by this law; see `Model.inner_forces`.
    """

    elastic: Array  #: stiffness times strain beyond that at rest
    viscous: Array  #: damping times its rate
    actuation: Array  #: what tendons (which pull) and chambers (which push) carry through the section

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def total(self) -> Array:
        """Sum of the three."""
        return np.asarray(self.elastic + self.viscous + self.actuation)


class StressDerivatives(NamedTuple):
    """How stress resultants follow the state."""

    dq: Array  #: (K, 6, n) of the total
    dv: Array  #: (K, 6, n)

    def __repr__(self) -> str:
        return short_repr(self)


class InnerForceDerivatives(NamedTuple):
    """Inner forces of a rod, and how they follow the motion."""

    wrench: Array  #: (K, 6) [moment N m; force N], as `Model.inner_forces`
    dq: Array  #: (K, 6, n)
    dv: Array  #: (K, 6, n)
    da: Array  #: (K, 6, n)

    def __repr__(self) -> str:
        return short_repr(self)


class CenterOfMass(NamedTuple):
    """The centre of mass of all links, world axes; without added mass of fluids."""

    position: Array  #: (3,) [m]
    velocity: Array  #: (3,) [m/s]
    jacobian: Array  #: (3, n): velocity = jacobian v, and d(position)/dq

    def __repr__(self) -> str:
        return short_repr(self)


class Mass(NamedTuple):
    """Masses in kilogram, without added mass of fluids."""

    total: float
    links: dict[str, float]


class Tension(NamedTuple):
    """How the tension of a line follows the state."""

    tension: float  #: N (of a chamber, the pressure, Pa)
    dq: Array  #: (n,)
    dv: Array  #: (n,)

    def __repr__(self) -> str:
        return short_repr(self)


class PowerGradient(NamedTuple):
    """Gradients of one power [W]."""

    dq: Array  #: (n,)
    dv: Array  #: (n,)
    da: Array  #: (n,); zero unless the load feels accelerations
    du: Array  #: (nu,)


class PowerDerivatives(NamedTuple):
    """Gradients of the powers of `Power`, by name."""

    loads: dict[str, PowerGradient]  #: of each load and actuator; of a fluid without buoyancy
    joints: dict[str, PowerGradient]  #: of the dampers and friction of joints by link
    rods: dict[str, PowerGradient]  #: of the damping of the material by link

    def __repr__(self) -> str:
        return f"<PowerDerivatives of {', '.join(self.loads) or 'no loads'}>"


class Power(NamedTuple):
    """Where power comes from and where it goes [W]; positive: into the robot."""

    loads: dict[str, float]  #: of each load and actuator: its generalised force times v; of a fluid without buoyancy
    stored: dict[str, float]  #: rate of the energy in springs, cables, elastic tendons, with inputs held
    joints: dict[str, float]  #: of the dampers and friction of joints by link, never positive
    rods: dict[str, float]  #: of the damping of the material by link, never positive
    efforts: dict[str, float]  #: of prescribed joints by link
    loops: dict[str, float]  #: of closed loops; zero but for what drifts
    rates: Energy  #: rates of the energies of `Model.energy`

    def __repr__(self) -> str:
        return f"<Power of {', '.join((*self.loads, *self.loops)) or 'no loads'}>"

    @property
    def supplied(self) -> dict[str, float]:
        """What each load brings in from outside (+) or takes away (-): its power and the rate of what it stores."""
        return {name: power + self.stored.get(name, 0.0) for name, power in self.loads.items()}

    @property
    def balance(self) -> float:
        """Rate of the total energy less all that is supplied and lost: zero along a motion."""
        parts = (self.supplied, self.joints, self.rods, self.efforts, self.loops)
        return self.rates.total - sum(x for part in parts for x in part.values())
