"""A record on the stack of a compiled function: what one piece of work needs, with names, allocated nowhere."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic


def local_record(dtype: np.dtype[Any]) -> Any:
    """Compiled function without arguments that gives a record, *not set to anything*, on the stack of its caller.

    It ends with the function, as arrays of `supple.jit.local_arrays` do.
    """
    kind = numba.from_dtype(dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.goto_entry_block():  # once per call, whatever loop it stands in
            memory = builder.alloca(ir.ArrayType(ir.IntType(8), dtype.itemsize))
            memory.align = 32
        return builder.bitcast(memory, context.get_value_type(kind))

    @intrinsic  # type: ignore[untyped-decorator]
    def make(typing_context: Any) -> Any:
        return kind(), generate

    return make
