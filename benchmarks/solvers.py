"""Statics and dynamics of the cable manipulator, in units of Pinocchio's derivative call on 100 rigid joints."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import supple as sp
from benchmarks import RESULTS
from benchmarks.pinocchio_reference import PinocchioMissingError, require_pinocchio, unit_call
from supple.bench.tables import GOAL, Column, Table
from supple.bench.timing import best_times
from supple.systems.cable_manipulator import cable_manipulator

#: Goals in units, and what the paper's MATLAB takes, in seconds.
AT_MOST = {"NDF, 10 s": (800.0, 1.25), "Newmark 2 ms, 10 s": (10_000.0, 24.43), "one equilibrium": (8.0, 3.3e-3)}

#: Calls of a kernel that are timed together.
REPEATED = 50

#: Tolerances and steps of the work-precision table.
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
STEPS = (8e-3, 4e-3, 2e-3, 1.1e-3)


def feedback(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A controller in Python: one tendon answers to the bending."""
    u = np.zeros(5)
    u[0] = max(0.0, 5.0 + 2.0 * q[5] - 0.1 * v[5])
    return u


def run(seconds: float) -> list[Table]:
    """Times in units, work against precision, and where the time goes."""
    system = cable_manipulator()
    model = system.compile()
    return [speed(system, model, seconds), precision(system, model), shares(system, model)]


def speed(system: Any, model: Any, seconds: float) -> Table:
    """The published runs."""
    try:
        require_pinocchio()
        unit: dict[str, Callable[[], object]] = {"unit": unit_call()}
    except PinocchioMissingError:
        unit = {}
    rng = np.random.default_rng(0)
    tensions = iter(np.tile(rng.uniform(0.0, 100.0, (1000, 5)), (1000, 1)))
    table = Table(
        "Statics and dynamics of the cable manipulator",
        (
            Column("what", "what"),
            Column("time", "time, us", "micro"),
            Column("units", "in units", "ratio"),
            *GOAL,
            Column("published", "published, s", "seconds"),
            Column("factor", "times faster", "ratio"),
        ),
        note="One unit: Pinocchio's derivative call on 100 revolute joints, in turn. Published: MATLAB, [GVS-AD].",
    )
    calls: dict[str, Callable[[], object]] = {
        "NDF, 10 s": lambda: system.simulate(model, method=sp.NDF(rtol=1e-3, atol=1e-6)),
        "Newmark 2 ms, 10 s": lambda: system.simulate(model, method=sp.Newmark(dt=2e-3)),
        "one equilibrium": lambda: model.statics(next(tensions)),
        "1 s of Python feedback at 1 kHz": lambda: model.simulate(
            1.0, u=feedback, control_rate=1000.0, method=sp.GeneralizedAlpha(dt=1e-3)
        ),
    }
    times = best_times(calls | unit, 3.0 * seconds)
    yardstick = times.pop("unit", None)
    for what, time in times.items():
        at_most, published = AT_MOST.get(what, (None, None))
        table.add(
            what=what,
            time=time,
            units=None if yardstick is None else time / yardstick,
            at_most=at_most,
            published=published,
            factor=None if published is None else published / time,
        )
    return table.judge("units")


def methods() -> list[tuple[str, float, Any]]:
    """All methods with their tolerances or steps."""
    cases: list[tuple[str, float, Any]] = []
    for rtol in TOLERANCES:
        cases.append(("NDF", rtol, sp.NDF(rtol=rtol, atol=1e-3 * rtol)))
        cases.append(("GeneralizedAlpha", rtol, sp.GeneralizedAlpha(rtol=rtol, atol=1e-3 * rtol)))
    for dt in STEPS:
        cases.append(("GeneralizedAlpha", dt, sp.GeneralizedAlpha(dt=dt)))
        cases.append(("Newmark", dt, sp.Newmark(dt=dt)))
        cases.append(("BDF2", dt, sp.BDF2(dt=dt)))
        cases.append(("ImplicitEuler", dt, sp.ImplicitEuler(dt=dt)))
    return cases


def precision(system: Any, model: Any) -> Table:
    """Error of the tip against time spent, for every method."""
    times = np.linspace(0.0, system.t_end, 201)
    exact = system.paths(system.simulate(model, times, sp.NDF(rtol=1e-9, atol=1e-12)))
    table = Table(
        "Work and precision: 10 s of the cable manipulator",
        (
            Column("method", "method"),
            Column("setting", "tolerance or step", "error"),
            Column("error", "largest tip error, m", "error"),
            Column("time", "time, us", "micro"),
            Column("steps", "steps", "count"),
            Column("rate", "steps per second", "count"),
        ),
        note="Reference: NDF with a relative tolerance of 1e-9.",
    )
    for name, setting, method in methods():
        system.simulate(model, times[:2], method)
        start = perf_counter()
        found = system.simulate(model, times, method)
        spent = perf_counter() - start
        error = float(np.abs(system.paths(found) - exact).max())
        steps = int(found.stats["steps"])
        table.add(method=name, setting=setting, error=error, time=spent, steps=steps, rate=int(steps / spent))
    draw(table)
    return table


