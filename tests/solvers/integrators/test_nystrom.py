"""Nyström's pair: conditions of its order, how far its steps reach, and that positions and velocities fit together."""

import numpy as np
import pytest

import supple as sp
from motions import pendulum
from supple.errors import ModelError
from supple.solvers.integrators.explicit import Explicit, Pair
from supple.systems.flying_rod import stiff_flying_rod


def tableau():
    pair = sp.Nystrom().pair()
    A, b, c, error = (np.asarray(x, dtype=float) for x in pair[:4])
    return A, b, c, error[0], np.asarray(pair.positions)


def test_conditions_of_order_four():
    """Those of Runge and Kutta for velocities, and all that involve P."""
    A, b, c, _, P = tableau()
    found = [b.sum(), b @ c, b @ c**2, b @ A @ c, b @ c**3, b @ (c * (A @ c)), b @ A @ c**2, b @ A @ A @ c]
    assert found == pytest.approx([1, 1 / 2, 1 / 3, 1 / 6, 1 / 4, 1 / 8, 1 / 12, 1 / 24], abs=1e-15)
    assert P[:-1].sum(axis=1) == pytest.approx(c**2 / 2, abs=1e-15)
    assert b @ P[:-1] @ c == pytest.approx(1 / 24, abs=1e-15)
    assert P[-1] == pytest.approx(b * (1 - c), abs=1e-15)


def test_the_estimate_is_of_order_three():
    A, b, c, error, _ = tableau()
    stages, Ac = np.append(c, 1.0), np.append(A @ c, b @ c)
    assert [error.sum(), error @ stages, error @ stages**2, error @ Ac] == pytest.approx(np.zeros(4), abs=1e-15)
    assert abs(error @ stages**3) > 1e-4


def growth(size, damping=0.0):
    """Largest modulus of what a step makes of (q, h v), q'' = -omega^2 q - 2 d omega q', omega h = size."""
    A, b, c, _, P = tableau()
    ones, R = np.ones(len(b)), np.array([[1.0, 1.0], [0.0, 1.0]])
    pulled = np.column_stack([size**2 * ones, size**2 * c + 2.0 * damping * size * ones])
    accelerations = -np.linalg.solve(np.eye(len(b)) + size**2 * P[:-1] + 2.0 * damping * size * A, pulled)
    return np.abs(np.linalg.eigvals(R + np.array([P[-1], b]) @ accelerations)).max()


@pytest.mark.parametrize(("damping", "bound"), [(0.0, 5.29), (0.1, 3.65), (0.5, 2.42), (1.0, 1.52)])
def test_how_long_steps_may_be(damping, bound):
    assert max(growth(x, damping) for x in np.linspace(0.01, bound, 500)) < 1.0 + 1e-12
    assert growth(bound + 0.02, damping) > 1.001


def test_a_step_is_its_formula():
    """Accelerations that depend on position, velocity and time, against the formula written out."""
    model = pendulum(damping=0.1)
    A, b, c, _, P = tableau()
    q0, v0, h = np.array([0.4]), np.array([1.5]), 0.05
    a = []
    for i in range(len(b)):
        q = q0 + c[i] * h * v0 + h**2 * sum((P[i, j] * a[j] for j in range(i)), np.zeros(1))
        v = v0 + h * sum((A[i, j] * a[j] for j in range(i)), np.zeros(1))
        a.append(model.forward_dynamics(q, v).a)
    found = model.step(q0, v0, None, h, sp.Nystrom())
    assert found.q == pytest.approx(q0 + h * v0 + h**2 * P[-1] @ np.array(a), abs=1e-14)
    assert found.v == pytest.approx(v0 + h * b @ np.array(a), abs=1e-13)


def test_vibrations_take_few_evaluations():
    """A tumbling rod of one metre without damping: to 1 mm in half the evaluations of DOP853 at its loosest."""
    system = stiff_flying_rod()
    model, times = system.compile(), np.linspace(0.0, 10.0, 101)
    exact = system.paths(system.simulate(model, times, sp.DOP853(rtol=1e-6, atol=1e-9), progress=False))
    found = system.simulate(model, times, sp.Nystrom(rtol=3e-3, atol=3e-6), progress=False)
    other = system.simulate(model, times, sp.DOP853(rtol=1e-2, atol=1e-5), progress=False)
    assert np.abs(system.paths(found) - exact).max() < 1e-3
    assert found.stats["residuals"] < 0.55 * other.stats["residuals"]


class Narrow(Explicit):
    """The matrix of positions lacks the row of the end."""

    def pair(self):
        """Two stages."""
        return Pair([[0.0, 0.0], [1.0, 0.0]], [0.5, 0.5], [0.0, 1.0], [[-0.5, 0.5, 0.0]], 1, np.zeros((2, 2)))


def test_a_matrix_of_positions_that_does_not_fit_is_named():
    with pytest.raises(ModelError, match=r"Narrow: of a tableau of 2 stages the matrix of positions must be \(3, 2\)"):
        pendulum().simulate(1.0, q0=[0.5], method=Narrow(), progress=False)
