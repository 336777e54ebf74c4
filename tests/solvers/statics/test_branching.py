"""Branches: pitchforks against the elastica and against trusses, transcritical points, with loops and contact."""

import pickle

import numpy as np
import pytest

import supple as sp
from equilibrium_cases import (
    EULER,
    apex_force,
    column,
    elastica,
    growing,
    inclined_bar,
    tip_angle,
    truss,
    truss_of_links,
)

DOWN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, -1.0])


def balanced(path):
    """Largest unbalanced force and loop error of all points."""
    model, zero = path.model, np.zeros(path.model.n)
    forces = [
        np.abs(model.residual(q, zero, zero, lam=lam, t=s)).max()
        for q, lam, s in zip(path.q, path.multipliers, path.s.tolist(), strict=True)
    ]
    errors = [np.abs(model.loop_error(q)).max(initial=0.0) for q in path.q]
    return max(forces), max(errors)


def test_a_buckled_column_is_the_elastica():
    """Both ways from the first Euler load, until the tip has turned by 3 radians."""
    model = column(growing([0.0, 0.0, 0.0, -70.0, 0.0, 0.0]), order=10, points=40)
    path = model.equilibrium_path(max_step=0.1)
    assert 70.0 * path.critical[0].s == pytest.approx(EULER, rel=1e-6)
    for sign, branch in zip((1.0, -1.0), path.branches(0), strict=True):
        angles = np.array([tip_angle(model, q) for q in branch.q])
        load, x, y, _ = elastica(np.abs(angles))
        shown = np.abs(angles) < 2.8
        assert shown.sum() > 15
        assert 70.0 * branch.s[shown] == pytest.approx(load[shown], rel=3e-5)
        tips = branch.tip("rod")
        assert tips[shown, 0] == pytest.approx(x[shown], abs=1e-5)
        assert tips[shown, 1] == pytest.approx(np.sign(angles[shown]) * y[shown], abs=1e-5)
        assert np.ptp(np.sign(angles[1:])) == 0.0
        assert sign * branch.q[1] @ path.branches(0, max_points=2)[0].q[1] > 0.0
        assert branch.stable[1:].all()
        assert branch.reached
        assert branch.q[0] == pytest.approx(np.zeros(model.n), abs=1e-9)


def test_higher_shapes_have_branches_too():
    model = column(growing([0.0, 0.0, 0.0, -30.0, 0.0, 0.0]))
    path = model.equilibrium_path(max_step=0.1)
    one, other = path.branches(path.critical[1])
    assert (one.negative[1:10] == 1).all()
    assert one.q[5] == pytest.approx(-other.q[5], abs=1e-8)
    assert balanced(one)[0] < 1e-8


@pytest.mark.parametrize("looped", [False, True])
def test_a_steep_truss_falls_sideways(looped):
    """A pitchfork backwards: the load falls along the branch, down to zero where a bar lies flat."""
    height, load = 3.0, 120.0
    if looped:
        model, angle = truss_of_links(height, growing(load * DOWN)), np.arctan2(height, 1.0)
        begin = [-angle, np.hypot(1.0, height)] * 2
    else:
        model, begin = truss(height, growing(load * DOWN), "x", "z"), [0.0, height]
    path = model.equilibrium_path(q0=begin, max_step=0.1)
    branches = path.branches(0, max_step=0.2)
    for branch in branches:
        places = branch.tip("left") if looped else branch.tip("z")
        across, down = apex_force(places[:, 0], places[:, 2], height)
        assert np.abs(across).max() < 1e-6
        assert down == pytest.approx(-load * branch.s, abs=1e-6)
        assert branch.s[-1] == 0.0
        assert abs(places[-1, 0]) == pytest.approx(np.sqrt(10.0))
        assert (branch.negative[1:] == 1).all()
        assert max(balanced(branch)) < 1e-7
    assert branches[0].q.shape[1] == model.n
    ends = [branch.tip("left" if looped else "z")[-1, 0] for branch in branches]
    assert sum(ends) == pytest.approx(0.0, abs=1e-8)


