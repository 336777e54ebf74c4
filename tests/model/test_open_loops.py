"""Loops that hold by the rows that are left, and are open by those that were dropped."""

import warnings

import numpy as np

import supple as sp
from supple.model.open_loops import WIDE, dropped_gap, is_wide_open, with_all_rows
from supple.solvers.motion.start import gap_of

BAR = sp.Rigid.cylinder(0.3, 0.01, density=1000.0)


def held_too_often(joint=None):
    """A bar on a ball joint and one on a hinge, hinged to the world: five rows for four coordinates."""
    robot = sp.Robot("held")
    robot.add_link("a", BAR, sp.Spherical())
    robot.add_link("b", BAR, sp.Revolute("y"), parent="a")
    place = sp.pose((0.4, 0.0, -0.3), (0.0, 0.9, 0.0))
    robot.add(sp.Loop("pin", ("b", sp.pose()), ("world", place), sp.Revolute("y") if joint is None else joint))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        return robot.compile(), place


def gap_by_poses(model, q, place):
    g = np.linalg.solve(place, model.pose(q, "b"))
    return np.linalg.norm(g[:3, 3]) + np.linalg.norm(g[:3, 1] - [0.0, 1.0, 0.0])


def test_what_is_assembled_is_closed_by_all_rows():
    model, place = held_too_often()
    assert model.nc < 5
    for seed in range(20):
        q = model.assemble(np.random.default_rng(seed).uniform(-1.5, 1.5, 4))
        assert gap_by_poses(model, q, place) < 1e-6
        assert dropped_gap(model, q)[0] < 1e-9


def test_the_gap_is_that_of_the_poses():
    model, place = held_too_often()
    q = model.assemble() + 0.1
    gap, name = dropped_gap(model, q)
    assert name == "pin"
    assert is_wide_open(model, q)
    assert 0.3 < gap / gap_by_poses(model, q, place) < 3.0


def test_no_equilibrium_has_an_open_loop():
    """From some starts Newton's method comes to rest where the rows that are left hold, and the loop is wide open."""
    model, place = held_too_often()
    refused = 0
    for seed in range(30):
        start = np.random.default_rng(seed).uniform(-2.0, 2.0, 4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.ModelWarning)
            found = model.statics(q0=start)
        if found.converged:
            assert gap_by_poses(model, found.q, place) < 1e-6
        refused += not found.converged and "is open by" in found.message
    assert refused > 0


def test_motions_are_closed_by_all_rows_before_they_begin():
    model, _ = held_too_often()
    q = model.assemble()
    assert gap_of(model, q) < 1e-9
    assert gap_of(model, q + 0.1) == dropped_gap(model, q + 0.1)[0]


def test_robots_without_dropped_rows_are_not_looked_at():
    model, _ = held_too_often(sp.Spherical())
    assert model.nc == 3
    assert dropped_gap(model, np.ones(4)) == (0.0, "")
    assert with_all_rows(model) is model
    assert WIDE < 1e-3
