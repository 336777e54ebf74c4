"""Buoyancy of soft bodies: closed forms, limits, the potential, differences, parameters."""

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import differences
from soft_robots import soft_cone
from supple.errors import ModelError
from supple.gradients.dynamics_parameters import residual_by_parameter

RHO, G = 1000.0, 9.81
L = 0.3
RUBBER = sp.NeoHookean(young=2e5, poisson=0.4, density=1000.0)


def swelling(x, q):
    """All lengths grow by 1 + q."""
    return (1.0 + q[0]) * x


def breathing(k):
    """Swells, stretches and bends, not linearly in q."""

    def f(x, q):
        r = 1.0 + q[0] * x[0] / L + k * q[0] ** 2
        return np.stack([x[0] * (1.0 + q[1]), r * x[1] + q[2] * x[0] ** 2, r * x[2] + 0.2 * q[2] * x[0] * x[1]])

    return f


def diver(density=RHO, surface=2.0, gravity=(0.3, -0.2, -G), k=0.3, radius=0.03, **water):
    """A box in free motion with two soft bodies, one behind the other."""
    robot = sp.Robot("diver", gravity=gravity)
    robot.add_link("head", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Free())
    tail = sp.SoftBody(breathing(k), sp.Cone(L, radius, 0.01), RUBBER, n=3, points=(4, 2, 6))
    robot.add_link("tail", tail, parent="head", at=sp.pose(xyz=(0.1, 0.02, 0.3), rpy=(0.3, 0.2, 0.1)))
    fluke = sp.SoftBody(sp.ConstantCurvature(L, stretch=True), sp.Cylinder(L, 0.02), RUBBER, points=(4, 2, 6))
    robot.add_link("fluke", fluke, parent="tail")
    robot.add(sp.Fluid(density, surface=surface, **water))
    return robot


def alone(body, joint=None, **water):
    robot = sp.Robot("alone", gravity=(0.0, 0.0, -G))
    robot.add_link("body", body, joint=joint, at=sp.pose(xyz=(0.0, 0.0, -1.5)))
    if water:
        robot.add(sp.Fluid(RHO, **water))
    return robot.compile()


def test_a_swelling_cylinder_pushes_the_water_away():
    """U = rho g int (h - z) dv, with V (1 + q)^3 and a centre that does not sink."""
    body = sp.SoftBody(swelling, sp.Cylinder(0.2, 0.05), n=1, density=RHO, stiffness=[[1.0]])
    wet, dry = alone(body, surface=2.0), alone(body)
    volume = np.pi * 0.05**2 * 0.2
    for q in (-0.1, 0.0, 0.2):
        force = dry.residual([q], [0.0], [0.0]) - wet.residual([q], [0.0], [0.0])
        expected = -3.0 * (1.0 + q) ** 2 * volume * RHO * G * 3.5
        np.testing.assert_allclose(force, [expected], rtol=1e-12)
        difference = wet.energy([q], [0.0]).total - dry.energy([q], [0.0]).total
        np.testing.assert_allclose(difference, RHO * G * 3.5 * volume * (1.0 + q) ** 3, rtol=1e-12)
        slope = wet.residual_derivatives([q], [0.0], [0.0]).dq - dry.residual_derivatives([q], [0.0], [0.0]).dq
        np.testing.assert_allclose(slope, [[6.0 * (1.0 + q) * volume * RHO * G * 3.5]], rtol=1e-12)


def test_what_hangs_on_a_joint_feels_the_weight_of_the_water_it_displaces():
    body = sp.SoftBody(swelling, sp.Cylinder(0.2, 0.05), n=1, density=RHO, stiffness=[[1.0]])
    wet, dry = alone(body, sp.Translational(), surface=2.0), alone(body, sp.Translational())
    q = np.array([0.3, -0.1, 0.2, 0.15])
    lift = dry.residual(q, 0 * q, 0 * q) - wet.residual(q, 0 * q, 0 * q)
    np.testing.assert_allclose(lift[:3], [0.0, 0.0, RHO * G * np.pi * 0.05**2 * 0.2 * 1.15**3], atol=1e-12)


