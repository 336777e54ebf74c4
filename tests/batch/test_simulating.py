"""Many motions at once: the bits of single runs on any number of threads; failures are kept, and stop no other."""

import time

import numpy as np
import pytest

import supple as sp
from interrupts import ctrl_c_inside
from load_kinds import KINDS, add_kinds, host
from motions import four_bar, pendulum, soft_arm, wheel
from supple.threads import share

TIMES = np.linspace(0.0, 0.2, 11)
NAMES = ("t", "q", "v", "a", "u", "z", "efforts", "multipliers")


def assert_equal(motion, single):
    for name in NAMES:
        assert np.array_equal(getattr(motion, name), getattr(single, name), equal_nan=True), name
    differ = ("seconds", "real_time_factor")
    assert {k: v for k, v in motion.stats.items() if k not in differ} == {
        k: v for k, v in single.stats.items() if k not in differ
    }


def random_states(model, count, seed=0, size=0.3):
    rng = np.random.default_rng(seed)
    return size * rng.standard_normal((count, model.n)), size * rng.standard_normal((count, model.n))


@pytest.mark.parametrize("method", [None, sp.GeneralizedAlpha(dt=0.01), sp.RK45(), sp.BDF2(dt=0.01)])
def test_runs_equal_single_ones_to_the_bit(method):
    model = soft_arm(0.01)
    q0, v0 = random_states(model, 6)
    several = [model.simulate_batch(TIMES, q0, v0, method=method, threads=k) for k in (1, 2, 5)]
    for i in range(6):
        single = model.simulate(TIMES, q0[i], v0[i], method=method)
        for motions in several:
            assert_equal(motions[i], single)
            assert np.array_equal(motions.q[i], single.q)
    assert several[0].q.shape == (6, 11, model.n)
    assert several[0].done.all()
    assert not several[0].failed.any()
    assert several[0].failures == ()


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # open loops, laws without tangents, runs that fail
@pytest.mark.parametrize("kinds", [sorted(KINDS)[k::6] for k in range(6)], ids=" ".join)
def test_all_kinds_of_loads(kinds):
    """Loads keep no memory between runs, and share none between threads."""
    rng = np.random.default_rng(14)
    model = add_kinds(rng, host(), kinds).compile()
    q0, v0 = random_states(model, 3, size=0.05)
    times, method = np.linspace(0.0, 2e-3, 3), sp.ImplicitEuler(dt=1e-3)
    u = rng.uniform(0.0, 0.1, (3, model.nu))
    found = []
    for i in range(3):
        try:
            found.append(model.simulate(times, q0[i], v0[i], u[i], method))
        except sp.SimulationError as error:
            found.append(error.trajectory)
    motions = model.simulate_batch(times, q0, v0, u, method, threads=3)
    for motion, single in zip(motions, found, strict=True):
        assert_equal(motion, single)


def test_inputs_in_all_forms():
    model = wheel()
    rng = np.random.default_rng(0)
    constants, samples = rng.standard_normal((3, 1)), rng.standard_normal((3, len(TIMES), 1))
    laws = [sp.laws.Sine(1.0, 2.0), lambda t: [t], lambda t, q, v: -q]
    for u in (constants, samples, laws, [{"motor": 1.0}, {"motor": sp.laws.Ramp(0.0, 1.0, 0.0, 1.0)}, None]):
        motions = model.simulate_batch(TIMES, u=u, threads=2)
        for i in range(3):
            assert_equal(motions[i], model.simulate(TIMES, u=u[i]))
    q0 = rng.standard_normal((3, 1))
    for u in ([0.5], sp.laws.Sine(1.0, 2.0), {"motor": 0.3}, lambda t, q, v: -q):
        motions = model.simulate_batch(TIMES, q0, u=u, threads=2)
        assert_equal(motions[2], model.simulate(TIMES, q0[2], u=u))
    held = model.simulate_batch(TIMES, q0, u=samples[:1], hold=True, threads=2)
    assert_equal(held[1], model.simulate(TIMES, q0[1], u=samples[0], hold=True))
    sampled = model.simulate_batch(TIMES, q0, u=lambda t, q, v: -q, control_rate=50.0, threads=2)
    assert_equal(sampled[1], model.simulate(TIMES, q0[1], u=lambda t, q, v: -q, control_rate=50.0))


