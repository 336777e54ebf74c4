"""Equilibria: balance of forces, warm starts, loops, prescribed joints, stability, failures, many at once."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from helpers import difference_jacobian, manipulator_rod, random_robot, relative_error, size
from supple.systems import SYSTEMS

DOWN = (0.0, 0.0, -9.81)
BOB = sp.Rigid(1.0, np.full(3, 0.01), com=(0.3, 0.0, 0.0))


def one_link(body, joint=None, gravity=DOWN, *items, **options):
    robot = sp.Robot("one", gravity=gravity)
    robot.add_link("link", body, joint=joint, **options)
    for item in items:
        robot.add(item)
    return robot.compile()


def soft_rod(order=3, **options):
    strain = sp.Legendre(torsion=order, bend_y=order, bend_z=order, stretch=1)
    return sp.Rod(0.5, sp.Circle((0.02, 0.01)), sp.Material(1e6, density=1000.0), strain, points=8, **options)


def planar_rod(order=8, points=12):
    """Length and bending stiffness one, bending about y."""
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    return sp.Rod(1.0, section, strain=sp.Legendre(bend_y=order), points=points)


def manipulator():
    """The cable-driven manipulator of [GVS-AD] section 4.5 with its five cables."""
    length, side = 0.5, np.sqrt(3.0) / 2.0

    def radius(X):
        return 0.03 - 0.015 * X / length

    def turn(X):
        return 4.0 * np.pi * X / length

    routes = [
        lambda X: (0.0 * X, radius(X)),
        lambda X: (-side * radius(X), -0.5 * radius(X)),
        lambda X: (side * radius(X), -0.5 * radius(X)),
        lambda X: (0.015 * np.sin(turn(X)), 0.015 * np.cos(turn(X))),
        lambda X: (0.015 * np.sin(turn(X)), -0.015 * np.cos(turn(X))),
    ]
    robot = sp.Robot("manipulator", gravity=DOWN)
    robot.add_link("arm", manipulator_rod())
    for i, route in enumerate(routes):
        robot.add(sp.Tendon(f"t{i}", {"arm": route}))
    return robot.compile()


def residual_at(found):
    """Residual, computed anew."""
    zero = np.zeros(found.model.n)
    return found.model.residual(found.q, zero, zero, found.u, np.asarray(found.multipliers), found.t)


def closed_frame(stiffness=2.0, load=-3.0):
    """Two soft legs, one prescribed hinge, a platform; the loop is open as described."""
    robot = sp.Robot("frame", gravity=DOWN)
    up = sp.pose(rpy=(0.0, -np.pi / 2.0, 0.0))
    left, right = up.copy(), up.copy()
    left[0, 3], right[0, 3] = -0.1, 0.1
    robot.add_link("left", soft_rod(), sp.Revolute("y"), at=left)
    robot.add_link("right", soft_rod(), sp.Revolute("y", stiffness=stiffness), at=right)
    robot.add_link("top", sp.Rigid.box((0.02, 0.02, 0.3), density=300.0), parent="left")
    robot.add(sp.Prescribed("left", lambda t: (0.2 * t, 0.2, 0.0)))
    robot.add(sp.Loop("close", a=("top", sp.pose((0.0, 0.0, -0.1))), b=("right", sp.pose()), joint=sp.Revolute("y")))
    robot.add(sp.PointWrench("top", [0.0, 0.0, 0.0, 0.5, 0.2, load]))
    return robot.compile()


# ---------------------------------------------------------------------- balance


def held_robot(rng):
    """A random robot all of whose joints have springs."""
    robot, other = random_robot(rng), sp.Robot("held", gravity=rng.uniform(-10.0, 10.0, 3))
    for link in robot.links:
        joint = link.joint
        if joint.dof:
            names = ("axis", "axis1", "axis2", "pitch", "normal", "order", "joints")
            arguments = {name: getattr(joint, name) for name in names if hasattr(joint, name)}
            joint = type(joint)(**arguments, stiffness=rng.uniform(20.0, 60.0, joint.dof))
        other.add_link(link.name, link.body, joint=joint, parent=link.parent, at=link.at)
    return other


def test_random_robots_find_rest():
    """Robots that springs hold, thrown together at random and loaded heavily."""
    failed, iterations = [], []
    for seed in range(100):
        model = held_robot(np.random.default_rng([77, seed])).compile()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.ModelWarning)
            found = model.statics()
        if not found:
            failed.append(seed)
            continue
        iterations.append(found.iterations)
        assert size(residual_at(found)) < 1e-9
        assert found.residual == pytest.approx(size(residual_at(found)), abs=1e-10)
    assert not failed
    assert np.median(iterations) <= 12


def test_a_warm_start_needs_fewer_steps():
    model = manipulator()
    u = np.array([30.0, 5.0, 0.0, 20.0, 10.0])
    cold = model.statics(u)
    warm = model.statics(1.01 * u, q0=cold.q)
    assert warm.iterations < model.statics(1.01 * u).iterations
    assert model.statics(u, q0=cold.q).iterations == 1
    assert warm.q == pytest.approx(model.statics(1.01 * u).q, abs=1e-9)


def test_inputs_by_name():
    model = manipulator()
    assert model.statics({"t3": 20.0}).q == pytest.approx(model.statics([0, 0, 0, 20.0, 0]).q, abs=0.0)
    with pytest.raises(sp.StateError, match=r"no input 't9'.*t0, t1"):
        model.statics({"t9": 1.0})


def test_time_of_laws():
    model = one_link(
        BOB, sp.Prismatic("z", stiffness=10.0), (0, 0, 0), sp.PointWrench("link", lambda t: [0, 0, 0, 0, 0, t])
    )
    assert model.statics(t=3.0).q == pytest.approx([0.3])


def test_effort_of_a_prescribed_joint():
    """The motor of a bent arm carries its moment; the same drive leaves it at rest."""
    robot = sp.Robot("arm", gravity=DOWN)
    robot.add_link("shaft", BOB, sp.Revolute("y"))
    robot.add_link("arm", soft_rod(), parent="shaft")
    robot.add(sp.Prescribed("shaft", lambda t: (0.3, 0.0, 0.0)))
    model = robot.compile()
    found = model.statics()
    assert found.q[0] == 0.3
    assert size(residual_at(found)[1:]) < 1e-10
    assert found.efforts == pytest.approx([residual_at(found)[0]], abs=1e-10)
    # virtual work: what the motor gives is the slope of the potential
    potential = difference_jacobian(
        lambda x: [_potential(model, np.concatenate([x, found.q[1:]]))], np.array([0.3]), 1e-3
    )
    assert found.efforts[0] == pytest.approx(potential[0, 0], rel=1e-8)


def _potential(model, q):
    energy = model.energy(q, np.zeros(model.n))
    return energy.elastic + energy.gravitational


# ---------------------------------------------------------------------- loops


def test_an_open_loop_is_closed_in_equilibrium():
    """Residual with multipliers vanishes on free coordinates, loops are closed, the effort balances the rest."""
    model = closed_frame()
    assert size(model.loop_error(model.rest)) > 0.05
    found = model.statics(t=1.0)
    assert found.converged
    assert found.loop_error < 1e-11
    assert size(model.loop_error(found.q)) < 1e-11
    assert found.q[0] == pytest.approx(0.2)
    R = residual_at(found)
    assert size(R[1:]) < 1e-9
    assert found.efforts == pytest.approx(R[:1], abs=1e-9)


def test_virtual_work_in_a_loop():
    """Along what the loop and the motor allow, the potential is stationary; the loop's wrench does no work there."""
    model = closed_frame()
    found = model.statics(t=1.0)
    free = np.arange(1, model.n)
    rows = np.linalg.svd(model.loop_jacobian(found.q)[:, free])[2]
    allowed = np.zeros((model.n, len(rows) - model.nc))
    allowed[free] = rows[model.nc :].T
    zero = np.zeros(model.n)
    assert size(allowed.T @ model.residual(found.q, zero, zero, t=1.0)) < 1e-9  # without multipliers
    assert size(model.residual(found.q, zero, zero, t=1.0)) > 0.1


