"""A thousand random equilibria of three robots, with and without analytical derivatives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import pi
from typing import NamedTuple

import numpy as np
from scipy.optimize import root  # type: ignore[import-untyped]

from supple import laws
from supple.bench.figures import STATICS
from supple.bench.tables import Column, Table
from supple.model.model import Model
from supple.systems import cable_manipulator, parallel_robot, serial_arm

Array = np.ndarray

NUMBER = 1000
#: Equilibria solved without derivatives: enough for a mean.
WITHOUT = 50

COLUMNS = (
    Column("system", "system"),
    Column("kind", "Jacobian"),
    Column("published", "published, ms", "milli"),
    Column("ours", "ours, ms", "milli"),
    Column("ratio", "ratio", "significant"),
    Column("found", "found"),
    Column("iterations", "median Newton steps", "count"),
    Column("tip", "tip mismatch, mm", "significant"),
)


class Case(NamedTuple):
    """A robot, and the inputs and the time at which its laws are taken, of sample k."""

    model: Model
    tip: tuple[str, float]
    inputs: Callable[[int], Array]
    time: Callable[[int], float]


def cases(number: int = NUMBER, seed: int = 0) -> dict[str, Case]:
    """The paper's three: tensions of 0 to 100 N; angles of -pi/4 to pi/4; +-0.5 N and +-0.05 N m on the platform."""
    rng = np.random.default_rng(seed)
    samples = np.arange(float(number))
    tensions = rng.uniform(0.0, 100.0, (number, 5))
    angles = rng.uniform(-pi / 4.0, pi / 4.0, (number, 7))
    wrenches = rng.uniform(-1.0, 1.0, (number, 6)) * np.repeat([0.05, 0.5], 3)
    # samples are times: a law of time holds the k-th from t = k on
    turned = [laws.Table(samples, column, hold=True) for column in angles.T]
    nothing = np.zeros(0)
    return {
        "cable-manipulator": Case(cable_manipulator().compile(), ("arm", 1.0), lambda k: tensions[k], lambda k: 0.0),
        "serial-arm": Case(serial_arm(angles=turned).compile(), ("rod", 1.0), lambda k: nothing, float),
        "parallel-robot": Case(
            parallel_robot(wrench=laws.Table(samples, wrenches, hold=True)).compile(),
            ("platform", 0.0),
            lambda k: nothing,
            float,
        ),
    }


def statics(names: Iterable[str], quick: bool, say: Callable[[str], None]) -> Table:
    """Mean time of an equilibrium from rest; how many were found, and how far both ways are apart."""
    number, fewer = (100, 5) if quick else (NUMBER, WITHOUT)
    table = Table(
        f"One of {number} random equilibria",
        COLUMNS,
        note="Analytical: Model.statics from rest. Numerical: SciPy's hybr on the same residual without derivatives, "
        f"the first {fewer}; the mismatch is the median distance of the tips so found (of an arm that stands upright "
        "there are several equilibria: Model.statics prefers stable ones).",
    )
    every = cases(number)
    for name in names:
        say(f"{name}: {number} equilibria")
        case = every[name]
        case.model.statics(case.inputs(0), t=case.time(0))
        start = time.perf_counter()
        found = [case.model.statics(case.inputs(k), t=case.time(k)) for k in range(number)]
        analytical = (time.perf_counter() - start) / number
        start = time.perf_counter()
        rough = [without_derivatives(case, k) for k in range(fewer)]
        numerical = (time.perf_counter() - start) / fewer
        gaps = [
            np.linalg.norm((case.model.pose(q, *case.tip) - case.model.pose(e.q, *case.tip))[:3, 3])
            for q, e in zip(rough, found, strict=False)
            if q is not None
        ]
        printed = STATICS[name]
        table.add(
            system=name,
            kind="numerical",
            published=printed.numerical,
            ours=numerical,
            ratio=printed.numerical / numerical,
            found=f"{sum(q is not None for q in rough)}/{fewer}",
        )
        table.add(
            system=name,
            kind="analytical",
            published=printed.analytical,
            ours=analytical,
            ratio=printed.analytical / analytical,
            found=f"{sum(e.converged for e in found)}/{number}",
            iterations=int(np.median([e.iterations for e in found])),
            tip=1e3 * float(np.median(gaps)) if gaps else None,
        )
    return table


def without_derivatives(case: Case, k: int) -> Array | None:
    """Configuration in equilibrium by SciPy's solver from residuals and loop errors alone; None if it gives up."""
    model, u, t = case.model, case.inputs(k), case.time(k)
    given = {i: x for joint in model.prescribed for i, x in zip(joint.coordinates, joint.motion(t)[0], strict=True)}
    free = [i for i in range(model.n) if i not in given]
    q, still = model.rest.copy(), np.zeros(model.n)
    q[list(given)] = list(given.values())

    def equations(x: Array) -> Array:
        q[free] = x[: len(free)]
        lam = x[len(free) :]
        return np.concatenate([model.residual(q, still, still, u, lam, t)[free], model.loop_error(q)])

    answer = root(equations, np.concatenate([q[free], np.zeros(model.nc)]), method="hybr")
    q[free] = answer.x[: len(free)]
    return q if answer.success else None
