"""Rows [q, v, a, lambda, z, R]: what schemes remember of a motion, and how it is written down.

All schemes keep their points in rows of this one layout, so that recording, changing charts and checkpoints are the
same for all of them.  R holds the generalised efforts of prescribed coordinates.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.run import ORDER, RECORDED, TIME
from supple.solvers.integrators.tape import (
    CHARTED,
    close_entry,
    is_taping,
    open_entry,
    put_joint,
    put_pose,
)
from supple.solvers.stage.charts import bring_home, recentre_joint, too_far


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


@inner
def recentre_rows(problem, run, rows, h, before, shift):
    """Re-centre the joints that have turned far at rows[0], in all rows.  Returns how many did.

    ``h``, ``before`` and ``shift`` are written down with it, see `solvers.integrators.tape`.
    """
    count = 0
    for i in range(problem.charts.shape[0]):
        if too_far(problem, i, rows[0]):
            count += 1
            note_recentring(problem, run, i, rows, h, before if count == 1 else h, shift)
            recentre_joint(problem, i, rows)
            if is_taping(run):
                put_pose(run, problem.placement[problem.charts[i, 0]])
                close_entry(run)
    return count


@inner
def note_recentring(problem, run, i, rows, h, before, shift):
    """The i-th joint is about to be re-centred; what its new chart will be is still missing."""
    if not is_taping(run):
        return
    n, b, start, size = problem.q.shape[0], problem.charts[i, 0], problem.charts[i, 1], problem.charts[i, 3]
    open_entry(problem, run, CHARTED, run.reals[TIME], h, i, rows.shape[0], shift, run.ints[ORDER], before)
    for k in range(rows.shape[0]):
        put_joint(run, rows[k], n, start, size)
    put_pose(run, problem.placement[b])


@inner
def interpolate_motion(n, before, now, x, h, row):
    """q, v, a at x of a step of h, by the quintic through those at both of its ends:

        q = q0 + h v0 x + h^2 a0 x^2 / 2 + c3 x^3 + c4 x^4 + c5 x^5,     v = dq/dx / h,     a = d2q/dx2 / h^2.
    """
    for i in range(n):
        q0, v0, a0 = before[i], h * before[n + i], h * h * before[2 * n + i]
        q = now[i] - q0 - v0 - 0.5 * a0
        v = h * now[n + i] - v0 - a0
        a = h * h * now[2 * n + i] - a0
        c3, c4, c5 = 10.0 * q - 4.0 * v + 0.5 * a, -15.0 * q + 7.0 * v - a, 6.0 * q - 3.0 * v + 0.5 * a
        row[i] = q0 + x * (v0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))))
        row[n + i] = (v0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h
        row[2 * n + i] = (a0 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / h**2