def test_loops_prescribed_joints_and_further_states():
    model, q = four_bar()
    v0 = np.zeros((3, model.n))
    motions = model.simulate_batch(TIMES, q, v0, method=sp.GeneralizedAlpha(dt=0.01), threads=2)
    assert motions.multipliers.shape == (3, 11, model.nc)
    assert_equal(motions[1], model.simulate(TIMES, q, v0[1], method=sp.GeneralizedAlpha(dt=0.01)))
    controlled = wheel(sp.Controller([0.0], lambda t, q, v, z: q, lambda t, q, v, z: -z))
    q0 = np.array([[0.1], [0.2]])
    motions = controlled.simulate_batch(TIMES, q0, threads=2)
    assert motions.z.shape == (2, 11, 1)
    assert_equal(motions[1], controlled.simulate(TIMES, q0[1]))
    robot = sp.Robot("pushed", gravity=(0, 0, 0))
    robot.add_link("disc", sp.Rigid(1.0, (0.3, 0.3, 0.5)), joint=sp.Revolute("z"))
    robot.add(sp.Prescribed("disc", sp.laws.Sine(1.0, 1.0)))
    model = robot.compile()
    motions = model.simulate_batch(TIMES, np.zeros((2, 1)), threads=2)
    assert motions.efforts.shape == (2, 11, 1)
    assert_equal(motions[0], model.simulate(TIMES, np.zeros(1)))


def test_events_end_runs_early():
    model = pendulum()
    q0 = np.array([[0.0], [0.5], [1.5]])
    fall = sp.Event(lambda t, q, v: q[0] - 1.0, action="stop")
    times = np.linspace(0.0, 1.0, 21)
    motions = model.simulate_batch(times, q0, events=[fall], threads=2)
    for i in range(3):
        assert_equal(motions[i], model.simulate(times, q0[i], events=[fall]))
    assert motions[0].t[-1] < 1.0
    assert motions[0].t[-1] not in times
    reached = np.isfinite(motions.q[0, :, 0]).sum()
    assert reached == len(motions[0]) - 1
    assert np.isnan(motions.tip("bar")[0, reached:]).all()
    assert np.array_equal(motions.tip("bar")[0, :reached], motions[0].tip("bar")[:-1])


@pytest.mark.parametrize("threads", [1, 2])
def test_failures_are_kept_and_stop_no_other(threads):
    model = wheel()

    def breaks_down(t, q, v):
        if t > 0.1:
            raise RuntimeError("no battery")
        return [1.0]

    q0 = np.zeros((4, 1))
    q0[2] = np.nan
    u = [[1.0], breaks_down, [1.0], [2.0]]
    with pytest.warns(sp.ModelWarning, match="2 of 4 runs failed, the first is run 1: SimulationError.*no battery"):
        motions = model.simulate_batch(TIMES, q0, u=u, threads=threads)
    assert motions.done.all()
    assert motions.failed.tolist() == [False, True, True, False]
    broken, bad = motions.failures
    assert (broken.run, broken.kind) == (1, "SimulationError")
    assert 0.05 < broken.t <= 0.1 + 1e-9
    assert (bad.run, bad.kind, bad.t) == (2, "StateError", None)
    assert "q0[0]" in bad.message
    assert np.isfinite(motions.q[1, :3]).all()
    assert np.isnan(motions.q[1, 6:]).all()
    assert len(motions[2]) == 0
    assert np.isnan(motions.q[2]).all()
    assert_equal(motions[3], model.simulate(TIMES, q0[3], u=[2.0]))
    assert "no battery" in str(motions)
    assert "2 failed" in repr(motions)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_is_done(threads):
    model = soft_arm(0.01)
    q0, _ = random_states(model, 5000)
    model.simulate_batch(TIMES, q0[:2])
    ctrl_c_inside(share, 0.5)
    with pytest.raises(sp.Interrupted, match=r"interrupted after \d+ of 5000 runs") as caught:
        model.simulate_batch(TIMES, q0, threads=threads)
    motions = caught.value.result
    assert 0 < motions.done.sum() < 5000
    assert np.isnan(motions.q[~motions.done]).all()
    last = int(np.flatnonzero(motions.done)[-1])
    assert_equal(motions[last], model.simulate(TIMES, q0[last]))


