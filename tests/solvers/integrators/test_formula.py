"""Schemes as rows of coefficients: exact on polynomials up to their order, and refused where they are wrong."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.solvers.integrators.formula import (
    LAGGED,
    MOST_STAGES,
    POINTS,
    SDIRK2,
    STAGES,
    Formula,
    Known,
    Stage,
    diagonally_implicit,
    tabulated,
)

SCHEMES = {
    "BDF2": (sp.BDF2(dt=1.0), (0.7,), 2),
    "ImplicitEuler": (sp.ImplicitEuler(dt=1.0), (), 1),
    "GeneralizedAlpha": (sp.GeneralizedAlpha(0.5), (), 2),
    "Newmark": (sp.Newmark(), (), 2),
}


def known_of(power, h, past, lag):
    """Values (k,) of all that is known along q = t^power, in units of q; now is t = 0."""

    def point(t):
        slope = power * t ** max(power - 1, 0) if power else 0.0
        bend = power * (power - 1) * t ** max(power - 2, 0) if power > 1 else 0.0
        return [float(t**power), h * slope, h * h * bend]

    values = np.zeros((STAGES + MOST_STAGES, 3))
    values[:POINTS] = [point(0.0), *(point(-h * x) for x in (*past, *[0.0] * (POINTS - 1 - len(past))))]
    values[LAGGED, 2] = point(lag * h)[2]
    values[-1] = point(h)
    return values.ravel()


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("h", [1.0, 0.3])
def test_formulas_are_exact_up_to_their_order(name, h):
    """h v and h^2 a of t^k for k up to the order, whatever the steps were."""
    scheme, past, order = SCHEMES[name]
    formula = scheme.formula(past)
    (stage,) = formula.stages
    for power in range(order + 1):
        values = known_of(power, h, past, formula.lag)
        assert stage.v @ values == pytest.approx(values[-2], abs=1e-12)
        assert stage.a @ values == pytest.approx(values[-1], abs=1e-12)


@pytest.mark.parametrize("name", SCHEMES)
def test_tables_are_the_formula_at_its_guess(name):
    """v = v0 + c_v (q - q0) is v of the formula, for any q and any history."""
    scheme, past, _ = SCHEMES[name]
    formula = scheme.formula(past)
    table, (stage,) = tabulated(formula, name), formula.stages
    rng = np.random.default_rng(3)
    history = rng.standard_normal(3 * STAGES)
    full = np.zeros(3 * (STAGES + MOST_STAGES))
    full[: len(history)], full[-3] = history, rng.standard_normal()
    q0, v0, a0 = table.weights[0] @ history
    _, c_v, c_a, _ = table.factors[0]
    assert v0 + c_v * (full[-3] - q0) == pytest.approx(stage.v @ full, rel=1e-12)
    assert a0 + c_a * (full[-3] - q0) == pytest.approx(stage.a @ full, rel=1e-12)


def test_what_cancels_is_zero():
    """Of the velocity of a guess that moves on with constant velocity, nothing multiplies q."""
    table = tabulated(sp.ImplicitEuler(dt=1.0).formula(()), "Euler")
    assert table.weights[0, 1].tolist() == [0.0, 1.0] + [0.0] * 13  # h v0 = h v
    assert not table.weights[0, 2].any()
    table = tabulated(sp.GeneralizedAlpha().formula(()), "alpha")
    assert table.weights[0, 1, 0] == 0.0
    assert not table.weights[0, 2, :2].any()


def test_stages_of_a_tableau():
    """SDIRK2 by hand: backward Euler over g h, and again from y + (1 - g)/g (y_1 - y)."""
    g = SDIRK2[0][0]
    table, known = tabulated(diagonally_implicit(SDIRK2), "SDIRK2"), Known()
    assert table.factors[:, 0].tolist() == [pytest.approx(g), 1.0]
    assert table.factors[:, 1] == pytest.approx(1.0 / g)
    assert table.factors[:, 2] == pytest.approx(1.0 / g**2)
    first, now = known.stages[0], known.now
    base = now.q + (1.0 - g) / g * (first.q - now.q)
    speed = now.v + (1.0 - g) / g * (first.v - now.v)
    assert table.weights[1, 0] == pytest.approx((base + g * speed)[: table.weights.shape[2]])
    assert table.weights[1, 1] == pytest.approx(speed[: table.weights.shape[2]])


def euler(**changes):
    known = Known()
    v = known.new.q - known.now.q
    return Formula([Stage(**{"v": v, "a": v - known.now.v, "guess": known.now.q, **changes})])


K = Known()


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (Formula([]), "Own: a step has 0 stages, must have 1 to 8"),
        (euler(v=K.now.q - K.new.q), r"Own: stage 1: v, a and z must grow with new.q; they do with -1, 1, -1"),
        (euler(v=2.0 * K.new.q - K.now.q), "Own: stage 1: v is wrong by 1 where nothing moves"),
        (euler(guess=K.new.q), "the guess must not hold new.q"),
        (euler(guess=0.5 * K.now.q), "guess is wrong by 0.5 where nothing moves"),
        (euler(v=K.new.q - K.stages[0].q), "v holds a stage that is not solved yet"),
        (euler(v=[1.0, 2.0]), "v must be a sum of members of Known"),
        (euler(v=np.nan * K.new.q), "v must be a sum of members of Known with finite coefficients"),
        (euler(at=0.5), "Own: the last stage is at 0.5 of the step, must be at its end, 1"),
        (euler(v=K.new.q - K.now.q + K.now.a), "v holds accelerations, so internal states need a formula"),
    ],
)
def test_wrong_formulas_are_refused(formula, message):
    with pytest.raises(ModelError, match=message):
        tabulated(formula, "Own")


@pytest.mark.parametrize(
    ("tableau", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.5]], "lower triangular"),
        ([[0.0]], "positive entries on its diagonal"),
        (
            [[0.5, 0.0], [0.1, 0.5]],
            "the last row of a tableau must add up to 1: the step ends there; it adds up to 0.6",
        ),
    ],
)
def test_wrong_tableaus_are_refused(tableau, message):
    with pytest.raises(ModelError, match=message):
        diagonally_implicit(tableau)
