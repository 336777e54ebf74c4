import pickle

import numpy as np
import pytest

import supple as sp
from supple import laws

VECTOR = np.array([1.0, -2.0, 0.5])
TIMES = np.array([0.0, 0.4, 1.0, 1.7, 2.0])
LAWS = {
    "constant": laws.Constant(3.0),
    "constant vector": laws.Constant(VECTOR),
    "ramp": laws.Ramp(1.0, 4.0, 0.2, 1.8),
    "ramp vector": laws.Ramp(0.0, VECTOR, 0.2, 1.8),
    "sine": laws.Sine(2.0, 1.5, 0.3, 1.0),
    "sine vector": laws.Sine(VECTOR, 1.5, phase=2.0 * VECTOR),
    "steps": laws.Steps(TIMES, [1.0, 2.0, 0.0, 5.0, 3.0]),
    "steps vector": laws.Steps(TIMES, np.outer(TIMES, VECTOR)),
    "spline": laws.Spline(TIMES, np.sin(3.0 * TIMES)),
    "spline vector": laws.Spline(TIMES, np.outer(np.sin(3.0 * TIMES), VECTOR), ends="clamped"),
    "spline matrix": laws.Spline(TIMES, TIMES[:, None, None] * np.eye(3), ends="natural"),
    "table": laws.Table(TIMES, [1.0, 2.0, 0.0, 5.0, 3.0]),
    "table vector": laws.Table(TIMES, np.outer(np.sin(3.0 * TIMES), VECTOR)),
    "held table": laws.Table(TIMES, np.outer(np.sin(3.0 * TIMES), VECTOR), hold=True),
    "polynomial": laws.Polynomial([1.0, 2.0, -1.0, 0.5, 0.3], t0=0.3),
    "polynomial vector": laws.Polynomial(np.outer([1.0, 2.0, -1.0], VECTOR), t0=0.3, t1=1.8),
    "sum": laws.Ramp(0.0, 1.0, 0.2, 1.8) + laws.Sine(VECTOR, 0.7),
    "product": laws.Ramp(0.0, 1.0, 0.2, 1.8) * laws.Sine(VECTOR, 0.7),
    "with numbers": 2.0 * laws.Sine(1.0, 0.7) + 1.0,
    "with arrays": VECTOR * laws.Sine(1.0, 0.7) + VECTOR,
}


def difference(function, t, h=1e-4):
    return (8.0 * (function(t + h) - function(t - h)) - (function(t + 2 * h) - function(t - 2 * h))) / (12.0 * h)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("t", [-0.5, 0.13, 0.9, 1.5, 1.93, 2.7])
def test_rate_and_acceleration_are_derivatives(name, t):
    law = LAWS[name]
    assert np.allclose(law.rate(t), difference(law, t), rtol=1e-8, atol=1e-8)
    assert np.allclose(law.acceleration(t), difference(law.rate, t), rtol=1e-8, atol=1e-8)
    shapes = {np.shape(law(t)), np.shape(law.rate(t)), np.shape(law.acceleration(t))}
    assert len(shapes) == 1


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_picklable_and_frozen(name):
    law = LAWS[name]
    copy = pickle.loads(pickle.dumps(law))
    assert np.array_equal(copy(0.77), law(0.77))
    with pytest.raises(AttributeError):
        law.value = 1.0


@pytest.mark.parametrize("name", ["constant", "ramp", "sine", "steps", "spline", "table", "polynomial", "with numbers"])
def test_numbers_stay_plain_floats(name):
    for t in (-1.0, 0.5, 3.0):
        assert type(LAWS[name](t)) is float
        assert type(LAWS[name].rate(t)) is float
        assert type(LAWS[name].acceleration(t)) is float


def test_values():
    ramp = laws.Ramp(1.0, 4.0, 0.2, 1.7)
    assert [ramp(0.0), ramp(0.2), ramp(0.7), ramp(1.7), ramp(9.0)] == pytest.approx([1.0, 1.0, 2.0, 4.0, 4.0])
    assert laws.Sine(2.0, 0.25, offset=1.0)(1.0) == pytest.approx(3.0)
    spline = laws.Spline(TIMES, TIMES**3)
    assert spline(1.3) == pytest.approx(1.3**3)
    assert spline.rate(1.3) == pytest.approx(3 * 1.3**2)
    assert spline.acceleration(1.3) == pytest.approx(6 * 1.3)
    assert [spline(-1.0), spline(5.0)] == pytest.approx([0.0, 8.0])
    assert laws.Spline(TIMES, TIMES**3, ends="clamped").rate(0.0) == 0.0


def test_steps_jump_at_their_breaks():
    steps = LAWS["steps"]
    assert steps.breaks == tuple(TIMES)
    assert [steps(-1.0), steps(0.0), steps(0.4 - 1e-12), steps(0.4), steps(99.0)] == [1.0, 1.0, 1.0, 2.0, 3.0]
    assert (steps + laws.Ramp(0, 1, 0.1, 0.5)).breaks == (0.0, 0.1, 0.4, 0.5, 1.0, 1.7, 2.0)
    assert laws.Constant(1.0).breaks == laws.Sine(1.0, 1.0).breaks == ()