def test_assemble_at_rest():
    model = closed_frame()
    q = model.assemble(at_rest=True, t=1.0)
    assert q == pytest.approx(model.statics(t=1.0).q, abs=1e-9)
    assert size(q - model.assemble(np.concatenate([[0.2], np.zeros(model.n - 1)]))) > 1e-3


def test_a_loop_carries_weight():
    """A weight on two springs in series with a loop: its wrench is the weight."""
    robot = sp.Robot("hung", gravity=DOWN)
    robot.add_link("weight", sp.Rigid(2.0, np.ones(3)), sp.Prismatic("z"))
    robot.add_link("hook", sp.Rigid(0.5, np.ones(3)), sp.Prismatic("z", stiffness=100.0))
    robot.add(sp.Loop("hang", a=("weight", sp.pose()), b=("hook", sp.pose()), joint=sp.Fixed()))
    model = robot.compile()
    found = model.statics()
    assert found.q == pytest.approx(np.full(2, -2.5 * 9.81 / 100.0))
    assert found.multipliers["hang"] == pytest.approx([0, 0, 0, 0, 0, 2.0 * 9.81])
    again = model.statics(q0=found.q, multipliers=found.multipliers)
    assert again.iterations == 1


# ---------------------------------------------------------------------- stability


@pytest.mark.parametrize(("stiffness", "stable"), [(2.9, False), (3.0, True)])
def test_an_upright_pendulum_on_a_spring(stiffness, stable):
    """Stable if k > m g l = 2.943 N m/rad."""
    found = one_link(BOB, sp.Revolute("y", stiffness=stiffness), (-9.81, 0.0, 0.0)).statics()
    assert found.converged
    assert found.stable is stable
    assert found.smallest_eigenvalue == pytest.approx(stiffness - 9.81 * 0.3, abs=1e-12)


