"""Growth of the cost with the number of rods, of points per rod and of coordinates per rod."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import supple as sp
from benchmarks.robots import random_state, rigid_chain, rod_chain, rod_star, single_rod
from benchmarks.soft_robots import calls
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times

RODS = (1, 2, 4, 8, 16, 32, 64)
POINTS = (4, 8, 16, 32, 64, 128)
ORDERS = (0, 1, 3, 5, 7, 11, 15)
OPERATIONS = ("inverse dynamics", "derivatives", "fused tangent", "tangent times vector")

#: Joints of chains whose forward dynamics must grow no faster than they do.
LONG = (62, 125, 250, 500, 1000)

#: "Linear" allows for a little cache pressure.
LINEAR = 1.10


def fitted_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Slope of log time over log size, by least squares over the upper half of the sizes (at least three)."""
    keep = max(3, len(sizes) // 2 + 1)
    return float(np.polyfit(np.log(sizes[-keep:]), np.log(times[-keep:]), 1)[0])


def grow(
    title: str, heading: str, sizes: Sequence[int], build: Callable[[int], sp.Robot], seconds: float, note: str = ""
) -> tuple[Table, dict[str, list[float]], list[int]]:
    """Time all operations for every size; returns the table, times by operation, and numbers of coordinates."""
    table = Table(
        title,
        (
            Column("size", heading, "count"),
            Column("n", "coordinates", "count"),
            *(Column(name, f"{name}, us", "micro") for name in OPERATIONS),
        ),
        note=note,
    )
    series: dict[str, list[float]] = {name: [] for name in OPERATIONS}
    coordinates = []
    for size in sizes:
        model = build(size).compile()
        wanted = {name: call for name, call in calls(model).items() if name in OPERATIONS}
        times = best_times(wanted, seconds)
        table.add(size=size, n=model.n, **times)
        coordinates.append(model.n)
        for name in OPERATIONS:
            series[name].append(times[name])
    return table, series, coordinates


def run(seconds: float) -> list[Table]:
    """Chains and stars of rods, points per rod, coordinates per rod, and the exponents of growth."""
    share = 0.4 * seconds
    exponents = Table(
        "Exponents of growth: time ~ size^exponent, fitted over the larger sizes",
        (
            Column("subject", "growing"),
            Column("operation", "operation"),
            Column("exponent", "exponent", "exponent"),
            *GOAL,
        ),
        note="Matrices have n^2 entries that must at least be written; products with a vector form none.",
    )
    tables = []
    for subject, heading, sizes, build, linear in (
        ("rods in a chain", "rods", RODS, rod_chain, ("inverse dynamics", "tangent times vector")),
        ("rods in a star", "rods", RODS, rod_star, ("inverse dynamics", "tangent times vector")),
        ("points per rod", "points", POINTS, lambda points: single_rod(points, 3), OPERATIONS),
    ):
        table, series, _ = grow(f"Growth with the number of {subject}", heading, sizes, build, share)
        tables.append(table)
        for name in OPERATIONS:
            goal = LINEAR if name in linear else None
            exponents.add(subject=subject, operation=name, exponent=fitted_exponent(sizes, series[name]), at_most=goal)
    table, series, coordinates = grow(
        "Growth with the number of coordinates per rod",
        "order",
        ORDERS,
        lambda order: single_rod(16, order),
        share,
        note="One rod of 16 points; torsion and two bendings of that order.",
    )
    tables.append(table)
    for name in OPERATIONS:
        exponents.add(
            subject="coordinates per rod",
            operation=name,
            exponent=fitted_exponent(coordinates, series[name]),
            at_most=LINEAR if name in ("inverse dynamics", "tangent times vector") else None,
        )
    return [*tables, exponents.judge("exponent"), joints_table(seconds)]

def joints_table(seconds: float) -> Table:
    """Exponents of growth of what must not form a matrix."""
    table = Table(
        "Growth of forward dynamics with the number of joints",
        (
            Column("operation", "operation"),
            *(Column(str(n), f"{n} joints, us", "micro") for n in LONG),
            Column("exponent", "exponent", "exponent"),
            *GOAL,
        ),
    )
    series: dict[str, list[float]] = {"forward dynamics": [], "inverse mass times vector": []}
    for n in LONG:
        model = rigid_chain(n).compile()
        q, v, x = random_state(model)
        calls = {
            "forward dynamics": lambda model=model, q=q, v=v: model.forward_dynamics(q, v),
            "inverse mass times vector": lambda model=model, q=q, x=x: model.solve_mass(q, x),
        }
        for name, time in best_times(calls, 0.5 * seconds).items():
            series[name].append(time)
    for name, times in series.items():
        columns = {str(n): time for n, time in zip(LONG, times, strict=True)}
        table.add(operation=name, **columns, exponent=fitted_exponent(LONG, times), at_most=LINEAR)
    return table.judge("exponent")
