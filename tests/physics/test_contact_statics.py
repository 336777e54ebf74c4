"""A heavy rod laid on a plane: distributed penalty contact in statics against a boundary value problem solver."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import supple as sp

LENGTH, BENDING, WEIGHT = 1.0, 0.05, 1.0  # m, N m^2, N/m

#: height and tilt of the clamp (m, rad), slope of the plane (rad), stiffness and exponent of the penalty
CASES = {
    "above": (0.15, 0.0, 0.0, 2e3, 1.5),
    "linear": (0.15, 0.0, 0.0, 200.0, 1.0),
    "arch": (0.02, 0.9, 0.0, 2e3, 1.5),
    "slope": (0.2, 0.2, -0.15, 2e3, 1.5),
}


def laid(height, tilt, slope, stiffness, exponent):
    """The planar Kirchhoff rod: x' = cos, z' = sin of the angle, EI angle' = m, m' = -r' x n, n' = -load; free tip."""
    normal = np.array([-np.sin(slope), np.cos(slope)])

    def rates(s, y):
        x, z, angle, moment, nx, nz = y
        push = stiffness * np.maximum(-(normal[0] * x + normal[1] * z), 0.0) ** exponent
        bend = -(np.cos(angle) * nz - np.sin(angle) * nx)
        return np.vstack(
            [np.cos(angle), np.sin(angle), moment / BENDING, bend, -push * normal[0], WEIGHT - push * normal[1]]
        )

    def ends(a, b):
        return np.array([a[0], a[1] - height, a[2] - tilt, *b[3:]])

    # from the shape of a rod in much softer contact, step by step
    s = np.linspace(0.0, LENGTH, 300)
    guess = np.zeros((6, len(s)))
    guess[0], guess[1] = s, height * (1.0 - s)
    full = stiffness
    for share in (1e-3, 1e-2, 0.1, 1.0):
        stiffness = share * full
        solution = solve_bvp(rates, ends, s, guess, tol=1e-7 if share == 1.0 else 1e-3, max_nodes=100000)
        assert solution.success
        s, guess = solution.x, solution.y
    return solution


def model_of(height, tilt, slope, stiffness, exponent, order=16, points=100):
    mass = WEIGHT / 9.81
    section = sp.Section(np.full(6, BENDING), [1e-6, 1e-6, 1e-6, mass, mass, mass])
    rod = sp.Rod(LENGTH, section, strain=sp.Legendre(bend_y=order), points=points)
    robot = sp.Robot("laid")
    robot.add_link("base", sp.Rigid(0.0, np.zeros(3)), at=sp.pose((0.0, 0.0, height), rpy=(0.0, -tilt, 0.0)))
    robot.add_link("rod", rod, parent="base")
    robot.add(
        sp.Contact(
            "floor",
            a=sp.Spheres("rod", n=1, radius=0.0),
            b=sp.Plane(normal=(-np.sin(slope), 0.0, np.cos(slope))),
            per_length=True,
            stiffness=stiffness,
            exponent=exponent,
        )
    )
    return robot.compile()


@pytest.mark.parametrize("name", CASES)
def test_a_rod_laid_on_a_plane(name):
    """Tip to 1e-5 m, as the whole centreline; the rod does touch, over a good part of its length."""
    solution = laid(*CASES[name])
    slope = CASES[name][2]
    depth = np.sin(slope) * solution.y[0] - np.cos(slope) * solution.y[1]
    assert depth.max() > 1e-3
    assert np.ptp(solution.x[depth > 0.0]) > 0.05
    model = model_of(*CASES[name])
    found = model.statics()
    assert found.converged
    assert found.stable
    for s in np.linspace(0.0, 1.0, 11):
        x, z = solution.sol(s * LENGTH)[:2]
        assert model.pose(found.q, "rod", s)[:3, 3] == pytest.approx([x, 0.0, z], abs=1e-5)


def test_the_contact_matters():
    """The same rod without a floor hangs far below it."""
    height, tilt, slope, _, exponent = CASES["above"]
    free = model_of(height, tilt, slope, 1e-9, exponent)
    assert free.pose(free.statics().q, "rod")[2, 3] < -0.4


def test_settling_from_far_inside():
    """From a guess that bends deep into the floor, and from one above it: the same rest."""
    model = model_of(*CASES["above"])
    rest = model.statics().q
    for bend in (1.5, -1.0):
        guess = np.zeros(model.n)
        guess[0] = bend
        found = model.statics(q0=guess)
        assert found.converged
        assert found.q == pytest.approx(rest, abs=1e-7)
