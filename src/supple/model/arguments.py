"""The border that all calls of a model cross: what is taken as a state, and what is said of results beyond all bounds.

Nothing from a user reaches compiled code unchecked: vectors become contiguous float64 arrays of the right length here.
Whether states are finite is told by the kernels, from their results; only then is the culprit looked for.
"""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import FLOAT, finite_float, finite_vector, vector
from supple.core.articulated import DOUBTFUL, NOT_FINITE, SOLVED
from supple.errors import SingularError, StateError

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.model.workspace import Workspace

Array = np.ndarray


def number(name: str, value: Any) -> float:
    """A finite number: a time, a coefficient of a fused tangent."""
    return finite_float(value, name, StateError)


def input_vector(name: str, value: ArrayLike | None, size: int, model: str) -> Array:
    """Inputs or multipliers as a vector (size,); None means zero."""
    if value is None:
        return np.zeros(size)
    # the fast path, as for states; of few numbers Python tells sooner than NumPy whether they are finite
    plain = type(value) is np.ndarray and value.dtype == FLOAT and value.shape == (size,)
    if plain and all(map(isfinite, value.tolist())):  # type: ignore[union-attr]
        return value  # type: ignore[return-value]
    return finite_vector(value, size, name, model)


class Arguments:
    """Checks of what a model is given, and messages about what came of it."""

    def __init__(self, compiled: CompiledRobot, workspace: Workspace) -> None:
        self.model = compiled.name
        self.coordinate_names = compiled.coordinate_names
        self.input_names = compiled.demand.inputs
        self.loads = compiled.loads
        self.workspace = workspace
        self.size = compiled.n
        self.shape = (self.size,)

    def state(self, name: str, value: ArrayLike) -> Array:
        """``value`` as a contiguous float64 vector of n entries; finiteness is tested by the kernels."""
        # the fast path of every call: kernels are compiled for aligned, writeable, contiguous arrays only
        if type(value) is np.ndarray and value.dtype is FLOAT and value.shape == self.shape and value.flags.carray:
            return value
        return vector(value, self.size, name, self.model)

    def motion(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None) -> tuple[Array, Array, Array]:
        """q, v and u as `state` has them, in one call; finiteness is tested by the kernels, that of u, too."""
        shape, inputs = self.shape, self.workspace.no_inputs
        if not (type(q) is np.ndarray and q.dtype is FLOAT and q.shape == shape and q.flags.carray):
            q = vector(q, self.size, "q", self.model)
        if not (type(v) is np.ndarray and v.dtype is FLOAT and v.shape == shape and v.flags.carray):
            v = vector(v, self.size, "v", self.model)
        if u is None:
            u = inputs
        elif not (type(u) is np.ndarray and u.dtype is FLOAT and u.shape == inputs.shape and u.flags.carray):
            u = finite_vector(u, len(inputs), "u", self.model)
        return q, v, u

    def inputs(self, name: str, value: ArrayLike | None, size: int) -> Array:
        """Inputs or multipliers as a vector; None means zero."""
        return input_vector(name, value, size, self.model)

    def finite(self, result: Array, **states: Array) -> Array:
        """The result, if it is finite; else an error that names the state and the coordinate behind it."""
        if np.isfinite(result).all():
            return result
        for name, value in states.items():
            bad = np.flatnonzero(~np.isfinite(value))
            if bad.size:
                with suppress(StateError):  # what laws made of this state explains no later error
                    self.explain()
                raise StateError(
                    f"{name}[{bad[0]}] ({self.coordinate_names[bad[0]]}) is {value[bad[0]]}; states must be finite"
                )
        self.explain()
        space = self.workspace.own()[0]
        labels = dict.fromkeys(states, self.coordinate_names) | {"u": self.input_names, "lam": ()}
        sizes = {**states, "u": space.inputs, "lam": space.multipliers}
        name, value = max(sizes.items(), key=lambda item: float(np.abs(item[1]).max(initial=0.0)))
        worst = int(np.abs(value).argmax())
        label = f" ({labels[name][worst]})" if labels[name] else ""
        raise StateError(
            f"the result overflows; the largest entry of the state is {name}[{worst}]{label} = {value[worst]:.3g}"
        )

    def explain(self) -> None:
        """Let every load that knows why its result is not finite say so (all forget it), and raise the first."""
        failure = None
        for load in self.loads:
            if load.guard is not None:
                try:
                    load.guard.explain()
                except StateError as error:
                    failure = failure or error
        if failure is not None:
            raise failure

    def solved(self, status: int, **states: Array) -> None:
        """Raise what the ``status`` of a solve with the mass matrix tells; nothing, if the dense matrix must tell."""
        if status == NOT_FINITE:
            self.finite(np.full(1, np.nan), **states)
        elif status not in (SOLVED, DOUBTFUL):
            raise SingularError(
                f"the mass matrix is singular at {self.coordinate_names[status]}: this coordinate moves no inertia; "
                "give the link or one that hangs on it mass, or lock the coordinate; a rod with as many coordinates "
                "as its points can tell apart needs more points; a rotation vector of 2 pi needs rewrap()"
            )
