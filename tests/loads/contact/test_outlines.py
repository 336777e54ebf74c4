"""Contact of flat sections: the true outline touches, with exact tangents, against every shape."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import supple as sp
from contact_cases import LAW, check_tangents, force, touching_states
from supple.loads.contact.contact import Contact
from supple.loads.contact.outlines import Oval, Polygon, Round, convex_hull, section_outline
from supple.loads.contact.shapes import Ball, Box, Capsule, Plane, Spheres, Tube

MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1000.0, viscosity=100.0)
A, B = 0.015, 0.002


class House(sp.Rectangle):
    """A pentagon: a rectangle with a gable along +z."""

    def outline(self, s):
        y, z = self.half_extents(s)
        return np.array([(y, z), (0.0, 1.7 * z), (-y, z), (-y, -z), (y, -z)])


def beam(section, shape, roll=0.0, **options):
    """A straight rod over the ground, turned about its own axis; q = (height of the centreline, no bending)."""
    robot = sp.Robot("strip", gravity=(0.0, 0.0, 0.0))
    rod = sp.Rod(0.1, section, MATERIAL, sp.Legendre(bend_y=1), points=4)
    robot.add_link("mount", sp.Rigid(0.1, np.full(3, 1e-4)), joint=sp.Prismatic("z"))
    robot.add_link("strip", rod, parent="mount", at=sp.pose(rpy=(roll, 0.0, 0.0)))
    robot.add(Contact("floor", Spheres("strip", n=5, **options), shape, stiffness=1e5))
    return robot


def touch_height(robot, top=0.05):
    """Height of the centreline at which the first point touches: where the force ends, by bisection."""
    model = robot.compile()

    def pushes(height):
        q = np.array([height, 0.0, 0.0])
        return bool(np.abs(model.residual(q, np.zeros(3), np.zeros(3))).max() > 0.0)

    low, high = 0.0, top
    assert pushes(low)
    assert not pushes(high)
    for _ in range(52):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if pushes(middle) else (low, middle)
    return high


ANGLES = (0.0, 0.1, 0.7, 1.2, math.pi / 2, 2.0, 4.0)


@pytest.mark.parametrize("roll", ANGLES)
def test_a_strip_rests_on_its_true_outline(roll):
    """30 x 4 mm: 2 mm above the floor when flat (the wide side along y), 15 mm on edge, between them its support."""
    height = touch_height(beam(sp.Rectangle(2 * A, 2 * B), Plane(), roll))
    assert height == pytest.approx(A * abs(math.sin(roll)) + B * abs(math.cos(roll)), rel=1e-9)


@pytest.mark.parametrize("roll", ANGLES)
@pytest.mark.parametrize("wide", [True, False])
def test_an_ellipse_rests_on_its_true_outline(roll, wide):
    a, b = (A, B) if wide else (B, A)
    for section in (sp.Ellipse(a, b), sp.Section(np.ones(6), np.ones(6), shape=sp.Ellipse(a, b))):
        robot = beam(section, Plane(), roll) if isinstance(section, sp.Ellipse) else None
        if robot is None:
            assert section_outline(section, 0.5) == section_outline(section.shape, 0.5)
            continue
        assert touch_height(robot) == pytest.approx(math.hypot(a * math.sin(roll), b * math.cos(roll)), rel=1e-9)


@pytest.mark.parametrize("roll", ANGLES)
def test_any_outline_touches_with_its_corners(roll):
    section = House(2 * A, 2 * B)
    corners = section.outline(0.5)
    height = touch_height(beam(section, Plane(), roll))
    heights = corners @ np.array([math.sin(roll), math.cos(roll)])
    assert height == pytest.approx(-heights.min(), rel=1e-9)


@pytest.mark.parametrize("section", [sp.Rectangle(2 * A, 2 * B), sp.Ellipse(A, B)])
def test_flat_sections_rest_on_every_shape(section):
    """Lying flat 2 mm above what is under the middle of the strip; on edge 15 mm."""
    under = {
        "ball": Ball(0.05, (0.05, 0.0, -0.05)),
        "capsule": Capsule(0.03, (0.05, -0.1, -0.03), (0.05, 0.1, -0.03)),
        "cylinder": Tube((0.0, 0.0, -0.04), (1.0, 0.0, 0.0), 0.04, inside=False),
        "box": Box((0.3, 0.3, 0.1), sp.pose((0.0, 0.0, -0.05))),
    }
    for name, shape in under.items():
        assert touch_height(beam(section, shape)) == pytest.approx(B, rel=1e-8), name
        assert touch_height(beam(section, shape, math.pi / 2)) == pytest.approx(A, rel=1e-8), name


def test_an_explicit_radius_means_spheres():
    for section in (sp.Rectangle(2 * A, 2 * B), sp.Ellipse(A, B), sp.Circle(A)):
        assert touch_height(beam(section, Plane(), radius=0.007)) == pytest.approx(0.007, rel=1e-9)


def test_a_strip_fits_into_a_pipe_that_holds_its_corners():
    section = sp.Rectangle(2 * A, 2 * B)
    for radius, free in ((math.hypot(A, B) * 1.001, True), (math.hypot(A, B) * 0.999, False)):
        model = beam(section, Tube((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), radius)).compile()
        pushed = np.abs(model.residual(np.zeros(3), np.zeros(3), np.zeros(3))).max() > 0.0
        # symmetric corners cancel: look at the stiffness they add
        stiff = model.residual_derivatives(np.zeros(3), np.zeros(3), np.zeros(3)).dq[0, 0] > 0.0
        assert bool(pushed or stiff) != free


def flat_robot(section, *loads):
    """A free body and a flat rod, free as well, and loads."""
    robot = sp.Robot("flat", gravity=(0.0, 0.0, 0.0))
    robot.add_link("left", sp.Rigid.box((0.2, 0.16, 0.24), density=300.0), joint=sp.Free())
    robot.add_link("right", sp.Rigid.box((0.2, 0.16, 0.24), density=300.0), joint=sp.Free())
    strain = sp.Legendre(torsion=0, bend_y=2, bend_z=1, stretch=0)
    rod = sp.Rod(0.6, section, MATERIAL, strain, points=5)
    robot.add_link("arm", rod, joint=sp.Revolute("y"), parent="right", at=sp.pose((0.05, 0.0, 0.02)))
    for load in loads:
        robot.add(load)
    return robot.compile()


SECTIONS = {
    "strip": sp.Rectangle((0.12, 0.09), (0.03, 0.02)),
    "upright": sp.Rectangle(0.03, 0.1),
    "ellipse": sp.Ellipse((0.06, 0.05), (0.02, 0.015)),
    "tall": sp.Ellipse(0.02, 0.055),
    "house": House(0.1, 0.04),
}

SHAPES = {
    "ball": Ball(0.1, (0.02, 0.01, -0.03), "left"),
    "capsule": Capsule(0.06, (-0.1, 0.02, 0.03), (0.15, -0.03, 0.01), "left"),
    "box": Box((0.2, 0.16, 0.24), sp.pose((0.01, 0.02, 0.0), rpy=(0.3, 0.2, 0.1)), "left"),
    "plane": Plane((0.2, -0.1, 1.0), -0.05, "left"),
    "pipe": Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.14, True, "left"),
    "rod": Tube((0.02, 0.01, 0.0), (1.0, 0.2, -0.3), 0.08, False, "left"),
    "world": Plane((0.2, -0.1, 1.0), -0.05),
}


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_tangents_of_flat_sections(section, shape):
    free = flat_robot(SECTIONS[section])
    model = flat_robot(SECTIONS[section], Contact("c", Spheres("arm", 7), SHAPES[shape], **LAW))
    check_tangents(model, free, touching_states(model, free, 3, count=2))


PAIRS = [("strip", "strip"), ("ellipse", "strip"), ("ellipse", "tall"), ("house", None)]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_flat_rods_against_one_another(one, two):
    """Rod across rod, one of them perhaps round: tangents, and forces that come in pairs."""

    def build(*loads):
        robot = sp.Robot("pair", gravity=(0.0, 0.0, 0.0))
        strain = sp.Legendre(torsion=0, bend_y=1, bend_z=1)
        for name, section in (("one", SECTIONS[one]), ("two", sp.Circle(0.03) if two is None else SECTIONS[two])):
            crossing = sp.pose((0.2, -0.2, 0.05), rpy=(0.2, 0.1, 1.5)) if name == "two" else sp.pose()
            robot.add_link(name, sp.Rod(0.5, section, MATERIAL, strain, points=4), joint=sp.Free(), at=crossing)
        for load in loads:
            robot.add(load)
        return robot.compile()

    free = build()
    for pair in (("one", "two"), ("two", "one")):
        model = build(Contact("c", Spheres(pair[0], 6), Spheres(pair[1], 5), **LAW))
        states = touching_states(model, free, 5, count=2, spread=0.03)
        check_tangents(model, free, states)
        for q, v, _ in states:
            f = force(model, free, q, v)
            together = np.zeros(model.n)  # both rods moved alike: what acts between them does no work
            for link, (start, _) in zip(model.link_names, model.topology.links.tolist(), strict=True):
                own = model.jacobian(q, link, 0.0)[:, start : start + 6]
                way = model.pose(q, link, 0.0)[:3, :3].T @ [1.0, 0.3, -0.2]
                together[start : start + 6] = np.linalg.solve(own, np.concatenate([np.zeros(3), way]))
            assert abs(f @ together) <= 1e-9 * np.abs(f).max()


def test_conservative_contact_of_a_flat_rod_is_the_gradient_of_its_energy():
    """Without damping and friction the work along any closed path is zero."""
    law = {"stiffness": 300.0, "exponent": 1.5}
    for name in ("ellipse", "strip"):
        free = flat_robot(SECTIONS[name])
        model = flat_robot(SECTIONS[name], Contact("c", Spheres("arm", 7), SHAPES["ball"], **law))
        (q, _, _), *_ = touching_states(model, free, 3, count=1)
        zero = np.zeros(model.n)
        stiffness = model.residual_derivatives(q, zero, zero).dq - free.residual_derivatives(q, zero, zero).dq
        rng = np.random.default_rng(1)
        x, y = 1e-3 * rng.standard_normal((2, model.n))
        nodes, weights = np.polynomial.legendre.leggauss(8)
        corners = [q, q + x, q + x + y, q + y, q]
        work = 0.0
        scale = 0.0
        for a, b in itertools.pairwise(corners):
            for node, weight in zip(nodes, weights, strict=True):
                piece = 0.5 * weight * force(model, free, a + 0.5 * (node + 1.0) * (b - a), zero) @ (b - a)
                work, scale = work + piece, scale + abs(piece)
        assert scale > 0.0
        assert abs(work) < 1e-6 * scale
        assert np.isfinite(stiffness).all()


def test_round_sections_keep_one_sphere_each():
    for section, radius in (
        (sp.Circle(0.02), 0.02),
        (sp.Annulus(0.03, 0.01), 0.03),
        (sp.Ellipse(0.01, 0.01), 0.01),
        (sp.Section(np.ones(6), np.ones(6), radius=0.04), 0.04),
    ):
        assert section_outline(section, 0.3) == Round(radius)


def test_outlines_of_tapers_that_end_in_an_edge_or_a_point():
    assert section_outline(sp.Ellipse((0.02, 0.0), (0.01, 0.0)), 1.0) == Round(0.0)
    assert section_outline(sp.Rectangle((0.02, 0.0), (0.01, 0.0)), 1.0) == Round(0.0)
    for section in (sp.Ellipse(0.02, (0.01, 0.0)), sp.Rectangle(0.04, (0.02, 0.0))):
        edge = section_outline(section, 1.0)
        assert isinstance(edge, Polygon)
        assert edge.corners.tolist() == [[0.02, 0.0], [-0.02, -0.0]]
        assert edge.mesh().vertices[:, 1].max() == pytest.approx(0.02)
    assert section_outline(sp.Ellipse(0.01, 0.03), 0.0) == Oval(0.03, 0.01, False)
    square = section_outline(sp.Rectangle(0.02, 0.02), 0.0)
    assert (square.half, square.radius) == (0.0, 0.01)


def test_convex_hull_leaves_out_what_is_inside():
    points = np.array([(1.0, 1.0), (0.0, 0.2), (-1.0, 1.0), (-1.0, -1.0), (0.0, -1.0), (1.0, -1.0)])
    assert sorted(convex_hull(points).tolist()) == [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]


def test_pictures_show_what_touches():
    for section in (sp.Rectangle(2 * A, 2 * B), sp.Ellipse(A, B)):
        marks = beam(section, Plane()).compile().scene.marks
        solids = [mark for mark in marks if type(mark).__name__ == "Solid"]
        assert len(solids) == 5
        extent = np.ptp(solids[0].mesh.vertices, axis=0)
        assert extent[1:] == pytest.approx([2 * A, 2 * B], rel=2e-2)


def test_read_outs_see_the_same_contacts():
    """Forces pair by pair add up to the generalised force, and their derivatives are exact."""
    free = flat_robot(SECTIONS["ellipse"])
    model = flat_robot(SECTIONS["ellipse"], Contact("c", Spheres("arm", 7), SHAPES["ball"], **LAW))
    for q, v, _ in touching_states(model, free, 3, count=2):
        found = model.contact(q, "c", v)
        total = np.zeros(model.n)
        for (link, s), (other, x), point, f in zip(found.a, found.b, found.point, found.force, strict=True):
            for (name, station), sign in (((link, s), 1.0), ((other, x), -1.0)):
                pose, J = model.pose(q, name, station), model.jacobian(q, name, station)
                arm = pose[:3, :3].T @ (point - pose[:3, 3])
                local = pose[:3, :3].T @ f
                total += sign * J.T @ np.concatenate([np.cross(arm, local), local])
        assert np.abs(total - force(model, free, q, v)).max() < 1e-9 * np.abs(total).max()
