"""Checks of the options of methods; what was checked takes the place of what was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import choice, positive_float, real_array, shown
from supple.errors import ModelError

#: How loops are held: position and velocity ("stabilised"), position alone ("index3").
LOOPS = ("stabilised", "index3")
#: Where tangents come from.
JACOBIANS = ("analytical", "differences")


def keep(method: Any, name: str, value: Any) -> None:
    """Put the checked value in the place of the one given."""
    object.__setattr__(method, name, value)


def positive(method: Any, name: str) -> float:
    """Check and keep a positive number."""
    keep(method, name, positive_float(getattr(method, name), f"{type(method).__name__}: {name}"))
    return float(getattr(method, name))


def check_tolerances(method: Any) -> None:
    """``rtol``, ``atol``, ``max_step`` and ``first_step`` of a method that adapts its step."""
    kind = type(method).__name__
    rtol = positive(method, "rtol")
    if not 1e-13 <= rtol < 1.0:
        raise ModelError(f"{kind}: rtol is {rtol:g}, must be at least 1e-13 and below 1")
    atol = real_array(method.atol, f"{kind}: atol")
    if atol.ndim > 1 or not (np.isfinite(atol).all() and (atol > 0.0).all()):
        raise ModelError(f"{kind}: atol is {shown(method.atol)}, must be positive, a number or one per coordinate")
    keep(method, "atol", tuple(atol.tolist()) if atol.ndim else float(atol))
    for name in ("max_step", "first_step"):
        if getattr(method, name) is not None:
            positive(method, name)


def check_loops(method: Any) -> None:
    """``loops`` of an implicit method."""
    choice(method.loops, LOOPS, f"{type(method).__name__}: loops")


def check_fixed_step(method: Any) -> None:
    """``dt``, ``newton_rtol`` and ``newton_atol`` of a method whose steps are fixed."""
    for name in ("dt", "newton_rtol", "newton_atol"):
        positive(method, name)
