"""How finely rods are drawn: round where they turn, cheap where they do not, alike over the frames of a motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.robot.bodies.looks import ALONG
from supple.viz.sections import IN_A_FRAME, TURN, fine_scene
from supple.viz.style import Style
from supple.viz.view import Posed, State, View

SILICONE = sp.Material(young=1e6, density=1000.0)


def helix(turns, radius=0.03, pitch=0.02):
    """A rod that is a helix of so many coils at rest, with a tendon in it."""
    c = pitch / (2.0 * np.pi)
    bend, twist = radius / (radius**2 + c**2), c / (radius**2 + c**2)
    length = turns * 2.0 * np.pi * np.hypot(radius, c)
    strain = sp.Legendre(torsion=0, bend_y=0, bend_z=0)
    rod = sp.Rod(length, sp.Circle(0.002), SILICONE, strain, points=300, rest_strain=(twist, 0, bend, 1, 0, 0))
    robot = sp.Robot("coils")
    robot.add_link("h", rod)
    robot.add(sp.Tendon("t", {"h": lambda X: (0.001, 0.0)}))
    return robot.compile()


@pytest.fixture(scope="module")
def arm():
    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle((0.03, 0.01)), SILICONE, sp.Legendre(bend_y=3), points=6))
    return robot.compile()


def turns_between(frames):
    """Angles of the rotations from one frame (M, 4, 4) to the next."""
    relative = np.einsum("kji,kjl->kil", frames[:-1, :3, :3], frames[1:, :3, :3])
    return np.arccos(np.clip((np.trace(relative, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0))


def test_a_helix_of_ten_coils_is_round():
    model = helix(10)
    scene = fine_scene(model, [model.rest])
    (look, frames), *_, (line, points) = Posed(model, scene, model.rest).parts
    assert turns_between(frames).max() <= TURN * 1.001
    # chords of a circle of 30 mm stay within a hundredth of it
    middle = 0.5 * (frames[:-1, :3, 3] + frames[1:, :3, 3])
    exact = model.poses(model.rest, [("h", s) for s in 0.5 * (look.s[:-1] + look.s[1:])])[:, :3, 3]
    assert np.linalg.norm(middle - exact, axis=1).max() < 0.01 * 0.03
    # the tendon follows it, within the section
    assert line.name == "t"
    axis = model.poses(model.rest, [(place.link, place.s) for place in line.places])[:, :3, 3]
    assert_allclose(np.linalg.norm(points[:, :3, 3] - axis, axis=1), 0.001)
    assert np.linalg.norm(np.diff(points[:, :3, 3], axis=0), axis=1).max() < 1.5 * TURN * 0.03


def test_straight_rods_are_drawn_as_they_were(arm):
    assert fine_scene(arm, [arm.rest]) is arm.scene
    assert len(arm.scene.rods[0].s) == ALONG


def test_only_the_part_that_turns_is_drawn_finely(arm):
    bent = np.array([6.0, 6.0, 0.0, 0.0])  # straight at the base, curled at the tip
    (look,) = fine_scene(arm, [bent]).rods
    assert ALONG < len(look.s) < 3 * ALONG
    assert np.diff(look.s)[0] == pytest.approx(1.0 / (ALONG - 1))
    assert np.diff(look.s)[-1] < 0.5 / (ALONG - 1)
    assert set(arm.scene.rods[0].s) <= set(look.s)
    assert_allclose(look.radius, 0.03 - 0.02 * look.s, rtol=1e-12)  # the taper goes on between stations
    frames = arm.poses(bent, [("arm", s) for s in look.s])
    assert turns_between(frames).max() <= TURN * 1.001


def test_frames_of_a_motion_share_their_sections(arm):
    states = [State(x * np.array([6.0, 6.0, 0.0, 0.0])) for x in (0.0, 0.5, 1.0)]
    view = View.of(arm, Style(), states)
    assert all(own.scene is view.scene for own in view.following(arm, Style(), states))
    assert len(view.scene.rods[0].s) == len(fine_scene(arm, [states[-1].q]).rods[0].s)


@pytest.mark.parametrize("size", [1e3, 1e9, 1e160, 1e300])
def test_sections_are_bounded_however_much_a_rod_turns(arm, size):
    many = fine_scene(arm, [np.full(arm.n, size)]).rods[0].s
    few = fine_scene(arm, [np.full(arm.n, size)], IN_A_FRAME).rods[0].s
    assert len(few) <= IN_A_FRAME + 1 < len(many) <= 64 * ALONG


def test_many_rods_share_the_budget():
    robot = sp.Robot("bundle")
    for k in range(20):
        rod = sp.Rod(1.0, sp.Circle(0.01), SILICONE, sp.Legendre(bend_y=0), points=4)
        robot.add_link(f"rod {k}", rod, at=sp.pose((0.0, 0.1 * k, 0.0)))
    model = robot.compile()
    curled = fine_scene(model, [np.full(model.n, 20.0 * np.pi)], 3000)
    assert 20 * ALONG < sum(len(rod.s) for rod in curled.rods) <= 3020


def test_a_state_that_is_not_finite_is_named(arm):
    with pytest.raises(sp.StateError):
        arm.plot(np.full(arm.n, np.nan))


def test_a_later_state_on_an_earlier_stage_has_its_own_sections(arm):
    from matplotlib.figure import Figure

    from supple import viz

    axes = [Figure(figsize=(4, 3)).add_axes((0, 0, 1, 1)) for _ in range(2)]
    first = viz.draw(arm, None, axes[0])
    second = viz.draw(arm, [6.0, 6.0, 0.0, 0.0], axes[1], like=first)
    assert len(second.scene.rods[0].s) > len(first.scene.rods[0].s)
    assert second.camera is first.camera
