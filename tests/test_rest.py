"""Rest shapes: a rod at rest follows the arc, helix or curve that it was given."""

import math
import pickle

import numpy as np
import pytest

import supple as sp
from helpers import relative_error

MATERIAL = sp.Material(young=1e6, density=1000.0)


def shape_of(rest, length, stations, at=None, points=40):
    """Poses of a rod at rest."""
    robot = sp.Robot("bent")
    rod = sp.Rod(length, sp.Circle(0.002), MATERIAL, sp.Legendre(bend_y=0), points=points, rest_strain=rest)
    robot.add_link("rod", rod, at=at)
    model = robot.compile()
    return np.array([model.pose(np.zeros(1), "rod", float(s)) for s in stations])


STATIONS = np.linspace(0.0, 1.0, 13)


WAYS = [("y", (1, 0)), ("-y", (-1, 0)), ("z", (0, 1)), ("-z", (0, -1)), (0.4, (math.cos(0.4), math.sin(0.4)))]


@pytest.mark.parametrize(("toward", "way"), WAYS)
def test_an_arc_bends_where_it_was_told(toward, way):
    radius, length = 0.2, 0.5
    poses = shape_of(sp.rest.arc(radius, toward=toward), length, STATIONS)
    angle = STATIONS * length / radius
    sideways = radius * (1.0 - np.cos(angle))
    expected = np.column_stack([radius * np.sin(angle), sideways * way[0], sideways * way[1]])
    assert np.abs(poses[:, :3, 3] - expected).max() < 1e-13
    by_angle = sp.rest.arc(angle=length / radius, length=length, toward=toward)
    assert relative_error(by_angle, sp.rest.arc(radius, toward=toward)) < 1e-15


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("frame", ["frenet", "parallel"])
def test_a_helix_winds_about_its_axis(left, frame):
    radius, pitch, turns = 0.03, 0.02, 2.5
    length = turns * math.hypot(2.0 * math.pi * radius, pitch)
    rest = sp.rest.helix(radius, pitch, left=left, frame=frame, length=length)
    base = sp.rest.helix_base(radius, pitch, left=left)
    poses = shape_of(rest, length, STATIONS, base, points=80)
    assert np.abs(np.hypot(poses[:, 1, 3], poses[:, 2, 3]) - radius).max() < 1e-7
    assert np.abs(poses[:, 0, 3] - pitch * turns * STATIONS).max() < 1e-7
    # right-handed: it turns about +x while it advances along it
    about = np.unwrap(np.arctan2(poses[:, 2, 3], poses[:, 1, 3]))
    hand = -1.0 if left else 1.0
    assert np.abs(about - about[0] - hand * 2.0 * math.pi * turns * STATIONS).max() < 1e-5
    if frame == "frenet":  # y looks at the axis all along
        inward = -poses[:, 1:3, 3] / radius
        assert np.abs(poses[:, 1:3, 1] - inward).max() < 1e-5
    else:
        assert np.asarray(rest(0.3))[0] == 0.0


def knot(u):
    """A curve that bends and twists, with points of no curvature nowhere, at uneven speed."""
    t = 4.0 * u + 0.7 * math.sin(2.0 * u)
    return np.array([0.1 * math.cos(t), 0.08 * math.sin(1.3 * t), 0.05 * t + 0.02 * math.sin(2.0 * t)])


def wave(u):
    """A plane curve with inflections, straight at its base."""
    return np.array([0.4 * u, 0.05 * math.sin(6.0 * u) - 0.3 * u, 0.0])


@pytest.mark.parametrize(("path", "frame"), [(knot, "parallel"), (knot, "frenet"), (wave, "parallel")])
def test_a_rod_at_rest_follows_a_curve(path, frame):
    """To the fourth order of the Magnus steps between its points."""
    shape = sp.rest.curve(path, frame=frame)
    fine = np.linspace(0.0, 1.0, 200001)
    places = np.array([path(u) for u in fine[::50]])
    length = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    assert shape.length == pytest.approx(length, rel=1e-6)
    assert np.allclose(shape.base[:3, 3], path(0.0))
    errors = []
    for points in (30, 60):
        poses = shape_of(shape, shape.length, STATIONS, shape.base, points)
        distance = [np.linalg.norm(places - p, axis=1).min() for p in poses[:, :3, 3]]
        along = np.array([path(u) for u in shape.parameter(STATIONS).tolist()])
        errors.append(np.abs(poses[:, :3, 3] - along).max())
        assert max(distance) < 1e-3
    assert errors[1] < 5e-6
    assert errors[1] < errors[0] / 8.0 or errors[0] < 1e-11


