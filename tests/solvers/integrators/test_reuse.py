"""Arrays of runs that have ended: the next run takes them, and nothing of what they held shows in its results."""

import numpy as np
import pytest

import supple as sp
from load_kinds import KINDS, add_kinds, host
from motions import four_bar, free_body, soft_arm, wheel
from supple.solvers.integrators import reuse
from supple.solvers.integrators.reuse import KEPT, Form, arrays_of

NAMES = ("t", "q", "v", "a", "u", "z", "efforts", "multipliers")
DIFFERENT = ("seconds", "real_time_factor")
TIMES = np.linspace(0.0, 0.05, 6)
METHODS = [
    sp.NDF(),
    sp.Radau(),
    sp.GeneralizedAlpha(dt=0.01),
    sp.GeneralizedAlpha(),
    sp.BDF2(dt=0.01),
    sp.RK45(),
]


def kept(model):
    return model.workspace.idle("runs")


def fresh(model):
    """The same model, with nothing kept."""
    return type(model)(model.compiled)


def run(model, *arguments, **options):
    try:
        return model.simulate(*arguments, **options)
    except sp.SimulationError as error:
        return error.trajectory


def assert_same(motion, other):
    for name in NAMES:
        assert np.array_equal(np.asarray(getattr(motion, name)), np.asarray(getattr(other, name)), equal_nan=True), name
    ours, theirs = ({k: x for k, x in m.stats.items() if k not in DIFFERENT} for m in (motion, other))
    assert ours == theirs


def poison(model):
    """Fill all that is kept with numbers that nobody wants: NaN, and integers that point nowhere."""
    assert kept(model)
    for integrator in kept(model):
        for array in (*arrays_of(integrator.workspace), *integrator.run, *integrator.own):
            if array.flags.writeable and array is not integrator.run.wanted:
                array.reshape(-1).view(np.uint8)[:] = 0xFF


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("make", [lambda: four_bar(), lambda: (soft_arm(0.01), None), lambda: (free_body(), None)])
def test_a_run_does_not_see_what_ran_before(make, method):
    model, q0 = make()
    v0 = np.full(model.n, 0.3)
    expected = run(fresh(model), TIMES, q0, v0, method=method)
    for _ in range(2):
        run(model, TIMES, q0, -5.0 * v0, method=method)
        poison(model)
        assert_same(run(model, TIMES, q0, v0, method=method), expected)
    assert len(kept(model)) == 1


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")  # open loops, laws without tangents
@pytest.mark.parametrize("kinds", [sorted(KINDS)[k::4] for k in range(4)], ids=" ".join)
def test_all_kinds_of_loads(kinds):
    rng = np.random.default_rng(5)
    model = add_kinds(rng, host(), kinds).compile()
    q0, times, method = 0.05 * rng.standard_normal((2, model.n)), np.linspace(0.0, 2e-3, 3), sp.ImplicitEuler(dt=1e-3)
    u = rng.uniform(0.0, 0.1, (2, model.nu))
    expected = run(fresh(model), times, q0[1], None, u[1], method)
    run(model, times, q0[0], None, u[0], method)
    poison(model)
    assert_same(run(model, times, q0[1], None, u[1], method), expected)


def test_inputs_in_all_forms_one_after_the_other():
    """Laws and output times of a run take the place of those of the last."""
    model, rng = wheel(), np.random.default_rng(0)
    more = np.linspace(0.0, 0.1, 21)
    forms = [
        ([0.5], TIMES),
        (sp.laws.Sine(1.0, 2.0), TIMES),
        ([-0.3], more),
        (rng.standard_normal((21, 1)), more),
        (lambda t: [t], TIMES),
        ({"motor": sp.laws.Ramp(0.0, 1.0, 0.0, 1.0)}, 0.1),
        ([0.2], 0.1),
        (None, more),
        (lambda t, q, v: -q, TIMES),
        ([0.5], TIMES),
    ]
    for u, times in forms:
        assert_same(model.simulate(times, [0.1], u=u), fresh(model).simulate(times, [0.1], u=u))
    assert len(kept(model)) == 2  # one for feedback, one for all others


def test_failed_runs_leave_nothing_behind():
    model = soft_arm(0.01)
    expected = fresh(model).simulate(TIMES, np.full(3, 0.1))

    def fails(t, q, v):
        if t > 0.02:
            raise RuntimeError("no battery")
        return np.zeros(model.nu)

    for _ in range(2):
        with pytest.raises(sp.SimulationError):
            model.simulate(TIMES, np.full(3, 1e200))
        with pytest.raises(sp.SimulationError, match="no battery"):
            model.simulate(TIMES, u=fails)
        with pytest.raises(sp.SimulationError, match="max_steps"):
            model.simulate(TIMES, np.full(3, 0.1), max_steps=2)
        assert_same(model.simulate(TIMES, np.full(3, 0.1)), expected)


def test_a_run_inside_of_another_has_arrays_of_its_own():
    model, inner = wheel(), []

    def predicts(t, q, v):
        ahead = model.simulate(TIMES, q, v, u=[0.2])
        inner.append((q.copy(), v.copy(), ahead))
        return -ahead.q[-1]

    motion = model.simulate(TIMES, [0.1], u=predicts, method=sp.RK45())
    q, v, ahead = inner[-1]
    assert_same(ahead, fresh(model).simulate(TIMES, q, v, u=[0.2]))
    again = fresh(model)

    def alone(t, q, v):
        return -fresh(model).simulate(TIMES, q, v, u=[0.2]).q[-1]

    assert_same(motion, again.simulate(TIMES, [0.1], u=alone, method=sp.RK45()))


def test_events_that_switch_inputs_and_recorded_motions():
    model = wheel()
    event = sp.Event(lambda t, q, v: q[0] - 0.11, action=lambda t, q, v: sp.Switch(u=[-1.0]))
    for _ in range(2):
        motion = model.simulate(TIMES, [0.1], [1.0], u=[1.0], events=[event], record=True)
        other = fresh(model).simulate(TIMES, [0.1], [1.0], u=[1.0], events=[event], record=True)
        assert_same(motion, other)
        poison(model)
        cotangent = np.ones((len(motion.t), 1))
        assert np.array_equal(motion.vjp(q=cotangent).v0, other.vjp(q=cotangent).v0)


def test_few_are_kept_and_none_that_are_large(monkeypatch):
    model = wheel()
    for k in range(5):
        model.simulate(TIMES, method=sp.GeneralizedAlpha(dt=0.01 / (k + 1)))
    assert len(kept(model)) == KEPT
    monkeypatch.setattr("supple.solvers.integrators.integrator.LARGEST", 1000)
    large = wheel()
    large.simulate(TIMES)
    assert not kept(large)
    assert fresh(model).workspace.idle("runs") == []


def test_methods_that_cannot_be_compared_never_fit():
    class Odd(sp.NDF):
        def __eq__(self, other):
            raise RuntimeError("no")

        __hash__ = None

    odd = Odd()
    assert Form(odd, 0, False, False).fits(Form(odd, 0, False, False))
    assert not Form(odd, 0, False, False).fits(Form(Odd(), 0, False, False))
    assert not Form(sp.NDF(), 0, False, False).fits(Form(sp.NDF(rtol=1e-5), 0, False, False))
    assert Form(sp.NDF(atol=[1.0, 2.0]), 0, False, False).fits(Form(sp.NDF(atol=[1.0, 2.0]), 0, False, False))
    assert reuse.take(wheel(), Form(odd, 0, False, False)) is None
