"""Factors of a tangent over the tree, from Python."""

from __future__ import annotations

import ctypes

import numpy as np

from supple.core.arrays import handle, make_space
from supple.core.residual import OPERATORS, RESIDUAL
from supple.core.tree_factors import BORDER, make_factors
from supple.core.tree_rates import TREE_RATES
from supple.core.tree_solve import FACTORISE_BORDER, SOLVE, SOLVE_TRANSPOSED, TREE_SOLVER
from supple.core.tree_tangent import FACTORED, TREE_TANGENT
from supple.model.workspace import Workspace
from supple.solvers import problem as problem_module

_integer, _real = ctypes.c_int64, ctypes.c_double
_residual = ctypes.CFUNCTYPE(_integer, *[_integer] * 5, _real, _real, _integer, _integer)
_tangent = ctypes.CFUNCTYPE(_integer, *[_integer] * 4, _real, _real, _integer)
_solver = ctypes.CFUNCTYPE(_integer, *[_integer] * 4)
_rates = ctypes.CFUNCTYPE(_integer, *[_integer] * 4, _real, _real, *[_integer] * 3)


def choose_factors(monkeypatch, tree):
    """All solvers factorise over the tree from now on, or none does; models forget what they know of that choice."""
    monkeypatch.setattr(problem_module, "tree_pays", lambda *_: tree)
    monkeypatch.setattr(Workspace, "kept", lambda self, key, make: make())
    monkeypatch.setattr(Workspace, "idle", lambda self, kind: [])


class TreeCase:
    """A model whose tangents are factorised over its tree; ``order`` are the coordinates that are not locked."""

    def __init__(self, model, order=None, further=0):
        self.model, self.tree = model, model.workspace.arrays
        self.space = make_space(self.tree, **model.workspace.sizes())
        self.order = np.arange(model.n) if order is None else np.asarray(order)
        self.factors, self.reals, self.integers = make_factors(self.tree, self.space, self.order, further)
        self.kept = handle(self.tree), handle(self.space), handle(self.factors)
        self.at = tuple(array.ctypes.data for array in self.kept)

    def evaluate(self, q, v, a, cv, ca, u=None, lam=None, t=0.0):
        """R, with all that factors are made of left behind."""
        self.model.workspace.space(u, t, lam)
        own = self.model.workspace.own()[0]
        for name in ("inputs", "multipliers", "signals"):
            getattr(self.space, name)[:] = getattr(own, name)
        self.state, self.rates = [np.array(x, dtype=float) for x in (q, v, a)], (cv, ca)
        out, at = np.zeros(self.model.n), [x.ctypes.data for x in self.state]
        _residual(RESIDUAL.address)(*self.at[:2], *at, cv, ca, out.ctypes.data, OPERATORS)
        return out

    def factorise(self):
        """Whether factors and those of the border were made."""
        state = [x.ctypes.data for x in self.state[:2]]
        if _tangent(TREE_TANGENT.address)(*self.at[:2], *state, *self.rates, self.at[2]) != FACTORED:
            return False
        return self.border()

    def border(self):
        """Factors of the border, once more."""
        return _solver(TREE_SOLVER.address)(self.at[0], self.at[2], FACTORISE_BORDER, 0) < 0

    def solve(self, r, transposed=False):
        """The solution for one column."""
        r = np.array(r, dtype=float)
        task = SOLVE_TRANSPOSED if transposed else SOLVE
        _solver(TREE_SOLVER.address)(self.at[0], self.at[2], task, r.ctypes.data)
        return r

    def rate_products(self, P, rates=None):
        """(c_v dR/dv + c_a dR/da) P, after `evaluate` and before `factorise`, or with other ``rates``."""
        P = np.array(P, dtype=float, order="C")
        out = np.zeros(P.T.shape)
        at, by = (*self.at, self.state[1].ctypes.data), rates or self.rates
        _rates(TREE_RATES.address)(*at, *by, P.ctypes.data, P.shape[1], out.ctypes.data)
        return out.T

    def weights(self):
        """Weights of coordinates, likewise."""
        out = np.zeros(self.model.n)
        _rates(TREE_RATES.address)(*self.at, self.state[1].ctypes.data, *self.rates, 0, 0, out.ctypes.data)
        return out

    def add_row(self, column, row, own):
        """A further unknown, whose own row of D is ``own``."""
        f, k = self.factors, int(self.factors.count[BORDER])
        f.count[BORDER] = k + 1
        f.P[k], f.Q[k] = column, row
        f.D[k, : k + 1], f.D[: k + 1, k] = 0.0, 0.0
        f.D[k, k] = own


def backward_error(matrix, x, r):
    """Size of matrix x - r beside the terms that meet in it."""
    return float((np.abs(matrix @ x - r) / (np.abs(matrix) @ np.abs(x) + np.abs(r))).max())
