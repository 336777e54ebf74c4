"""Poses, twists and wrenches, against matrices of the textbook."""

import numpy as np
import pytest
from scipy.linalg import expm

from helpers import hat, random_pose, random_rotation, relative_error
from kernel_entry import entry
from oracle import Ad as matrix_Ad
from oracle import ad as matrix_ad
from oracle import coad as matrix_coad
from oracle import inverse
from supple.lie import se3

RNG = np.random.default_rng(0)


def split(g):
    return np.ascontiguousarray(g[:3, :3]), np.ascontiguousarray(g[:3, 3])


def written(function, *arguments, shape=6, start=0.0):
    """What a function writes into its last argument, which begins as ``start``."""
    out = np.full(shape, start)
    entry(function)(*arguments, out)
    return out


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, 1.4142, 1.4143, 3.1, 6.0])
def test_exponential_is_that_of_the_matrix(angle):
    Omega = RNG.standard_normal(6)
    Omega[:3] *= angle / np.linalg.norm(Omega[:3])
    R, p = np.empty((3, 3)), np.empty(3)
    entry(se3.exp)(Omega, R, p)
    expected = expm(hat(Omega))
    assert relative_error(R, expected[:3, :3]) < 1e-14
    assert relative_error(p, expected[:3, 3]) < 1e-14


def test_compose():
    a, b = random_pose(RNG), random_pose(RNG)
    R, p = np.empty((3, 3)), np.empty(3)
    entry(se3.compose)(*split(a), *split(b), R, p)
    assert relative_error(R, (a @ b)[:3, :3]) < 1e-15
    assert relative_error(p, (a @ b)[:3, 3]) < 1e-15


def test_rotate():
    R, x = random_rotation(RNG), RNG.standard_normal(3)
    assert relative_error(written(se3.rotate, R, x, shape=3), R @ x) < 1e-15


def test_adjoint_actions_on_twists_and_wrenches():
    g, X = random_pose(RNG, 2.0), RNG.standard_normal(6)
    assert relative_error(written(se3.Ad, *split(g), X, start=np.nan), matrix_Ad(g) @ X) < 1e-15
    assert relative_error(written(se3.Ad_inverse, *split(g), X, start=np.nan), matrix_Ad(inverse(g)) @ X) < 1e-14
    assert relative_error(written(se3.Ad_transposed, *split(g), X, start=np.nan), matrix_Ad(g).T @ X) < 1e-15


def test_brackets_add_to_what_is_there():
    V, X = RNG.standard_normal((2, 6))
    assert relative_error(written(se3.add_ad, V, X, start=1.0), 1.0 + matrix_ad(V) @ X) < 1e-15
    assert relative_error(written(se3.add_coad, V, X, start=1.0), 1.0 + matrix_coad(V) @ X) < 1e-15
    assert relative_error(written(se3.add_scaled, 2.5, X, start=1.0), 1.0 + 2.5 * X) < 1e-15


def test_power_is_the_same_in_every_frame():
    g, V, F = random_pose(RNG), *RNG.standard_normal((2, 6))
    moved = written(se3.Ad, *split(g), V)
    seen = written(se3.Ad_transposed, *split(g), F)
    assert entry(se3.dot6)(moved, F) == pytest.approx(entry(se3.dot6)(V, seen), rel=1e-13)
    assert entry(se3.dot6)(V, F) == pytest.approx(V @ F, rel=1e-13)


def test_products_with_matrices():
    M, X = RNG.standard_normal((6, 6)), RNG.standard_normal(6)
    assert relative_error(written(se3.product6, M, X, start=np.nan), M @ X) < 1e-15
    assert relative_error(written(se3.product6_transposed, M, X, start=np.nan), M.T @ X) < 1e-15
