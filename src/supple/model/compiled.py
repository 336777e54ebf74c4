"""What a compiled robot holds, and the border that all calls cross: arrays, scratch, checks, messages."""

from __future__ import annotations

import threading
from contextlib import suppress
from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import FLOAT, answer, failure, finite_float, finite_vector, shown, vector
from supple.compilation.compiled import CompiledRobot
from supple.compilation.digest import Digest, model_digest
from supple.core import forward_dynamics as _forward
from supple.core.arrays import handle, make_space, make_tree
from supple.core.records import EXPONENTIAL
from supple.errors import ModelError, SingularError, StateError
from supple.pickling import check_picklable

Array = np.ndarray


class Compiled:
    """Arrays of a robot, and this thread's scratch; nothing is computed here."""

    def __init__(self, compiled: CompiledRobot) -> None:
        self.compiled = compiled
        self.name = compiled.name
        self.topology, self.parameters = compiled.topology, compiled.parameters
        self.layouts, self.scene = compiled.layouts, compiled.scene
        self.loads, self.loops, self.demand = compiled.loads, compiled.loops, compiled.demand
        self.prescribed, self.controllers = compiled.prescribed, compiled.controllers
        self.link_names = tuple(layout.name for layout in self.layouts)
        self.coordinate_names = compiled.coordinate_names
        self.input_names = self.demand.inputs
        self.state_names = tuple(name for states in self.demand.states for name in states.names)
        self.point_table = tuple((layout.name, s) for layout in self.layouts for s in layout.stations)
        self.n, self.nu, self.nz = len(self.coordinate_names), len(self.input_names), len(self.state_names)
        self.nc = sum(loop.data[1].shape[1] for loop in self.loops)
        self._index = {name: i for i, name in enumerate(self.link_names)}
        self._zero = np.zeros(self.n)
        self._shape = (self.n,)
        self._fixed = np.array([i for joint in self.prescribed for i in joint.coordinates], dtype=np.int64)
        self._free = np.setdiff1d(np.arange(self.n), self._fixed)
        self._turning = self._turning_factors()
        for array in (*self.topology, *self.parameters):
            array.setflags(write=False)  # immutable: kernels read these by address
        # every kernel takes the robot as one handle, see core.arrays
        self._data = [handle(load.data) for load in self.loads]
        table = [
            (load.kernel.address, data.ctypes.data, load.side)
            for load, data in zip(self.loads, self._data, strict=True)
        ]
        self._arrays: Any = make_tree(self.topology, self.parameters, np.array(table, dtype=np.int64).reshape(-1, 3))
        self._tree = handle(self._arrays)
        self._threads = threading.local()
        self._still: Digest | None = None  # of the arrays, see `compilation.digest`

    def _turning_factors(self) -> list[slice]:
        """Coordinates of every factor of a prescribed joint whose screws do not commute."""
        if not self.prescribed:
            return []
        blocks = self.topology.blocks
        found = blocks[(blocks["kind"] == EXPONENTIAL) & np.isin(blocks["start"], self._fixed)]
        return [slice(int(block["start"]), int(block["start"] + block["n"])) for block in found]

    def __getstate__(self) -> dict[str, Any]:
        for law, owner in zip(self.demand.laws, self.demand.owners, strict=True):
            check_picklable(law, f"{owner}: its law of time")
        for joint in self.prescribed:
            check_picklable(joint.law, f"Prescribed {joint.link!r}: its motion")
        for c in self.controllers:
            check_picklable((c.rate, c.output), f"Controller {c.name!r}: its functions")
        return {"compiled": self.compiled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        type(self).__init__(self, state["compiled"])

    def __copy__(self) -> Self:
        return self  # immutable

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def changed(self, **changes: Any) -> Self:
        """A model that differs in some fields of its `CompiledRobot`."""
        return type(self)(self.compiled.changed(**changes))

    @property
    def description(self) -> str:
        """The table of the robot's links."""
        return self.compiled.description

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.link_names)} links, {self.n} coordinates>"

    def __str__(self) -> str:
        return self.description

    @property
    def stiffness(self) -> Array:
        """K, shape (n, n): tau = -K (q - q_rest) - ..."""
        return np.asarray(self.parameters.stiffness)

    @property
    def damping(self) -> Array:
        """D, shape (n, n): tau = - D v - ..."""
        return np.asarray(self.parameters.damping)

    @property
    def rest(self) -> Array:
        """Coordinates at which springs and rods are unloaded, shape (n,)."""
        return np.asarray(self.parameters.rest)

    @property
    def tension_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that are tensions of tendons [N], which must not be negative."""
        return tuple(name for name, pulls in zip(self.demand.inputs, self.demand.tensions, strict=True) if pulls)

    @property
    def digest(self) -> Digest:
        """What the model is made of, by fingerprints: files are compared by it (see `compilation.digest`)."""
        return model_digest(self)

    def __fingerprint__(self) -> dict[str, dict[str, str]]:
        return self.digest.parts

    # ------------------------------------------------------------------ scratch

    def _space(
        self, u: ArrayLike | None = None, t: float = 0.0, lam: ArrayLike | None = None, z: ArrayLike | None = None
    ) -> Array:
        """Handle of this thread's scratch, with inputs, signals and multipliers filled in."""
        space, address = self._own_space()
        if u is not None:
            space.inputs[:] = self._inputs("u", u, self.nu)
        elif self.nu:
            space.inputs[:] = 0.0
        if self.nc or lam is not None:
            space.multipliers[:] = self._inputs("lam", lam, self.nc)
        if type(t) is not float or not isfinite(t):  # whether a law asks for it or not
            t = self._number("t", t)
        if self.demand.laws:
            self._fill_signals(space.signals, t)
        if z is not None:
            given, first = self._inputs("z", z, self.nz), 0
            for states in self.demand.states:
                size = len(states.state0)
                space.signals[states.first : states.first + size] = given[first : first + size]
                first += size
        return address

    def _own_space(self) -> tuple[Any, Array]:
        """This thread's scratch and its handle, as the last call left them: enough where no load is asked."""
        try:
            return self._threads.space  # type: ignore[no-any-return]
        except AttributeError:
            space = make_space(self._arrays, **self.scratch_sizes())
            self._threads.space = space, handle(space)
            return self._threads.space  # type: ignore[no-any-return]

    def scratch_sizes(self) -> dict[str, Any]:
        """What `core.arrays.make_space` must know of the loads."""
        demand = self.demand
        return {
            "inputs": len(demand.inputs),
            "signals": demand.signals,
            "couplings": demand.couplings,
            "multipliers": self.nc,
            "lines": len(demand.lines),
            "parts": demand.parts,
            "buds": demand.buds,
        }

    def _fill_signals(self, signals: Array, t: float) -> None:
        """Values of all time laws at t; further states of loads where they begin."""
        demand = self.demand
        for law, first, size, owner in zip(demand.laws, demand.firsts, demand.sizes, demand.owners, strict=True):
            try:
                given = law(t)
            except Exception as cause:
                raise StateError(failure(cause, f"{owner}: its law at t = {t:g}")) from cause
            if size == 1 and type(given) is float and isfinite(given):
                signals[first] = given  # the fast path: the time itself, laws of numbers
                continue
            signals[first : first + size] = answer(given, size, f"{owner}: its law", t)
        for states in demand.states:
            signals[states.first : states.first + len(states.state0)] = states.state0

    def _link(self, name: str) -> int:
        """Index of a link by name."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise ModelError(f"there is no link {shown(name)}; links are: {', '.join(self.link_names)}") from None

    def _state(self, name: str, value: ArrayLike) -> Array:
        """``value`` as a contiguous float64 vector of n entries; finiteness is tested by the kernels."""
        # the fast path of every call: kernels are compiled for aligned, writeable, contiguous arrays only
        if type(value) is np.ndarray and value.dtype == FLOAT and value.shape == self._shape and value.flags.carray:
            return value
        return vector(value, self.n, name, self.name)

    @staticmethod
    def _number(name: str, value: Any) -> float:
        """A finite number: a time, a coefficient of a fused tangent."""
        return finite_float(value, name, StateError)

    def _inputs(self, name: str, value: ArrayLike | None, size: int) -> Array:
        """Inputs or multipliers as a vector; None means zero."""
        if value is None:
            return np.zeros(size)
        # the fast path, as for states; of few numbers Python tells sooner than NumPy whether they are finite
        plain = type(value) is np.ndarray and value.dtype == FLOAT and value.shape == (size,)
        if plain and all(map(isfinite, value.tolist())):  # type: ignore[union-attr]
            return value  # type: ignore[return-value]
        return finite_vector(value, size, name, self.name)

    def _checked(self, result: Array, **states: Array) -> Array:
        """The result, if it is finite; else an error that names the state and the coordinate behind it."""
        if np.isfinite(result).all():
            return result
        for name, value in states.items():
            bad = np.flatnonzero(~np.isfinite(value))
            if bad.size:
                with suppress(StateError):  # what laws made of this state explains no later error
                    self._explain()
                raise StateError(
                    f"{name}[{bad[0]}] ({self.coordinate_names[bad[0]]}) is {value[bad[0]]}; states must be finite"
                )
        self._explain()
        space = self._own_space()[0]
        labels = dict.fromkeys(states, self.coordinate_names) | {"u": self.input_names, "lam": ()}
        sizes = {**states, "u": space.inputs, "lam": space.multipliers}
        name, value = max(sizes.items(), key=lambda item: float(np.abs(item[1]).max(initial=0.0)))
        worst = int(np.abs(value).argmax())
        label = f" ({labels[name][worst]})" if labels[name] else ""
        raise StateError(
            f"the result overflows; the largest entry of the state is {name}[{worst}]{label} = {value[worst]:.3g}"
        )

    def _explain(self) -> None:
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

    def _check_solved(self, status: int, **states: Array) -> None:
        if status == _forward.NOT_FINITE:
            self._checked(np.full(1, np.nan), **states)
        elif status != _forward.SOLVED:
            raise SingularError(
                f"the mass matrix is singular at {self.coordinate_names[status]}: this coordinate moves no inertia; "
                "give the link or one that hangs on it mass, or lock the coordinate; a rod with as many coordinates "
                "as its points can tell apart needs more points; a rotation vector of 2 pi needs rewrap()"
            )
