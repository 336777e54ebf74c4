"""Links become blocks: kinds, parents, who moves with whom."""

import numpy as np
import pytest

import supple as sp
from supple.compilation.drafting import Announced, draft_link, relate
from supple.core.records import EXPONENTIAL, ROD, SCREW

MATERIAL = sp.Material(young=1e5, density=1000.0)
ROD_BODY = sp.Rod(0.5, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=1), points=3)
BALL = sp.Rigid.sphere(0.1, density=100.0)


def drafted(robot, always=()):
    """Layouts by name and drafts, the given stations being announced on every link."""
    drafts, layouts, start = [], {}, 0
    for link in robot.links:
        layouts[link.name] = draft_link(link, start, layouts, Announced(set(always), set()), drafts)
        start = layouts[link.name].coordinates.stop
    relate(drafts)
    return layouts, drafts


def test_every_factor_of_a_joint_and_every_rod_is_a_block():
    robot = sp.Robot()
    robot.add_link("a", BALL, sp.Universal("x", "y"))
    robot.add_link("b", ROD_BODY, sp.Free(), parent="a")
    robot.add_link("c", BALL, parent="b")
    layouts, drafts = drafted(robot)
    assert [draft.chain.kind for draft in drafts] == [SCREW, SCREW, EXPONENTIAL, ROD, SCREW]
    assert [draft.n for draft in drafts] == [1, 1, 6, 2, 0]
    assert layouts["b"].blocks == (2, 3)
    assert layouts["b"].joint_coordinates == range(2, 8)
    assert layouts["b"].body_coordinates == range(8, 10)
    assert drafts[3].strained
    assert not drafts[2].strained
    assert [draft.ancestors for draft in drafts] == [[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]
    assert drafts[0].descendants == [1, 2, 3, 4]


def test_the_body_of_a_rigid_link_sits_on_its_last_joint_block():
    robot = sp.Robot()
    robot.add_link("a", BALL, sp.Universal("x", "y"))
    _, drafts = drafted(robot)
    assert not drafts[0].chain.segments["inertia"].any()
    assert np.array_equal(drafts[1].chain.segments["inertia"][0], BALL.spatial_inertia())


def test_a_leaf_rod_leaves_out_its_tip_unless_something_is_there():
    robot = sp.Robot()
    robot.add_link("rod", ROD_BODY)
    (draft,) = drafted(robot)[1]
    assert (draft.count, draft.active) == (4, 3)
    (loaded,) = drafted(robot, {1.0})[1]
    assert (loaded.count, loaded.active) == (4, 4)
    robot.add_link("child", BALL, parent="rod")
    assert drafted(robot)[1][0].active == 4


def test_a_link_before_the_tip_is_grafted():
    robot = sp.Robot()
    robot.add_link("rod", ROD_BODY)
    robot.add_link("disc", BALL, sp.Revolute("y"), parent=("rod", 0.4))
    layouts, drafts = drafted(robot, {0.4})
    assert layouts["rod"].between == {0.4: 4}
    assert drafts[1].grafts == {0: 4}
    assert drafts[1].ancestors == []
    assert drafts[0].parents[3] == 1  # from the first node, at s = 0.11


@pytest.mark.parametrize(("joint", "kind"), [(sp.Cylindrical("x"), SCREW), (sp.Planar("z"), EXPONENTIAL)])
def test_screws_that_commute_are_told_from_others(joint, kind):
    robot = sp.Robot()
    robot.add_link("a", BALL, joint)
    assert drafted(robot)[1][0].chain.kind == kind
