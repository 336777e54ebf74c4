"""Paths of equilibria: limit points of trusses, bifurcations, follower loads, loops, where paths begin and end."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp

DATA = Path(__file__).parents[2] / "data"
NONE = (0.0, 0.0, 0.0)
HALF, HEIGHT, STIFFNESS = 1.0, 0.4, 100.0
LENGTH = np.hypot(HALF, HEIGHT)


def growing(wrench):
    """In proportion to s, on both sides of zero."""
    return lambda s: s * np.array(wrench, dtype=float)


def push(z):
    """Load (downwards) at which a von Mises truss of two springs rests with its apex at height z."""
    return 2.0 * STIFFNESS * (LENGTH / np.hypot(HALF, z) - 1.0) * z


def limit_height():
    """Where the load is largest, l^3 = l0 a^2."""
    return np.sqrt((LENGTH * HALF**2) ** (2.0 / 3.0) - HALF**2)


def truss(joint, load):
    """The apex as a body on two springs."""
    robot = sp.Robot("truss", gravity=NONE)
    robot.add_link("apex", sp.Rigid(1.0, np.ones(3)), joint)
    for name, x in (("left", -HALF), ("right", HALF)):
        robot.add(
            sp.Spring(
                name, a=("world", 0.0, sp.pose((x, 0.0, 0.0))), b=("apex", 0.0), stiffness=STIFFNESS, rest_length=LENGTH
            )
        )
    robot.add(sp.PointWrench("apex", growing([0.0, 0.0, 0.0, 0.0, 0.0, -load])))
    return robot.compile()


def truss_of_links(load):
    """The same of four links and a loop: bars turn and give way along their length."""
    robot = sp.Robot("truss", gravity=NONE)
    for name, x, angle in (("left", -HALF, 0.0), ("right", HALF, np.pi)):
        at = sp.pose((x, 0.0, 0.0), rpy=(0.0, 0.0, angle))
        robot.add_link(f"{name}_hinge", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"), at=at)
        slider = sp.Prismatic("x", stiffness=STIFFNESS, rest=LENGTH)
        robot.add_link(name, sp.Rigid(1.0, np.ones(3)), slider, parent=f"{name}_hinge")
    back = sp.pose(rpy=(0.0, 0.0, np.pi))  # frames turn against each other about y alone
    robot.add(sp.Loop("apex", a=("left", sp.pose()), b=("right", back), joint=sp.Spherical()))
    robot.add(sp.PointWrench("left", growing([0.0, 0.0, 0.0, 0.0, 0.0, -load])))
    return robot.compile()


# ---------------------------------------------------------------------- limit points


def check_snap(path, heights, load):
    """Two limit points, the unstable piece between them, and the load of every point."""
    assert path.reached
    assert [point.kind for point in path.critical] == ["limit", "limit"]
    first, second = path.critical
    peak = push(limit_height()) / load
    assert first.s == pytest.approx(peak, rel=1e-8)
    assert second.s == pytest.approx(-peak, rel=1e-8)
    assert path.s == pytest.approx(push(heights) / load, abs=1e-9)
    inside = np.abs(heights) < limit_height()
    assert np.array_equal(path.stable, ~inside)
    assert np.array_equal(path.negative, inside.astype(int))
    assert inside[first.after + 1 : second.after + 1].all()


def test_a_truss_snaps_through():
    load = 1.3 * push(limit_height())
    model = truss(sp.Prismatic("z"), load)
    path = model.equilibrium_path(q0=[HEIGHT])
    check_snap(path, path.q[:, 0], load)
    assert path.q[0] == pytest.approx([HEIGHT])
    assert path.s[-1] == 1.0
    assert path.critical[0].q == pytest.approx([limit_height()], abs=1e-5)
    assert path.critical[0].direction == pytest.approx([1.0]) or path.critical[0].direction == pytest.approx([-1.0])
    assert len(path) < 80


def test_a_truss_with_a_loop_snaps_through():
    load = 1.3 * push(limit_height())
    model = truss_of_links(load)
    angle = np.arctan2(HEIGHT, HALF)
    path = model.equilibrium_path(q0=[-angle, LENGTH, -angle, LENGTH])
    heights = np.array([model.pose(q, "left")[2, 3] for q in path.q])
    assert heights[0] == pytest.approx(HEIGHT)
    check_snap(path, heights, load)
    zero = np.zeros(model.n)
    for q, lam, s in zip(path.q, path.multipliers, path.s, strict=True):
        assert np.abs(model.residual(q, zero, zero, lam=lam, t=s)).max() < 1e-9
        assert np.abs(model.loop_error(q)).max() < 1e-9


def test_a_path_through_a_limit_point_ends_where_statics_does():
    load = 1.3 * push(limit_height())
    model = truss(sp.Prismatic("z"), load)
    path = model.equilibrium_path(q0=[HEIGHT])
    assert model.statics(t=1.0, q0=path.q[-1]).q == pytest.approx(path.q[-1], abs=1e-9)


# ---------------------------------------------------------------------- bifurcations


def test_a_steep_truss_moves_aside_before_it_snaps():
    """An apex that can move sideways does so where its stiffness across, 2 k (1 - l0 z^2 / l^3), vanishes."""
    height = 3.0
    length = np.hypot(HALF, height)
    robot = sp.Robot("steep", gravity=NONE)
    robot.add_link("across", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("x"))
    robot.add_link("apex", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("z"), parent="across")
    for name, x in (("left", -HALF), ("right", HALF)):
        robot.add(
            sp.Spring(
                name, a=("world", 0.0, sp.pose((x, 0.0, 0.0))), b=("apex", 0.0), stiffness=STIFFNESS, rest_length=length
            )
        )

    def load(z):
        return 2.0 * STIFFNESS * (length / np.hypot(HALF, z) - 1.0) * z

    critical = brentq(lambda z: length * z**2 - np.hypot(HALF, z) ** 3, 1.8, height)
    robot.add(sp.PointWrench("apex", growing([0.0, 0.0, 0.0, 0.0, 0.0, -1.2 * load(critical)])))
    path = robot.compile().equilibrium_path(q0=[0.0, height], max_step=0.1)
    found = path.critical[0]
    assert found.kind == "bifurcation"
    assert found.s == pytest.approx(1.0 / 1.2, rel=1e-8)
    assert np.abs(found.direction) == pytest.approx([1.0, 0.0], abs=1e-6)
    assert path.stable[found.after]
    assert not path.stable[found.after + 1]


def column(order, points, *items):
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    robot = sp.Robot("column", gravity=NONE)
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_z=order), points=points))
    for item in items:
        robot.add(item)
    return robot.compile()


def test_a_column_buckles_in_its_first_shapes():
    """Loads (2 k - 1)^2 pi^2 / 4; curvature as cos((2 k - 1) pi s / 2)."""
    model = column(10, 40, sp.PointWrench("rod", growing([0.0, 0.0, 0.0, -70.0, 0.0, 0.0])))
    path = model.equilibrium_path(max_step=0.1)
    loads = 70.0 * np.array([point.s for point in path.critical])
    assert loads == pytest.approx(np.array([1.0, 9.0, 25.0]) * np.pi**2 / 4.0, rel=1e-4)
    assert path.negative[-1] == 3
    shape = path.critical[0].direction
    s = np.linspace(0.0, 1.0, 11)
    curvature = np.polynomial.legendre.legval(2.0 * s - 1.0, shape)
    assert curvature / curvature[0] == pytest.approx(np.cos(np.pi * s / 2.0), abs=1e-3)


def test_two_bifurcations_within_one_step_are_both_found():
    model = column(10, 40, sp.PointWrench("rod", growing([0.0, 0.0, 0.0, -70.0, 0.0, 0.0])))
    path = model.equilibrium_path(step=0.5, max_step=1.0)
    assert len(path) < 6
    assert [point.kind for point in path.critical] == ["bifurcation"] * 3
    loads = 70.0 * np.array([point.s for point in path.critical])
    assert loads == pytest.approx(np.array([1.0, 9.0, 25.0]) * np.pi**2 / 4.0, rel=1e-4)


# ---------------------------------------------------------------------- other loads


def test_follower_force():
    """The tip rolls in: benchmark S3 along one path, back and forth in x."""
    model = column(14, 60, sp.PointWrench("rod", growing([0.0, 0.0, 0.0, 0.0, 20.0, 0.0]), frame="local"))
    path = model.equilibrium_path()
    assert path.reached
    rows = np.loadtxt(DATA / "follower_tip_force.csv", delimiter=",", skiprows=1)
    for alpha, x, y, *_ in rows:
        found = path.at(alpha / 20.0)
        assert found.converged
        assert model.pose(found.q, "rod")[:2, 3] == pytest.approx([x, y], abs=2e-6)


def test_inputs_grow_along_the_path():
    robot = sp.Robot("arm")
    material = sp.Material(1e6, density=1000.0)
    rod = sp.Rod(0.4, sp.Circle(0.015), material, sp.Legendre(torsion=2, bend_y=3, bend_z=3, stretch=1), points=6)
    robot.add_link("arm", rod)
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.Tendon("side", {"arm": lambda X: (0.01, 0.0)}))
    model = robot.compile()
    path = model.equilibrium_path({"up": 12.0, "side": 5.0})
    assert path.reached
    assert path.inputs[-1] == pytest.approx([12.0, 5.0])
    assert path.q[0] == pytest.approx(model.statics().q, abs=1e-9)
    assert path.q[-1] == pytest.approx(model.statics([12.0, 5.0]).q, abs=1e-9)
    assert path.at(0.5).q == pytest.approx(model.statics([6.0, 2.5]).q, abs=1e-9)
    bent = model.equilibrium_path(lambda s: [12.0 * s, 5.0 * s * s], s=(0.2, 1.0))
    assert bent.q[0] == pytest.approx(model.statics([2.4, 0.2]).q, abs=1e-9)
    assert bent.q[-1] == pytest.approx(path.q[-1], abs=1e-9)
    back = model.equilibrium_path(lambda s: [12.0 * s, 5.0 * s], s=(1.0, 0.0))
    assert back.reached
    assert back.q[-1] == pytest.approx(path.q[0], abs=1e-9)


def test_a_prescribed_joint_moves_along_the_path():
    robot = sp.Robot("arm")
    material = sp.Material(1e6, density=1000.0)
    robot.add_link("base", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"))
    rod = sp.Rod(0.4, sp.Circle(0.01), material, sp.Legendre(bend_y=4), points=8)
    robot.add_link("arm", rod, parent="base")
    robot.add(sp.Prescribed("base", lambda t: (3.0 * t, 3.0, 0.0)))
    model = robot.compile()
    path = model.equilibrium_path()
    assert path.reached
    assert path.q[:, 0] == pytest.approx(3.0 * path.s)
    assert path.q[-1] == pytest.approx(model.statics(t=1.0, q0=path.q[-1]).q, abs=1e-9)


def test_a_path_on_which_laws_prescribe_everything():
    robot = sp.Robot("shaft")
    robot.add_link("base", sp.Rigid(1.0, np.ones(3), com=(0.1, 0.0, 0.0)), sp.Revolute("y"))
    robot.add(sp.Prescribed("base", lambda t: (3.0 * t, 3.0, 0.0)))
    path = robot.compile().equilibrium_path()
    assert path.reached
    assert path.q[:, 0] == pytest.approx(3.0 * path.s)
    assert path.at(0.5).efforts == pytest.approx([9.81 * 0.1 * -np.cos(1.5)])


# ---------------------------------------------------------------------- beginnings and ends


def test_stop():
    model = truss(sp.Prismatic("z"), 2.0 * push(limit_height()))
    path = model.equilibrium_path(q0=[HEIGHT], stop=lambda s, q: q[0] < 0.0)
    assert path.reached
    assert "stopped at s" in path.message
    assert path.q[-1, 0] < 0.0 < path.q[-2, 0]


def test_not_enough_points():
    model = truss(sp.Prismatic("z"), 2.0 * push(limit_height()))
    path = model.equilibrium_path(q0=[HEIGHT], max_points=5)
    assert len(path) == 5
    assert not path.reached
    assert path.message == "5 points were not enough"


def test_step_lengths():
    model = truss(sp.Prismatic("z"), 1.3 * push(limit_height()))
    path = model.equilibrium_path(q0=[HEIGHT], step=0.01, max_step=0.02)
    steps = np.hypot(np.diff(path.q[:, 0]), np.diff(path.s))
    assert steps[0] == pytest.approx(0.01, rel=0.1)
    assert steps.max() < 0.03


def test_a_path_without_a_beginning_is_refused():
    robot = sp.Robot("free")
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), sp.Free())
    with pytest.raises(sp.ConvergenceError, match=r"no beginning.*body\.z"):
        robot.compile().equilibrium_path()


@pytest.mark.parametrize("s", [(1.0, 1.0), (0.0, np.nan)])
def test_a_range_must_be_one(s):
    with pytest.raises(sp.ModelError, match="two different finite numbers"):
        truss(sp.Prismatic("z"), 1.0).equilibrium_path(s=s)


def test_a_place_beyond_the_path_is_refused():
    path = truss(sp.Prismatic("z"), 1.0).equilibrium_path(q0=[HEIGHT])
    with pytest.raises(sp.ModelError, match="goes from 0 to 1"):
        path.at(1.5)


def test_negative_tensions_on_the_way_are_refused():
    robot = sp.Robot("arm")
    material = sp.Material(1e6, density=1000.0)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle(0.015), material, sp.Legendre(bend_y=3), points=6))
    robot.add(sp.Tendon("up", {"arm": lambda X: (0.0, 0.01)}))
    with pytest.raises(sp.StateError, match="up"):
        robot.compile().equilibrium_path(lambda s: [1.0 - 2.0 * s + s * s * s], s=(0.0, 2.0))


def test_ctrl_c_keeps_the_points_so_far():
    """Whoever presses it: here `stop`, at the fourth point."""
    robot = sp.Robot("spring", gravity=(0.0, 0.0, 0.0))
    robot.add_link("bar", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("y", stiffness=1.0))
    robot.add(sp.PointWrench("bar", lambda s: [0.0, s, 0.0, 0.0, 0.0, 0.0]))
    model, seen = robot.compile(), []

    def press(s, q):
        seen.append(s)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return False

    with pytest.raises(sp.Interrupted, match="after 4 points, which are kept") as caught:
        model.equilibrium_path(s=(0.0, 1.0), stop=press, max_step=0.1)
    path = caught.value.result
    assert not path.reached
    assert "interrupted at s" in path.message
    assert path.s.tolist() == [0.0, *seen]
    assert path.q[:, 0] == pytest.approx(path.s)
    assert path.at(0.5 * path.s[-1]).converged
