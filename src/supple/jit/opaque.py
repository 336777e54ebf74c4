"""Numbers that the compiler must not know."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def opaque(typing_context: Any, n: Any) -> Any:
    """n, of which the compiler knows nothing: a loop of ``opaque(6)`` rounds is not unrolled.

    Unrolled, long bodies take long to compile and run no faster.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.cast(builder, arguments[0], signature.args[0], types.int64)
        integer = ir.IntType(64)
        return builder.asm(ir.FunctionType(integer, [integer]), "", "=r,0", [number], False)  # output = input 0

    return types.int64(types.int64), generate
