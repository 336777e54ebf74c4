"""Controllers: feedback with states of its own, which are integrated, saved and restarted with the robot's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import name as checked_name
from supple.checks import names, read_only, real_array, shown
from supple.errors import ModelError

if TYPE_CHECKING:
    from supple.compilation.binder import Binder


@dataclass(frozen=True, eq=False)
class Controller:
    """Feedback u = output(t, q, v, z) with z' = rate(t, q, v, z).

    Parameters
    ----------
    state0 : (nz,)
        z at the beginning; empty for a controller without memory.
    rate : callable
        (t, q, v, z) -> z', (nz,).
    output : callable
        (t, q, v, z) -> inputs, one number per entry of ``inputs``.
    inputs : sequence of str, optional
        Names of the inputs that it drives; all if omitted.
    name : str
        For messages; unnamed ones are called "controller", "controller 2", and so on.

    Notes
    -----
    Implicit methods need derivatives of both functions; they are taken by differences, once per factorisation.
    """

    state0: Any
    rate: Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]
    output: Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]
    inputs: Sequence[str] | None = None
    name: str = "controller"

    def __post_init__(self) -> None:
        checked_name(self.name, "Controller: name")
        if self.inputs is not None:
            driven = names(self.inputs, f"Controller {self.name!r}: inputs")
            if len(set(driven)) < len(driven):
                raise ModelError(f"Controller {self.name!r}: inputs are {driven}, must be different")
            object.__setattr__(self, "inputs", driven)
        state = np.atleast_1d(real_array(self.state0, f"Controller {self.name!r}: state0"))
        if state.ndim != 1 or not np.isfinite(state).all():
            given = shown(self.state0)
            raise ModelError(f"Controller {self.name!r}: state0 is {given}, must be a vector of finite numbers")
        object.__setattr__(self, "state0", read_only(state))
        for what in ("rate", "output"):
            if not callable(getattr(self, what)):
                raise ModelError(f"Controller {self.name!r}: {what} must be a function of (t, q, v, z)")

    def stations(self) -> Iterable[tuple[str, float]]:
        """None: it acts through inputs."""
        return ()

    def bind(self, binder: Binder) -> None:
        """Join the robot's controllers."""
        binder.controllers.append(self)
