"""Checks at the border: turn what a user wrote into clean numbers and arrays, or say what is wrong with it.

Every function takes the value and ``what``, the words that begin the message (such as ``"Rod: length"``).
Arrays come back as read-only float64 copies, so that a checked description cannot change behind our back.
Whatever is meant as numbers passes `floats`, the one place that knows what is a real number and what is not: a state
as a description, an option as what a user's function returns.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import ModelError, ShapeError, StateError, SuppleError

Array = NDArray[np.float64]

FLOAT = np.dtype(np.float64)

#: Relative size of asymmetry or of a negative eigenvalue that is taken for rounding.
ROUNDING = 1e-9

#: Shortest and longest lengths [m]: fourth powers of others, and products with them, are beyond float64.
SHORTEST, LONGEST = 1e-50, 1e50

#: Most characters of a value that a message shows.
SHOWN = 160


def shown(value: Any) -> str:
    """``repr(value)`` for messages: never long, and never an error of its own."""
    try:
        text = repr(value)
    except Exception:  # a user's __repr__, or an integer of more digits than Python prints
        return f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]} ..."


# ---------------------------------------------------------------------- numbers


def floats(value: Any) -> Array:
    """``value`` as a float64 array, itself where possible; raises `ValueError` saying what it is instead.

    Refused are complex numbers, dates, strings, booleans, masked entries, ragged lists, other objects, and integers
    beyond float64: a cast would lose a part of them in silence.  NaN and infinity are numbers here.
    """
    if type(value) is np.ndarray and value.dtype == FLOAT:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError("has masked entries")
    try:
        array = np.asarray(value)
    except Exception:
        raise ValueError("is ragged") from None
    kind = array.dtype.kind
    if array.dtype == FLOAT:
        return array
    if kind in "iuf":
        with np.errstate(over="ignore"):  # of extended precision: becomes infinite, which is refused as such
            return array.astype(FLOAT)
    if kind == "O":
        return _from_objects(array)
    names = {"c": "is complex", "b": "is boolean", "M": "is a date", "m": "is a time span", "U": "is text"}
    raise ValueError(names.get(kind, ""))


def why(reason: ValueError) -> str:
    """What `floats` said, in brackets; nothing if the value speaks for itself."""
    return f" ({reason})" if str(reason) else ""


def _from_objects(array: NDArray[Any]) -> Array:
    """Real numbers that NumPy has no type for: long integers, fractions, decimals."""
    numbers = np.empty(array.shape)
    for place, x in np.ndenumerate(array):
        if isinstance(x, bool) or not isinstance(x, (Real, Decimal)):
            raise ValueError("")
        try:
            numbers[place] = float(x)
        except (OverflowError, ValueError):
            raise ValueError("is too large for float64") from None
    return numbers


def finite_float(value: Any, what: str, error: type[SuppleError] = ModelError) -> float:
    """Return ``value`` as a finite float; booleans, strings and arrays are refused."""
    if type(value) is float and isfinite(value):
        return value
    try:
        number = floats(value)
    except ValueError as reason:
        raise error(f"{what} is {shown(value)}, must be a number{why(reason)}") from None
    if number.ndim:
        raise error(f"{what} is {shown(value)}, must be a number")
    if not np.isfinite(number):
        raise error(f"{what} is {float(number):g}, must be finite")
    return float(number)


def all_finite(array: Any) -> bool:
    """Whether all numbers of a float64 array are finite.

    Told by the sum of their squares, which takes a third of the time; where that overflows, by the numbers themselves.
    """
    return isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def positive_float(value: Any, what: str, unit: str = "") -> float:
    """Return ``value`` as a float > 0."""
    number = _bounded(finite_float(value, what), what, unit)
    if number <= 0.0:
        raise ModelError(f"{what} is {_with_unit(number, unit)}, must be positive")
    return number


def nonnegative_float(value: Any, what: str, unit: str = "") -> float:
    """Return ``value`` as a float >= 0."""
    number = _bounded(finite_float(value, what), what, unit)
    if number < 0.0:
        raise ModelError(f"{what} is {_with_unit(number, unit)}, must not be negative")
    return number


def _bounded(number: float, what: str, unit: str) -> float:
    if unit == "m" and number > 0.0 and not SHORTEST <= number <= LONGEST:
        raise ModelError(f"{what} is {number:g} m, must lie between {SHORTEST:g} and {LONGEST:g} m")
    return number


def whole_number(value: Any, what: str, minimum: int = 0, maximum: int | None = None) -> int:
    """Return ``value`` as an int from ``minimum`` to ``maximum``; booleans and floats (even 3.0) are refused."""
    if isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {value!r}, must be a whole number")
    try:
        number = operator.index(value)
    except Exception:  # what is no integer, or an array of several
        raise ModelError(f"{what} is {shown(value)}, must be a whole number") from None
    if number < minimum:
        raise ModelError(f"{what} is {shown(number)}, must be at least {minimum}")
    if maximum is not None and number > maximum:
        raise ModelError(f"{what} is {shown(number)}, must be at most {maximum}")
    return number


def finite_array(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a read-only float64 copy of exactly that shape with finite entries."""
    array = real_array(value, what)
    if array.shape != shape:
        raise ModelError(f"{what} has shape {array.shape}, must have shape {shape}")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} is {shown(array.tolist())}, must be finite")
    return read_only(array)