def test_a_transcritical_point():
    """The upright bar and the inclined one exchange stability where they cross: s rises one way, falls the other."""
    model = inclined_bar(10.0)
    path = model.equilibrium_path(max_step=0.1)
    assert [point.kind for point in path.critical] == ["bifurcation"]
    assert path.critical[0].s == pytest.approx(0.5, abs=1e-8)
    up, down = sorted(
        path.branches(0, s=(-1.0, 2.0), max_step=0.1, stop=lambda s, q: abs(q[0]) > 1.2), key=lambda b: -b.s[-1]
    )
    assert (np.diff(up.s) > 0.0).all()
    assert (np.diff(down.s) < 0.0).all()
    assert up.stable[1:].all()
    assert not down.stable[1:].any()
    for branch in (up, down):
        angle = branch.q[1:, 0]
        length = np.sqrt(2.0 - 2.0 * np.sin(angle))
        moment = 10.0 * (length - np.sqrt(2.0)) * -np.cos(angle) / length - 10.0 * branch.s[1:] * np.sin(angle)
        assert np.abs(moment).max() < 1e-9
    slope = (up.s[1] - up.s[0]) / (up.q[1, 0] - up.q[0, 0])
    assert slope == pytest.approx(0.375, rel=0.05)


def test_a_branch_that_meets_a_wall():
    wall = sp.Plane(normal=(0.0, -1.0, 0.0), height=-0.2)
    contact = sp.Contact("wall", a=sp.Spheres("rod", n=20, radius=0.0), b=wall, stiffness=1e4, exponent=1.5)
    model = column(growing([0.0, 0.0, 0.0, -6.0, 0.0, 0.0]), contact)
    path = model.equilibrium_path(max_step=0.1)
    touching, away = sorted(path.branches(0, max_step=0.1), key=lambda branch: -branch.tip("rod")[-1, 1])
    assert touching.reached
    assert touching.tip("rod")[-1, 1] == pytest.approx(0.2, abs=5e-3)
    assert touching.point(len(touching) - 1).contact("wall").force[:, 1].sum() < -0.1
    assert away.tip("rod")[-1, 1] < -0.7
    for branch in (touching, away):
        assert balanced(branch)[0] < 1e-8
        assert model.statics(t=1.0, q0=branch.q[-1]).q == pytest.approx(branch.q[-1], abs=1e-8)


