"""Lengths of cables and tendons, their rates, tensions and gradients, and how their rates change by themselves."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.elastic_lines import add_gradient, coordinates_product, node_product
from supple.core.loads import EXTERNAL, INTERNAL, MEASURE, apply_loads
from supple.core.outward import outward, outward_with_jacobian
from supple.jit import kernel
from supple.lie.se3 import dot6


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


@kernel
def line_biases(tree_handle, space_handle, q, v, zero, out):
    """out (m,) = l'' of every line where accelerations are zero, v^T (d^2 l/dq^2) v.

    That is (dl'/dq) v, of a segment's part drift . V + f . (A minus that of the world, gravity), see
    `core.elastic_lines`.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward(tree_handle, space_handle, space, q, v, zero, 2)
    apply_loads(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL, MEASURE)
    work = space.work
    for i in range(space.count[1]):
        line = space.lines[i]
        out[i] = 0.0
        for p in range(line.first, line.first + line.count):
            part = space.parts[p]
            if part.segment < 0 and part.node < 0:
                out[i] += coordinates_product(part.segment, part.drift, v)
            elif part.node < 0:
                w = work[part.segment]
                out[i] += dot6(part.drift, w.V) + dot6(part.f, w.A) - dot6(part.f, work[0].A)
            else:
                out[i] += node_product(tree, part.node, part.drift, v)
