"""Which factors a model uses: by structure, dense where robots are small or tied up."""

import pytest

import supple as sp
from soft_robots import soft_cone
from supple.solvers.stage.choice import tree_pays

#: A border of this many rows is more than a tree of this size can bear.
TIED = 300


def chain(rods):
    """Rods of six coordinates, one behind the other."""
    robot, parent = sp.Robot("chain"), "world"
    material = sp.Material(1e6, poisson=0.4, density=1000.0)
    strain = sp.Legendre(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0)
    for k in range(rods):
        robot.add_link(f"rod{k}", sp.Rod(0.1, sp.Circle(0.01), material, strain, points=2), parent=parent)
        parent = f"rod{k}"
    return robot.compile()


@pytest.mark.parametrize(("rods", "border", "over"), [(1, 0, False), (4, 0, False), (16, 0, True), (16, TIED, False)])
def test_chains(rods, border, over):
    assert tree_pays(chain(rods).workspace.arrays, border) is over


def test_a_run_tells_what_it_used():
    small, large = (chain(rods).simulate(2e-3, method=sp.BDF2(dt=1e-3)).stats for rods in (1, 16))
    assert (small["factors"], large["factors"]) == ("dense", "tree")
    assert large["doubts"] == 0


@pytest.mark.parametrize(("bodies", "over"), [(2, False), (32, True)])
def test_soft_bodies(bodies, over):
    """They are blocks as others."""
    robot, parent = sp.Robot("soft"), "world"
    body = soft_cone(0)
    for k in range(bodies):
        robot.add_link(f"cone{k}", body, parent=parent)
        parent = f"cone{k}"
    assert tree_pays(robot.compile().workspace.arrays, 0) is over


@pytest.mark.parametrize(("bars", "factors"), [(8, "dense"), (80, "tree")])
def test_joints_that_follow_others_and_rub(bars, factors):
    """A few rows of a border in a large robot."""
    robot, bar, parent = sp.Robot("snake"), sp.Rigid.box((0.1, 0.02, 0.02), density=1000.0), "world"
    for k in range(bars):
        joint = sp.Revolute("yz"[k % 2], stiffness=0.1, friction=0.01)
        robot.add_link(f"bar{k}", bar, joint, parent=parent)
        parent = f"bar{k}"
    for k in range(1, 4):
        robot.couple(f"bar{2 * k}", to="bar0", ratio=0.5)
    stats = robot.compile().simulate(2e-3, method=sp.BDF2(dt=1e-3)).stats
    assert (stats["factors"], stats["doubts"]) == (factors, 0)
