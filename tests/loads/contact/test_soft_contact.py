"""Contact of soft bodies: spheres in their sections against the same rod, points of their skin, and one another."""

import numpy as np
import pytest

import supple as sp
from soft_robots import soft_cone
from supple.errors import ModelError

L = 0.3
MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)
LAW = {"stiffness": 300.0, "exponent": 1.5, "damping": 0.2, "friction": 0.4, "slip_velocity": 0.05}


def arm(soft, shape, *others, at=(0.0, 0.0, 0.0), domain=None):
    """A constant-curvature cylinder, soft or a rod, on a turning base."""
    robot = sp.Robot("arm")
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Revolute("y"))
    if soft:
        domain = sp.Cylinder(L, 0.02) if domain is None else domain
        body = sp.SoftBody(sp.ConstantCurvature(L, stretch=True), domain, MATERIAL, points=(6, 3, 8))
    else:
        section = sp.Circle(0.02) if domain is None else sp.Rectangle(domain.height, domain.width)
        body = sp.Rod(L, section, MATERIAL, sp.Legendre(bend_y=0, bend_z=0, stretch=0), points=6)
    robot.add_link("arm", body, parent="base", at=sp.pose(at))
    robot.add(sp.Contact("touch", shape, *others, **LAW))
    return robot.compile()


@pytest.mark.parametrize("domain", [None, sp.Block(L, 0.06, 0.02)])
@pytest.mark.parametrize("other", [sp.Plane(height=0.01), sp.Box((0.3, 0.3, 0.3), sp.pose((0.2, 0.0, -0.13)))])
def test_spheres_in_sections_touch_as_those_of_the_same_rod(other, domain):
    models = [arm(soft, sp.Spheres("arm", n=7), other, domain=domain) for soft in (True, False)]
    bare = [arm(soft, sp.Spheres("arm", n=7), sp.Plane(height=-9.0), domain=domain) for soft in (True, False)]
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v = 0.2 * rng.standard_normal((2, 4))
        zero = np.zeros(4)
        mine, theirs = (
            model.residual(q, v, zero) - without.residual(q, v, zero)
            for model, without in zip(models, bare, strict=True)
        )
        assert abs(theirs).max() > 1e-3
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9)


def test_derivatives_of_points_of_the_skin_against_differences():
    body = soft_cone(0)
    robot = sp.Robot("cone")
    robot.add_link("cone", body, joint=sp.Free())
    skin = sp.Spheres("cone", at=body.domain.skin(4, 6), radius=0.0)
    robot.add(sp.Contact("floor", skin, sp.Plane(height=0.01), **LAW))
    robot.add(sp.Contact("ball", skin, sp.Ball(0.1, (0.15, 0.0, 0.1)), **LAW))
    model = robot.compile()
    rng = np.random.default_rng(1)
    q, v, a = 0.1 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.zeros(0))
    assert report.worst.error < 1e-7, str(report)
    assert abs(model.residual_derivatives(q, v, a)[0]).max() > 1.0


def test_two_soft_bodies_and_a_rod_touch_each_other():
    robot = sp.Robot("knot")
    for i, name in enumerate(("a", "b")):
        robot.add_link(name, soft_cone(i), joint=sp.Revolute("z"), at=sp.pose((0.0, 0.03 * i, 0.0)))
    rod = sp.Rod(0.3, sp.Circle(0.02), MATERIAL, sp.Legendre(bend_y=1, bend_z=1), points=4)
    robot.add_link("rod", rod, at=sp.pose((0.0, 0.0, 0.03)))
    robot.add(sp.Contact("ab", sp.Spheres("a", n=5), sp.Spheres("b", n=6), **LAW))
    robot.add(sp.Contact("ar", sp.Spheres("a", n=5), sp.Spheres("rod", n=6), **LAW))
    model = robot.compile()
    rng = np.random.default_rng(2)
    q, v, a = 0.05 * rng.standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.zeros(0))
    assert report.worst.error < 1e-7, str(report)
    sizes = {line.load: line.size for line in report.rows if line.derivative == "dR/dq"}
    assert all(sizes[name] > 0.1 for name in ("ab", "ar"))


def test_points_of_one_body_that_are_neighbours_at_rest_do_not_touch():
    """Far ones may, when it curls up."""
    body = sp.SoftBody(sp.ConstantCurvature(L), sp.Cylinder(L, 0.02), MATERIAL)
    robot = sp.Robot("ring")
    robot.add_link("ring", body)
    ends = sp.Spheres("ring", at=[(0.01, 0.0, 0.0), (0.03, 0.0, 0.0)], radius=0.02)
    robot.add(sp.Contact("self", ends, sp.Spheres("ring", n=5), **LAW))
    model = robot.compile()
    assert (model.contact(np.array([0.0, 0.5]), "self").gap > 0.0).all()
    curled = model.contact(np.array([0.0, 6.0]), "self")
    assert curled.gap.min() < -0.01
    zero = np.zeros(2)
    assert model.check_derivatives(np.array([0.0, 6.0]), zero + 0.1, zero, np.zeros(0)).worst.error < 1e-7


def test_a_soft_body_comes_to_rest_on_the_floor():
    """Its weight is what the floor carries."""
    robot = sp.Robot("drop")
    body = soft_cone(1)
    robot.add_link("cone", body, joint=sp.Translational(), at=sp.pose((0.0, 0.0, 0.03)))
    skin = sp.Spheres("cone", at=body.domain.skin(6, 8), radius=0.0)
    robot.add(sp.Contact("floor", skin, sp.Plane(), stiffness=1e4, exponent=1.0, damping=0.0))
    model = robot.compile()
    rest = model.statics()
    forces = model.contact(rest.q, "floor").total[5]
    assert rest.converged
    assert forces == pytest.approx(9.81 * body.masses.sum(), rel=1e-6)


def test_what_spheres_on_soft_bodies_need():
    points = sp.Points(np.random.default_rng(0).uniform(0.0, 0.2, (20, 3)), np.full(20, 0.01))
    robot = sp.Robot("cloud")
    robot.add_link("cloud", sp.SoftBody(sp.ConstantCurvature(L), points, stiffness=np.eye(2)))
    robot.add(sp.Contact("floor", sp.Spheres("cloud", at=[(0.1, 0.0, 0.0)]), sp.Plane(), 1e3))
    with pytest.raises(ModelError, match="does not know its radius, give Spheres one"):
        robot.compile()
    with pytest.raises(ModelError, match="Points has no axis"):
        points.skin()
    with pytest.raises(ModelError, match="must hold stations between 0 and 1"):
        sp.Spheres("cone", at=[1.5])
