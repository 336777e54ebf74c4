"""A program evaluated from Python, with its jets and the Hessian of a weighted sum of its outputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.core.arrays import handle
from supple.fields.interpreter import (
    PROGRAM_ROWS,
    clear_adjoint,
    pull_back,
    run_at,
    run_points,
    run_size,
    start_run,
)
from supple.jit import kernel
from supple.tracing.program import Program


class Jets(NamedTuple):
    """Outputs of a program at m places."""

    values: Array  #: (3, o, m) values and their two time derivatives along (q, v, a)
    slopes: Array  #: (3, n, o, m) derivatives by coordinates, and their two time derivatives
    hessian: Array  #: (n, n, m) of the weighted sum of outputs


@kernel
def run_program(data, lanes, q, v, a, weights, memory, H):
    """Jets of all nodes in ``memory``, and the Hessian H (n, n, lanes) of the sum of weights (o, lanes) and outputs."""
    run = run_at(data.ctypes.data, PROGRAM_ROWS, 0, lanes, memory.ctypes.data)
    start_run(run, q, v, a, 2, 2)
    run_points(run, 0, 2, 2)
    clear_adjoint(run, 0)
    H[:] = 0.0
    for i in range(run.outputs.shape[0]):
        for k in range(lanes):
            run.adjoint[run.outputs[i, 0], k] += weights[i, k]
    pull_back(run, 0, run.ops.shape[0], H)
    return True


def evaluate_jets(program: Program, q: Array, v: Array, a: Array, weights: Array | None = None) -> Jets:
    """Values and derivatives of a program's outputs at all its places; ``weights`` (o, m) of the Hessian."""
    m, n, outputs = program.places, int(program.sizes[1]), program.outputs[:, 0]
    memory = np.zeros(run_size(program.nodes, len(program.ops), n, m))
    H, weights = np.zeros((n, n, m)), np.zeros((len(outputs), m)) if weights is None else weights
    arrays = tuple(np.ascontiguousarray(array) for array in program.arrays)
    run_program(handle(arrays), m, q, v, a, np.ascontiguousarray(weights, dtype=float), memory, H)
    jets = memory[: 3 * program.nodes * (1 + n) * m].reshape(program.nodes, 3, 1 + n, m)[outputs]
    written = np.repeat(program.active[outputs][:, None, :, None] != 0, 3, axis=1)
    written[:, 0, 0] = True
    jets = np.where(written, jets, 0.0)
    below = np.arange(n)[:, None] > np.arange(n)
    H[below] = H.swapaxes(0, 1)[below]
    return Jets(jets[:, :, 0].swapaxes(0, 1), np.moveaxis(jets[:, :, 1:], 0, 2), H)
