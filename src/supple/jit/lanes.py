"""Four numbers at once: a number type of compiled code with one value for each of four segments.

Processors add and multiply four numbers as fast as one.  A formula that is written for numbers, such as

    def add_ad(V, X, Y):
        Y[0] += V[1] * X[2] - V[2] * X[1]
        ...

is compiled a second time for arrays of this type (`local_lanes`, `lanes_at`), and then works on four segments: nothing
is written twice.  Plain numbers become four equal ones where they meet others.  A formula that asks how large a number
is does so by `all_below`, and chooses by `blend`, which plain numbers know, too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.typeconv import Conversion
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast

from supple.jit.array_values import array

#: How many numbers one holds, and its size in bytes.
LANES = 4
LANES_SIZE = 8 * LANES

VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(32)


class Lanes(types.Type):  # type: ignore[misc]
    """The type: any plain number may stand for four equal ones."""

    bitwidth = 8 * LANES_SIZE

    def __init__(self) -> None:
        super().__init__(name=f"lanes{LANES}")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """What becomes this type by itself."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


LANES_TYPE = Lanes()


@register_default(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    """In compiled code, a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


@lower_cast(types.Float, Lanes)  # type: ignore[untyped-decorator]
@lower_cast(types.Integer, Lanes)  # type: ignore[untyped-decorator]
def _spread(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    """Four equal numbers."""
    number = context.cast(builder, value, kind, types.float64)
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, _INDEX(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))


def _arithmetic(function: Any, arguments: int, instruction: str) -> None:
    """Make an operator known, lane by lane."""
    kinds = (LANES_TYPE,) * arguments

    class Template(ConcreteTemplate):  # type: ignore[misc]
        cases = [signature(LANES_TYPE, *kinds)]

    def translate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        return getattr(builder, instruction)(*values)

    infer_global(function)(Template)
    lower_builtin(function, *kinds)(translate)


for _functions, _instruction in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _function in _functions:
        _arithmetic(_function, 2, _instruction)
_arithmetic(operator.neg, 1, "fneg")


def _each(builder: Any, value: Any, work: Callable[[Any], Any]) -> Any:
    """``work`` done to the number of every lane, one by one."""
    for k in range(LANES):
        value = builder.insert_element(value, work(builder.extract_element(value, _INDEX(k))), _INDEX(k))
    return value


def _function_of(function: Any) -> Any:
    """A function of `math` for plain numbers and lanes: for what is rare."""

    @intrinsic  # type: ignore[untyped-decorator]
    def of(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
            plain = signature(types.float64, types.float64)
            typing_context.resolve_function_type(typing_context.resolve_value_type(function), plain.args, {})
            translate = context.get_function(function, plain)
            if kinds.return_type == LANES_TYPE:
                return _each(builder, arguments[0], lambda number: translate(builder, [number]))
            return translate(builder, arguments)

        kind = LANES_TYPE if isinstance(x, Lanes) else types.float64
        return kind(kind), generate

    return of


root, sine, cosine = _function_of(math.sqrt), _function_of(math.sin), _function_of(math.cos)


def _widened(x: Any) -> Any:
    """The type of a number in a function of lanes or plain numbers."""
    return LANES_TYPE if isinstance(x, Lanes) else types.float64


def _below(builder: Any, x: Any, limit: Any) -> Any:
    """Lane by lane, whether x < limit; of NaN it is not."""
    return builder.fcmp_ordered("<", x, limit)


def _bits(builder: Any, which: Any) -> Any:
    """Answers of all lanes as one integer."""
    return builder.bitcast(which, ir.IntType(LANES)) if isinstance(which.type, ir.VectorType) else which


@intrinsic  # type: ignore[untyped-decorator]
def all_below(typing_context: Any, x: Any, limit: Any) -> Any:
    """Whether x < limit, in all lanes."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        bits = _bits(builder, _below(builder, *arguments))
        return builder.icmp_unsigned("==", bits, bits.type((1 << bits.type.width) - 1))

    return types.boolean(_widened(x), _widened(x)), generate


@intrinsic  # type: ignore[untyped-decorator]
def any_below(typing_context: Any, x: Any, limit: Any) -> Any:
    """Whether x < limit, in any lane."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        bits = _bits(builder, _below(builder, *arguments))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(_widened(x), _widened(x)), generate


@intrinsic  # type: ignore[untyped-decorator]
def blend(typing_context: Any, x: Any, limit: Any, below: Any, above: Any) -> Any:
    """``below`` where x < limit, else ``above``: lane by lane."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        return builder.select(_below(builder, *arguments[:2]), *arguments[2:])

    kind = _widened(x)
    return kind(kind, kind, kind, kind), generate


@intrinsic  # type: ignore[untyped-decorator]
def lane_sum(typing_context: Any, x: Any) -> Any:
    """x_0 + x_1 + x_2 + x_3, added in pairs."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        parts = [builder.extract_element(arguments[0], _INDEX(k)) for k in range(LANES)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [builder.fadd(parts[k], parts[k + half]) for k in range(half)]
        return parts[0]

    return types.float64(LANES_TYPE), generate


def _shuffled(builder: Any, value: Any, lanes: list[int | None]) -> Any:
    """Lanes of a vector in another order; zero where None stands."""
    order = [LANES if k is None else k for k in lanes]
    return builder.shuffle_vector(value, ir.Constant(VECTOR, None), ir.Constant(ir.VectorType(_INDEX, LANES), order))


@intrinsic  # type: ignore[untyped-decorator]
def running_sum(typing_context: Any, x: Any) -> Any:
    """x_0, x_0 + x_1, x_0 + x_1 + x_2 and so on."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        (total,), step = arguments, 1
        while step < LANES:
            total = builder.fadd(total, _shuffled(builder, total, [None] * step + list(range(LANES - step))))
            step *= 2
        return total

    return LANES_TYPE(LANES_TYPE), generate


@intrinsic  # type: ignore[untyped-decorator]
def last_of(typing_context: Any, x: Any) -> Any:
    """The number of the last lane, in all lanes."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        return _shuffled(builder, arguments[0], [LANES - 1] * LANES)

    return LANES_TYPE(LANES_TYPE), generate


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Four vectors of four: entry k of vector l becomes entry l of vector k."""

    def picked(a: Any, b: Any, order: list[int]) -> Any:
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INDEX, LANES), order))

    a, b, c, d = rows
    ab, cd = picked(a, b, [0, 4, 2, 6]), picked(c, d, [0, 4, 2, 6])  # a0 b0 a2 b2, c0 d0 c2 d2
    AB, CD = picked(a, b, [1, 5, 3, 7]), picked(c, d, [1, 5, 3, 7])  # a1 b1 a3 b3, c1 d1 c3 d3
    low, high = [0, 1, 4, 5], [2, 3, 6, 7]
    return [picked(ab, cd, low), picked(AB, CD, low), picked(ab, cd, high), picked(AB, CD, high)]


