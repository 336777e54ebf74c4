"""Child process of `startup`: import, compile a robot, make the first call of every kernel; print times as JSON."""

from __future__ import annotations

import json
import sys
from time import perf_counter, process_time


def main(which: str) -> dict[str, dict[str, float]]:
    """Wall and CPU seconds of every stage."""
    times: dict[str, dict[str, float]] = {}
    wall, cpu = perf_counter(), process_time()

    def lap(stage: str) -> None:
        nonlocal wall, cpu
        times[stage] = {"wall": perf_counter() - wall, "cpu": process_time() - cpu}
        wall, cpu = perf_counter(), process_time()

    import supple

    assert supple.Robot  # with all that its names stand for, which comes at their first use
    lap("import supple")
    from benchmarks import robots

    robot = {"manipulator": robots.cable_manipulator, "tree": robots.floating_tree}[which]()
    wall, cpu = perf_counter(), process_time()  # building the description is the user's own script
    model = robot.compile()
    lap("robot.compile()")
    q, v, a = robots.random_state(model)
    link = model.link_names[-1]
    wall, cpu = perf_counter(), process_time()
    for stage, call in (
        ("inverse_dynamics", lambda: model.inverse_dynamics(q, v, a)),
        ("residual_tangent", lambda: model.residual_tangent(q, v, a, cv=1e2, ca=1e4)),
        ("inverse_dynamics_derivatives", lambda: model.inverse_dynamics_derivatives(q, v, a)),
        ("mass_matrix", lambda: model.mass_matrix(q)),
        ("tangent_product", lambda: model.tangent_product(q, v, a, q)),
        ("internal_force", lambda: model.internal_force(q, v)),
        ("forward_dynamics", lambda: model.forward_dynamics(q, v)),
        ("forward_dynamics_derivatives", lambda: model.forward_dynamics_derivatives(q, v)),
        ("points", lambda: model.points(q)),
        ("jacobian", lambda: model.jacobian(q, link)),
        ("energy", lambda: model.energy(q, v)),
    ):
        call()
        lap(stage)
    return times


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