def real_array(value: ArrayLike, what: str) -> Array:
    """Return ``value`` as a float64 copy of any shape; ragged, complex and non-numeric input is refused."""
    try:
        return np.array(floats(value))
    except ValueError as reason:
        raise ModelError(f"{what} is {shown(value)}, must be an array of real numbers{why(reason)}") from None


def real_vector(value: Any, what: str, most: int) -> list[float]:
    """``value`` as a list of at most so many finite floats: for places along a rod, times, and the like."""
    array = real_array(value, what)
    if array.ndim != 1:
        raise ModelError(f"{what} is {shown(value)}, must be a sequence of numbers")
    if len(array) > most:
        raise ModelError(f"{what} has {len(array)} entries, must have at most {most}")
    numbers: list[float] = finite_array(array, array.shape, what).tolist()
    return numbers


def vector(value: Any, size: int, what: str, model: str) -> Array:
    """``value`` as a contiguous, writeable float64 vector of ``size`` entries, finite or not, for kernels.

    ``model`` is the name of the model that needs it.  Raises `ShapeError`.
    """
    try:
        array = floats(value)
    except ValueError as reason:
        raise ShapeError(f"{what} must be {size} real numbers, got {shown(value)}{why(reason)}") from None
    if array.shape != (size,):
        raise ShapeError(f"{what} has shape {array.shape}, model {model!r} needs ({size},)")
    return array if array.flags.carray else np.array(array)


def finite_vector(value: Any, size: int, what: str, model: str) -> Array:
    """As `vector`, with finite entries, else `StateError`."""
    array = vector(value, size, what, model)
    if not np.isfinite(array).all():
        raise StateError(f"{what} is {shown(array.tolist())}, must be finite")
    return array


def symmetric_psd(value: ArrayLike, size: int, what: str) -> Array:
    """Return ``value`` as a symmetric positive semi-definite matrix.

    Parameters
    ----------
    value : array_like, shape (size, size) or (size,)
        The matrix, or its diagonal.
    size : int
        Number of rows.
    what : str
        Begins the error message.

    Returns
    -------
    ndarray, shape (size, size)
        Read-only, exactly symmetric.

    Notes
    -----
    Rows are scaled by the square roots of the diagonal before looking at eigenvalues, since the entries of
    a stiffness have different units: an indefinite bending block must not hide behind a large E A.
    """
    array = real_array(value, what)
    if array.shape == (size,):
        array = np.diag(array)
    matrix = finite_array(array, (size, size), what)
    diagonal = np.diag(matrix)
    if np.any(diagonal < 0.0):
        raise ModelError(f"{what} has a negative diagonal entry, {diagonal.min():.3g}")
    scale = np.sqrt(diagonal)
    # |A_ij| <= sqrt(A_ii A_jj) holds for every such matrix, and makes zero rows safe to scale.
    if np.any(np.abs(matrix) > (1.0 + ROUNDING) * np.outer(scale, scale)):
        raise ModelError(f"{what} is not positive semi-definite: an off-diagonal entry is too large")
    safe = np.where(scale > 0.0, scale, 1.0)
    scaled = matrix / np.outer(safe, safe)
    if np.any(np.abs(scaled - scaled.T) > ROUNDING):
        raise ModelError(f"{what} is not symmetric")
    if np.linalg.eigvalsh(scaled)[0] < -ROUNDING * size:
        raise ModelError(f"{what} is not positive semi-definite: it has a negative eigenvalue")
    return read_only(0.5 * matrix + 0.5 * matrix.T)  # the sum itself may overflow


