"""Users' functions behind addresses: as C functions of one signature, with what goes wrong in them.

A function compiled by Numba is wrapped in a ``cfunc``; any other is called back through ctypes, which takes the GIL.
Kernels call both by address, int64(double *inputs, double *outputs), so nothing else is compiled for them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from supple.checks import floats, shown
from supple.errors import ModelError, StateError
from supple.jit.callbacks import pass_on
from supple.loads.user.kernels import (
    FINE,
    PAIR_INPUTS,
    POINT_INPUTS,
    RAISED,
    ROWS,
    STRAIN,
    WRONG_SHAPE,
)
from supple.pickling import check_picklable

_SIGNATURE = types.int64(types.CPointer(types.float64), types.CPointer(types.float64))
_POINTER = ctypes.POINTER(ctypes.c_double)
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, _POINTER)


def _point_arguments(x: np.ndarray) -> tuple[Any, ...]:
    return x[0], x[1:17].reshape((4, 4)), x[17:23], x[23:29], x[29:35]


def _point_arguments_and_states(x: np.ndarray) -> tuple[Any, ...]:
    return x[0], x[1:17].reshape((4, 4)), x[17:23], x[23:29], x[29:35], x[35:]


def _pair_arguments(x: np.ndarray) -> tuple[Any, ...]:
    return x[0], x[1:17].reshape((4, 4)), x[17:23]


def _pair_arguments_and_states(x: np.ndarray) -> tuple[Any, ...]:
    return x[0], x[1:17].reshape((4, 4)), x[17:23], x[23:]


class Kind(NamedTuple):
    """How laws of one kind are called."""

    inputs: int
    arguments: Callable[[np.ndarray], tuple[Any, ...]]
    signature: str


KINDS = {
    ("point", False): Kind(POINT_INPUTS, _point_arguments, "(t, g, eta, etadot, xi)"),
    ("point", True): Kind(POINT_INPUTS, _point_arguments_and_states, "(t, g, eta, etadot, xi, z)"),
    ("pair", False): Kind(PAIR_INPUTS, _pair_arguments, "(t, h, eta)"),
    ("pair", True): Kind(PAIR_INPUTS, _pair_arguments_and_states, "(t, h, eta, z)"),
}


class Role(NamedTuple):
    """A function of the user: what it is called, and the shape of what it returns."""

    name: str
    shape: tuple[int, ...]


@lru_cache(maxsize=256)
def _compiled(function: Any, kind: str, states: int, shape: tuple[int, ...]) -> Any:
    """A Numba function as a C function; remembered, so that a law on many robots compiles once."""
    called = KINDS[kind, states > 0]
    size, arguments = called.inputs + states, numba.njit(called.arguments)
    rows, columns = shape[0], shape[-1]

    def vector(inputs, outputs):
        F = function(*arguments(carray(inputs, (size,))))
        if len(F) != rows:
            return WRONG_SHAPE
        for i in range(rows):
            outputs[i] = F[i]
        return FINE

    def matrix(inputs, outputs):
        T = function(*arguments(carray(inputs, (size,))))
        if T.shape[0] != rows or T.shape[1] != columns:
            return WRONG_SHAPE
        for i in range(rows):
            for j in range(columns):
                outputs[columns * i + j] = T[i, j]
        return FINE

    return numba.cfunc(_SIGNATURE, error_model="numpy")(vector if len(shape) == 1 else matrix)


class _Heard(threading.local):
    """What a thread has heard of functions in Python that failed: each raises its own."""

    error: BaseException | None = None
    returned = ""  #: what was wrong in its shape


class UserFunctions:
    """A user's law, its tangent and the rate of its states as C functions; says what went wrong in them.

    Attributes
    ----------
    table : ndarray of int, shape (1, 3)
        Their addresses (0 for those not given): data of the kernel, rewritten when a model is unpickled.
    state : ndarray of int, shape (1, 2)
        What the kernel notes of a failure, and in which function.
    """

    def __init__(
        self, what: str, kind: str, law: Any, tangent: Any, columns: int, rate: Any = None, state0: Any = ()
    ) -> None:
        self.what, self.kind, self.functions = what, kind, (law, tangent, rate)
        self.state0 = np.array(state0, dtype=float)
        self.roles = Role("law", (ROWS,)), Role("tangent", (ROWS, columns)), Role("rate", self.state0.shape)
        self.table, self.state = np.zeros((1, 3), dtype=np.int64), np.array([[FINE, 0]], dtype=np.int64)
        if law is None:
            raise ModelError(f"law is missing: give a function of {self._called.signature}")
        self._open()

    @property
    def scratch(self) -> tuple[np.ndarray, ...]:
        """Arrays of the load's data that are not part of what it is."""
        return self.table, self.state

    def __fingerprint__(self) -> Any:
        return self.kind, self.functions, self.state0

    @property
    def _called(self) -> Kind:
        return KINDS[self.kind, len(self.state0) > 0]

    def _open(self) -> None:
        """Make the C functions and note their addresses."""
        self._kept = [
            None if function is None else self._opened(function, role)
            for function, role in zip(self.functions, self.roles, strict=True)
        ]
        self._here = _Heard()
        for i, made in enumerate(self._kept):
            if isinstance(made, _CALLBACK):
                self.table[0, i] = ctypes.cast(made, ctypes.c_void_p).value or 0
            elif made is not None:
                self.table[0, i] = made.address

    def _opened(self, function: Any, role: Role) -> Any:
        signature = self._called.signature
        if not callable(function):
            raise ModelError(f"{role.name} is {shown(function)}, must be a function of {signature}")
        if not isinstance(function, Dispatcher):
            return _CALLBACK(self._called_back(function, role.shape))
        try:
            return _compiled(function, self.kind, len(self.state0), role.shape)
        except NumbaError as error:
            reason = str(error).strip().splitlines()
            raise ModelError(f"{role.name} does not compile as a function of {signature}: {reason[-1]}") from error

    def _called_back(self, function: Any, shape: tuple[int, ...]) -> Callable[[Any, Any], int]:
        kind = self._called
        size = kind.inputs + len(self.state0)

        def call(inputs: Any, outputs: Any) -> int:
            try:
                x = np.ctypeslib.as_array(inputs, (size,)).copy()
                given = function(*kind.arguments(x))
                try:
                    value = floats(given)
                except ValueError:
                    value = np.zeros(())  # no numbers have no shape
                if value.shape != shape:
                    self._here.returned = f", {shown(given)}"
                    return WRONG_SHAPE
                np.ctypeslib.as_array(outputs, shape)[:] = value
            except BaseException as error:  # C cannot pass it on: `explain` does
                self._here.error = error
                pass_on(error)
                return RAISED
            return FINE

        return call

    def try_out(self) -> None:
        """Call all once, at rest at the origin, to refuse wrong shapes early; what else fails there may be right."""
        kind = self._called
        inputs = np.append(np.zeros(kind.inputs), self.state0)
        inputs[1:17] = np.eye(4).ravel()
        if self.kind == "point":
            inputs[STRAIN + 3] = 1.0
        for made, role in zip(self._kept, self.roles, strict=True):
            if made is not None:
                outputs = np.zeros(role.shape)
                call = made if isinstance(made, _CALLBACK) else made.ctypes
                status = call(inputs.ctypes.data_as(_POINTER), outputs.ctypes.data_as(_POINTER))
                error, self._here.error = self._here.error, None
                if error is not None and not isinstance(error, Exception):
                    raise error  # an interrupt
                if isinstance(error, TypeError):
                    raise ModelError(f"{role.name} cannot be called as {kind.signature}: {error}") from error
                if status == WRONG_SHAPE:
                    seen = self._here.returned
                    raise ModelError(f"{role.name} returns a wrong shape{seen}, must return {role.shape}")

    def explain(self) -> None:
        """Raise what went wrong in the last failing call, if something did."""
        status, error, who = int(self.state[0, 0]), self._here.error, f"the {self.roles[self.state[0, 1]].name}"
        self.state[0, 0], self._here.error = FINE, None
        if error is not None and not isinstance(error, Exception):
            raise error  # an interrupt
        if error is not None:
            raise StateError(f"{self.what}: {who} raised {type(error).__name__}: {error}") from error
        if status == RAISED:
            raise StateError(f"{self.what}: {who} raised an exception, which Numba has printed")
        if status == WRONG_SHAPE:
            raise StateError(f"{self.what}: {who} returned a wrong shape{self._here.returned}")
        if status != FINE:
            raise StateError(
                f"{self.what}: {who} returned values that are not finite; arguments that `uses` does not declare are "
                "NaN"
            )

    def __getstate__(self) -> dict[str, Any]:
        for function, role in zip(self.functions, self.roles, strict=True):
            check_picklable(function, f"{self.what}: its {role.name} {function!r}")
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()
