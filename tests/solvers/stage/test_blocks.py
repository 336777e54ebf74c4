"""The matrix of a Newton step as a sum of blocks, against the same written with whole matrices."""

import numpy as np
import pytest
from numba import njit

from motions import four_bar
from supple.compilation.law_program import make_program
from supple.solvers.problem import make_workspace, problem_at
from supple.solvers.stage.blocks import largest_diagonal, sum_blocks


@njit
def summed(table, jacobians, by_state, rates, c, P, scale, W):
    sum_blocks(problem_at(table.ctypes.data), (jacobians, by_state, rates), c, P, scale, W)


@njit
def largest(table, jacobians, c):
    return largest_diagonal(problem_at(table.ctypes.data), jacobians, c[0], c[1], c[2])


class Case:
    """A linkage with two internal states and random derivatives."""

    def __init__(self, stabilised, reactions):
        model, _ = four_bar()
        nothing = make_program([], [], []), np.zeros((0, 2), dtype=np.int64)
        self.workspace = make_workspace(model, *nothing, stabilised, states=2)
        self.problem, rng, nz = self.workspace.problem, np.random.default_rng(7), 2
        n, nc = model.n, model.nc
        self.jacobians, self.by_state = rng.standard_normal((3, n, n)), rng.standard_normal((n, nz))
        self.rates = rng.standard_normal((nz, 3 * n + nz + (model.nu + nc if reactions else 0)))
        self.P, self.problem.matrices[:] = rng.standard_normal((n, nc)), rng.standard_normal((5, nc, n))

    def matrix(self, c, scale=3.0):
        W = np.full_like(self.problem.matrix, np.nan)
        summed(self.workspace.table, self.jacobians, self.by_state, self.rates, c, self.P, scale, W)
        return W


def expected(case, c, scale=3.0):
    """The formula of `solvers.stage.blocks`."""
    c0, cv, ca, cz = c
    p, (Rq, Rv, Ra), f, P = case.problem, case.jacobians, case.rates, case.P
    free, n, nc, nz = p.free, len(p.q), len(p.mu), len(p.z)
    A, E, slip = p.matrices[:3]
    T, F = c0 * Rq + cv * Rv + ca * Ra, c0 * f[:, :n] + cv * f[:, n : 2 * n] + ca * f[:, 2 * n : 3 * n]
    by_lambda = f[:, -nc:] if f.shape[1] > 3 * n + nz else np.zeros((nz, nc))
    R_z, f_z = case.by_state[free], f[:, 3 * n : 3 * n + nz]
    rows = [[T[np.ix_(free, free)], -c0 * scale * A[:, free].T, c0 * R_z]]
    rows += [[c0 * E[:, free], np.zeros((nc, nc)), np.zeros((nc, nz))]]
    rows += [[-F[:, free], -c0 * scale * by_lambda, cz * np.eye(nz) - c0 * f_z]]
    if len(p.matrix) > len(free) + nc + nz:
        own = P[free]
        rows[0].insert(2, -(T - c0 * Rq)[np.ix_(free, free)] @ own)
        rows[1].insert(2, np.zeros((nc, nc)))
        rows[2].insert(2, (F - c0 * f[:, :n])[:, free] @ own)
        middle = [(c0 * slip + cv * A)[:, free], np.zeros((nc, nc)), -cv * A[:, free] @ own, np.zeros((nc, nz))]
        rows.insert(2, middle)
    return np.block(rows)


@pytest.mark.parametrize("reactions", [False, True])
@pytest.mark.parametrize("stabilised", [False, True])
@pytest.mark.parametrize("c", [(1.0, 0.7, 1.3, 2.0), (0.0, -0.4, 0.9, 0.3)], ids=["matrix", "imaginary part"])
def test_the_matrix_is_the_sum_of_its_blocks(stabilised, reactions, c):
    case = Case(stabilised, reactions)
    assert case.matrix(c) == pytest.approx(expected(case, c), rel=1e-13, abs=1e-13)


def test_complex_weights_are_two_real_sums():
    case, c, d = Case(True, False), 0.8, -0.6
    square = (c + 1j * d) ** 2
    re, im = case.matrix((1.0, c, square.real, c)), case.matrix((0.0, d, square.imag, d))
    whole = expected(case, (1.0, c + 1j * d, square, c + 1j * d))
    assert re + 1j * im == pytest.approx(whole, rel=1e-13, abs=1e-13)


def test_multipliers_are_scaled_by_the_largest_entry_of_the_diagonal():
    case = Case(True, False)
    entries = np.abs(np.diag(np.tensordot((1.0, 2.0, 0.5), case.jacobians, 1)))[case.problem.free]
    assert largest(case.workspace.table, case.jacobians, (1.0, 2.0, 0.5)) == pytest.approx(entries.max(), rel=1e-14)
    assert largest(case.workspace.table, 0.0 * case.jacobians, (1.0, 2.0, 0.5)) == 1.0
