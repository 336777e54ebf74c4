"""Find a material's viscosity from a swing: fit a simulation to measured positions, with exact gradients.

A soft arm hangs down, is pulled aside by a tendon and let go; a camera sees its tip.  The measurement is made here by a
simulation with another viscosity and some noise.
"""

import numpy as np
from scipy.optimize import minimize

import supple as sp
from supple.model.model import Model

TIMES = np.linspace(0.0, 0.6, 61)
TRUE, NOISE = 2500.0, 2e-4  # Pa s, m
RELEASED = sp.laws.Ramp(5.0, 0.0, t0=0.0, t1=0.02)  # N


def arm(viscosity: float = 1000.0) -> sp.Robot:
    """A tapered silicone arm with one tendon, hanging."""
    silicone = sp.Material(young=5e5, poisson=0.5, density=1100.0, viscosity=viscosity)
    rod = sp.Rod(0.25, sp.Circle(radius=(0.012, 0.008)), silicone, sp.Legendre(bend_y=3, bend_z=3), points=5)
    robot = sp.Robot("arm", gravity=(9.81, 0.0, 0.0))  # x points down
    robot.add_link("arm", rod)
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.008)}))
    return robot


def swing(model: Model) -> sp.Trajectory:
    """From rest under the pull, let go."""
    rest = model.statics(u=[5.0])
    return model.simulate(TIMES, q0=rest.q, u=[RELEASED], record=True)


def main() -> tuple[float, int]:
    """Returns the viscosity found, and how many simulations that took."""
    design = sp.Design(arm, viscosity=1000.0)
    measured = swing(design.model(viscosity=TRUE)).tip("arm")
    measured = measured + NOISE * np.random.default_rng(0).standard_normal(measured.shape)

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        viscosity = float(np.exp(x[0]))  # positive, whatever the optimiser tries
        motion = swing(design.model(viscosity=viscosity))
        error = motion.tip("arm") - measured
        gradient = motion.vjp(tip={"arm": 2.0 * error})  # rest does not depend on viscosity
        return 1e4 * float(np.sum(error**2)), 1e4 * viscosity * np.atleast_1d(gradient.p["viscosity"])

    found = minimize(loss, [np.log(1000.0)], jac=True, method="L-BFGS-B")
    return float(np.exp(found.x[0])), found.nfev


if __name__ == "__main__":
    viscosity, runs = main()
    print(f"viscosity {viscosity:.0f} Pa s (true {TRUE:.0f}) after {runs} simulations")
