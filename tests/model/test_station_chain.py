"""Chains from the world to a station: cut rods, tips, bases, and what is refused."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.model.station_chain import make_station_chain, station_chain

MATERIAL = sp.Material(young=1e5, density=1000.0)


@pytest.fixture(scope="module")
def model():
    robot = sp.Robot("arm")
    rod = sp.Rod(0.5, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=2, torsion=0), points=4)
    robot.add_link("arm", rod, sp.Spherical())
    robot.add_link("side", sp.Rigid.cylinder(0.2, 0.02, density=100.0), sp.Revolute("z"), parent=("arm", 0.35))
    robot.add_link("twig", rod, parent="side")
    return robot.compile()


def layout(model, link):
    return model.layouts[model.link_index(link)]


def test_segments_are_those_of_the_way(model):
    """World, joint, nodes before s, and one step to s itself."""
    nodes = int((layout(model, "arm").rod.s[1:] < 0.5).sum())
    for s, steps in ((0.0, 1), (0.5, nodes + 1), (1.0, 5)):
        chain = make_station_chain(model, layout(model, "arm"), s)
        assert len(chain.tree.segments) == 1 + 1 + steps
    rigid = make_station_chain(model, layout(model, "side"), 0.0)
    tip = make_station_chain(model, layout(model, "side"), 1.0)
    assert len(tip.tree.segments) == len(rigid.tree.segments) + 1


@pytest.mark.parametrize(("link", "s"), [("arm", 0.0), ("arm", 0.37), ("side", 0.0), ("side", 1.0), ("twig", 0.8)])
def test_chains_and_sweeps_agree(model, link, s):
    q = 0.4 * np.cos(np.arange(model.n))
    assert relative_error(model.pose(q, link, s), model.poses(q, [(link, s)])[0]) < 1e-14


def test_a_chain_is_made_once_per_thread(model):
    assert station_chain(model, "arm", 0.25) is station_chain(model, "arm", 0.25)
    assert station_chain(model, "arm", 1) is station_chain(model, "arm", 1.0)


def test_stations_that_do_not_exist(model):
    with pytest.raises(sp.ModelError, match=r"link 'side': s is 0\.5, but the link is rigid: 0 is its body frame"):
        station_chain(model, "side", 0.5)
    with pytest.raises(sp.ModelError, match=r"link 'arm': s is 1\.5, must lie between 0 and 1"):
        station_chain(model, "arm", 1.5)
