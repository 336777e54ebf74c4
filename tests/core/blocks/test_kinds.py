"""What every kind of block answers to the sweeps: S^T F and its derivative, against columns and their differences."""

from functools import cache

import numpy as np
import pytest

from helpers import difference_jacobian, relative_error
from kernel_entry import entry, handles_of, scratch_of
from line_robots import branched_robot, random_motion
from oracle import Ad
from supple.core.arrays import space_at, tree_at
from supple.core.blocks import kinds
from supple.core.records import EXPONENTIAL, ROD, S_OWN, SCREW
from supple.jit import inner


@entry
@inner
def project(tree, space, b, i, F, out):
    tree, space = tree_at(tree), space_at(space)
    block = tree.blocks[b]
    kinds.project_wrench(tree, space, block, i, F, space.work[block.first + i], out)


@entry
@inner
def stiffness(tree, space, b, i, F, x, out, product, transposed):
    """d(S^T F)/dq, and times x, plain and transposed."""
    tree, space = tree_at(tree), space_at(space)
    block = tree.blocks[b]
    w = space.work[block.first + i]
    for k in range(6):
        w.F[k] = F[k]
    kinds.add_geometric_stiffness(tree, space, block, i, w, out)
    kinds.add_geometric_product(tree, space, block, i, w, x, False, product)
    kinds.add_geometric_product(tree, space, block, i, w, x, True, transposed)


@cache
def model():
    return branched_robot()


def cases():
    """A block of every kind: its number and a segment of it."""
    blocks = model().topology.blocks
    for kind in (SCREW, EXPONENTIAL, ROD):
        b = int(np.flatnonzero((blocks["kind"] == kind) & (blocks["n"] > 0))[-1])
        yield b, int(blocks[b]["active"]) - 1


def swept(q, b, i):
    """S (6, n) of a segment in world axes, and Ad of its start."""
    _, v, a = random_motion(model(), 0)
    model().residual_tangent(q, v, a)
    space, block = scratch_of(model()), model().topology.blocks[b]
    first, w = block["columns"] + i * block["n"], space.work[block["first"] + i]
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = w["R0"], w["p0"]
    return space.columns[S_OWN][:, first : first + block["n"]].copy(), Ad(g)


@pytest.mark.parametrize("at", range(3), ids=("screw", "exponential", "rod"))
def test_forces_and_their_derivatives(at):
    b, i = list(cases())[at]
    q, _, _ = random_motion(model(), 1)
    n, block, rng = model().n, model().topology.blocks[b], np.random.default_rng(0)
    own = slice(int(block["start"]), int(block["start"] + block["n"]))
    F, x, force = rng.standard_normal(6), rng.standard_normal(n), np.zeros(n)
    columns, start = swept(q, b, i)
    project(*handles_of(model()), b, i, F, force)
    assert relative_error(force[own], columns.T @ F) < 1e-13
    assert np.count_nonzero(force) == np.count_nonzero(force[own])
    found, plain, transposed = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    stiffness(*handles_of(model()), b, i, F, x, found, plain, transposed)
    assert relative_error(plain, found @ x, floor=1e-3) < 1e-12
    assert relative_error(transposed, found.T @ x, floor=1e-3) < 1e-12

    def seen(y):
        """S^T F, F constant as seen from the segment's start, by the block's own coordinates."""
        moved = q.copy()
        moved[own] = y
        S_moved, start_moved = swept(moved, b, i)
        return np.linalg.solve(start_moved, S_moved).T @ (start.T @ F)

    assert relative_error(found[own, own], difference_jacobian(seen, q[own]), floor=1e-3) < 1e-8
    assert found.any() == (at > 0)  # commuting screws: nothing


def test_only_rods_have_many_points():
    blocks = model().topology.blocks
    one = [bool(entry(kinds.has_one_point)(block)) for block in blocks]
    assert one == [int(block["kind"]) != ROD for block in blocks]
