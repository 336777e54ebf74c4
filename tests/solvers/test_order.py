"""Measured orders of convergence: ordinary equations, closed loops in the stabilised form and in index 1."""

from functools import cache, partial

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum, slope, soft_arm, stepped

IMPLICIT = {
    "GeneralizedAlpha": (lambda h: sp.GeneralizedAlpha(dt=h), 2),
    "GeneralizedAlpha rho 0": (lambda h: sp.GeneralizedAlpha(0.0, dt=h), 2),
    "Newmark": (lambda h: sp.Newmark(dt=h), 2),
    "BDF2": (lambda h: sp.BDF2(dt=h), 2),
    "ImplicitEuler": (lambda h: sp.ImplicitEuler(dt=h), 1),
}
EXPLICIT = {
    "RK45": (sp.RK45, 5, (0.1, 0.05, 0.025)),
    "DOP853": (sp.DOP853, 8, (0.25, 0.125, 0.0625)),
    "Nystrom": (sp.Nystrom, 5, (0.1, 0.05, 0.025)),
    "Nystrom of order 4": (partial(sp.Nystrom, order=4), 4, (0.1, 0.05, 0.025)),
}
TIGHT = sp.DOP853(rtol=1e-12, atol=1e-13)
#: Ratios of steps that break generalised-alpha in pure index 3.
RATIOS = np.array([1.0, 1.5, 0.7, 2.0])


def end_error(run, reference):
    return np.abs(np.concatenate([run.q[-1] - reference.q[-1], run.v[-1] - reference.v[-1]])).max()


@cache
def swing():
    return pendulum().simulate([0.0, 1.0], [0.3], method=TIGHT)