@pytest.mark.parametrize(("load", "stable"), [(2.4, True), (2.5, False)])
def test_euler_column(load, stable):
    """Stable below pi^2 / 4."""
    model = one_link(planar_rod(), None, (0, 0, 0), sp.PointWrench("link", [0, 0, 0, -load, 0, 0]))
    found = model.statics()
    assert found.q == pytest.approx(np.zeros(model.n))
    assert found.stable is stable


def test_a_buckled_column_is_stable():
    """From a bent guess: the other branch, with the tip as the elastica says (30 degrees at P = 2.541...)."""
    from scipy.special import ellipk

    load = ellipk(np.sin(np.pi / 6.0) ** 2) ** 2  # tip angle 60 degrees
    model = one_link(planar_rod(10, 40), None, (0, 0, 0), sp.PointWrench("link", [0, 0, 0, -load, 0, 0]))
    guess = np.zeros(model.n)
    guess[0] = -1.0
    found = model.statics(q0=guess)
    assert found.converged
    assert found.stable
    tip = model.pose(found.q, "link")
    assert np.degrees(np.arccos(tip[0, 0])) == pytest.approx(60.0, abs=1e-4)


def test_loops_count_in_stability():
    """A column held straight by a slider at its tip stands loads that would bend it over."""
    robot = sp.Robot("held", gravity=(0, 0, 0))
    robot.add_link("link", planar_rod(10, 20))
    robot.add_link("slider", BOB, sp.Prismatic("x"), at=sp.pose((1.0, 0.0, 0.0)))
    robot.add(sp.Loop("end", a=("link", sp.pose()), b=("slider", sp.pose(), 0.0), joint=sp.Revolute("y")))
    robot.add(sp.PointWrench("slider", [0, 0, 0, -10.0, 0, 0], s=0.0))
    model = robot.compile()
    found = model.statics()
    assert found.stable
    assert len(found.eigenvalues) == model.n - model.nc


# ---------------------------------------------------------------------- far guesses and neutral motions


@pytest.mark.parametrize("joint", [sp.Revolute("y"), sp.Spherical()], ids=["hinge", "ball"])
def test_a_pendulum_falls_to_its_lowest_place(joint):
    """From the horizontal, where the tangent stiffness is singular."""
    model = one_link(BOB, joint)
    found = model.statics()
    assert found.converged
    assert model.pose(found.q, "link")[:3, 0] == pytest.approx([0.0, 0.0, -1.0], abs=1e-9)


