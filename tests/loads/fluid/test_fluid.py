"""Water: buoyancy, drag and lift, added mass and current."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import (
    difference_jacobian,
    random_coordinates,
    random_rigid,
    random_robot,
    random_spd,
    relative_error,
    size,
)
from supple.errors import ModelError, ModelWarning
from supple.loads.fluid.coefficients import AddedMass, Drag
from supple.loads.fluid.fluid import Fluid

GRAVITY = (0.0, 0.0, -9.81)


def random_fluid(rng, robot, current=True, drag=True, added=True, buoyancy=True):
    """A fluid with full matrices on every link; drag with lift, so not symmetric."""
    named = [link.name for link in robot.links]

    def lifting():
        D = random_spd(rng, 6, 0.5)
        twist = 0.3 * rng.standard_normal((6, 6))
        return D + twist - twist.T

    drags = {name: lifting() for name in named} if drag else None
    masses = {name: random_spd(rng, 6, 0.3) for name in named} if added else None
    flow = rng.standard_normal(3) if current else np.zeros(3)
    return Fluid(density=700.0, current=flow, drag=drags, added_mass=masses, buoyancy=buoyancy)


def wet_robot(rng):
    """A random robot whose links all have a volume or a radius."""
    while True:
        robot = random_robot(rng, most=14)
        other = sp.Robot("wet", gravity=robot.gravity)
        for link in robot.links:
            body = link.body
            if isinstance(body, sp.Rigid) and body.volume is None:
                body = sp.Rigid(body.mass, body.inertia, body.com, body.tip, volume=0.01)
            if isinstance(body, sp.Rod) and isinstance(body.section, sp.Section):
                break
            other.add_link(link.name, body, joint=link.joint, parent=link.parent, at=link.at)
        else:
            return other


def wet_case(seed, **options):
    rng = np.random.default_rng([7, seed])
    robot = wet_robot(rng)
    robot.add(random_fluid(rng, robot, **options))
    model = robot.compile()
    kind = ("zero", "tiny", "moderate", "huge")[seed % 4]
    return model, random_coordinates(rng, robot, kind), rng.standard_normal(model.n), rng.standard_normal(model.n)


@pytest.mark.parametrize("seed", range(24))
def test_tangents_against_differences(seed):
    parts = ({}, {"added": False}, {"drag": False}, {"drag": False, "added": False}, {"current": False})
    model, q, v, a = wet_case(seed, **parts[seed % len(parts)])
    _, dq, dv, da = model.inverse_dynamics_derivatives(q, v, a)  # tau has kinks at soft limits
    ID = model.inverse_dynamics
    assert relative_error(dq, difference_jacobian(lambda x: ID(x, v, a), q), floor=1.0) < 1e-6
    assert relative_error(dv, difference_jacobian(lambda x: ID(q, x, a), v), floor=1.0) < 1e-6
    assert relative_error(da, difference_jacobian(lambda x: ID(q, v, x), a), floor=1e-3) < 1e-8
    exact = model.residual_derivatives(q, v, a)
    fused = exact.dq + 1.7 * exact.dv + 0.6 * exact.da
    residual, tangent = model.residual_tangent(q, v, a, cv=1.7, ca=0.6)
    assert relative_error(tangent, fused) < 1e-10
    assert relative_error(residual, model.residual(q, v, a)) < 1e-11
    x = np.linspace(-1.0, 1.0, model.n)
    assert relative_error(model.tangent_product(q, v, a, x, cv=1.7, ca=0.6), fused @ x, size(fused)) < 1e-9
    product = model.tangent_product(q, v, a, x, cv=1.7, ca=0.6, transposed=True)
    assert relative_error(product, fused.T @ x, size(fused)) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_added_mass_is_in_every_mass_matrix(seed):
    model, q, v, a = wet_case(seed)
    assert relative_error(model.mass_matrix(q), model.inverse_dynamics_derivatives(q, v, a).mass) < 1e-11
    solved = model.forward_dynamics(q, v).a
    terms = size(model.mass_matrix(q)) * size(solved) + size(model.residual(q, v, 0.0 * a))
    assert size(model.residual(q, v, solved)) < 1e-8 * terms


def sphere_in(fluid, density=500.0, gravity=GRAVITY, joint=None):
    robot = sp.Robot("ball", gravity=gravity)
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=density), joint=joint or sp.Translational())
    robot.add(fluid)
    return robot.compile()


def test_ball_rises_with_the_acceleration_of_textbooks():
    volume = 4.0 / 3.0 * np.pi * 0.1**3
    model = sphere_in(Fluid(added_mass={"ball": AddedMass(0.5, 0.5, 0.5)}))
    rise = model.forward_dynamics(np.zeros(3), np.zeros(3)).a
    assert np.allclose(rise, [0.0, 0.0, (1000.0 - 500.0) / (500.0 + 0.5 * 1000.0) * 9.81], rtol=1e-13, atol=1e-13)
    assert np.allclose(model.mass_matrix(np.zeros(3)), volume * 1000.0 * np.eye(3), rtol=1e-13)


def test_gravity_does_not_act_on_added_mass():
    fluid = Fluid(added_mass={"ball": [0, 0, 0, 1.0, 2.0, 3.0]}, buoyancy=False)
    dry = 500.0 * 4.0 / 3.0 * np.pi * 0.1**3
    assert np.allclose(sphere_in(fluid).inverse_dynamics(*np.zeros((3, 3))), [0.0, 0.0, dry * 9.81], atol=1e-13)


def test_a_robot_of_the_fluids_density_floats_in_any_pose():
    rng = np.random.default_rng(5)
    robot = sp.Robot("neutral", gravity=rng.uniform(-9, 9, 3))
    material = sp.Material(young=1e5, density=1030.0)
    rod = sp.Rod(0.5, sp.Circle((0.05, 0.02)), material, sp.Legendre(bend_y=2, bend_z=2, torsion=1), points=6)
    robot.add_link("hull", sp.Rigid.cone(0.4, 0.1, 0.05, density=1030.0), joint=sp.Free())
    robot.add_link("tail", rod, parent="hull")
    robot.add(Fluid(density=1030.0, drag=Drag(), added_mass=AddedMass()))
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    weight = 1030.0 * 9.0 * 0.4 * np.pi * 0.1**2
    assert size(model.inverse_dynamics(q, 0 * q, 0 * q)) < 1e-12 * weight
    assert abs(model.energy(q, 0 * q).gravitational) < 1e-12 * weight
    derivatives = model.inverse_dynamics_derivatives(q, 0 * q, 0 * q)
    assert size(derivatives.dq) < 1e-12 * weight


def test_buoyancy_of_a_rod_is_the_paper_s_factor():
    """Uniform density: gravity times 1 - rho_w / rho_b per link."""

    def arm(gravity):
        robot = sp.Robot("arm", gravity=gravity)
        rod = sp.Rod(0.4, sp.Circle((0.02, 0.01)), sp.Material(young=1e6, density=1200.0), sp.Legendre(bend_y=2))
        robot.add_link("arm", rod)
        return robot

    wet, dry = arm((1.0, 2.0, -9.0)), arm(np.array([1.0, 2.0, -9.0]) * (1 - 1000.0 / 1200.0))
    wet.add(Fluid())
    q = np.array([0.4, -0.3, 0.2])
    wet, dry = wet.compile(), dry.compile()
    assert relative_error(wet.inverse_dynamics(q, q, q), dry.inverse_dynamics(q, q, q)) < 1e-12
    assert relative_error(*(m.inverse_dynamics_derivatives(q, q, q).dq for m in (wet, dry))) < 1e-12
    assert np.isclose(wet.energy(q, q).gravitational, dry.energy(q, q).gravitational, rtol=1e-12)


def test_drag_of_a_straight_rod_in_cross_flow():
    robot = sp.Robot("rod", gravity=(0, 0, 0))
    rod = sp.Rod(0.5, sp.Circle(0.02), sp.Material(young=1e6, density=1000.0), sp.Legendre(torsion=0), points=4)
    robot.add_link("rod", rod, joint=sp.Translational())
    robot.add(Fluid(density=900.0, drag={"rod": Drag(normal=1.2, tangential=0.02, lift=0.3)}))
    model = robot.compile()

    def force(*v):
        return -model.inverse_dynamics(np.zeros(4), [*v, 0.0], np.zeros(4))[:3] / (900.0 * 0.02 * 0.5)

    assert np.allclose(force(0.0, 2.0, 0.0), [0.0, -1.2 * 4.0, -0.3 * 4.0])
    assert np.allclose(force(0.0, 0.0, 2.0), [0.0, 0.3 * 4.0, -1.2 * 4.0])
    assert np.allclose(force(2.0, 0.0, 0.0), [-0.02 * np.pi * 4.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(12))
def test_drag_dissipates_in_still_water(seed):
    rng = np.random.default_rng([8, seed])
    robot = wet_robot(rng)
    dry = robot.compile()
    robot.add(random_fluid(rng, robot, current=False, added=False, buoyancy=False))
    model = robot.compile()
    q, v = random_coordinates(rng, robot, "moderate"), rng.standard_normal(model.n)
    power = v @ (dry.inverse_dynamics(q, v, v) - model.inverse_dynamics(q, v, v))
    assert power < 0.0


@pytest.mark.parametrize("seed", range(12))
def test_energy_is_kept_but_for_drag_and_damping(seed):
    """dE/dt = v . (tau without springs) - drag: added mass and buoyancy are conservative in still water."""
    model, q, v, _ = wet_case(seed, current=False, drag=False)
    a = model.forward_dynamics(q, v).a
    step = 1e-4

    def energy(h):
        return model.energy(q + h * v + 0.5 * h * h * a, v + h * a).total

    rate = (8.0 * (energy(step) - energy(-step)) - energy(2 * step) + energy(-2 * step)) / (12.0 * step)
    power = abs(v) @ abs(model.mass_matrix(q)) @ abs(a) + abs(model.energy(q, v).total)
    assert abs(rate + v @ model.damping @ v) < 1e-7 * power


@pytest.mark.parametrize("seed", range(8))
def test_a_current_is_a_moving_frame(seed):
    """Motion in a current equals motion in still water as seen by who drifts along: drag, added mass, buoyancy."""
    rng = np.random.default_rng([9, seed])
    current = rng.standard_normal(3)
    links = ("hull", "tail")
    drag, added = ({link: random_spd(rng, 6) for link in links} for _ in range(2))
    models = []
    for flow in (current, np.zeros(3)):
        robot = sp.Robot("drifting")
        robot.add_link("cart", sp.Rigid(0.0, np.zeros(3)), joint=sp.Translational())
        body = sp.Rigid(2.0, [0.1, 0.2, 0.25], com=(0.1, -0.2, 0.05), volume=0.001)
        robot.add_link("hull", body, joint=sp.Spherical(), parent="cart")
        rod = sp.Rod(0.5, sp.Circle(0.05), sp.Material(young=1e5, density=1100.0), sp.Legendre(bend_y=1, stretch=1))
        robot.add_link("tail", rod, parent="hull", joint=sp.Revolute("z"), at=sp.pose((0.1, 0.2, 0.3)))
        robot.add(Fluid(current=flow, drag=drag, added_mass=added))
        models.append(robot.compile())
    q, v, a = 0.5 * rng.standard_normal((3, models[0].n))
    relative = v.copy()
    relative[:3] -= current
    drifting, still = models[0].inverse_dynamics(q, v, a), models[1].inverse_dynamics(q, relative, a)
    assert relative_error(drifting, still) < 1e-12


def test_a_body_at_rest_in_a_current_is_carried_along():
    model = sphere_in(Fluid(current=(1.0, -2.0, 0.5), drag={"ball": Drag()}, buoyancy=False), gravity=(0, 0, 0))
    a = model.forward_dynamics(np.zeros(3), np.zeros(3)).a
    assert np.allclose(np.cross(a, [1.0, -2.0, 0.5]), 0.0, atol=1e-12)
    assert a @ [1.0, -2.0, 0.5] > 0.0
    assert np.allclose(model.forward_dynamics(np.zeros(3), [1.0, -2.0, 0.5]).a, 0.0, atol=1e-13)


@pytest.mark.parametrize("speed", [0.0, 1e-300, 1e-160, 1e-12])
def test_tangents_are_finite_at_rest(speed):
    full = random_spd(np.random.default_rng(1), 6)
    model = sphere_in(Fluid(drag={"ball": full}), joint=sp.Free())
    for spin in (0.0, 1.0):
        v = np.array([spin, speed, speed, speed, speed, speed])
        derivatives = model.residual_derivatives(np.zeros(6), v, np.zeros(6))
        assert np.isfinite(derivatives.dq).all()
        assert np.isfinite(derivatives.dv).all()


def test_functions_of_s_and_constants_agree():
    D, M = random_spd(np.random.default_rng(2), 6), random_spd(np.random.default_rng(3), 6)
    results = []
    for given in (lambda X: X, lambda X: lambda s: X):
        robot = sp.Robot("rod")
        rod = sp.Rod(0.5, sp.Circle(0.02), sp.Material(young=1e6, density=1000.0), sp.Legendre(bend_y=1, torsion=1))
        robot.add_link("rod", rod)
        robot.add(Fluid(drag={"rod": given(D)}, added_mass={"rod": given(M)}))
        results.append(robot.compile().inverse_dynamics(*np.ones((3, 4))))
    assert np.array_equal(*results)


def test_only_named_links_are_immersed():
    robot = sp.Robot("two")
    robot.add_link("wet", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Translational())
    robot.add_link("dry", sp.Rigid(1.0, np.ones(3)), joint=sp.Translational())
    robot.add(Fluid(links=["wet"]))
    force = robot.compile().inverse_dynamics(*np.zeros((3, 6)))
    assert np.allclose(force, [0, 0, 0, 0, 0, 9.81], atol=1e-12)


def test_a_wet_model_pickles():
    model = sphere_in(Fluid(drag=Drag(), added_mass=AddedMass(), current=(1, 0, 0)))
    other = pickle.loads(pickle.dumps(model))
    state = np.random.default_rng(0).standard_normal((3, 3))
    assert np.array_equal(model.inverse_dynamics(*state), other.inverse_dynamics(*state))


@pytest.mark.parametrize(
    ("fluid", "words"),
    [
        (Fluid(), ["'fluid'", "'body'", "volume"]),
        (Fluid(buoyancy=False, drag=Drag()), ["'body'", "drag", "shape"]),
        (Fluid(buoyancy=False, added_mass={"body": AddedMass()}), ["'body'", "added_mass", "shape"]),
        (Fluid(buoyancy=False, added_mass={"body": Drag()}), ["added_mass", "Drag"]),
        (Fluid(buoyancy=False, drag={"body": np.eye(5)}), ["drag", "(5, 5)"]),
        (Fluid(buoyancy=False, drag={"body": lambda s: np.eye(6)}), ["rigid", "function of s"]),
        (Fluid(buoyancy=False, drag=np.eye(6)), ["dict"]),
        (Fluid(buoyancy=False, added_mass={"body": -np.eye(6)}), ["added_mass", "negative"]),
        (Fluid(buoyancy=False, drag={"ghost": np.eye(6)}), ["'ghost'"]),
        (Fluid(links=["ghost"]), ["'ghost'"]),
        (Fluid(links=["rod"], drag={"body": np.eye(6)}), ["'body'", "immersed"]),
        (Fluid(links=["rod"]), ["'rod'", "radius"]),
        (Fluid(links=["rod"], buoyancy=False, drag=Drag()), ["'rod'", "radius"]),
        (Fluid(density=-1.0), ["density", "positive"]),
        (Fluid(current=(0, np.nan, 0)), ["current"]),
    ],
)
def test_bad_input_is_named(fluid, words):
    robot = sp.Robot("bad")
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), joint=sp.Revolute("y"))
    section = sp.Section(np.ones(6), np.ones(6))
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(bend_y=0)))
    robot.add(fluid)
    with pytest.raises(ModelError) as caught:
        robot.compile()
    for word in words:
        assert word in str(caught.value)


def test_drag_that_feeds_energy_is_warned_of():
    with pytest.warns(ModelWarning, match="'ball'.*energy"):
        sphere_in(Fluid(drag={"ball": -np.eye(6)}))


def test_bad_coefficients():
    for make in (lambda: Drag(normal=-1), lambda: Drag(lift=np.nan), lambda: AddedMass(y=-1)):
        with pytest.raises(ModelError):
            make()


def test_adapters_without_mass_displace_nothing():
    robot = sp.Robot("adapter")
    robot.add_link("adapter", sp.Rigid(0.0, np.zeros(3)), joint=sp.Fixed())
    robot.add_link("ball", random_rigid(np.random.default_rng(0)), joint=sp.Revolute("y"), parent="adapter")
    dry = robot.compile()
    robot.add(Fluid(links=["adapter"], drag=Drag(), added_mass=AddedMass()))
    state = [0.3], [1.2], [-0.7]
    assert robot.compile().residual(*state) == pytest.approx(dry.residual(*state), rel=1e-14)
