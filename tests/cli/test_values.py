"""Words of the command line become values of the annotated types, or errors that say which."""

from collections.abc import Sequence
from typing import Any, Literal

import pytest

from supple.cli.failures import UsageError
from supple.cli.values import kind_of, pairs, read


@pytest.mark.parametrize(
    ("text", "annotation", "value"),
    [
        ("1e-3", float, 1e-3),
        (" 7 ", int, 7),
        ("Yes", bool, True),
        ("off", bool, False),
        ("a b", str, "a b"),
        ("1, 2", tuple[float, float], (1.0, 2.0)),
        ("1,2,3", tuple[int, ...], (1, 2, 3)),
        ("1,2", list[float], [1.0, 2.0]),
        ("1", Sequence[float], [1.0]),
        ("none", float | None, None),
        ("2", float | None, 2.0),
        ("2,3", float | tuple[float, float], (2.0, 3.0)),
        ("slow", Literal["fast", "slow"], "slow"),
        ("0", Literal[0, 1], 0),
    ],
)
def test_values(text, annotation, value):
    assert read(text, annotation, "x") == value
    assert type(read(text, annotation, "x")) is type(value)


@pytest.mark.parametrize(
    ("text", "annotation", "message"),
    [
        ("1.5", int, "x is '1.5', must be a whole number"),
        ("maybe", bool, "must be true or false"),
        ("1,2,3", tuple[float, float], "must be 2 numbers separated by commas"),
        ("x", float | None, "must be a number or none"),
        ("medium", Literal["fast", "slow"], "must be one of fast, slow"),
        ("", float, "must be a number"),
    ],
)
def test_what_cannot_be_read(text, annotation, message):
    with pytest.raises(UsageError, match=message):
        read(text, annotation, "x")


@pytest.mark.parametrize("annotation", [Any, dict[str, float], tuple[int, str], None])
def test_what_the_command_line_cannot_write(annotation):
    assert kind_of(annotation) is None


def test_a_value_may_hold_an_equals_sign():
    assert pairs(["a=1", "b = x=y"], "--set") == {"a": "1", "b": " x=y"}
