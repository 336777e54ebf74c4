"""What is refused, what fails, and what is left then."""

import numpy as np
import pytest

import supple as sp
from motions import FAMILIES, four_bar, pendulum, soft_arm, wheel


@pytest.mark.parametrize(
    ("t", "kind", "message"),
    [
        ([0.0, 1.0, 0.5], sp.StateError, r"must increase, but t\[2\] = 0.5 follows 1"),
        (-1.0, sp.StateError, "end time must be positive"),
        ([0.0, np.nan], sp.StateError, "must be finite"),
        ([0.0], sp.ShapeError, "at least two output times"),
        ("soon", sp.ShapeError, "must be an end time"),
    ],
)
def test_bad_times_are_refused(t, kind, message):
    with pytest.raises(kind, match=message):
        pendulum().simulate(t)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"q0": [np.nan]}, sp.StateError, r"q0\[0\]"),
        ({"q0": [0.0, 1.0]}, sp.ShapeError, "q0"),
        ({"v0": [np.inf]}, sp.StateError, r"v0\[0\]"),
        ({"u": [1.0, 2.0]}, sp.ShapeError, r"u has shape \(2,\), must be \(1,\)"),
        ({"u": [np.nan]}, sp.StateError, "not finite"),
        ({"u": {"engine": 1.0}}, sp.ModelError, "no input 'engine'; inputs are: motor"),
        ({"method": sp.NDF}, sp.ModelError, r"pass an object, as in NDF\(\)"),
        ({"method": "ndf"}, sp.ModelError, r"method is 'ndf', must be one of supple, such as NDF\(\)"),
        ({"method": sp.NDF(atol=[1.0, 2.0, 3.0])}, sp.ShapeError, "atol has shape"),
        ({"control_rate": 10.0}, sp.ModelError, "u does not follow the state"),
        ({"control_rate": -1.0, "u": lambda t, q, v: 0.0}, sp.ModelError, "must be positive"),
    ],
)
def test_bad_options_are_refused(options, kind, message):
    with pytest.raises(kind, match=message):
        wheel().simulate(1.0, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.NDF(rtol=0.0), "rtol"),
        (lambda: sp.NDF(atol=-1.0), "atol"),
        (lambda: sp.NDF(loops="open"), "loops is 'open'"),
        (lambda: sp.GeneralizedAlpha(1.2), "rho_inf is 1.2"),
        (lambda: sp.GeneralizedAlpha(dt=0.0), "dt"),
        (lambda: sp.Newmark(gamma=0.4), "unstable"),
        (lambda: sp.RK45(baumgarte=-1.0), "baumgarte"),
        (lambda: sp.RK45(max_step=-1.0), "max_step"),
    ],
)
def test_bad_methods_are_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_strange_newmark_is_warned_of():
    with pytest.warns(sp.ModelWarning, match="stable for small steps only"):
        sp.Newmark(beta=0.1)
    with pytest.warns(sp.ModelWarning, match="stable for small steps only"):
        sp.Newmark(gamma=1e300)  # of which the square is too large for a number
    with pytest.warns(sp.ModelWarning, match="multipliers of rigid loops grow without bound"):
        sp.Newmark(loops="index3")


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("form", ["u(t)", "u(t, q, v)"])
def test_nan_in_the_middle_keeps_the_motion_so_far(name, form):
    bad = lambda t: np.nan if t > 0.5 else 1.0  # noqa: E731
    u = bad if form == "u(t)" else (lambda t, q, v: bad(t))
    with pytest.raises(sp.SimulationError, match=r"u.* returned .*nan.* finite number") as caught:
        wheel().simulate(np.linspace(0, 1, 11), u=u, method=FAMILIES[name])
    error = caught.value
    assert 0.1 < error.t <= 0.5
    assert error.trajectory.t[-1] == error.t
    np.testing.assert_allclose(error.trajectory.v[:, 0], 2 * error.trajectory.t, atol=1e-8)
    np.testing.assert_allclose(error.v, 2 * error.t, atol=1e-8)
    np.testing.assert_array_equal(error.trajectory.u, 1.0)


