"""Records on the stack: fields hold what is written, and every call of a function has its own."""

import numba
import numpy as np

from supple.jit import local_record

pair_t = np.dtype([("x", "f8", (3,)), ("depth", "f8"), ("H", "f8", (3, 3))], align=True)
local_pair = local_record(pair_t)


@numba.njit
def fill(value):
    pair = local_pair()
    for i in range(3):
        pair.x[i] = value + i
        for j in range(3):
            pair.H[i, j] = 10.0 * i + j
    pair.depth = -value
    return pair.x[2] + pair.depth + pair.H[2, 1]


@numba.njit
def nested(depth):
    pair = local_pair()
    pair.depth = depth
    if depth > 0.0:
        nested(depth - 1.0)
    return pair.depth


def test_fields_are_kept_apart():
    assert fill(5.0) == 7.0 - 5.0 + 21.0


def test_every_call_has_its_own():
    assert nested(4.0) == 4.0
