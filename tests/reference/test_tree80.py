"""The 24-coordinate manipulator and an 80-coordinate floating tree, from four agreeing prototypes.

Their angular strain coordinates are curvatures x: ours are q = L x, so forces scale by 1/L and matrices by 1/L^2.
"""

from functools import cache

import numpy as np
import pytest

import supple as sp
from helpers import DATA, relative_error, size
from reference_robots import cable_manipulator, floating_tree

TOLERANCE = 1e-12
SYSTEMS = {"A": cable_manipulator, "B": floating_tree}


@cache
def system(key):
    """Model, reference, and the length L of each angular strain coordinate (1 for all others)."""
    robot = SYSTEMS[key]()
    with np.load(DATA / "tree80.npz") as data:
        reference = {name[2:]: data[name] for name in data.files if name.startswith(key)}
    lengths = []
    for link in robot.links:
        lengths += [1.0] * link.joint.dof
        if isinstance(link.body, sp.Rod):
            lengths += [link.body.length if c < 3 else 1.0 for c in link.body.strain.components]
    lengths = np.array(lengths)
    state = [lengths * reference[name] for name in ("q", "qd", "qdd")]
    return robot.compile(), reference, lengths, state


@pytest.mark.parametrize("key", SYSTEMS)
def test_inverse_dynamics_and_derivatives(key):
    model, reference, L, (q, v, a) = system(key)
    found = model.inverse_dynamics_derivatives(q, v, a)
    scale = np.outer(L, L)
    assert relative_error(L * found.force, reference["ID"]) < TOLERANCE
    assert relative_error(L * model.inverse_dynamics(q, v, a), reference["ID"]) < TOLERANCE
    assert relative_error(scale * found.mass, reference["M"]) < TOLERANCE
    assert relative_error(scale * model.mass_matrix(q), reference["M"]) < TOLERANCE
    assert relative_error(scale * found.dq, reference["dID_dq"]) < TOLERANCE
    assert relative_error(scale * found.dv, reference["dID_dqd"]) < TOLERANCE


@pytest.mark.parametrize("key", SYSTEMS)
def test_internal_forces(key):
    model, reference, L, (q, v, _) = system(key)
    scale = np.outer(L, L)
    assert relative_error(scale * model.stiffness, reference["K"]) < TOLERANCE
    assert relative_error(scale * model.damping, reference["D"]) < TOLERANCE
    assert relative_error(L * model.internal_force(q, v), reference["tau"]) < TOLERANCE


@pytest.mark.parametrize("key", SYSTEMS)
def test_forward_dynamics_in_forces(key):
    """M a: accelerations carry the condition number of M, 1e7 and more."""
    model, reference, L, (q, v, _) = system(key)
    a = L * reference["FD"]
    M = model.mass_matrix(q)
    assert relative_error(M @ model.forward_dynamics(q, v).a, M @ a) < 1e-11
    assert size(model.residual(q, v, a)) < 1e-11 * size(M @ a)


@pytest.mark.parametrize("key", SYSTEMS)
def test_forward_dynamics_derivatives_in_forces(key):
    model, reference, L, (q, v, _) = system(key)
    M = model.mass_matrix(q)
    found = model.forward_dynamics_derivatives(q, v)
    for derivative, name in ((found.dq, "dFD_dq"), (found.dv, "dFD_dqd")):
        expected = L[:, None] * reference[name] / L[None, :]
        assert relative_error(M @ derivative, M @ expected) < 1e-11


@pytest.mark.parametrize("key", SYSTEMS)
def test_poses_of_block_ends(key):
    """The joint of a rigid link ends in its body frame, a rod in its tip."""
    model, reference, _, (q, _, _) = system(key)
    found = [
        model.pose(q, name, 0.0 if layout.rod is None else 1.0)
        for name, layout in zip(model.link_names, model.layouts, strict=True)
    ]
    assert relative_error([g[:3, :3] for g in found], reference["block_end_R"]) < TOLERANCE
    assert relative_error([g[:3, 3] for g in found], reference["block_end_p"]) < TOLERANCE
