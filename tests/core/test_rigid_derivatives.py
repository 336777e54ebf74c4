"""Derivatives of forward dynamics of rigid trees in one sweep: against the equations, and against differences."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, random_axis, relative_error
from supple.core.forward_dynamics import REFUSED
from supple.core.rigid_derivatives import rigid_derivatives

BAR = sp.Rigid(0.7, (3e-3, 4e-3, 5e-3), com=(0.1, 0.02, -0.03))
SEEDS = range(8)


def rigid_tree(seed, drives=True):
    """Links on hinges, slides and screws of two coordinates, some fixed; springs, limits and friction."""
    rng, robot = np.random.default_rng(seed), sp.Robot("tree", gravity=(0.5, -1.0, -9.81))
    joints = (
        lambda: sp.Revolute(random_axis(rng), stiffness=1.5, damping=0.2),
        lambda: sp.Prismatic(random_axis(rng), damping=0.3),
        lambda: sp.Cylindrical(random_axis(rng)),
        lambda: sp.Revolute(random_axis(rng), limits=(-0.1, 0.2)),
        sp.Fixed,
    )
    for k in range(7):
        parent = "world" if k == 0 else f"link{rng.integers(k)}"
        joint = joints[rng.integers(len(joints))]() if k else joints[0]()
        robot.add_link(f"link{k}", BAR, joint, parent=parent, at=sp.pose(*np.split(rng.uniform(-0.3, 0.3, 6), 2)))
        if drives and rng.random() < 0.6 and not isinstance(joint, sp.Fixed):
            robot.add(sp.JointDrive(f"motor{k}", f"link{k}"))
    return robot.compile()


def state(model, seed=0):
    rng = np.random.default_rng(100 + seed)
    return 0.4 * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.standard_normal(model.nu)


@pytest.mark.parametrize("drives", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_against_the_varied_equations(seed, drives):
    """M da/dq = -dR/dq, M da/dv = -dR/dv and M da/du = B at the accelerations of the motion."""
    model = rigid_tree(seed, drives)
    q, v, u = state(model, seed)
    assert model.workspace.derivative_calls.kernel is rigid_derivatives
    found = model.forward_dynamics_derivatives(q, v, u)
    blocks = model.residual_derivatives(q, v, model.forward_dynamics(q, v, u).a, u)
    for derivative, block in zip(found, (blocks.dq, blocks.dv, blocks.du), strict=True):
        assert relative_error(derivative, np.linalg.solve(blocks.da, -block)) < 1e-10


def test_against_differences():
    model = rigid_tree(0)
    q, v, u = state(model)
    found = model.forward_dynamics_derivatives(q, v, u)
    assert relative_error(found.dq, difference_jacobian(lambda x: model.forward_dynamics(x, v, u).a, q, 1e-3)) < 1e-7
    assert relative_error(found.dv, difference_jacobian(lambda x: model.forward_dynamics(q, x, u).a, v)) < 1e-8
    assert relative_error(found.du, difference_jacobian(lambda x: model.forward_dynamics(q, v, x).a, u, 1.0)) < 1e-8


def test_scratch_of_another_call_is_not_read():
    model = rigid_tree(1)
    q, v, u = state(model)
    expected = model.forward_dynamics_derivatives(q, v, u)
    for array in model.workspace.own()[0]:
        if array.dtype == float:
            array[...] = np.nan
    for name in ("dA", "dZ", "F", "M", "N"):
        model.workspace.own()[0].work[name] = np.nan
    for x, y in zip(model.forward_dynamics_derivatives(q, v, u), expected, strict=True):
        assert np.array_equal(x, y)


@pytest.mark.parametrize("what", ["rod", "free joint", "wrench"])
def test_other_trees_go_the_other_way(what):
    robot = sp.Robot("other")
    robot.add_link("a", BAR, sp.Free() if what == "free joint" else sp.Revolute("y"))
    if what == "rod":
        material = sp.Material(1e6, density=1000.0)
        robot.add_link("b", sp.Rod(0.3, sp.Circle(0.01), material, sp.Legendre(bend_y=1)), parent="a")
    if what == "wrench":
        robot.add(sp.PointWrench("a", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]))
    model = robot.compile()
    q, v, u = state(model)
    model.forward_dynamics_derivatives(q, v, u)
    assert model.workspace.derivative_calls.kernel is not rigid_derivatives


def test_bad_states_are_named():
    model = rigid_tree(2)
    q, v, u = state(model)
    with pytest.raises(sp.ShapeError, match="q has shape"):
        model.forward_dynamics_derivatives(q[:-1], v, u)
    with pytest.raises(sp.StateError, match=r"v\[0\]"):
        model.forward_dynamics_derivatives(q, np.where(np.arange(model.n) == 0, np.nan, v), u)
    call = model.workspace.derivative_calls
    out, du = np.empty(call.matrices), np.empty(call.by_inputs)
    assert rigid_derivatives(call.calls, model.workspace.scratch(0.0, None), q[:-1], v, u, out, du) == REFUSED


def test_a_joint_that_moves_nothing_of_its_own_is_named():
    """Two hinges on one axis: the mass matrix is singular."""
    robot = sp.Robot("twice")
    robot.add_link("a", sp.Rigid(0.0, (0.0, 0.0, 0.0)), sp.Revolute("y"))
    robot.add_link("b", BAR, sp.Revolute("y"), parent="a")
    with pytest.raises(sp.SingularError, match="singular at"):
        robot.compile().forward_dynamics_derivatives([0.1, 0.2], [0.0, 0.0])
