"""A small kernel that uses every inside of Numba on which `supple.jit.fast` is built, with a known result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from supple.jit import fast
from supple.jit.calls import Work, calling
from supple.jit.stamps import ring_digest

#: Sum of 2 x_i + i over x = (1, 2, 3), scaled by the nested array's sum and the constant below.
EXPECTED = 7.0 * (2.0 * 6.0 + 3.0)

_record = np.dtype([("w", np.float64, (3,))])
_SIGNATURE = types.int64(types.int64, types.float64)


@fast.leaf
def _doubled(x: Any, out: Any) -> None:
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]


@fast.inlined
def _shifted(x: Any, scale: Any) -> None:
    for i in range(x.shape[0]):
        x[i] += scale * i


@fast.outlined
def _total(x: Any, first: Any) -> Any:
    total = 0.0
    for i in range(first, x.shape[0]):
        total += x[i]
    return total


def _rounded(scale: Any, x: Any) -> Any:
    return int(scale * x)


_call = calling(_SIGNATURE)


def _run(address: Any, records: Any, x: Any) -> Any:
    nested = records[0].w
    _doubled(x, nested)
    _shifted(nested, 1.0)
    return _call(address, (7, _total(nested, 0) + _total(x, 3)))


def result() -> float:
    """What the kernel gives."""
    stamp = ring_digest(())
    rounded = fast.callback(_rounded, _SIGNATURE, stamp, Work.BOOKKEEPING)
    run = fast.kernel(_run, stamp, Work.BOOKKEEPING)
    return float(run(rounded.address, np.zeros(1, _record), np.array([1.0, 2.0, 3.0])))
