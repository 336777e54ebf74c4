"""Functions taken down as programs do what the functions do, with all their derivatives."""

import numpy as np
import pytest

import supple as sp
from coupled_cases import follower
from helpers import central_difference
from supple.robot.traced import UNARY, trace

#: What a single coordinate may go through, with a place where all is smooth.
FUNCTIONS = {
    **{name: (getattr(np, name), 0.4) for name in UNARY},
    "square": (np.square, 0.7),
    "reciprocal": (np.reciprocal, 0.7),
    "power": (lambda x: x**2.5 + 2.0**x + x**-2, 0.7),
    "whole powers": (lambda x: x**7 - x**1 + x**0, -0.7),
    "arithmetic": (lambda x: (3 - x) / (1 + x * x) - 2 / x + (+x) - (-x), 0.7),
    "constant": (lambda x: 4, 0.7),
    "nothing": (lambda x: x, 0.7),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_three_derivatives(name):
    function, place = FUNCTIONS[name]
    model = follower(function)
    x, v, a = np.array([place]), np.array([0.3]), np.array([0.2])
    at = model.expand(x, v, a)

    def f(h):
        return float(function(place + h))

    first = central_difference(f)
    second = central_difference(lambda h: central_difference(lambda k: f(h + k)))
    third = central_difference(lambda e: central_difference(lambda h: central_difference(lambda k: f(e + h + k))))
    assert at.q[1] == pytest.approx(f(0.0), rel=1e-14)
    assert at.C[1, 0] == pytest.approx(first, rel=1e-9, abs=1e-10)
    assert at.bends[1, 0, 0] == pytest.approx(second, rel=1e-8, abs=1e-8)
    assert at.a[1] == pytest.approx(first * 0.2 + second * 0.09, rel=1e-8, abs=1e-9)
    assert at.Cdd[1, 0] == pytest.approx(second * 0.2 + third * 0.09, rel=1e-5, abs=1e-5)


def test_several_arguments():
    def function(a, b, c):
        return np.sin(a * b) / (2.0 + c**2) + np.exp(-a) * c

    model = follower(function, 3)
    x, v, a = np.random.default_rng(0).uniform(0.2, 0.9, (3, 3))
    at = model.expand(x, v, a)
    gradient = [central_difference(lambda h, e=e: function(*(x + h * e))) for e in np.eye(3)]
    np.testing.assert_allclose(at.C[3], gradient, atol=1e-11)
    rate = central_difference(lambda h: model.expand(x + h * v).C[3])
    np.testing.assert_allclose(at.Cd[3], rate, atol=1e-11)
    bend = central_difference(lambda h: model.expand(x + h * v + 0.5 * h * h * a, v + h * a).Cd[3])
    np.testing.assert_allclose(at.Cdd[3], bend, atol=1e-9)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: np.floor(x), "uses np.floor, which cannot be traced"),
        (lambda x: abs(x), "TypeError|cannot be traced"),
        (lambda x: x if x > 0 else -x, "a comparison of a coordinate"),
        (lambda x: x and 1.0, "a branch"),
        (lambda x: float(x), "a coordinate as a plain number"),
        (lambda x: np.array([x, x]), "must return one number"),
        (lambda x: None, "must return one number"),
        (lambda x: x * np.ones(3), "as an operand|must return one number"),
        (lambda x: x * np.nan, "as an operand"),
        (lambda x: x**x, "of two coordinates"),
        (lambda x: 1 / 0, "raised ZeroDivisionError"),
        (lambda x: np.add.reduce(x), "cannot be traced|must return"),
    ],
)
def test_what_cannot_be_traced_is_named(function, message):
    with pytest.raises(sp.ModelError, match=message):
        trace(function, 1, "f")


def test_coordinates_of_another_call_are_refused():
    kept = []

    def first(x):
        kept.append(x)
        return 2.0 * x

    trace(first, 1, "f")
    for function in (lambda x: x + kept[0], lambda x: kept[0]):
        with pytest.raises(sp.ModelError, match="a coordinate of another call, which it kept"):
            trace(function, 1, "f")
