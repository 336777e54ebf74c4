"""Inertia, wrench and velocity tangent of one point."""

import numpy as np

from helpers import difference_jacobian, random_pose, random_spd, relative_error
from kernel_entry import entry
from oracle import Ad, ad, coad, coadbar, inverse
from supple.core import inertia
from supple.core.records import work_t

RNG = np.random.default_rng(0)
_world_inertia, _add_coadbar = entry(inertia.world_inertia), entry(inertia.add_coadbar)
_point_wrench, _velocity_tangent = entry(inertia.point_wrench), entry(inertia.velocity_tangent)


def point(seed=0):
    """A point with inertia, twist and acceleration."""
    rng = np.random.default_rng(seed)
    work = np.zeros(1, work_t)
    work["M"], work["V"], work["A"] = random_spd(rng, 6), rng.standard_normal(6), rng.standard_normal(6)
    return work


def wrench(work, V):
    """Its wrench at another twist."""
    moved = work.copy()
    moved["V"] = V
    _point_wrench(moved[0])
    return moved["F"][0]


def test_inertia_about_the_common_origin():
    g, local, M = random_pose(RNG, 2.0), random_spd(RNG, 6), np.full((6, 6), np.nan)
    _world_inertia(np.ascontiguousarray(g[:3, :3]), np.ascontiguousarray(g[:3, 3]), local, M)
    back = Ad(inverse(g))
    assert relative_error(M, back.T @ local @ back) < 1e-13
    assert relative_error(M, M.T) < 1e-14


def test_wrench_of_a_point():
    work = point()
    M, V, A = work["M"][0], work["V"][0], work["A"][0]
    assert relative_error(wrench(work, V), M @ A + coad(V) @ M @ V) < 1e-14


def test_velocity_tangent():
    """(20a); and by the twist alone, with the point where it is, dF = (N + M ad_V) dV."""
    work, X = point(), np.empty((6, 6))
    V, M = work["V"][0].copy(), work["M"][0].copy()
    _point_wrench(work[0])
    _velocity_tangent(work[0], X)
    N = work["N"][0]
    assert relative_error(N, coadbar(M @ V) - M @ ad(V) - (M @ ad(V)).T) < 1e-13
    expected = difference_jacobian(lambda x: wrench(work, x), V, 1.0)
    assert relative_error(N + M @ ad(V), expected) < 1e-12


def test_matrix_of_a_wrench():
    F, V, start = RNG.standard_normal(6), RNG.standard_normal(6), RNG.standard_normal((6, 6))
    N = start.copy()
    _add_coadbar(F, N)
    assert relative_error((N - start) @ V, coad(V) @ F) < 1e-13
