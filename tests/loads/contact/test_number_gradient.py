"""Gradients by all numbers of a contact (law, spheres, surfaces, frames) against differences: all kinds of shapes."""

from itertools import product

import numpy as np
import pytest

import supple as sp
from contact_cases import touching_states
from supple.gradients.parameters import residual_sums

#: Hertz's exponent 1.5 has a branch of its own, see `test_laws`.
LAW = {"stiffness": 300.0, "exponent": 1.7, "damping": 0.3, "friction": 0.4, "slip_velocity": 0.2}

STEP = 1e-6


def robot_with(*loads):
    """Two free bodies, and rods of three sections on joints on the second of them."""
    robot = sp.Robot("pair", gravity=(0.0, 0.0, 0.0))
    for name in ("left", "right"):
        robot.add_link(name, sp.Rigid.box((0.2, 0.16, 0.24), density=300.0), sp.Free())
    sections = {"round": sp.Circle((0.04, 0.03)), "oval": sp.Ellipse(0.05, 0.02), "strip": sp.Rectangle(0.03, 0.1)}
    for k, (name, section) in enumerate(sections.items()):
        material = sp.Material(young=2e5, poisson=0.45, density=1000.0, viscosity=100.0)
        rod = sp.Rod(0.5, section, material, sp.Legendre(bend_y=1, bend_z=1, stretch=0), points=4)
        robot.add_link(name, rod, sp.Revolute("y"), "right", at=sp.pose((0.05, 0.08 * k - 0.08, 0.02), (0.3 * k, 0, 0)))
    for load in loads:
        robot.add(load)
    return robot


def robot_of(*loads):
    """The same, compiled."""
    return robot_with(*loads).compile()


def on(link):
    """One shape of every kind, fixed to a link off its centre."""
    return {
        "ball": sp.Ball(0.1, (0.02, 0.01, -0.03), link),
        "capsule": sp.Capsule(0.06, (-0.1, 0.02, 0.03), (0.15, -0.03, 0.01), link),
        "box": sp.Box((0.2, 0.16, 0.24), sp.pose((0.01, 0.02, 0.0), rpy=(0.3, 0.2, 0.1)), link),
        "plane": sp.Plane((0.2, -0.1, 1.0), -0.05, link),
        "pipe": sp.Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.14, True, link),
        "bar": sp.Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.08, False, link),
    }


def frame_directions(frames):
    """All ways to turn and to move each frame: (m,) records of dR, dp."""
    for i in range(len(frames)):
        for k in range(6):
            turned, e = frames.copy(), np.zeros(6)
            e[k] = 1.0
            hat = np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
            turned["R"], turned["p"] = 0.0, 0.0
            turned["R"][i], turned["p"][i] = frames["R"][i] @ hat, frames["R"][i] @ e[3:]
            yield turned


def number_directions(array):
    """Each number that is finite; one of zero is left out: without a length nothing slides, on either side of zero."""
    for index in np.ndindex(array.shape):
        if np.isfinite(array[index]) and array[index] != 0.0:
            change = np.zeros_like(array)
            change[index] = 1.0
            yield change


def fields(array):
    """An array, or the fields of its records."""
    return [array] if array.dtype.names is None else [array[name] for name in array.dtype.names]


def slope(model, state, y, array, change):
    """d(y . R) along a change of an array of the load's data, which has its old values afterwards."""
    ends, kept = [], array.copy()
    size = max(float(np.abs(x).max()) for x in fields(change))
    for sign in (1.0, -1.0):
        for x, d in zip(fields(array), fields(change), strict=True):
            x += sign * STEP / size * d
        ends.append(float(y @ model.residual(*state)))
        array[...] = kept
    return (ends[0] - ends[1]) * size / (2.0 * STEP)


