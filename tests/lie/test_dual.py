"""Dual matrices A + epsilon B, against the 6 x 6 matrices [[A, 0], [B, A]] that they stand for."""

import numpy as np

from helpers import random_pose, relative_error
from kernel_entry import entry
from oracle import Ad, ad
from supple.lie import dual

RNG = np.random.default_rng(1)


def plain(D):
    return np.block([[D[0], np.zeros((3, 3))], [D[1], D[0]]])


def test_products_from_the_left_and_right():
    D, start = RNG.standard_normal((2, 2, 3, 3))
    V, g = RNG.standard_normal(6), random_pose(RNG)
    out = np.full((2, 3, 3), np.nan)
    entry(dual.Ad_times)(np.ascontiguousarray(g[:3, :3]), np.ascontiguousarray(g[:3, 3]), D, out)
    assert relative_error(plain(out), Ad(g) @ plain(D)) < 1e-15
    out = start.copy()
    entry(dual.add_ad_times)(V, D, out)
    assert relative_error(plain(out), plain(start) + ad(V) @ plain(D)) < 1e-15
    out = start.copy()
    entry(dual.add_times_ad)(0.3, D, V, out)
    assert relative_error(plain(out), plain(start) + 0.3 * plain(D) @ ad(V)) < 1e-15


def test_action_on_twists_and_wrenches():
    D, X, start = RNG.standard_normal((2, 3, 3)), *RNG.standard_normal((2, 6))
    out = start.copy()
    entry(dual.add_apply)(D, X, out)
    assert relative_error(out, start + plain(D) @ X) < 1e-15
    entry(dual.apply_transposed)(D, X, out)
    assert relative_error(out, plain(D).T @ X) < 1e-15
