"""Jacobians of forward dynamics: times by differences and analytically, and how far the two are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from supple.bench.figures import JACOBIANS
from supple.bench.mismatch import forward_differences, matrix_mismatch, residual_mismatch
from supple.bench.tables import Column, Table
from supple.bench.timing import best_times
from supple.systems import SYSTEMS

COLUMNS = (
    Column("system", "system"),
    Column("kind", "Jacobians"),
    Column("published", "published, ms", "milli"),
    Column("ours", "ours, ms", "milli"),
    Column("ratio", "ratio", "significant"),
    Column("dq", "mismatch da/dq (38)", "error"),
    Column("dv", "mismatch da/dv (38)", "error"),
    Column("residual", "residual, central", "error"),
)


def jacobians(names: Iterable[str], quick: bool, say: Callable[[str], None]) -> Table:
    """Times at a state in the middle of the motion; largest mismatches along it."""
    table = Table(
        "Both Jacobians of forward dynamics (GVS-AD, eq. 38)",
        COLUMNS,
        note="Mismatch: analytical against forward differences of step 1e-6, the largest along the motion, as in the "
        "paper; last column: dR/dq, dR/dv, dR/da of the residual against central differences, parts of their norms.",
    )
    for name in names:
        say(f"{name}: Jacobians")
        system = SYSTEMS[name]()
        model = system.compile()
        samples = np.linspace(0.0, system.t_end, 4 if quick else 11)
        motion = system.simulate(model, samples, progress=False)
        # not at rest: drag |v| v has no second derivative there, and differences see that
        moving, gaps = range(1, len(motion)), []
        for k in moving:
            t = float(motion.t[k])
            q, v, u = motion.q[k], motion.v[k], motion.u[k]
            exact, rough = model.forward_dynamics_derivatives(q, v, u, t), forward_differences(model, q, v, u, t)
            gaps.append((matrix_mismatch(exact.dq, rough.dq), matrix_mismatch(exact.dv, rough.dv)))
        residual = max(residual_mismatch(model, motion, k) for k in moving)
        k = len(motion) // 2
        state = (motion.q[k], motion.v[k], motion.u[k], float(motion.t[k]))
        times = best_times(
            {
                "numerical": partial(forward_differences, model, *state),
                "analytical": partial(model.forward_dynamics_derivatives, *state),
            },
            0.2 if quick else 1.0,
        )
        dq, dv = np.max(gaps, axis=0)
        for kind, printed in JACOBIANS[name]._asdict().items():
            table.add(
                system=name,
                kind=kind,
                published=printed,
                ours=times[kind],
                ratio=printed / times[kind],
                **({"dq": dq, "dv": dv, "residual": residual} if kind == "analytical" else {}),
            )
    return table
