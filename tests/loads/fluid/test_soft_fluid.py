"""Water around soft bodies: against the same rod, and against differences."""

import numpy as np
import pytest

import supple as sp
from soft_robots import soft_cone

L = 0.3
MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)


def swimmer(soft, **options):
    robot = sp.Robot("swimmer")
    robot.add_link("head", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Free())
    body = sp.SoftBody(sp.ConstantCurvature(L, stretch=True), sp.Cone(L, 0.03, 0.01), MATERIAL, points=(6, 3, 8))
    if not soft:
        body = sp.Rod(L, sp.Circle((0.03, 0.01)), MATERIAL, sp.Legendre(bend_y=0, bend_z=0, stretch=0), points=6)
    robot.add_link("tail", body, parent="head")
    if options:
        robot.add(sp.Fluid(**options))
    return robot.compile()


@pytest.mark.parametrize(
    "options",
    [
        {"drag": sp.Drag(), "current": (0.3, -0.2, 0.1)},
        {"added_mass": sp.AddedMass(), "drag": {"tail": np.arange(1.0, 7.0)}, "current": (0.3, -0.2, 0.1)},
        {"added_mass": {"tail": lambda s: (0.1, 0.1, 0.1, 0.2, 0.3 + s, 0.4)}, "links": ["tail"]},
    ],
)
def test_water_around_a_soft_body_is_that_around_the_same_rod(options):
    rng = np.random.default_rng(0)
    q, v, a = 0.3 * rng.standard_normal((3, 9))
    changes = []
    for soft in (True, False):
        wet, dry = swimmer(soft, buoyancy=False, **options), swimmer(soft)
        changes.append(
            (
                wet.inverse_dynamics(q, v, a) - dry.inverse_dynamics(q, v, a),
                wet.mass_matrix(q) - dry.mass_matrix(q),
                wet.energy(q, v).total - dry.energy(q, v).total,
            )
        )
    assert abs(changes[1][0]).max() > 1e-2
    for mine, theirs in zip(*changes, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-10)


def test_buoyancy_of_a_thin_soft_body_is_that_of_the_same_rod():
    """Rods displace their section per metre at rest; what a body bends adds is of the order of (radius curvature)^2."""
    changes = []
    for soft in (True, False):
        robots = []
        for wet in (True, False):
            robot = sp.Robot("thin")
            body = sp.SoftBody(sp.ConstantCurvature(L), sp.Cylinder(L, 1e-4), MATERIAL, points=(8, 2, 8))
            if not soft:
                body = sp.Rod(L, sp.Circle(1e-4), MATERIAL, sp.Legendre(bend_y=0, bend_z=0), points=8)
            robot.add_link("tail", body, joint=sp.Free())
            if wet:
                robot.add(sp.Fluid())
            robots.append(robot.compile())
        q, zero = 0.3 * np.random.default_rng(0).standard_normal(8), np.zeros(8)
        forces = [model.inverse_dynamics(q, zero, zero) for model in robots]
        changes.append((forces[0] - forces[1], *np.diff([model.energy(q, zero).total for model in robots])))
    assert abs(changes[1][0]).max() > 1e-5
    for mine, theirs in zip(*changes, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-11)


def test_derivatives_in_water_against_differences():
    robot = sp.Robot("swimmer")
    robot.add_link("head", soft_cone(0), joint=sp.Free())
    robot.add_link("tail", soft_cone(1), parent="head")
    robot.add(sp.Fluid(drag=sp.Drag(), added_mass=sp.AddedMass(), current=(0.3, -0.2, 0.1)))
    model = robot.compile()
    q, v, a = 0.3 * np.random.default_rng(1).standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.zeros(0))
    assert report.worst.error < 1e-7, str(report)
