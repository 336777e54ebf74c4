"""Nyström's pairs: conditions of order, how far steps reach, and that positions and velocities fit together."""

from functools import cache

import numpy as np
import pytest

import supple as sp
from motions import pendulum
from supple.errors import ModelError
from supple.solvers.integrators.explicit import Explicit, Pair
from supple.systems.cantilever import stiff_cantilever
from supple.systems.flying_rod import stiff_flying_rod

ORDERS = (4, 5)


def tableau(order):
    pair = sp.Nystrom(order=order).pair()
    A, b, c, error = (np.asarray(x, dtype=float) for x in pair[:4])
    return A, b, c, error[0], np.asarray(pair.positions)


@cache
def trees(order):
    """Rooted trees of f(q, v) up to an order: tuples of what hangs on the root, and their orders and densities.

    What hangs there is a leaf "c", a rate of q that ends; ("v", tree), a rate of v; or ("q", tree), one of q. A tree is
    the integral of x^(order - 1) times its density from 0 to 1.
    """
    found = []  # (children, order, density)

    def hung(left, first, items):
        if left == 0:
            yield ()
        for k in range(first, len(items)):
            if items[k][1] <= left:
                for rest in hung(left - items[k][1], k, items):
                    yield (items[k], *rest)

    for own in range(1, order + 1):
        items = [("c", 1, 1.0)]
        items += [(("v", i), r, d / r) for i, (_, r, d) in enumerate(found)]
        items += [(("q", i), r + 1, d / (r * (r + 1))) for i, (_, r, d) in enumerate(found)]
        for chosen in list(hung(own - 1, 0, items)):
            found.append((tuple(x[0] for x in chosen), own, float(np.prod([x[2] for x in chosen]))))
    return found


def weights_of(trees, A, P, c):
    """What every tree is at all stages (trees, stages)."""
    values = []
    for children, *_ in trees:
        x = np.ones(len(c))
        for child in children:
            x = x * (c if child == "c" else (A if child[0] == "v" else P) @ values[child[1]])
        values.append(x)
    return np.array(values)


