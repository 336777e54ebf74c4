"""Arrays, ranges and other small structures as single values of the compiled code, put together and taken apart.

Numba keeps each of them in memory of its own while it reads a member, a dozen instructions for every element of an
array.  They all vanish when the code is optimised, but until then each is made in Python, printed and parsed.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

_INTEGER = ir.IntType(64)


def structure(context: Any, builder: Any, kind: Any, **members: Any) -> Any:
    """A value of a type of several members, all of which are given."""
    model = context.data_model_manager[kind]
    layout = model.get_value_type()
    values = sorted((model.get_field_position(name), value) for name, value in members.items())
    fixed = [value if is_constant(value) else ir.Constant(value.type, ir.Undefined) for _, value in values]
    whole = ir.Constant(layout, fixed)
    for position, value in values:
        if not is_constant(value):
            whole = builder.insert_value(whole, value, position)
    return whole


def array(context: Any, builder: Any, kind: Any, data: Any, shape: Any, strides: Any, itemsize: Any) -> Any:
    """An array, not the owner of its memory; shape and strides are sequences of integers of the compiled code."""
    model = context.data_model_manager[kind]
    items = _INTEGER(1)
    for length in shape:
        items = product(builder, items, length)
    nothing = {name: ir.Constant(context.get_value_type(model.get_type(name)), None) for name in ("meminfo", "parent")}
    sizes = {"shape": row(builder, shape), "strides": row(builder, strides)}
    return structure(context, builder, kind, nitems=items, itemsize=itemsize, data=data, **nothing, **sizes)


def row(builder: Any, values: Any) -> Any:
    """Integers one after the other."""
    fixed = [value if is_constant(value) else ir.Constant(value.type, ir.Undefined) for value in values]
    whole = ir.Constant(ir.ArrayType(_INTEGER, len(fixed)), fixed)
    for position, value in enumerate(values):
        if not is_constant(value):
            whole = builder.insert_value(whole, value, position)
    return whole


def is_constant(value: Any) -> bool:
    """Whether a value is known when it is compiled."""
    return isinstance(value, ir.Constant)


def member(builder: Any, whole: Any, position: int) -> Any:
    """A member of a structure or row: what was put into it, if that was in sight."""
    value = whole
    while isinstance(value, ir.instructions.InsertValue) and value.indices[0] != position:
        value = value.aggregate
    if isinstance(value, ir.instructions.InsertValue) and len(value.indices) == 1:
        return value.value
    if is_constant(value) and isinstance(value.constant, (list, tuple)):
        return value.constant[position]
    return builder.extract_value(whole, position)


def named_member(context: Any, builder: Any, kind: Any, whole: Any, name: str) -> Any:
    """The same by the member's name."""
    return member(builder, whole, context.data_model_manager[kind].get_field_position(name))


def product(builder: Any, a: Any, b: Any) -> Any:
    """a b, computed now if both are known."""
    if is_constant(a) and is_constant(b):
        return _INTEGER(a.constant * b.constant)
    if is_constant(a):
        a, b = b, a
    return a if is_constant(b) and b.constant == 1 else builder.mul(a, b, flags=["nsw"])


def address(context: Any, builder: Any, kind: Any, whole: Any, indices: list[tuple[Any, Any]]) -> Any:
    """Address of an entry of a contiguous array, or of the first entry of a part of it.

    Indices are pairs of type and value, at most as many as the array has dimensions.
    """
    shape, data = (named_member(context, builder, kind, whole, name) for name in ("shape", "data"))
    lengths = [member(builder, shape, k) if k else None for k in range(kind.ndim)]
    offset = None
    for k, (index_kind, value) in enumerate(indices):
        term = _counted(context, builder, index_kind, value, lambda k=k: member(builder, shape, k))
        step = _INTEGER(1)
        for length in lengths[k + 1 :]:
            step = _plain_product(builder, step, length)
        term = _plain_product(builder, term, step)
        offset = term if offset is None else _sum(builder, offset, term)
    return builder.gep(data, [offset])


def _counted(context: Any, builder: Any, kind: Any, value: Any, length: Any) -> Any:
    """An index from the front: negative ones count from the end."""
    if not kind.signed:
        return context.cast(builder, value, kind, types.uintp)
    index = context.cast(builder, value, kind, types.intp)
    if is_constant(index):
        return index if index.constant >= 0 else _sum(builder, length(), index)
    negative = builder.icmp_signed("<", index, _INTEGER(0))
    return builder.select(negative, builder.add(index, length()), index)


def _plain_product(builder: Any, a: Any, b: Any) -> Any:
    """a b that may overflow, as indices may."""
    if is_constant(a) and is_constant(b):
        return _INTEGER(a.constant * b.constant)
    if is_constant(a):
        a, b = b, a
    return a if is_constant(b) and b.constant == 1 else builder.mul(a, b)


def _sum(builder: Any, a: Any, b: Any) -> Any:
    """a + b, computed now if both are known."""
    if is_constant(a) and is_constant(b):
        return _INTEGER(a.constant + b.constant)
    return builder.add(a, b)