def check_numbers(model, state, frames=True):
    """The sums of one sweep are the slopes by all numbers of the one contact; how many of them there are."""
    y = np.random.default_rng(7).standard_normal(model.n)
    data, own = model.loads[0].data, residual_sums(model, *state, y).own[0]
    found, expected, names = [], [], []
    for name, array, mine in zip(data._fields, data, own, strict=False):
        if name in ("law", "spheres", "surface_sizes"):
            changes = number_directions(array)
        elif name in ("sphere_frames", "surface_frames") and frames:
            changes = frame_directions(array)
        else:
            continue
        for k, change in enumerate(changes):
            found.append(sum(float(np.sum(a * b)) for a, b in zip(fields(mine), fields(change), strict=True)))
            expected.append(slope(model, state, y, array, change))
            names.append((name, k))
    found, expected = np.array(found), np.array(expected)
    scale = np.abs(expected).max()
    assert scale > 0.0
    worst = int(np.argmax(np.abs(found - expected)))
    assert abs(found - expected)[worst] < 2e-6 * scale, (names[worst], found[worst], expected[worst], scale)
    return int(np.sum(found != 0.0))


@pytest.fixture(scope="module")
def free():
    return robot_of()


PAIRS = (
    [("ball", other) for other in ("ball", "capsule", "box", "plane", "pipe", "bar")]
    + [("capsule", other) for other in ("ball", "capsule", "box", "plane", "pipe", "bar")]
    + [("box", other) for other in ("box", "plane", "pipe", "capsule")]
)