@pytest.mark.parametrize("name", IMPLICIT)
def test_order_of_implicit_methods_on_a_pendulum(name):
    make, order = IMPLICIT[name]
    sizes = (0.02, 0.01, 0.005)
    errors = [end_error(pendulum().simulate([0.0, 1.0], [0.3], method=make(h)), swing()) for h in sizes]
    assert slope(sizes, errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("name", EXPLICIT)
def test_order_of_explicit_methods_on_a_pendulum(name):
    kind, order, sizes = EXPLICIT[name]
    errors = []
    for h in sizes:
        method = kind(rtol=0.9, atol=1e3, first_step=h, max_step=h)
        errors.append(end_error(pendulum().simulate([0.0, 1.0], [0.3], method=method), swing()))
    assert slope(sizes, errors) > order - 0.5


def test_error_of_ndf_follows_its_tolerance():
    """On a pendulum and on a soft rod that swings: a hundredth of the tolerance, a hundredth of the error, nearly."""
    arm = soft_arm(0.0)
    q0 = np.array([0.5, 0.2, -0.1])
    for model, start in ((pendulum(), [0.3]), (arm, q0)):
        reference = model.simulate([0.0, 1.0], start, method=TIGHT)
        errors = []
        for tol in (1e-4, 1e-6, 1e-8):
            run = model.simulate([0.0, 1.0], start, method=sp.NDF(rtol=tol, atol=tol / 10))
            errors.append(end_error(run, reference) / np.abs(reference.v).max())
            assert errors[-1] < 2000 * tol
        assert slope((1e-4, 1e-6, 1e-8), errors) > 0.7


@pytest.mark.parametrize("name", IMPLICIT)
def test_order_of_implicit_methods_on_a_soft_rod(name):
    make, order = IMPLICIT[name]
    model, q0, sizes = soft_arm(0.01), np.array([0.5, 0.2, -0.1]), (2e-3, 1e-3, 5e-4)
    reference = model.simulate([0.0, 0.2], q0, method=sp.NDF(rtol=1e-11, atol=1e-12))
    errors = [end_error(model.simulate([0.0, 0.2], q0, method=make(h)), reference) for h in sizes]
    assert slope(sizes, errors) == pytest.approx(order, abs=0.25)


# ---------------------------------------------------------------------- loops


@cache
def linkage():
    model, q0 = four_bar()
    reference = model.simulate([0.0, 0.6], q0, method=TIGHT)
    exact = model.forward_dynamics(reference.q[-1], reference.v[-1])
    return model, q0, reference, np.asarray(exact.multipliers)


def stepwise_errors(model, q0, method, steps):
    """Largest errors of q, v and multipliers in the second half of a motion; loops must be closed at every step."""
    n, nc = model.n, model.nc
    rows = stepped(model, method, steps, q0)
    for row in rows[1:]:
        assert np.abs(model.loop_error(row[:n])).max() < 1e-10
        assert np.abs(model.loop_jacobian(row[:n]) @ row[n : 2 * n]).max() < 1e-10
    half = len(steps) // 2
    exact = model.simulate(np.concatenate([[0.0], np.cumsum(steps)]), q0, method=TIGHT)
    found = rows[half:, :n], rows[half:, n : 2 * n], rows[half:, 3 * n : 3 * n + nc]
    wanted = exact.q[half:], exact.v[half:], np.asarray(exact.multipliers)[half:]
    return [np.abs(x - y).max() for x, y in zip(found, wanted, strict=True)]


@pytest.mark.parametrize("ratios", [np.ones(4), RATIOS], ids=["constant", "varying"])
@pytest.mark.parametrize("name", IMPLICIT)
def test_order_of_implicit_methods_on_a_rigid_four_bar(name, ratios):
    """Order 2 in q, v and multipliers.

    Newmark damps nothing, so the errors of its multipliers, of order h^2 and opposite sign from step to step, add up to
    order h where steps vary.
    """
    model, q0, _, _ = linkage()
    make, order = IMPLICIT[name]
    sizes, errors = [], []
    for count in (300, 600, 1200):
        steps = np.resize(ratios, count)
        steps *= 0.6 / steps.sum()
        errors.append(stepwise_errors(model, q0, make(steps.max()), steps))
        sizes.append(steps.max())
    q, v, multipliers = np.array(errors).T
    assert slope(sizes, q) > order - 0.3
    assert slope(sizes, v) > order - 0.3
    undamped = name == "Newmark" and ratios.max() > 1.0
    assert slope(sizes, multipliers) > (1 if undamped else order) - 0.3


@pytest.mark.parametrize("name", EXPLICIT)
def test_order_of_explicit_methods_in_index_one(name):
    model, q0, reference, multipliers = linkage()
    kind, order, _ = EXPLICIT[name]
    sizes, errors = (0.02, 0.01, 0.005), []
    for h in sizes:
        run = model.simulate([0.0, 0.6], q0, method=kind(rtol=0.9, atol=1e3, first_step=h, max_step=h))
        errors.append([end_error(run, reference), np.abs(np.asarray(run.multipliers)[-1] - multipliers).max()])
    for column in np.array(errors).T:
        assert slope(sizes, column) > order - 0.7


@pytest.mark.parametrize(
    "method", [sp.NDF(rtol=1e-9, atol=1e-10), sp.GeneralizedAlpha(rtol=1e-6, atol=1e-7), None], ids=repr
)
def test_loops_stay_closed_and_the_tolerance_is_kept(method):
    model, q0, reference, _ = linkage()
    run = model.simulate(0.6, q0, method=method)
    assert run.constraint_error().max() < 1e-10
    assert run.stats["position_error"] < 1e-10
    assert run.stats["velocity_error"] < 1e-9
    tolerance = 1e-4 if method is None else method.rtol
    assert end_error(run, reference) < 2000 * tolerance * np.abs(reference.v).max()


def test_baumgarte_pulls_a_drifting_loop_back():
    model, q0, _, _ = linkage()
    drift = [model.simulate([0.0, 3.0], q0, method=sp.RK45(baumgarte=T)).constraint_error()[-1, 0] for T in (0.0, 0.05)]
    assert drift[1] < 0.2 * drift[0]


def test_highest_order_of_ndf():
    """What is smooth takes far fewer steps at higher order."""
    model, q0, _, _ = linkage()
    runs = [model.simulate(0.3, q0, method=sp.NDF(rtol=1e-6, atol=1e-8, max_order=k)) for k in (1, 2, 5)]
    steps = [run.stats["steps"] for run in runs]
    assert steps[0] > 2 * steps[1] > 4 * steps[2]
    with pytest.raises(sp.ModelError, match="at most 5"):
        sp.NDF(max_order=6)
