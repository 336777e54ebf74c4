"""The force of one pair: its law, and its tangent as both bodies see it, against differences."""

import numpy as np
import pytest

from helpers import central_difference, difference_jacobian, relative_error
from kernel_entry import entry
from supple.core.loads import TANGENT, WRENCH
from supple.jit import inner
from supple.loads.contact import force
from supple.loads.contact.pair import pair_t

LAW = np.array([2e3, 1.5, 0.7, 0.4, 0.05])  # stiffness, exponent, damping, friction, slip velocity
release = entry(force.release)


@entry
@inner
def contact_force(law, weight, pairs, Fd, Fn, Fu, mode):
    force.contact_force(law, weight, pairs[0], Fd, Fn, Fu, mode)


point_matrix, add_product, add_cross = entry(force.point_matrix), entry(force.add_product), entry(force.add_cross)


def evaluated(law, depth, n, u, weight=1.0):
    """f, and its derivatives by depth, n and u."""
    pairs = np.zeros(1, pair_t)
    pairs["depth"], pairs["n"], pairs["u"] = depth, n, u
    Fd, Fn, Fu = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    contact_force(law, weight, pairs, Fd, Fn, Fu, TANGENT)
    return pairs["f"][0].copy(), Fd, Fn, Fu


def normal(rng):
    n = rng.standard_normal(3)
    return n / np.linalg.norm(n)


@pytest.mark.parametrize("y", [-1.0, -0.1, -0.05, 0.0, 0.08, 0.1, 0.5])
def test_a_contact_lets_go_smoothly(y):
    g, slope = release(y)
    assert slope == pytest.approx((release(y + 1e-7)[0] - release(y - 1e-7)[0]) / 2e-7, abs=1e-6)
    assert g >= max(y, 0.0)
    assert g <= max(y, 0.0) + 0.2501 * force.RELEASE


def test_the_law():
    """k d^p (1 - c u_n) along the normal, mu of that against the slip, less where it slips slowly."""
    n, u, d = np.array([0.0, 0.0, 1.0]), np.array([0.3, -0.4, -0.2]), 0.01
    f, *_ = evaluated(LAW, d, n, u, weight=0.5)
    N = 0.5 * 2e3 * d**1.5 * (1.0 + 0.7 * 0.2)
    assert f[2] == pytest.approx(N)
    assert f[:2] == pytest.approx(-0.4 * N * u[:2] / np.hypot(0.5, 0.05))
    still, *_ = evaluated(LAW, d, n, np.zeros(3))
    assert np.array_equal(still[:2], (0.0, 0.0))
    other = LAW.copy()
    other[1] = 2.0
    assert evaluated(other, d, n, 0.0 * u)[0][2] == pytest.approx(2e3 * d**2)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_the_law(seed, exponent):
    rng = np.random.default_rng(seed)
    law, d, n, u = LAW.copy(), 0.013, normal(rng), rng.standard_normal(3)
    law[1] = exponent
    _, Fd, Fn, Fu = evaluated(law, d, n, u)
    assert relative_error(Fd, central_difference(lambda e: evaluated(law, d + e, n, u)[0], 1e-5)) < 1e-8
    assert relative_error(Fu, difference_jacobian(lambda x: evaluated(law, d, n, x)[0], u, 1e-4)) < 1e-8
    # normals stay unit vectors: only their turns have a meaning
    across = np.linalg.svd(n[None])[2][1:].T

    def turned(x):
        m = n + across @ x
        return evaluated(law, d, m / np.linalg.norm(m), u)[0]

    assert relative_error(Fn @ across, difference_jacobian(turned, np.zeros(2), 1e-4)) < 1e-7


def test_without_a_tangent_only_the_force_is_written():
    pairs = np.zeros(1, pair_t)
    pairs["depth"], pairs["n"], pairs["u"] = 0.01, (0.0, 0.0, 1.0), (0.1, 0.0, 0.0)
    Fd, Fn, Fu = np.full(3, np.nan), np.full((3, 3), np.nan), np.full((3, 3), np.nan)
    contact_force(LAW, 1.0, pairs, Fd, Fn, Fu, WRENCH)
    assert np.isfinite(pairs["f"]).all()
    assert np.isnan(Fd).all()
    assert np.isnan(Fn).all()
    assert np.isnan(Fu).all()


def test_small_products():
    rng = np.random.default_rng(0)
    x, A, Y, out = rng.standard_normal(3), rng.standard_normal((3, 3)), *rng.standard_normal((2, 3, 6))
    L, before, hat = np.empty((3, 6)), out.copy(), np.cross(np.eye(3), -x)
    point_matrix(x, L)
    assert np.array_equal(L, np.hstack([hat, np.eye(3)]))
    add_product(A, Y, out)
    assert relative_error(out - before, A @ Y) < 1e-14
    before = out.copy()
    add_cross(-2.0, x, Y, out)
    assert relative_error(out - before, -2.0 * np.cross(x, Y, axisb=0, axisc=0)) < 1e-13
