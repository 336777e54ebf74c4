"""An underactuated hand: every finger is driven by one motor, its outer joints follow the first ([REDMAX] 2.6).

The middle joint follows by a ratio, the last one by a function, as linkages do.  Both are eliminated: three fingers of
three joints have three coordinates.
"""

import numpy as np

import supple as sp

LENGTHS = (0.045, 0.03, 0.022)


def linkage(a: float) -> float:
    """How far the last joint closes, of the first one's angle."""
    return 0.6 * a + 0.15 * np.sin(2.0 * a)


def hand() -> sp.Robot:
    """A palm and three fingers with soft pads, all of which close on a ball."""
    robot = sp.Robot("hand")
    robot.add_link("palm", sp.Rigid.cylinder(0.02, 0.04, density=800.0), at=sp.pose(rpy=(0.0, -np.pi / 2, 0.0)))
    for k, angle in enumerate(2.0 * np.pi * np.arange(3) / 3):
        parent = "palm"
        at = sp.pose(rpy=(angle, 0.0, 0.0)) @ sp.pose((0.0, 0.035, 0.0))
        for j, length in enumerate(LENGTHS):
            bone = sp.Rigid.cylinder(length, 0.007, density=1100.0)
            joint = sp.Revolute("z", damping=2e-3, friction=1e-3)
            robot.add_link(f"{k}.{j}", bone, joint, parent=parent, at=at)
            parent, at = f"{k}.{j}", sp.pose()
        robot.couple(f"{k}.1", to=f"{k}.0", ratio=0.8)
        robot.couple(f"{k}.2", to=[f"{k}.0"], function=linkage)
        robot.add(sp.JointDrive(f"motor {k}", f"{k}.0"))
        tip = sp.Ball(0.008, (0.0, 0.0, 0.0), link=f"{k}.2")
        ball = sp.Ball(0.03, (0.0, 0.0, 0.09))
        robot.add(sp.Contact(f"touch {k}", a=tip, b=ball, stiffness=1e4, damping=1.0, friction=0.5))
    return robot


def main() -> tuple[int, float, np.ndarray]:
    """Returns the number of coordinates, the largest angle, and the forces with which the fingers hold the ball [N]."""
    model = hand().compile()
    motion = model.simulate(0.6, u=np.full(3, -0.06), method=sp.GeneralizedAlpha(dt=2e-3))
    q = motion.q[-1]
    forces = [np.linalg.norm(model.contact(q, f"touch {k}", motion.v[-1]).total[3:]) for k in range(3)]
    return model.n, float(np.abs(q).max()), np.array(forces)


if __name__ == "__main__":
    coordinates, angle, forces = main()
    print(f"{coordinates} coordinates; closed by {angle:.2f} rad, the fingers hold the ball with {forces.round(2)} N")
