"""Rows of loops in the gradient: e, A v and A a + A' v alone, with frames, by both ends."""

import numpy as np
import pytest

import supple as sp
from gradient_cases import State, load_errors, tree_errors
from supple.core.gradient_arrays import ROWS
from supple.gradients.parameter_sums import ParameterSums


def parallelogram(joint):
    material = sp.Material(1e6, poisson=0.4, density=1000.0)
    robot = sp.Robot("ring", gravity=(0.0, 0.0, -9.81))
    bar = sp.Rigid(1.0, [0.01, 0.02, 0.02], tip=sp.pose((0.4, 0.0, 0.0)))
    robot.add_link("left", bar, joint=sp.Revolute("y"))
    rod = sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=1, torsion=0), points=3)
    robot.add_link("top", rod, joint=sp.Spherical(), parent="left")
    robot.add_link("right", bar, joint=sp.Universal("y", "z"), at=sp.pose((0.5, 0.0, 0.0)))
    robot.add(sp.Loop("close", ("top", sp.pose((0.0, 0.01, 0.0))), ("right", sp.pose((0.0, 0.0, 0.02))), joint))
    return robot.compile()


@pytest.mark.parametrize("row", range(3))
@pytest.mark.parametrize("joint", [sp.Spherical(), sp.Revolute((0.1, 1.0, 0.0)), sp.Planar("z")])
def test_each_row_alone_is_that_of_differences(joint, row):
    model, rng = parallelogram(joint), np.random.default_rng(row)
    state = State(rng, model)
    state.y[:], state.lam[:] = 0.0, 0.0
    for other in {0, 1, 2} - {row}:
        state.rows[other] = 0.0
    errors = tree_errors(rng, model, state) | load_errors(rng, model, state)
    assert max(errors.values()) < 1e-6, errors


def test_only_robots_with_loops_ask_for_the_kernel_of_rows():
    """Others would wait for it to compile, in vain."""
    with_loop = parallelogram(sp.Spherical())
    without = sp.Robot("bar")
    without.add_link("bar", sp.Rigid(1.0, [0.01, 0.02, 0.02]), joint=sp.Revolute("y"))
    without.add(sp.JointDrive("motor", "bar"))
    assert [list(ParameterSums(model).arrays.loads[:, ROWS] != 0) for model in (with_loop, without.compile())] == [
        [True],
        [False],
    ]
