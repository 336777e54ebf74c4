"""What derivatives of equilibria and motions are returned as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import all_finite
from supple.errors import DesignError, ModelError, StateError

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.motion.trajectory import Trajectory

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


#: What gradients are linear in.
GIVEN = "the derivatives by results that are given"


def _is_finite(x: Any) -> bool:
    """Whether all numbers are, of an array or of what holds arrays."""
    if isinstance(x, (float, np.ndarray)):
        return all_finite(x)
    if isinstance(x, dict):
        return all(map(_is_finite, x.values()))
    return not isinstance(x, (list, tuple)) or all(map(_is_finite, x))


def refuse_overflow(found: dict[str, Any], what: str) -> None:
    """Raise `StateError` if derivatives by name are not finite; ``what`` was given is what they are linear in."""
    for name, x in found.items():
        if not _is_finite(x):
            raise StateError(
                f"derivatives are not finite: {name}; they are linear in {what}, so give smaller ones; if those given "
                "are not large, the motion or the equilibrium is so sensitive that it has none in float64"
            )


class NoParameters(dict[str, Any]):
    """The gradient by parameters of a model that has none: empty; whoever asks for one is told why."""

    def __init__(self, remedy: str = "make the model by the model() of a Design") -> None:
        super().__init__()
        self.remedy = remedy

    def __missing__(self, name: str) -> Any:
        raise DesignError(f"there is no gradient by parameter {name!r}: the model has no parameters; {self.remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.remedy,)


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
        By its initial internal states.
    """

    u: Any
    prescribed: Any = None
    p: dict[str, Any] = field(default_factory=NoParameters)
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
    motion: Trajectory | None = field(default=None, repr=False)  #: the motion that changes
    change: Array | None = field(default=None, repr=False)  #: (count,) of the parameters of its model's design

    def tip(self, link: str) -> Array:
        """Of the position of a link's tip, (T, 3), world axes."""
        motion, model = self._of()
        twists = self.pose(link, 1.0)
        turned = [model.pose(q, link)[:3, :3] @ twist[3:] for q, twist in zip(motion.q, twists, strict=True)]
        return np.array(turned).reshape(-1, 3)

    def pose(self, link: str, s: float = 1.0) -> Array:
        """Of the pose of a station: twists [angular; linear] in the frame there, (T, 6)."""
        motion, model = self._of()
        moved = [model.jacobian(q, link, s) @ dq for q, dq in zip(motion.q, self.q, strict=True)]
        found = np.array(moved).reshape(-1, 6)
        if self.change is not None:
            from supple.gradients.parameters import push_poses

            found += push_poses(model, link, s, motion.q, self.change)
        return found

    def energy(self) -> Array:
        """Of the total energy, (T,)."""
        from supple.gradients.motion_outputs import energy_slopes
        from supple.gradients.parameters import energies_by_parameter

        motion, _ = self._of()
        state = np.hstack([self.q, self.v, self.u])
        found = np.array([energy_slopes(motion, k) @ change for k, change in enumerate(state)])
        if self.change is not None:
            found += energies_by_parameter(motion, np.ones(len(found), dtype=bool)) @ self.change
        return found

    def _of(self) -> tuple[Trajectory, Model]:
        """The motion, and its model."""
        if self.motion is None or self.motion.model is None:
            raise ModelError("this variation has lost its motion, of which poses and energies are made")
        return self.motion, self.motion.model

    def __repr__(self) -> str:
        return f"<Variation: {_shapes(vars(self))}>"
