"""A plan evaluated from Python, with its slopes and the Hessian of a weighted sum of its outputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.core.arrays import handle
from supple.fields.interpreter import (
    PLAN_ROWS,
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_at,
    run_places,
    slope_row,
    start_run,
    value_row,
)
from supple.jit import kernel
from supple.tracing.plan import Plan


class Jets(NamedTuple):
    """Outputs of a plan at m places."""

    values: Array  #: (3, o, m) values and their two time derivatives along (q, v, a)
    slopes: Array  #: (3, n, o, m) derivatives by coordinates, and their two time derivatives
    hessian: Array  #: (n, n, m) of the weighted sum of outputs; summed over lanes, if the plan has stations


@kernel
def run_plan(data, lanes, q, v, a, weights, memory, values, slopes, H):
    """Values, slopes, and the Hessian H (n, n, lanes) of the sum of weights (o, m) and outputs, block by block."""
    run = run_at(data.ctypes.data, PLAN_ROWS, 0, lanes, memory.ctypes.data)
    n, o = run.n, run.outputs.shape[0]
    start_run(run, q, v, a, 2, 2)
    clear_hessian(run)
    for first in range(0, weights.shape[1], lanes):
        run_places(run, first, 2, 2)
        for i in range(o):
            for m in range(3):
                values[m, i, first : first + lanes] = run.registers[value_row(run, i, m)]
                for j in range(n):
                    if has_slope(run, i, j):
                        slopes[m, j, i, first : first + lanes] = run.registers[slope_row(run, i, j, m)]
            run.weights[i] = weights[i, first : first + lanes]
        pull_places(run, first)
    finish_hessian(run)
    for i in range(n):
        for j in range(n):
            H[i, j] = run.H[min(i, j) * n + max(i, j)]
    return True


def evaluate_jets(
    plan: Plan, q: Array, v: Array, a: Array, weights: Array | None = None, lanes: int | None = None
) -> Jets:
    """Values and derivatives of a plan's outputs at all its places; ``weights`` (o, m) of the Hessian.

    ``lanes`` as the plan was made for, if it has stations; else all places at once.
    """
    m, n, o = plan.places, plan.n, len(plan.outputs)
    lanes = m if lanes is None else lanes
    weights = np.zeros((o, m)) if weights is None else weights
    values, slopes, H = np.zeros((3, o, m)), np.zeros((3, n, o, m)), np.zeros((n, n, lanes))
    memory, given = np.full(plan.memory(lanes), np.nan), np.ascontiguousarray(weights, dtype=float)
    run_plan(handle(plan.arrays), lanes, q, v, a, given, memory, values, slopes, H)
    return Jets(values, slopes, H)
