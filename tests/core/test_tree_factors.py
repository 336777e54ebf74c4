"""Arrays of factors over the tree: one piece of floats, and integers that a damaged file must not break."""

import numpy as np

from reference_robots import floating_tree
from supple.core.tree_factors import KNOT, KNOT_END, integers_fit
from tree_entry import TreeCase


def test_all_floats_are_parts_of_one_array():
    tree = TreeCase(floating_tree().compile(), further=2)
    for name in ("lu", "scales", "C", "W", "columns", "P", "Q", "Z", "D", "S", "border_scales", "smallest"):
        assert np.shares_memory(getattr(tree.factors, name), tree.reals), name
    for name in ("count", "pivots", "border_pivots"):
        assert np.shares_memory(getattr(tree.factors, name), tree.integers), name


def test_knots_are_where_blocks_hang():
    tree = TreeCase(floating_tree().compile())
    blocks, places, knots = tree.tree.blocks, tree.factors.places, tree.factors.knots
    for b in range(len(blocks)):
        for r in range(places[b, KNOT], places[b, KNOT_END]):
            assert knots[r, 2] in blocks["parent"]
            assert tree.tree.owner[knots[r, 2]] == b
    assert len(knots) == len(set(blocks["parent"].tolist()) - {0})


def test_integers_that_do_not_fit():
    tree = TreeCase(floating_tree().compile(), further=2)
    blocks = tree.tree.blocks
    assert integers_fit(blocks, tree.factors, tree.integers)
    for place, value in ((0, 1), (1, 99), (2, -1), (2, 1000), (len(tree.integers) - 1, 2)):
        damaged = tree.integers.copy()
        damaged[place] = value
        assert not integers_fit(blocks, tree.factors, damaged), (place, value)
