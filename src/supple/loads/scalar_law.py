"""Users' scalar laws f(l, l') as compiled functions that kernels call by address: double(double, double).

A Numba function, or a Python one that Numba can compile, runs at the speed of a built-in law, and no kernel is compiled
again for it.  Any other Python function is called back, slowly, with a warning.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from supple.checks import finite_float, shown
from supple.errors import ModelError, StateError, warn
from supple.jit import inner
from supple.pickling import check_picklable

#: A law of length [m] and its rate [m/s].
ScalarLaw = Callable[[float, float], float]

#: Step of fourth-order differences, relative to the length or rate, or to these floors [m, m/s] if they are smaller.
STEP, SHORT, SLOW = 1e-4, 1e-2, 1.0


@intrinsic
def call_law(typing_context: Any, address: Any, l: Any, rate: Any) -> Any:
    """Call the law at an address."""
    signature = types.float64(types.int64, types.float64, types.float64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        number = ir.DoubleType()
        kind = ir.FunctionType(number, [number, number])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return signature, generate


@inner
def law_slope(address, l, rate, by_rate):
    """df/dl, or df/dl' if ``by_rate``: (f(x - 2 h) - 8 f(x - h) + 8 f(x + h) - f(x + 2 h)) / 12 h."""
    h = STEP * (max(SLOW, abs(rate)) if by_rate else max(SHORT, l))
    a, b = (0.0, h) if by_rate else (h, 0.0)
    near = call_law(address, l + a, rate + b) - call_law(address, l - a, rate - b)
    far = call_law(address, l + 2.0 * a, rate + 2.0 * b) - call_law(address, l - 2.0 * a, rate - 2.0 * b)
    return (8.0 * near - far) / (12.0 * h)


def compiled_law(law: ScalarLaw) -> Any:
    """The law as something that owns machine code at ``address``; compiled once per law."""
    return _remembered(law) if isinstance(law, Hashable) else _compile(law)


def _compile(law: ScalarLaw) -> Any:
    try:
        return numba.cfunc("float64(float64, float64)", error_model="numpy")(getattr(law, "py_func", law))
    except Exception as error:  # Numba raises many kinds; whatever it is, Python can still run the law
        reason = str(error).strip().splitlines()
    warn(
        f"the law {_name(law)} cannot be compiled by Numba and is called in Python, which is slow "
        f"({reason[0] if reason else 'no reason given'})"
    )
    return _Callback(law)


_remembered = lru_cache(maxsize=256)(_compile)


class _Callback:
    """A Python law behind a C address; an exception inside counts as NaN, which kernels report."""

    def __init__(self, law: ScalarLaw) -> None:
        def call(l: float, rate: float) -> float:
            try:
                return float(law(l, rate))
            except Exception:
                return math.nan

        self.function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(call)
        self.address = ctypes.cast(self.function, ctypes.c_void_p).value


class LawTable(np.ndarray):
    """(m, 1) addresses of laws, -1 for None; pickled as the laws themselves, since addresses die with the process."""

    laws: tuple[ScalarLaw | None, ...]

    @classmethod
    def of(cls, *laws: ScalarLaw | None) -> LawTable:
        """The table of some laws."""
        owners = [None if law is None else compiled_law(law) for law in laws]
        addresses = [-1 if owner is None else owner.address for owner in owners]
        table = np.array(addresses, dtype=np.int64).reshape(-1, 1).view(cls)
        table.laws = laws
        table.owners = owners  # type: ignore[attr-defined]  # keeps the machine code alive
        return table

    def __fingerprint__(self) -> Any:
        return self.laws

    def __reduce__(self) -> Any:
        for law in self.laws:
            check_picklable(law, f"the law {_name(law)}")
        return LawTable.of, self.laws


class LawGuard:
    """Tells which spring's law failed, and where.

    Attributes
    ----------
    note : ndarray, shape (1, 3)
        [whether it failed, l, l'], written by the kernel.
    """

    def __init__(self, what: str, table: LawTable) -> None:
        self.what, self.table, self.note = what, table, np.zeros((1, 3))

    @property
    def scratch(self) -> tuple[np.ndarray, ...]:
        """Arrays of the load's data that are not part of what it is."""
        return (self.note,)

    def explain(self) -> None:
        """Raise what went wrong when the law failed last, if it did."""
        failed, l, rate = self.note[0].tolist()
        self.note[:] = 0.0
        if not failed:
            return
        for law, name in zip(self.table.laws, ("law", "slopes[0]", "slopes[1]"), strict=True):
            where = f"{self.what}: {name}({l:.6g}, {rate:.6g})"
            try:
                value = 0.0 if law is None else float(law(l, rate))
            except Exception as error:
                raise StateError(f"{where} raised {type(error).__name__}: {error}") from error
            if not math.isfinite(value):
                raise StateError(f"{where} returned {value}, must be finite")
        raise StateError(f"{self.what}: its law is not finite near l = {l:.6g} m, dl/dt = {rate:.6g} m/s")


def check_law(law: Any, what: str, at: float) -> ScalarLaw:
    """The law, if it returns finite numbers at and around a length."""
    if not callable(law):
        raise ModelError(f"{what} is {shown(law)}, must be a function of l and dl/dt")
    for l, rate in ((at, 0.0), (1.1 * at, 0.1), (0.9 * at, -0.1)):
        try:
            value = law(l, rate)
        except Exception as error:
            raise ModelError(f"{what}({l:.3g}, {rate:.3g}) fails: {error}") from error
        finite_float(value, f"{what}({l:.3g}, {rate:.3g})")
    return law  # type: ignore[no-any-return]


def _name(law: Any) -> str:
    return getattr(law, "__qualname__", None) or repr(law)
