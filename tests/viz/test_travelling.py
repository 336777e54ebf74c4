"""Robots that travel: frames follow them, paths are smooth, nothing holds them to the world."""

import numpy as np
import pytest

import supple as sp
from supple.viz.camera import Camera
from supple.viz.display import new_figure
from supple.viz.motion import even_times, states_at, traces
from supple.viz.series import series_panels
from supple.viz.style import Style
from supple.viz.view import View


def sliding(joint, velocity):
    """A box that slides for a second, without weight."""
    robot = sp.Robot("box", gravity=(0.0, 0.0, 0.0))
    robot.add_link("box", sp.Rigid.box((0.2, 0.1, 0.1), density=100.0), joint=joint)
    return robot.compile().simulate([0.0, 0.5, 1.0], v0=velocity)


@pytest.fixture(scope="module")
def far():
    return sliding(sp.Translational(), [3.0, 1.0, 0.0])


def views(motion, **options):
    style, states = Style.of(options), states_at(motion, even_times(motion, 4))
    whole = View.of(motion.model, style, states)
    return whole, whole.following(motion.model, style, states)


def test_frames_follow_a_robot_that_travels_far(far):
    whole, followed = views(far)
    sizes = {(round(own.window.width, 9), round(own.window.height, 9)) for own in followed}
    assert len(sizes) == 1  # one scale
    assert followed[0].window.width < 0.3 * whole.window.width
    shift = followed[-1].window.left - followed[0].window.left
    assert shift == pytest.approx(np.ptp(whole.camera.project(far.tip("box", 0.0)), axis=0)[0], rel=1e-6)


def test_frames_stand_still_if_asked_or_near(far):
    whole, followed = views(far, follow=False)
    assert all(own is whole for own in followed)
    near = sliding(sp.Translational(), [0.1, 0.0, 0.0])
    whole, followed = views(near)
    assert all(own is whole for own in followed)
    assert views(near, follow=True)[1][0] is not whole


def test_paths_are_finer_than_output_times(far):
    times, points = traces(far, [("box", 0.0)])
    assert len(times) >= 400
    assert points.shape == (len(times), 1, 3)
    np.testing.assert_allclose(points[:, 0], np.outer(times, [3.0, 1.0, 0.0]), atol=1e-9)


@pytest.mark.parametrize(
    ("joint", "held"),
    [(sp.Revolute("y"), True), (sp.Prismatic("x"), True), (sp.Planar("z"), False), (sp.Free(), False)],
)
def test_only_what_holds_a_place_is_anchored(joint, held):
    robot = sp.Robot("box")
    robot.add_link("box", sp.Rigid.box((0.2, 0.1, 0.1), density=100.0), joint=joint)
    look = next(part for part in robot.compile().scene.parts if type(part).__name__ == "JointLook")
    assert look.grounded == held


def test_a_flat_motion_without_weight_is_seen_from_the_front():
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.01], [1.0, 1.0, 0.0]])
    np.testing.assert_allclose(Camera.choose(Style(), points, np.zeros(3)).toward, [0.0, 0.0, 1.0], atol=1e-12)
    assert Camera.choose(Style(), points, np.array([0.0, 0.0, -9.81])).toward[2] < 0.9  # so that the ground is seen


def test_coordinates_that_do_not_move_have_no_panel(far):
    panels = series_panels(new_figure((4, 4), 50), far, [("box", 0.0)], (0.1, 0.1, 0.8, 0.8))
    assert [ax.get_ylabel() for ax in panels] == ["x [m]", "y [m]", "energy [J]"]


def test_energies_add_up():
    robot = sp.Robot("pendulum")
    bob = sp.Rigid.box((0.2, 0.1, 0.1), density=100.0, tip=sp.pose((0.1, 0, 0)))
    robot.add_link("bob", bob, joint=sp.Revolute("y"), at=sp.pose((0.3, 0, 0)))
    robot.add(sp.Spring("s", a=("bob", 1.0), b=("world", 0.0), stiffness=5.0, rest_length=0.0))
    from supple.viz import energy

    motion = robot.compile().simulate([0.0, 0.1, 0.2])
    lines = {line.get_label(): line.get_ydata() for line in energy(motion).axes[0].get_lines()}
    parts = [lines[name] for name in ("kinetic", "elastic", "springs", "gravitational")]
    np.testing.assert_allclose(lines["total"], sum(parts), atol=1e-12)
    assert lines["springs"][0] > 0.0
