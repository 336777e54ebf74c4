"""A slender column that buckles: all its equilibria under one load, and the branch on which it leaves the straight.

Purpose: `Model.statics_all` and `EquilibriumPath.branches`.
Features: energies and stability of several equilibria; a pitchfork, followed both ways.
Source: Euler's load pi^2 E I / (4 L^2); beyond it the elastica, P L^2 / (E I) = K(k)^2 with k = sin(angle / 2), K the
complete elliptic integral, and the tip at (2 E(k) / K(k) - 1, 2 k / K(k)) L.
"""

import numpy as np

import supple as sp

LENGTH, RADIUS, YOUNG = 0.5, 0.002, 1e9
STIFFNESS = YOUNG * np.pi * RADIUS**4 / 4.0
EULER = np.pi**2 * STIFFNESS / (4.0 * LENGTH**2)


def make_column() -> sp.Robot:
    """A clamped rod along x, pushed back at its tip by a load that grows with s: s = 1 is Euler's load."""
    material = sp.Material(young=YOUNG, density=1200.0)
    rod = sp.Rod(LENGTH, sp.Circle(RADIUS), material, sp.Legendre(bend_z=7), points=16)
    robot = sp.Robot("column", gravity=(0.0, 0.0, 0.0))
    robot.add_link("column", rod)
    robot.add(sp.PointWrench("column", lambda s: np.array([0.0, 0.0, 0.0, -s * EULER, 0.0, 0.0])))
    return robot


def main() -> tuple[np.ndarray, list[bool | None], float, np.ndarray, np.ndarray]:
    """At 1.5 times Euler's load energies and stability of all equilibria; where the path bifurcates; s and tips (K, 2),
    in lengths, along one branch.
    """
    model = make_column().compile()
    found = model.statics_all(t=1.5)
    print(found)
    path = model.equilibrium_path(s=(0.0, 2.0), max_step=0.1)
    one, _ = path.branches(0)
    print(path.critical[0].kind, "at", round(path.critical[0].s, 4))
    stable = [each.stable for each in found]
    return found.energies, stable, path.critical[0].s, one.s, one.tip("column")[:, :2] / LENGTH


if __name__ == "__main__":
    main()
