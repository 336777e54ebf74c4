"""One step of a rod: strains, Omega, the matrices of S, R, Q and d(S^T F)/dq, against differences and expm."""

import numpy as np
import pytest

from helpers import central_difference, difference_jacobian, relative_error, size
from kernel_entry import entry
from oracle import ad
from supple.core.blocks import curved, rod
from supple.core.records import block_t, segment_t, work_t
from supple.jit import inner

COMPONENT = np.array([0, 1, 1, 2, 3, 3, 5])
N, H = len(COMPONENT), 0.3


@entry
@inner
def local_pass(blocks, segments, phi, q, v, a, order, work):
    """From coordinates to the motion of the segment's end; work[0] is where it begins."""
    rod.strain_jet(blocks[0], segments[0], 0, phi, q, v, a, work[1].xi)
    rod.magnus_jet(segments[0], work[1].xi, work[1].jet)
    curved.exponential_pose(work[1])
    curved.curved_motion(work[0], work[1], order)


@entry
@inner
def matrices(segments, work, cv, ca, Z, W):
    rod.collocation_matrices(segments[0], work[1], 2, Z)
    rod.collocation_columns(Z, cv, ca, W)


@entry
@inner
def stiffness(segments, work, C):
    rod.collocation_stiffness(segments[0], work[1], C)


@entry
@inner
def wrenches(segments, work, F, f):
    rod.collocation_wrenches(segments[0], work[1].xi, F, f)


class Step:
    """A step of a rod of seven coordinates whose start is anywhere and moves."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.blocks, self.segments = np.zeros(1, block_t), np.zeros(1, segment_t)
        self.blocks["n"], self.blocks["runs"] = N, np.searchsorted(COMPONENT, range(7))
        self.segments["half"], self.segments["bracket"] = H / 2, np.sqrt(3.0) * H * H / 12
        self.segments["rest"] = rng.standard_normal((2, 6))
        self.phi, self.F = rng.standard_normal((2, N)), rng.standard_normal(6)
        self.state = rng.standard_normal((3, N))
        self.start = np.zeros(2, work_t)
        self.start["R0"][1] = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        self.start["p0"][1] = rng.standard_normal(3)
        self.start["R0"][1] *= np.linalg.det(self.start["R0"][1])

    def work(self, q, v, a, order=2):
        """The record of the segment; its start is at rest."""
        work = self.start.copy()
        local_pass(self.blocks, self.segments, self.phi, q, v, a, order, work)
        work["F"][1] = self.F
        return work

    def columns(self, q, v, a, cv=0.0, ca=0.0):
        """S, R, Q (3, 6, N)."""
        Z, W = np.empty((3, 2, 2, 3, 3)), np.empty((3, 6, 12))
        matrices(self.segments, self.work(q, v, a), cv, ca, Z, W)
        return W[:, :, COMPONENT] * self.phi[0] + W[:, :, 6 + COMPONENT] * self.phi[1]

    def force(self, q, v, a):
        """S^T F at constant F."""
        return self.columns(q, v, a)[0].T @ self.F


@pytest.fixture(scope="module", params=range(2))
def step(request):
    return Step(request.param)


def test_strains(step):
    q, v, a = step.state
    xi = step.work(q, v, a)["xi"][1]
    for m in range(2):
        for x, given, rest in zip(xi[:, m], (q, v, a), (step.segments["rest"][0, m], 0.0, 0.0), strict=True):
            expected = np.zeros(6)
            np.add.at(expected, COMPONENT, step.phi[m] * given)
            assert relative_error(x, rest + expected) < 1e-14


def test_magnus_step(step):
    """C1, and its time derivatives along a motion of constant acceleration."""
    q, v, a = step.state
    now = step.work(q, v, a)
    x, y = now["xi"][1, 0]
    assert relative_error(now["jet"][1, 0], H / 2 * (x + y) + np.sqrt(3.0) * H * H / 12 * ad(x) @ y) < 1e-14
    for m in range(2):
        rate = central_difference(lambda t, m=m: step.work(q + t * v + t * t / 2 * a, v + t * a, a)["jet"][1, m])
        assert relative_error(now["jet"][1, m + 1], rate) < 1e-9


def test_rates_of_columns(step):
    """R = dS/dt, Q = d2S/dt2, while the segment's start is at rest; V = S v."""
    q, v, a = step.state
    found = step.columns(q, v, a)
    for m in range(2):
        rate = central_difference(lambda t, m=m: step.columns(q + t * v + t * t / 2 * a, v + t * a, a)[m])
        assert relative_error(found[m + 1], rate) < 1e-9
    work = step.work(q, v, a)
    assert relative_error(work["V"][1], found[0] @ v) < 1e-13
    assert relative_error(work["A"][1], found[0] @ a + found[1] @ v) < 1e-13
    combined = step.columns(q, v, a, cv=3.0, ca=7.0)
    assert relative_error(combined[1], found[1] + 3.0 * found[0]) < 1e-13
    assert relative_error(combined[2], found[2] + 6.0 * found[1] + 7.0 * found[0]) < 1e-13


def test_force_by_way_of_collocation(step):
    """Z^T T^T F, taken from the right, is S^T F."""
    q, v, a = step.state
    work, f = step.work(q, v, a), np.empty((2, 6))
    T = work["T"][1, 0]
    plain = np.block([[T[0], np.zeros((3, 3))], [T[1], T[0]]])
    wrenches(step.segments, work, plain.T @ step.F, f)
    found = step.phi[0] * f[0, COMPONENT] + step.phi[1] * f[1, COMPONENT]
    assert relative_error(found, step.force(q, v, a)) < 1e-13


def test_geometric_stiffness(step):
    """C29: d(S^T F)/dq at constant F."""
    q, v, a = step.state
    C = np.empty((12, 12))
    stiffness(step.segments, step.work(q, v, a), C)
    Phi = np.zeros((12, N))
    for j, k in enumerate(COMPONENT):
        Phi[k, j], Phi[6 + k, j] = step.phi[:, j]
    expected = difference_jacobian(lambda x: step.force(x, v, a), q)
    assert size(expected) > 0.0
    assert relative_error(Phi.T @ C @ Phi, expected) < 1e-9


@entry
@inner
def strain_block(blocks, i, component, phi, C, out):
    rod.add_strain_block(blocks[0], i, component, phi, C, out)


@pytest.mark.parametrize("n", [1, 5, rod.PANEL, rod.PANEL + 1, 2 * rod.PANEL + 7])
def test_stiffness_of_a_segment_is_a_product_however_many_panels_it_takes(n):
    """out += Phi^T C Phi, against the same with a dense Phi (12, n)."""
    rng, start, segment, first = np.random.default_rng(n), 3, 1, 2
    component = np.sort(rng.integers(0, 6, start + n))
    phi, C = rng.standard_normal((2, first + 2 * n)), rng.standard_normal((12, 12))
    blocks = np.zeros(1, block_t)
    blocks["start"], blocks["n"], blocks["columns"] = start, n, first
    basis = np.zeros((12, n))
    for m in range(2):
        basis[6 * m + component[start:], np.arange(n)] = phi[m, first + segment * n :]
    out = rng.standard_normal((start + n, start + n))
    expected = out.copy()
    expected[start:, start:] += basis.T @ C @ basis
    strain_block(blocks, segment, component, phi, C, out)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
