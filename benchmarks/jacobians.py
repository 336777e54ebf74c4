"""Analytical against finite-difference Jacobians of the residual: time and error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.robots import cable_manipulator, floating_tree, random_state, rigid_chain
from supple.bench.tables import Column, Table
from supple.bench.timing import best_times
from supple.model.model import Model

#: An implicit step of 10 ms: v and a move with q, dv = cv dq, da = ca dq.
CV, CA = 2e2, 4e4

FORWARD_STEP = 1.5e-8  # square root of the rounding unit
CENTRAL_STEP = 6e-6  # its cube root


def forward_difference(function: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    """Jacobian by n + 1 evaluations, as a solver without derivatives forms it."""
    base = function(q)
    out = np.empty((len(q), len(q)))
    for k in range(len(q)):
        shifted = q.copy()
        shifted[k] += FORWARD_STEP
        out[:, k] = (function(shifted) - base) / FORWARD_STEP
    return out


def central_difference(function: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    """Jacobian by 2 n evaluations."""
    out = np.empty((len(q), len(q)))
    for k in range(len(q)):
        ahead, behind = q.copy(), q.copy()
        ahead[k] += CENTRAL_STEP
        behind[k] -= CENTRAL_STEP
        out[:, k] = (function(ahead) - function(behind)) / (2.0 * CENTRAL_STEP)
    return out


def step_residual(model: Model, state: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """R as a function of q alone, v and a following as in an implicit step."""
    q, v, a = state
    return lambda x: model.residual(x, v + CV * (x - q), a + CA * (x - q))


def run(seconds: float) -> list[Table]:
    """Newton matrix of an implicit step, three ways."""
    table = Table(
        "Jacobian of an implicit step: analytical against finite differences",
        (
            Column("robot", "robot"),
            Column("n", "n", "count"),
            Column("method", "Jacobian by"),
            Column("time", "time, us", "micro"),
            Column("ratio", "times analytical", "ratio"),
            Column("error", "difference from analytical", "error"),
        ),
        note="Difference relative to the largest entry; it is the error of the finite differences.",
    )
    for name, robot in (
        ("cable manipulator", cable_manipulator()),
        ("floating tree", floating_tree()),
        ("chain of 30 joints", rigid_chain(30)),
    ):
        model = robot.compile()
        state = random_state(model)
        q, v, a = state
        residual = step_residual(model, state)
        ways = {
            "analytical (fused)": lambda model=model, q=q, v=v, a=a: model.residual_tangent(q, v, a, cv=CV, ca=CA)[1],
            "forward differences": lambda residual=residual, q=q: forward_difference(residual, q),
            "central differences": lambda residual=residual, q=q: central_difference(residual, q),
        }
        exact = ways["analytical (fused)"]()
        times = best_times(ways, seconds)
        for method, way in ways.items():
            error = np.abs(way() - exact).max() / np.abs(exact).max()
            table.add(
                robot=name,
                n=model.n,
                method=method,
                time=times[method],
                ratio=times[method] / times["analytical (fused)"],
                error=float(error) if method != "analytical (fused)" else None,
            )
    return [table]
