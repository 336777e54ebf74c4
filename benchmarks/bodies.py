"""Soft bodies: growth with their number and their points ([AGNOSTIC-ID] Simulation 3), and the paper's two robots."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np

import supple as sp
from benchmarks.growth import LINEAR, fitted_exponent
from benchmarks.pinocchio_reference import PinocchioMissingError, require_pinocchio, unit_call
from benchmarks.robots import random_state
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.systems import hybrid_arm, pcc_chain, trimmed_helicoid

BODIES = (1, 2, 4, 6, 8, 12, 16, 20)
#: Points of a body of eleven coordinates: along, outward, around.
POINTS = ((5, 2, 10), (10, 2, 10), (25, 2, 10), (25, 4, 10), (25, 4, 20))
#: Its length, m.
LENGTH = 0.2
#: Goals: units for inverse dynamics with its Jacobians at 500 points, and for an equilibrium of the trimmed helicoid.
DERIVATIVES_AT_500, EQUILIBRIUM = 5.0, 300.0

#: What the paper says of its own program (MATLAB), of as many bodies.
PAPER = "The paper's program needs up to 4.52 s to build the model of 20 bodies; Euler-Lagrange equations end at 6."


def bulging(x: Any, q: Any) -> Any:
    """A body of eleven coordinates as a plain function: bending, twist, swelling, shear and stretch."""
    s = x[0] / LENGTH
    bend, twist = s * (q[0] + s * (q[1] + s * q[2])), s * (q[3] + s * q[4])
    swell = 1.0 + s * (1.0 - s) * q[5] + s * s * q[6]
    y = swell * (x[1] * np.cos(twist) - x[2] * np.sin(twist)) + s * s * (q[7] + s * q[8])
    z = swell * (x[1] * np.sin(twist) + x[2] * np.cos(twist)) + s * s * q[9]
    along = (1.0 + q[10]) * x[0] * np.sinc(bend / np.pi)
    across = (1.0 + q[10]) * x[0] * np.sin(0.5 * bend) * np.sinc(0.5 * bend / np.pi)
    return np.stack([along - y * np.sin(bend), across + y * np.cos(bend), z])


def composed() -> sp.VolumePreserving:
    """Eleven coordinates by primitives that keep volumes: twist, stretch, shear and bending in two planes."""
    powers = [sp.PolynomialMode((0.0,) * k + (1.0,), LENGTH) for k in range(4)]
    curvatures = [sp.PolynomialMode((0.0,) * k + (1.0 / LENGTH,), LENGTH) for k in range(3)]
    primitives = [sp.Twist(powers[1]), sp.Stretch(powers[1:3]), sp.Shear(powers[2], "y"), sp.Shear(powers[2], "z")]
    return sp.VolumePreserving([*primitives, sp.Bend(curvatures, "y"), sp.Bend(curvatures, "z")])


def thick_body(kinematics: Any, points: tuple[int, int, int]) -> sp.Robot:
    """One body with eleven coordinates."""
    material = sp.Material(young=1e6, poisson=0.4, density=1000.0, damping_time=0.05)
    robot = sp.Robot("thick body")
    robot.add_link("body", sp.SoftBody(kinematics, sp.Cylinder(LENGTH, 0.03), material, n=11, points=points))
    return robot


def chains_table(seconds: float) -> Table:
    """Inertial and centrifugal forces of planar chains, one coordinate each."""
    table = Table(
        "Chains of soft bodies of constant curvature",
        (
            Column("bodies", "bodies", "count"),
            Column("build", "to build, ms", "milli"),
            Column("inertial", "M(q) a, us", "micro"),
            Column("centrifugal", "c(q, v), us", "micro"),
            Column("derivatives", "with Jacobians, us", "micro"),
        ),
        note=f"Simulation 3 of [AGNOSTIC-ID], 72 points per body, all coordinates, rates and accelerations 1. {PAPER}",
    )
    for bodies in BODIES:
        start = perf_counter()
        model = pcc_chain(bodies=bodies).compile()
        build, one, zero = perf_counter() - start, np.ones(bodies), np.zeros(bodies)
        calls: dict[str, Callable[[], Any]] = {
            "inertial": lambda model=model, one=one, zero=zero: model.inverse_dynamics(one, zero, one),
            "centrifugal": lambda model=model, one=one, zero=zero: model.inverse_dynamics(one, one, zero),
            "derivatives": lambda model=model, one=one: model.inverse_dynamics_derivatives(one, one, one),
        }
        table.add(bodies=bodies, build=build, **best_times(calls, 0.2 * seconds))
    return table


def points_table(seconds: float) -> Table:
    """One body with eleven coordinates."""
    try:
        require_pinocchio()
        unit = {"unit": unit_call()}
    except PinocchioMissingError:
        unit = {}
    table = Table(
        "One soft body of eleven coordinates",
        (
            Column("kinematics", "kinematics"),
            Column("points", "points", "count"),
            Column("id", "inverse dynamics, us", "micro"),
            Column("derivatives", "with Jacobians, us", "micro"),
            Column("units", "in units", "ratio"),
            *GOAL,
        ),
        note="A plain function, and primitives that keep volumes, whose bends are integrals along the axis. One unit: "
        "Pinocchio's derivatives of 100 joints.",
    )
    for name, kinematics in (("function", bulging), ("primitives", composed())):
        for points in POINTS:
            model = thick_body(kinematics, points).compile()
            q, v, a = random_state(model)
            calls = {
                "id": lambda model=model, q=q, v=v, a=a: model.inverse_dynamics(q, v, a),
                "derivatives": lambda model=model, q=q, v=v, a=a: model.inverse_dynamics_derivatives(q, v, a),
            }
            times = best_times(calls | unit, 0.3 * seconds)
            yardstick, count = times.pop("unit", None), int(np.prod(points))
            goal = DERIVATIVES_AT_500 if (name, count) == ("function", 500) else None
            units = None if yardstick is None else times["derivatives"] / yardstick
            table.add(kinematics=name, points=count, units=units, at_most=goal, **times)
    return table.judge("units")


def robots_table(seconds: float) -> Table:
    """An equilibrium of the trimmed helicoid, and the task of the hybrid arm."""
    table = Table(
        "The paper's robots of soft bodies",
        (
            Column("what", "what"),
            Column("time", "time, us", "micro"),
            Column("units", "in units, or of real time", "ratio"),
            *GOAL,
        ),
        note="The helicoid from the straight state, 3 N in all tendons. The arm's task is Simulation 2 of "
        "[AGNOSTIC-ID], 6 s; time of the processor.",
    )
    helicoid = trimmed_helicoid().compile()
    calls: dict[str, Callable[[], Any]] = {"statics": lambda: helicoid.statics(u=np.full(helicoid.nu, 3.0))}
    try:
        require_pinocchio()
        calls["unit"] = unit_call()
    except PinocchioMissingError:
        pass
    times = best_times(calls, seconds)
    units = times["statics"] / times["unit"] if "unit" in times else None
    table.add(what="equilibrium of the helicoid", time=times["statics"], units=units, at_most=EQUILIBRIUM)
    arm = hybrid_arm()
    model = arm.compile()
    arm.simulate(model, 0.01, progress=False)  # loads kernels
    start = process_time()
    arm.simulate(model, progress=False)
    took = process_time() - start
    table.add(what="task of the hybrid arm", time=took, units=took / arm.t_end, at_most=1.0)
    return table.judge("units")


def exponents_table(chains: Table, points: Table) -> Table:
    """Exponents of growth of both."""
    table = Table(
        "Exponents of growth of soft bodies",
        (
            Column("subject", "growing"),
            Column("operation", "operation"),
            Column("exponent", "exponent", "exponent"),
            *GOAL,
        ),
    )
    subjects = [("bodies in a chain", chains.rows, "bodies", ("inertial", "centrifugal"))]
    for kind in ("function", "primitives"):
        rows = [row for row in points.rows if row["kinematics"] == kind]
        subjects.append((f"points of a body, {kind}", rows, "points", ("id", "derivatives")))
    for subject, rows, size, operations in subjects:
        for operation in operations:
            sizes, times = ([row[key] for row in rows] for key in (size, operation))
            table.add(subject=subject, operation=operation, exponent=fitted_exponent(sizes, times), at_most=LINEAR)
    return table.judge("exponent")


def run(seconds: float) -> list[Table]:
    """Chains, points, exponents, robots."""
    chains, points = chains_table(seconds), points_table(seconds)
    return [chains, points, exponents_table(chains, points), robots_table(seconds)]
