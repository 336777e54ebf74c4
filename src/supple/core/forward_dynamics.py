"""Forward dynamics of a tree: M a = tau(q, v) - ID(q, v, 0), and its derivatives ([GVS-AD] 7-9).

Stiff solvers never come here (they solve ID - tau = 0); explicit ones and control do.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.elastic import add_internal_force
from supple.core.finite import finite_matrix, finite_vector
from supple.core.loads import EXTERNAL, INTERNAL, WRENCH
from supple.core.mass_matrix import fill_mass_matrix
from supple.core.sweep_in import loaded_force, point_wrenches
from supple.core.sweep_out import sweep_out
from supple.jit import kernel
from supple.linalg.cholesky import cholesky, cholesky_solve

#: Status of a solve: solved, or the state was not finite; any other value is the first coordinate without inertia.
SOLVED, NOT_FINITE = -1, -2


@kernel
def forward_dynamics(tree_handle, space_handle, q, v, zero, bias, M, a):
    """a (n, 1) = M^-1 (tau - ID(q, v, 0)); M is overwritten by its Cholesky factor.  Returns a status."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, zero, space, 1)
    point_wrenches(tree, space.work)
    loaded_force(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL, WRENCH, bias)
    fill_mass_matrix(tree, space, M)
    add_internal_force(-1.0, tree, q, v, bias)
    for i in range(a.shape[0]):
        a[i, 0] = -bias[i]
    if not (finite_vector(bias) and finite_matrix(M, space.tangent[0])):
        return NOT_FINITE
    status = cholesky(M)
    if status == SOLVED:
        cholesky_solve(M, a)
        if not finite_vector(a[:, 0]):
            return NOT_FINITE
    return status


@kernel
def solve_columns(M, dq, dv, du):
    """Overwrite dq, dv, du by M^-1 times them, and M by its Cholesky factor.  Returns a status."""
    status = cholesky(M)
    if status == SOLVED:
        cholesky_solve(M, dq)
        cholesky_solve(M, dv)
        cholesky_solve(M, du)
    return status
