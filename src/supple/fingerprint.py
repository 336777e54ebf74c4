"""Fingerprints: digests of what values and functions contain, equal in every process, notebook and machine.

`fingerprint` looks into numbers, texts, containers, arrays, dataclasses, objects and functions.  Floats count to nine
digits: sums of products are rounded differently by different processors, and a file must be known again elsewhere.

A function is known by its code, constants, defaults, and by the variables that it takes from around it: closures,
globals, attributes of your own modules.  Functions of installed packages are known by their names.  Bytecode is that
of one version of Python: another one gives the same function another fingerprint.  What cannot be looked into (a file,
a lock, an object of a C library that does not pickle) is known by its type alone, and noted as ``unknown``.

Values that users give one by one, as the points of a sweep, can be told apart to the last bit (``exact``).

A class may define ``__fingerprint__()``, which returns what to look into in its place.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import math
import sys
import sysconfig
import types
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

#: Bits of a float's mantissa that count, and the part of the largest entry of an array below which others are zero.
MANTISSA, ZERO = 30, 1e-14

#: Integers of more bits are longer than what Python prints.
MOST_BITS = 14_000

#: Entries of a class that are made by Python and say nothing of what it does.
_NO_CONTENT = frozenset(
    [
        *("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__slots__", "__hash__"),
        *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
        *("__firstlineno__", "__static_attributes__", "__abstractmethods__", "_abc_impl"),
        *("__parameters__", "__orig_bases__", "__match_args__", "__dataclass_params__", "__dataclass_fields__"),
    ]
)


class Fingerprint(NamedTuple):
    """A digest, and what it could not look into."""

    digest: str
    unknown: tuple[str, ...] = ()


def fingerprint(*values: Any, exact: bool = False) -> Fingerprint:
    """Fingerprint of some values; ``exact``: floats count to the last bit.

    Examples
    --------
    >>> fingerprint([1.0, "a"]) == fingerprint((1.0, "a")), fingerprint(1.0) == fingerprint(1.0 + 1e-15)
    (True, True)
    >>> fingerprint(lambda t: 2.0 * t) == fingerprint(lambda t: 3.0 * t)
    False
    """
    reader = _Reader(exact)
    digest = reader.read(values)
    return Fingerprint(digest.hex(), tuple(dict.fromkeys(reader.unknown)))


class _Reader:
    """Looks into values, each object once."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.unknown: list[str] = []
        self._seen: dict[int, bytes] = {}
        self._kept: list[Any] = []  # who is kept alive keeps its id

    def read(self, value: Any) -> bytes:
        """Digest of a value."""
        plain = _plain(value, self.exact)
        if plain is not None:
            return plain
        if id(value) not in self._seen:
            self._seen[id(value)] = _join("again", str(len(self._seen)).encode())  # one that holds itself
            self._kept.append(value)
            self._seen[id(value)] = self._look(value)
        return self._seen[id(value)]

    def all(self, tag: str, values: Iterable[Any]) -> bytes:
        """Digest of values in their order."""
        return _join(tag, *map(self.read, values))

    def _look(self, value: Any) -> bytes:
        """Digest of what is not a plain value."""
        own = getattr(type(value), "__fingerprint__", None)
        if own is not None:
            return self.all("own", [type(value).__qualname__, own(value)])
        if isinstance(value, np.ndarray) and value.dtype != object:
            return _array(value, self.exact)
        if isinstance(value, (list, tuple, np.ndarray)):
            if len(value) > 1 and all(type(item) is float for item in value):
                return _array(np.array(value), self.exact)  # the times of a table: by far the most numbers
            return self.all("sequence", list(value))
        if isinstance(value, dict):
            return _join("dict", *sorted(self.read(key) + self.read(item) for key, item in value.items()))
        if isinstance(value, (set, frozenset)):
            return _join("set", *sorted(map(self.read, value)))
        if isinstance(value, types.ModuleType):
            return _join("module", value.__name__.encode())
        if isinstance(value, type):
            return self._class(value)
        found = self._function(value)
        return self._object(value) if found is None else found

    # ------------------------------------------------------------------ functions

    def _function(self, value: Any) -> bytes | None:
        """Digest of something made to be called; None for any other object."""
        if isinstance(value, types.FunctionType):
            return self._python_function(value)
        if isinstance(value, types.MethodType):
            return self.all("method", [value.__func__, value.__self__])
        if isinstance(value, functools.partial):
            return self.all("partial", [value.func, value.args, value.keywords])
        if isinstance(value, (staticmethod, classmethod)):
            return self.all(type(value).__name__, [value.__func__])
        if isinstance(value, property):
            return self.all("property", [value.fget, value.fset, value.fdel])
        if isinstance(value, types.CodeType):
            return self._code(value)
        if isinstance(value, (types.BuiltinFunctionType, types.MethodWrapperType, np.ufunc)):
            owner = getattr(value, "__self__", None)
            return self.all("built-in", [value.__name__, None if isinstance(owner, types.ModuleType) else owner])
        inside = getattr(value, "py_func", None)  # compiled by Numba
        if isinstance(inside, types.FunctionType):
            return self.all("compiled", [inside])
        return None

    def _python_function(self, function: types.FunctionType) -> bytes:
        if _is_installed(function.__module__) and "<" not in function.__qualname__:
            return _join("function", f"{function.__module__}.{function.__qualname__}".encode())
        code = function.__code__
        closure = dict(zip(code.co_freevars, map(_content, function.__closure__ or ()), strict=True))
        around = _taken_from_around(code, function.__globals__, closure)
        parts = [code, function.__defaults__, function.__kwdefaults__, closure, around]
        return self.all("function", parts)

    def _code(self, code: types.CodeType) -> bytes:
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        table = code.co_exceptiontable
        return self.all("code", [code.co_code, code.co_consts, names, counts, table])

    # ------------------------------------------------------------------ objects

    def _class(self, kind: type) -> bytes:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if _is_installed(kind.__module__):
            return _join("class", name.encode())
        entries = sorted((key, value) for key, value in vars(kind).items() if key not in _NO_CONTENT)
        content = [(key, value) for key, value in entries if not isinstance(value, _DESCRIPTORS)]
        return self.all("class", [kind.__qualname__, list(kind.__bases__), content])

    def _object(self, value: Any) -> bytes:
        if is_dataclass(value) and _is_installed(type(value).__module__):
            state: Any = [getattr(value, field.name, None) for field in fields(value)]  # not what they remember
            return self.all("object", [type(value), state])
        try:
            state = value.__reduce_ex__(2)  # what pickle would keep of it
        except Exception:  # anything may happen in there
            state = getattr(value, "__dict__", None)
            self.unknown.append(f"an object of type {type(value).__qualname__}")
        if isinstance(state, tuple):
            state = [*state[:3], *([] if items is None else list(items) for items in state[3:5])]
        return self.all("object", [type(value), state])


