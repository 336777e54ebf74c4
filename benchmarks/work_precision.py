"""Work and precision: what an error costs, by every method, on a damped, an undamped, a looped and a touching robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

import supple as sp
from benchmarks import RESULTS
from supple.bench.tables import Column, Table

#: Tolerances and steps; of adaptive methods of second order, of which the tightest take very long; of explicit ones.
TOLERANCES, LOOSE, STEPS = (1e-2, 1e-3, 1e-5, 1e-7), (1e-3, 1e-4), (8e-3, 4e-3, 2e-3, 1e-3)
EXPLICIT = (1e-3, 1e-5)
#: Errors of tips, m, that methods are compared at.
GOOD, FINE = 1e-3, 1e-5
#: Steps after which a run is given up.
MOST_STEPS = 150_000
#: Runs of a method, of which the fastest counts.
REPEATED = 2


@dataclass(frozen=True)
class Case:
    """A model, the link whose tip is looked at, its initial state, inputs and time."""

    name: str
    model: Any
    link: str
    t_end: float
    q0: Any = None
    u: Any = None

    def tip(self, method: Any, most_steps: int | None = MOST_STEPS) -> tuple[np.ndarray, sp.Trajectory]:
        """Path (T, 3) of the tip, and the motion."""
        times = np.linspace(0.0, self.t_end, 101)
        motion = self.model.simulate(times, self.q0, u=self.u, method=method, max_steps=most_steps)
        return motion.tip(self.link), motion


def _arm(viscosity: float, *loads: Any) -> Any:
    """A tapered silicone arm of 0.5 m with a tendon."""
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=viscosity)
    bending = sp.Legendre(torsion=2, bend_y=4, bend_z=4, stretch=1)
    robot = sp.Robot("soft arm")
    robot.add_link("arm", sp.Rod(0.5, sp.Circle((0.03, 0.015)), silicone, bending, points=5))
    robot.add(sp.Tendon("pull", {"arm": lambda X: (0.0, 0.03 - 0.03 * X)}))
    for load in loads:
        robot.add(load)
    return robot.compile()


def damped() -> Case:
    """Pulled up and let go."""
    model = _arm(1e4)
    released = sp.laws.Ramp(40.0, 0.0, t0=0.2, t1=0.25)
    return Case("damped", model, "arm", 1.0, model.statics([40.0]).q, [released])


def undamped() -> Case:
    """A hanging steel wire of 5 m that is bent and let go; its fastest mode is 700 times faster than the slowest."""
    steel = sp.Material(young=1e11, poisson=0.3, density=7800.0)
    wire = sp.Rod(5.0, sp.Circle(0.005), steel, sp.Legendre(bend_y=11), points=15)
    robot = sp.Robot("wire")
    robot.add_link("wire", wire, at=sp.pose(rpy=(0.0, np.pi / 2.0, 0.0)))
    return Case("undamped", robot.compile(), "wire", 1.0, [0.2] + 11 * [0.0])


def looped() -> Case:
    """A four-bar linkage with a soft follower, swinging."""
    rubber = sp.Material(young=1e7, poisson=0.5, density=1000.0, damping_time=1e-3)
    robot, bar = sp.Robot("soft four-bar"), sp.Rigid.cylinder(0.25, 0.01, density=1000.0)
    robot.add_link("crank", sp.Rigid.cylinder(0.1, 0.01, density=1000.0), sp.Revolute("y"))
    robot.add_link("coupler", bar, sp.Revolute("y"), parent="crank")
    follower = sp.Rod(0.2, sp.Circle(0.01), rubber, sp.Legendre(bend_y=2), points=5)
    robot.add_link("follower", follower, sp.Revolute("y"), parent="coupler")
    robot.add(sp.Loop("pin", ("follower",), ("world", sp.pose((0.2, 0.0, 0.0))), sp.Revolute("y")))
    model = robot.compile()
    return Case("looped", model, "coupler", 1.0, model.assemble([-1.2, 0.807, 2.304, 0.0, 0.0, 0.0]))


def touching() -> Case:
    """The arm, of a material that damps less, falls onto a floor."""
    floor = sp.Contact("floor", sp.Spheres("arm", n=8), sp.Plane(height=-0.1), stiffness=1e4, friction=0.3)
    return Case("contact", _arm(1e3, floor), "arm", 1.0)


CASES: tuple[Callable[[], Case], ...] = (damped, undamped, looped, touching)


def methods() -> list[tuple[str, float, Any]]:
    """All methods, with their tolerances or steps."""
    found: list[tuple[str, float, Any]] = []
    for kind in (sp.NDF, sp.Radau):
        found += [(kind.__name__, x, kind(rtol=x, atol=1e-3 * x)) for x in TOLERANCES]
    found += [("GeneralizedAlpha, adaptive", x, sp.GeneralizedAlpha(rtol=x, atol=1e-2 * x)) for x in LOOSE]
    for fixed in (sp.GeneralizedAlpha, sp.Newmark, sp.BDF2, sp.ImplicitEuler):
        found += [(fixed.__name__, dt, fixed(dt=dt)) for dt in STEPS]
    for pair in (sp.RK45, sp.DOP853, sp.Nystrom):
        found += [(pair.__name__, x, pair(rtol=x, atol=1e-3 * x)) for x in EXPLICIT]
    return found


def measure(case: Case) -> Table:
    """Error and time of all methods."""
    table = Table(
        f"Work and precision: {case.name}, {case.t_end:g} s",
        (
            Column("method", "method"),
            Column("setting", "tolerance or step", "error"),
            Column("error", "largest tip error, m", "error"),
            Column("time", "time, ms", "milli"),
            Column("steps", "steps", "count"),
        ),
        note=f"Reference: Radau, relative tolerance 1e-9. Processor time, best of {REPEATED}. Empty: no result within "
        f"{MOST_STEPS} steps, or none at all.",
    )
    exact = case.tip(sp.Radau(rtol=1e-9, atol=1e-12), None)[0]
    for name, setting, method in methods():
        row: dict[str, Any] = {"method": name, "setting": setting}
        for _ in range(REPEATED):
            began = process_time()
            try:
                path, motion = case.tip(method)
            except sp.SimulationError:
                break
            spent = process_time() - began
            row["time"] = min(spent, row.get("time", np.inf))
            row["error"], row["steps"] = float(np.abs(path - exact).max()), int(motion.stats["steps"])
            if spent > 0.3:  # long enough to be believed
                break
        table.add(**row)
    return table


def least(table: Table, name: str, error: float) -> float | None:
    """The least time in which a method stays below an error; None if it never does."""
    times = [row["time"] for row in table.rows if row["method"] == name and row.get("error", np.inf) <= error]
    return min(times, default=None)  # type: ignore[type-var]


def summary(tables: dict[str, Table]) -> Table:
    """Least times of every method below two errors, for all robots."""
    columns = [
        Column(f"{name} {error:g}", f"{name}, {1e3 * error:g} mm", "milli") for name in tables for error in (GOOD, FINE)
    ]
    table = Table(
        "Least time, ms, in which a method keeps the tip within an error",
        (Column("method", "method"), *columns),
        note="Processor time of one run. Empty: with none of the settings tried.",
    )
    for method in dict.fromkeys(row["method"] for row in next(iter(tables.values())).rows):
        cells = {
            f"{name} {error:g}": least(found, str(method), error)
            for name, found in tables.items()
            for error in (GOOD, FINE)
        }
        table.add(method=method, **cells)
    return table


def run(seconds: float) -> list[Table]:
    """A summary, and a table for every robot."""
    tables = {}
    for make in CASES:
        case = make()
        _warm(case)
        tables[case.name] = measure(case)
    draw(tables)
    return [summary(tables), *tables.values()]


def _warm(case: Case) -> None:
    """A glimpse by one method of each family, so that nothing is compiled or loaded within a measurement."""
    for method in (sp.NDF(), sp.Radau(), sp.BDF2(dt=1e-4), sp.RK45()):
        case.model.simulate(1e-3, case.q0, u=case.u, method=method)


def draw(tables: dict[str, Table]) -> None:
    """Time against error, a panel for every robot, beside the JSON, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    for axes, (name, table) in zip(figure.subplots(2, 2).flat, tables.items(), strict=True):
        curves: dict[str, list[tuple[float, float]]] = {}
        for row in table.rows:
            points = curves.setdefault(str(row["method"]), [])
            if row.get("error"):
                points.append((float(row["error"]), 1e3 * float(row["time"])))  # type: ignore[arg-type]
        for method, points in curves.items():
            axes.loglog(*(zip(*sorted(points), strict=True) if points else ((), ())), marker="o", ms=4, label=method)
        axes.set(title=name, xlabel="largest error of the tip, m", ylabel="processor time, ms")
        axes.grid(True, which="major", alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / "work_precision_robots.png", dpi=100)
