"""Arrays of a solver: order of elimination, charts that may move, states of loads, sizes with loops."""

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum
from supple.compilation.law_program import make_program
from supple.solvers.problem import chart_table, free_coordinates, load_state_table, make_workspace, turning_table


def ball(**joint):
    return {"body": sp.Rigid.sphere(0.1, density=1000.0), "joint": sp.Spherical(**joint)}


@pytest.fixture(scope="module")
def tree():
    """Two branches of spherical joints on a revolute one; the last one is held by a spring."""
    robot = sp.Robot("tree")
    robot.add_link("root", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Revolute("z"))
    robot.add_link("free", **ball(), parent="root")
    robot.add_link("held", **ball(stiffness=1.0), parent="root")
    robot.add_link("driven", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Revolute("x"), parent="free")
    robot.add(sp.Prescribed("driven", lambda t: (t, 1.0, 0.0)))
    return robot.compile()


def test_leaves_are_eliminated_before_roots(tree):
    order = free_coordinates(tree).tolist()
    assert sorted(order) == tree.free_coordinates.tolist()
    assert order[-1] == 0
    tangent = tree.mass_matrix(0.1 * np.ones(tree.n))[np.ix_(order, order)]
    assert (tangent == 0.0).any()  # branches do not feel each other
    filled = np.abs(np.linalg.cholesky(tangent)) > 1e-14
    assert (filled <= (np.abs(np.tril(tangent)) > 0.0)).all(), "elimination fills zeros in"


def test_charts_of_joints_without_a_meaning_of_their_own(tree):
    rows = chart_table(tree)
    assert len(rows) == 1
    block, start, turning, size = rows[0].tolist()
    assert tree.coordinate_names[start].startswith("free.")
    assert int(tree.topology.blocks[block]["start"]) == start
    assert (turning, size) == (3, 3)


def test_equations_of_joints_that_turn_are_found_among_those_of_free_coordinates():
    """Those that keep their chart, too; but nothing of joints that are prescribed, or that turn about one axis."""
    robot = sp.Robot("four")
    for name, joint in {
        "ball": sp.Spherical(damping=0.1),
        "hinge": sp.Revolute("x"),
        "free": sp.Free(),
        "led": sp.Spherical(),
    }.items():
        robot.add_link(name, sp.Rigid.sphere(0.1, density=1000.0), joint=joint)
    robot.add(sp.Prescribed("led", lambda t: (np.zeros(3), np.zeros(3), np.zeros(3))))
    model = robot.compile()
    free = free_coordinates(model)
    rows = turning_table(model, free)
    assert sorted(rows[:, 2].tolist()) == [3, 6]
    for block, start, size, place in rows.tolist():
        assert free[place : place + size].tolist() == list(range(start, start + size))
        assert int(model.topology.blocks[block]["start"]) == start
    assert len(chart_table(model)) == 1


def test_states_of_loads_have_their_signals():
    def force(t, g, eta, etadot, xi, z):
        return np.array([0, 0, 0, z[0], 0, 0.0])

    robot = sp.Robot("one")
    robot.add_link("body", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Prismatic("x"))
    law = sp.PointLaw("lag", "body", force, state0=[0.0, 0.0], rate=lambda t, g, eta, etadot, xi, z: -z)
    robot.add(law)
    with pytest.warns(sp.ModelWarning):
        model = robot.compile()
    rows = load_state_table(model)
    assert rows.shape == (2, 2)
    assert len(np.unique(rows)) == 4


@pytest.mark.parametrize("stabilised", [False, True])
def test_sizes_with_loops(stabilised):
    model, _ = four_bar()
    workspace = make_workspace(model, make_program([], [], []), np.zeros((0, 2), dtype=np.int64), stabilised)
    problem, rows = workspace.problem, (2 if stabilised else 1) * model.nc
    assert problem.matrix.shape == (len(problem.free) + rows,) * 2
    assert problem.inputs is workspace.space.inputs
    assert all(array.flags.c_contiguous for array in problem)


def test_a_model_is_left_alone():
    """Charts of a run move in a copy of the placements."""
    model = pendulum()
    workspace = make_workspace(model, make_program([], [], []), np.zeros((0, 2), dtype=np.int64))
    assert not np.shares_memory(workspace.problem.placement, model.parameters.placement)
    assert np.shares_memory(workspace.problem.home, model.parameters.placement)
