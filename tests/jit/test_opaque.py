"""Numbers that the compiler must not know."""

import numba

from supple.jit import opaque


@numba.njit
def hidden(n):
    total = 0
    for i in range(opaque(6)):
        total += i * n
    return total


def test_the_value_is_the_same():
    assert hidden(2) == 30
    assert "asm" in next(iter(hidden.inspect_llvm().values()))
