"""What the factors of a tangent over the tree are kept in (`core.tree_tangent`, `core.tree_solve`).

One table of arrays per solver, seen by compiled code through one address (`core.views`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import Space
from supple.core.views import View, array_of, viewing

#: Width of what a point tells outward: its variation J x and the two that belong to its rates, R x and Q x.
MOTION = 18

#: Columns of TreeFactors.places, per block: first entry in `lu`; its rows [first, end) of `knots` and of `nodes`; the
#: first of the couplings between its own points (-1: none).
LU_AT, KNOT, KNOT_END, NODE, NODE_END, COUPLING = range(6)

#: Entries of TreeFactors.count: ties, and all rows of the border.
TIES, BORDER = 0, 1


class TreeFactors(NamedTuple):
    """Factors of a tangent, of n coordinates in blocks of n_b, with up to m ties and further unknowns.

    A *knot* is a point where blocks hang.
    """

    count: Any  #: (2,) int64, see above
    places: Any  #: (n_blocks, 6) int64, see above
    knots: Any  #: (n_knots, 3) int64: slot of `forces` and `motions`, first entry in `columns`, segment
    slots: Any  #: (1 + n_segments,) int64: slot of a point where blocks hang, 0 the world's, -1 elsewhere
    nodes: Any  #: (n_nodes,) int64 nodes of rods, block after block
    following: Any  #: (couplings,) int64: the next coupling of the same block, -1 if it is the last
    order: Any  #: (nf,) int64: coordinates that are not locked, in the order of the solver's unknowns
    free: Any  #: (n,) 0 where a coordinate is locked, else 1
    cross: Any  #: (.,) int64: coordinates whose rows of K or D reach beyond their block
    lu: Any  #: (.,) E of every block, factorised
    pivots: Any  #: (n,) int64, its pivots
    scales: Any  #: (n,) and scales of its rows
    C: Any  #: (6, n) U E^-1: what a block hands inward of forces on its coordinates
    W: Any  #: (n, 18) W^T: forces on its coordinates by the motion of the point it hangs on
    columns: Any  #: (.,) J, R, Q at every knot, (18, n_b) each
    forces: Any  #: (1 + n_knots, 6) on the way in
    motions: Any  #: (1 + n_knots, 18) on the way out
    composites: Any  #: (1 + n_knots, 36) inertia of all that hangs on a point (`core.tree_rates`)
    smallest: Any  #: (1,) smallest pivot of all blocks, as part of the largest entries of rows
    P: Any  #: (m, n) columns of ties and further unknowns
    Q: Any  #: (m, n) their rows
    Z: Any  #: (m, n) T^-1 P
    D: Any  #: (m, m) their own square
    S: Any  #: (m, m) D - Q T^-1 P, factorised
    border_pivots: Any  #: (m,) int64
    border_scales: Any  #: (m,)
    s: Any  #: (m,) ties and further unknowns
    x: Any  #: (n,) one right-hand side


_INTEGERS = {"count": 1, "places": 2, "knots": 2, "slots": 1, "nodes": 1, "following": 1, "order": 1, "cross": 1}
_INTEGERS |= {"pivots": 1, "border_pivots": 1}
_MATRICES = ("C", "W", "forces", "motions", "composites", "P", "Q", "Z", "D", "S")


def _field_type(name: str) -> Any:
    """Type of an array, inside compiled code."""
    if name in _INTEGERS:
        return array_of(np.int64, _INTEGERS[name])
    return array_of(np.float64, 2 if name in _MATRICES else 1)


#: Factors inside compiled code: ``factors_at(table.ctypes.data)``.
factors_at = viewing(View("tree_factors", {name: _field_type(name) for name in TreeFactors._fields}))


def make_factors(
    tree: Any, space: Space, order: np.ndarray, further: int, followers: int = 0
) -> tuple[TreeFactors, np.ndarray, np.ndarray]:
    """Allocate factors for a `Tree` with its scratch.

    Returns them, and all their floats and changing integers once more as two flat arrays: what a checkpoint saves.

    Parameters
    ----------
    order : (nf,) integers
        The coordinates that are not locked, in the order of the solver's unknowns.
    further : int
        Rows of the border beyond ties of loads: further unknowns, feedback, and what followers ask for.
    followers : int
        Coordinates, the last ones, that follow others (`following.calls`): no unknowns of the solver, yet not locked.
    """
    blocks, n = tree.blocks, len(tree.component)
    free = np.zeros(n)
    free[order], free[n - followers :] = 1.0, 1.0
    places, knots, slots, size = _knots(blocks, len(tree.segments))
    nodes = np.argsort(_block_of(blocks, n)[tree.nodes["start"]], kind="stable") if len(tree.nodes) else []
    owners = _block_of(blocks, n)[tree.nodes["start"]][nodes] if len(tree.nodes) else []
    places[:, NODE] = np.searchsorted(owners, np.arange(len(blocks)))
    places[:, NODE_END] = np.searchsorted(owners, np.arange(len(blocks)), side="right")
    cross = crossing_rows(tree)
    m = most_ties(space, cross) + further
    k = len(knots)
    reals = {
        "lu": (int((blocks["n"] ** 2).sum()),), "scales": (n,), "C": (6, n), "W": (n, MOTION), "columns": (size,),
        "forces": (1 + k, 6), "motions": (1 + k, MOTION), "composites": (1 + k, 36), "smallest": (1,),
        "P": (m, n), "Q": (m, n), "Z": (m, n), "D": (m, m), "S": (m, m), "border_scales": (m,), "s": (m,), "x": (n,),
    }  # fmt: skip
    kept_reals, views = _together(reals, float)
    kept_integers, more = _together({"count": (2,), "pivots": (n,), "border_pivots": (m,)}, np.int64)
    factors = TreeFactors(
        places=places,
        knots=knots,
        slots=slots,
        nodes=np.asarray(nodes, np.int64),
        following=np.zeros(len(space.couplings), np.int64),
        order=np.asarray(order, np.int64),
        free=free,
        cross=cross,
        **views,
        **more,
    )
    return factors, kept_reals, kept_integers


def _together(shapes: dict[str, tuple[int, ...]], dtype: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """One array, and arrays of these shapes that are its parts."""
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    whole = np.zeros(sum(sizes), dtype)
    parts = np.split(whole, np.cumsum(sizes)[:-1])
    return whole, {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def integers_fit(blocks: np.ndarray, factors: TreeFactors, integers: np.ndarray) -> bool:
    """Whether flat integers, as `make_factors` gave them, stay within the arrays of factors."""
    n, m = len(factors.x), len(factors.s)
    (ties, border), pivots, border_pivots = integers[:2], integers[2 : 2 + n], integers[2 + n :]
    sizes = np.zeros(n, np.int64)
    for block in blocks:
        sizes[block["start"] : block["start"] + block["n"]] = block["n"]
    inside = ((pivots >= 0) & (pivots < np.maximum(sizes, 1))).all()
    return bool(0 <= ties <= border <= m and inside and ((border_pivots >= 0) & (border_pivots < max(m, 1))).all())


def most_ties(space: Space, cross: np.ndarray) -> int:
    """How many ties loads and rows of K may add at most: six per coupling, one per line."""
    return 6 * len(space.couplings) + len(space.lines) + len(cross)


def _knots(blocks: np.ndarray, segments: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Places (nodes not yet), knots, slots, and the size of their columns."""
    hanging = set(blocks["parent"].tolist())
    places, slots = np.zeros((len(blocks), 6), np.int64), np.full(segments, -1, np.int64)
    places[:, LU_AT] = np.cumsum(blocks["n"] ** 2) - blocks["n"] ** 2
    slots[0], rows, size = 0, [], 0
    for b, block in enumerate(blocks):
        places[b, KNOT] = len(rows)
        for s in range(int(block["first"]), int(block["first"] + block["active"])):
            if s in hanging:
                slots[s] = 1 + len(rows)
                rows.append((slots[s], size, s))
                size += MOTION * int(block["n"])
        places[b, KNOT_END] = len(rows)
    return places, np.array(rows, np.int64).reshape(-1, 3), slots, size


def _block_of(blocks: np.ndarray, n: int) -> np.ndarray:
    """The block of every coordinate."""
    owner = np.zeros(n, np.int64)
    for b, block in enumerate(blocks):
        owner[block["start"] : block["start"] + block["n"]] = b
    return owner


def crossing_rows(tree: Any) -> np.ndarray:
    """Coordinates whose rows of K or D reach beyond their block, as those of a joint of several factors may."""
    owner, rows = _block_of(tree.blocks, len(tree.component)), []
    for lo, hi in tree.links.tolist():
        K = (tree.stiffness[lo:hi, lo:hi] != 0.0) | (tree.damping[lo:hi, lo:hi] != 0.0)
        apart = owner[lo:hi, None] != owner[None, lo:hi]
        rows += (lo + np.flatnonzero((K & apart).any(axis=1))).tolist()
    return np.array(rows, np.int64)
