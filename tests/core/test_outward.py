"""The sweep outward by its address: what it leaves is what the residual leaves, which sweeps by itself."""

import ctypes

import numpy as np
import pytest

from helpers import random_robot
from kernel_entry import scratch_of
from supple.core.arrays import handle, make_space
from supple.core.outward import ALL_COLUMNS, JACOBIAN_COLUMNS, NO_COLUMNS, OUTWARD
from supple.core.records import J_SUM

_integer, _real = ctypes.c_int64, ctypes.c_double
_outward = ctypes.CFUNCTYPE(None, *[_integer] * 7, _real, _real)


def swept(model, state, order, which, cv=0.0, ca=0.0):
    """Scratch after a sweep; all of it was NaN before."""
    tree = model.workspace.arrays
    space = make_space(tree, **model.workspace.sizes())
    space.columns[:], space.totals[:] = np.nan, np.nan
    kept = handle(tree), handle(space)
    at = [x.ctypes.data for x in (*kept, *state)]
    _outward(OUTWARD.address)(*at, order, which, cv, ca)
    return space


def case(seed):
    rng = np.random.default_rng(seed)
    model = random_robot(rng, links=3, soft=0.3).compile()
    return model, [np.ascontiguousarray(x) for x in 0.4 * rng.standard_normal((3, model.n))]


@pytest.mark.parametrize("seed", range(4))
def test_it_leaves_what_the_residual_leaves(seed):
    model, state = case(seed)
    model.residual_tangent(*state, cv=3.0, ca=7.0)
    left, found = scratch_of(model), swept(model, state, 2, ALL_COLUMNS, 3.0, 7.0)
    for name in ("R", "p", "V", "A"):
        np.testing.assert_allclose(found.work[name], left.work[name], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.nan_to_num(found.columns), left.columns, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_those_asked_for(seed):
    model, state = case(seed)
    everything = swept(model, state, 2, ALL_COLUMNS)
    some, none = swept(model, state, 0, JACOBIAN_COLUMNS), swept(model, state, 1, NO_COLUMNS)
    assert np.isnan(none.columns).all()
    np.testing.assert_allclose(some.columns[J_SUM], everything.columns[J_SUM], rtol=0, atol=1e-13, equal_nan=True)
    np.testing.assert_allclose(none.work["A"], everything.work["A"], rtol=0, atol=1e-13)
