"""Soft arms of two slender bodies in free evolution under gravity, with four models of their strains."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, pi

import numpy as np
from numpy.typing import ArrayLike

from supple.bases import CustomBasis, Legendre, Monomial
from supple.bases.protocol import StrainBasis
from supple.lie.pose import pose
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System, of_kind

#: Of all four: the printed C "in GPa" read as MPa.
UNITS = (
    "The printed elastic parameter C is read in MPa, with Young's modulus 6 C: in GPa the arm would hardly sag. "
    "Coordinates of stretch and shear are printed in metres; strains are these over the length. "
)


def _two_bodies(
    name: str,
    material: Material,
    length: float,
    radii: Sequence[tuple[float, float]],
    strain: StrainBasis,
    at: ArrayLike,
) -> Robot:
    robot, parent = Robot(name), "world"
    for k, radius in enumerate(radii, start=1):
        rod = Rod(length=length, section=Circle(radius=radius), material=material, strain=strain, points=6)
        robot.add_link(f"body{k}", rod, parent=parent, at=at)
        parent, at = f"body{k}", pose()
    return robot


def _arm(name: str, strain: StrainBasis, q0: ArrayLike, simulation: int, note: str) -> System:
    """The cylinders of simulations 6 to 8, along y at rest."""
    young, length, radius = 6.0 * 0.555e6, 0.3, (0.01, 0.01)
    material = Material(young=young, poisson=0.5, density=1070.0, damping_time=0.333)
    along_y = pose(rpy=(0.0, 0.0, pi / 2.0))
    return System(
        name=name,
        robot=_two_bodies(name, material, length, [radius, radius], strain, along_y),
        t_end=10.0,
        dt=0.01,
        q0=np.asarray(q0),
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("body2", 1.0), ("body1", 1.0)),
        source=f"AGNOSTIC-ID, Simulation {simulation}",
        note=UNITS + note,
    )


def pgc_arm() -> System:
    """A tentacle of two cones falls over, its curvatures constants and Gaussians along the bodies ([AGNOSTIC-ID] S2).

    It stands upright at rest, bent and stretched at first.
    """

    def bump(s: float) -> tuple[float, float]:
        return 1.0, exp(-((s - 0.5) ** 2))

    material = Material(young=6.0 * 0.111e6, poisson=0.5, density=1070.0, damping_time=0.01)
    strain = CustomBasis(bend_y=bump, bend_z=bump, stretch=lambda s: (1.0,))
    upwards = pose(rpy=(0.0, -pi / 2.0, 0.0))
    length = 0.2
    # the paper's order per body: about x2 (constant, Gaussian), about -x1 (the same), elongation in m
    printed = np.array([[0.3, 1.0, 0.0, 1.0, 0.1], [-1.0, 0.0, 0.1, 2.0, 0.0]])
    q0 = [(-q[2], -q[3], q[0], q[1], q[4] / length) for q in printed]
    return System(
        name="pgc-arm",
        robot=_two_bodies("pgc-arm", material, length, [(0.01, 0.005), (0.005, 0.002)], strain, upwards),
        t_end=5.0,
        dt=0.01,
        q0=np.ravel(q0),
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("body2", 1.0), ("body1", 1.0)),
        source="AGNOSTIC-ID, Simulation 5",
        note=UNITS + "The Gaussian exp(-(s - L/2)^2) has s in metres in print, and would be constant to a percent: "
        "taken with s/L.",
    )


def pcc_arm() -> System:
    """Two cylinders of constant curvature swing to where gravity lets them hang ([AGNOSTIC-ID] S3)."""
    strain = Legendre(bend_y=0, bend_z=0, stretch=0)
    q0 = [1.5, 1.0, 0.0, 1.0, -1.0, 0.1 / 0.3]
    return _arm("pcc-arm", strain, q0, 6, "The printed curvatures are angles, about y and z of the bodies.")


def pac_arm() -> System:
    """The same two cylinders with curvatures that are affine along them ([AGNOSTIC-ID] S4)."""
    strain = Monomial(bend_y=1, bend_z=1, stretch=0)
    q0 = [1.5, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.1 / 0.3]
    return _arm(
        "pac-arm",
        strain,
        q0,
        7,
        "The text has no elongation here, yet begins where Simulation 6 does, whose second body is longer; it is kept.",
    )


def pcs_arm() -> System:
    """The same two cylinders with all six strains, constant along them ([AGNOSTIC-ID] S5)."""
    strain = Legendre(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0)
    length = 0.3
    # the paper's order per body: about x1, x2, x3, then along x1, x2, x3, of which x3 is the axis
    printed = np.array([[1.5, 1.0, 0.2, 0.02, 0.0, 0.0], [1.0, -1.0, -0.1, 0.0, -0.01, 0.1]])
    q0 = [(q[2], q[0], q[1], q[5] / length, q[3] / length, q[4] / length) for q in printed]
    return _arm("pcs-arm", strain, np.ravel(q0), 8, "The order of strains is that of the paper's frames, axis last.")


def free_evolution(kind: str = "pcc") -> System:
    """A soft arm of two bodies in free evolution: the model of its strains is pgc, pcc, pac or pcs."""
    return of_kind("free_evolution", {"pgc": pgc_arm, "pcc": pcc_arm, "pac": pac_arm, "pcs": pcs_arm}, kind)()