def test_parallel_sections_do_not_twist():
    shape = sp.rest.curve(knot, toward=(0.0, 0.0, 1.0))
    strains = np.array([shape(float(s)) for s in STATIONS])
    assert not strains[:, 0].any()
    assert (strains[:, 3:] == (1.0, 0.0, 0.0)).all()
    frenet = np.array([sp.rest.curve(knot, frame="frenet")(float(s)) for s in STATIONS])
    assert not frenet[:, 1].any()
    bends = np.linalg.norm(strains[:, 1:3], axis=1), np.linalg.norm(frenet[:, 1:3], axis=1)
    assert relative_error(*bends) < 1e-9


def test_points_are_joined_by_splines():
    u = np.linspace(0.0, 1.0, 60)
    shape = sp.rest.curve(np.array([knot(x) for x in u]))
    assert shape.length == pytest.approx(sp.rest.curve(knot).length, rel=1e-6)
    poses = shape_of(shape, shape.length, [0.0, 0.5, 1.0], shape.base, 60)
    assert np.abs(poses[-1, :3, 3] - knot(1.0)).max() < 1e-5
    again = pickle.loads(pickle.dumps(shape))
    assert np.array_equal(again(STATIONS), shape(STATIONS))
    assert np.array_equal(shape(STATIONS)[3], shape(float(STATIONS[3])))


def test_a_straight_line_has_no_curvature():
    shape = sp.rest.curve([(0.0, 0.0, 0.1 * k) for k in range(5)], toward=(0.0, 0.0, 1.0))
    assert shape.length == pytest.approx(0.4, rel=1e-14)
    assert np.abs(shape(0.3) - (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)).max() < 1e-12


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sp.rest.arc(), "give either a radius, or an angle and a length"),
        (lambda: sp.rest.arc(0.1, angle=1.0, length=0.1), "give either a radius"),
        (lambda: sp.rest.arc(0.1, toward="x"), "toward is 'x', must be one of y, z"),
        (lambda: sp.rest.arc(-0.1), "radius is -0.1 m, must be positive"),
        (lambda: sp.rest.helix(0.1, -0.1), "pitch is -0.1 m, must not be negative"),
        (lambda: sp.rest.helix(0.1, 0.1, frame="bishop"), "frame is 'bishop'"),
        (lambda: sp.rest.helix(0.1, 0.1, frame="parallel"), "needs the length of the rod"),
        (lambda: sp.rest.curve([(0, 0, 0), (1, 0, 0)]), r"shape \(2, 3\), must be at least 4 points"),
        (lambda: sp.rest.curve([(0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0, 0)]), "neighbouring points coincide"),
        (lambda: sp.rest.curve([(0, 0, 0), (1, 0, 0), (2, np.nan, 0), (3, 0, 0)]), "must be finite"),
        (lambda: sp.rest.curve(lambda u: (u, abs(u - 0.5), 0.0)), "not smooth"),
        (lambda: sp.rest.curve(lambda u: (0.0, 0.0, 0.0)), "stands still"),
        (lambda: sp.rest.curve(lambda u: (u, 0.0)), r"shape \(2,\), must have shape \(3,\)"),
        (lambda: sp.rest.curve(lambda u: (u, 0.0, 0.0), frame="frenet"), "straight somewhere"),
        (lambda: sp.rest.curve(np.eye(3)[[0, 1, 2, 0]] * [[1], [2], [3], [4]], frame="frenet"), "as a function"),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(sp.ModelError, match=words):
        make()


def test_a_rod_must_be_as_long_as_its_curve():
    with pytest.raises(sp.ModelError, match=r"Rod: length is 0.5 m, but the curve of its rest strain is"):
        shape_of(sp.rest.curve(wave), 0.5, [0.0])
