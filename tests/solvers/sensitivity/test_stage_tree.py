"""Derivatives of motions with factors over the tree: those of the dense matrix, forward and backward."""

import numpy as np
import pytest

import supple as sp
from load_kinds import add_kinds, host
from tree_entry import choose_factors

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")


def feedback(t, q, v):
    """Inputs that answer to all coordinates."""
    return 1.0 + 0.1 * np.sin(q.sum()) - 0.01 * np.tanh(v.sum()) * np.ones(1)


@pytest.mark.parametrize("kinds", [("spring", "prescribed"), ("loop",), ("point_law_with_states",), ("chamber",)])
def test_both_ways(kinds, monkeypatch):
    """With ties, locked coordinates, stabilised loops, internal states and feedback."""
    model = add_kinds(np.random.default_rng(4), host(), kinds).compile()
    rng = np.random.default_rng(5)
    q0 = model.assemble() if model.nc else 0.1 * rng.standard_normal(model.n)
    inputs = {"u": feedback} if model.nu == 1 else {}
    motion = model.simulate(3e-3, q0, method=sp.GeneralizedAlpha(dt=1e-3), record=True, **inputs)
    cotangents, direction = rng.standard_normal(motion.q.shape), rng.standard_normal(model.n)
    results = []
    for tree in (True, False):
        choose_factors(monkeypatch, tree)
        gradient = motion.vjp(q=cotangents)
        results.append((gradient.q0, gradient.v0, motion.jvp(v0=direction).q))
    for tree, dense in zip(*results, strict=True):
        np.testing.assert_allclose(tree, dense, rtol=1e-6, atol=1e-8 * np.abs(dense).max())
        assert np.abs(dense).max() > 0.0
