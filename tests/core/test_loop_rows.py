"""Rows of closed loops (`core.loops`): e, A v, A a + (dA/dt) v and their derivatives, against differences."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error
from kernel_entry import handles_of
from line_robots import branched_robot, random_motion
from supple.core.loops import CONSTRAINT_ROWS, constraint_rows


@pytest.fixture(scope="module", params=["Spherical", "Revolute"])
def model(request):
    """A loop across the branches, and one to the world."""
    joint = sp.Spherical() if request.param == "Spherical" else sp.Revolute("y")
    return branched_robot(
        sp.Loop("across", a=("b", sp.pose((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)), 0.63), b=("d", sp.pose()), joint=joint),
        sp.Loop("anchor", a=("world", sp.pose((0.2, 0.1, 0.0))), b=("c", sp.pose()), joint=sp.Planar("z")),
    )


def rows(model, q, v, a):
    """e, A v, rate (3, nc); A, de/dq, d(A v)/dq, d(rate)/dq, d(rate)/dv (5, nc, n)."""
    vectors, matrices = np.full((3, model.nc), np.nan), np.full((5, model.nc, model.n), np.nan)
    state = [np.array(x) for x in (q, v, a)]  # read-only arrays would compile the kernel once more
    constraint_rows(CONSTRAINT_ROWS.address, *handles_of(model), *state, vectors, matrices)
    return vectors, matrices


def test_derivatives(model):
    q, v, a = random_motion(model, 0, 0.3)
    _, (A, de, dAv, rate_q, rate_v) = rows(model, q, v, a)
    assert relative_error(de, difference_jacobian(lambda x: rows(model, x, v, a)[0][0], q)) < 1e-8
    assert relative_error(dAv, difference_jacobian(lambda x: rows(model, x, v, a)[0][1], q)) < 1e-8
    assert relative_error(A, difference_jacobian(lambda x: rows(model, q, x, a)[0][1], v, 1.0)) < 1e-11
    assert relative_error(A, difference_jacobian(lambda x: rows(model, q, v, x)[0][2], a, 1.0)) < 1e-11
    assert relative_error(rate_q, difference_jacobian(lambda x: rows(model, x, v, a)[0][2], q)) < 1e-8
    assert relative_error(rate_v, difference_jacobian(lambda x: rows(model, q, x, a)[0][2], v, 1.0)) < 1e-10


def test_the_rate_is_that_of_the_slip(model):
    """d(A v)/dt = A a + (dA/dt) v along a motion."""
    q, v, a = random_motion(model, 1, 0.3)
    expected = central_difference(lambda t: rows(model, q + t * v + 0.5 * t * t * a, v + t * a, a)[0][1], 1e-3)
    assert relative_error(rows(model, q, v, a)[0][2], expected) < 1e-8
