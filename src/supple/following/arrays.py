"""Where kernels find what follows what: rows behind those of a tree, and behind those of its scratch.

Coordinates that follow others are the last ones of a tree: of its N coordinates the first n are left, x, and

    q = c(x),     v = C x',     a = C x'' + C' x',     C = dc/dx = [1; D].

Handles of tree and scratch get these rows at their ends, so that all other kernels read what they always read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle
from supple.core.views import STRIDE, View, array_of, viewing
from supple.following.jets import SIZE
from supple.jit import inlined

#: Columns of `FollowerRows.rows`.
FIRST, COUNT, PROGRAM, LENGTH, BEND = range(5)


class FollowerRows(NamedTuple):
    """What every follower does, m of them with e leaders in all."""

    rows: Any  #: (m, 5) int64: first entry in ``leaders`` and how many; first row of its program and how many (0: none,
    #: it is linear), and its first entry in `FollowerSpace.bends`
    leaders: Any  #: (e,) int64 coordinates
    weights: Any  #: (e,) of linear ones
    offsets: Any  #: (m,) of linear ones
    ops: Any  #: (., 3) int64 programs, one after the other (`supple.robot.traced`)
    numbers: Any  #: (.,)
    calls: Any  #: (8,) int64 addresses of the kernels of all N coordinates, see `following.calls`


class FollowerSpace(NamedTuple):
    """Scratch; all of it is written by `following.expansion.expand` or by whoever reads it."""

    state: Any  #: (5, N) q, v, a of all coordinates; forces; a direction
    slopes: Any  #: (3, e) D at leaders, and its two time derivatives
    bends: Any  #: (.,) second derivatives of every follower by its leaders, (k, k) each; zero for linear ones
    tangent: Any  #: (N, N)
    jacobians: Any  #: (3, N, N)
    product: Any  #: (N, n)
    loops: Any  #: (5, nc, N) rows of loops
    columns: Any  #: (nu, N)
    registers: Any  #: (., 6) jets
    last: Any  #: (3,) c_v, c_a of the last residual, and whether the columns it left are combined with them


_LETTERS = {"i": (np.int64, 1), "I": (np.int64, 2), "f": (np.float64, 1), "F": (np.float64, 2), "C": (np.float64, 3)}
_ROWS = dict(zip(FollowerRows._fields, "IiffIfi", strict=True))
_SPACE = dict(zip(FollowerSpace._fields, "FFfFCFCFFf", strict=True))

_rows_at = viewing(View("followers", {name: array_of(*_LETTERS[kind]) for name, kind in _ROWS.items()}))
_space_at = viewing(View("follower space", {name: array_of(*_LETTERS[kind]) for name, kind in _SPACE.items()}))

_ROWS_BEHIND, _SPACE_BEHIND = 8 * STRIDE * TREE_ROWS, 8 * STRIDE * SPACE_ROWS


@inlined
def followers_of(tree_address):
    """The `FollowerRows` behind a tree."""
    return _rows_at(tree_address + _ROWS_BEHIND)


@inlined
def scratch_of(space_address):
    """The `FollowerSpace` behind a scratch."""
    return _space_at(space_address + _SPACE_BEHIND)


def make_space(rows: FollowerRows, n: int, nc: int, nu: int) -> FollowerSpace:
    """Allocate scratch for a robot of which n coordinates are left."""
    total, entries = n + len(rows.rows), len(rows.leaders)
    sizes = rows.rows[:, COUNT]
    registers = int((sizes + rows.rows[:, LENGTH]).max())
    return FollowerSpace(
        state=np.zeros((5, total)),
        slopes=np.zeros((3, entries)),
        bends=np.zeros(int((sizes**2).sum())),
        tangent=np.zeros((total, total)),
        jacobians=np.zeros((3, total, total)),
        product=np.zeros((total, n)),
        loops=np.zeros((5, nc, total)),
        columns=np.zeros((nu, total)),
        registers=np.zeros((registers, SIZE)),
        last=np.zeros(3),
    )


def extended(first: np.ndarray, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """A handle with the rows of further arrays behind it."""
    return np.ascontiguousarray(np.vstack([first, handle(arrays)]))
