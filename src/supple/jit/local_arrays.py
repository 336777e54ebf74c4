"""Small arrays on the stack of a compiled function: nothing is allocated, no thread shares them.

    twist6, matrix6 = local_array(6), local_array(6, 6)

    @inner
    def power(...):
        F = twist6()

gives F (6,) floats, *not set to anything*, that end with the function: they must not be returned, nor may their address
be.
Called inside a loop, it gives the same memory in every round; called at two places, two arrays.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from supple.jit.array_values import array


def local_array(*shape: int) -> Any:
    """Compiled function without arguments that gives an array of floats of this shape, on the stack of its caller."""
    kind = types.Array(types.float64, len(shape), "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item, integer = ir.DoubleType(), ir.IntType(64)
        with builder.goto_entry_block():  # once per call, whatever loop it stands in
            memory = builder.alloca(ir.ArrayType(item, math.prod(shape)))
            memory.align = 32
        strides = [8 * math.prod(shape[k + 1 :]) for k in range(len(shape))]
        data = builder.bitcast(memory, item.as_pointer())
        lengths, steps = ([integer(n) for n in numbers] for numbers in (shape, strides))
        return array(context, builder, kind, data, lengths, steps, integer(8))

    @intrinsic  # type: ignore[untyped-decorator]
    def make(typing_context: Any) -> Any:
        return kind(), generate

    return make
