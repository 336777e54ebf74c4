"""Whether a model's tangent is factorised over its tree or as a dense matrix: what its structure says costs less."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Floating-point operations, and what other work costs in such: per coordinate, per block of the tree, per entry of
#: the dense matrix (measured on chains and stars of rods and joints).
PER_COORDINATE, PER_BLOCK, PER_ENTRY = 150.0, 2700.0, 8.0


def tree_pays(tree: Any, border: int) -> bool:
    """Whether factors over the tree cost less than the dense matrix, with ``border`` ties and further unknowns.

    Dense, a block of n coordinates with a inward of it takes about n (n + a)^2 operations, for branches do not meet in
    it (`solvers.problem.free_coordinates`); over the tree n^3 / 3 and 6 n^2 for what it hands inward, and every row of
    the border a solution.
    """
    blocks, ranges = tree.blocks, tree.ranges
    sizes = blocks["n"].astype(float)
    inward = np.array([_sum_of(ranges, block["inward"]) + _sum_of(ranges, block["grafts"]) for block in blocks])
    n = float(sizes.sum())
    dense = (sizes * (sizes + inward) ** 2).sum() + 24.0 * (sizes * inward).sum() + PER_ENTRY * n * n
    dense += border * n * n + border**2 * n
    once = (2.0 * sizes**2 + 60.0 * sizes + 30.0).sum()  # one solution
    over = (sizes**3 / 3.0 + 12.0 * sizes**2 + PER_COORDINATE * sizes + PER_BLOCK).sum()
    over += border * (once + 2.0 * border * n) + border**3 / 3.0
    return bool(over < dense)


def _sum_of(ranges: np.ndarray, rows: np.ndarray) -> float:
    """How many coordinates some ranges hold."""
    part = ranges[rows[0] : rows[1]]
    return float((part[:, 1] - part[:, 0]).sum())
