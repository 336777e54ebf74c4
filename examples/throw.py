"""Throw a ball with a soft arm: find the tensions over time for which it lands on a target.

The arm lets go at the end of the motion; from there the ball flies freely.  Where it lands is a function of the tip's
position and velocity at the end, and its gradient by all samples of all tensions comes from one backward pass.
"""

import numpy as np
from scipy.optimize import minimize

import supple as sp
from supple.model.model import Model

TIMES = np.linspace(0.0, 0.35, 36)
TARGET = np.array([1.1, 0.2])  # where to land, x and y, m
FLOOR, G = -0.5, 9.81
MOST = 60.0  # N


def thrower() -> Model:
    """A soft arm that stands up, with three tendons, and a ball in its hand."""
    rubber = sp.Material(young=2e6, poisson=0.5, density=1100.0, viscosity=3e3)
    rod = sp.Rod(0.4, sp.Circle(radius=(0.025, 0.012)), rubber, sp.Legendre(bend_y=3, bend_z=3, torsion=1), points=5)
    robot = sp.Robot("thrower", gravity=(0.0, 0.0, -G))
    robot.add_link("arm", rod, at=sp.pose(rpy=(0.0, -np.pi / 2, 0.0)))  # its axis points up
    robot.add_link("ball", sp.Rigid.sphere(0.02, density=1000.0), parent="arm")
    for k, angle in enumerate(np.deg2rad([90.0, 210.0, 330.0])):
        route = lambda X, angle=angle: (0.02 * np.cos(angle), 0.02 * np.sin(angle))  # noqa: E731
        robot.add(sp.Tendon(f"t{k}", {"arm": route}))
    return robot.compile()


def landing(position: np.ndarray, velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a ball lands (2,), with derivatives by its position and velocity (2, 3)."""
    root = np.sqrt(velocity[2] ** 2 + 2.0 * G * (position[2] - FLOOR))
    time = (velocity[2] + root) / G
    time_p, time_v = 1.0 / root, (1.0 + velocity[2] / root) / G
    by_p, by_v = np.eye(2, 3), time * np.eye(2, 3)
    by_p[:, 2] += velocity[:2] * time_p
    by_v[:, 2] += velocity[:2] * time_v
    return position[:2] + time * velocity[:2], by_p, by_v


def main() -> tuple[float, float, int]:
    """Returns by how much the first and the best throw miss [m], and how many simulations it took."""
    model = thrower()
    shape = (len(TIMES), model.nu)
    misses = []

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        motion = model.simulate(TIMES, u=x.reshape(shape), record=True)
        q, v = motion.q[-1], motion.v[-1]
        J = model.jacobian(q, "ball")  # body axes
        R = model.pose(q, "ball")[:3, :3]
        spot, by_p, by_v = landing(model.pose(q, "ball")[:3, 3], R @ (J @ v)[3:])
        error = spot - TARGET
        misses.append(float(np.linalg.norm(error)))
        # cotangents: of the tip's position as a wrench, of its velocity through J v (its change with q by differences)
        force = 2.0 * error @ by_v
        v_bar, q_bar = np.zeros_like(motion.v), np.zeros_like(motion.q)
        v_bar[-1] = J.T @ np.concatenate([np.zeros(3), R.T @ force])
        velocity = lambda q: force @ (model.pose(q, "ball")[:3, :3] @ (model.jacobian(q, "ball") @ v)[3:])  # noqa: E731
        q_bar[-1] = [(velocity(q + h) - velocity(q - h)) / 2e-6 for h in 1e-6 * np.eye(model.n)]
        tip_bar = np.zeros((len(TIMES), 3))
        tip_bar[-1] = 2.0 * error @ by_p
        gradient = motion.vjp(q=q_bar, v=v_bar, tip={"ball": tip_bar})
        smooth = 1e-7 * np.sum(np.diff(x.reshape(shape), axis=0) ** 2)
        slope = np.zeros(shape)
        slope[1:] += 2e-7 * np.diff(x.reshape(shape), axis=0)
        slope[:-1] -= 2e-7 * np.diff(x.reshape(shape), axis=0)
        return float(error @ error + smooth), (gradient.u + slope).ravel()

    start = np.tile([5.0, 5.0, 5.0], (len(TIMES), 1))
    minimize(
        loss,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, MOST)] * start.size,
        options={"maxiter": 60, "ftol": 1e-12},
    )
    return misses[0], min(misses), len(misses)


if __name__ == "__main__":
    first, best, runs = main()
    print(f"the first throw misses by {first:.2f} m, the best of {runs} by {1e3 * best:.1f} mm")
