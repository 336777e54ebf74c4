"""Rows of loops as vectors: which are kept, solves with constraints, multipliers by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.model.constraints import Multipliers, loop_terms, named_multipliers, solve_constrained


@pytest.fixture(scope="module")
def four_bar():
    """A planar four-bar: the loop's rows out of the plane hold by themselves."""
    robot = sp.Robot("four-bar")
    bar = sp.Rigid.cylinder(1.0, 0.02, density=1000.0)
    robot.add_link("a", bar, sp.Revolute("y"))
    robot.add_link("b", bar, sp.Revolute("y"), parent="a")
    robot.add_link("c", bar, sp.Revolute("y"), parent="b")
    robot.add(sp.Loop("pin", ("c", sp.pose()), ("world", sp.pose((1.0, 0.0, 0.0))), sp.Revolute("y")))
    return robot.compile()


def test_rows_that_hold_by_themselves_are_dropped(four_bar):
    assert four_bar.nc == 2
    terms = loop_terms(four_bar, four_bar.rest, np.zeros(3), np.zeros(3), four_bar.loops)
    assert terms.jacobian.shape == (2, 3)
    assert terms.error.shape == (2,)


def test_a_constrained_solve_is_that_of_the_whole_system():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    M, A = root @ root.T + np.eye(5), rng.standard_normal((2, 5))
    force, rate = rng.standard_normal((5, 1)), np.ones((2, 1))
    free, fixed, given = np.array([0, 1, 2, 4]), np.array([3]), np.array([[0.7]])
    a, lam = solve_constrained(M, A, force, rate, free, fixed, given)
    assert a[3, 0] == 0.7
    assert_allclose((M @ a - A.T @ lam - force)[free], 0.0, atol=1e-12)
    assert_allclose(A @ a, rate, atol=1e-12)


def test_a_singular_system_is_refused():
    none = np.zeros((0, 1))
    with pytest.raises(sp.SingularError, match="the constrained mass matrix is singular"):
        solve_constrained(np.zeros((2, 2)), np.zeros((0, 2)), np.ones((2, 1)), none, np.arange(2), np.arange(0), none)


def test_baumgarte_pulls_back(four_bar):
    q, v, a = 0.1 * np.random.default_rng(1).standard_normal((3, 3))
    terms = loop_terms(four_bar, q, v, a, four_bar.loops)
    rate, by_q, by_v = terms.stabilised(0.5)
    assert_allclose(rate, terms.rate + 4.0 * terms.slip + 4.0 * terms.error)
    assert_allclose(by_q, terms.rate_dq + 4.0 * terms.slip_dq + 4.0 * terms.error_derivative)
    assert_allclose(by_v, terms.rate_dv + 4.0 * terms.jacobian)
    assert terms.stabilised(0.0)[0] is terms.rate


def test_multipliers_have_the_names_of_their_loops(four_bar):
    found = named_multipliers(four_bar, np.array([1.0, 2.0]))
    assert len(found) == 2
    assert np.linalg.norm(found["pin"]) == pytest.approx(np.sqrt(5.0))
    with pytest.raises(sp.ModelError, match="there is no loop 'nut'; loops are: pin"):
        found["nut"]
    assert repr(Multipliers(np.zeros((3, 0)), {})) == "<Multipliers of no loops: (3, 0)>"