@pytest.mark.parametrize(("order", "count"), [(4, 27), (5, 87)])
def test_conditions_of_order(order, count):
    """All of them, for accelerations that depend on positions and velocities."""
    A, b, c, _, P = tableau(order)
    known = trees(order)
    assert len(known) == count
    orders, densities = np.array([[x[1], x[2]] for x in known]).T
    values = weights_of(known, A, P[:-1], c)
    assert values @ b == pytest.approx(densities / orders, abs=1e-14)
    lower = orders < order
    assert (values @ P[-1])[lower] == pytest.approx((densities / (orders * (orders + 1)))[lower], abs=1e-14)
    assert P[:-1].sum(axis=1) == pytest.approx(c**2 / 2, abs=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_it_is_of_no_higher_order(order):
    A, b, c, _, P = tableau(order)
    known = trees(order + 1)
    errors = weights_of(known, A, P[:-1], c) @ b - np.array([d / r for _, r, d in known])
    last = np.array([r for _, r, _ in known]) == order + 1
    assert 1e-3 < np.abs(errors[last]).max() < 0.02


@pytest.mark.parametrize("order", ORDERS)
def test_the_estimate_is_of_order_three(order):
    A, b, c, error, P = tableau(order)
    stages = np.append(c, 1.0)  # the end is the first stage of the next step
    wide = np.pad(np.vstack([A, b]), ((0, 0), (0, 1)))
    positions = np.pad(P, ((0, 0), (0, 1)))
    known = trees(4)
    found = weights_of(known, wide, positions, stages) @ error
    orders = np.array([r for _, r, _ in known])
    assert np.abs(found[orders <= 3]).max() < 1e-15
    assert np.abs(found[orders == 4]).max() > 1e-4


def matrix(order, size, damping=0.0):
    """What a step makes of (q, h v), q'' = -omega^2 q - 2 d omega q', omega h = size."""
    A, b, c, _, P = tableau(order)
    ones, R = np.ones(len(b)), np.array([[1.0, 1.0], [0.0, 1.0]])
    pulled = np.column_stack([size**2 * ones, size**2 * c + 2.0 * damping * size * ones])
    accelerations = -np.linalg.solve(np.eye(len(b)) + size**2 * P[:-1] + 2.0 * damping * size * A, pulled)
    return R + np.array([P[-1], b]) @ accelerations


def growth(order, size, damping=0.0):
    """Largest modulus of its eigenvalues."""
    return np.abs(np.linalg.eigvals(matrix(order, size, damping))).max()


BOUNDS = [(4, 0.0, 5.29), (4, 0.1, 3.65), (4, 0.5, 2.42), (4, 1.0, 1.52)]
BOUNDS += [(5, 0.0, 4.98), (5, 0.1, 4.61), (5, 0.5, 3.67), (5, 1.0, 2.79)]


@pytest.mark.parametrize(("order", "damping", "bound"), BOUNDS)
def test_how_long_steps_may_be(order, damping, bound):
    sizes = [x for x in np.linspace(0.01, bound, 2000) if order == 4 or damping > 0.0 or x < 4.9]
    assert max(growth(order, x, damping) for x in sizes) < 1.0 + (3e-6 if order == 5 else 1e-12)
    assert growth(order, bound + 0.03, damping) > 1.001


def test_order_five_does_not_grow_where_anything_damps():
    assert max(growth(5, x, 1e-5) for x in np.linspace(0.01, 4.9, 2000)) < 1.0


@pytest.mark.parametrize(("order", "size", "to"), [(5, 3.0, 1e-3), (5, 2.4, 1e-4), (5, 1.6, 1e-5), (4, 1.04, 1e-3)])
def test_how_closely_vibrations_are_followed(order, size, to):
    """A step of omega h = size is off by no more than to omega h, in amplitude and phase."""
    for x in np.linspace(0.05, size, 200):
        eigenvalue = max(np.linalg.eigvals(matrix(order, x)), key=lambda y: y.imag)
        assert abs(eigenvalue - np.exp(1j * x)) < to * x


@pytest.mark.parametrize("order", ORDERS)
def test_a_step_is_its_formula(order):
    """Accelerations that depend on position, velocity and time, against the formula written out."""
    model = pendulum(damping=0.1)
    A, b, c, _, P = tableau(order)
    q0, v0, h = np.array([0.4]), np.array([1.5]), 0.05
    a = []
    for i in range(len(b)):
        q = q0 + c[i] * h * v0 + h**2 * sum((P[i, j] * a[j] for j in range(i)), np.zeros(1))
        v = v0 + h * sum((A[i, j] * a[j] for j in range(i)), np.zeros(1))
        a.append(model.forward_dynamics(q, v).a)
    found = model.step(q0, v0, None, h, sp.Nystrom(order=order))
    assert found.q == pytest.approx(q0 + h * v0 + h**2 * P[-1] @ np.array(a), abs=1e-14)
    assert found.v == pytest.approx(v0 + h * b @ np.array(a), abs=1e-13)


def test_vibrations_take_few_evaluations():
    """A tumbling rod of one metre without damping, to 1 mm, and a needle that whips, to 0.3 mm, beside DOP853."""
    for system, end, rtol, most, part in (
        (stiff_flying_rod(), 10.0, 3e-3, 1e-3, 0.65),
        (stiff_cantilever(), 1.0, 3e-3, 3e-4, 0.75),
    ):
        model, times = system.compile(), np.linspace(0.0, end, 101)
        exact = system.paths(system.simulate(model, times, sp.DOP853(rtol=1e-6, atol=1e-9), progress=False))
        found = system.simulate(model, times, sp.Nystrom(rtol=rtol, atol=1e-3 * rtol), progress=False)
        other = system.simulate(model, times, sp.DOP853(rtol=1e-2, atol=1e-5), progress=False)
        assert np.abs(system.paths(found) - exact).max() < most
        assert found.stats["residuals"] < part * other.stats["residuals"]


@pytest.mark.parametrize("order", [3, 6, True, 4.5, "5", None, [5]])
def test_another_order_is_refused(order):
    with pytest.raises(ModelError, match=r"Nystrom: order is .*, must be "):
        sp.Nystrom(order=order)
    assert repr(sp.Nystrom(order=np.int64(5))) == repr(sp.Nystrom())


class Narrow(Explicit):
    """The matrix of positions lacks the row of the end."""

    def pair(self):
        """Two stages."""
        return Pair([[0.0, 0.0], [1.0, 0.0]], [0.5, 0.5], [0.0, 1.0], [[-0.5, 0.5, 0.0]], 1, np.zeros((2, 2)))


def test_a_matrix_of_positions_that_does_not_fit_is_named():
    with pytest.raises(ModelError, match=r"Narrow: of a tableau of 2 stages the matrix of positions must be \(3, 2\)"):
        pendulum().simulate(1.0, q0=[0.5], method=Narrow(), progress=False)