def test_ctrl_c_does_not_wait_for_long_runs():
    model = soft_arm()
    ctrl_c_inside(share, 0.5)
    begun = time.monotonic()
    with pytest.raises(sp.Interrupted, match="after 0 of 2 runs"):
        model.simulate_batch([0.0, 2000.0], np.full((2, 3), 0.1), method=sp.GeneralizedAlpha(dt=2e-4), threads=2)
    assert time.monotonic() - begun < 60.0  # the runs take much longer


def test_progress_is_told_and_may_end_the_batch():
    model, told = wheel(), []

    def report(done, count):
        told.append((done, count))
        return done >= 3

    motions = model.simulate_batch(TIMES, np.zeros((8, 1)), threads=1, progress=report)
    assert told == [(1, 8), (2, 8), (3, 8)]
    assert motions.done.tolist() == [True] * 3 + [False] * 5
    assert "5 not done" in repr(motions)


def test_recorded_motions_have_gradients():
    model = wheel()
    q0 = np.array([[0.0], [0.3]])
    motions = model.simulate_batch(TIMES, q0, u=[1.0], record=True, threads=2)
    single = model.simulate(TIMES, q0[1], u=[1.0], record=True)
    cotangent = np.ones((len(TIMES), 1))
    assert np.array_equal(motions[1].vjp(q=cotangent).u, single.vjp(q=cotangent).u)


def test_results_that_do_not_fit_into_memory_are_refused(monkeypatch):
    model, make = wheel(), np.empty

    def little(shape, *arguments, **options):
        if np.prod(shape) > 1e9:
            raise MemoryError("Unable to allocate")
        return make(shape, *arguments, **options)

    monkeypatch.setattr(np, "empty", little)
    with pytest.raises(sp.ModelError, match=r"motions of 100000 runs at 100000 times take 320 GB.* folder="):
        model.simulate_batch(np.linspace(0.0, 1.0, 100_000), np.zeros((100_000, 1)))


def test_a_single_run_and_none_at_all():
    model = wheel()
    assert model.simulate_batch(TIMES, np.zeros((1, 1)))[0].q.shape == (11, 1)
    empty = model.simulate_batch(TIMES, np.zeros((0, 1)))
    assert len(empty) == 0
    assert empty.q.shape == (0, 11, 1)
    assert list(empty) == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"t": 1.0}, sp.ShapeError, "runs of a batch share output times"),
        ({"q0": None}, sp.ShapeError, "nothing says how many runs"),
        ({"q0": np.zeros((2, 3))}, sp.ShapeError, r"q0 has shape \(2, 3\), model 'wheel' needs \(1,\) or \(B, 1\)"),
        ({"q0": "left"}, sp.ShapeError, "q0 is 'left'"),
        ({"u": np.zeros((3, 1))}, sp.ShapeError, "different numbers of runs: q0 is for 2, u is for 3"),
        ({"u": np.zeros((2, 5, 1))}, sp.ShapeError, r"u has shape \(2, 5, 1\), must be \(1,\), \(B, 1\), \(B, 11, 1\)"),
        ({"u": object()}, sp.ShapeError, "must be numbers, laws, or a list"),
        ({"method": sp.NDF}, sp.ModelError, "method is the class NDF"),
        ({"checkpoint": "file"}, sp.ModelError, "folder="),
        ({"threads": 0}, sp.ModelError, "threads is 0"),
        ({"max_steps": 0}, sp.ModelError, "max_steps is 0"),
        ({"control_rate": -1.0}, sp.ModelError, "control_rate"),
        ({"record": True, "folder": "x"}, sp.ModelError, "omit folder="),
        ({"progress": 3}, sp.ModelError, "progress is 3"),
        ({"folder": 3}, sp.ModelError, "folder is 3"),
    ],
)
def test_what_all_runs_share_is_checked_first(arguments, error, message):
    given = {"t": TIMES, "q0": np.zeros((2, 1))} | arguments
    with pytest.raises(error, match=message):
        wheel().simulate_batch(given.pop("t"), **given)