def test_tables_break_where_value_or_slope_jump():
    table = laws.Table([0.0, 1.0, 2.0, 4.0, 5.0], [0.0, 1.0, 2.0, 0.0, 0.0])
    assert [table(t) for t in (-1.0, 0.5, 1.0, 3.0, 9.0)] == [0.0, 0.5, 1.0, 1.0, 0.0]
    assert [table.rate(t) for t in (-1.0, 0.0, 1.0, 2.0, 5.0)] == [0.0, 1.0, 1.0, -1.0, 0.0]
    assert table.breaks == (0.0, 2.0, 4.0)
    held = laws.Table([0.0, 1.0, 2.0], [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]], hold=True)
    assert held(1.5).tolist() == [0.0, 0.0]
    assert held(2.0).tolist() == [0.0, 1.0]
    assert held.breaks == (2.0,)
    assert laws.Table([0.0, 1.0], [3.0, 3.0]).breaks == laws.Table([0.0], [3.0]).breaks == ()


def test_polynomials_hold_their_ends_if_they_have_an_end():
    free, held = laws.Polynomial([1.0, 0.0, 1.0], 1.0), laws.Polynomial([1.0, 0.0, 1.0], 1.0, 3.0)
    assert [free(t) for t in (0.0, 1.0, 2.0, 4.0)] == [2.0, 1.0, 2.0, 10.0]
    assert [held(t) for t in (0.0, 1.0, 2.0, 4.0)] == [1.0, 1.0, 2.0, 5.0]
    assert [held.rate(t) for t in (0.0, 1.0, 2.0, 3.0)] == [0.0, 0.0, 2.0, 0.0]
    assert [held.acceleration(t) for t in (0.0, 1.0, 2.0, 3.0)] == [0.0, 2.0, 2.0, 0.0]
    assert (free.breaks, held.breaks) == ((), (1.0, 3.0))


def test_a_law_drives_a_load():
    robot = sp.Robot("mass", gravity=(0, 0, 0))
    robot.add_link("mass", sp.Rigid(2.0, [1.0, 1.0, 1.0]), sp.Translational())
    robot.add(sp.PointWrench("mass", laws.Sine([0, 0, 0, 4.0, 0, 0], 0.25), s=0.0))
    model = robot.compile()
    assert model.forward_dynamics(np.zeros(3), np.zeros(3), t=1.0).a == pytest.approx([2.0, 0.0, 0.0])
    copy = pickle.loads(pickle.dumps(model))
    assert copy.forward_dynamics(np.zeros(3), np.zeros(3), t=1.0).a == pytest.approx([2.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: laws.Constant(np.nan), "Constant: value is nan"),
        (lambda: laws.Constant([1.0, np.inf]), "Constant: value"),
        (lambda: laws.Constant("fast"), "Constant: value"),
        (lambda: laws.Ramp(0.0, 1.0, 1.0, 1.0), "Ramp: t1"),
        (lambda: laws.Ramp([0.0, 1.0], [1.0, 2.0, 3.0]), "Ramp: .*do not go together"),
        (lambda: laws.Sine(1.0, [1.0, 2.0]), "Sine: frequency"),
        (lambda: laws.Sine([1.0, 2.0], 1.0, phase=[1.0, 2.0, 3.0]), "Sine: .*do not go together"),
        (lambda: laws.Steps([0.0, 0.0], [1.0, 2.0]), "Steps: times must increase"),
        (lambda: laws.Steps([], []), "Steps: times has shape"),
        (lambda: laws.Steps([0.0, 1.0], [1.0]), "Steps: values has shape"),
        (lambda: laws.Steps([0.0, np.nan], [1.0, 2.0]), "Steps: .*finite"),
        (lambda: laws.Spline([0.0], [1.0]), "Spline: times has shape"),
        (lambda: laws.Spline([0.0, 1.0], [1.0, 2.0], ends="loose"), "Spline: ends"),
        (lambda: laws.Table([1.0, 0.0], [1.0, 2.0]), "Table: times must increase"),
        (lambda: laws.Table([0.0, 1.0], [1.0, 2.0], hold="yes"), "Table: hold is 'yes'"),
        (lambda: laws.Polynomial(2.0), "Polynomial: coefficients is 2.0, must be a list"),
        (lambda: laws.Polynomial([]), "Polynomial: coefficients"),
        (lambda: laws.Polynomial([1.0, np.nan]), "Polynomial: coefficients .*finite"),
        (lambda: laws.Polynomial([1.0], 1.0, 1.0), "Polynomial: t1 is 1 s, must be later"),
        (lambda: laws.Sum(laws.Constant(1.0), 2.0), "Sum: b is 2.0"),
        (lambda: laws.Constant([1.0, 2.0]) * laws.Constant([1.0, 2.0, 3.0]), "Product: .*do not go together"),
    ],
)
def test_bad_laws_are_named(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_rates_of_a_sine_have_the_shape_of_its_values():
    law = laws.Sine(0.5, 1.0, offset=[1.0, 2.0])
    assert law(0.25).shape == law.rate(0.25).shape == law.acceleration(0.25).shape == (2,)
    np.testing.assert_allclose(law.rate(0.0), [np.pi, np.pi])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: laws.Sine(1.0, 1e200), "frequency is 1e\\+200 Hz, must be at most"),
        (lambda: laws.Sine(1e308, 10.0), "its acceleration overflows"),
        (lambda: laws.Spline([0.0, 1.0, 1e200], [0.0, 1e300, 0.0])(0.5), "no spline goes through these values"),
        (lambda: laws.Constant(np.ma.masked), "Constant: value is masked, must be an array of real numbers"),
        (lambda: laws.Constant([[1], [1, 2]]), r"must be an array of real numbers \(is ragged\)"),
    ],
)
@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
def test_laws_that_overflow_are_refused(make, message):
    with pytest.raises(sp.ModelError, match=message), np.errstate(all="ignore"):
        make()
