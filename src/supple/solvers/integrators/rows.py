"""Rows [q, v, a, lambda, z, R]: what schemes remember of a motion, and how it is written down.

All schemes keep their points in rows of this one layout, so that recording, changing charts and checkpoints are the
same for all of them.  R holds the generalised efforts of prescribed coordinates.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.run import RECORDED
from supple.solvers.stage.charts import bring_home


@inner
def copy_row(row, out):
    """out = row, without the temporary array that an assignment would make."""
    for c in range(row.shape[0]):
        out[c] = row[c]


@inner
def write_row(problem, row):
    """The trial state as a row."""
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    q, v, a, R = problem.q, problem.v, problem.a, problem.residual
    for i in range(n):
        row[i], row[n + i], row[2 * n + i] = q[i], v[i], a[i]
        row[3 * n + nc + nz + i] = R[i]
    for i in range(nc):
        row[3 * n + i] = problem.multipliers[i]
    for i in range(nz):
        row[3 * n + nc + i] = problem.z[i]


@inner
def keep_row(problem, run, t):
    """The next row of the buffer, already filled in the charts of the run, is that of time t."""
    k = run.ints[RECORDED]
    run.times[k] = t
    bring_home(problem, run.rows[k])
    run.ints[RECORDED] += 1
