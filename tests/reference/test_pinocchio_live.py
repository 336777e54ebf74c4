"""Random rigid chains and trees beside Pinocchio in the same process, where it is installed."""

import numpy as np
import pytest

import supple as sp
from helpers import random_axis, random_pose, random_rigid, relative_error

pinocchio = pytest.importorskip("pinocchio")

SIZES = [7, 30, 100]


def unit(axis):
    return sp.Revolute(axis).factors()[0][:3, 0]


def chain(size, seed, branching=0.0):
    """The same robot twice: ours, and Pinocchio's model and data.  Joints turn, slide or screw about any axis.

    Branches spring from an ancestor of the link before: Pinocchio wants trees numbered depth first.
    """
    rng = np.random.default_rng([size, seed])
    robot = sp.Robot("chain", gravity=(0.3, -0.2, -9.7))
    twin = pinocchio.Model()
    twin.gravity.linear = np.array([0.3, -0.2, -9.7])
    path = []  # from the world to the link before
    for i in range(size):
        body, at, axis, kind = random_rigid(rng), random_pose(rng), random_axis(rng), rng.integers(4)
        body = sp.Rigid(body.mass, body.inertia, body.com)  # children attach at the body frame
        if rng.random() < branching:
            path = path[: int(rng.integers(len(path) + 1))]
        parent = path[-1] if path else -1
        path = [*path, i]
        name = "world" if parent < 0 else f"link{parent}"
        if kind == 3:
            joint, other = sp.Prismatic(axis), pinocchio.JointModelPrismaticUnaligned(unit(axis))
        elif kind == 2:
            joint, other = sp.Helical(axis, 0.1), pinocchio.JointModelHelicalUnaligned(unit(axis), 0.1)
        else:
            joint, other = sp.Revolute(axis), pinocchio.JointModelRevoluteUnaligned(unit(axis))
        robot.add_link(f"link{i}", body, joint=joint, parent=name, at=at)
        placement = pinocchio.SE3(at[:3, :3], at[:3, 3])
        index = twin.addJoint(parent + 1, other, placement, f"joint{i}")
        inertia = pinocchio.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        twin.appendBodyToJoint(index, inertia, pinocchio.SE3.Identity())
    state = rng.standard_normal((3, size))
    return robot.compile(), twin, twin.createData(), state


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("branching", [0.0, 0.5], ids=["chain", "tree"])
def test_inverse_dynamics_and_derivatives(size, branching):
    model, twin, data, (q, v, a) = chain(size, 1, branching)
    found = model.inverse_dynamics_derivatives(q, v, a)
    expected = pinocchio.rnea(twin, data, q, v, a).copy()
    assert relative_error(found.force, expected) < 1e-11
    assert relative_error(model.inverse_dynamics(q, v, a), expected) < 1e-11
    dq, dv, M = (np.array(x) for x in pinocchio.computeRNEADerivatives(twin, data, q, v, a))
    M = np.triu(M) + np.triu(M, 1).T
    assert relative_error(found.dq, dq) < 1e-11
    assert relative_error(found.dv, dv) < 1e-11
    assert relative_error(found.mass, M) < 1e-11
    assert relative_error(model.mass_matrix(q), M) < 1e-11


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("branching", [0.0, 0.5], ids=["chain", "tree"])
def test_forward_dynamics_and_derivatives(size, branching):
    model, twin, data, (q, v, _) = chain(size, 2, branching)
    expected = pinocchio.aba(twin, data, q, v, np.zeros(size)).copy()
    assert relative_error(model.forward_dynamics(q, v).a, expected) < 1e-9
    dq, dv, _ = (np.array(x) for x in pinocchio.computeABADerivatives(twin, data, q, v, np.zeros(size)))
    found = model.forward_dynamics_derivatives(q, v)
    assert relative_error(found.dq, dq) < 1e-9
    assert relative_error(found.dv, dv) < 1e-9


@pytest.mark.parametrize("size", SIZES)
def test_poses_energy_and_momentum(size):
    model, twin, data, (q, v, _) = chain(size, 3)
    pinocchio.forwardKinematics(twin, data, q, v)
    expected = np.array([data.oMi[i + 1].homogeneous for i in range(size)])
    assert relative_error(model.points(q), expected) < 1e-12
    energy = model.energy(q, v)
    assert energy.kinetic == pytest.approx(pinocchio.computeKineticEnergy(twin, data, q, v), rel=1e-12)
    assert energy.gravitational == pytest.approx(pinocchio.computePotentialEnergy(twin, data, q), rel=1e-12)
    momentum = pinocchio.computeCentroidalMomentum(twin, data, q, v)
    linear = np.array(momentum.linear)
    angular = np.array(momentum.angular) + np.cross(data.com[0], linear)
    assert relative_error(model.momentum(q, v), np.concatenate([angular, linear])) < 1e-12
