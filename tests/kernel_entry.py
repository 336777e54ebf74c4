"""Entries from Python to functions that stand only inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def entry(function: Any) -> Callable[..., Any]:
    """A compiled function called from Python that calls ``function``, an `inner`, `inlined` or `leaf` one."""

    @numba.njit
    def call(*arguments):
        return function(*arguments)

    return call
