"""A rope of point masses between the cranks of a four-bar ([REDMAX] 2.7, attached deformables).

Inner nodes of the rope have three coordinates each; its ends are points of the cranks and follow them.  With the
linkage held, the rope hangs in a catenary; let go, it swings with the linkage and pulls at it.
"""

import numpy as np

import supple as sp

CRANK, BASE, PIECES, LENGTH = 0.3, 0.8, 24, 1.1


def four_bar() -> sp.Robot:
    """Two cranks and a coupler, closed by a loop, and the rope between the ends of the cranks."""
    robot = sp.Robot("four-bar with a rope")
    crank, bar = sp.Rigid.cylinder(CRANK, 0.01, density=1000.0), sp.Rigid.cylinder(BASE, 0.01, density=1000.0)
    upright = sp.pose(rpy=(0.0, -np.pi / 2, 0.0))
    hinge = sp.Revolute("y", damping=1e-3)
    robot.add_link("left", crank, hinge, at=upright)
    robot.add_link("right", crank, hinge, at=sp.pose((BASE, 0.0, 0.0)) @ upright)
    robot.add_link("coupler", bar, sp.Revolute("y"), parent="left", at=sp.pose(rpy=(0.0, np.pi / 2, 0.0)))
    robot.add(sp.Loop("top", a=("coupler", sp.pose()), b=("right", sp.pose()), joint=sp.Revolute("y")))
    rope = sp.SpringNet.rope(
        (0.0, 0.0, CRANK), (BASE, 0.0, CRANK), PIECES, length=LENGTH, mass=0.2, stiffness=2e4, damping=0.5,
        first=("left", 1.0), last=("right", 1.0), radius=0.006,
    )  # fmt: skip
    rope.add_to(robot, "rope")
    return robot


def catenary() -> float:
    """How deep a chain of that length hangs between points so far apart [m]."""
    low, high = 0.01, 10.0  # of the parameter a: length = 2 a sinh(d / 2 a)
    for _ in range(200):
        a = np.sqrt(low * high)
        low, high = (a, high) if 2.0 * a * np.sinh(0.5 * BASE / a) > LENGTH else (low, a)
    return float(a * (np.cosh(0.5 * BASE / a) - 1.0))


def held_at(angle: float) -> np.ndarray:
    """Coordinates of the rope at rest, with the left crank held at an angle [rad] from upright."""
    robot = four_bar()
    robot.add(sp.Prescribed("left", sp.laws.Constant(angle)))
    return robot.compile().statics().q


def main() -> tuple[float, float, float, float]:
    """Returns the rope's sag with the linkage held and the catenary's [m], by how much the loop opens, the lowest node.

    The linkage is let go 0.2 rad from where it stands upright, with the rope at rest there.
    """
    model = four_bar().compile()
    middle = f"rope/{PIECES // 2}"
    sag = CRANK - model.pose(held_at(0.0), middle)[2, 3]
    motion = model.simulate(0.8, q0=held_at(0.2), method=sp.GeneralizedAlpha(dt=1e-3))
    opened = max(float(np.abs(model.loop_error(x)).max()) for x in motion.q[::50])
    lowest = min(float(model.pose(x, middle)[2, 3]) for x in motion.q[::50])
    return sag, catenary(), opened, lowest


if __name__ == "__main__":
    sag, exact, opened, lowest = main()
    print(f"the rope hangs {sag:.4f} m deep, a catenary {exact:.4f} m; swinging, it comes down to {lowest:.3f} m")
