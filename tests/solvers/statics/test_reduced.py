"""Metric, allowed directions and stiffness along them: orthonormal, within loops, neutral where nothing resists."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from motions import four_bar, soft_arm
from supple.solvers.statics.reduced import (
    Allowed,
    across,
    allowed_at,
    allowed_directions,
    metric_at,
    names_of,
    spectrum_of,
)


@pytest.fixture(scope="module")
def closed():
    """A four-bar, and where it is closed."""
    model, q = four_bar()
    return model, model.assemble(q)


def test_the_metric_is_stiffness_and_weighed_mass():
    model = soft_arm()
    q = 0.1 * np.ones(model.n)
    found = metric_at(model, q)
    G = np.linalg.inv(found.inverse) @ np.linalg.inv(found.inverse).T
    K = 0.5 * (model.stiffness + model.stiffness.T)
    assert relative_error(G, K + found.frequency2 * model.mass_matrix(q)) < 1e-9
    assert found.frequency2 == pytest.approx((K.diagonal() / model.mass_matrix(q).diagonal()).min())
    assert found.size == pytest.approx(np.sqrt(G.diagonal().max()))


def test_allowed_directions_keep_loops_closed(closed):
    model, q = closed
    A = model.loop_jacobian(q)
    basis = allowed_directions(model, q)
    assert basis.shape == (model.n, model.n - np.linalg.matrix_rank(A))
    assert np.abs(A @ basis).max() < 1e-12 * np.abs(A).max()
    assert basis.T @ basis == pytest.approx(np.eye(basis.shape[1]))
    metric = metric_at(model, q)
    allowed = allowed_at(metric, A)
    G = np.linalg.inv(metric.inverse @ np.eye(model.n)) @ np.linalg.inv(metric.inverse).T
    assert allowed.basis.T @ G @ allowed.basis == pytest.approx(np.eye(allowed.basis.shape[1]))
    lam = np.random.default_rng(0).standard_normal(model.nc)
    rank = np.linalg.matrix_rank(A)
    if rank == model.nc:
        assert relative_error(allowed.balance @ (A.T @ lam), lam) < 1e-9  # forces of loops are balanced by themselves


def test_dependent_rows_count_once(closed):
    model, q = closed
    A, metric = model.loop_jacobian(q), metric_at(model, q)
    twice = allowed_at(metric, np.vstack([A, A[:1]]))
    assert twice.basis.shape == allowed_at(metric, A).basis.shape


def test_the_spectrum_diagonalises():
    rng = np.random.default_rng(1)
    T = rng.standard_normal((6, 6))
    T += T.T
    basis = np.linalg.qr(rng.standard_normal((6, 4)))[0]
    found = spectrum_of(Allowed(basis, np.zeros((0, 6))), T)
    assert found.symmetric
    assert found.directions.T @ T @ found.directions == pytest.approx(np.diag(found.values), abs=1e-12)
    assert (np.diff(found.values) >= 0.0).all()
    T[0, 1] += 1.0
    assert not spectrum_of(Allowed(np.eye(6), np.zeros((0, 6))), T).symmetric


def test_a_step_is_taken_across_what_nothing_resists():
    T = np.diag([2.0, 5.0, 0.0])
    loose, step = across(Allowed(np.eye(3), np.zeros((0, 3))), T, np.array([4.0, 10.0, 7.0]))
    assert np.abs(loose) == pytest.approx(np.array([[0.0], [0.0], [1.0]]))
    assert step == pytest.approx([-2.0, -2.0, 0.0])


def test_names_are_of_those_who_take_part():
    robot = sp.Robot("two")
    for name in "ab":
        robot.add_link(name, sp.Rigid.sphere(0.1, density=1.0), joint=sp.Revolute("x"))
    model = robot.compile()
    assert names_of(model, np.array([[1.0], [0.1]])) == ["a.rotation"]
    assert names_of(model, np.array([[1.0], [0.9]])) == ["a.rotation", "b.rotation"]
    assert names_of(model, np.zeros((2, 0))) == []
