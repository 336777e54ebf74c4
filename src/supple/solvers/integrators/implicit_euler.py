"""Backward Euler."""

from __future__ import annotations

from dataclasses import dataclass

from supple.solvers.integrators.formula import Formula, Known, Stage
from supple.solvers.integrators.implicit import FixedStep


@dataclass(frozen=True)
class ImplicitEuler(FixedStep, name="implicit-euler"):
    """Backward Euler of fixed step: first order, damps everything fast; for settling down.

    Parameters
    ----------
    dt : float
        Step, s.
    loops, newton_rtol, newton_atol
        As for `GeneralizedAlpha`.
    """

    order = 1

    def formula(self, past: tuple[float, ...]) -> Formula:
        """h y' = y - y_now, for v from q and a from v."""
        new, now = Known().new, Known().now
        v = new.q - now.q
        return Formula([Stage(v, v - now.v, guess=now.q + now.v)])