def test_a_soft_body_that_keeps_its_shape_is_lifted_as_a_rigid_one():
    soft = sp.SoftBody(sp.ConstantCurvature(L), sp.Cylinder(L, 0.02), density=700.0, stiffness=np.eye(2))
    rigid = sp.Rigid.cylinder(L, 0.02, density=700.0)
    q = 0.4 * np.random.default_rng(0).standard_normal(6)
    zero, forces = np.zeros(8), []
    for body, n in ((soft, 8), (rigid, 6)):
        wet, dry = alone(body, sp.Free(), surface=3.0), alone(body, sp.Free())
        state = np.concatenate([q, np.zeros(n - 6)])
        forces.append((wet.residual(state, zero[:n], zero[:n]) - dry.residual(state, zero[:n], zero[:n]))[:6])
    assert np.abs(forces[1]).max() > 1.0
    np.testing.assert_allclose(forces[0], forces[1], atol=1e-12)


def test_where_volumes_stay_the_surface_does_not_matter_and_water_weighs_nothing_in_water():
    modes = [sp.PolynomialMode((1.0 / L,)), sp.PolynomialMode((0.0, 1.0 / L))]
    kinematics = sp.VolumePreserving([sp.Bend(modes, towards="y"), sp.Twist(sp.PolynomialMode((0.0, 1.0), L))])
    body = sp.SoftBody(kinematics, sp.Cylinder(L, 0.02), density=RHO, stiffness=np.eye(3))
    q = 0.3 * np.random.default_rng(0).standard_normal(9)
    low, high = (alone(body, sp.Free(), surface=h) for h in (0.0, 100.0))
    zero = np.zeros(9)
    forces = [model.residual(q, zero, zero) for model in (low, high)]
    np.testing.assert_allclose(forces[0], forces[1], atol=1e-9)
    springs = np.concatenate([np.zeros(6), q[6:]])
    np.testing.assert_allclose(forces[0], springs, atol=1e-10)


def test_the_force_is_minus_the_gradient_of_the_energy():
    model = diver().compile()
    q, zero, h = 0.3 * np.random.default_rng(1).standard_normal(model.n), np.zeros(model.n), 1e-5
    force = model.residual(q, zero, zero)
    energies = [[model.energy(q + s * h * e, zero).total for s in (1.0, -1.0)] for e in np.eye(model.n)]
    np.testing.assert_allclose(force, [(a - b) / (2.0 * h) for a, b in energies], atol=1e-7)


@pytest.mark.parametrize("water", [{}, {"drag": sp.Drag(), "added_mass": sp.AddedMass(), "current": (0.1, 0.2, 0.3)}])
def test_derivatives_against_differences(water):
    model = diver(**water).compile()
    q, v, a = 0.3 * np.random.default_rng(1).standard_normal((3, model.n))
    report = model.check_derivatives(q, v, a, np.zeros(0))
    assert report.worst.error < 1e-10, str(report)


def test_products_with_the_tangent():
    model = diver().compile()
    q, v, a, x = 0.3 * np.random.default_rng(2).standard_normal((4, model.n))
    tangent = model.residual_tangent(q, v, a, None, None, 0.0, 3.0, 7.0)[1]
    for transposed in (False, True):
        product = model.tangent_product(q, v, a, x, 3.0, 7.0, transposed)
        np.testing.assert_allclose(product, (tangent.T if transposed else tangent) @ x, atol=1e-11)


