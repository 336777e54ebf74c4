"""Read-outs of a model: forces, strains, masses and powers at a state; the formulas are in `supple.readouts`.

What is omitted from a state is zero: v, a, inputs u, multipliers lam of loops; time t is 0, and internal states z of
loads are where they begin.  At an `Equilibrium` or along a `Trajectory`, ask these: they know their states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.readouts.results import (
        CenterOfMass,
        ContactDerivatives,
        ContactForces,
        InnerForceDerivatives,
        Mass,
        Power,
        PowerDerivatives,
        ReactionDerivatives,
        Stress,
        StressDerivatives,
        Tension,
    )

Array = np.ndarray


# ------------------------------------------------------------------ contacts

def contact_names(model: Model) -> tuple[str, ...]:
    """Names of all contacts."""
    from supple.readouts.contact import contact_names

    return contact_names(model)


def contact(
    model: Model,
    q: ArrayLike,
    name: str,
    v: ArrayLike | None = None,
    *,
    t: float = 0.0,
    every_pair: bool = False,
) -> ContactForces:
    """Forces of a contact: points, gaps, normals, forces and friction of each pair that touches, and their sum.

    World axes; a force acts on ``a``, its opposite on ``b``.  With ``every_pair`` those that do not touch are
    listed, too, with their gaps.
    """
    from supple.readouts.contact import contact
    from supple.readouts.parts import make_state

    return contact(model, make_state(model, q, v, t=t), name, every_pair)


def contact_derivatives(
    model: Model,
    q: ArrayLike,
    name: str,
    v: ArrayLike | None = None,
    *,
    t: float = 0.0,
    every_pair: bool = False,
) -> ContactDerivatives:
    """Derivatives of `contact` by q and v: of gaps, of forces pair by pair, and of their sum."""
    from supple.readouts.contact import contact_derivatives
    from supple.readouts.parts import make_state

    return contact_derivatives(model, make_state(model, q, v, t=t), name, every_pair)

# ------------------------------------------------------------------ reactions


def reaction(
    model: Model,
    q: ArrayLike,
    link: str = "world",
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
    *,
    frame: str = "world",
) -> Array:
    """Wrench (6,) [moment N m; force N] that a link receives from its parent through its joint.

    All of it: what the joint blocks, and along its free axes springs, dampers, drives and prescribed efforts.
    It balances inertia, gravity, loads and loops of the link and of all that hangs on it.  "world" is the base: the
    sum over all links on the world, moment about the world's origin.

    Parameters
    ----------
    link : str
        The link whose joint is asked for, or "world".
    frame : "world" or "local"
        Axes of the world, or those of the joint's frame in the parent (``at`` of `add_link`).  Moments are about
        the origin of that frame in both cases.

    Notes
    -----
    A tendon or chamber that runs through the joint is cut, too: its tension is in the wrench.  Cables, springs and
    loops act beside the joint.  A load at the base of a rod that is fixed to its parent acts on the parent.
    """
    from supple.readouts.parts import make_state
    from supple.readouts.reaction import reaction

    return reaction(model, make_state(model, q, v, a, u, lam, t, z), link, frame)


def reaction_derivatives(
    model: Model,
    q: ArrayLike,
    link: str = "world",
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
    *,
    frame: str = "world",
) -> ReactionDerivatives:
    """The same with derivatives by q, v, a, u and lam."""
    from supple.readouts.parts import make_state
    from supple.readouts.reaction import reaction_derivatives

    return reaction_derivatives(model, make_state(model, q, v, a, u, lam, t, z), link, frame)

# ------------------------------------------------------------------ rods


def strain(model: Model, q: ArrayLike, link: str, s: ArrayLike) -> Array:
    """Strain (6,) at station s of a rod, or (K, 6) at stations (K,).

    Torsion, bend_y, bend_z [1/m], stretch, shear_y, shear_z; straight and unstretched: (0, 0, 0, 1, 0, 0).
    """
    from supple.readouts.parts import make_state
    from supple.readouts.rods import strain

    return strain(model, make_state(model, q), link, s)


def strain_matrix(model: Model, link: str, s: ArrayLike) -> Array:
    """Phi (6, n), or (K, 6, n): the derivative of `strain` by q, and of its rate by v; it depends on s alone."""
    from supple.readouts.rods import strain_matrix

    return strain_matrix(model, link, s)


def stress(
    model: Model, q: ArrayLike, link: str, s: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None
) -> Stress:
    """Stress resultants (6,) or (K, 6) by the law of the material: elastic, viscous, of tendons and chambers.

    Moments and forces in the axes of the section, positive where the part beyond pulls.  Between Gauss nodes the
    properties of the section are interpolated.  A strain kept at rest has none: see `inner_forces`.
    """
    from supple.readouts.parts import make_state
    from supple.readouts.rods import stress

    return stress(model, make_state(model, q, v, u=u), link, s)


def stress_derivatives(
    model: Model, q: ArrayLike, link: str, s: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None
) -> StressDerivatives:
    """Derivatives of the total stress by q and v."""
    from supple.readouts.parts import make_state
    from supple.readouts.rods import stress_derivatives

    return stress_derivatives(model, make_state(model, q, v, u=u), link, s)


def inner_forces(
    model: Model,
    q: ArrayLike,
    link: str,
    s: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Array:
    """Inner forces of a rod from balance: wrench (6,) or (K, 6) [torsion, bending; normal, shear forces].

    The rod is cut at s: this is what the part beyond does to the part before, in the axes and about the middle of
    the section, so that tension is positive.  Tendons and chambers are cut, too.  It knows shear and normal forces
    even where strains are kept at rest.  Where a point load acts, the side towards the base is meant.
    """
    from supple.readouts.inner_forces import inner_forces
    from supple.readouts.parts import make_state

    return inner_forces(model, make_state(model, q, v, a, u, lam, t, z), link, s)

def inner_force_derivatives(
    model: Model,
    q: ArrayLike,
    link: str,
    s: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> InnerForceDerivatives:
    """`inner_forces` and their derivatives by q, v and a, with inputs and multipliers held."""
    from supple.readouts.inner_forces import inner_force_derivatives
    from supple.readouts.parts import make_state

    return inner_force_derivatives(model, make_state(model, q, v, a, u, lam, t, z), link, s)


# ------------------------------------------------------------------ masses

def mass(model: Model) -> Mass:
    """Masses in kg: ``total``, and ``links`` by name; without added mass of fluids."""
    from supple.readouts.mass import mass

    return mass(model)


def center_of_mass(model: Model, q: ArrayLike, v: ArrayLike | None = None) -> CenterOfMass:
    """Position (3,), velocity (3,) and Jacobian (3, n) of the centre of mass, world axes."""
    from supple.readouts.mass import center_of_mass
    from supple.readouts.parts import make_state

    return center_of_mass(model, make_state(model, q, v))

# ------------------------------------------------------------------ lines


def tensions(model: Model, q: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None) -> dict[str, float]:
    """Tension of every tendon and cable by name [N]."""
    from supple.readouts.parts import make_state
    from supple.readouts.tensions import tensions

    return tensions(model, make_state(model, q, v, u=u))


def tension_derivatives(
    model: Model, q: ArrayLike, name: str, v: ArrayLike | None = None, u: ArrayLike | None = None
) -> Tension:
    """Tension of one tendon or cable with its derivatives by q and v."""
    from supple.readouts.parts import make_state
    from supple.readouts.tensions import tension_derivatives

    return tension_derivatives(model, make_state(model, q, v, u=u), name)


def volumes(model: Model, q: ArrayLike) -> dict[str, float]:
    """Volume of every chamber by name [m^3]."""
    from supple.readouts.parts import make_state
    from supple.readouts.tensions import volumes

    return volumes(model, make_state(model, q))

# ------------------------------------------------------------------ power


def power(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> Power:
    """Power of every load and actuator, dissipation in joints and rods, rates of all energies [W].

    ``balance`` is the rate of the total energy less all that is supplied and lost: zero along a motion, as long as
    the inputs of elastic tendons are held (pulling them does work on what they store).
    """
    from supple.readouts.parts import make_state
    from supple.readouts.power import power

    return power(model, make_state(model, q, v, a, u, lam, t, z))


def power_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> PowerDerivatives:
    """Gradients by q, v, a and u of the power of every load and actuator and of the dampers in joints and rods."""
    from supple.readouts.parts import make_state
    from supple.readouts.power import power_derivatives

    return power_derivatives(model, make_state(model, q, v, a, u, lam, t, z))
