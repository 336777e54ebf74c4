"""Corrections P mu of loops: their directions stay while they are in use."""

import numpy as np
import pytest
from numba import njit

from motions import four_bar
from supple.compilation.law_program import make_program
from supple.solvers.problem import CA, CV, make_workspace, problem_at
from supple.solvers.stage.matrix import linearise


def linearise_at(address):
    """Factors at the trial state of a problem."""
    return linearise(problem_at(address))


@pytest.fixture
def stage():
    """A four-bar linkage at a state, with its factors."""
    model, q0 = four_bar()
    made = make_workspace(model, make_program([], []), np.zeros((0, 2), np.int64))
    made.problem.q[:] = q0
    made.problem.numbers[[CV, CA]] = 1e3, 1e6
    factorise = njit(linearise_at)
    assert factorise(made.table.ctypes.data) == 0
    yield made, factorise
    del model  # its arrays are in use until now


def test_directions_follow_the_state_at_a_beginning(stage):
    made, factorise = stage
    before = made.problem.P.copy()
    made.problem.q[:] += 0.1
    factorise(made.table.ctypes.data)
    assert np.abs(made.problem.P - before).max() > 1e-3 * np.abs(before).max()


def test_directions_stay_under_corrections(stage):
    """Velocities hold c_v P mu: if P turned with new factors, they would jump."""
    made, factorise = stage
    before = made.problem.P.copy()
    made.problem.q[:] += 0.1
    made.problem.mu[0] = 1e-9
    factorise(made.table.ctypes.data)
    assert np.array_equal(made.problem.P, before)
