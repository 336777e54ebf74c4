"""How elements of arrays, nested arrays of records and loops over ranges become compiled code, in few instructions.

The same as Numba's own translations, without the detour by memory (`supple.jit.array_values`): half of all
instructions that a kernel begins with, and a fifth of the time that it takes to compile.  What stands here handles the
common cases; `translation` and `attribute` give None for all others, which are left to Numba.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.cpu import CPUContext

from supple.jit.array_values import address, array, is_constant, member, named_member, structure
from supple.jit.lanes import Lanes

Translation = Callable[[Any, Any, Any, Any], Any]  #: of context, builder, signature and arguments, to a value


def translation(context: Any, function: Any, signature: Any) -> Translation | None:
    """How a call of a function, or an operation of that name, is translated; None if Numba is to do it."""
    name = function if isinstance(function, str) else getattr(function, "typing_key", None)
    find = _FINDERS.get(name) if isinstance(name, str) or callable(name) else None
    return find(context, signature) if find else None


def attribute(kind: Any, name: str) -> Any:
    """How an attribute is read: of context, builder, type, value and name; None if Numba is to do it."""
    if isinstance(kind, types.Record) and name in kind.fields and isinstance(kind.typeof(name), types.NestedArray):
        return _nested_array
    if isinstance(kind, types.Array) and name == "shape" and kind.ndim:
        return _shape
    return None


def _shape(context: Any, builder: Any, kind: Any, value: Any, _: str) -> Any:
    """Lengths of an array."""
    return named_member(context, builder, kind, value, "shape")


def _nested_array(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """The array within a record."""
    nested = kind.typeof(name)
    context.sentry_record_alignment(kind, name)
    data = cgutils.get_record_member(builder, value, kind.offset(name), context.get_data_type(nested.dtype))
    shape, strides = ([ir.IntType(64)(n) for n in numbers] for numbers in (nested.shape, nested.strides))
    return array(context, builder, nested, data, shape, strides, ir.IntType(64)(nested.size))


def _is_plain(kind: Any) -> bool:
    """Whether entries of an array lie one after the other."""
    return isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim > 0


def _kinds(index: Any) -> tuple[Any, ...]:
    """Types of the indices, of which there are several in a tuple."""
    return tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)


def _pairs(builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """Types and values of indices."""
    if isinstance(kind, types.BaseTuple):
        return [(each, member(builder, value, k)) for k, each in enumerate(kind.types)]
    return [(kind, value)]


def _places(kind: Any, index: Any) -> int:
    """Number of indices, if all are integers and the array has as many dimensions; else none."""
    kinds = _kinds(index)
    whole = _is_plain(kind) and all(isinstance(each, types.Integer) for each in kinds)
    return len(kinds) if whole and len(kinds) <= kind.ndim else 0


def _find_reading(context: Any, signature: Any) -> Translation | None:
    """Of ``a[i, j]``: an element or, where nobody counts who holds an array, a part of the array."""
    kind, index = signature.args
    places, result = _places(kind, index), signature.return_type
    if not places or context.enable_boundscheck:
        return None
    if places == kind.ndim:
        return None if isinstance(result, types.Buffer) else _read
    return None if context.enable_nrt or not _is_plain(result) else _part


def _read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """An element."""
    kind, index = signature.args
    place = address(context, builder, kind, arguments[0], _pairs(builder, index, arguments[1]))
    return context.unpack_value(builder, kind.dtype, place, align=None if kind.aligned else 1)


def _part(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The array that remains when the first indices are given."""
    kind, index = signature.args
    pairs = _pairs(builder, index, arguments[1])
    place = address(context, builder, kind, arguments[0], pairs)
    shape, strides, size = (
        named_member(context, builder, kind, arguments[0], name) for name in ("shape", "strides", "itemsize")
    )
    left = range(len(pairs), kind.ndim)
    lengths, steps = ([member(builder, whole, k) for k in left] for whole in (shape, strides))
    return array(context, builder, signature.return_type, place, lengths, steps, size)


def _find_writing(context: Any, signature: Any) -> Translation | None:
    """Of ``a[i, j] = number``."""
    kind, index, value = signature.args
    whole = _places(kind, index) == getattr(kind, "ndim", None) and not context.enable_boundscheck
    return _write if whole and isinstance(value, (types.Number, types.Boolean, Lanes)) else None


def _write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Set an element."""
    kind, index, value = signature.args
    place = address(context, builder, kind, arguments[0], _pairs(builder, index, arguments[1]))
    number = context.cast(builder, arguments[2], value, kind.dtype)
    context.pack_value(builder, kind.dtype, number, place, align=None if kind.aligned else 1)


def _find_range(_: Any, signature: Any) -> Translation | None:
    """Of ``range(...)``."""
    kind = signature.return_type
    same = isinstance(kind, types.RangeType) and all(each == kind.dtype for each in signature.args)
    return _range if same else None


def _range(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """A range: first number, the one after the last, and the step."""
    kind = signature.return_type
    zero, one = (context.get_constant(kind.dtype, number) for number in (0, 1))
    start, stop, step = {1: (zero, *arguments, one), 2: (*arguments, one), 3: (*arguments,)}[len(arguments)]
    return structure(context, builder, kind, start=start, stop=stop, step=step)


def _find_start(_: Any, signature: Any) -> Translation | None:
    """Of the beginning of a loop over a range."""
    return _start if isinstance(signature.args[0], types.RangeType) else None


def _start(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where a loop stands, and how many rounds are left."""
    kind = signature.args[0]
    start, stop, step = (named_member(context, builder, kind, arguments[0], n) for n in ("start", "stop", "step"))
    if not is_constant(step) or step.constant != 1:
        return CPUContext.get_function(context, "getiter", signature)(builder, arguments)
    at, count = cgutils.alloca_once(builder, start.type), cgutils.alloca_once(builder, start.type)
    rounds, none = builder.sub(stop, start), start.type(0)
    builder.store(start, at)
    builder.store(builder.select(builder.icmp_signed(">", rounds, none), rounds, none), count)
    return structure(context, builder, signature.return_type, iter=at, stop=stop, step=step, count=count)


def _find_round(_: Any, signature: Any) -> Translation | None:
    """Of the next round of such a loop."""
    return _round if isinstance(signature.args[0], types.RangeIteratorType) else None


def _round(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The next number, and whether there is one."""
    kind = signature.args[0]
    at, step, left = (named_member(context, builder, kind, arguments[0], name) for name in ("iter", "step", "count"))
    count, value = builder.load(left), builder.load(at)
    valid = builder.icmp_signed(">", count, count.type(0))
    with builder.if_then(valid):
        builder.store(builder.sub(count, count.type(1), flags=["nsw"]), left)
        builder.store(builder.add(value, step), at)
    return structure(context, builder, signature.return_type, first=value, second=valid)


_FINDERS: dict[Any, Callable[[Any, Any], Translation | None]] = {
    operator.getitem: _find_reading,
    operator.setitem: _find_writing,
    range: _find_range,
    "getiter": _find_start,
    "iternext": _find_round,
}
