"""Lengths of cables and tendons, their rates, tensions and gradients."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.elastic_lines import add_gradient
from supple.core.loads import EXTERNAL, INTERNAL, MEASURE, apply_loads
from supple.core.outward import outward_with_jacobian
from supple.jit import kernel


@kernel
def line_states(tree_handle, space_handle, q, v, zero, states, gradients):
    """states (m, 3) = l, l', T of every line in the order of loads, gradients (m, n) = dl/dq."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward_with_jacobian(tree_handle, space_handle, space, q, v, zero, 1)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL, MEASURE)
    for i in range(space.count[1]):
        line = space.lines[i]
        states[i, 0], states[i, 1], states[i, 2] = line.length, line.rate, line.tension
        for j in range(gradients.shape[1]):
            gradients[i, j] = 0.0
        add_gradient(tree, space, line, gradients[i])
