"""Soft and hybrid robots, in units of Pinocchio's derivative call on 100 rigid joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.pinocchio_reference import PinocchioMissingError, require_pinocchio, unit_call
from benchmarks.rigid_chains import CA, CV
from benchmarks.robots import cable_manipulator, floating_tree, random_state
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.model.model import Model

#: Goals in units of Pinocchio's call, by robot and operation.
AT_MOST = {
    ("cable manipulator, 24 dof", "derivatives"): 0.35,
    ("cable manipulator, 24 dof", "fused tangent"): 0.30,
    ("floating tree, 80 dof", "derivatives"): 2.0,
    ("floating tree, 80 dof", "fused tangent"): 1.7,
}


def calls(model: Model) -> dict[str, Callable[[], Any]]:
    """All operations of a model at a generic state."""
    q, v, a = random_state(model)
    return {
        "inverse dynamics": lambda: model.inverse_dynamics(q, v, a),
        "derivatives": lambda: model.inverse_dynamics_derivatives(q, v, a),
        "fused tangent": lambda: model.residual_tangent(q, v, a, cv=CV, ca=CA),
        "tangent times vector": lambda: model.tangent_product(q, v, a, q, CV, CA),
        "mass matrix": lambda: model.mass_matrix(q),
        "forward dynamics": lambda: model.forward_dynamics(q, v),
        "forward dynamics derivatives": lambda: model.forward_dynamics_derivatives(q, v),
    }


def run(seconds: float) -> list[Table]:
    """The 24-dof cable manipulator and the 80-dof floating tree."""
    try:
        require_pinocchio()
        unit = {"unit": unit_call()}
    except PinocchioMissingError:
        unit = {}  # times are still worth printing; ratios and goals stay empty
    table = Table(
        "Soft and hybrid robots",
        (
            Column("robot", "robot"),
            Column("operation", "operation"),
            Column("time", "time, us", "micro"),
            Column("units", "in units", "ratio"),
            *GOAL,
        ),
        note="One unit: Pinocchio's derivative call on 100 revolute joints, timed in turn with each robot's calls.",
    )
    for name, robot in (
        ("cable manipulator, 24 dof", cable_manipulator()),
        ("floating tree, 80 dof", floating_tree()),
    ):
        times = best_times(calls(robot.compile()) | unit, 2.0 * seconds)
        yardstick = times.pop("unit", None)
        for operation, time in times.items():
            table.add(
                robot=name,
                operation=operation,
                time=time,
                units=None if yardstick is None else time / yardstick,
                at_most=AT_MOST.get((name, operation)),
            )
        if yardstick is not None:
            table.add(robot=name, operation="(one unit)", time=yardstick, units=1.0)
    return [table.judge("units")]
