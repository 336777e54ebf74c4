"""Which spheres meet which surfaces: for every pair of shapes, for flat sections, and who is omitted."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.loads.contact.distance import BOX, ROUND
from supple.loads.contact.meetings import NEIGHBOURS, meetings, neighbours, oval_balls
from supple.loads.contact.outlines import section_outline
from supple.loads.contact.shapes import Ball, Box, Capsule, Meeting, Plane, Spheres, Tube

RUBBER = sp.Material(young=1e6, density=1000.0)
SHAPES = {
    "ball": Ball(0.1),
    "capsule": Capsule(0.05, (0, 0, 0), (0.4, 0, 0)),
    "box": Box((0.2, 0.2, 0.2)),
    "plane": Plane(),
    "bore": Tube((0, 0, 0), (1, 0, 0), 0.5),
    "tube": Tube((0, 0, 0), (1, 0, 0), 0.5, inside=False),
}


class Asking:
    """A contact of which only the meeting is wanted."""

    def __init__(self, a, b, per_length=False):
        self.name, self.a, self.b, self.per_length = "asked", a, b, per_length

    def stations(self):
        return ()

    def bind(self, binder):
        self.found = meetings(self.a, self.b, binder, self.per_length)
        self.binder = binder


def asked(a, b, section=None, per_length=False, second=None):
    """The meeting of two shapes on a robot of two rods."""
    robot = sp.Robot("two")
    rod = sp.Rod(0.5, section or sp.Circle(0.02), RUBBER, sp.Legendre(bend_y=1), points=4)
    robot.add_link("one", rod)
    robot.add_link("two", second or rod, parent="one")
    question = Asking(a, b, per_length)
    robot.add(question)
    robot.compile()
    assert isinstance(question.found, Meeting)
    return question


@pytest.mark.parametrize("first", ["ball", "capsule", "box"])
@pytest.mark.parametrize("second", SHAPES)
def test_the_order_of_shapes_does_not_matter(first, second):
    a, b = SHAPES[first], SHAPES[second]
    if {first, second} == {"box", "tube"}:
        with pytest.raises(ModelError, match="a Box does not touch the outside of a Tube; one of them must be round"):
            asked(a, b)
        return
    one, other = asked(a, b).found, asked(b, a).found
    assert len(one.spheres) * len(one.surfaces) == len(other.spheres) * len(other.surfaces) > 0
    assert one.skip.shape == (len(one.spheres), len(one.surfaces))
    assert not one.skip.all(axis=1).any(), "somebody meets nobody"
    assert {s.kind for s in one.surfaces} == {s.kind for s in other.surfaces}


@pytest.mark.parametrize(("first", "second"), [("plane", "plane"), ("plane", "bore"), ("tube", "plane")])
def test_what_is_not_round_does_not_meet_walls(first, second):
    with pytest.raises(ModelError, match="one of them must be round"):
        asked(SHAPES[first], SHAPES[second])


def test_boxes_meet_both_ways_but_not_themselves():
    found = asked(Box((0.2, 0.2, 0.2)), Box((0.4, 0.4, 0.4), sp.pose((1, 0, 0)))).found
    own = np.array([sphere.frame[0, 3] > 0.5 for sphere in found.spheres])
    assert [surface.kind for surface in found.surfaces] == [BOX, BOX]
    far = np.array([surface.frame[0, 3] > 0.5 for surface in found.surfaces])
    assert np.array_equal(found.skip, own[:, None] == far[None, :])


@pytest.mark.parametrize(
    ("section", "other", "number"),
    [
        (sp.Circle(0.02), Plane(), 1),
        (sp.Rectangle(0.03, 0.004), Plane(), 4),  # its corners
        (sp.Rectangle(0.03, 0.004), Ball(0.1), 5),  # and what slides along its middle
        (sp.Ellipse(0.015, 0.002), Ball(0.1), 1),
        (sp.Ellipse(0.015, 0.002), SHAPES["bore"], 2),  # each half by itself
    ],
)
def test_spheres_of_a_section(section, other, number):
    found = asked(Spheres("one", 3), other, section).found
    assert len(found.spheres) == 3 * number
    assert {sphere.s for sphere in found.spheres} == {0.0, 0.5, 1.0}


def test_balls_in_an_ellipse_leave_little_out():
    a, b = 0.015, 0.002
    balls = oval_balls(section_outline(sp.Ellipse(a, b), 0.5))
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    y, z = a * np.cos(angles), b * np.sin(angles)
    gaps = np.min([np.hypot(y - t, z) - r for t, r in balls], axis=0)
    assert (gaps > -1e-9 * a).all()  # they are inscribed
    assert gaps.max() < 0.031 * b


def test_weights_of_nodes_add_up_to_the_length():
    found = asked(Spheres("one"), Plane(), per_length=True).found
    assert sum(sphere.weight for sphere in found.spheres) == pytest.approx(0.5)


def test_neighbours_along_a_rod_and_across_a_joint_are_left_out():
    question = asked(Spheres("one", 6), Spheres("one", 6))
    skip, s = question.found.skip, np.linspace(0.0, 1.0, 6)
    gap = 0.5 * (s[None, :] - s[:, None])
    assert np.array_equal(~skip, gap > max(NEIGHBOURS * 0.04, 0.1 + 1e-9))  # each pair once, not the next one
    across = neighbours(Spheres("one", 6), Spheres("two", 6), list(s), list(s), question.binder)
    along = 0.5 * (1.0 - s[:, None]) + 0.5 * s[None, :]
    assert np.array_equal(across, along < NEIGHBOURS * 0.04)
    assert across.any()


def test_rods_meet_as_round_surfaces():
    found = asked(Spheres("one", 4), Spheres("two", 3)).found
    assert {surface.kind for surface in found.surfaces} == {ROUND}
    assert (len(found.spheres), len(found.surfaces)) == (4, 3)