def test_failure_at_the_very_beginning_keeps_the_initial_state():
    with pytest.raises(sp.SimulationError, match="returned nan") as caught:
        wheel().simulate(1.0, [0.3], [0.2], u=lambda t: np.nan)
    assert caught.value.q == [0.3]
    assert caught.value.v == [0.2]
    assert len(caught.value.trajectory) == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_tendons_do_not_push(name):
    model = soft_arm(0.05, sp.Tendon("pull", {"rod": lambda X: (0.0, 0.008)}))
    with pytest.raises(sp.SimulationError, match=r"input 'pull' is -.* cannot push") as caught:
        model.simulate(0.2, u=sp.laws.Ramp(0.1, -0.1, 0.0, 0.2), method=FAMILIES[name])
    assert 0.05 < caught.value.t <= 0.1
    assert caught.value.trajectory.t[-1] == caught.value.t


def test_loops_whose_rows_depend_on_each_other():
    """A parallelogram with all links in one line: there it may go on in two ways, and the tangent is singular."""
    model, q0 = four_bar(lengths=(0.1, 0.2, 0.1), guess=(0.0, 0.0, np.pi))
    for method in (sp.GeneralizedAlpha(dt=1e-3), sp.NDF(), sp.RK45()):
        with pytest.raises((sp.SimulationError, sp.SingularError), match=r"singular|depend"):
            model.simulate(0.1, q0, [1.0, -1.0, 1.0], method=method)


@pytest.mark.parametrize("name", ["NDF", "GeneralizedAlpha", "adaptive", "BDF2"])
def test_a_motion_that_loops_do_not_allow(name):
    """Coupler and follower are too short for the crank to be turned all the way round."""
    turn = sp.Prescribed("crank", sp.laws.Polynomial([-1.2, 0.0, -4.0]))
    model, q0 = four_bar(turn, lengths=(0.2, 0.25, 0.1), guess=(-1.2, 1.757, 2.01))
    with pytest.raises(sp.SimulationError) as caught:
        model.simulate(1.0, q0, method=FAMILIES[name])
    stretched = np.arccos((0.2**2 + 0.2**2 - 0.35**2) / (2 * 0.2 * 0.2))  # triangle of crank, ground and the other two
    moment = np.sqrt((stretched - 1.2) / 4.0)
    assert caught.value.t == pytest.approx(moment, abs=0.01)
    assert caught.value.t < moment + 1e-6
    assert np.isfinite(caught.value.trajectory.q).all()
    assert caught.value.trajectory.constraint_error()[:, 0].max() < 1e-10


def test_an_explicit_method_on_what_is_stiff_gives_up_in_words():
    model = soft_arm(0.0)
    with pytest.raises(sp.SimulationError, match=r"100 made\): max_steps is reached; raise it"):
        model.simulate(10.0, [0.5, 0.2, -0.1], method=sp.RK45(), max_steps=100)


def test_open_loops_are_closed_and_velocities_projected():
    model, q0 = four_bar()
    with pytest.warns(sp.ModelWarning, match="q0 leaves loops open"):
        run = model.simulate([0.0, 0.01], q0 + np.array([0.02, 0.0, 0.0]), [1.0, 0.0, 0.0])
    assert run.constraint_error().max() < 1e-10


def test_a_stiff_start_does_not_show_between_steps():
    """Released far from balance, the acceleration at t = 0 is huge; output in the first step must not use it."""
    model = soft_arm(0.0)
    q0, h = np.array([0.0, 0.0, 0.3]), 5e-3
    fine = model.simulate(np.linspace(0, h, 6), q0, method=sp.GeneralizedAlpha(0.0, dt=h))
    assert np.abs(fine.v[1:]).max() <= 1.01 * np.abs(fine.v[-1]).max()
