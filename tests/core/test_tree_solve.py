"""Solutions with a border of further unknowns, plain and transposed."""

import numpy as np
import pytest

from helpers import ROBOTS, case
from load_kinds import add_kinds, host
from tree_entry import TreeCase, backward_error


def bordered(model, q, v, a, count, rng):
    """A tree with a random border, and the whole matrix."""
    tree = TreeCase(model, rng.permutation(model.n), further=count)
    T = model.residual_tangent(q, v, a, cv=20.0, ca=400.0)[1]
    tree.evaluate(q, v, a, 20.0, 400.0)
    assert tree.factorise()
    P, Q, D = rng.standard_normal((count, model.n)), rng.standard_normal((count, model.n)), rng.standard_normal(count)
    for k in range(count):
        tree.add_row(P[k], Q[k], D[k])
    assert tree.border()
    order = tree.order
    return tree, np.block([[T[np.ix_(order, order)], P[:, order].T], [Q[:, order], np.diag(D)]])


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("seed", range(0, ROBOTS, 20))
def test_further_unknowns(seed, transposed):
    _, model, q, v, a = case(seed)
    rng = np.random.default_rng(seed)
    tree, matrix = bordered(model, q, v, a, 3, rng)
    r = rng.standard_normal(len(matrix))
    assert backward_error(matrix.T if transposed else matrix, tree.solve(r, transposed), r) < 1e-9


@pytest.mark.parametrize("transposed", [False, True])
def test_further_unknowns_beside_ties(transposed):
    rng = np.random.default_rng(2)
    model = add_kinds(rng, host(), ["spring", "cable"]).compile()
    tree, matrix = bordered(model, *(0.2 * rng.standard_normal((3, model.n))), 2, rng)
    r = rng.standard_normal(len(matrix))
    assert backward_error(matrix.T if transposed else matrix, tree.solve(r, transposed), r) < 1e-9
