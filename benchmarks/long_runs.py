"""Runs of a million steps: whether constraints hold, memory stays, and steps do not become slower.

``python -m benchmarks.long_runs`` runs a four-bar and a planar parallel robot, a million steps each, and prints a row
for every tenth of a run; names choose among the robots, ``--steps`` shortens.  Time is processor time of this process,
so that neighbours on the machine count little.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console

import supple as sp
from supple.bench.tables import Column, Table, print_table
from supple.model.model import Model

#: Length of a step [s], a power of two so that output times are steps, and outputs in every tenth of a run.
STEP, OUTPUTS, TENTHS = 2.0**-10, 100, 10
#: Largest error of loops (rad, m), and growth of memory [MB] and of the time per step after the first tenth.
CLOSED, GROWN, SLOWER = 1e-11, 2.0, 1.15


class Case(NamedTuple):
    """A robot with loops, a closed configuration of it, and what drives it."""

    model: Model
    q0: np.ndarray
    u: dict[str, sp.laws.Law] | None


def bar(length: float) -> sp.Rigid:
    """A bar of aluminium along x."""
    return sp.Rigid.cylinder(length, 0.01, density=2700.0)


def four_bar() -> Case:
    """A rigid four-bar whose crank is driven back and forth, under gravity."""
    robot = sp.Robot("four-bar")
    for name, parent, length in (("crank", "world", 0.1), ("coupler", "crank", 0.25), ("follower", "coupler", 0.2)):
        robot.add_link(name, bar(length), sp.Revolute("y", damping=1e-3), parent=parent)
    robot.add(sp.Loop("pin", a=("follower",), b=("world", sp.pose((0.2, 0.0, 0.0))), joint=sp.Revolute("y")))
    robot.add(sp.JointDrive("motor", "crank"))
    model = robot.compile()
    return Case(model, model.assemble([-1.2, 0.807, 2.304]), {"motor": sp.laws.Sine(0.5, 0.7)})


def planar_parallel_robot() -> Case:
    """A rigid platform on three legs of two bars each, in a horizontal plane, three motors and two loops."""
    robot = sp.Robot("planar parallel robot")
    feet = [0.35 * np.array([np.cos(a), np.sin(a), 0.0]) for a in np.pi * np.array([-0.5, 1.0 / 6.0, 5.0 / 6.0])]
    corners = [0.3 * foot for foot in feet]
    for k, foot in enumerate(feet):
        robot.add_link(f"upper{k}", bar(0.2), sp.Revolute("z", damping=1e-2), at=sp.pose(foot))
        robot.add_link(f"lower{k}", bar(0.2), sp.Revolute("z", damping=1e-3), parent=f"upper{k}")
        robot.add(sp.JointDrive(f"motor{k}", f"upper{k}"))
    plate = sp.Rigid.box((0.1, 0.1, 0.01), density=2700.0)
    robot.add_link("platform", plate, sp.Revolute("z"), parent="lower0", at=sp.pose(-corners[0]))
    for k in (1, 2):
        corner = ("platform", sp.pose(corners[k]), 0.0)
        robot.add(sp.Loop(f"corner{k}", a=(f"lower{k}",), b=corner, joint=sp.Revolute("z")))
    model = robot.compile()
    motions = {f"motor{k}": sp.laws.Sine(0.05, 0.5 + 0.13 * k) for k in range(3)}
    return Case(model, model.assemble(_elbows(feet)), motions)


def _elbows(feet: list[np.ndarray]) -> np.ndarray:
    """Angles near those at which all legs reach the platform, elbows to the same side."""
    angles = []
    for foot in feet:
        inward = np.arctan2(-foot[1], -foot[0])
        angles += [inward + 0.9, -1.8]
    return np.array([*angles, -angles[0] - angles[1]])


def parallel_robot() -> Case:
    """The platform on three soft pillars: 63 coordinates."""
    from supple.systems import SYSTEMS

    model = SYSTEMS["parallel-robot"]().compile()
    return Case(model, model.assemble(), None)


ROBOTS: dict[str, Callable[[], Case]] = {
    "four-bar": four_bar,
    "planar-parallel-robot": planar_parallel_robot,
    "parallel-robot": parallel_robot,
}


def memory() -> float:
    """Memory of this process [MB]: what it has now where the system tells, else its largest so far."""
    table = Path("/proc/self/statm")
    if table.exists():
        return int(table.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def long_run(name: str, steps: int) -> Table:
    """Run one robot; a row for every tenth."""
    case = ROBOTS[name]()
    end = steps * STEP
    seen: list[tuple[float, float, float]] = []

    def look(t: float, h: float) -> None:
        seen.append((t, time.process_time(), memory()))

    t = np.linspace(0.0, end, TENTHS * OUTPUTS + 1)
    case.model.simulate(2.0 * STEP, case.q0, u=case.u, method=sp.GeneralizedAlpha(dt=STEP))  # load kernels
    seen.append((0.0, time.process_time(), memory()))
    motion = case.model.simulate(t, case.q0, u=case.u, method=sp.GeneralizedAlpha(dt=STEP), progress=look)
    seen.append((end, time.process_time(), memory()))
    errors = np.array([np.abs(case.model.loop_error(q)).max() for q in motion.q])
    times, clocks, sizes = np.array(seen).T
    edges = np.linspace(0.0, end, TENTHS + 1)
    spent = np.diff(np.interp(edges, times, clocks)) / (steps / TENTHS)
    held = np.interp(edges[1:], times, sizes)
    worst = errors[1:].reshape(TENTHS, OUTPUTS).max(axis=1)
    slower = float(np.median(spent[-3:]) / np.median(spent[1:4]))
    good = worst.max() < CLOSED and held[-1] - held[0] < GROWN and slower < SLOWER
    table = Table(
        f"{name}: {motion.stats['steps']} steps of {STEP:g} s, {case.model.n} coordinates, {case.model.nc} loop rows",
        (
            Column("end", "up to, s", "significant"),
            Column("step", "time per step, us", "micro"),
            Column("error", "error of loops", "error"),
            Column("memory", "memory, MB", "significant"),
        ),
        note=f"Last steps took {slower:.2f} of the time of first ones; "
        + ("constraints held, and memory stayed." if good else "NOT as it should be."),
    )
    for k in range(TENTHS):
        table.add(end=edges[k + 1], step=float(spent[k]), error=float(worst[k]), memory=float(held[k]))
    return table


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_runs", description=__doc__.splitlines()[0])
    parser.add_argument("robots", nargs="*", default=["four-bar", "planar-parallel-robot"], help=", ".join(ROBOTS))
    parser.add_argument("--steps", type=int, default=1_000_000)
    chosen = parser.parse_args()
    for name in chosen.robots:
        print_table(long_run(name, chosen.steps), Console(width=120))


if __name__ == "__main__":
    main()
