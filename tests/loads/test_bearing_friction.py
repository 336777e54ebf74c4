"""Friction that follows the reaction of its joint: what it carries, how it brakes, derivatives, what is refused."""

import numpy as np
import pytest

import supple as sp
from fuzz.gradients import check
from helpers import random_coordinates, random_robot, relative_error
from load_kinds import KINDS, add_kinds
from motion_cases import METHODS
from step_cases import consistent
from supple.solvers import problem as problem_module

AXIS = np.array([0.0, 0.6, 0.8])


def carried(wrench, axis, turns, arm):
    """N of a reaction (6,) in the joint's frame."""
    m, f = wrench[:3], wrench[3:]
    if turns:
        m = m - (m @ axis) * axis
    else:
        f = f - (f @ axis) * axis
    return np.sqrt(f @ f + m @ m / arm**2)


@pytest.mark.parametrize("turns", [True, False])
def test_the_state_follows_the_whole_reaction(turns):
    """Beyond the joint: a rod, a soft body, a loop, a spring, a tendon, a contact; before it: a joint that moves."""
    joint = sp.Revolute(AXIS) if turns else sp.Prismatic(AXIS)
    robot = sp.Robot("arm")
    material = sp.Material(young=1e6, density=1000.0, viscosity=300.0)
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), sp.Spherical())
    arm = sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, stretch=0))
    at = sp.pose((0.1, 0.0, 0.0), (0.1, 0.2, 0.3))
    robot.add_link("arm", arm, joint, parent="base", at=at)
    robot.add_link("hand", sp.Rigid.sphere(0.05, density=500.0), sp.Revolute("y"), parent="arm")
    robot.add(sp.BearingFriction("bearing", "arm", 0.3, radius=0.02 if turns else None, arm=0.1, lag=0.02, start=2.0))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.Spring("s", ("hand", 1.0), ("world", 0.0), stiffness=30.0, rest_length=0.1, damping=1.0))
    robot.add(sp.Loop("l", ("hand", sp.pose()), ("world", sp.pose((0.4, 0.0, 0.0))), sp.Spherical()))
    robot.add(sp.Contact("floor", sp.Spheres("arm", 5), sp.Plane(height=0.05), stiffness=1e4))
    model = robot.compile()
    rng = np.random.default_rng(0)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    u, lam, z = np.array([3.0]), rng.standard_normal(model.nc), np.array([1.7])
    reaction = model.reaction(q, "arm", v=v, a=a, u=u, lam=lam, z=z, frame="local")
    if not turns:  # moments about the frame after the joint
        reaction[:3] -= np.cross(q[3] * AXIS, reaction[3:])
    expected = (carried(reaction, AXIS, turns, 0.1) - 1.7) / 0.02
    model.residual(q, v, a, u, lam, 0.0, z)
    space, _ = model.workspace.own()
    (states,) = model.demand.states
    assert states.names == ("bearing.load",)
    assert np.isclose(space.signals[states.rate], expected, rtol=1e-10)


