"""Wrenches and operators of a frame carried to world axes: by the adjoint, written out."""

import numpy as np

from helpers import random_rotation, relative_error
from kernel_entry import entry
from supple.core.records import work_t
from supple.jit import inner
from supple.loads import frames

carry_wrench, carry_operator = entry(frames.carry_wrench), entry(frames.carry_operator)


@entry
@inner
def subtract_body_wrench(work, R, x, f):
    frames.subtract_body_wrench(work[0], R, x, f)


def adjoint(R, x):
    """Ad_g, (6, 6), angular part first."""
    out, hat = np.zeros((6, 6)), np.cross(np.eye(3), x)
    out[:3, :3] = out[3:, 3:] = R
    out[3:, :3] = hat @ R
    return out


def test_wrenches_and_operators():
    rng = np.random.default_rng(0)
    R, x, f, D = random_rotation(rng), rng.standard_normal(3), rng.standard_normal(6), rng.standard_normal((6, 6))
    inverse, out = np.linalg.inv(adjoint(R, x)), np.empty((6, 6))
    assert relative_error(np.array(carry_wrench(R, x, f)), inverse.T @ f) < 1e-13
    carry_operator(R, x, D, out)
    assert relative_error(out, inverse.T @ D @ inverse) < 1e-13
    work = np.zeros(1, work_t)
    work["F"] = 1.0
    subtract_body_wrench(work, R, x, f)
    assert relative_error(work["F"][0], 1.0 - inverse.T @ f) < 1e-13
