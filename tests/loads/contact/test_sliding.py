"""Where spheres that slide come closest to surfaces, by brute force."""

import math

import numpy as np
import pytest

import supple as sp
from helpers import random_rotation
from kernel_entry import entry
from supple.jit import calling, inner
from supple.loads.contact import distance, sliding
from supple.loads.contact.distance import BOX, PLANE, ROUND
from supple.loads.contact.pair import pair_t

SIZES = {PLANE: (0.0, 0.0, 0.0), ROUND: (0.3, -0.5, 0.7), BOX: (0.4, 0.3, 0.5)}
NAMES = {PLANE: "plane", ROUND: "capsule", BOX: "box"}

_call = calling(sliding.SLIDING)


@entry
@inner
def signed_distance(kind, size, pairs):
    return distance.signed_distance(kind, size, pairs[0])


@entry
@inner
def closest_on_axis(length, low, high, pairs):
    return sliding.closest_on_axis(length, low, high, pairs[0])


@entry
@inner
def closest_varying(kind, size, sphere, pairs):
    return sliding.closest_varying(kind, size, sphere, pairs[0])


@entry
@inner
def slide(address, kind, size, sphere, pairs):
    _call(address, (kind, size.ctypes.data, sphere.ctypes.data, pairs.ctypes.data))


varying_radius = entry(distance.varying_radius)


def placed(rng, kind):
    """A pair whose surface is somewhere, and the sizes of the surface."""
    pairs = np.zeros(1, pair_t)
    pairs["Rs"], pairs["ps"] = random_rotation(rng), rng.standard_normal(3)
    return pairs, np.array(SIZES[kind])


@pytest.mark.parametrize("seed", range(6))
def test_the_closest_place_of_two_axes(seed):
    rng = np.random.default_rng(seed)
    pairs, size = placed(rng, ROUND)
    pairs["Rp"], pairs["pp"] = random_rotation(rng), pairs["ps"] + rng.uniform(-1.0, 1.0, 3)
    length, low, high = 1.3, size[1], size[2]
    place = closest_on_axis(length, low, high, pairs)
    along = np.linspace(0.0, length, 20001)
    centres = pairs["pp"][0] + along[:, None] * pairs["Rp"][0][:, 0]
    local = (centres - pairs["ps"][0]) @ pairs["Rs"][0]
    gaps = np.hypot(np.hypot(local[:, 1], local[:, 2]), local[:, 0] - np.clip(local[:, 0], low, high))
    assert place == pytest.approx(along[gaps.argmin()], abs=1e-4)


def test_parallel_axes_meet_in_the_middle():
    pairs = np.zeros(1, pair_t)
    pairs["Rs"] = pairs["Rp"] = np.eye(3)
    pairs["pp"] = (0.2, 1.0, 0.0)
    assert closest_on_axis(2.0, -1.0, 1.0, pairs) == pytest.approx(0.4)  # side by side from 0.2 to 1.0
    pairs["Rp"] = np.diag([-1.0, -1.0, 1.0])
    assert closest_on_axis(2.0, -1.0, 1.0, pairs) == pytest.approx(0.6)  # from 0.2 back to -1.0


@pytest.mark.parametrize("kind", [PLANE, ROUND, BOX], ids=NAMES.get)
@pytest.mark.parametrize("seed", range(4))
def test_a_sphere_of_varying_radius_slides_to_where_it_is_deepest(kind, seed):
    rng = np.random.default_rng(seed)
    pairs, size = placed(rng, kind)
    pairs["Rp"] = random_rotation(rng)
    pairs["pp"] = pairs["ps"] + pairs["Rs"][0] @ np.array([1.0, 0.5, 0.6])
    a, b = 0.5, 0.2
    half = (a * a - b * b) / a
    sphere = np.array([b, 2.0 * half, 1.0, a * a - b * b, half])
    found = closest_varying(kind, size, sphere, pairs)
    places, depths = np.linspace(0.0, 2.0 * half, 2001), []
    for place in (*places, found):
        pairs["c"][0] = pairs["pp"][0] + place * pairs["Rp"][0][:, 0]
        depths.append(varying_radius(sphere, place)[0] - signed_distance(kind, size, pairs))
    assert depths[-1] >= max(depths) - 1e-12
    assert math.isfinite(found)


@pytest.mark.parametrize("focal", [0.0, 0.5])
def test_a_contact_calls_what_its_sphere_needs(focal):
    rng = np.random.default_rng(7)
    pairs, size = placed(rng, ROUND)
    pairs["Rp"] = random_rotation(rng)
    pairs["pp"] = pairs["ps"] + pairs["Rp"][0] @ np.array([-0.3, 0.1, 0.0])
    sphere = np.array([0.2, 0.8, 1.0, focal**2, 0.4])
    slide(sliding.slide.address, ROUND, size, sphere, pairs)
    place = pairs["place"][0]
    by_axis, by_search = closest_on_axis(0.8, size[1], size[2], pairs), closest_varying(ROUND, size, sphere, pairs)
    assert place == pytest.approx(by_search if focal else by_axis, abs=1e-12)
    assert place > 0.0


def lying(section, young):
    """A rod with a section whose side rests on the floor."""
    material = sp.Material(young=young, poisson=0.45, density=1000.0)
    robot = sp.Robot("rod", gravity=(0.0, 0.0, -9.81))
    robot.add_link("rod", sp.Rod(0.3, section, material, sp.Legendre(bend_y=2, bend_z=1), points=4))
    robot.add(sp.Contact("floor", sp.Spheres("rod", n=6), sp.Plane(height=-0.02), stiffness=1e3))
    return robot


def test_only_contacts_whose_spheres_slide_compile_what_slides():
    flat, oval = sp.Rectangle(0.01, 0.02), sp.Ellipse(0.01, 0.02)
    for section, slides in ((sp.Circle(0.01), False), (oval, True), (flat, False)):
        (load,) = lying(section, 1e5).compile().loads
        assert (load.calls[-1] is sliding.slide) == slides


def test_an_ellipse_that_is_just_round_is_differentiated():
    """None of its spheres slides, but some do as soon as one of its axes is changed: nothing is called then."""

    oval = sp.Design(lambda young, y, z: lying(sp.Ellipse(y, z), young), young=1e5, y=0.01, z=0.01)
    circle = sp.Design(lambda young, r: lying(sp.Circle(r), young), young=1e5, r=0.01)
    rests = [design.model().statics() for design in (oval, circle)]
    assert rests[0].model.contact(rests[0].q, "floor").gap.min() < 0.0
    found, expected = (rest.vjp(pose={("rod", 1.0): np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])}).p for rest in rests)
    assert found["young"] == pytest.approx(expected["young"], rel=1e-6)
    assert found["y"] + found["z"] == pytest.approx(expected["r"], rel=1e-4)