def slider(coefficient, lag=1e-3, slope=0.0, start=1.0 * 9.81):
    """A block of 1 kg on a plane that is inclined by ``slope``."""
    robot = sp.Robot("slider", gravity=(9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
    robot.add_link("block", sp.Rigid(1.0, [1e-3] * 3), sp.Prismatic("x"))
    robot.add(sp.BearingFriction("guide", "block", coefficient, lag=lag, start=start))
    return robot.compile()


def test_a_block_is_braked_by_its_weight():
    motion = slider(0.3).simulate(np.linspace(0.0, 0.3, 4), v0=[1.0], method=sp.GeneralizedAlpha(dt=1e-3))
    assert np.allclose(motion.v[:, 0], 1.0 - 0.3 * 9.81 * motion.t, atol=2e-3)
    slope = 0.5
    motion = slider(0.3, slope=slope, start=9.81 * np.cos(slope)).simulate(0.5, method=sp.GeneralizedAlpha(dt=1e-3))
    pull = 9.81 * (np.sin(slope) - 0.3 * np.cos(slope))
    assert np.isclose(motion.v[-1, 0], 0.5 * pull, rtol=0.01)


def test_friction_grows_with_the_speed_of_a_turning_arm():
    """A point mass on an arm without gravity: N = m l w^2, so w' = -mu r N / (m l^2), and w = w0 / (1 + k w0 t)."""
    mass, length, coefficient, radius, w0 = 0.5, 0.4, 0.2, 0.05, 20.0
    robot = sp.Robot("arm", gravity=(0.0, 0.0, 0.0))
    robot.add_link("arm", sp.Rigid(mass, np.zeros(3), com=(length, 0.0, 0.0)), sp.Revolute("z"))
    numbers = {"radius": radius, "lag": 1e-3, "slip_velocity": 1e-2, "start": mass * length * w0**2}
    robot.add(sp.BearingFriction("bearing", "arm", coefficient, **numbers))
    model = robot.compile()
    for method in (sp.GeneralizedAlpha(dt=2e-3), sp.NDF(rtol=1e-7), sp.BDF2(dt=2e-3)):
        motion = model.simulate(1.0, v0=[w0], method=method)
        k = coefficient * radius / length
        assert np.isclose(motion.v[-1, 0], w0 / (1.0 + k * w0), rtol=3e-3), method
    energies = [model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.all(np.diff(energies) < 1e-9)


def test_a_shorter_lag_nears_the_reaction_itself():
    errors = []
    for lag in (0.1, 0.05, 0.025):
        motion = slider(0.4, lag=lag, start=0.0).simulate(0.5, v0=[4.0], method=sp.GeneralizedAlpha(dt=1e-3))
        errors.append(motion.v[-1, 0] - (4.0 - 0.4 * 9.81 * 0.5))
    assert np.allclose(np.array(errors[:-1]) / errors[1:], 2.0, rtol=0.05)  # first order


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_beside_all_kinds_of_loads(seed):
    rng = np.random.default_rng([51, seed])
    robot = add_kinds(rng, random_robot(rng, links=4), ["bearing", *list(KINDS)[seed::6]])
    robot.add_link("extra", sp.Rigid(1.0, [0.01, 0.02, 0.02], com=(0.1, 0.0, 0.0)), sp.Revolute(AXIS), parent="link0")
    robot.add(sp.BearingFriction("own", "extra", 0.3, radius=0.05, slip_velocity=0.2, start=3.0))
    model = robot.compile()
    q = np.append(random_coordinates(rng, robot, "moderate"), [])
    v, a, u = (rng.standard_normal(k) for k in (model.n, model.n, model.nu))
    assert model.check_derivatives(q, v, a, np.abs(u)).worst.error < 1e-5


def test_gradients_of_a_motion():
    def build(coefficient=0.3, mass=1.0):
        robot = sp.Robot("slider")
        robot.add_link("block", sp.Rigid(mass, [1e-3] * 3), sp.Prismatic("x", stiffness=5.0))
        robot.add(sp.BearingFriction("guide", "block", coefficient, lag=0.02, slip_velocity=0.05, start=5.0))
        return robot

    design, method = sp.Design(build, coefficient=0.3, mass=1.0), sp.GeneralizedAlpha(dt=2e-3)

    def end(v0=1.0, **changes):
        return design.model(**changes).simulate(0.1, v0=[v0], method=method).q[-1, 0]

    motion = design.model().simulate(0.1, v0=[1.0], method=method, record=True)
    weights = np.zeros_like(motion.q)
    weights[-1] = 1.0
    with pytest.warns(sp.errors.ModelWarning, match="differenced"):
        gradient = motion.vjp(q=weights)
    h = 1e-4
    assert np.isclose(gradient.v0[0], (end(1.0 + h) - end(1.0 - h)) / (2 * h), rtol=1e-5)
    for name, x in (("coefficient", 0.3), ("mass", 1.0)):
        expected = (end(**{name: x + h}) - end(**{name: x - h})) / (2 * h)
        assert np.isclose(gradient.p[name], expected, rtol=1e-4), name


def four_bar_robot(mass=1.0, coefficient=0.3, height=0.1):
    """A crank with a motor, and a loop that adds to what the bearings of crank and rod carry."""
    robot = sp.Robot("four-bar")
    links = (("crank", mass, 0.2, "world"), ("rod", 0.5, 0.4, "crank"), ("arm", 0.7, 0.3, "rod"))
    for name, mass, length, parent in links:
        body = sp.Rigid(mass, [0.01] * 3, com=(length / 2.0, 0.0, 0.0), tip=sp.pose((length, 0.0, 0.0)))
        robot.add_link(name, body, sp.Revolute("y"), parent=parent)
    robot.add(sp.JointDrive("motor", "crank"))
    robot.add(sp.Loop("l", ("arm", sp.pose()), ("world", sp.pose((0.35, 0.0, height))), sp.Revolute("y")))
    for link in ("crank", "rod"):
        numbers = {"radius": 0.05, "arm": 0.1, "lag": 0.05, "slip_velocity": 0.1, "start": 3.0}
        robot.add(sp.BearingFriction(f"bearing of {link}", link, coefficient, **numbers))
    return robot


def test_rates_follow_inputs_and_multipliers():
    """In single steps, implicit and explicit, and in linear systems."""
    model, u, z, h = four_bar_robot().compile(), np.array([2.0]), np.array([3.0, 3.0]), 1e-4
    q, v = consistent(model, np.random.default_rng(2))
    for method in (sp.RK45(), sp.ImplicitEuler(dt=5e-3, newton_rtol=1e-13, newton_atol=1e-14)):
        found = model.step_derivatives(q, v, u, 5e-3, method)
        ends = [model.step(q, v, u + x, 5e-3, method).z for x in (h, -h)]
        assert np.allclose(found.B[2 * model.n :, 0], (ends[0] - ends[1]) / (2.0 * h), rtol=1e-6)
        ends = [model.step(q, v + x, u, 5e-3, method).z for x in (h * np.eye(3)[0], -h * np.eye(3)[0])]
        by_v = found.A[2 * model.n :, model.n]
        assert np.allclose(by_v, (ends[0] - ends[1]) / (2.0 * h), rtol=1e-5, atol=1e-5 * np.abs(by_v).max())

    def rates(u):
        made = model.forward_dynamics(q, v, u, z=z)
        return model.state_rates(q, v, made.a, z, 0.0, u, np.asarray(made.multipliers))

    expected = (rates(u + h) - rates(u - h)) / (2.0 * h)
    assert np.abs(expected).min() > 0.0
    assert np.allclose(model.linearize(q, v, u, z=z).B[2 * model.n :, 0], expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("over_tree", [False, True], ids=["dense", "tree"])
@pytest.mark.parametrize("name", ["ndf", "alpha", "bdf2", "radau", "rk45"])
def test_gradients_of_motions_with_loops(name, over_tree, monkeypatch):
    """Multipliers change what bearings carry: vjp and jvp are transposes, and differences along the same steps agree.

    By the state at the beginning, inputs, states of bearings and parameters of the robot, the bearings' among them.
    """
    monkeypatch.setattr(problem_module, "tree_pays", lambda *_: over_tree)
    design, u = sp.Design(four_bar_robot, mass=1.0, coefficient=0.3, height=0.1), np.array([2.0])
    model = design.model()
    q, v = consistent(model, np.random.default_rng(2))
    motion = model.simulate(np.linspace(0.0, 0.02, 3), q, v, u, METHODS[name], record=True)
    still = motion.vjp(z=np.ones_like(motion.z))
    assert abs(still.u).max() > 1e-3  # by way of reactions alone
    check(design, motion, q, v, u, 0)


def test_files_keep_it(tmp_path):
    robot = sp.Robot("slider")
    robot.add_link("block", sp.Rigid(1.0, [1e-3] * 3), sp.Prismatic("x"))
    robot.add(sp.BearingFriction("guide", "block", 0.3, arm=0.1, start=2.0))
    robot.save(tmp_path / "slider.yaml")
    again = sp.load(tmp_path / "slider.yaml").compile()
    assert relative_error(again.residual([0.1], [0.2], [0.3]), robot.compile().residual([0.1], [0.2], [0.3])) == 0.0


def test_refused():
    def compiled(joint, **options):
        robot = sp.Robot("one")
        robot.add_link("block", sp.Rigid(1.0, [1e-3] * 3), joint)
        robot.add(sp.BearingFriction("rub", "block", 0.3, **options))
        return robot.compile()

    for match, joint, options in (
        ("BearingFriction 'rub': the joint of link 'block' is Spherical, must be Revolute", sp.Spherical(), {}),
        ("is Helical, must be", sp.Helical("x", 0.1), {}),
        ("radius is missing", sp.Revolute("x"), {}),
        (r"radius is 0\.1, but a prismatic joint has none", sp.Prismatic("x"), {"radius": 0.1}),
        ("lag is 0", sp.Prismatic("x"), {"lag": 0.0}),
    ):
        with pytest.raises(sp.ModelError, match=match):
            compiled(joint, **options)
