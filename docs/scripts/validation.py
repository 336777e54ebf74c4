"""What agrees with whom, and to what digit: ``python -m docs.scripts.validation`` measures it and writes the page.

Numbers of others are those of tests/data, robots those of tests; every row is computed anew.  Errors are relative to
the largest entry unless a unit is given, and are shown rounded up to a power of ten.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from math import ceil, log10
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import supple as sp

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "validation.md"
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"

#: What is smaller is rounding.
ROUNDING = 1e-14


class Row(NamedTuple):
    """One comparison."""

    source: str
    problem: str
    quantity: str
    error: float
    test: str

    @property
    def bound(self) -> str:
        """The error, rounded up to a power of ten."""
        return f"1e{ceil(log10(max(self.error, ROUNDING))):d}"


def rows() -> list[Row]:
    """All comparisons."""
    for folder in (ROOT / "tests", ROOT / "tests" / "reference"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    parts: tuple[Callable[[], Iterator[Row]], ...] = (_sorosim, _prototypes, _pinocchio, _mujoco, _analytical)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [row for part in parts for row in part()]


def _worst(pairs: Any) -> float:
    """Largest relative error of pairs (mine, theirs)."""
    from helpers import relative_error

    return max(float(relative_error(mine, theirs)) for mine, theirs in pairs)


def _sorosim() -> Iterator[Row]:
    import test_sorosim as tests

    names = {"cdm": "cable-driven manipulator, 24 coordinates", "serial": "three rigid links and a Kirchhoff rod"}
    for name, problem in names.items():
        model, data = tests.system(name)
        found = [
            model.inverse_dynamics_derivatives(data["q"][k], data["qd"][k], data["qdd_id"][k]) for k in tests.STATES
        ]
        where = "reference/test_sorosim.py"
        for quantity, key, field in (
            ("mass matrix", "M", "mass"),
            ("inverse dynamics", "ID", "force"),
            ("its derivative by q", "dID_dq", "dq"),
            ("its derivative by v", "dID_dqd", "dv"),
        ):
            pairs = ((getattr(one, field), data[key][k]) for k, one in enumerate(found))
            yield Row("SoRoSim", problem, quantity, _worst(pairs), where)
        pairs = [(model.stiffness, data["K"]), (model.damping, data["D"])]
        yield Row("SoRoSim", problem, "stiffness, damping", _worst(pairs), where)


def _prototypes() -> Iterator[Row]:
    import test_tree80 as tests

    model, reference, L, (q, v, a) = tests.system("B")
    found, scale = model.inverse_dynamics_derivatives(q, v, a), np.outer(L, L)
    problem, where = "floating tree of rods and bodies, 80 coordinates", "reference/test_tree80.py"
    source = "four prototypes of this library"
    yield Row(source, problem, "inverse dynamics", _worst([(L * found.force, reference["ID"])]), where)
    slopes = [(scale * found.dq, reference["dID_dq"]), (scale * found.dv, reference["dID_dqd"])]
    yield Row(source, problem, "its derivatives", _worst(slopes), where)


def _pinocchio() -> Iterator[Row]:
    import test_pinocchio_arm as tests

    data, model = tests.reference(), tests.arm()
    found = [model.inverse_dynamics_derivatives(data["q"][k], data["v"][k], data["a"][k]) for k in tests.STATES]
    problem, where = "arm of five joints, full inertias", "reference/test_pinocchio_arm.py"
    for quantity, key, field in (
        ("inverse dynamics", "tau", "force"),
        ("its derivative by q", "dtau_dq", "dq"),
        ("its derivative by v", "dtau_dv", "dv"),
        ("mass matrix", "M", "mass"),
    ):
        pairs = ((getattr(one, field), data[key][k]) for k, one in enumerate(found))
        yield Row("Pinocchio", problem, quantity, _worst(pairs), where)


def _mujoco() -> Iterator[Row]:
    from mjcf_robots import ROBOTS
    from mujoco_numbers import FILE, states, written

    stored = np.load(FILE)
    titles = {"arm": "arm with gears and servos", "floating": "free base, ball joint", "coupled": "tendons, couplings"}
    with tempfile.TemporaryDirectory() as folder:
        for name in ROBOTS:
            model = sp.load_mjcf(written(folder, name), limits=False).compile()
            q, v, a, u = states(model, name)
            found = {"M": model.mass_matrix(q), "ID": model.inverse_dynamics(q, v, a)}
            found["tau"] = model.internal_force(q, v, u)
            titled = {"M": "mass matrix", "ID": "inverse dynamics", "tau": "springs, dampers, actuators"}
            for key, mine in found.items():
                theirs = stored[f"{name}: {key}"]
                error = float(np.abs(mine - theirs).max() / max(1.0, np.abs(theirs).max()))
                yield Row("MuJoCo", f"MJCF: {titles[name]}", titled[key], error, "files/test_mjcf.py")


def _analytical() -> Iterator[Row]:
    import test_benchmarks_statics as tests

    where = "reference/test_benchmarks_statics.py"

    def tip_error(model: Any, expected: Any) -> float:
        return float(np.abs(tests.tip_of(model) - expected).max())

    moment = 2.0 * np.pi
    circle = tests.loaded(tests.unit_rod(2, 6), sp.PointWrench("rod", [0.0, 0.0, moment, 0.0, 0.0, 0.0]))
    problem = "end moment rolls a rod of 1 m up to a circle"
    yield Row("closed form", problem, "tip, m", tip_error(circle, np.zeros(3)), where)
    errors = []
    for alpha, shortening, deflection, _ in tests.table("elastica_tip_force.csv"):
        model = tests.loaded(tests.unit_rod(9, 80), tests.tip_force([0.0, alpha, 0.0]))
        errors.append(tip_error(model, [1.0 - shortening, deflection, 0.0]))
    yield Row("elliptic integrals", "cantilever of 1 m under dead tip forces", "tip, m", max(errors), where)
    errors = []
    for load, *values in tests.table("distributed_load.csv"):
        item = sp.Distributed("rod", [0.0, 0.0, 0.0, 0.0, load, 0.0])
        errors.append(tip_error(tests.loaded(tests.unit_rod(14, 120), item), [*values[:2], 0.0]))
    yield Row("integration of the elastica", "cantilever of 1 m under a load per length", "tip, m", max(errors), where)
    model, expected = tests.helical_form(0.3, 12, 100)
    yield Row("shooting", "rod of 10 m wound into three coils", "tip, m", tip_error(model, expected), where)


def text(found: list[Row]) -> str:
    """The table."""
    lines = ["| by | problem | quantity | agrees to | test |", "|---|---|---|--:|---|"]
    lines += [f"| {r.source} | {r.problem} | {r.quantity} | {r.bound} | `tests/{r.test}` |" for r in found]
    return "\n".join(lines)


def stated() -> dict[tuple[str, str, str], float]:
    """Bounds that the page shows, by source, problem and quantity."""
    body = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    lines = [line for line in body.splitlines() if line.startswith("|")][2:]  # behind the heading
    cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    return {(by, problem, quantity): float(bound) for by, problem, quantity, bound, _ in cells}


def main() -> None:
    """Measure, and fill the page."""
    content = PAGE.read_text(encoding="utf-8")
    head, _, rest = content.partition(BEGIN)
    tail = rest.partition(END)[2]
    PAGE.write_text(f"{head}{BEGIN}\n\n{text(rows())}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
