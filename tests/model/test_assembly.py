"""Closing loops: from near, from singular places, with prescribed joints held, and loops that cannot be closed."""

import numpy as np
import pytest

import supple as sp
from supple.model.assembly import assemble, assemble_anywhere, closing, loop_turns, recentred
from supple.model.constraints import Rows

BAR = sp.Rigid.cylinder(1.0, 0.02, density=1000.0)


def triangle(base, prescribed=False):
    """Two bars from the origin that meet the world at (base, 0, 0)."""
    robot = sp.Robot("triangle")
    robot.add_link("a", BAR, sp.Revolute("y"))
    robot.add_link("b", BAR, sp.Revolute("y"), parent="a")
    robot.add_link("c", BAR, sp.Revolute("y"), parent="b")
    robot.add(sp.Loop("pin", ("c", sp.pose()), ("world", sp.pose((base, 0.0, 0.0))), sp.Revolute("y")))
    if prescribed:
        robot.add(sp.Prescribed("a", lambda t: (-0.8 + t, 1.0, 0.0)))
    return robot


def test_loops_are_closed_near_the_start():
    model = triangle(1.0).compile()
    q = assemble(model, np.array([-1.2, 1.0, 1.1]), model.loops, model.fixed_coordinates)
    assert np.abs(model.loop_error(q)).max() < 1e-9
    assert np.abs(q - [-1.2, 1.0, 1.1]).max() < 0.7


def test_all_bars_on_one_line_are_no_obstacle():
    model = triangle(1.0).compile()
    q = assemble(model, np.zeros(3), model.loops, model.fixed_coordinates)
    assert np.linalg.norm(model.tip(q, "c") - [1.0, 0.0, 0.0]) < 1e-9


def test_prescribed_joints_stay():
    model = triangle(1.0, prescribed=True).compile()
    q = assemble_anywhere(model, model.loops, model.fixed_coordinates)
    assert q[0] == -0.8
    assert np.abs(model.loop_error(q)).max() < 1e-9


def test_a_loop_that_cannot_be_closed_is_named():
    with pytest.raises(sp.ConvergenceError, match=r"Loop 'pin' cannot be closed: an error of .* is left"):
        triangle(3.5).compile()


def test_frames_turned_by_half_a_turn_are_measured_from_where_they_are():
    robot = sp.Robot("turned")
    robot.add_link("a", BAR, sp.Spherical())
    robot.add_link("b", BAR, sp.Spherical(), parent="a")
    robot.add(sp.Loop("ball", ("b", sp.pose()), ("world", sp.pose((1.0, 0.0, 0.0))), sp.Spherical()))
    model = robot.compile()
    q = model.assemble()
    everything = Rows([0, 1, 2], [])
    (before,), (after,) = model.loops, recentred(model.loops, loop_turns(model, q, model.loops, everything))
    turned = model.pose(q, "b")[:3, :3]
    angle = np.arccos(np.clip(0.5 * (np.trace(turned) - 1.0), -1.0, 1.0))
    assert (before is after) == (angle <= 0.75 * np.pi)
    assert np.abs(model.loop_error(q)).max() < 1e-9


@pytest.mark.filterwarnings("ignore:.*constraint rows follow from others:supple.ModelWarning")
@pytest.mark.parametrize("seed", [8, 12, 13])
def test_a_planar_loop_with_frames_out_of_its_plane_is_closed_wherever_it_says_so(seed):
    """Of three rows of a ball joint two are left; they used to vanish with the loop open, too, from these starts."""
    rng = np.random.default_rng(seed)
    place, joint = sp.pose((0.5, 0.0, -0.4), rng.uniform(-3.0, 3.0, 3)), sp.Spherical()
    robot = sp.Robot("bars")
    for name, parent in (("a", "world"), ("b", "a"), ("c", "b")):
        robot.add_link(name, sp.Rigid.cylinder(0.4, 0.01, density=1000.0), sp.Revolute("y"), parent=parent)
    robot.add(sp.Loop("ball", ("c", sp.pose()), ("world", place), joint))
    model = robot.compile()
    for _ in range(40):
        q = model.assemble(rng.uniform(-2.0, 2.0, 3))
        assert np.linalg.norm(model.tip(q, "c") - place[:3, 3]) < 1e-9


def test_what_is_left_open_does_not_jump_with_the_number_of_steps():
    model = triangle(2.99).compile()
    starts = np.array([0.2, -0.3, 0.1]) + np.linspace(0.0, 0.5, 60)[:, None] * [1.0, 0.5, -1.0]
    found = [closing(model, start, model.loops, model.fixed_coordinates) for start in starts]
    assert len({len(steps) for _, steps in found}) > 1
    assert max(np.abs(model.loop_error(q)).max() for q, _ in found) < 3e-15


def test_a_robot_that_is_closed_stays():
    model = triangle(1.0).compile()
    q = model.assemble(np.array([-1.2, 1.0, 1.1])) + 1e-12
    again, steps = closing(model, q, model.loops, model.fixed_coordinates)
    assert np.array_equal(again, q)
    assert steps == ()
