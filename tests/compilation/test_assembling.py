"""Drafted blocks become arrays: weights, relations, springs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple as sp

MATERIAL = sp.Material(young=1e5, density=1000.0)
ROD = sp.Rod(0.5, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=1), points=3)


@pytest.fixture(scope="module")
def model():
    """A pendulum with a spring that carries a rod, and a rod beside it."""
    robot = sp.Robot("two arms")
    joint = sp.Revolute("y", stiffness=2.0, damping=0.3, rest=0.1, limits=(-1.0, 1.0), limit_stiffness=50.0)
    robot.add_link("base", sp.Rigid(2.0, np.ones(3), com=(0.1, 0.2, 0.3)), joint)
    robot.add_link("rod", ROD, parent="base")
    robot.add_link("other", ROD, sp.Revolute("z"))
    return robot.compile()


def test_springs_and_limits_stand_where_their_coordinates_are(model):
    assert model.stiffness[0, 0] == 2.0
    assert model.damping[0, 0] == 0.3
    assert model.rest.tolist() == [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert_allclose(model.stiffness[1:3, 1:3], ROD.tabulate().stiffness)
    assert not model.stiffness[1:3, 3:].any()
    assert model.parameters.limits[0, :4].tolist() == [-1.0, 1.0, 50.0, 1e-2]
    assert np.isinf(model.parameters.limits[1:, :2]).all()


def test_points_know_their_mass_and_first_moment(model):
    assert_allclose(model.parameters.segments["net_mass"][1], [2.0, 0.2, 0.4, 0.6])
    assert_allclose(model.parameters.segments["net_mass"][:, 0], model.parameters.segments["inertia"][:, 3, 3])


def test_blocks_list_whom_they_feel(model):
    """inward, outward and apart cover all coordinates, each once, but for a rod's own."""
    blocks, ranges = model.topology.blocks, model.topology.ranges
    for b, row in enumerate(blocks):
        rows = np.concatenate([ranges[slice(*row[key])] for key in ("inward", "outward", "apart")])
        felt = [i for lo, hi, _ in rows.tolist() for i in range(lo, hi)]
        own = set(range(row["start"], row["start"] + row["n"])) if b in (1, 3) else set()
        assert sorted(felt) == sorted(set(range(model.n)) - own)


def test_segments_know_their_owners_and_parents(model):
    topology = model.topology
    for b, row in enumerate(topology.blocks):
        own = slice(int(row["first"]), int(row["first"] + row["count"]))
        assert_array_equal(topology.owner[own], b)
        assert topology.parents[own][0] == row["parent"]
        assert (topology.parents[own] < np.arange(own.start, own.stop)).all()
