"""Kinematic columns: S, and J, R, Q summed inside blocks; combined ones of an implicit stage."""

from functools import cache

import numpy as np
import pytest

from helpers import central_difference, random_robot, relative_error
from kernel_entry import scratch_of
from supple.core.records import J_END, J_SUM, Q_SUM, R_SUM, S_OWN


@cache
def filled(seed):
    """A model, and columns (4, 6, .) and origin at time t of a motion of constant acceleration."""
    rng = np.random.default_rng(seed)
    model = random_robot(rng, links=3).compile()
    q, v, a = 0.4 * rng.standard_normal((3, model.n))

    def columns(t=0.0, cv=0.0, ca=0.0):
        state = (q + t * v + 0.5 * t * t * a, v + t * a, a)
        model.residual_tangent(*state, cv=cv, ca=ca)
        space = scratch_of(model)
        return space.columns.copy(), -space.work["p"][0], space.totals.copy(), space.work["V"].copy()

    return model, v, columns


def about(X, shift):
    """Columns [w; v] about an origin that lies by ``shift`` from theirs."""
    moved = X.copy()
    moved[3:] += np.cross(X[:3], shift, axisa=0, axisc=0)
    return moved


def active_columns(model):
    """Columns of segments that the sweeps visit."""
    rows = model.topology.blocks
    return np.concatenate([np.arange(b["columns"], b["columns"] + b["active"] * b["n"]) for b in rows])


@pytest.mark.parametrize("seed", range(6))
def test_rates_of_columns(seed):
    """R = dJ/dt and Q = d2J/dt2 of world columns about a fixed origin; gravity is an acceleration of the base."""
    model, _, columns = filled(seed)
    now, origin, _, _ = columns()
    own = active_columns(model)

    def at(m):
        def column(t):
            then, where, _, _ = columns(t)
            return about(then[m][:, own], origin - where)

        return column

    rate = central_difference(at(J_SUM), 1e-3)
    assert relative_error(now[R_SUM][:, own], rate, floor=1.0) < 1e-9
    # the base accelerates by -g, while this motion's base is at rest: the difference is ad_(0, -g) J
    gravity = np.asarray(model.parameters.gravity)
    falling = np.zeros_like(now[J_SUM][:, own])
    falling[3:] = np.cross(-gravity, now[J_SUM][:3, own], axisb=0, axisc=0)
    assert relative_error(now[Q_SUM][:, own] - falling, central_difference(at(R_SUM), 1e-3), floor=1.0) < 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_columns_of_a_stage_are_combined(seed):
    model, _, columns = filled(seed)
    own = active_columns(model)
    plain, fused = columns()[0][:, :, own], columns(cv=3.0, ca=7.0)[0][:, :, own]
    assert np.array_equal(fused[S_OWN], plain[S_OWN])
    assert np.array_equal(fused[J_SUM], plain[J_SUM])
    assert relative_error(fused[R_SUM], plain[R_SUM] + 3.0 * plain[J_SUM]) < 1e-13
    assert relative_error(fused[Q_SUM], plain[Q_SUM] + 6.0 * plain[R_SUM] + 7.0 * plain[J_SUM]) < 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_sums_inside_a_block(seed):
    """J is the sum of S along the block, and at its end the block's own; it carries rates to the twist."""
    model, v, columns = filled(seed)
    now, _, totals, V = columns()
    parents = model.topology.parents
    for block in model.topology.blocks:
        n, first, start = int(block["n"]), int(block["first"]), int(block["start"])
        for s in range(first, first + block["active"]):
            own = slice(block["columns"] + (s - first) * n, block["columns"] + (s - first + 1) * n)
            before = int(parents[s])
            base = np.zeros((6, n))
            if before != block["parent"]:
                at = block["columns"] + (before - first) * n
                base = now[J_SUM][:, at : at + n]
            assert relative_error(now[J_SUM][:, own], base + now[S_OWN][:, own], floor=1.0) < 1e-14
            expected = V[block["parent"]] + now[J_SUM][:, own] @ v[start : start + n]
            assert relative_error(V[s], expected, floor=1.0) < 1e-12
        last = block["columns"] + (block["active"] - 1) * n
        assert np.array_equal(totals[J_END][:, start : start + n], now[J_SUM][:, last : last + n])
