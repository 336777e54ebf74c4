"""Sweeps over rods by fours: rods of any number of segments, against one segment at a time."""

from itertools import pairwise

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from kernel_entry import entry, scratch_of
from supple.core.arrays import FOUR_STEPS, by_fours, find_anew
from supple.core.blocks import curved, rod
from supple.core.inertia import world_inertia
from supple.core.records import J_SUM, four_operators_t, four_points_t, work_t
from supple.core.sweep_out import start_pose
from supple.jit import inner
from supple.lie.se3 import product6

STRAINS = (
    sp.Legendre(bend_y=0),
    sp.Legendre(torsion=1, bend_y=2, bend_z=0, stretch=1, shear_y=0, shear_z=1),
    sp.Legendre(torsion=3, bend_y=4, bend_z=4, stretch=2),
)


@entry
@inner
def one_by_one(blocks, segments, phi, placement, b, q, v, a, work):
    """Poses, motions and world operators of a chain, one segment after the other, as dormant stations are posed."""
    block = blocks[b]
    for i in range(block.active):
        w, previous = work[block.first + i], work[block.parent if i == 0 else block.first + i - 1]
        start_pose(previous, placement[b], i == 0, w)
        rod.strain_jet(block, segments[block.first + i], block.columns + i * block.n, phi, q, v, a, w.xi)
        rod.magnus_jet(segments[block.first + i], w.xi, w.jet)
        curved.exponential_pose(w)
        curved.curved_motion(previous, w, 2)
        world_inertia(w.R, w.p, segments[block.first + i].inertia, w.M)
        product6(w.M, w.V, w.h)


def arm(points, strain):
    """A rod of one step more than that on a revolute joint, with a rigid body on its tip."""
    robot = sp.Robot("arm")
    rubber = sp.Material(young=1e6, poisson=0.3, density=1100.0)
    body = sp.Rod(length=0.4, section=sp.Circle(0.02), material=rubber, strain=strain, points=points)
    robot.add_link("arm", body, joint=sp.Revolute("y"))
    robot.add_link("further", sp.Rigid(0.2, np.diag([1e-4, 2e-4, 3e-4])), joint=sp.Spherical(), parent=("arm", 1.0))
    return robot.compile()


CASES = [(points, strain) for strain in STRAINS for points in range(5 if strain is STRAINS[2] else 3, 10)]


@pytest.mark.parametrize(("points", "strain"), CASES)
def test_against_one_segment_at_a_time(points, strain):
    model = arm(points, strain)
    q, v, a = np.random.default_rng(points).standard_normal((3, model.n))
    model.residual_tangent(q, v, a, cv=0.0, ca=0.0)
    tree, left = model.workspace.arrays, scratch_of(model)
    b = int(np.flatnonzero(tree.blocks["kind"] == 2)[0])
    block, found = tree.blocks[b], left.work.copy()
    expected = found.copy()
    rows = slice(int(block["first"]), int(block["first"] + block["active"]))
    expected[rows] = np.zeros((), expected.dtype)
    one_by_one(tree.blocks, tree.segments, tree.phi, tree.placement, b, q, v, a, expected)
    for name in ("R0", "p0", "R", "p", "V", "A", "xi", "jet", "T", "h"):
        assert relative_error(found[name][rows], expected[name][rows]) < 1e-13, name


@pytest.mark.parametrize(("points", "strain"), CASES)
def test_what_lanes_behind_the_last_segment_hold_counts_nowhere(points, strain):
    model = arm(points, strain)
    q, v, a = np.random.default_rng(points).standard_normal((3, model.n))
    for ask in (
        lambda: model.residual(q, v, a),
        lambda: model.mass_matrix(q),
        lambda: model.forward_dynamics(q, v).a,
        lambda: model.actuation(q),
    ):
        before = ask()
        scratch = scratch_of(model)
        for array in (scratch.steps, scratch.jacobian_lanes, scratch.product_lanes):
            array[:] = np.nan
        np.testing.assert_array_equal(ask(), before)


@pytest.mark.parametrize(("points", "strain"), CASES)
def test_columns_are_those_of_a_tangent(points, strain):
    """J by fours, for the mass matrix, and J one by one, for tangents; M by both."""
    model = arm(points, strain)
    q, v, a = np.random.default_rng(points).standard_normal((3, model.n))
    M = model.mass_matrix(q)
    columns = scratch_of(model).columns[J_SUM].copy()
    assert relative_error(model.inverse_dynamics_derivatives(q, v, a)[3], M) < 1e-13
    assert relative_error(scratch_of(model).columns[J_SUM], columns) < 1e-13


@pytest.mark.parametrize("four", [four_points_t, four_operators_t])
def test_fields_follow_one_another_as_in_records(four):
    """They are gathered and scattered as if they were one array: R0 and p0 as R and p, further on without a gap."""
    names = [name for name in four.names if name in work_t.names]
    assert names == list(four.names)
    runs = [["R", "p"], ["V", "A"], ["h", "F", "M", "N"]] if four is four_points_t else [names]
    for run in runs:
        for before, after in pairwise(run):
            assert work_t.fields[after][1] == work_t.fields[before][1] + work_t.fields[before][0].itemsize
            assert four.fields[after][1] == four.fields[before][1] + four.fields[before][0].itemsize
        assert sum(four.fields[name][0].itemsize for name in run) % (8 * 4 * 4) == 0
    assert work_t.fields["p0"][1] == work_t.fields["R0"][1] + 72


def test_groups_follow_parameters():
    """What is laid out by fours is what stands in the records, and follows when these change."""
    model = arm(6, STRAINS[1])
    tree = model.workspace.arrays
    assert len(scratch_of(model).steps) == FOUR_STEPS * tree.groups[-1, 0]
    parameters = model.parameters._replace(phi=2.0 * model.parameters.phi)
    copy = tree._replace(phi_lanes=tree.phi_lanes.copy(), segment_lanes=tree.segment_lanes.copy())
    find_anew(copy, model.topology, parameters)
    np.testing.assert_array_equal(copy.phi_lanes, 2.0 * tree.phi_lanes)
    np.testing.assert_array_equal(copy.segment_lanes, by_fours(model.topology.blocks, model.parameters)[1])