def test_a_stable_equilibrium_is_preferred():
    """Newton's method alone stays near the top; a pendulum that stands exactly upright stays, too."""
    model = one_link(BOB, sp.Revolute("y"), (-9.81, 0.0, 0.0))
    found = model.statics(q0=[0.01])
    assert found.stable
    assert found.q == pytest.approx([np.pi], abs=1e-9)
    near = model.statics(q0=[0.01], globalise=False)
    assert near.converged
    assert not near.stable
    assert near.q == pytest.approx([0.0], abs=1e-9)
    top = model.statics()
    assert top.converged
    assert top.q == pytest.approx([0.0], abs=1e-9)
    assert top.residual < 1e-12


def test_motions_that_nothing_resists_are_no_obstacle():
    """A ball pendulum hangs still at any angle about the vertical; a body afloat rests anywhere."""
    hanging = one_link(BOB, sp.Spherical(), (9.81, 0.0, 0.0))
    found = hanging.statics(q0=[0.1, 0.2, -0.1])
    assert found.converged
    assert found.q == pytest.approx([0.1, 0.0, 0.0], abs=1e-2)
    assert found.residual < 1e-12
    afloat = one_link(BOB, sp.Free(), (0.0, 0.0, 0.0))
    found = afloat.statics(q0=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert found.converged
    assert found.q == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert not found.stable


# ---------------------------------------------------------------------- close, then balance


def rope():
    """1.2 m, pinned at both ends 1 m apart; open as described."""
    material = sp.Material(young=3e6, density=1000.0, damping_time=0.05)
    body = sp.Rod(1.2, sp.Circle(0.004), material, sp.Legendre(bend_y=8), points=20)
    robot = sp.Robot("rope")
    robot.add_link("rope", body, joint=sp.Revolute("y"))
    robot.add(sp.Loop("end", a=("rope", sp.pose()), b=("world", sp.pose((1.0, 0, 0))), joint=sp.Revolute("y")))
    return robot.compile()


@pytest.mark.parametrize("start", ["rest", "arc", "closed arc", "arch"])
def test_a_rope_hangs_as_a_catenary(start):
    """From straight (no slope closes it), from an arc that is open or closed, from an arch that falls through."""
    model = rope()
    arc = np.zeros(model.n)
    arc[:2] = (0.5, -1.0) if start != "arch" else (-0.5, 1.0)
    q0 = {"rest": None, "closed arc": model.assemble(arc)}.get(start, arc)
    found = model.statics(q0=q0)
    assert found.converged
    assert found.stable
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 / a) - 1.2, 0.1, 10.0)
    sag = a * (np.cosh(0.5 / a) - 1.0)
    assert model.pose(found.q, "rope", 0.5)[2, 3] == pytest.approx(-sag, abs=5e-4)  # it is a little stiff, too
    assert model.pose(model.assemble(q0, at_rest=True), "rope", 0.5)[2, 3] == pytest.approx(-sag, abs=5e-4)


@pytest.fixture(scope="module", params=["parallel-robot", "fin-ray"])
def gallery_robot(request):
    return SYSTEMS[request.param]().compile()


