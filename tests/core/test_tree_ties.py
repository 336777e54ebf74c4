"""What reaches across blocks: one tie per line, none for what stays within a block."""

import numpy as np

import supple as sp
from supple.core.tree_factors import TIES
from tree_entry import TreeCase


def ties(load):
    """Number of ties of a load on two rods side by side."""
    robot, material = sp.Robot("pair"), sp.Material(1e6, poisson=0.4, density=1000.0)
    rod = sp.Rod(0.3, sp.Circle(0.01), material, sp.Legendre(bend_y=1, bend_z=1, stretch=0))
    robot.add_link("a", rod, sp.Revolute("z"))
    robot.add_link("b", rod, at=sp.pose((0.0, 0.1, 0.0)))
    robot.add(load)
    model = robot.compile()
    tree = TreeCase(model)
    tree.evaluate(*np.full((3, model.n), 0.1), 10.0, 100.0)
    assert tree.factorise()
    return int(tree.factors.count[TIES])


def test_springs_within_a_rod_and_across():
    """Each end of a spring feels the other: a direction and a length, three rows of six do not vanish at least."""
    assert ties(sp.Spring("s", ("a", 0.5), ("a", 1.0), stiffness=10.0, rest_length=0.1)) == 0
    assert 0 < ties(sp.Spring("s", ("a", 1.0), ("b", 1.0), stiffness=10.0, rest_length=0.05)) <= 12


def test_a_line_is_one_tie():
    load = sp.ElasticTendon("t", {"a": lambda X: (0.0, 0.005)}, stiffness=100.0)
    assert ties(load) == 1
