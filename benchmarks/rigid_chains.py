"""Rigid chains beside Pinocchio, in one process, both through their public Python interfaces."""

from __future__ import annotations

from benchmarks.pinocchio_reference import driven_calls, pinocchio_calls, require_pinocchio
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times

SIZES = (7, 30, 100)

#: Goals: ratio to Pinocchio's derivatives, by number of joints.
DERIVATIVES_AT_MOST = {7: 2.0, 30: 1.4, 100: 1.2}
FUSED_AT_MOST = {100: 0.8}

FORWARD_AT_MOST = {7: 1.5, 30: 1.5, 100: 1.2}
FORWARD_DERIVATIVES_AT_MOST = 1.5

#: A Newmark step of 2 ms.
CV, CA = 1e3, 1e6


def run(seconds: float) -> list[Table]:
    """Inverse dynamics, derivatives and fused tangent of chains of revolute joints."""
    require_pinocchio()
    table = Table(
        "Rigid chains of revolute joints beside Pinocchio",
        (
            Column("joints", "joints", "count"),
            Column("operation", "operation"),
            Column("supple", "supple, us", "micro"),
            Column("pinocchio", "Pinocchio, us", "micro"),
            Column("ratio", "ratio", "ratio"),
            *GOAL,
        ),
        note="Fused tangent: residual and dR/dq + cv dR/dv + ca dR/da in one call, against Pinocchio's derivatives.",
    )
    for n in SIZES:
        model, (q, v, a), theirs = pinocchio_calls(n)
        times = best_times(
            {
                "our id": lambda model=model, q=q, v=v, a=a: model.inverse_dynamics(q, v, a),
                "our derivatives": lambda model=model, q=q, v=v, a=a: model.inverse_dynamics_derivatives(q, v, a),
                "our fused": lambda model=model, q=q, v=v, a=a: model.residual_tangent(q, v, a, cv=CV, ca=CA),
                **theirs,
            },
            seconds,
        )
        for operation, mine, other, goal in (
            ("inverse dynamics", "our id", "id", None),
            ("derivatives", "our derivatives", "derivatives", DERIVATIVES_AT_MOST.get(n)),
            ("fused tangent", "our fused", "derivatives", FUSED_AT_MOST.get(n)),
        ):
            table.add(
                joints=n,
                operation=operation,
                supple=times[mine],
                pinocchio=times[other],
                ratio=times[mine] / times[other],
                at_most=goal,
            )
    return [table.judge("ratio"), forward_table(seconds)]


def forward_table(seconds: float) -> Table:
    """Accelerations and their derivatives of chains with a drive on each joint."""
    table = Table(
        "Forward dynamics of chains with a drive on each joint beside Pinocchio",
        (
            Column("joints", "joints", "count"),
            Column("operation", "operation"),
            Column("supple", "supple, us", "micro"),
            Column("pinocchio", "Pinocchio, us", "micro"),
            Column("ratio", "ratio", "ratio"),
            *GOAL,
        ),
        note="Against aba and computeABADerivatives; derivatives by q, v and torques.",
    )
    for n in SIZES:
        ours, theirs = driven_calls(n)
        times = best_times({**{f"our {name}": call for name, call in ours.items()}, **theirs}, seconds)
        goals = {"forward dynamics": FORWARD_AT_MOST[n], "derivatives": FORWARD_DERIVATIVES_AT_MOST}
        for name, goal in goals.items():
            mine, other = times[f"our {name}"], times[name]
            table.add(joints=n, operation=name, supple=mine, pinocchio=other, ratio=mine / other, at_most=goal)
    return table.judge("ratio")
