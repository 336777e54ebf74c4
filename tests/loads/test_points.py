"""Forces at points of segments: positions, velocities, wrenches, and tangents against variations of the segment."""

import numpy as np
from scipy.linalg import expm

from helpers import central_difference, hat, random_rotation, relative_error
from kernel_entry import entry
from supple.core.records import pose_t, work_t
from supple.jit import inner
from supple.loads import points


@entry
@inner
def point_position(work, offsets, x):
    points.point_position(work[0], offsets[0], x)


@entry
@inner
def point_velocity(work, x, v):
    points.point_velocity(work[0], x, v)


@entry
@inner
def subtract_force(work, x, f):
    points.subtract_force(work[0], x, f)


@entry
@inner
def subtract_turning(work, x, m, f):
    points.subtract_turning(work[0], x, m, f)


subtract_point_tangent = entry(points.subtract_point_tangent)


def segment(rng):
    work = np.zeros(1, work_t)
    work["R"], work["p"], work["V"] = random_rotation(rng), rng.standard_normal(3), rng.standard_normal(6)
    return work


def coadjoint(zeta):
    """ad*_zeta: how a wrench that is fixed to a moving segment changes in world axes."""
    w, v = zeta[:3], zeta[3:]
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = np.cross(np.eye(3), w)
    out[:3, 3:] = np.cross(np.eye(3), v)
    return out


def test_a_point_moves_with_its_segment():
    rng = np.random.default_rng(0)
    work, offset = segment(rng), np.zeros(1, pose_t)
    offset["p"] = rng.standard_normal(3)
    x, v = np.empty(3), np.empty(3)
    point_position(work, offset, x)
    assert relative_error(x, work["p"][0] + work["R"][0] @ offset["p"][0]) < 1e-14
    point_velocity(work, x, v)
    V = work["V"][0]
    moved = central_difference(lambda t: (expm(t * hat(V)) @ np.append(x, 1.0))[:3], 1e-3)
    assert relative_error(v, moved) < 1e-9


def test_a_force_is_a_wrench():
    rng = np.random.default_rng(1)
    work, x, f = segment(rng), rng.standard_normal(3), rng.standard_normal(3)
    subtract_force(work, x, f)
    assert relative_error(work["F"][0], -np.append(np.cross(x, f), f)) < 1e-14


def test_a_dead_wrench_turns_backwards():
    """What the segment sees: d[m + x x f; f] - ad*_zeta [m + x x f; f], with x fixed to the segment."""
    rng = np.random.default_rng(2)
    work, x, m, f = segment(rng), *rng.standard_normal((3, 3))
    subtract_turning(work, x, m, f)
    wrench = np.append(m + np.cross(x, f), f)
    for zeta in np.eye(6):
        def world(t, zeta=zeta):
            moved = (expm(t * hat(zeta)) @ np.append(x, 1.0))[:3]
            return np.append(m + np.cross(moved, f), f)

        seen = central_difference(world, 1e-3) - coadjoint(zeta) @ wrench
        assert relative_error(-work["G"][0] @ zeta, seen, floor=1.0) < 1e-9


def test_a_force_that_follows_a_point():
    """df = A dy + C dv_y, for a force at x that does not move: both tangents by L_y and the turning velocity."""
    rng = np.random.default_rng(3)
    x, y, v = rng.standard_normal((3, 3))
    A, C = rng.standard_normal((2, 3, 3))
    G, N = np.zeros((2, 6, 6))
    subtract_point_tangent(x, y, v, A, C, G, N)

    def L(p):
        return np.hstack([np.cross(np.eye(3), -p), np.eye(3)])

    turning = np.hstack([np.cross(np.eye(3), -v), np.zeros((3, 3))])
    assert relative_error(-G, L(x).T @ (A @ L(y) + C @ turning)) < 1e-13
    assert relative_error(-N, L(x).T @ C @ L(y)) < 1e-13
