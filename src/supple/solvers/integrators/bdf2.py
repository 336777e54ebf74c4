"""The backward formula of second order."""

from __future__ import annotations

from dataclasses import dataclass

from supple.solvers.integrators.formula import Formula, Known, Stage
from supple.solvers.integrators.implicit import FixedStep


@dataclass(frozen=True)
class BDF2(FixedStep, name="bdf2"):
    """The backward formula of second order and fixed step, started by SDIRK2; strong damping of what is fast.

    Options as for `ImplicitEuler`.
    """

    order = 2
    behind = 1
    starter = True

    def formula(self, past: tuple[float, ...]) -> Formula:
        """h y' = ((1 + 2 w) y - (1 + w)^2 y_now + w^2 y_before) / (1 + w), w = h / h_before; for v from q, a from v."""
        w, known = 1.0 / past[0], Known()
        c, c_now, c_before = (1.0 + 2.0 * w) / (1.0 + w), -(1.0 + w), w * w / (1.0 + w)
        now, before = known.now, known.behind[0]
        v = c * known.new.q + c_now * now.q + c_before * before.q
        a = c * v + c_now * now.v + c_before * before.v
        return Formula([Stage(v, a, guess=now.q + now.v)])
