"""Radau IIA: its order, its tolerances, what it does with undamped stiff rods, its dense output."""

import warnings

import numpy as np
import pytest

import supple as sp
from fuzz.robots import grafted
from helpers import random_coordinates, random_robot, relative_error
from load_kinds import KINDS, add_kinds
from motions import four_bar, pendulum, slope, soft_arm
from supple.solvers.integrators import radau_tableau as tableau
from supple.solvers.integrators.run import NEWTON
from supple.solvers.motion.simulation import Simulation

TIGHT = sp.DOP853(rtol=1e-12, atol=1e-13)


def fixed(model, h, q0, times=(0.0, 1.0), **options):
    """A run of equal steps that are solved to rounding."""
    method = sp.Radau(rtol=0.9, atol=1e3, first_step=h, max_step=h, **options)
    run = Simulation(model, list(times), q0, None, None, method)
    run.integrator.reals[NEWTON] = 1e-16
    return run.run()


def test_numbers_of_the_tableau():
    """Collocation: W c = 1, W c^2 = 2 c, W c^3 = 3 c^2; the error of motions that are cubic is zero."""
    c = tableau.NODES
    for k in range(1, 4):
        np.testing.assert_allclose(tableau.RATES @ c**k, k * c ** (k - 1), atol=1e-13)
    np.testing.assert_allclose([tableau.ERROR @ c**k for k in (1, 2, 3)], [-1.0, 0.0, 0.0], atol=1e-13)
    modes = np.diag([tableau.GAMMA, tableau.ALPHA, tableau.ALPHA])
    modes[1, 2], modes[2, 1] = tableau.BETA, -tableau.BETA
    np.testing.assert_allclose(tableau.FROM_MODES @ modes @ tableau.TO_MODES, tableau.RATES, atol=1e-12)


def test_order_on_a_pendulum():
    model = pendulum()
    exact = model.simulate([0.0, 1.0], [0.3], method=TIGHT)
    sizes, errors = (0.1, 0.05, 0.025), []
    for h in sizes:
        run = fixed(model, h, [0.3])
        errors.append(max(np.abs(run.q[-1] - exact.q[-1]).max(), np.abs(run.v[-1] - exact.v[-1]).max()))
    assert slope(sizes, errors) == pytest.approx(5.0, abs=0.3)


@pytest.mark.parametrize(("loops", "least"), [("stabilised", 4.0), ("index3", 2.5)])
def test_order_on_loops(loops, least):
    """Index 2: order 5 in q and v; index 3: order 3 in v."""
    model, q0 = four_bar()
    exact = fixed(model, 5e-4, q0, (0.0, 0.1))
    sizes = (0.01, 0.005, 0.0025)
    errors = []
    for h in sizes:
        run = fixed(model, h, q0, (0.0, 0.1), loops=loops)
        errors.append(np.abs(run.v[-1] - exact.v[-1]).max())
        assert run.stats["position_error"] < 1e-11
    assert slope(sizes, errors) > least


def test_error_follows_the_tolerance():
    """And is smaller than that of NDF at the same one."""
    model = soft_arm(0.0)
    q0 = np.array([0.5, 0.2, -0.1])
    exact, before = model.simulate([0.0, 1.0], q0, method=TIGHT), np.inf
    for tolerance in (1e-3, 1e-5, 1e-7):
        options = {"rtol": tolerance, "atol": 1e-3 * tolerance}
        radau, ndf = (model.simulate([0.0, 1.0], q0, method=kind(**options)) for kind in (sp.Radau, sp.NDF))
        error, other = (np.abs(run.q[-1] - exact.q[-1]).max() for run in (radau, ndf))
        assert error < other
        assert error < 0.1 * before
        before = error


def test_it_is_the_default_where_fast_vibrations_are_not_damped():
    """A steel wire of 12 polynomials, plucked: its fastest mode is a thousand times faster than its slowest."""
    steel = sp.Material(young=1e11, poisson=0.3, density=7800.0)
    robot = sp.Robot("wire")
    rod = sp.Rod(5.0, sp.Circle(0.005), steel, sp.Legendre(bend_y=11), points=14)
    robot.add_link("wire", rod, at=sp.pose(rpy=(0.0, np.pi / 2.0, 0.0)))
    model = robot.compile()
    run = model.simulate(np.linspace(0.0, 2.0, 21), q0=[0.2] + 11 * [0.0])
    assert run.stats["method"].startswith("Radau(")
    assert "damping ratio of 0" in run.stats["reason"]
    assert run.stats["steps"] < 10_000
    finer = model.simulate(np.linspace(0.0, 2.0, 21), q0=[0.2] + 11 * [0.0], method=sp.Radau(rtol=1e-5, atol=1e-8))
    assert np.abs(run.tip("wire") - finer.tip("wire")).max() < 5e-3


def test_dense_output_is_as_good_as_steps():
    model, times = soft_arm(0.0), np.linspace(0.0, 0.5, 301)
    q0 = np.array([0.5, 0.2, -0.1])
    exact = model.simulate(times, q0, method=TIGHT)
    run = model.simulate(times, q0, method=sp.Radau(rtol=1e-6, atol=1e-9))
    assert run.stats["steps"] < 350
    assert np.abs(run.q - exact.q).max() < 3e-5
    assert np.abs(run.v - exact.v).max() < 1e-4 * np.abs(exact.v).max()


@pytest.mark.parametrize("seed", range(8))
def test_random_robots_move_as_by_ndf(seed):
    """All kinds of loads, joints and bodies, soft ones in every third robot, some grafted along rods."""
    rng = np.random.default_rng([77, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kinds = rng.choice(sorted(KINDS), size=int(rng.integers(1, 4)), replace=False)
        robot = add_kinds(rng, grafted(rng, random_robot(rng, most=12, soft=0.6 * (seed % 3 == 2))), list(kinds))
        model = robot.compile()
        q0, v0 = 0.3 * random_coordinates(rng, robot, "moderate"), rng.standard_normal(model.n)
        start = np.linspace(0.0, 4e-3, 3), q0, v0, rng.uniform(0.1, 1.0, model.nu)
        exact = model.simulate(*start, sp.NDF(rtol=1e-9, atol=1e-12), max_steps=3000)
        run = model.simulate(*start, sp.Radau(rtol=1e-7, atol=1e-10), max_steps=300)
    assert relative_error(run.q, exact.q, 1.0) < 1e-7
    assert relative_error(run.v, exact.v, 1.0) < 1e-6


def test_steps_are_as_long_as_newton_converges():
    """Of a body that spins, of which errors would allow longer ones."""
    robot = sp.Robot("top", gravity=(0.0, 0.0, 0.0))
    robot.add_link("top", sp.Rigid(1.0, (0.01, 0.02, 0.03)), sp.Free())
    v0 = np.array([9.0, 0.5, -7.0, 0.0, 0.0, 0.0])
    stats = robot.compile().simulate(np.linspace(0.0, 5.0, 6), v0=v0, method=sp.Radau(rtol=1e-4)).stats
    assert stats["newton_failures"] < 0.3 * stats["steps"]
