"""Loads on pairs of segments: columns of the chains to them, and products with those."""

from functools import cache

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from kernel_entry import entry, handles_of, scratch_of
from line_robots import branched_robot, check_tangents, random_motion
from supple.core import couplings
from supple.core.arrays import space_at, tree_at
from supple.core.records import J_SUM, R_SUM
from supple.jit import inner


@entry
@inner
def coupled_columns(tree, space, s, m, out):
    couplings.coupled_columns(tree_at(tree), space_at(space), s, m, out)


@entry
@inner
def strain_variation(tree, k, x, out):
    couplings.strain_variation(tree_at(tree), k, x, out)


@entry
@inner
def add_strain_force(tree, k, f, out):
    couplings.add_strain_force(tree_at(tree), k, f, out)


@cache
def swept():
    """A robot with a spring across its branches and tendons along a rod, after a tangent at rest of accelerations."""
    spring = sp.Spring("across", a=("b", 0.37), b=("d", 1.0), stiffness=50.0, damping=3.0, rest_length=0.1)
    tendon = sp.Tendon("tendon", {"a": (0.01, 0.0)})
    model = branched_robot(spring, tendon)
    q, v, _ = random_motion(model, 0)
    zero = np.zeros(model.n)
    model.residual_tangent(q, v, zero)
    return model, (q, v)


def test_chains_carry_rates_to_twists():
    """V = J v and, without accelerations, A - A_0 = R v; gravity is in A of the world alone."""
    model, (_, v) = swept()
    tree, space = handles_of(model)
    work, X = scratch_of(model).work, np.empty((6, model.n))
    visited = [s for b in model.topology.blocks for s in range(b["first"], b["first"] + b["active"])]
    for s in [0, *visited]:
        for m, expected in ((J_SUM, work["V"][s]), (R_SUM, work["A"][s] - work["A"][0])):
            X[:] = np.nan
            coupled_columns(tree, space, s, m, X)
            assert relative_error(X @ v, expected, floor=1.0) < 1e-12


def test_columns_of_a_strain():
    model, (_, v) = swept()
    tree, space = handles_of(model)
    stress, X, rng = scratch_of(model).stress, np.empty((6, model.n)), np.random.default_rng(0)
    assert len(stress) > 3
    for k in range(len(stress)):
        coupled_columns(tree, space, -(k + 1), J_SUM, X)
        assert relative_error(X @ v, stress["xid"][k], floor=1.0) < 1e-13
        strain, force, f = np.empty(6), np.zeros(model.n), rng.standard_normal(6)
        strain_variation(tree, k, v, strain)
        add_strain_force(tree, k, f, force)
        assert relative_error(strain, X @ v, floor=1.0) < 1e-13
        assert relative_error(force, X.T @ f, floor=1.0) < 1e-13


def test_products_of_columns():
    rng = np.random.default_rng(0)
    A, X, Y, start = rng.standard_normal((6, 6)), *rng.standard_normal((2, 6, 5)), rng.standard_normal((5, 5))
    X[:, 2] = 0.0  # off the chain
    A[1] = 0.0
    out = Y.copy()
    entry(couplings.add_mapped)(A, X, 0, X.shape[1], out)
    assert relative_error(out, Y + A @ X) < 1e-14
    out = start.copy()
    entry(couplings.add_outer)(X, Y, 0, X.shape[1], out)
    assert relative_error(out, start + X.T @ Y) < 1e-14
    assert np.array_equal(out[2], start[2])
    out = start.copy()
    entry(couplings.add_outer)(X, Y, 1, 3, out)  # these columns alone
    assert relative_error(out[:, 1:3], (start + X.T @ Y)[:, 1:3]) < 1e-14
    assert np.array_equal(np.delete(out, (1, 2), 1), np.delete(start, (1, 2), 1))


@pytest.mark.parametrize("seed", range(2))
def test_tangents_of_a_load_across_branches(seed):
    model, _ = swept()
    check_tangents(model, *random_motion(model, seed), [3.0])