def _rows_at(builder: Any, addresses: Any, k: Any) -> list[Any]:
    """Where four numbers from the k-th on stand, at each of four addresses."""
    places = (builder.add(at, builder.shl(k, k.type(3))) for at in addresses)
    return [builder.inttoptr(place, VECTOR.as_pointer()) for place in places]


_FOUR_ADDRESSES = types.UniTuple(types.int64, LANES)


@intrinsic  # type: ignore[untyped-decorator]
def gather_four(typing_context: Any, addresses: Any, k: Any, out: Any) -> Any:
    """out[k:k+4] as lanes = numbers k to k + 4 at four addresses, one for each lane; ``out`` is at an address, too."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        rows = _rows_at(builder, cgutils.unpack_tuple(builder, arguments[0]), arguments[1])
        found = _transposed(builder, [builder.load(row, align=8) for row in rows])
        into = builder.gep(builder.inttoptr(arguments[2], VECTOR.as_pointer()), [arguments[1]])
        for l, value in enumerate(found):
            builder.store(value, builder.gep(into, [ir.IntType(64)(l)]), align=LANES_SIZE)
        return context.get_dummy_value()

    return types.void(_FOUR_ADDRESSES, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def scatter_four(typing_context: Any, x: Any, k: Any, addresses: Any) -> Any:
    """Numbers k to k + 4 at four addresses, one for each lane = x[k:k+4], the last address first.

    Where addresses are equal, the first lane's numbers stay.
    """

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        source = builder.gep(builder.inttoptr(arguments[0], VECTOR.as_pointer()), [arguments[1]])
        given = [builder.load(builder.gep(source, [ir.IntType(64)(l)]), align=LANES_SIZE) for l in range(LANES)]
        rows = _rows_at(builder, cgutils.unpack_tuple(builder, arguments[2]), arguments[1])
        for row, value in reversed(list(zip(rows, _transposed(builder, given), strict=True))):
            builder.store(value, row, align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, _FOUR_ADDRESSES), generate


def lanes_array(context: Any, builder: Any, kind: Any, data: Any, shape: tuple[int, ...]) -> Any:
    """An array of known shape at a pointer: its entries are of the array's type, plain numbers or lanes."""
    size = LANES_SIZE if kind.dtype == LANES_TYPE else 8
    integer = ir.IntType(64)
    strides = [size * math.prod(shape[k + 1 :]) for k in range(len(shape))]
    lengths, steps = ([integer(n) for n in numbers] for numbers in (shape, strides))
    return array(context, builder, kind, data, lengths, steps, integer(size))


def _on_stack(shape: tuple[int, ...]) -> Callable[[Any, Any, Any, Any], Any]:
    """Code that makes an array of the returned type on the stack of the caller."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        entry = context.get_data_type(kinds.return_type.dtype)
        with builder.goto_entry_block():  # once per call, whatever loop it stands in
            memory = builder.alloca(ir.ArrayType(entry, math.prod(shape)))
            memory.align = LANES_SIZE
        return lanes_array(context, builder, kinds.return_type, builder.bitcast(memory, entry.as_pointer()), shape)

    return generate


def local_lanes(*shape: int) -> Any:
    """Compiled function without arguments that gives an array of lanes, as `local_array` does of plain numbers."""
    kind = types.Array(LANES_TYPE, len(shape), "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def make(typing_context: Any) -> Any:
        return kind(), _on_stack(shape)

    return make


def local_like(*shape: int) -> Any:
    """Compiled function of one array that gives another, as `local_array` does, with entries of the same type."""

    @intrinsic  # type: ignore[untyped-decorator]
    def make(typing_context: Any, array: Any) -> Any:
        return types.Array(array.dtype, len(shape), "C")(array), _on_stack(shape)

    return make


def _lanes_of(dimensions: int) -> Any:
    """Compiled function ``at(address, shape)``: lanes at an address that is a multiple of their size."""
    kind = types.Array(LANES_TYPE, dimensions, "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, address: Any, shape: Any) -> Any:
        def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
            integer = ir.IntType(64)
            lengths = cgutils.unpack_tuple(builder, arguments[1])
            strides = [integer(LANES_SIZE)]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            data = builder.inttoptr(arguments[0], VECTOR.as_pointer())
            return array(context, builder, kind, data, lengths, strides, integer(LANES_SIZE))

        return kind(types.int64, types.UniTuple(types.int64, dimensions)), generate

    return at


#: Lanes at an address, of a shape (n,) or (n, m).
lane_vector_at, lane_matrix_at = _lanes_of(1), _lanes_of(2)
