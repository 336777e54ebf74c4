"""Equilibria: balance of forces, warm starts, loops, prescribed joints, stability, failures."""

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from helpers import difference_jacobian, random_robot, relative_error, size
from resting_robots import BOB, DOWN, closed_frame, manipulator, one_link, planar_rod, residual_at, rope, soft_rod
from supple.solvers.statics.search import find
from supple.systems import SYSTEMS

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


# ---------------------------------------------------------------------- close, then balance

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


def turning(bars):
    """A column that turns about the vertical by a motor, and carries bars: a pendulum, or three that close a loop."""
    robot = sp.Robot("turning")
    column = sp.Rigid(2.0, (0.02, 0.02, 0.02), com=(0.1, 0.0, 0.0))
    bar = sp.Rigid.cylinder(0.2, 0.01, density=1000.0)
    robot.add_link("column", column, sp.Revolute("z"))
    robot.add_link("arm", bar, sp.Revolute("y"), "column")
    if bars > 1:
        robot.add_link("coupler", bar, sp.Revolute("y"), "arm")
        robot.add_link("follower", bar, sp.Revolute("y"), "column", sp.pose((0.3, 0.0, 0.0), (0.0, 0.5, 0.0)))
        robot.add(sp.Loop("pin", a=("coupler",), b=("follower",), joint=sp.Revolute("y")))
    robot.add(sp.JointDrive("motor", "column"))
    return robot.compile()


@pytest.mark.parametrize("bars", [1, 3])
def test_a_search_may_be_given_little_time(bars):
    """Nothing resists a torque about the vertical: other ways than Newton's go on for long, and in vain."""
    model = turning(bars)
    hanging = model.statics().q
    patient, hurried = find(model, [0.1], hanging), find(model, [0.1], hanging, seconds=0.0)
    assert not patient.converged
    assert not hurried.converged
    assert hurried.iterations < 0.3 * patient.iterations
    for found in (patient, hurried):
        assert "nothing resists column.rotation" in found.message
    aside = hanging + 1e-3 * np.arange(model.n)
    assert find(model, None, aside, seconds=60.0).converged


def test_who_has_no_time_left_is_told():
    """An arm that is bent beyond all measure at first."""
    model = manipulator()
    wild = 40.0 * np.cos(np.arange(model.n))
    found = find(model, [80.0, 0.0, 0.0, 0.0, 0.0], wild, seconds=0.0)
    assert not found.converged
    assert "no time was left for other ways" in found.message
    assert "stalled" in find(model, [80.0, 0.0, 0.0, 0.0, 0.0], wild).message


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
