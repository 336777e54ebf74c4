"""What kernels work on where coordinates follow others: handles with more rows, and functions that eliminate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import handle
from supple.following import calls, tree_factors
from supple.following.arrays import FollowerRows, extended, make_space
from supple.model.workspace import Functions, Workspace

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray


class CoupledFunctions(Functions):
    """As `Functions`, in the coordinates that are left; each tells the table of what it calls."""

    def __init__(self, rows: FollowerRows, n: int) -> None:
        self._table, self._bent, self._n = rows.calls, len(rows.ops) > 0, n
        self.followers, self.follower_rows = len(rows.rows), tree_factors.most_rows(rows.rows)

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

    @property
    def tree_tangent(self) -> int:
        """Of `following.tree_factors`."""
        self._table[calls.TREE_TANGENT_OF] = Functions.tree_tangent.fget(self)  # type: ignore[attr-defined]
        if self._bent:
            assert self.tree_rates  # by which it asks for columns at followers
        return tree_factors.TREE_TANGENT.address

    @property
    def tree_rates(self) -> int:
        """Of `following.tree_factors`."""
        self._table[calls.TREE_RATES_OF] = Functions.tree_rates.fget(self)  # type: ignore[attr-defined]
        return tree_factors.TREE_RATES.address

    def rows_at(self, tree: Array, space: Array, q: Array, v: Array, a: Array, vectors: Array, matrices: Array) -> None:
        """Rows of loops at a state, see `core.loops`."""
        scratch = np.empty((4, self._n, self._n))
        calls.rows_at(self.jacobians, self.rows, tree, space, q, v, a, scratch, vectors, matrices)


class CoupledWorkspace(Workspace):
    """Handles and scratch of a model with coordinates that follow others."""

    def __init__(self, compiled: CompiledRobot) -> None:
        super().__init__(compiled)
        assert compiled.followers is not None
        self.followers = FollowerRows(*compiled.followers, np.zeros(8, dtype=np.int64))
        self.functions = CoupledFunctions(self.followers, compiled.n)
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
