"""What drives a robot that is watched live: its own laws and controllers, and what somebody holds by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import Array
from supple.model.model import Model
from supple.solvers.inputs import Excitation


class Driver:
    """Inputs at any moment.

    Laws, feedback u(t, q, v) and the robot's controllers are asked at the beginning of every step and held over it;
    states of controllers advance by Euler's rule. An input that was set by hand stays so until `release`.

    Attributes
    ----------
    held : dict
        Inputs by number that are set by hand.
    """

    def __init__(self, model: Model, u: Any = None) -> None:
        self.model = model
        self.excitation = Excitation(model, u)
        self.controllers = self.excitation.controllers
        self.first = self.excitation.first_states[: self.excitation.states]
        #: whether inputs change by themselves
        self.moves = bool(model.nu) and (u is not None or bool(self.controllers))
        self.held: dict[int, float] = {}
        self.states = self.first.copy()

    def reset(self) -> None:
        """Begin again."""
        self.states = self.first.copy()

    def release(self) -> None:
        """Let laws and controllers drive all inputs again."""
        self.held.clear()

    def at(self, t: float, q: Array, v: Array) -> Array:
        """Inputs (nu,) at a time and a state."""
        u = np.zeros(self.model.nu)
        if self.moves and len(self.held) < self.model.nu:
            further = np.concatenate([self.states, self.excitation.first_states[self.excitation.states :]])
            u = self.excitation.inputs_along(np.array([t]), q[None], v[None], further[None])[0]
        for i, value in self.held.items():
            u[i] = value
        return u

    def advance(self, t: float, q: Array, v: Array, h: float) -> None:
        """Bring states of controllers on by h [s]."""
        first = 0
        for controller in self.controllers:
            own = slice(first, first + len(controller.state0))
            first = own.stop
            if own.stop > own.start:
                rate = np.asarray(controller.rate(t, q, v, self.states[own].copy()), dtype=float)
                self.states[own] += h * rate
