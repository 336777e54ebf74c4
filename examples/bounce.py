"""A gradient through a bounce: how far a ball comes, by how it is thrown.

A ball falls onto a floor, rubs, and jumps off again.  The derivative of its place at the end passes through contact and
friction; central differences of whole simulations confirm it.
"""

import numpy as np

import supple as sp
from supple.model.model import Model

TIMES = np.linspace(0.0, 0.5, 26)
METHOD = sp.NDF(rtol=1e-8, atol=1e-9)


def ball() -> Model:
    """A rubber ball above a floor."""
    robot = sp.Robot("ball", gravity=(0.0, 0.0, -9.81))
    robot.add_link("ball", sp.Rigid.sphere(0.05, density=300.0), joint=sp.Free())
    floor = {"stiffness": 2e4, "exponent": 1.5, "damping": 0.3, "friction": 0.3, "slip_velocity": 0.05}
    robot.add(sp.Contact("floor", a=sp.Ball(0.05, link="ball"), b=sp.Plane(normal=(0.0, 0.0, 1.0)), **floor))
    return robot.compile()


def thrown(model: Model, v0: np.ndarray, record: bool = False) -> sp.Trajectory:
    """From 0.3 m above the floor."""
    q0 = np.zeros(6)
    q0[5] = 0.3
    return model.simulate(TIMES, q0=q0, v0=v0, method=METHOD, record=record)


def main() -> tuple[np.ndarray, np.ndarray]:
    """Returns d(x at the end)/d(v0) exactly and by differences, (6,)."""
    model, v0 = ball(), np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    motion = thrown(model, v0, record=True)
    last = np.zeros((len(TIMES), 3))
    last[-1, 0] = 1.0
    exact = motion.vjp(tip={"ball": last}).v0
    h = 1e-4
    differences = [
        (thrown(model, v0 + h * e).tip("ball")[-1, 0] - thrown(model, v0 - h * e).tip("ball")[-1, 0]) / (2.0 * h)
        for e in np.eye(6)
    ]
    return exact, np.array(differences)


if __name__ == "__main__":
    exact, differences = main()
    print("exact      ", exact.round(4))
    print("differences", differences.round(4))
