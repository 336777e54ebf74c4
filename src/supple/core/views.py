"""Views: many arrays as one small value inside compiled code.

A kernel works on dozens of arrays.  As a named tuple they would be passed by value from function to function, hundreds
of machine words each time, which costs both run time and compile time.  A *view* is the address of a table with the
address and shape of every array (`core.arrays.handle`); ``view.q`` reads the array's row of the table where it is
used.  While a kernel runs nobody writes to a table, and the compiler is told so: it reads a row once, however much is
written to arrays in between.
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

from supple.jit.array_values import array, named_member
from supple.jit.lanes import LANES, LANES_SIZE, LANES_TYPE, lanes_array

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
    """Code that makes the array of a row of a table, which stays as it is while the code runs."""
    integer = ir.IntType(64)
    address, *shape = (
        builder.load(builder.gep(table, [integer(STRIDE * row + k)], inbounds=True)) for k in range(1 + kind.ndim)
    )
    lasting = builder.module.add_metadata([])
    for number in (address, *shape):
        number.set_metadata("invariant.load", lasting)
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


def viewing_handles(kind: View) -> Any:
    """Compiled function that turns a table itself, an array (rows, STRIDE), into a view."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = named_member(context, builder, signature.args[0], arguments[0], "data")
        return builder.ptrtoint(data, ir.IntType(64))

    @intrinsic  # type: ignore[untyped-decorator]
    def view_of(typing_context: Any, table: Any) -> Any:
        return kind(table), generate

    return view_of


@intrinsic  # type: ignore[untyped-decorator]
def address_of(typing_context: Any, view: Any) -> Any:
    """The table's address of a view: kernels that are called by address take it."""
    return types.int64(view), lambda context, builder, signature, arguments: arguments[0]


class Layout(types.Type):  # type: ignore[misc]
    """Type of a piece of memory with fields of floats at fixed places, of four segments at once.

    The last dimension of every field counts segments.  ``of_lanes`` says how entries are read: all four as one number
    (`supple.jit.lanes`), or each by itself.
    """

    def __init__(self, name: str, dtype: np.dtype[Any], of_lanes: bool) -> None:
        assert dtype.fields is not None
        self.of_lanes, self.entry = of_lanes, LANES_TYPE if of_lanes else types.float64
        self.places = {field: (int(place[1]), place[0].shape) for field, place in dtype.fields.items()}
        assert all(shape[-1] == LANES and place % LANES_SIZE == 0 for place, shape in self.places.values())
        super().__init__(name=f"Layout({name}, {'lanes' if of_lanes else 'numbers'})")

    def shape(self, field: str) -> tuple[int, ...]:
        """Shape of a field as it is read."""
        shape = self.places[field][1]
        return shape[:-1] if self.of_lanes else shape

    def kind(self, field: str) -> Any:
        """Type of a field: an array, or one number."""
        shape = self.shape(field)
        return types.Array(self.entry, len(shape), "C") if shape else self.entry


@register_default(Layout)
class _LayoutModel(models.PrimitiveModel):  # type: ignore[misc]
    """In compiled code, an address."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@infer_getattr
class _LayoutAttributes(AttributeTemplate):  # type: ignore[misc]
    """``memory.field`` is the array of that name."""

    key = Layout

    def generic_resolve(self, kind: Layout, attribute: str) -> Any:
        """Type of a field."""
        return kind.kind(attribute) if attribute in kind.places else None


@imputils.lower_getattr_generic(Layout)  # type: ignore[untyped-decorator]
def _read_place(context: Any, builder: Any, kind: Layout, value: Any, attribute: str) -> Any:
    """Code that makes the array of a field, or reads its one number."""
    address = builder.add(value, ir.IntType(64)(kind.places[attribute][0]))
    data = builder.inttoptr(address, context.get_data_type(kind.entry).as_pointer())
    shape = kind.shape(attribute)
    return lanes_array(context, builder, kind.kind(attribute), data, shape) if shape else builder.load(data)


def local_layout(name: str, dtype: np.dtype[Any]) -> Any:
    """Compiled function without arguments that gives memory of this layout on the stack of its caller, as lanes."""
    kind = Layout(name, dtype, of_lanes=True)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.goto_entry_block():
            memory = builder.alloca(ir.ArrayType(ir.IntType(8), dtype.itemsize))
            memory.align = LANES_SIZE
        return builder.ptrtoint(memory, ir.IntType(64))

    @intrinsic  # type: ignore[untyped-decorator]
    def make(typing_context: Any) -> Any:
        return kind(), generate

    return make
