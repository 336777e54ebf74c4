"""What kernels of both modes share: exactness of arithmetic, kinds of work, calls by address."""

from __future__ import annotations

from enum import Enum
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: ``contract`` lets multiply-adds fuse, ``nsz`` ignores the sign of zero.  NaN and infinity keep their
#: meaning (kernels report them), and sums keep their order.
FASTMATH = {"contract", "nsz"}


class Work(Enum):
    """What a kernel mostly does, for LLVM to spend its time where that pays."""

    LOOPS = "arithmetic in loops"
    FORMULAS = "arithmetic outside of loops"
    BOOKKEEPING = "little outside of `outlined` functions: all else is short code, compiled in half the time"


def calling(signature: Any) -> Any:
    """Intrinsic ``call(address, arguments)`` for compiled functions of one signature of integers and floats."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, function: Any, arguments: Any) -> Any:
        typed = signature.return_type(types.int64, types.Tuple(signature.args))

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            lowered = [context.get_value_type(argument) for argument in signature.args]
            returned = ir.VoidType() if signature.return_type == types.void else ir.IntType(64)
            pointer = builder.inttoptr(values[0], ir.FunctionType(returned, lowered).as_pointer())
            result = builder.call(pointer, cgutils.unpack_tuple(builder, values[1]))
            return context.get_dummy_value() if signature.return_type == types.void else result

        return typed, generate

    return call
