"""Which functions of users a pickler takes, and an error that names the one it does not."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from supple.errors import ModelError

#: What helps.
REMEDY = "use a function at the top level of a module, not a lambda or an inner function, or cloudpickle"


def check_picklable(value: Any, what: str) -> None:
    """Raise a `ModelError` that begins with ``what`` if ``value`` cannot be pickled."""
    reason = why_not_picklable(value)
    if reason:
        raise ModelError(f"{what} cannot be pickled ({reason}); {REMEDY}")


def why_not_picklable(value: Any) -> str:
    """Why ``value`` cannot be pickled; empty if it can.

    Plain pickle stores a function as the name of its module and its own, which a lambda does not have.  Picklers such
    as cloudpickle's, also that of joblib's workers, take functions apart instead: there nothing is refused.
    """
    if _takes_functions_apart():
        return ""
    try:
        pickle.dumps(value)
    except Exception as error:  # users' objects raise what they like
        return str(error) or type(error).__name__
    return ""


def _takes_functions_apart() -> bool:
    """Whether the pickler at work, found among the callers, has a way of its own to store functions.

    That way is ``reducer_override``; the pickler behind ``pickle.dumps`` has none, and no Python frame either.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "dump" and hasattr(frame.f_locals.get("self"), "reducer_override"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False
