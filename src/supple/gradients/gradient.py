"""What derivatives of equilibria and motions are returned as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray


def _shapes(fields: dict[str, Any]) -> str:
    """Names and shapes of what there is."""
    parts = []
    for name, x in fields.items():
        if isinstance(x, np.ndarray):
            parts.append(f"{name} {x.shape}")
        elif isinstance(x, (dict, list)) and x:
            parts.append(f"{name} of {len(x)}")
    return ", ".join(parts)


@dataclass(frozen=True)
class Gradient:
    """How a scalar changes with what an equilibrium or a motion follows from.

    Attributes
    ----------
    u : as given
        By the inputs, in the form in which they were given: (nu,), (T, nu), a list or a dict with an entry per input;
        of a law of `supple.laws` a dict of its parameters; None where inputs are a function or feedback.
    prescribed : (ne,)
        By the coordinates of prescribed joints, joint by joint; of equilibria.
    p : dict
        By the parameters of the model's design, shaped as they are.
    q0, v0 : (n,)
        By the initial state of a motion, as it was given.
    z0 : (nz,)
        By its initial further states.
    """

    u: Any
    prescribed: Any = None
    p: dict[str, Any] = field(default_factory=dict)
    q0: Any = None
    v0: Any = None
    z0: Any = None

    def __repr__(self) -> str:
        return f"<Gradient: {_shapes(vars(self))}>"


@dataclass(frozen=True)
class Variation:
    """How a motion changes along one direction of what it follows from, at its output times."""

    q: Array  #: (T, n)
    v: Array  #: (T, n)
    a: Array  #: (T, n)
    u: Array  #: (T, nu)
    z: Array  #: (T, nz)
    multipliers: Array  #: (T, nc)
    efforts: Array  #: (T, ne)

    def __repr__(self) -> str:
        return f"<Variation: {_shapes(vars(self))}>"
