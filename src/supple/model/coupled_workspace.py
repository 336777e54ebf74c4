"""What kernels work on where coordinates follow others: handles with more rows, and functions that eliminate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import handle
from supple.following import calls
from supple.following.arrays import FollowerRows, extended, make_space
from supple.model.workspace import Functions, Workspace

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray


class CoupledFunctions(Functions):
    """As `Functions`, in the coordinates that are left; each tells the table of what it calls."""

    def __init__(self, table: Array, bent: bool, n: int) -> None:
        self._table, self._bent, self._n = table, bent, n

    @property
    def residual(self) -> int:
        """Of `following.calls`."""
        self._table[calls.RESIDUAL_OF] = Functions.residual.fget(self)  # type: ignore[attr-defined]
        if self._bent:
            self._table[calls.JACOBIANS_OF] = Functions.jacobians.fget(self)  # type: ignore[attr-defined]
        return calls.RESIDUAL.address

    @property
    def jacobians(self) -> int:
        """Of `following.calls`."""
        self._table[calls.JACOBIANS_OF] = Functions.jacobians.fget(self)  # type: ignore[attr-defined]
        return calls.JACOBIANS.address

    @property
    def rows(self) -> int:
        """Of `following.calls`."""
        self._table[calls.ROWS_OF] = Functions.rows.fget(self)  # type: ignore[attr-defined]
        return calls.ROWS.address

    @property
    def input_columns(self) -> int:
        """Of `following.calls`."""
        self._table[calls.COLUMNS_OF] = Functions.input_columns.fget(self)  # type: ignore[attr-defined]
        return calls.COLUMNS.address

    @property
    def input_power(self) -> int:
        """Of `following.calls`."""
        self._table[calls.POWER_OF] = Functions.input_power.fget(self)  # type: ignore[attr-defined]
        return calls.POWER.address

    @property
    def parameters(self) -> int:
        """Of `following.calls`."""
        self._table[calls.PARAMETERS_OF] = Functions.parameters.fget(self)  # type: ignore[attr-defined]
        return calls.PARAMETERS.address

    def rows_at(self, tree: Array, space: Array, q: Array, v: Array, a: Array, vectors: Array, matrices: Array) -> None:
        """Rows of loops at a state, see `core.loops`."""
        scratch = np.empty((4, self._n, self._n))
        calls.rows_at(self.jacobians, self.rows, tree, space, q, v, a, scratch, vectors, matrices)


class CoupledWorkspace(Workspace):
    """Handles and scratch of a model with coordinates that follow others."""

    def __init__(self, compiled: CompiledRobot) -> None:
        super().__init__(compiled)
        assert compiled.followers is not None
        self.followers = FollowerRows(*compiled.followers, np.zeros(6, dtype=np.int64))
        self.functions = CoupledFunctions(self.followers.calls, len(compiled.followers.ops) > 0, compiled.n)
        self.tree = extended(self.tree, self.followers)

    def handles(self, tree: Array, space: Any) -> tuple[Array, Array, Any]:
        """Handles of a tree (from its own) and of a scratch, as `functions` take them, and what must live as long."""
        behind = make_space(self.followers, len(self.zero), self.nc, self.nu)
        if len(tree) < len(self.tree):
            tree = extended(tree, self.followers)
        return tree, extended(handle(space), behind), behind

    def behind(self) -> Any:
        """This thread's `FollowerSpace`."""
        self.own()
        return self._threads.kept
