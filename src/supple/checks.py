"""Checks at the border: turn what a user wrote into clean numbers and arrays, or say what is wrong with it.

Every function takes the value and ``what``, the words that begin the message (such as ``"Rod: length"``).
Arrays come back as read-only float64 copies, so that a checked description cannot change behind our back.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import ModelError

Array = NDArray[np.float64]

#: Relative size of asymmetry or of a negative eigenvalue that is taken for rounding.
ROUNDING = 1e-9


def finite_float(value: Any, what: str) -> float:
    """Return ``value`` as a finite float; booleans, strings and arrays are refused."""
    if type(value) is float and math.isfinite(value):  # nearly always, and some thousand times in a compilation
        return value
    if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value) != 0:
        raise ModelError(f"{what} is {value!r}, must be a number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {value!r}, must be a number") from None
    if not np.isfinite(number):
        raise ModelError(f"{what} is {number:g}, must be finite")
    return number


def positive_float(value: Any, what: str, unit: str = "") -> float:
    """Return ``value`` as a float > 0."""
    number = finite_float(value, what)
    if number <= 0.0:
        raise ModelError(f"{what} is {_with_unit(number, unit)}, must be positive")
    return number


def nonnegative_float(value: Any, what: str, unit: str = "") -> float:
    """Return ``value`` as a float >= 0."""
    number = finite_float(value, what)
    if number < 0.0:
        raise ModelError(f"{what} is {_with_unit(number, unit)}, must not be negative")
    return number


def whole_number(value: Any, what: str, minimum: int = 0) -> int:
    """Return ``value`` as an int >= ``minimum``; booleans and floats (even 3.0) are refused."""
    if isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {value!r}, must be a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        raise ModelError(f"{what} is {value!r}, must be a whole number") from None
    if number < minimum:
        raise ModelError(f"{what} is {number}, must be at least {minimum}")
    return number


def finite_array(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a read-only float64 copy of exactly that shape with finite entries."""
    array = real_array(value, what)
    if array.shape != shape:
        raise ModelError(f"{what} has shape {array.shape}, must have shape {shape}")
    if not np.all(np.isfinite(array)):
        raise ModelError(f"{what} is {array.tolist()}, must be finite")
    return read_only(array)


def real_array(value: ArrayLike, what: str) -> Array:
    """Return ``value`` as a float64 copy of any shape; ragged, complex and non-numeric input is refused."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise TypeError
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {value!r}, must be an array of real numbers") from None


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
    return read_only(0.5 * (matrix + matrix.T))


def read_only(array: Array) -> Array:
    """Make ``array`` read-only and return it."""
    array.setflags(write=False)
    return array


def _with_unit(number: float, unit: str) -> str:
    return f"{number:g} {unit}".rstrip()