# ---------------------------------------------------------------------- other things


def flag(value: Any, what: str) -> bool:
    """Return ``value`` as a bool; what is only taken for one (``"no"``, 1) is refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {shown(value)}, must be True or False")
    return bool(value)


def choice(value: Any, options: tuple[Any, ...], what: str) -> Any:
    """Return ``value`` if it is one of a few strings or whole numbers."""
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value in options:
        return value
    raise ModelError(f"{what} is {shown(value)}, must be one of {', '.join(repr(option) for option in options)}")


def names(value: Any, what: str) -> tuple[str, ...]:
    """Return ``value`` as a tuple of strings; a single string, which would fall apart into letters, is refused."""
    try:
        given = () if isinstance(value, (str, bytes)) else tuple(value)
    except TypeError:
        given = ()
    if not given or not all(isinstance(entry, str) for entry in given):
        raise ModelError(f"{what} is {shown(value)}, must be a sequence of names, such as ['arm']")
    return given


def name(value: Any, what: str) -> str:
    """Return ``value`` if it is a string that is not empty."""
    if not isinstance(value, str):
        raise ModelError(f"{what} is {shown(value)}, must be a string")
    if not value.strip():
        raise ModelError(f"{what} is {value!r}, must not be empty")
    return value


def file_path(value: Any, what: str, error: type[SuppleError] = ModelError) -> Path:
    """Return ``value`` as the path of a file."""
    if not isinstance(value, (str, PathLike)) or not isinstance(fspath(value), str) or not str(value).strip():
        raise error(f"{what} is {shown(value)}, must be the name of a file")
    if "\0" in str(value):
        raise error(f"{what} is {shown(value)}, but names of files hold no zero bytes")
    return Path(value)


def ask(function: Callable[..., Any], arguments: tuple[Any, ...], what: str, error: type[SuppleError]) -> Any:
    """What a user's function answers; what it raises becomes an ``error`` that begins with ``what``."""
    try:
        return function(*arguments)
    except Exception as cause:
        raise error(failure(cause, what)) from cause


def failure(cause: Exception, what: str) -> str:
    """The message for what a user's function raised; ``what`` says whose function it is."""
    return f"{what}: {cause}" if isinstance(cause, SuppleError) else f"{what} raised {type(cause).__name__}: {cause}"


def answer(value: Any, size: int, what: str, at: float, of: str = "t") -> Array:
    """``size`` finite numbers that a user's function returned (one may be a plain number), else `StateError`.

    ``what`` says whose function it is, ``at`` for which time or other parameter.
    """
    if size == 1 and type(value) is float and isfinite(value):  # laws are asked often, mostly for one number
        return np.full(1, value)
    try:
        array = floats(value)
    except ValueError:
        array = np.full(1, np.nan)
    if (array.shape != (size,) and not (size == 1 and array.shape == ())) or not np.isfinite(array).all():
        raise StateError(f"{what} returned {shown(value)} at {of} = {at:g}; it must return {counted(size)}")
    return array.reshape(size)


def counted(size: int) -> str:
    """So many finite numbers, in words."""
    return "a finite number" if size == 1 else f"{size} finite numbers"


def read_only(array: Array) -> Array:
    """Make ``array`` read-only and return it."""
    array.setflags(write=False)
    return array


def _with_unit(number: float, unit: str) -> str:
    return f"{number:g} {unit}".rstrip()
