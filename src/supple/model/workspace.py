"""What kernels work on: the arrays of a robot behind one handle, and scratch, of which every thread has its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import answer, failure
from supple.compilation.law_program import make_program
from supple.core import forward_dynamics as _forward
from supple.core.arrays import handle, make_space, make_tree
from supple.core.articulated_columns import ARTICULATED
from supple.core.blocks.custom import map_table
from supple.core.input_forces import INPUT_COLUMNS, INPUT_POWER
from supple.core.loads import INTERNAL, WRENCHLESS
from supple.core.loops import CONSTRAINT_ROWS, constraint_rows
from supple.core.records import has_chart, is_map, is_rod
from supple.core.residual import RESIDUAL
from supple.core.residual_jacobians import RESIDUAL_JACOBIANS
from supple.core.time_laws import STORE
from supple.core.tree_rates import TREE_RATES
from supple.core.tree_tangent import TREE_TANGENT
from supple.errors import ModelError, StateError
from supple.jit import settle
from supple.model.arguments import input_vector, number

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray
T = TypeVar("T")


#: What carrying a column through the tree costs per coordinate, beside one entry of a dense factor (measured).
TREE_COST = 24


def dense_is_faster(blocks: Array) -> bool:
    """Whether columns are solved for faster with a dense mass matrix than block by block: few coordinates in blocks.

    A block on the world on which nothing hangs is a dense matrix by itself, and has its factors already.
    """
    sizes = blocks["n"].astype(float)
    tied = sizes[blocks["parent"] > 0].sum() + sizes[blocks["parent"] == 0].sum() * (blocks["parent"] > 0).any()
    return bool(sizes.sum() ** 2 < (sizes**2).sum() + TREE_COST * tied)


def is_rigid(tree: Any, demand: Any) -> bool:
    """Whether all joints are commuting screws, all links rigid, and loads write forces on joints alone."""
    blocks, sides = tree.blocks, tree.loads[:, 2]
    others = is_rod(blocks) | is_map(blocks) | has_chart(blocks) | (blocks["active"] != 1)
    alone = not (demand.couplings or demand.lines or demand.parts or demand.dormant)
    return alone and not others.any() and bool((sides == INTERNAL + WRENCHLESS).all())


class DerivativeCalls(NamedTuple):
    """A kernel that differentiates forward dynamics, the addresses that it takes, and shapes of what it fills."""

    kernel: Any
    calls: Array
    matrices: tuple[int, int]  #: da/dq, da/dv and scratch
    by_inputs: tuple[int, int]  #: da/du


class Functions:
    """Kernels by their addresses, compiled when they are first asked for.

    Attributes
    ----------
    followers : int
        How many coordinates of the tree, the last ones, follow others (`following.calls`).
    follower_rows : int
        How many rows they may ask for in factors over the tree.
    """

    followers, follower_rows = 0, 0

    @property
    def residual(self) -> int:
        """Of `core.residual`."""
        return RESIDUAL.address

    @property
    def jacobians(self) -> int:
        """Of `core.residual_jacobians`."""
        return RESIDUAL_JACOBIANS.address

    @property
    def rows(self) -> int:
        """Of `core.loops`, at the state of the last residual."""
        return CONSTRAINT_ROWS.address

    @property
    def input_columns(self) -> int:
        """Of `core.input_forces`."""
        return INPUT_COLUMNS.address

    @property
    def input_power(self) -> int:
        """Of `core.input_forces`."""
        return INPUT_POWER.address

    @property
    def transposed_jacobians(self) -> int:
        """Of `core.jacobian_products`."""
        from supple.core.jacobian_products import TRANSPOSED_JACOBIANS

        return TRANSPOSED_JACOBIANS.address

    @property
    def parameters(self) -> int:
        """Of `core.parameter_gradient`."""
        from supple.core.parameter_gradient import PARAMETER_GRADIENT

        return PARAMETER_GRADIENT.address

    @property
    def tree_tangent(self) -> int:
        """Of `core.tree_tangent`."""
        return TREE_TANGENT.address

    @property
    def tree_rates(self) -> int:
        """Of `core.tree_rates`."""
        return TREE_RATES.address

    def rows_at(self, tree: Array, space: Array, q: Array, v: Array, a: Array, vectors: Array, matrices: Array) -> None:
        """Rows of loops at a state, see `core.loops`."""
        constraint_rows(self.rows, tree, space, q, v, a, vectors, matrices)


class Workspace:
    """Handles and scratch of a model.

    Attributes
    ----------
    arrays : Tree
        All arrays of the robot that kernels read.
    tree : (k, 4) int
        Their handle (`core.arrays`).
    load_data : list of (k, 4) int
        Handles of the arrays of every load.
    zero : (n,)
        For whom it needs no velocity or acceleration.
    free : (n,)
        1, but 0 for coordinates of prescribed joints.
    """

    def __init__(self, compiled: CompiledRobot) -> None:
        for array in (*compiled.topology, *compiled.parameters):
            array.setflags(write=False)  # immutable: kernels read these by address
        self.model = compiled.name
        self.demand = compiled.demand
        self.zero = np.zeros(compiled.n)
        self.free = np.ones(compiled.n)
        self.free[[i for joint in compiled.prescribed for i in joint.coordinates]] = 0.0
        self.prescribed = tuple(
            (joint, joint.coordinates.start, joint.coordinates.stop, joint.one_acceleration)
            for joint in compiled.prescribed
        )
        self.nu = len(self.demand.inputs)
        self.no_inputs = np.zeros(self.nu)
        self.still = not self.demand.laws  #: whether nothing in the scratch depends on time
        self.nc = sum(loop.data.perp.shape[1] for loop in compiled.loops)
        self.nz = sum(len(states.names) for states in self.demand.states)
        self._load_arrays = [load.arrays() for load in compiled.loads]  # alive as long as their handles
        self.load_data = [handle(arrays) for arrays in self._load_arrays]
        table = [
            (load.kernel.address, data.ctypes.data, load.side, *load.inputs)
            for load, data in zip(compiled.loads, self.load_data, strict=True)
        ]
        loads = np.array(table, dtype=np.int64).reshape(-1, 5)
        maps, self._map_data = map_table(compiled.topology.blocks, compiled.maps)
        self.arrays: Any = make_tree(compiled.topology, compiled.parameters, loads, maps)
        self.tree = handle(self.arrays)
        self._threads = threading.local()
        self._idle = threading.local()
        self._kept: dict[Hashable, Any] = {}
        self.functions = Functions()

    @cached_property
    def forward_calls(self) -> Array:
        """Addresses that forward dynamics needs, compiled when first asked for (`core.forward_dynamics`)."""
        settle(_forward.forward_dynamics, _forward.FORWARD_TYPES)
        arrays = self.tree.ctypes.data, self.free.ctypes.data
        return np.array([_forward.FORWARD_DYNAMICS.address, ARTICULATED.address, *arrays], dtype=np.int64)

    @cached_property
    def derivative_calls(self) -> DerivativeCalls:
        """The same for its derivatives, with the kernel that takes them."""
        dense, n = dense_is_faster(self.arrays.blocks), len(self.zero)
        shapes = (3 * n + 2, n), (n, self.nu)
        if dense and is_rigid(self.arrays, self.demand):
            from supple.core.rigid_derivatives import rigid_derivatives

            settle(rigid_derivatives, _forward.DERIVATIVE_TYPES)
            calls = np.zeros(1 + _forward.TREE_AT, dtype=np.int64)
            calls[_forward.TREE_AT] = self.tree.ctypes.data
            return DerivativeCalls(rigid_derivatives, calls, *shapes)
        kernel = _forward.forward_dynamics_derivatives
        settle(kernel, _forward.DERIVATIVE_TYPES)
        calls = np.array([*self.forward_calls, RESIDUAL_JACOBIANS.address, dense], dtype=np.int64)
        return DerivativeCalls(kernel, calls, *shapes)

    @cached_property
    def constrained_calls(self) -> Array:
        """Addresses for `core.constrained_derivatives`."""
        addresses = RESIDUAL_JACOBIANS.address, 0, CONSTRAINT_ROWS.address if self.nc else 0
        ops, numbers = self.given_laws
        laws = len(ops), len(numbers), ops.ctypes.data, numbers.ctypes.data
        return np.array([*self.forward_calls, *addresses, *laws], dtype=np.int64)

    @cached_property
    def given_laws(self) -> tuple[Array, Array]:
        """Laws of all prescribed joints as one program that writes to their coordinates; empty if one is a function."""
        joints = [joint for joint, *_ in self.prescribed]
        try:
            program = make_program([joint.law for joint in joints], [len(joint.coordinates) for joint in joints])
        except ModelError:
            return np.zeros((0, 4), dtype=np.int64), np.zeros(0)
        ops = program.ops.copy()
        ops[ops[:, 0] == STORE, 1] = [i for joint in joints for i in joint.coordinates]
        return ops, program.numbers

    def own(self) -> tuple[Any, Array]:
        """This thread's scratch and its handle, as the last call left them: enough where no load is asked."""
        try:
            return self._threads.space  # type: ignore[no-any-return]
        except AttributeError:
            space = make_space(self.arrays, **self.sizes())
            _, address, self._threads.kept = self.handles(self.tree, space)
            self._threads.space = space, address
            return self._threads.space  # type: ignore[no-any-return]

    def handles(self, tree: Array, space: Any) -> tuple[Array, Array, Any]:
        """Handles of a tree (from its own) and of a scratch, as `functions` take them, and what must live as long."""
        return tree, handle(space), None

    def scratch(self, t: float, z: ArrayLike | None) -> Array:
        """Handle of this thread's scratch, with signals filled in; the kernel takes inputs and reads no multipliers."""
        if self.still and z is None and type(t) is float and isfinite(t):
            try:
                return self._threads.space[1]  # type: ignore[no-any-return]
            except AttributeError:
                pass
        return self.space(None, t, None, z)

    def space(
        self, u: ArrayLike | None = None, t: float = 0.0, lam: ArrayLike | None = None, z: ArrayLike | None = None
    ) -> Array:
        """Handle of this thread's scratch, with inputs, signals and multipliers filled in."""
        space, address = self.own()
        if u is not None:
            space.inputs[:] = input_vector("u", u, self.nu, self.model)
        elif self.nu:
            space.inputs[:] = 0.0
        if self.nc or lam is not None:
            space.multipliers[:] = input_vector("lam", lam, self.nc, self.model)
        if type(t) is not float or not isfinite(t):  # whether a law asks for it or not
            t = number("t", t)
        if self.demand.laws:
            self.fill_signals(space.signals, t)
        if z is not None:
            given, first = input_vector("z", z, self.nz, self.model), 0
            for states in self.demand.states:
                size = len(states.state0)
                space.signals[states.first : states.first + size] = given[first : first + size]
                first += size
        return address

    def sizes(self) -> dict[str, Any]:
        """What `core.arrays.make_space` must know of the loads."""
        demand = self.demand
        return {
            "inputs": len(demand.inputs),
            "signals": demand.signals,
            "couplings": demand.couplings,
            "multipliers": self.nc,
            "lines": len(demand.lines) + demand.ties,
            "parts": demand.parts,
            "dormant": demand.dormant,
            "balls": demand.balls,
        }

    def fill_signals(self, signals: Array, t: float) -> None:
        """Values of all time laws at t; internal states of loads where they begin."""
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

    def remembered(self, kind: str, key: Hashable, make: Callable[[], T], most: int) -> T:
        """What ``make`` returns, made once per thread; of every kind the ``most`` recent ones are kept."""
        kept: dict[Hashable, T] | None = self._threads.__dict__.get(kind)
        if kept is not None and key in kept:
            return kept[key]
        made = make()
        kept = self._threads.__dict__.setdefault(kind, {})
        if len(kept) >= most:
            kept.pop(next(iter(kept)))
        kept[key] = made
        return made

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` returns, made once for a model; two threads at once make it twice, and keep one."""
        if key not in self._kept:
            self._kept.setdefault(key, make())
        return cast("T", self._kept[key])

    def idle(self, kind: str) -> list[Any]:
        """What this thread has put aside for this model alone, to be taken again."""
        return self._idle.__dict__.setdefault(kind, [])  # type: ignore[no-any-return]

    def share(self, other: Workspace) -> None:
        """Work in the scratch of another model with the same links: every call clears what it reads."""
        self._threads = other._threads
