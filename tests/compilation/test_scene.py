"""What compile keeps for pictures: true outlines, honest stand-ins, a look for every load."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.compilation.scene import ROUTE, Arrow, Hinge, Solid, Spots, Strand, Wall
from supple.loads import KINDS
from supple.robot.bodies.looks import ALONG, SkinLook
from supple.viz.view import Posed

SILICONE = sp.Material(young=1e6, poisson=0.5, density=1000.0)
BEND = sp.Legendre(torsion=1, bend_y=2, bend_z=2)

#: Kinds that have nothing to show: they act through joints or everywhere.
UNSEEN = {"BearingFriction", "Wake", "Fluid", "JointDrive", "PointLaw", "Prescribed"}


def rod(section, **options):
    return sp.Rod(0.5, section, SILICONE, BEND, points=3, **options)


def compiled(body, *items):
    robot = sp.Robot("test")
    robot.add_link("arm", body)
    for item in items:
        robot.add(item)
    return robot.compile()


def marks(*items):
    return compiled(rod(sp.Circle(0.02)), *items).scene.marks


def test_the_skin_of_a_straight_cone_is_a_cone():
    model = compiled(rod(sp.Circle(radius=(0.04, 0.02))))
    look = model.scene.rods[0]
    skin = look.skin(model.poses(np.zeros(model.n), [(p.link, p.s) for p in look.places]))
    rings = skin[: ALONG * 24].reshape(ALONG, 24, 3)
    x = rings[:, :, 0].mean(axis=1)
    assert_allclose(x, 0.5 * look.s, atol=1e-12)
    assert_allclose(np.hypot(rings[:, :, 1], rings[:, :, 2]), np.tile(0.04 - 0.04 * x[:, None], (1, 24)), atol=1e-12)


@pytest.mark.parametrize(
    ("section", "extents"),
    [
        (sp.Rectangle(height=0.03, width=(0.01, 0.02)), [(0.03, 0.01), (0.03, 0.02)]),
        (sp.Ellipse(semi_y=lambda s: 0.02 - 0.01 * s, semi_z=0.01), [(0.04, 0.02), (0.02, 0.02)]),
        (sp.Annulus(outer=0.02, inner=0.01), [(0.04, 0.04), (0.04, 0.04)]),
    ],
)
def test_outlines_have_the_sections_size(section, extents):
    look = compiled(rod(section)).scene.rods[0]
    assert_allclose(np.ptp(look.outline[[0, -1]], axis=1), extents, atol=1e-12)


def test_a_tube_has_a_hole():
    look = compiled(rod(sp.Annulus(outer=0.02, inner=(0.01, 0.015)))).scene.rods[0]
    assert_allclose(np.linalg.norm(look.hole[-1], axis=1), 0.015)
    assert compiled(rod(sp.Circle(0.02))).scene.rods[0].hole is None


def test_a_section_without_size_is_a_thin_tube():
    section = sp.Section(np.diag([1.0, 1, 1, 100, 100, 100]), np.diag([1e-6, 1e-6, 1e-6, 0.1, 0.1, 0.1]))
    look = compiled(sp.Rod(0.5, section, strain=BEND, points=3)).scene.rods[0]
    assert not look.sized
    assert_allclose(look.radius, 0.005)


def body_look(body):
    robot = sp.Robot("test")
    robot.add_link("body", body, joint=sp.Translational())
    return robot.compile().scene.bodies[0]


def test_a_body_without_shape_is_the_ellipsoid_of_equal_inertia():
    a, b, c, mass = 0.1, 0.2, 0.3, 4.0
    inertia = mass / 5 * np.array([b**2 + c**2, c**2 + a**2, a**2 + b**2])
    look = body_look(sp.Rigid(mass, inertia, com=(1, 0, 0)))
    assert not look.given
    low, high = look.mesh.vertices.min(axis=0), look.mesh.vertices.max(axis=0)
    assert_allclose(0.5 * (high - low), (a, b, c), rtol=0.01)
    assert_allclose(0.5 * (high + low), (1, 0, 0), atol=2e-3)


def test_a_point_mass_has_no_surface():
    assert body_look(sp.Rigid(1.0, (0, 0, 0), com=(0.1, 0.1, 0.1))).mesh is None


def test_every_kind_of_load_says_what_it_looks_like():
    assert {kind.__name__ for kind in KINDS if not hasattr(kind, "sketch")} == UNSEEN


def test_a_tendon_is_drawn_along_its_route_as_far_as_it_goes():
    model = compiled(rod(sp.Circle(0.02)), sp.Tendon("t", {"arm": lambda X: (0.01, 0.02 * X)}, until={"arm": 0.3}))
    (strand,) = model.scene.marks
    frames = model.poses(np.zeros(model.n), [(p.link, p.s) for p in strand.places])
    points = (frames @ np.array([p.offset for p in strand.places]))[:, :3, 3]
    assert_allclose(points[-1], (0.3, 0.01, 0.006), atol=1e-12)
    assert_allclose(points[:, 1], 0.01)


def test_a_chamber_has_its_true_width():
    (strand,) = marks(sp.Chamber("c", {"arm": lambda X: (0.0, 0.01)}, area=np.pi * 1e-6))
    assert_allclose(strand.radius, 1e-3)


def test_marks_of_other_loads():
    fixed = sp.pose((0.48, 0.0, 0.05))
    loop = sp.Loop("l", a=("arm", sp.pose()), b=("world", fixed), joint=sp.Spherical())
    assert [type(mark) for mark in marks(loop)] == [Hinge]
    (spring,) = marks(sp.Spring("s", ("arm", 0.5), ("world", 0.0, fixed), stiffness=1.0))
    assert isinstance(spring, Strand)
    assert spring.places[1].link == "world"
    touching = marks(sp.Contact("c", sp.Spheres("arm", n=4), sp.Plane(), stiffness=1.0))
    assert [type(mark) for mark in touching] == [Spots, Wall]
    touching = marks(sp.Contact("c", sp.Spheres("arm", n=4), sp.Capsule(0.1, (0, 0, 0), (0, 0, 1)), stiffness=1.0))
    assert isinstance(touching[1], Solid)


def test_an_arrow_follows_its_law_of_time():
    (arrow,) = marks(sp.PointWrench("arm", lambda t: (0, 0, 0, t, 0, 0)))
    assert isinstance(arrow, Arrow)
    assert_allclose(arrow.at(2.0), (0, 0, 0, 2, 0, 0))
    arrows = marks(sp.Distributed("arm", lambda t, s: (0, 0, 0, t * s, 0, 0)))
    assert_allclose(arrows[-1].at(3.0)[3], 3.0)


def test_a_scene_pickles_without_users_functions():
    section, tendon = sp.Circle(radius=lambda s: 0.02), sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)})
    model = pickle.loads(pickle.dumps(compiled(rod(section), tendon)))
    assert_allclose(model.scene.rods[0].radius, 0.02)


def test_a_bad_section_between_nodes_is_found_with_its_link():
    section = sp.Circle(radius=lambda s: 0.02 if abs(s - 0.25) > 0.01 else -0.02)
    with pytest.raises(sp.ModelError, match=r"link 'arm': radius at s = 0.25 is -0.02 m"):
        compiled(rod(section))


def test_the_arrow_of_a_thruster_follows_its_inputs():
    (arrow,) = marks(sp.Thruster("jet", "arm", axes=(0, 0, 0, 0, 2, 0)))
    assert_allclose(arrow.at(0.0, {"jet": 3.0}), (0, 0, 0, 0, 6, 0))
    assert not arrow.at(0.0).any()  # not known


def test_lines_of_soft_bodies_follow_the_material():
    """A tendon is as long as the model says, a channel as wide, and rings around a bore stand on its wall."""
    length = 0.3
    soft = sp.SoftBody(sp.ConstantCurvature(length, stretch=True), sp.HollowCylinder(length, 0.02, 0.01), SILICONE)
    tendon = sp.Tendon("t", {"arm": lambda X: (0.01, 0.02 * X)}, until={"arm": 0.2})
    channel = sp.Chamber("c", {"arm": (0.0, 0.015)}, area=lambda s: np.pi * (0.001 + 0.002 * s) ** 2)
    robot = sp.Robot("test")
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Revolute("y"))
    robot.add_link("arm", soft, parent="base", at=sp.pose((0.1, 0.0, 0.05), (0.1, 0.2, 0.3)))
    for load in (tendon, channel, sp.Cavity("p", "arm")):
        robot.add(load)
    model = robot.compile()
    q, scene = np.array([0.3, 0.9, -0.5, 0.2]), pickle.loads(pickle.dumps(model)).scene
    parts = Posed(model, scene, q).parts
    posed = {part.name: (part, frames[:, :3, 3]) for part, frames in parts if isinstance(part, Strand)}
    assert set(posed) == {"t", "c", "p"}
    found = np.linalg.norm(np.diff(posed["t"][1], axis=0), axis=1).sum()
    assert found == pytest.approx(model.line_lengths(q)["t"], rel=1e-4)
    assert_allclose(posed["c"][0].radius, 0.001 + 0.002 * np.linspace(0.0, 1.0, ROUTE))
    base, wall = model.pose(q, "arm", 0.0), posed["p"][1]
    for place, x in zip(posed["p"][0].places, wall, strict=True):
        assert_allclose(x, base[:3, :3] @ soft.kinematics(np.array(place.point.x), q[1:]) + base[:3, 3], atol=1e-14)


def test_soft_bodies_of_one_kinematics_are_moved_together():
    """Skins and lines are where each body's own coordinates put them, of bodies of another kinematics, too."""
    length = 0.1
    soft = sp.SoftBody(sp.ConstantCurvature(length), sp.HollowCylinder(length, 0.02, 0.01), SILICONE)
    other = sp.SoftBody(sp.ConstantCurvature(length, stretch=True), sp.HollowCylinder(length, 0.02, 0.01), SILICONE)
    robot = sp.Robot("test")
    for name, body, parent in (("a", soft, "world"), ("b", other, "a"), ("c", soft, "b")):
        robot.add_link(name, body, parent=parent)
        robot.add(sp.Tendon(f"t{name}", {name: (0.01, 0.0)}))
    model = pickle.loads(pickle.dumps(robot.compile()))
    q = np.random.default_rng(0).uniform(-0.5, 0.5, model.n)
    assert sorted(kind.links for kind in model.scene.soft_kinds) == [("a", "c"), ("b",)]
    own = {layout.name: q[layout.body_coordinates] for layout in model.layouts}
    for part, frames in Posed(model, model.scene, q).parts:
        if isinstance(part, SkinLook):
            body = other if part.link == "b" else soft
            expected = [body.kinematics(x, own[part.link]) for x in part.rest.vertices]
            assert_allclose(part.mesh.vertices, expected, atol=1e-14)
        elif isinstance(part, Strand):
            link, base = part.places[0].link, model.pose(q, part.places[0].link, 0.0)
            body = other if link == "b" else soft
            expected = [body.kinematics(np.array(place.point.x), own[link]) for place in part.places]
            assert_allclose(frames[:, :3, 3], expected @ base[:3, :3].T + base[:3, 3], atol=1e-14)