def shares(system: Any, model: Any) -> Table:
    """Where the time of the default method goes."""
    q, v, a = 0.1 * np.random.default_rng(0).standard_normal((3, model.n))
    matrix = np.random.default_rng(1).standard_normal((model.n, model.n)) + 10.0 * np.eye(model.n)
    plain_call, tangent_call = inside(model, q, v, a)
    calls = {"residual": plain_call, "tangent": tangent_call, "run": lambda: system.simulate(model, method=sp.NDF())}
    times = best_times(calls, 2.0)
    times["residual"] /= REPEATED
    times["tangent"] /= REPEATED
    lu = linear_time(matrix)
    stats = system.simulate(model, method=sp.NDF()).stats
    plain = stats["residuals"] - stats["tangents"]
    parts = {
        "residuals": plain * times["residual"],
        "tangents": stats["tangents"] * times["tangent"],
        "linear algebra": stats["tangents"] * lu[0] + stats["residuals"] * lu[1],
    }
    table = Table(
        "Where the time goes (NDF, 10 s of the cable manipulator)",
        (Column("part", "part"), Column("time", "time, us", "micro"), Column("share", "share", "ratio")),
        note="Kernels are timed inside a compiled loop.",
    )
    for part, time in parts.items():
        table.add(part=part, time=time, share=time / times["run"])
    rest = times["run"] - sum(parts.values())
    table.add(part="loop, outputs, Python", time=rest, share=rest / times["run"])
    return table


def inside(
    model: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Calls of the residual and of the fused tangent, `REPEATED` times each inside a compiled loop."""
    from numba import njit

    from supple.core.residual import RESIDUAL, residual, residual_tangent

    @njit
    def plain(function, tree, space, q, v, a, out):  # type: ignore[no-untyped-def]
        for _ in range(REPEATED):
            residual(function, tree, space, q, v, a, out)

    @njit
    def fused(function, tree, space, q, v, a, out, tangent):  # type: ignore[no-untyped-def]
        for _ in range(REPEATED):
            residual_tangent(function, tree, space, q, v, a, 1e3, 1e6, out, tangent)

    n, u = model.n, np.full(model.nu, 5.0)
    out, tangent = np.zeros(n), np.zeros((n, n))
    at = RESIDUAL.address, model.workspace.tree, model.workspace.space(u), q.copy(), v.copy(), a.copy(), out
    return lambda: plain(*at), lambda: fused(*at, tangent)


def draw(table: Table) -> None:
    """Work against precision as a picture beside the JSON, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator
    except ImportError:
        return
    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    axes = figure.subplots()
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in table.rows:
        kind = "adaptive" if row["setting"] in TOLERANCES and row["method"] == "GeneralizedAlpha" else ""
        curves.setdefault(f"{row['method']} {kind}".strip(), []).append((float(row["error"]), float(row["time"])))  # type: ignore[arg-type]
    for name, points in curves.items():
        axes.loglog(*zip(*sorted(points), strict=True), marker="o", label=name)
    axes.set(xlabel="largest error of the tip, m", ylabel="time for 10 s, s")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.grid(True, which="both", alpha=0.3)
    figure.legend(loc="outside right upper")
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / "work_precision.png", dpi=110)


def linear_time(matrix: np.ndarray) -> tuple[float, float]:
    """Seconds of a factorisation and of a solution."""
    from numba import njit

    from supple.linalg.lu import factorise, solve

    size = len(matrix)
    pivots, scales, side = np.zeros(size, np.int64), np.zeros(size), np.ones(size)

    @njit
    def factor(A, pivots, scales):  # type: ignore[no-untyped-def]
        for _ in range(100):
            factorise(A.copy(), pivots, scales)

    @njit
    def back(A, pivots, scales, b):  # type: ignore[no-untyped-def]
        for _ in range(100):
            solve(A, pivots, scales, b)

    factored = matrix.copy()
    times = best_times({"lu": lambda: factor(matrix, pivots, scales)}, 0.2)
    factor(factored, pivots, scales)
    solving = best_times({"solve": lambda: back(np.eye(size), pivots, scales, side.copy())}, 0.2)
    return times["lu"] / 100.0, solving["solve"] / 100.0
