"""Scenes as pieces in space: the same shapes that pictures show."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from helpers import make_case
from load_kinds import KINDS, add_kinds
from supple.robot.bodies.looks import RodLook
from supple.studio import lofts
from supple.studio.stage import Stage
from supple.viz.style import TENSION
from supple.viz.view import Posed, State


def state_of(model, rng=None, u=None):
    q = np.array(model.assemble() if model.loops else model.rest)
    if rng is not None and not model.loops:
        q = q + 0.2 * rng.normal(size=model.n)
    return State(q, np.zeros(model.n), np.zeros(model.nu) if u is None else np.asarray(u, dtype=float), 0.0)


@pytest.fixture(scope="module")
def arm():
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    robot = sp.Robot("arm")
    robot.add_link("tube", sp.Rod(0.3, sp.Annulus(0.02, 0.01), silicone, sp.Legendre(bend_y=1, bend_z=1)))
    robot.add_link("arm", sp.Rod(0.4, sp.Circle((0.02, 0.01)), silicone, sp.Legendre(bend_y=2)), parent="tube")
    robot.add_link("hand", sp.Rigid.box((0.05, 0.1, 0.1), density=500.0), joint=sp.Revolute("z"), parent="arm")
    robot.add(sp.Tendon("pull", {"tube": lambda X: (0.012, 0.0), "arm": lambda X: (0.008, 0.0)}))
    robot.add(sp.PointWrench("hand", np.array([0.0, 0.0, 1.0, 0.0, 3.0, 0.0])))
    return robot.compile()


def test_skins_of_rods_are_where_pictures_have_them(arm):
    rng = np.random.default_rng(3)
    stage = Stage(arm, [state_of(arm)])
    state = state_of(arm, rng)
    places = dict(zip([piece.name for piece in stage.pieces], stage.at(state), strict=True))
    pieces = {piece.name: piece for piece in stage.pieces}
    seen = 0
    for part, frames in Posed(arm, stage.view.scene, state.q).parts:
        if isinstance(part, RodLook):
            name = f"links/{part.link}"
            assert_allclose(pieces[name].world(places[name]), part.skin(frames)[pieces[name].source], atol=1e-15)
            seen += 1
    assert seen == 2
    pose = arm.pose(state.q, "hand", 0.0)
    assert_allclose(places["links/hand"].frames[0], pose, atol=1e-15)


def ball_above(shape):
    """A ball of 10 cm that falls from a metre above what is below it."""
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.sphere(0.05, density=500.0), joint=sp.Free(), at=sp.pose((0.0, 0.0, 1.0)))
    robot.add(sp.Contact("floor", sp.Ball(0.05, link="ball"), shape, 1e4))
    return robot.compile()


@pytest.mark.parametrize(("shape", "height"), [
    (sp.Plane(), 0.0), (sp.Box((4.0, 4.0, 0.2), pose=sp.pose((0.0, 0.0, -0.1))), -0.2),
])  # fmt: skip
def test_a_robot_above_the_ground_is_shown_with_it(shape, height):
    """Live, nobody knows how far it goes: the ground has no end, and is where contacts have it."""
    model = ball_above(shape)
    stage = Stage(model, [state_of(model)])
    assert stage.ground == pytest.approx(height, abs=1e-3)
    assert stage.around[:, 2].min() == pytest.approx(height)
    assert np.abs(stage.around[:, :2]).max() < 0.5  # as much of it as is near
    assert [piece.name for piece in stage.pieces if piece.layer == "contacts"] == ["contacts/ball", "contacts/world"]


def test_a_ground_far_below_does_not_make_the_robot_small():
    stage = Stage(model := ball_above(sp.Plane(height=-1e4)), [state_of(model)])
    assert stage.around[:, 2].min() > -10.0


def test_lines_are_coloured_by_tension_and_run_through_their_points(arm):
    stage = Stage(arm, [state_of(arm)])
    number = next(k for k, piece in enumerate(stage.pieces) if piece.layer == "lines")
    stage.most["tension"] = 10.0
    slack, half, more = (stage.at(state_of(arm, u=[x]))[number].colour for x in (0.0, 5.0, 20.0))
    assert_allclose(slack, TENSION(0.0))
    assert_allclose(half, TENSION(0.5))
    assert_allclose(more, TENSION(1.0))
    assert stage.most["tension"] == pytest.approx(20.0)  # the scale grew
    strand = next(part for part in stage.view.scene.marks if hasattr(part, "kind"))
    state = state_of(arm, np.random.default_rng(4))
    frames = stage.at(state)[number].frames
    expected = arm.poses(state.q, [(p.link, p.s) for p in strand.places]) @ np.array([p.offset for p in strand.places])
    assert_allclose(frames[:, :3, 3], expected[:, :3, 3], atol=1e-14)
    along = np.diff(frames[:, :3, 3], axis=0)
    assert np.all(np.einsum("ij,ij->i", along, frames[:-1, :3, 0]) >= 0.0)


def test_arrows_follow_their_wrenches(arm):
    stage = Stage(arm, [state_of(arm)])
    state = state_of(arm, np.random.default_rng(5))
    push, turn = (p for piece, p in zip(stage.pieces, stage.at(state), strict=True) if piece.layer == "loads")
    assert push.visible
    assert turn.visible
    origin = arm.pose(state.q, "hand", 1.0)[:3, 3]
    tip = push.frames[-1, :3, 3] - push.frames[0, :3, 3]
    assert_allclose(push.frames[0, :3, 3], origin, atol=1e-14)
    assert_allclose(tip / np.linalg.norm(tip), [0.0, 1.0, 0.0], atol=1e-12)
    reach = np.linalg.norm(turn.frames[:, :3, 3] - origin, axis=1)
    assert_allclose(reach, reach[0])
    assert_allclose((turn.frames[:, :3, 3] - origin) @ [0.0, 0.0, 1.0], 0.0, atol=1e-12)


def test_frames_along_a_line_are_rotations_and_turn_little():
    rng = np.random.default_rng(6)
    line = np.tile(np.eye(4), (40, 1, 1))
    line[:, :3, 3] = np.cumsum(0.7 * rng.normal(size=(40, 3)) + [3.0, 0.0, 0.0], axis=0)
    line[::2, :3, :3] = np.diag([1.0, -1.0, -1.0])  # frames that jump: y is carried along the line instead
    found = lofts.line_frames(line)
    gram = np.einsum("nji,njk->nik", found[:, :3, :3], found[:, :3, :3])
    assert_allclose(gram, np.tile(np.eye(3), (40, 1, 1)), atol=1e-12)
    assert_allclose(np.linalg.det(found[:, :3, :3]), 1.0)
    assert np.all(np.einsum("ij,ij->i", found[1:, :3, 1], found[:-1, :3, 1]) > 0.5)


def test_lines_that_wind_are_framed_without_a_turn_about_themselves():
    """Of a circle in a plane the axis stays normal to it; of a line that turns back all frames stay rotations."""
    angle = np.linspace(0.0, 4.0 * np.pi, 201)
    circle, back = np.tile(np.eye(4), (2, 201, 1, 1))
    circle[:, :3, 3] = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(201)])  # y is along it now and then
    back[:, 1, 3] = 1.0 - np.abs(np.linspace(-1.0, 1.0, 201))
    found = lofts.line_frames(np.array([circle, back]))
    along = found[0, :, :3, 1] @ [0.0, 0.0, 1.0]
    assert_allclose(along, along[0], atol=1e-12)
    gram = np.einsum("lnji,lnjk->lnik", found[..., :3, :3], found[..., :3, :3])
    assert_allclose(gram, np.tile(np.eye(3), (2, 201, 1, 1)), atol=1e-12)
    for one, line in zip(found, (circle, back), strict=True):  # many at once as each by itself
        assert_allclose(one, lofts.line_frames(line), atol=1e-14)


def test_soft_bodies_have_vertices_of_their_own():
    rng = np.random.default_rng(7)
    silicone = sp.Material(young=1e5, poisson=0.5, density=1000.0)
    body = sp.SoftBody(sp.VolumePreserving([sp.Stretch(lambda s: 1.0 + s)]), sp.Cylinder(0.1, 0.02), silicone)
    robot = sp.Robot("soft")
    robot.add_link("body", body)
    model = robot.compile()
    stage = Stage(model, [state_of(model)])
    piece = next(piece for piece in stage.pieces if piece.free)
    k = stage.pieces.index(piece)
    still, moved = (stage.at(State(model.rest + x, None, None, 0.0))[k] for x in (0.0, 0.3 * rng.normal(size=model.n)))
    assert still.vertices.shape == piece.vertices.shape
    assert np.abs(still.vertices - moved.vertices).max() > 1e-5


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # random laws without tangents
@pytest.mark.parametrize("seed", range(12))
def test_random_robots_with_all_kinds_of_loads_are_shown(seed):
    rng = np.random.default_rng(900 + seed)
    robot = make_case(900 + seed, soft=0.2, splines=0.2).robot
    kinds = rng.choice(sorted(KINDS), 8, replace=False)
    model = add_kinds(rng, robot, kinds).compile()
    stage = Stage(model, [state_of(model)])
    names = [piece.name for piece in stage.pieces]
    assert len(set(names)) == len(names)
    state = state_of(model, None, rng.uniform(size=model.nu))
    for piece, placed in zip(stage.pieces, stage.at(state), strict=True):
        world = piece.world(placed)
        assert world.shape == piece.vertices.shape
        assert np.all(np.isfinite(world))
        assert piece.faces.max() < len(world)
        assert len(placed.frames) == piece.frames
