"""Inverse dynamics ID(q, v, a): recursive Newton-Euler in world axes ([GVS-AD] 14-16, 22c).

Outward, `sweep_out` gives V and A of all points.  Inward, wrenches add up to F^C and are projected,
ID = sum over segments of S^T F^C, with S^T F = Phi^T Z^T (Ad_g T)^T F taken from the right, so that S itself is
never formed: the cost is linear in the number of segments and of coordinates per segment.
"""

from __future__ import annotations

import math

from supple.core.inertia import point_wrench, world_inertia
from supple.core.segment import EXPONENTIAL, ROD
from supple.core.sweep_out import sweep_out
from supple.jit import inner, kernel
from supple.lie.dual import apply_transposed
from supple.lie.se3 import Ad_transposed, add_coad


@inner
def point_wrenches(blocks, segments, work):
    """World inertia M, momentum h and wrench F of every point."""
    for b in range(blocks.shape[0]):
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            w = work[s]
            world_inertia(w.R, w.p, segments[s].inertia, w.M)
            point_wrench(w)


@inner
def accumulate_wrenches(blocks, work):
    """F of every segment becomes F^C, the resultant of all points from there outward (22c)."""
    for k in range(6):
        work[0].F[k] = 0.0
    for b in range(blocks.shape[0] - 1, -1, -1):
        block = blocks[b]
        for s in range(block.first + block.active - 1, block.first - 1, -1):
            inner_segment = work[s - 1] if s > block.first else work[block.parent]
            for k in range(6):
                inner_segment.F[k] += work[s].F[k]


@inner
def project_wrench(block, i, F, component, segments, phi, screws, w, t, out):
    """out += S^T F for the i-th segment of a block; F is a wrench in world axes about the common origin."""
    if block.kind == ROD:
        segment = segments[block.first + i]
        apply_transposed(w.T[0], F, t.x)
        collocation_wrenches(segment, w.xi, t.x, t.f)
        column = block.columns + i * block.n
        for j in range(block.n):
            k = component[block.start + j]
            out[block.start + j] += phi[0, column + j] * t.f[0, k] + phi[1, column + j] * t.f[1, k]
        return
    if block.kind == EXPONENTIAL:
        apply_transposed(w.T[0], F, t.x)
    else:
        Ad_transposed(w.R0, w.p0, F, t.x)
    for j in range(block.start, block.start + block.n):
        for k in range(6):
            out[j] += screws[k, j] * t.x[k]


@inner
def collocation_wrenches(segment, xi, F, f):
    """f = Z^T F at the two collocation points (C27): Z_1^T F = h/2 F + c ad*_xi2 F, Z_2^T F = h/2 F - c ad*_xi1 F."""
    for m in range(2):
        for k in range(6):
            f[m, k] = 0.0
        add_coad(xi[0, 1 - m], F, f[m])
        c = segment.bracket if m == 0 else -segment.bracket
        for k in range(6):
            f[m, k] = segment.half * F[k] + c * f[m, k]


@kernel
def inverse_dynamics(
    blocks, component, placement, segments, phi, screws, gravity, q, v, a, work, scratch, out
):
    """out = ID(q, v, a), shape (n,).  Returns False if the result is not finite."""
    t = scratch[0]
    sweep_out(blocks, component, placement, segments, phi, screws, gravity, q, v, a, work, t, 1)
    point_wrenches(blocks, segments, work)
    accumulate_wrenches(blocks, work)
    return project_all(blocks, component, segments, phi, screws, work, t, out)


@inner
def project_all(blocks, component, segments, phi, screws, work, t, out):
    """out = sum over segments of S^T F^C (14).  Returns whether the result is finite."""
    for j in range(out.shape[0]):
        out[j] = 0.0
    for b in range(blocks.shape[0]):
        block = blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            project_wrench(block, i, w.F, component, segments, phi, screws, w, t, out)
    total = 0.0
    for j in range(out.shape[0]):
        total += out[j]
    return math.isfinite(total)