def test_energy_stays_and_powers_add_up():
    model = diver().compile()
    q, v = 0.05 * np.random.default_rng(3).standard_normal((2, model.n))
    motion = model.simulate([0.0, 0.02], q, v, method=sp.NDF(rtol=1e-9, atol=1e-11))
    before, after = (model.energy(*state) for state in zip(motion.q, motion.v, strict=True))
    assert abs(after.loads - before.loads) > 1e-3
    assert abs(after.total - before.total) < 1e-6 * abs(after.loads - before.loads)
    a = model.forward_dynamics(q, v).a
    power = model.power(q, v, a)
    assert abs(power.loads["fluid (tail)"]) > 1e-4
    np.testing.assert_allclose(power.rates.total, 0.0, atol=1e-9)


def test_gradients_by_parameters_against_rebuilt_robots():
    def build(density=RHO, surface=2.0, gravity=(0.3, -0.2, -G), k=0.3, radius=0.03):
        return diver(density, surface, gravity, k, radius)

    values = {"density": RHO, "surface": 2.0, "gravity": np.array((0.3, -0.2, -G)), "k": 0.3, "radius": 0.03}
    design = sp.Design(build, **values)
    model = design.model()
    q, v, a = 0.2 * np.random.default_rng(4).standard_normal((3, model.n))
    found = residual_by_parameter(model, q, v, a, None, None, 0.0)
    expected = differences(design, lambda other: other.residual(q, v, a))
    assert (np.abs(expected).max(axis=1) > 1e-4).all()
    size = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found[: model.n].T / size, expected / size, atol=1e-7)


def test_clouds_of_masses_have_no_volume_and_meshes_do():
    points = sp.Points(np.random.default_rng(0).uniform(0.0, 0.2, (20, 3)), np.full(20, 0.01))
    cloud = sp.SoftBody(swelling, points, n=1, stiffness=np.eye(1))
    with pytest.raises(ModelError, match="link 'body': buoyancy needs volumes, but the weights of its Points are mass"):
        alone(cloud, surface=0.0)
    mesh = sp.Mesh(np.vstack([np.zeros(3), 0.3 * np.eye(3)]), [[0, 1, 2, 3]])
    model = alone(sp.SoftBody(swelling, mesh, n=1, density=RHO, stiffness=np.eye(1)), surface=0.0)
    dry = alone(sp.SoftBody(swelling, mesh, n=1, density=RHO, stiffness=np.eye(1)))
    lifted = model.residual([0.0], [0.0], [0.0]) - dry.residual([0.0], [0.0], [0.0])
    centre = 1.5 - 4.0 / 3.0 * 0.3 / 4.0  # of p dV: all lengths grow, heights too
    np.testing.assert_allclose(lifted, [3.0 * RHO * G * 0.3**3 / 6.0 * centre], rtol=1e-12)
    with pytest.raises(ModelError, match="link 'body': it is a soft body without an axis, along which drag"):
        alone(sp.SoftBody(swelling, mesh, n=1, density=RHO, stiffness=np.eye(1)), surface=0.0, drag=sp.Drag())


def test_what_holds_the_robot_feels_it():
    """Reactions are found by a block more in front of a joint: the body must still be found behind it."""
    lifts = []
    for wet in (True, False):
        robot = sp.Robot("held", gravity=(0.0, 0.0, -G))
        robot.add_link("arm", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Revolute("z"))
        soft = sp.SoftBody(swelling, sp.Cylinder(0.3, 0.02), RUBBER, n=1, points=(4, 2, 6))
        robot.add_link("tail", soft, parent="arm")
        if wet:
            robot.add(sp.Fluid(RHO, surface=1.0, links=["tail"]))
        model = robot.compile()
        lifts.append([model.reaction([0.3, 0.1], link)[5] for link in ("world", "arm", "tail")])
    weight = RHO * G * np.pi * 0.02**2 * 0.3 * 1.1**3
    np.testing.assert_allclose(np.subtract(*lifts), [-weight] * 3, rtol=1e-10)


def test_a_bad_surface_is_named():
    with pytest.raises(ModelError, match="Fluid 'fluid': surface is 'high'"):
        alone(soft_cone(), surface="high")
