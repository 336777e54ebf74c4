"""Arithmetic in files: numbers, parameters, functions; nothing else."""

import math

import pytest

from supple.files.expressions import ExpressionError, evaluate, is_expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${1 + 2 * 3}", 7.0),
        ("${-r ** 2}", -4.0),
        ("${(r + 1) / 2}", 1.5),
        ("${sqrt(r) * cos(pi)}", -math.sqrt(2.0)),
        ("${x}", [1.0, 3.0]),
        ("${2 * x}", [2.0, 6.0]),
        ("${x[1] - x[0]}", 2.0),
        ("${max(r, 5)}", 5.0),
        ("${min(r, 3, 0.5, 1)}", 0.5),
        ("${atan2(1, 1)}", math.pi / 4),
    ],
)
def test_values(text, value):
    assert is_expression(text)
    assert evaluate(text, {"r": 2.0, "x": [1.0, 3.0]}) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${}", "no arithmetic"),
        ("${1 +}", "no arithmetic"),
        ("${" + "(" * 250 + "}", "no arithmetic"),
        ("${" + "1+" * 200 + "1}", "300 at most"),
        ("${radius}", "no parameter 'radius', did you mean 'radii'\\? Known are"),
        ("${sinh(1)}", "no function 'sinh', did you mean 'sin'"),
        ("${1 / 0}", "zero"),
        ("${log(0)}", "finite"),
        ("${sqrt(-1)}", "finite"),
        ("${10 ** 400}", "beyond float64$"),
        ("${9 ** 9 ** 9}", "beyond float64$"),
        ("${x}", "no parameter 'x'; known are: radii, three, pi$"),
        ("${'a' * 1000}", "holds Constant"),
        ("${radii.__class__}", "holds Attribute"),
        ("${[x for x in radii]}", "holds ListComp"),
        ("${(lambda: 1)()}", "holds Call"),
        ("${__import__('os')}", "no function '__import__'"),
        ("${radii[9]}", "no entry"),
        ("${radii + 1 if 1 else 2}", "holds IfExp"),
        ("${1 and 2}", "holds BoolOp"),
        ("${True}", "holds Constant"),
        ("${sin()}", "sin takes 1 argument, not 0"),
        ("${sqrt(1, 2)}", "sqrt takes 1 argument, not 2"),
        ("${min(1)}", "min takes 2 arguments, not 1"),
        ("${atan2(1, 2, 3)}", "atan2 takes 2 arguments, not 3"),
        ("${max(1, key=2)}", "holds Call"),
        ("${radii * three}", "broadcast"),
    ],
)
def test_everything_else_is_refused(text, words):
    with pytest.raises(ExpressionError, match=words):
        evaluate(text, {"radii": [1.0, 2.0], "three": [1.0, 2.0, 3.0]})