_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


def _plain(value: Any, exact: bool) -> bytes | None:
    """Digest of a number or a text; None for anything else."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return _join("value", hex(value).encode())
    if value is None or value is Ellipsis or isinstance(value, (bool, int, range, slice)):
        return _join("value", repr(value).encode())
    if isinstance(value, str):
        return _join("text", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, (bytes, bytearray)):
        return _join("bytes", bytes(value))
    if isinstance(value, np.bool_):
        return _join("value", repr(bool(value)).encode())
    if isinstance(value, np.integer):
        return _join("value", repr(int(value)).encode())
    if isinstance(value, (float, np.floating)) and not hasattr(type(value), "__fingerprint__"):
        return _join("float", repr(_number(float(value), exact)).encode())
    if isinstance(value, complex):
        return _join("complex", repr((_number(value.real, exact), _number(value.imag, exact))).encode())
    return None


def _array(array: np.ndarray, exact: bool) -> bytes:
    """Digest of an array, field by field: what lies between the fields of a record is not content."""
    if array.dtype.names:
        return _join("record", *(name.encode() + _array(array[name], exact) for name in array.dtype.names))
    kind, shape = array.dtype.kind, str(array.shape).encode()
    if kind == "f":
        content = (array if exact else _rounded(array)).astype("<f8").tobytes()
    elif kind == "c":
        parts = np.stack([array.real, array.imag])
        content = (parts if exact else _rounded(parts)).astype("<c16").tobytes()
    elif kind in "iub":
        content = array.astype("<u8" if kind == "u" else "<i8").tobytes()
    else:
        content = repr(array.tolist()).encode()
    return _join("array", kind.encode(), shape, content)


def _number(value: float, exact: bool) -> float:
    """A float to the digits that count."""
    if exact or not math.isfinite(value):
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(mantissa, MANTISSA)), exponent - MANTISSA) + 0.0


def _rounded(values: np.ndarray) -> np.ndarray:
    """Floats to the digits that count; minus zero is zero, and one NaN is like another."""
    values = np.array(values, dtype=float)
    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
    rounded = np.ldexp(np.rint(np.ldexp(mantissa, MANTISSA)), exponent - MANTISSA)
    rounded[np.abs(rounded) < ZERO * np.abs(rounded).max(initial=0.0)] = 0.0
    return np.where(finite, rounded, np.where(np.isnan(values), np.nan, values)) + 0.0


def _join(tag: str, *parts: bytes) -> bytes:
    """Digest of parts, each with its length, so that no two lists look the same."""
    digest = hashlib.blake2b(tag.encode(), digest_size=16)
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.digest()


def _content(cell: Any) -> Any:
    """What a cell of a closure holds; nothing yet, maybe."""
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"


def _taken_from_around(
    code: types.CodeType, names: dict[str, Any], closure: dict[str, Any]
) -> list[tuple[str, Any]]:
    """Global variables that code reads, with their values; of your own modules, the attributes that it reads."""
    found: dict[str, Any] = {}
    sources = {"LOAD_GLOBAL": names, "LOAD_NAME": names, "LOAD_DEREF": closure}
    instructions = list(dis.get_instructions(code))
    for instruction, following in zip(instructions, [*instructions[1:], None], strict=True):
        name, source = instruction.argval, sources.get(instruction.opname, {})
        if name not in source:
            continue
        value = found[name] = source[name]
        own = isinstance(value, types.ModuleType) and not _is_installed(value.__name__)
        if own and following is not None and following.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found[f"{name}.{following.argval}"] = getattr(value, following.argval, None)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.update(_taken_from_around(constant, names, closure))
    return sorted(found.items(), key=lambda item: item[0])


@functools.cache
def _libraries() -> tuple[Path, ...]:
    """Folders of installed packages and of Python's own."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple({Path(path).resolve() for name, path in sysconfig.get_paths().items() if name in names})


@functools.cache
def _is_installed(name: str | None) -> bool:
    """Whether a module belongs to Python, to an installed package or to supple: known by name."""
    if name is None or name == "__main__":
        return False
    if name.partition(".")[0] in ("supple", *sys.builtin_module_names) or name == builtins.__name__:
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        return name in sys.modules and getattr(sys.modules[name], "__spec__", None) is not None
    return any(folder in Path(file).resolve().parents for folder in _libraries())
