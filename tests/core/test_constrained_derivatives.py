"""Derivatives of accelerations with loops and prescribed joints by one kernel: against the dense system of all rows."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from line_robots import branched_robot, random_motion
from load_kinds import Waving
from supple.core.articulated import DOUBTFUL, SOLVED
from supple.core.constrained_derivatives import OPERATIONS, constrained_derivatives
from supple.model import constrained_derivatives as held
from supple.model.balance import State

LOOPS = (
    sp.Loop("across", ("b", sp.pose((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)), 0.63), ("d", sp.pose()), sp.Spherical()),
    sp.Loop("anchor", a=("world", sp.pose((0.2, 0.1, 0.0))), b=("c", sp.pose()), joint=sp.Planar("z")),
)



def four_bar(prescribed=False):
    """Three bars that close a loop; the crank driven or prescribed."""
    robot = sp.Robot("four-bar", gravity=(0.0, -9.81, 0.0))
    body = sp.Rigid(0.4, np.full(3, 2e-3), com=(0.15, 0.0, 0.0))
    robot.add_link("crank", body, sp.Revolute("z", damping=0.02))
    robot.add_link("coupler", body, sp.Revolute("z"), parent="crank", at=sp.pose((0.3, 0.0, 0.0)))
    robot.add_link("rocker", body, sp.Revolute("z"), at=sp.pose((0.5, 0.0, 0.0)))
    robot.add(sp.Prescribed("crank", Waving(1)) if prescribed else sp.JointDrive("motor", "crank"))
    ends = ("coupler", sp.pose((0.3, 0.0, 0.0))), ("rocker", sp.pose((0.3, 0.0, 0.0)))
    robot.add(sp.Loop("pin", *ends, sp.Revolute("z")))
    return robot.compile()


MODELS = {
    "loops of rods": lambda: branched_robot(*LOOPS),
    "driven": four_bar,
    "prescribed": lambda: four_bar(prescribed=True),
}


@pytest.mark.parametrize("baumgarte", [0.0, 0.05])
@pytest.mark.parametrize("name", MODELS)
def test_against_the_dense_system(name, baumgarte):
    model = MODELS[name]()
    q, v, _ = random_motion(model, 3, 0.3)
    state = State(np.array(q), np.array(v), np.full(model.nu, 0.7), 0.3, None)
    found, expected = held._compiled(model, state, baumgarte), held._dense(model, state, baumgarte)
    for x, y in zip(found.accelerations, expected.accelerations, strict=True):
        assert relative_error(x, y) < 1e-10
    assert relative_error(found.rows, expected.rows) < 1e-13
    assert relative_error(found.turning, expected.turning) < 1e-13


@pytest.mark.parametrize("laws", [True, False], ids=["laws", "functions"])
def test_prescribed_joints_at_any_place_of_the_tree(laws):
    """Their columns are left out of solves, and their laws are evaluated by the kernel where it can."""
    law = sp.laws.Sine(0.3, 0.7) + sp.laws.Polynomial([0.0, 0.1, 0.2])
    pair = sp.laws.Polynomial([[0.1, 0.2], [0.3, -0.1], [0.7, 0.4]])
    given = [law, pair] if laws else [lambda t: (law(t), law.rate(t), law.acceleration(t)), pair]
    robot, body = sp.Robot("chain"), sp.Rigid(0.4, np.full(3, 2e-3), com=(0.15, 0.0, 0.0))
    joints = {"a": sp.Revolute("z"), "b": sp.Revolute("y"), "c": sp.Universal("y", "z"), "d": sp.Revolute("x")}
    parent = "world"
    for name, joint in joints.items():
        robot.add_link(name, body, joint, parent, at=sp.pose((0.3, 0.0, 0.1)))
        parent = name
    robot.add(sp.JointDrive("motor", "a"))
    robot.add(sp.Prescribed("b", given[0]))
    robot.add(sp.Prescribed("c", given[1]))
    model = robot.compile()
    assert (model.workspace.constrained_calls[OPERATIONS] > 0) == laws
    q, v, _ = random_motion(model, 3, 0.3)
    state = State(np.array(q), np.array(v), np.full(1, 0.7), 0.4, None)
    found, expected = held._compiled(model, state, 0.0), held._dense(model, state, 0.0)
    for x, y in zip(found.accelerations, expected.accelerations, strict=True):
        assert relative_error(x, y) < 1e-12
    assert not found.accelerations.dq[:, model.fixed_coordinates].any()


def test_multipliers_of_an_earlier_call_are_not_read():
    model = four_bar()
    q, v, _ = random_motion(model, 3, 0.3)
    state = State(np.array(q), np.array(v), np.full(1, 0.7), 0.3, None)
    expected = held._compiled(model, state, 0.0).accelerations
    model.workspace.own()[0].multipliers[:] = np.nan
    model.workspace.remembered("derivatives", "constrained", lambda: None, 1)[0][:] = np.nan
    for x, y in zip(held._compiled(model, state, 0.0).accelerations, expected, strict=True):
        assert np.array_equal(x, y)


def test_rows_that_depend_on_each_other_are_in_doubt():
    """Of a four-bar in its dead centre: the kernel says so, and the whole system decides."""
    model = four_bar()
    n, nc = model.n, model.nc
    A = np.array(model.loop_jacobian(np.zeros(n)))
    assert np.linalg.matrix_rank(A, tol=1e-9) < nc
    out, du, rows = np.zeros((5 * n + 2, n)), np.empty((n, model.nu)), np.empty((5, nc, n))
    loops, zero = np.empty((n + nc + 3 + max(n, model.nu), nc)), np.zeros(n)
    work = model.workspace
    given = work.constrained_calls, work.scratch(0.0, None), zero, zero, np.zeros(model.nu), 0.0, 0.0
    assert constrained_derivatives(*given, out, du, rows, loops) == DOUBTFUL
    bent = np.array([0.3, 0.2, 0.4])
    assert constrained_derivatives(*given[:2], bent, *given[3:], out, du, rows, loops) == SOLVED
    with pytest.raises(sp.SingularError):
        model.forward_dynamics_derivatives(zero, zero)
