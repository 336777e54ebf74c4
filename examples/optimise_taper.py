"""Shape a finger so that its tip presses hardest: radii along a rod, optimised at rest under a given tension.

The finger is pulled by a tendon against a spring; the force in the spring is to be as large as possible for a given
volume.  Statics and its gradient by all radii cost about the same, however many radii there are.
"""

import numpy as np
from scipy.optimize import minimize

import supple as sp

STATIONS = np.linspace(0.0, 1.0, 6)
STIFFNESS, TENSION = 20.0, 1.5  # N/m, N
LEAST, MOST = 0.006, 0.010  # m
MEAN_SQUARE = 0.008**2  # m^2


def finger(radii: np.ndarray) -> sp.Robot:
    """A finger with a tendon, whose tip presses on a spring."""
    rubber = sp.Material(young=1e6, poisson=0.45, density=1100.0, viscosity=1e3)
    section = sp.Circle(radius=lambda s: np.interp(s, STATIONS, radii))
    robot = sp.Robot("finger")
    robot.add_link("finger", sp.Rod(0.1, section, rubber, sp.Legendre(bend_y=4, stretch=1), points=12))
    robot.add(sp.Tendon("pull", {"finger": lambda X: (0.0, 0.01)}))
    robot.add(
        sp.Spring(
            "pad", ("finger", 1.0), ("world", 0.0, sp.pose(xyz=(0.1, 0.0, 0.3))), stiffness=STIFFNESS, rest_length=0.3
        )
    )
    return robot


def main() -> tuple[float, float, np.ndarray]:
    """Returns the force [N] of a straight and of the best finger, and the radii of that one [m]."""
    design = sp.Design(finger, radii=np.full(6, 0.008))
    forces = []

    def loss(radii: np.ndarray) -> tuple[float, np.ndarray]:
        model = design.model(radii=radii)
        rest = model.statics(u=[TENSION])
        pose = model.pose(rest.q, "finger")
        arm = pose[:3, 3] - (0.1, 0.0, 0.3)
        length = np.linalg.norm(arm)
        forces.append(STIFFNESS * abs(length - 0.3))
        slope = STIFFNESS * np.sign(0.3 - length) * arm / length  # minus d(force)/d(tip)
        wrench = np.concatenate([np.zeros(3), pose[:3, :3].T @ slope])
        return -forces[-1], rest.vjp(pose={("finger", 1.0): wrench}).p["radii"]

    volume = {
        "type": "eq",
        "fun": lambda r: (np.mean(r**2) - MEAN_SQUARE) / MEAN_SQUARE,
        "jac": lambda r: 2.0 * r / len(r) / MEAN_SQUARE,
    }
    found = minimize(loss, np.full(6, 0.008), jac=True, method="SLSQP", bounds=[(LEAST, MOST)] * 6, constraints=volume)
    return forces[0], -found.fun, found.x


if __name__ == "__main__":
    straight, best, radii = main()
    print(f"straight: {straight:.3f} N; best: {best:.3f} N with radii {np.round(1e3 * radii, 2)} mm")
