"""Factors of the mass matrix over the tree: exact, in doubt where they should be, in slots that do not collide."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, rebuilt, relative_error
from kernel_entry import scratch_of
from reference_robots import floating_tree
from supple.core.arrays import UNREAD, ZERO
from supple.core.articulated import DOUBTFUL, SOLVED
from supple.core.articulated_columns import ARTICULATED
from supple.core.articulated_columns import solve_mass as kernel


def solve(model, q, X, free=None):
    """Status and X after the kernel."""
    X = np.array(X, dtype=float, order="C")
    free = np.ones(model.n) if free is None else np.array(free, dtype=float)
    work = model.workspace
    # kernels are compiled for arrays that may be written, and those of `case` may not
    return kernel(ARTICULATED.address, work.tree, work.own()[1], np.array(q), work.zero, free, X), X


def scaled(M):
    """M with a diagonal of ones, and what it was divided by: units of coordinates differ."""
    scale = np.sqrt(np.diag(M))
    return M / np.outer(scale, scale), scale


@pytest.mark.parametrize("seed", range(ROBOTS))
def test_inverts_the_mass_matrix(seed):
    """M x = r to rounding of the forces that meet in it."""
    _, model, q, _, _ = case(seed)
    M, r = model.mass_matrix(q), np.random.default_rng(seed).standard_normal((model.n, 3))
    status, x = solve(model, q, r)
    assert status in (SOLVED, DOUBTFUL)
    x = model.solve_mass(q, r)
    matrix, scale = scaled(M)
    y = scale[:, None] * x
    assert np.abs(matrix @ y - r / scale[:, None]).max() <= 1e-13 * model.n * np.abs(y).max()


@pytest.mark.parametrize("seed", range(0, ROBOTS, 3))
def test_links_that_leave_rods_before_their_tips(seed):
    robot, *_ = case(seed)
    rods = {link.name for link in robot.links if isinstance(link.body, sp.Rod)}
    rng = np.random.default_rng(seed)
    grafted = rebuilt(robot, station=lambda link: float(rng.uniform(0.1, 0.9)) if link.parent in rods else 1.0)
    model = grafted.compile()
    q, r = 0.3 * rng.standard_normal(model.n), rng.standard_normal((model.n, 2))
    matrix, scale = scaled(model.mass_matrix(q))
    y = scale[:, None] * model.solve_mass(q, r)
    assert np.abs(matrix @ y - r / scale[:, None]).max() <= 1e-13 * model.n * np.abs(y).max()


@pytest.mark.parametrize("seed", range(0, ROBOTS, 2))
def test_locked_coordinates(seed):
    """They do not move, and all others move as if they were not there."""
    _, model, q, _, _ = case(seed)
    rng = np.random.default_rng(seed)
    free = rng.random(model.n) < 0.6
    status, x = solve(model, q, rng.standard_normal((model.n, 2)), free)
    if status == DOUBTFUL:
        return
    r = np.random.default_rng(seed)
    r.random(model.n)
    r = r.standard_normal((model.n, 2))
    assert (x[~free] == 0.0).all()
    matrix, scale = scaled(model.mass_matrix(q)[np.ix_(free, free)])
    y = scale[:, None] * x[free]
    if free.any():
        assert np.abs(matrix @ y - r[free] / scale[:, None]).max() <= 1e-13 * model.n * np.abs(y).max()


def test_more_columns_than_a_panel():
    """Column by column, and many at once."""
    model = floating_tree().compile()
    rng = np.random.default_rng(0)
    q, X = 0.3 * rng.standard_normal(model.n), rng.standard_normal((model.n, 150))
    together = model.solve_mass(q, X)
    apart = np.column_stack([model.solve_mass(q, x) for x in X.T])
    assert relative_error(together, apart) < 1e-9
    M = model.mass_matrix(q)
    assert relative_error(M @ together, X) < 1e-9


def test_scratch_of_earlier_calls_does_not_matter():
    model = floating_tree().compile()
    rng = np.random.default_rng(1)
    q, X = 0.3 * rng.standard_normal(model.n), rng.standard_normal((model.n, 5))
    expected = model.solve_mass(q, X)
    space = scratch_of(model)
    for name in ("factors", "reach", "panels", "columns"):
        getattr(space, name)[:] = np.nan
    for name in ("M", "N", "dS", "dF", "dZ"):
        space.work[name] = np.nan
    assert np.array_equal(model.solve_mass(q, X), expected)
    assert relative_error(model.solve_mass(q, X[:, 0]), expected[:, 0]) < 1e-9


@pytest.mark.parametrize("seed", range(0, ROBOTS, 5))
def test_slots_are_not_shared_while_in_use(seed):
    """From the block of a knot to the last that hangs there, nobody else has its slot."""
    _, model, *_ = case(seed)
    knots, blocks = scratch_of(model).knots, model.topology.blocks
    uses = []
    for s in np.flatnonzero(knots[1] >= 0):
        owner = int(model.topology.owner[s])
        uses.append((int(knots[0, s]), owner, int(knots[1, s])))
        assert blocks["parent"][knots[1, s]] == s
    for i, (slot, first, last) in enumerate(uses):
        assert slot not in (UNREAD, ZERO)
        for other, begin, end in uses[:i]:
            assert other != slot or end < first or last < begin


def test_two_hinges_on_one_axis_are_in_doubt():
    """What is left of the second pivot is rounding: the dense matrix is asked, and names a coordinate."""
    robot = sp.Robot("hinges")
    robot.add_link("first", sp.Rigid(0.0, np.zeros(3)), joint=sp.Revolute("z"))
    body = sp.Rigid(1.0, (0.1, 0.2, 0.25), com=(0.3, 0.1, 0.0))
    robot.add_link("second", body, joint=sp.Revolute("z"), parent="first")
    model = robot.compile()
    assert solve(model, np.array([0.3, 0.4]), np.ones((2, 1)))[0] == DOUBTFUL
    with pytest.raises(sp.SingularError, match=r"singular at (first|second)\.rotation"):
        model.solve_mass(np.array([0.3, 0.4]), np.ones(2))


def test_what_is_refused():
    model = floating_tree().compile()
    with pytest.raises(sp.ShapeError, match=r"X has shape \(3, 2\).*needs \(80,\) or \(80, m\)"):
        model.solve_mass(np.zeros(80), np.zeros((3, 2)))
    with pytest.raises(sp.StateError, match=r"q\[4\]"):
        model.solve_mass(np.where(np.arange(80) == 4, np.nan, 0.0), np.zeros(80))
