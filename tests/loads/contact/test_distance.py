"""Signed distances to planes, capsules, bores and boxes, by brute force and differences; radii along axes."""

import numpy as np
import pytest

from helpers import central_difference, difference_jacobian, random_rotation, relative_error
from kernel_entry import entry
from supple.jit import inner
from supple.loads.contact import distance
from supple.loads.contact.distance import BORE, BOX, PLANE, ROUND
from supple.loads.contact.pair import pair_t

SIZES = {PLANE: (0.0, 0.0, 0.0), ROUND: (0.3, -0.5, 0.7), BORE: (1.0, 0.0, 0.0), BOX: (0.4, 0.3, 0.5)}
NAMES = {PLANE: "plane", ROUND: "capsule", BORE: "bore", BOX: "box"}


@entry
@inner
def signed_distance(kind, size, pairs):
    return distance.signed_distance(kind, size, pairs[0])


@entry
@inner
def out_of_reach(kind, size, pairs, c, reach):
    return distance.out_of_reach(kind, size, pairs[0], c, reach)


varying_radius = entry(distance.varying_radius)


def placed(rng, kind):
    """A pair whose surface is somewhere, and the sizes of the surface."""
    pairs = np.zeros(1, pair_t)
    pairs["Rs"], pairs["ps"] = random_rotation(rng), rng.standard_normal(3)
    return pairs, np.array(SIZES[kind])


def measured(kind, size, pairs, c):
    """D, n and H at a centre c."""
    pairs["c"][0] = c
    D = signed_distance(kind, size, pairs)
    return D, pairs["n"][0].copy(), pairs["H"][0].copy()


def inside(kind, size, x):
    """Whether points (m, 3) in the frame of a surface are inside it: the definition of its kind."""
    foot = np.clip(x[:, 0], size[1], size[2]) if kind == ROUND else x[:, 0]
    across = np.hypot(np.hypot(x[:, 1], x[:, 2]), x[:, 0] - foot)
    return {
        PLANE: x[:, 0] < 0.0,
        ROUND: across < size[0],
        BORE: across > size[0],
        BOX: (np.abs(x) < size).all(axis=1),
    }[kind]


@pytest.mark.parametrize("kind", SIZES, ids=NAMES.get)
def test_no_point_inside_is_nearer(kind):
    """Along the normal the surface begins after D, and nothing of it is within D of the centre."""
    rng = np.random.default_rng(kind)
    pairs, size = placed(rng, kind)
    R, p = pairs["Rs"][0].copy(), pairs["ps"][0].copy()
    directions = rng.standard_normal((4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    outside = 0
    for x in rng.uniform(-1.2, 1.2, (60, 3)):
        D, n, _ = measured(kind, size, pairs, p + R @ x)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        assert inside(kind, size, x[None])[0] == (D < 0.0)
        if D > 0.0:
            outside += 1
            touching = x - R.T @ n * D
            assert inside(kind, size, (touching - 1e-7 * (R.T @ n))[None])[0]
            assert not inside(kind, size, x + 0.9999 * D * directions).any()
    assert outside > 5


@pytest.mark.parametrize("kind", SIZES, ids=NAMES.get)
def test_normals_are_gradients_and_turn_as_said(kind):
    rng = np.random.default_rng(10 + kind)
    pairs, size = placed(rng, kind)
    R, p = pairs["Rs"][0].copy(), pairs["ps"][0].copy()
    for x in rng.uniform(-1.0, 1.0, (20, 3)):
        c = p + R @ x
        _, n, H = measured(kind, size, pairs, c)
        gradient = difference_jacobian(lambda y: np.array([measured(kind, size, pairs, y)[0]]), c, 1e-5)[0]
        turning = difference_jacobian(lambda y: measured(kind, size, pairs, y)[1], c, 1e-5)
        assert relative_error(n, gradient) < 1e-8
        assert np.abs(H - turning).max() < 1e-7 * (1.0 + np.abs(H).max())
        assert np.array_equal(H, H.T) or np.abs(H - H.T).max() < 1e-13


@pytest.mark.parametrize(
    ("kind", "x", "normal"), [(ROUND, (0.1, 0.0, 0.0), (0.0, 1.0, 0.0)), (BORE, (5.0, 0.0, 0.0), (0.0, -1.0, 0.0))]
)
def test_on_an_axis_a_direction_is_chosen(kind, x, normal):
    pairs, size = np.zeros(1, pair_t), np.array(SIZES[kind])
    pairs["Rs"] = np.eye(3)
    _, n, H = measured(kind, size, pairs, np.array(x))
    assert np.array_equal(n, normal)
    assert not H.any()


@pytest.mark.parametrize("kind", SIZES, ids=NAMES.get)
def test_what_is_out_of_reach_does_not_touch(kind):
    rng = np.random.default_rng(20 + kind)
    pairs, size = placed(rng, kind)
    R, p = pairs["Rs"][0].copy(), pairs["ps"][0].copy()
    answers = []
    for x in rng.uniform(-3.0, 3.0, (300, 3)):
        c, reach = p + R @ x, rng.uniform(0.0, 1.0)
        answers.append(out_of_reach(kind, size, pairs, c, reach))
        if answers[-1]:
            assert measured(kind, size, pairs, c)[0] > reach
    assert 5 < sum(answers) < 298


def test_radii_of_circles_inscribed_in_an_ellipse():
    """A circle about t on the long axis, of semi-axes a and b, reaches the ellipse and does not cross it."""
    a, b = 0.5, 0.2
    focal2 = a * a - b * b
    sphere = np.array([b, 1.0, 1.0, focal2, 0.4])
    angles = np.linspace(0.0, 2.0 * np.pi, 20001)
    for place in (0.4, 0.3, 0.7):
        radius, slope, bend = varying_radius(sphere, place)
        gaps = np.hypot(a * np.cos(angles) - (place - 0.4), b * np.sin(angles))
        assert radius == pytest.approx(gaps.min(), rel=1e-6)
        rates = central_difference(lambda e, x=place: np.array(varying_radius(sphere, x + e)), 1e-4)
        assert (slope, -bend) == pytest.approx(tuple(rates[:2]), abs=1e-8)
    assert varying_radius(np.array([0.3, 1.0, 1.0, 0.0, 0.0]), 0.7) == (0.3, 0.0, 0.0)