@pytest.mark.parametrize("ground", ["right", "world"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_every_pair_of_shapes(pair, ground, free):
    model = robot_of(sp.Contact("c", on("left")[pair[0]], on(ground)[pair[1]], **LAW))
    for state in touching_states(model, free, seed=len(pair[0]) + 7 * len(pair[1]), count=2):
        assert check_numbers(model, state) >= 8


@pytest.mark.parametrize("other", ["ball", "capsule", "box", "plane", "pipe", "bar"])
@pytest.mark.parametrize("rod", ["round", "oval", "strip"])
def test_sections_of_rods(rod, other, free):
    model = robot_of(sp.Contact("c", sp.Spheres(rod, 4), on("left")[other], **LAW))
    for state in touching_states(model, free, seed=3, count=2):
        assert check_numbers(model, state) >= 8


@pytest.mark.parametrize("pair", list(product(("round", "oval", "strip"), repeat=2)), ids="-".join)
def test_sections_on_sections(pair):
    def two_of(*loads):
        robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
        sections = {"round": sp.Circle((0.04, 0.03)), "oval": sp.Ellipse(0.05, 0.02), "strip": sp.Rectangle(0.03, 0.1)}
        places = sp.pose(), sp.pose((0.1, -0.2, 0.05), (0.0, 0.0, 1.2))
        for link, name, at in zip(("one", "two"), pair, places, strict=True):
            material = sp.Material(young=2e5, poisson=0.45, density=1000.0, viscosity=100.0)
            strain = sp.Legendre(torsion=0, bend_y=1, bend_z=1)
            robot.add_link(link, sp.Rod(0.6, sections[name], material, strain, points=4), sp.Free(), at=at)
        for load in loads:
            robot.add(load)
        return robot.compile()

    model = two_of(sp.Contact("c", sp.Spheres("one", 5), sp.Spheres("two", 6), **LAW))
    for state in touching_states(model, two_of(), seed=2, count=2):
        assert check_numbers(model, state) >= 8


@pytest.mark.parametrize("overlap", ["part", "all of one", "all of the other"])
def test_parallel_axes(overlap):
    """Lengths and ends alone: the middle of where both run side by side."""
    lengths = {"part": (0.2, 0.25), "all of one": (0.1, 0.4), "all of the other": (0.4, 0.1)}[overlap]
    robot = sp.Robot("parallel", gravity=(0.0, 0.0, 0.0))
    for name in ("one", "two"):
        robot.add_link(name, sp.Rigid.box((0.2, 0.16, 0.24), density=300.0), sp.Free())
    starts = {"part": (-0.15, -0.02), "all of one": (0.03, -0.1), "all of the other": (-0.1, 0.03)}[overlap]
    shapes = [
        sp.Capsule(0.06, (x, 0.0, 0.0), (x + length, 0.0, 0.0), link)
        for link, length, x in zip(("one", "two"), lengths, starts, strict=True)
    ]
    robot.add(sp.Contact("c", *shapes, **LAW))
    model = robot.compile()
    q, (v, a) = np.zeros(model.n), np.random.default_rng(3).standard_normal((2, model.n))
    q[9:12] = 0.0, 0.07, 0.06
    assert check_numbers(model, (q, v, a), frames=False) >= 8


@pytest.mark.parametrize(
    "law", [{"exponent": 1.5}, {"exponent": 1.0, "damping": 0.0}, {"damping": 3.0, "friction": 0.0}]
)
def test_laws(law, free):
    """Hertz, linear without damping, and without friction so damped that contacts let go."""
    model = robot_of(sp.Contact("c", on("left")["capsule"], on("right")["capsule"], **{**LAW, **law}))
    for state in touching_states(model, free, seed=3, count=4):
        assert check_numbers(model, state) >= 8


@pytest.mark.parametrize("kind", ["ball", "capsule", "box", "plane", "pipe", "bar"])
def test_designs(kind, free):
    """By the parameters of a design, infinite bars among its numbers, against robots that are built anew."""

    def build(radius=0.08, turn=0.1, place=0.02, stiffness=300.0, slip=0.2):
        other = {
            "ball": lambda: sp.Ball(radius, (place, turn, 0.0), "right"),
            "capsule": lambda: sp.Capsule(radius, (-place, 0.0, turn), (0.1, turn, 0.02), "right"),
            "box": lambda: sp.Box((2 * radius, 0.2, 0.2), sp.pose((place, 0.0, 0.0), (turn, 0.0, 0.1)), "right"),
            "plane": lambda: sp.Plane((turn, radius, 1.0), place, "right"),
            "pipe": lambda: sp.Tube((place, 0.01, 0.0), (1.0, turn, -0.3), radius, True, "right"),
            "bar": lambda: sp.Tube((place, 0.01, 0.0), (1.0, turn, -0.3), radius, False, "right"),
        }[kind]()
        own = sp.Capsule(0.5 * radius, (-0.1, 0.02, place), (0.15, -turn, 0.01), "left")
        law = {**LAW, "stiffness": stiffness, "slip_velocity": slip}
        return robot_with(sp.Contact("c", own, other, **law))

    design = sp.Design(build, radius=0.08, turn=0.1, place=0.02, stiffness=300.0, slip=0.2)
    model = design.model()
    (state,) = touching_states(model, free, seed=3, count=1)
    y = np.random.default_rng(7).standard_normal(model.n)
    found = residual_sums(model, *state, y).by_parameter()
    for k, name in enumerate(design.names):
        h = 1e-5 * design.values[name]
        ends = [y @ design.model(**{name: design.values[name] + x * h}).residual(*state) for x in (1.0, -1.0)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6, abs=1e-6), name


def test_per_length(free):
    model = robot_of(sp.Contact("c", sp.Spheres("oval"), sp.Plane(), **LAW, per_length=True))
    for state in touching_states(model, free, seed=3, count=2):
        assert check_numbers(model, state) >= 8


def test_separate_shapes_have_no_gradient(free):
    model = robot_of(sp.Contact("c", sp.Ball(0.01, (0, 0, 5.0), "left"), sp.Plane(height=-5.0), **LAW))
    q, v, a, y = np.random.default_rng(4).standard_normal((4, model.n)) * 0.1
    for array in residual_sums(model, q, v, a, y).own[0]:
        for x in fields(array):
            assert not np.any(x)
