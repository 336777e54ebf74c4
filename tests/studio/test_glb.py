"""glTF files hold the robot where it is."""

import numpy as np
import pytest
from gltf_reader import Glb
from numpy.testing import assert_allclose

import supple as sp
from helpers import make_case
from load_kinds import KINDS, add_kinds
from supple.studio.film import Film, film_of
from supple.studio.glb import MORPH_ERROR, linear, write_glb
from supple.studio.stage import Stage
from supple.viz.camera import level_axes
from supple.viz.view import State


def turn_of(film):
    first, second, upward = level_axes(film.stage.view.camera.vertical)
    return np.array([second, upward, first])


def check(film, tolerance=2e-6):
    """Every mesh of the file, at every time of the film and between, is where its piece is."""
    glb = Glb(write_glb(film))
    turn, size = turn_of(film), film.stage.size
    for k in {0, len(film.times) // 2, len(film.times) - 1}:
        meshes, colours = glb.posed(np.float32(film.times[k]))
        assert set(meshes) == {piece.name for piece, _ in film.tracks}
        for piece, places in film.tracks:
            if not places[k].visible:
                assert np.ptp(meshes[piece.name], axis=0).max() == 0.0
                continue
            error = np.abs(meshes[piece.name] - piece.world(places[k]) @ turn.T).max()
            assert error < (tolerance if not piece.free else 2.0 * MORPH_ERROR) * max(size, 1.0), piece.name
            shade = piece.colour if places[k].colour is None else places[k].colour
            assert_allclose(colours[piece.name][:3], linear(shade), atol=1e-3)
    return glb


def test_a_motion_is_in_the_file_as_it_was(motion):
    film = film_of(motion, fps=40.0)
    assert len(film.times) == 13
    glb = check(film)
    # between two pictures the robot is between them, not elsewhere
    middle = 0.5 * (film.times[3] + film.times[4])
    before, half, after = (glb.posed(t)[0]["links/arm"] for t in (film.times[3], middle, film.times[4]))
    assert_allclose(half, 0.5 * (before + after), atol=1e-4)


def test_gravity_points_down_along_y(motion):
    up = turn_of(film_of(motion)) @ [0.0, 0.0, 1.0]
    assert_allclose(up, [0.0, 1.0, 0.0], atol=1e-15)
    assert np.linalg.det(turn_of(film_of(motion))) == pytest.approx(1.0)


def test_skins_are_small(motion):
    """Seven numbers per section and picture, not three per vertex."""
    short, long = (len(write_glb(film_of(motion, fps=fps))) for fps in (10.0, 400.0))
    frames = len(film_of(motion, fps=400.0).times) - len(film_of(motion, fps=10.0).times)
    sections = sum(piece.frames for piece, _ in film_of(motion).tracks)
    assert (long - short) / frames < 1.2 * 28 * sections


def test_soft_bodies_are_morphed():
    silicone = sp.Material(young=2e3, poisson=0.5, density=1000.0, viscosity=50.0)
    kinematics = sp.VolumePreserving([sp.Stretch(lambda s: 1.0 + s), sp.Bend(lambda s: 1.0 + 0 * s)])
    robot = sp.Robot("soft")
    robot.add_link("body", sp.SoftBody(kinematics, sp.Cylinder(0.1, 0.02), silicone))
    model = robot.compile()
    motion = model.simulate(np.linspace(0.0, 0.2, 11), q0=np.full(model.n, 8.0))
    film = film_of(motion, fps=50.0)
    glb = check(film)
    (mesh,) = (mesh for mesh in glb.document["meshes"] if "weights" in mesh)
    assert 1 <= len(mesh["weights"]) <= 8


def test_what_is_not_always_seen_shrinks_to_nothing():
    robot = sp.Robot("pushed", gravity=(0, 0, 0))
    robot.add_link("body", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Free())
    law = sp.laws.Steps([0.0, 0.1], [np.zeros(6), np.array([0, 0, 0, 1.0, 0, 0])])
    robot.add(sp.PointWrench("body", law))
    check(film_of(robot.compile().simulate(np.linspace(0.0, 0.2, 21)), fps=50.0))


def test_one_picture_is_no_animation(arm):
    still = arm.simulate(np.array([0.0, 1e-3]))
    glb = Glb(write_glb(film_of(still, fps=1.0)))
    assert "animations" not in glb.document


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")
@pytest.mark.parametrize("seed", range(5))
def test_random_robots_with_all_kinds_of_loads_are_written(seed):
    rng = np.random.default_rng(500 + seed)
    robot = make_case(500 + seed, soft=0.2, splines=0.2).robot
    model = add_kinds(rng, robot, rng.choice(sorted(KINDS), 6, replace=False)).compile()
    q = np.array(model.assemble() if model.loops else model.rest)
    states = [
        State(q + (0.0 if model.loops else 0.05) * rng.normal(size=model.n), None, rng.uniform(size=model.nu), 0.0)
        for _ in range(4)
    ]
    stage = Stage(model, states[:1])
    columns = zip(*(stage.at(state) for state in states), strict=True)
    check(Film(stage, np.linspace(0.0, 0.1, 4), [list(column) for column in columns]), 1e-5)
