"""A clamped rod under its own weight: Newton's method on the residual.

Purpose: statics with what is there, in ten lines; the equilibrium solver of the library will do more.
Features: `residual_tangent` at rest returns R and dR/dq, the matrix of Newton's method.
Source: a short stiff rod must sag by w L^4 / (8 E I) (Euler-Bernoulli beam under a uniform load w).
"""

import numpy as np

import supple as sp

LENGTH, RADIUS, YOUNG, DENSITY, GRAVITY = 0.3, 0.01, 1e8, 1000.0, 9.81


def make_rod() -> sp.Robot:
    """A horizontal rod along x that bends about y and stretches."""
    rubber = sp.Material(young=YOUNG, density=DENSITY)
    strain = sp.Legendre(bend_y=3, stretch=1)
    rod = sp.Rod(length=LENGTH, section=sp.Circle(RADIUS), material=rubber, strain=strain, points=6)
    robot = sp.Robot("sagging rod", gravity=(0.0, 0.0, -GRAVITY))
    robot.add_link("rod", rod)
    return robot


def equilibrium(model, tolerance: float = 1e-12) -> tuple[np.ndarray, int]:
    """Coordinates at which the residual vanishes at rest, and the number of Newton steps."""
    q, rest = model.rest.copy(), np.zeros(model.n)
    for steps in range(20):
        residual, tangent = model.residual_tangent(q, rest, rest)
        if np.abs(residual).max() < tolerance:
            return q, steps
        q -= np.linalg.solve(tangent, residual)
    raise RuntimeError("Newton's method did not converge")


def main() -> tuple[float, float, int]:
    """Sag of the tip in metres, computed and by beam theory, and Newton steps."""
    model = make_rod().compile()
    q, steps = equilibrium(model)
    weight = DENSITY * np.pi * RADIUS**2 * GRAVITY
    beam = weight * LENGTH**4 / (8.0 * YOUNG * np.pi * RADIUS**4 / 4.0)
    return float(-model.pose(q, "rod")[2, 3]), beam, steps


if __name__ == "__main__":
    sag, beam, steps = main()
    print(f"sag {1e3 * sag:.4f} mm, beam theory {1e3 * beam:.4f} mm, {steps} Newton steps")
