"""Checks at the border: what they accept, what they say when they refuse."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from supple import checks
from supple.checks import all_finite
from supple.errors import ModelError, ShapeError, StateError


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0)])
def test_finite_float_accepts_numbers(value):
    assert checks.finite_float(value, "x") == 2.0
    assert type(checks.finite_float(value, "x")) is float


@pytest.mark.parametrize("value", [True, np.True_, "2", None, [2.0], 1j, object()])
def test_finite_float_refuses_what_is_not_a_number(value):
    with pytest.raises(ModelError, match=r"^x is .*must be a number"):
        checks.finite_float(value, "x")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_finite_float_refuses_non_finite_numbers(value):
    with pytest.raises(ModelError, match=r"x is -?(nan|inf), must be finite"):
        checks.finite_float(value, "x")


def test_signs():
    assert checks.nonnegative_float(0, "x") == 0.0
    with pytest.raises(ModelError, match="x is -1 kg, must not be negative"):
        checks.nonnegative_float(-1, "x", "kg")
    with pytest.raises(ModelError, match="x is 0 m, must be positive"):
        checks.positive_float(0, "x", "m")


@pytest.mark.parametrize("value", [True, 2.0, "2", None, np.True_])
def test_whole_number_refuses_other_types(value):
    with pytest.raises(ModelError, match=r"n is .*must be a whole number"):
        checks.whole_number(value, "n")


def test_whole_number_bounds():
    assert checks.whole_number(np.int32(3), "n") == 3
    with pytest.raises(ModelError, match="n is 0, must be at least 1"):
        checks.whole_number(0, "n", minimum=1)


def test_finite_array_is_a_read_only_copy():
    source = np.arange(3)
    array = checks.finite_array(source, (3,), "x")
    source[0] = 7
    assert_array_equal(array, [0.0, 1.0, 2.0])
    assert array.dtype == np.float64
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2], r"x has shape \(2,\), must have shape \(3,\)"),
        ([1, 2, np.nan], "x is .*must be finite"),
        ([1, [2], 3], "x is .*must be an array of real numbers"),
        (["a", "b", "c"], "must be an array of real numbers"),
        ([1j, 0, 0], "must be an array of real numbers"),
        (None, "must be an array of real numbers"),
    ],
)
def test_finite_array_refuses(value, message):
    with pytest.raises(ModelError, match=message):
        checks.finite_array(value, (3,), "x")


def test_symmetric_psd_accepts_a_diagonal_and_a_singular_matrix():
    assert_array_equal(checks.symmetric_psd([1.0, 0.0], 2, "K"), np.diag([1.0, 0.0]))
    assert_array_equal(checks.symmetric_psd(np.ones((2, 2)), 2, "K"), np.ones((2, 2)))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1.0, 0.5], [0.4, 1.0]], "K is not symmetric"),
        ([-1.0, 1.0], "K has a negative diagonal entry, -1"),
        ([[1.0, 2.0], [2.0, 1.0]], "K is not positive semi-definite: an off-diagonal"),
        ([1.0, 2.0, 3.0], r"K has shape \(3,\), must have shape \(2, 2\)"),
        ([[1.0, np.nan], [np.nan, 1.0]], "must be finite"),
    ],
)
def test_symmetric_psd_refuses(value, message):
    with pytest.raises(ModelError, match=message):
        checks.symmetric_psd(value, 2, "K")


def test_symmetric_psd_sees_a_negative_eigenvalue_that_no_pair_of_entries_shows():
    matrix = np.full((3, 3), -0.9) + 1.9 * np.eye(3)
    with pytest.raises(ModelError, match="negative eigenvalue"):
        checks.symmetric_psd(matrix, 3, "K")
    # The same matrix in other units, hidden behind an entry 1e15 times larger.
    units = np.diag([1.0, 1e-6, 1e-6, 1e3])
    hidden = units @ np.block([[matrix, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]) @ units
    with pytest.raises(ModelError, match="negative eigenvalue"):
        checks.symmetric_psd(hidden, 4, "K")


# ---------------------------------------------------------------------- what is a real number

NO_NUMBERS = {
    "complex": np.ones(3) + 0j,
    "boolean": np.ones(3, dtype=bool),
    "text": np.array(["1", "2", "3"]),
    "dates": np.array([1, 2, 3], dtype="M8[s]"),
    "spans": np.array([1, 2, 3], dtype="m8[s]"),
    "masked": np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    "ragged": [[1.0], [1.0, 2.0]],
    "objects": [object()] * 3,
    "nothing": [None] * 3,
    "too large": [10**400, 1, 2],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_floats_refuses_what_a_cast_would_mutilate(kind):
    with pytest.raises(ValueError):  # noqa: PT011 - the words are those of whoever asked
        checks.floats(NO_NUMBERS[kind])
    with pytest.raises(ModelError, match=r"^x is "):
        checks.finite_array(NO_NUMBERS[kind], (3,), "x")
    with pytest.raises(ShapeError, match=r"^q must be 3 real numbers, got "):
        checks.vector(NO_NUMBERS[kind], 3, "q", "arm")


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        np.array([1, 2], dtype=np.int8),
        np.array([1, 2], dtype=">f8"),
        np.array([1, 2], dtype=np.float16),
        np.array([1, 2], dtype=np.longdouble),
        np.ma.masked_array([1.0, 2.0]),
        [Fraction(1), Decimal(2)],
        np.array([1, 10**30]) * 0 + [1, 2],
    ],
)
def test_floats_takes_every_kind_of_real_number(value):
    array = checks.floats(value)
    assert array.dtype == np.float64
    assert_array_equal(array, [1.0, 2.0])


def test_floats_gives_back_what_is_right_already():
    x = np.arange(3.0)
    assert checks.floats(x) is x
    assert checks.vector(x, 3, "q", "arm") is x


def test_vectors_for_kernels_are_contiguous_and_writeable():
    held = np.arange(6.0)[::2]
    held.setflags(write=False)
    assert checks.vector(held, 3, "q", "arm").flags.carray


def test_values_in_messages_are_short_and_never_fail():
    class Silent:
        def __repr__(self):
            raise RuntimeError

    assert checks.shown(Silent()) == "<Silent>"
    assert len(checks.shown(list(range(1000)))) <= checks.SHOWN
    assert checks.shown(10**5000) == "<int>"
    assert "\n" not in checks.shown(np.zeros((3, 3)))


def test_flags_are_booleans():
    assert checks.flag(np.True_, "x") is True
    for value in ("no", 1, 0.0, None, [True]):
        with pytest.raises(ModelError, match=r"x is .*, must be True or False"):
            checks.flag(value, "x")


def test_names_are_strings_with_something_in_them():
    assert checks.name("a", "x") == "a"
    with pytest.raises(ModelError, match="x is 3, must be a string"):
        checks.name(3, "x")
    with pytest.raises(ModelError, match=r"x is ' ', must not be empty"):
        checks.name(" ", "x")
    assert checks.names(iter(["a", "b"]), "x") == ("a", "b")
    for value in ("ab", 3, [1], [], None):
        with pytest.raises(ModelError, match="must be a sequence of names"):
            checks.names(value, "x")


def test_whole_numbers_have_a_most():
    with pytest.raises(ModelError, match="n is 11, must be at most 10"):
        checks.whole_number(11, "n", 0, 10)
    with pytest.raises(ModelError, match=r"n is .*, must be a whole number"):
        checks.whole_number(np.array([1, 2]), "n")


def test_what_users_functions_raise_is_named():
    def wrong(x):
        return {}[x]

    with pytest.raises(StateError, match=r"law of 'a' raised KeyError: 3"):
        checks.ask(wrong, (3,), "law of 'a'", StateError)


@pytest.mark.parametrize("value", [None, "x", 1j, [1.0, np.nan], [1.0], [[1.0, 2.0]], 10**400])
def test_what_users_functions_return_is_checked(value):
    with pytest.raises(StateError, match=r"law returned .* at t = 1; it must return 2 finite numbers"):
        checks.answer(value, 2, "law", 1.0)
    assert checks.answer(3, 1, "law", 0.0).tolist() == [3.0]


@pytest.mark.parametrize("value", [1e-60, 1e60])
def test_lengths_have_powers(value):
    for check in (checks.positive_float, checks.nonnegative_float):
        with pytest.raises(ModelError, match=r"x is .* m, must lie between 1e-50 and 1e"):
            check(value, "x", "m")
        assert check(value, "x", "Pa") == value


@pytest.mark.parametrize("size", [0, 1, 7, 300])
def test_whether_all_numbers_are_finite(size):
    numbers = np.linspace(-1.0, 1.0, size)
    assert all_finite(numbers)
    assert all_finite(1e300 * numbers)  # the sum of their squares is not
    assert all_finite(numbers.reshape(1, -1)[:, ::2])
    for k in range(size):
        for bad in (np.nan, np.inf, -np.inf):
            wrong = 1e300 * numbers
            wrong[k] = bad
            assert not all_finite(wrong)
