"""A car on a track: a joint along a closed B-spline of poses ([REDMAX] 2.4), with friction in it.

The track banks into its turns.  Without friction the car keeps its energy; with it, it comes to rest in a valley.
"""

import numpy as np

import supple as sp


def track(count: int = 16) -> list[np.ndarray]:
    """Poses along a banked figure with two hills, x of each along the track."""
    frames = []
    for t in np.linspace(0.0, 2.0 * np.pi, count, endpoint=False):
        place = np.array([3.0 * np.cos(t), 2.0 * np.sin(t), 0.6 * np.cos(2.0 * t)])
        heading = np.arctan2(2.0 * np.cos(t), -3.0 * np.sin(t))
        frames.append(sp.pose(place, (-0.4, 0.0, heading)))
    return frames


def car(friction: float = 0.0) -> sp.Robot:
    """A box on the track, with a pendulum under it."""
    robot = sp.Robot("roller coaster")
    rail = sp.CurveJoint(track(), cyclic=True, friction=sp.Friction(friction, slip_velocity=0.01))
    robot.add_link("car", sp.Rigid.box((0.4, 0.2, 0.2), density=300.0), rail)
    robot.add_link("bob", sp.Rigid.sphere(0.05, density=1000.0, tip=sp.pose()), sp.Revolute("x"), parent="car")
    return robot


def main(duration: float = 4.0) -> tuple[float, float, float]:
    """Returns laps without friction, the part of the energy that is lost there, and the last speed with friction."""
    free = car().compile()
    v0 = np.array([3.0, 0.0])  # pieces per second, rad/s
    motion = free.simulate(duration, v0=v0, method=sp.NDF(rtol=1e-7, atol=1e-9))
    energy = [free.energy(q, v).total for q, v in zip(motion.q[[0, -1]], motion.v[[0, -1]], strict=True)]
    rubbed = car(friction=40.0).compile().simulate(3.0 * duration, v0=v0)
    return float(motion.q[-1, 0]) / 16.0, abs(energy[1] - energy[0]) / abs(energy[0]), float(rubbed.v[-1, 0])


if __name__ == "__main__":
    laps, lost, speed = main()
    print(f"{laps:.2f} laps, {lost:.1e} of the energy lost; with friction it moves at {speed:.1e} pieces/s in the end")
