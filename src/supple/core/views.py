"""Views: many arrays as one small value inside compiled code.

A kernel works on dozens of arrays.  As a named tuple they would be passed by value from function to function, hundreds
of machine words each time, which costs both run time and compile time.  A *view* is the address of a table with the
address and shape of every array (`core.arrays.handle`); ``view.q`` reads the array's row of the table where it is
used.  `tupling` gives the same arrays as a named tuple, all read at once: for kernels whose functions are all inlined,
where that is the faster of the two.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import imputils
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from supple.jit.array_values import array

#: Integers per array in a table: its address and up to three dimensions.
STRIDE = 4


class View(types.Type):  # type: ignore[misc]
    """Type of a table of arrays with named rows."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.fields = fields
        self.rows = {field: i for i, field in enumerate(fields)}
        super().__init__(name=f"View({name})")


@register_default(View)
class _ViewModel(models.PrimitiveModel):  # type: ignore[misc]
    """In compiled code, an address."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@infer_getattr
class _ViewAttributes(AttributeTemplate):  # type: ignore[misc]
    """``view.field`` is the array of that name."""

    key = View

    def generic_resolve(self, kind: View, attribute: str) -> Any:
        """Type of a field."""
        return kind.fields.get(attribute)


@imputils.lower_getattr_generic(View)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: View, value: Any, attribute: str) -> Any:
    """Code that makes the array of a field from its row of the table."""
    table = builder.inttoptr(value, ir.IntType(64).as_pointer())
    return emit_row(context, builder, kind.fields[attribute], table, kind.rows[attribute])


def emit_row(context: Any, builder: Any, kind: Any, table: Any, row: int) -> Any:
    """Code that makes the array of a row of a table."""
    integer = ir.IntType(64)
    address, *shape = (
        builder.load(builder.gep(table, [integer(STRIDE * row + k)], inbounds=True)) for k in range(1 + kind.ndim)
    )
    return emit_array(context, builder, kind, address, shape)


def emit_array(context: Any, builder: Any, kind: Any, address: Any, shape: list[Any]) -> Any:
    """Code that makes a contiguous array, not the owner of its memory, of an address and a shape."""
    size = address.type(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    return array(context, builder, kind, data, shape, strides, size)


def array_of(dtype: Any, dimensions: int) -> Any:
    """Type of a contiguous array, for the fields of a view."""
    return types.Array(numba.from_dtype(np.dtype(dtype)), dimensions, "C")


def viewing(kind: View) -> Any:
    """Compiled function that turns a table's address into a view."""

    @intrinsic  # type: ignore[untyped-decorator]
    def view_at(typing_context: Any, address: Any) -> Any:
        return kind(types.int64), lambda context, builder, signature, arguments: arguments[0]

    return view_at


def tupling(cls: Any, fields: dict[str, Any]) -> Any:
    """Compiled function that turns a table (rows, STRIDE) into a named tuple of its arrays."""
    kinds = [fields[field] for field in cls._fields]
    kind = types.NamedTuple(kinds, cls)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = make_array(signature.args[0])(context, builder, arguments[0]).data
        arrays = [emit_row(context, builder, array, table, row) for row, array in enumerate(kinds)]
        return context.make_tuple(builder, kind, arrays)

    @intrinsic  # type: ignore[untyped-decorator]
    def arrays_at(typing_context: Any, handle: Any) -> Any:
        return kind(handle), generate

    return arrays_at


@intrinsic  # type: ignore[untyped-decorator]
def address_of(typing_context: Any, view: Any) -> Any:
    """The table's address of a view: kernels that are called by address take it."""
    return types.int64(view), lambda context, builder, signature, arguments: arguments[0]
