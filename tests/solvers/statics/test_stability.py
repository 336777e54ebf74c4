"""Whether small motions die away, told by factorisations, beside their eigenvalues."""

import numpy as np
import pytest

import supple as sp
from kernel_entry import entry
from supple.solvers.statics.stability import STABLE, UNKNOWN, balance_and_test
from supple.systems import SYSTEMS

SIZE = 6

compiled = entry(balance_and_test)


def told(K, C, M, rows):
    """What the test tells of matrices (n, n) and rows of loops (nc, n)."""
    n, m = len(K), len(K) + len(rows)
    scratch = np.empty((2, m)), np.empty((m, m)), np.empty((3, m, n))
    matrix, norm, scale = np.empty((m, m)), np.empty(1), np.empty(m)
    status = compiled(K, rows, rows.copy(), C, M, np.arange(n), matrix, norm, scale, *scratch)
    plain = np.block([[K, -rows.T], [rows, np.zeros((m - n, m - n))]])
    assert np.allclose(matrix, scale[:, None] * plain * scale, rtol=1e-14, atol=0.0)
    assert norm[0] == pytest.approx(np.abs(matrix).sum(axis=1).max(), rel=1e-14)
    return status


def growth(K, C, M, rows):
    """Largest real part of the eigenvalues of M x'' + C x' + K x = 0 on what the rows allow."""
    allowed = np.linalg.svd(rows)[2][len(rows) :].T if len(rows) else np.eye(len(K))
    K, C, M = (allowed.T @ X @ allowed for X in (K, C, M))
    k = len(K)
    inverse = np.linalg.inv(M)
    return np.linalg.eigvals(np.block([[np.zeros((k, k)), np.eye(k)], [-inverse @ K, -inverse @ C]])).real.max()


def positive(rng, size):
    root = rng.standard_normal((size, size))
    return root @ root.T + 0.1 * np.eye(size)


@pytest.mark.parametrize("loops", [0, 2])
def test_what_is_told_stable_is_and_most_of_what_is_stable_is_told(loops):
    rng = np.random.default_rng(loops)
    outcomes = []
    for _ in range(300):
        units = 10.0 ** rng.uniform(-3, 3, SIZE)
        M, C, K = (positive(rng, SIZE) for _ in range(3))
        K = K - rng.choice([0.0, 2.0]) * np.eye(SIZE)  # some of them fall over
        skew, gyroscopic = rng.standard_normal((2, SIZE, SIZE))
        K = K + 10.0 ** rng.uniform(-6, 1) * (skew - skew.T)
        C = C + rng.choice([0.0, 0.1]) * (gyroscopic - gyroscopic.T)
        rows = rng.standard_normal((loops, SIZE))
        scaled = [units[:, None] * X * units for X in (K, C, M)]
        outcomes.append((told(*scaled, rows * units) == STABLE, growth(K, C, M, rows) < 0.0))
    sure, stable = np.array(outcomes).T
    assert not (sure & ~stable).any()
    assert stable.any()
    assert not stable.all()
    assert sure.sum() > 0.4 * stable.sum()


def test_circling_forces_without_damping_are_not_called_stable():
    turning = np.array([[0.0, 1.0], [-1.0, 0.0]])
    K, M, none = np.eye(2) + 0.1 * turning, np.eye(2), np.zeros((0, 2))
    assert growth(K, 0.0 * M, M, none) > 0.0
    assert told(K, 1e-3 * M, M, none) == UNKNOWN
    assert told(K, 0.2 * M, M, none) == STABLE


def test_a_robot_on_loops_under_a_world_moment_is_told_stable_without_modes(monkeypatch):
    model = SYSTEMS["parallel-robot"]().compile()
    rest = model.statics(t=1.5)
    assert rest.stable
    slowest = model.modes(rest)
    assert (slowest.damping_ratios > 0.0).all()

    def refuse(*_):
        raise AssertionError("eigenvalues were asked for")

    monkeypatch.setattr(type(model), "modes", refuse)
    again = model.statics(t=1.5)
    again.vjp(np.ones(model.n))
    assert again.stable


def test_an_upright_follower_load_that_flutters_is_told():
    """Beck's column: beyond its critical load, a compressed cantilever flutters, though its stiffness stays regular.

    That load is 20.05 E I / L^2 without damping, and 10.9 with a little damping inside the rod.
    """
    material = sp.Material(young=1e6, poisson=0.3, density=1000.0, viscosity=1e-2)
    stiffness = 1e6 * np.pi * 0.02**4 / 4.0
    for times, stable in ((8.0, True), (25.0, False)):
        robot = sp.Robot("column", gravity=(0.0, 0.0, 0.0))
        robot.add_link("rod", sp.Rod(1.0, sp.Circle(0.02), material, sp.Legendre(bend_y=5), points=8))
        robot.add(sp.PointWrench("rod", wrench=[0, 0, 0, -times * stiffness, 0, 0], s=1.0, frame="local"))
        rest = robot.compile().statics()
        assert rest.stable is stable
        if stable:
            rest.vjp(np.ones(rest.model.n))
        else:
            with pytest.warns(sp.ModelWarning, match="unstable"):
                rest.vjp(np.ones(rest.model.n))


def test_where_all_is_prescribed_gradients_are_those_of_the_law():
    robot = sp.Robot("held")
    robot.add_link("arm", sp.Rigid(1.0, np.ones(3), com=(0.2, 0.0, 0.0)), sp.Revolute("y"))
    robot.add(sp.Prescribed("arm", lambda t: (0.3, 0.0, 0.0)))
    rest = robot.compile().statics()
    assert rest.vjp(np.array([2.0])).prescribed == pytest.approx([2.0], abs=0.0)
