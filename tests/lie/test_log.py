"""The logarithm of a pose and the inverse of the tangent operator, up to half a turn."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from helpers import hat, relative_error
from kernel_entry import entry
from supple.lie import log as logarithms
from supple.lie import tangent

_log, _rotation_vector, _inverse3 = map(entry, (logarithms.log, logarithms.rotation_vector, logarithms.inverse3))
_tangent_operators = entry(tangent.tangent_operators)


def log(g):
    """Omega, and T(Omega)^-1 as a 6 x 6 matrix."""
    Omega, D = np.full(6, np.nan), np.full((2, 3, 3), np.nan)
    _log(np.ascontiguousarray(g[:3, :3]), np.ascontiguousarray(g[:3, 3]), Omega, D)
    return Omega, np.block([[D[0], np.zeros((3, 3))], [D[1], D[0]]])


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-8, 1e-4, 1.0, 3.0, 3.14, np.pi - 1e-7])
@pytest.mark.parametrize("seed", range(4))
def test_it_undoes_the_exponential(angle, seed):
    Omega = np.random.default_rng(seed).standard_normal(6)
    Omega[:3] *= angle / np.linalg.norm(Omega[:3])
    assert relative_error(log(expm(hat(Omega)))[0], Omega) < 3e-14


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -2, 2), (-3, 1, 0.5)])
def test_half_a_turn(axis):
    """Both rotation vectors of a half turn are right."""
    vector = np.pi * np.asarray(axis) / np.linalg.norm(axis)
    w = np.empty(3)
    _rotation_vector(Rotation.from_rotvec(vector).as_matrix(), w)
    assert min(np.abs(w - vector).max(), np.abs(w + vector).max()) < 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_inverse_of_the_tangent_operator(seed):
    rng = np.random.default_rng(seed)
    jet = np.zeros((3, 6))
    jet[0] = rng.uniform(-1.7, 1.7, 6)  # less than half a turn
    T = np.empty((1, 2, 3, 3))
    _tangent_operators(jet, 0, T)
    plain = np.block([[T[0, 0], np.zeros((3, 3))], [T[0, 1], T[0, 0]]])
    assert relative_error(log(expm(hat(jet[0])))[1] @ plain, np.eye(6)) < 1e-13


def test_inverse_of_small_matrices():
    A, out = np.random.default_rng(0).standard_normal((3, 3)), np.empty((3, 3))
    _inverse3(A, out)
    assert relative_error(out, np.linalg.inv(A)) < 1e-13