def test_branches_are_paths_that_branch_again():
    """Two columns of slightly different stiffness beside each other: each buckles, then the other, too."""
    robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
    for name, stiff in (("soft", 1.0), ("stiff", 1.2)):
        section = sp.Section(stiff * np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
        robot.add_link(name, sp.Rod(1.0, section, strain=sp.Legendre(bend_z=4), points=8))
        robot.add(sp.PointWrench(name, growing([0.0, 0.0, 0.0, -3.5, 0.0, 0.0])))
    path = robot.compile().equilibrium_path(max_step=0.05)
    assert 3.5 * np.array([point.s for point in path.critical]) == pytest.approx([EULER, 1.2 * EULER], rel=1e-3)
    branch = path.branches(0, max_step=0.1)[0]
    assert [point.kind for point in branch.critical] == ["bifurcation"]
    assert 3.5 * branch.critical[0].s == pytest.approx(1.2 * EULER, rel=1e-3)
    again = branch.branches(0, max_step=0.1)[1]
    assert again.stable[1:].all()
    assert np.abs(again.tip("soft")[-1, 1]) > 0.1
    assert np.abs(again.tip("stiff")[-1, 1]) > 0.1
    middle = float(again.s[len(again) // 2])
    assert again.at(middle).converged


def test_paths_can_be_pickled():
    """With all that branches need, if laws can be pickled."""
    push = sp.laws.Ramp(np.zeros(6), np.array([0.0, 0.0, 0.0, -4.0, 0.0, 0.0]), 0.0, 1.0)
    path = pickle.loads(pickle.dumps(column(push, order=4).equilibrium_path(max_step=0.1)))
    assert path.branches(0, max_points=4)[0].stable[1:].all()
    ours = column(push, order=4).equilibrium_path(lambda s: [], max_step=0.1)
    theirs = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(theirs.q, ours.q)
    assert len(ours.branches(0, max_points=3)[0]) == 3
    with pytest.raises(sp.ModelError, match="this path was pickled"):
        theirs.branches(0)


# ---------------------------------------------------------------------- what is refused


def test_a_limit_point_has_no_branch():
    path = truss(0.4, growing(10.0 * DOWN), "z").equilibrium_path(q0=[0.4])
    with pytest.raises(sp.ModelError, match=r"limit point at s = .*no other path"):
        path.branches(0)


def test_two_modes_at_once_are_refused():
    """A round column buckles to all sides at the same load."""
    path = column(growing([0.0, 0.0, 0.0, -4.0, 0.0, 0.0]), bend_y=4, bend_z=4).equilibrium_path(max_step=0.1)
    with pytest.raises(sp.SingularError, match="2 directions give way at once"):
        path.branches(0)


def test_two_modes_of_a_soft_body_are_one_point_of_its_path():
    """Rounding parts its two eigenvalues, which are a millionth of that of stretch when they vanish."""
    robot = sp.Robot("soft", gravity=(0.0, 0.0, 0.0))
    rubber = sp.Material(young=1e6, poisson=0.3, density=1000.0)
    bends = sp.ConstantCurvature(1.0, stretch=True)
    robot.add_link("column", sp.SoftBody(bends, sp.Cylinder(1.0, 0.05), rubber, n=3))
    robot.add(sp.PointWrench("column", growing([0.0, 0.0, 0.0, -30.0, 0.0, 0.0])))
    path = robot.compile().equilibrium_path(max_step=0.05)
    assert path.negative[-1] == 2
    assert [point.kind for point in path.critical] == ["bifurcation"]
    with pytest.raises(sp.SingularError, match="2 directions give way at once"):
        path.branches(0)


@pytest.mark.parametrize("length", [1e-3, 100.0])
@pytest.mark.parametrize("strains", [{"bend_z": 4}, {"bend_z": 4, "stretch": 0, "shear_y": 1}])
def test_pinned_columns_of_all_sizes_buckle_to_both_sides(length, strains):
    """A loop holds the tip on the axis; forces, lengths and angles then differ by many powers of ten."""
    width, rubber = 0.02 * length, sp.Material(young=1e5, poisson=0.4, density=1000.0)
    rod = sp.Rod(length, sp.Circle(0.5 * width), rubber, sp.Legendre(**strains), points=12)
    robot = sp.Robot("pinned", gravity=(0.0, 0.0, 0.0))
    robot.add_link("rod", rod, sp.Revolute("z"))
    robot.add_link("slider", sp.Rigid(1e-2, 1e-5 * np.ones(3)), sp.Prismatic("x"), at=sp.pose((length, 0.0, 0.0)))
    robot.add(sp.Loop("pin", ("rod", sp.pose()), ("slider", sp.pose()), sp.Revolute("z")))
    load = np.pi**2 * 1e5 * np.pi * (0.5 * width) ** 4 / 4.0 / length**2
    robot.add(sp.PointWrench("slider", growing([0.0, 0.0, 0.0, -2.0 * load, 0.0, 0.0])))
    path = robot.compile().equilibrium_path(max_step=0.1)
    assert path.critical[0].s == pytest.approx(0.5, rel=5e-3)
    left, right = (branch.pose("rod", 0.5)[:, 1, 3] for branch in path.branches(0))
    assert left[-1] == pytest.approx(-right[-1], rel=1e-6)
    assert abs(left[-1]) > 0.3 * length


def test_points_that_are_not_there():
    path = column(growing([0.0, 0.0, 0.0, -4.0, 0.0, 0.0]), order=4).equilibrium_path(max_step=0.1)
    with pytest.raises(sp.ModelError, match="at is 1, must be"):
        path.branches(1)
    with pytest.raises(sp.ModelError, match="not one of path"):
        path.branches(path.critical[0]._replace(s=0.3))
    with pytest.raises(sp.ModelError, match="give a range around it"):
        path.branches(0, s=(0.0, 0.2))
    with pytest.raises(sp.ModelError, match="step is -1"):
        path.branches(0, step=-1.0)
    straight = column(growing([0.0, 0.0, 0.0, -1.0, 0.0, 0.0]), order=4).equilibrium_path(max_step=0.5)
    with pytest.raises(sp.ModelError, match="no critical points"):
        straight.branches(0)


def test_interruption_keeps_both_ways():
    def interrupt(s, q):
        if tip_angle(path.model, q) < -0.5:
            raise KeyboardInterrupt
        return False

    path = column(growing([0.0, 0.0, 0.0, -4.0, 0.0, 0.0]), order=4).equilibrium_path(max_step=0.1)
    with pytest.raises(sp.Interrupted) as caught:
        path.branches(0, stop=interrupt)
    assert 1 <= len(caught.value.result) <= 2
    assert not caught.value.result[-1].reached