@pytest.mark.parametrize("spread", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("around", ["rest", "assembled"])
def test_random_starts_of_robots_with_loops(gallery_robot, around, spread):
    """Noise in all coordinates, strains included, far beyond what rods would bear."""
    model = gallery_robot
    rng = np.random.default_rng(0)
    centre = model.rest if around == "rest" else model.assemble()
    for _ in range(4):
        found = model.statics(q0=centre + spread * rng.standard_normal(model.n), t=1.0)
        assert found.converged, found.message
        assert size(residual_at(found)[model.free_coordinates]) < 1e-8 * (1.0 + size(np.asarray(found.multipliers)))
        assert size(model.loop_error(found.q)) < 1e-10


def test_near_an_equilibrium_it_is_found(gallery_robot):
    model = gallery_robot
    known = model.statics(t=1.0)
    rng = np.random.default_rng(1)
    for _ in range(8):
        assert model.statics(q0=known.q + 1e-2 * rng.standard_normal(model.n), t=1.0).converged


def test_a_batch_goes_the_same_ways():
    model = rope()
    found = model.statics_batch(np.zeros((3, 0)), q0=model.rest)
    assert found.converged.all()
    assert found.done.all()
    assert found.q[2] == pytest.approx(model.statics().q, abs=1e-12)


def test_loops_that_cannot_be_closed_are_named():
    """A crank is driven to where the other bars do not reach."""
    robot = sp.Robot("four-bar")
    for name, parent, length in (("crank", "world", 0.3), ("coupler", "crank", 0.1), ("follower", "coupler", 0.1)):
        body = sp.Rigid.cylinder(length, 0.01, density=1000.0)
        robot.add_link(name, body, joint=sp.Revolute("y"), parent=parent)
    robot.add(sp.Loop("pin", a=("follower",), b=("world", sp.pose((0.3, 0.0, 0.0))), joint=sp.Revolute("y")))
    robot.add(sp.Prescribed("crank", lambda t: (t, 1.0, 0.0)))
    model = robot.compile()
    assert model.statics(t=0.3).converged
    with pytest.warns(sp.ModelWarning, match="no equilibrium.*Loop 'pin' cannot be closed"):
        found = model.statics(t=2.0)
    assert found.stable is None


def test_an_unstable_equilibrium_with_loops_is_left():
    """An arch that stands exactly stays; a little aside it falls, though Newton's method finds it."""
    model = rope()
    arch = model.assemble(np.array([-0.5, 1.0, *np.zeros(model.n - 2)]))
    standing = model.statics(q0=arch, globalise=False)
    if standing.converged:
        assert standing.stable is False
        assert model.statics(q0=standing.q + 1e-4).stable


# ---------------------------------------------------------------------- neutral equilibria


def cart_and_pole():
    robot = sp.Robot("cart and pole", gravity=DOWN)
    robot.add_link("cart", sp.Rigid.box((0.1, 0.1, 0.05), density=1000.0), joint=sp.Prismatic("x"))
    pole = sp.Rod(0.5, sp.Circle(0.006), sp.Material(1e9, density=1100.0), sp.Legendre(bend_y=3), points=8)
    robot.add_link("pole", pole, parent="cart", at=sp.pose(rpy=(0.0, -np.pi / 2.0, 0.0)))
    return robot.compile()


@pytest.mark.parametrize("globalise", [True, False])
def test_a_cart_rests_anywhere(globalise):
    model = cart_and_pole()
    guess = np.array([0.7, 0.01, 0.0, 0.0, 0.01])
    for q0 in (None, guess):
        found = model.statics(q0=q0, globalise=globalise)
        assert found.converged
        assert found.residual < 1e-12
        assert found.stable is None
        assert "nothing resists cart.translation" in found.message
        assert np.abs(found.free_directions) == pytest.approx(np.eye(model.n)[:, :1], abs=1e-9)
    assert found.q[0] == pytest.approx(0.7, abs=1e-2)


def spinning_leg(slope=0.0):
    """A bar between two ball joints, the lower of which hangs on a spring; it may spin about itself."""
    robot = sp.Robot("leg", gravity=(slope, 0.0, -9.81))
    robot.add_link(
        "leg", sp.Rigid.cylinder(0.4, 0.01, density=2000.0), sp.Spherical(), at=sp.pose(rpy=(0, np.pi / 2, 0))
    )
    robot.add_link("weight", sp.Rigid(0.5, np.ones(3)), sp.Translational(stiffness=50.0), at=sp.pose((0.05, 0.0, -0.4)))
    robot.add(sp.Loop("foot", a=("leg", sp.pose()), b=("weight", sp.pose()), joint=sp.Spherical()))
    return robot.compile()


@pytest.mark.parametrize("globalise", [True, False])
def test_a_leg_in_a_loop_may_spin(globalise):
    model = spinning_leg()
    q0 = model.assemble(np.array([0.3, 0.02, -0.1, 0.0, 0.0, 0.0]))
    found = model.statics(q0=q0, globalise=globalise)
    assert found.converged
    assert found.stable is None
    assert "nothing resists leg.w" in found.message
    assert found.free_directions.shape == (model.n, 1)
    turn, line = model.jacobian(found.q, "leg") @ found.free_directions[:, 0], model.loop_jacobian(found.q)
    assert size(line @ found.free_directions) < 1e-9
    assert size(turn[1:]) < 1e-8 * abs(turn[0])  # about its own axis
    free, zero = model.free_coordinates, np.zeros(model.n)
    forces = model.residual(found.q, zero, zero) - line.T @ np.asarray(found.multipliers)
    assert size(forces[free]) < 1e-9


def test_what_resists_leaves_no_free_direction():
    found = closed_frame().statics(t=1.0)
    assert found.free_directions.shape == (found.model.n, 0)
    assert found.stable
    assert "resists" not in found.message


@pytest.mark.parametrize(("load", "damping", "stable"), [(10.0, 0.0, None), (8.0, 0.05, True), (25.0, 0.0, False)])
def test_stability_under_a_follower_load(load, damping, stable):
    """Beck's column flutters at 20.05 EI / L^2; below, without damping, small motions neither grow nor die away."""
    section = sp.Section(np.ones(6), [1e-6, 1e-6, 1e-6, 1.0, 1.0, 1.0], [damping] * 6)
    rod = sp.Rod(1.0, section, strain=sp.Legendre(bend_y=8), points=20)
    model = one_link(rod, None, (0, 0, 0), sp.PointWrench("link", [0, 0, 0, -load, 0, 0], frame="local"))
    found = model.statics()
    assert found.converged
    assert found.stable is stable


# ---------------------------------------------------------------------- failures


def test_a_body_in_free_fall_has_no_equilibrium():
    model = one_link(BOB, sp.Free())
    with pytest.warns(sp.ModelWarning, match=r"no equilibrium.*nothing resists link\.z.*9\.81, at link\.z") as caught:
        found = model.statics()
    assert not found
    assert not found.converged
    assert found.stable is None
    assert found.message in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_hinge_under_a_torque_has_no_equilibrium():
    model = one_link(BOB, sp.Revolute("z"), DOWN, sp.PointWrench("link", [0, 0, 1.0, 0, 0, 0]))
    with pytest.warns(sp.ModelWarning, match=r"nothing resists link\.rotation"):
        assert not model.statics().converged


def test_without_globalisation_newton_alone_may_fail():
    model = one_link(BOB, sp.Revolute("y"))
    with pytest.warns(sp.ModelWarning, match=r"no equilibrium.*at link\.rotation"):
        found = model.statics(globalise=False)
    assert not found.converged
    assert found.how == "newton"


def test_bad_guesses_and_inputs_are_named():
    model = manipulator()
    guess = np.zeros(model.n)
    guess[3] = np.nan
    with pytest.raises(sp.StateError, match=r"q0\[3\] \(arm\.torsion_3\) is nan"):
        model.statics(q0=guess)
    with pytest.raises(sp.ShapeError, match="q0 has shape"):
        model.statics(q0=np.zeros(3))
    with pytest.raises(sp.StateError, match=r"t1.*-2"):
        model.statics([1.0, -2.0, 0.0, 0.0, 0.0])
    with pytest.raises(sp.ShapeError, match=r"u has shape \(1, 3\), must be \(N, 5\)"):
        model.statics_batch(np.zeros((1, 3)))
    with pytest.raises(sp.ShapeError, match=r"u has shape \(5,\), must be \(N, 5\), or \(5,\) with q0 \(N, 24\)"):
        model.statics_batch(np.zeros(5))
    with pytest.raises(sp.ShapeError, match=r"q0 has shape \(3, 24\), must be \(24,\) or \(2, 24\)"):
        model.statics_batch(np.zeros((2, 5)), q0=np.zeros((3, 24)))


def test_assemble_at_rest_says_why_it_failed():
    model = one_link(BOB, sp.Prismatic("z"))
    with pytest.raises(sp.ConvergenceError, match=r"no equilibrium.*link\.translation"):
        model.assemble(at_rest=True)


# ---------------------------------------------------------------------- many at once


def test_many_at_once_equal_one_by_one():
    model = manipulator()
    u = np.random.default_rng(5).uniform(0.0, 60.0, (24, 5))
    single, several = model.statics_batch(u, threads=1), model.statics_batch(u, threads=3)
    for a, b in zip(single, several, strict=True):
        assert np.array_equal(a, b)
    for row, q, count in zip(u, single.q, single.iterations, strict=True):
        found = model.statics(row)
        assert np.array_equal(found.q, q)
        assert found.iterations == count
    warm = model.statics_batch(u, q0=single.q)
    assert warm.converged.all()
    assert (warm.iterations == 1).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_that_cannot_be_worked_on_are_named_and_stop_no_other(threads):
    model = manipulator()
    u = np.random.default_rng(5).uniform(0.0, 60.0, (6, 5))
    u[1, 2], u[4, 1] = np.nan, -2.0
    with pytest.warns(sp.ModelWarning, match=r"2 of 6 rows failed, the first is row 1: u\[2\] \(t2\) is nan"):
        found = model.statics_batch(u, threads=threads)
    assert found.done.all()
    assert found.converged.tolist() == [True, False, True, True, False, True]
    assert sorted(found.failures) == [1, 4]
    assert "negative" in str(found.failures[4])
    assert np.isnan(found.q[[1, 4]]).all()
    assert np.array_equal(found.q[5], model.statics(u[5]).q)


def test_many_at_once_from_many_guesses():
    model = manipulator()
    q0 = 0.1 * np.random.default_rng(6).standard_normal((4, model.n))
    found = model.statics_batch([1.0, 2.0, 0.0, 0.0, 0.0], q0=q0)
    assert found.converged.all()
    assert np.array_equal(found.q[2], model.statics([1.0, 2.0, 0.0, 0.0, 0.0], q0=q0[2]).q)
    assert model.statics_batch(q0=q0[:2]).converged.all()


def test_many_at_once_with_loops_and_failures():
    """Multipliers come back; a row that fails is marked and stops no other."""
    model = closed_frame()
    found = model.statics_batch(np.zeros((2, 0)), t=1.0)
    assert found.converged.all()
    assert found.multipliers[1] == pytest.approx(np.asarray(model.statics(t=1.0).multipliers))
    falling = one_link(BOB, sp.Free())
    assert falling.statics_batch(np.zeros((2, 0))).converged.tolist() == [False, False]


def test_a_thousand_random_equilibria_of_the_manipulator():
    """Tensions up to 100 N from rest: all converge, quickly, to stable states."""
    model = manipulator()
    u = np.random.default_rng(0).uniform(0.0, 100.0, (1000, 5))
    found = model.statics_batch(u)
    assert found.converged.all()
    assert np.median(found.iterations) <= 12
    assert found.residual.max() < 1e-10
    for row, q in zip(u[:100], found.q, strict=False):
        assert model.statics(row, q0=q).stable


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_a_batch_has(threads):
    model = manipulator()
    u = np.random.default_rng(2).uniform(0.0, 100.0, (40000, 5))
    model.statics_batch(u[:4])
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(sp.Interrupted, match=r"interrupted after \d+ of 40000 equilibria") as caught:
        model.statics_batch(u, threads=threads)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert time.monotonic() - begun < 3.0  # a whole batch takes much longer
    found = caught.value.result
    assert 0 < found.done.sum() < len(u)
    assert not found.converged[~found.done].any()
    assert not found.q[~found.done].any()
    for i in np.flatnonzero(found.done)[:5]:
        assert np.array_equal(found.q[i], model.statics(u[i]).q)
    assert model.statics_batch(u[:4], threads=threads).converged.all()  # nothing is left behind


@pytest.mark.slow
def test_equilibria_from_rest_are_those_of_slow_pulling():
    """Loads at once or in twenty steps lead to the same shapes."""
    model = manipulator()
    for u in np.random.default_rng(1).uniform(0.0, 100.0, (50, 5)):
        q = model.rest
        for share in np.linspace(0.05, 1.0, 20):
            q = model.statics(share * u, q0=q).q
        assert relative_error(model.statics(u).q, q) < 1e-8


def test_a_search_does_not_depend_on_one_that_failed_before():
    """One begun where forces overflow leaves infinite forces that it held: the next must not see them."""
    model = one_link(soft_rod(1), sp.Spherical())
    start = 0.05 * np.cos(np.arange(model.n))
    fresh = model.statics(q0=start)
    failed = model.statics_batch(np.zeros((2, 0)), q0=np.full(model.n, 1e160), threads=1)
    assert not failed.converged.any()
    again = model.statics(q0=start)
    assert np.array_equal(again.q, fresh.q)
    assert again.iterations == fresh.iterations
