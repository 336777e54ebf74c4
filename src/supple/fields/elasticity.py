"""Elastic energy of a soft body, a function of its deformation gradient: forces on its coordinates, with tangent.

The energy density is a plan of one output W(x, q).  Force -sum V dW/dq, tangent by the Hessian of sum V W.  In
gradients by parameters y^T R has the rate of sum V W along y, whose slopes one pass backward gives (`fields.adjoints`).
"""

from __future__ import annotations

from supple.core.arrays import space_view, tree_view
from supple.core.loads import ENERGY, MEASURE, TANGENT
from supple.fields.adjoints import ALONG, adjoint_at, pull_sums, worths
from supple.fields.functionals import (
    FUNCTIONAL_ROWS,
    add_functional_force,
    functional_at,
    lane_sum,
    sum_functional,
)
from supple.jit import GradientKernel, LoadKernel

#: Rows of the handle of data: the functional; then what every load has, the addresses of what it calls.
ROWS = FUNCTIONAL_ROWS + 1


def _elasticity(tree, space, data, mode):
    """Forces on the coordinates of one body."""
    if mode < 0 or mode == MEASURE:
        return
    robot, scratch = tree_view(tree), space_view(space)
    energy = functional_at(robot, scratch, data, ROWS, 0)
    sum_functional(energy, False, mode == TANGENT)
    if mode == ENERGY:
        scratch.energy[0] += lane_sum(energy.sums[0])
        return
    add_functional_force(scratch, energy, -1.0, mode == TANGENT)


ELASTICITY = LoadKernel(_elasticity)


def _elasticity_gradient(tree, space, data, own, everything):
    """By volumes and all numbers of the energy."""
    worth = worths()
    worth[0, 0], worth[0, 1], worth[0, ALONG] = 0.0, 0.0, 1.0
    pull_sums(adjoint_at(tree_view(tree), space_view(space), data, own, ROWS, 0), worth)


ELASTICITY_GRADIENT = GradientKernel(_elasticity_gradient)
