"""Contact: a rod with many spheres over a plane, in units of the bare rod's fused call."""

from __future__ import annotations

import numpy as np

import supple as sp
from benchmarks.rigid_chains import CA, CV
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times

#: Height of the plane under the axis of a straight rod of radius 0.02 m, and the goal for the fused call.
HEIGHTS = {
    "no contact": (None, None),
    "none in reach": (-10.0, 1.5),
    "all near, none touches": (-0.06, None),
    "all touch": (-0.0195, 6.0),
}

SPHERES = 100


def rod_over_plane(height: float | None) -> sp.Robot:
    """A rod of 24 coordinates and 10 points, and `SPHERES` spheres along it over a plane."""
    robot = sp.Robot("rod over plane")
    rubber = sp.Material(young=1e6, poisson=0.45, density=1000.0, viscosity=100.0)
    strain = sp.Legendre(torsion=3, bend_y=3, bend_z=3, stretch=3, shear_y=3, shear_z=3)
    robot.add_link("rod", sp.Rod(1.0, sp.Circle(0.02), rubber, strain, points=10))
    if height is not None:
        law = {"stiffness": 1e3, "damping": 0.2, "friction": 0.5}
        robot.add(sp.Contact("floor", sp.Spheres("rod", SPHERES), sp.Plane(height=height), **law))
    return robot


def run(seconds: float) -> list[Table]:
    """Residual and fused tangent of a nearly straight rod, for planes far below, near and touching."""
    table = Table(
        "Contact: a rod of 24 coordinates and 10 points with 100 spheres over a plane",
        (
            Column("state", "spheres"),
            Column("operation", "operation"),
            Column("time", "time, us", "micro"),
            Column("ratio", "of the bare rod's", "ratio"),
            *GOAL,
        ),
        note="All timed in turn.",
    )
    calls = {}
    for state, (height, _) in HEIGHTS.items():
        model = rod_over_plane(height).compile()
        q, v = np.random.default_rng(0).standard_normal((2, model.n)) * [[1e-4], [1e-2]]
        zero = np.zeros(model.n)
        calls[state, "fused tangent"] = lambda m=model, q=q, v=v, a=zero: m.residual_tangent(q, v, a, cv=CV, ca=CA)
        calls[state, "residual"] = lambda m=model, q=q, v=v, a=zero: m.residual(q, v, a)
    times = best_times({f"{state}: {operation}": call for (state, operation), call in calls.items()}, 2.0 * seconds)
    for state, operation in calls:
        time = times[f"{state}: {operation}"]
        table.add(
            state=state,
            operation=operation,
            time=time,
            ratio=time / times[f"no contact: {operation}"],
            at_most=HEIGHTS[state][1] if operation == "fused tangent" else None,
        )
    return [table.judge("ratio")]
