"""The sweep outward: poses, twists and accelerations of all points, as they are left in the scratch."""

from functools import cache

import numpy as np
import pytest

from helpers import central_difference, random_robot, relative_error, vee
from kernel_entry import scratch_of


@cache
def swept(seed):
    """A model, a motion q(t), v(t), a of constant acceleration, and what a sweep leaves of it at t."""
    rng = np.random.default_rng(seed)
    model = random_robot(rng, links=4).compile()
    q, v, a = 0.4 * rng.standard_normal((3, model.n))

    def work(t=0.0):
        model.inverse_dynamics(q + t * v + 0.5 * t * t * a, v + t * a, a)
        return scratch_of(model).work.copy()

    return model, (q, v, a), work


def active(model):
    """Segments that the sweep visits."""
    rows = model.topology.blocks
    return [s for b in rows for s in range(b["first"], b["first"] + b["active"])]


def pose(work, s, origin=0.0):
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = work["R"][s], work["p"][s] - origin
    return g


@pytest.mark.parametrize("seed", range(4))
def test_the_common_origin_is_the_end_of_the_first_segment(seed):
    model, _, work = swept(seed)
    first = model.topology.blocks[0]["first"]
    assert np.abs(work()["p"][first]).max() < 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_twists_are_rates_of_poses(seed):
    """V = [w; v] of the body at the common origin of this moment: (dg/dt g^-1)^vee with positions from there."""
    model, _, work = swept(seed)
    now = work()
    origin = -now["p"][0]  # in the world
    for s in active(model):
        def world(t, s=s):
            moved = work(t)
            g = pose(moved, s)
            g[:3, 3] += -moved["p"][0] - origin
            return g

        rate = central_difference(world, 1e-3)
        twist = vee(rate @ np.linalg.inv(world(0.0)))
        assert relative_error(now["V"][s], twist, floor=1.0) < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_gravity_is_an_acceleration_of_the_base(seed):
    """A - A_world = dV/dt about a fixed origin: the common one moves, so twists are taken about where it is now."""
    model, _, work = swept(seed)
    now = work()
    assert np.array_equal(now["A"][0], [0.0, 0.0, 0.0, *(-np.asarray(model.parameters.gravity))])
    for s in active(model):
        def twist(t, s=s):
            moved = work(t)
            V, shift = moved["V"][s].copy(), now["p"][0] - moved["p"][0]  # from the origin now to the one then
            V[3:] -= np.cross(V[:3], shift)
            return V

        assert relative_error(now["A"][s] - now["A"][0], central_difference(twist, 1e-3), floor=1.0) < 1e-8
