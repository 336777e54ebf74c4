"""What read-outs return: wrenches of contacts, links, pairs that touch."""

import numpy as np
import pytest

from supple.readouts.results import ContactForces


@pytest.fixture
def forces():
    """Two pairs: a foot on the floor, a hand beside it that touches nothing."""
    rng = np.random.default_rng(0)
    point, force = rng.standard_normal((2, 2, 3))
    force[1] = 0.0
    zero = np.zeros((2, 3))
    total = np.append(np.cross(point, force).sum(axis=0), force.sum(axis=0))
    a, b = (("foot", 1.0), ("hand", 0.5)), (("world", 0.0), ("foot", 0.0))
    return ContactForces(
        "floor", a, b, np.array([-0.1, 0.2]), point, zero, force, zero, zero, np.zeros(2), np.zeros(2), total
    )


def test_wrenches_are_about_the_origin_and_opposite(forces):
    assert forces.wrench_a[:, 3:] == pytest.approx(forces.force)
    assert forces.wrench_a[:, :3] == pytest.approx(np.cross(forces.point, forces.force))
    assert np.array_equal(forces.wrench_b, -forces.wrench_a)
    assert forces.wrench_a.sum(axis=0) == pytest.approx(forces.total)


def test_what_acts_on_a_link(forces):
    assert forces.on("foot") == pytest.approx(forces.wrench_a[0] + forces.wrench_b[1])
    assert forces.on("world") == pytest.approx(forces.wrench_b[0])
    assert not forces.on("nobody").any()


def test_who_touches(forces):
    assert forces.touching.tolist() == [True, False]
    assert "\n" not in repr(forces)
