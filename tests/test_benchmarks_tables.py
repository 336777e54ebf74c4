"""What the benchmarks compute around their timings: tables, files, fits, robots. Nothing here measures time."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _benchmarks_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_fitted_exponent_of_a_power_law():
    from benchmarks.growth import fitted_exponent

    sizes = [1, 2, 4, 8, 16, 32]
    assert fitted_exponent(sizes, [3e-6 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    # an overhead at small sizes does not count
    assert fitted_exponent(sizes, [1e-3, 1e-3, 4.0, 8.0, 16.0, 32.0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "arguments", "coordinates", "links"),
    [
        ("cable_manipulator", (), 24, 1),
        ("floating_tree", (), 80, 9),
        ("rigid_chain", (7,), 7, 7),
        ("rod_chain", (4,), 24, 4),
        ("rod_star", (4,), 25, 5),
        ("single_rod", (16, 3), 12, 1),
    ],
)
def test_robots(name, arguments, coordinates, links):
    from benchmarks import robots

    model = getattr(robots, name)(*arguments).compile()
    assert model.n == coordinates
    assert len(model.link_names) == links


def test_chains_agree_with_pinocchio():
    pytest.importorskip("pinocchio")
    from benchmarks.pinocchio_reference import pinocchio_calls

    model, state, calls = pinocchio_calls(7)  # raises if they differ
    assert model.n == 7
    assert state.shape == (3, 7)
    assert set(calls) == {"id", "derivatives"}


def test_fastest_takes_the_minimum_stage_by_stage():
    from benchmarks.startup import fastest

    runs = [{"a": {"wall": 2.0, "cpu": 1.0}}, {"a": {"wall": 1.0, "cpu": 3.0}}]
    assert fastest(runs) == {"a": {"wall": 1.0, "cpu": 1.0}}


def test_long_runs_look_at_loops_and_memory():
    from benchmarks.long_runs import CLOSED, ROBOTS, TENTHS, long_run

    for make in ROBOTS.values():
        case = make()
        assert abs(case.model.loop_error(case.q0)).max() < 1e-9
    table = long_run("four-bar", 2000)
    assert len(table.rows) == TENTHS
    assert max(row["error"] for row in table.rows) < CLOSED
    assert min(row["memory"] for row in table.rows) > 10.0
    assert table.rows[-1]["end"] == pytest.approx(2000.0 / 1024.0)


def test_what_is_timed_inside_compiled_loops_runs():
    """The residual and its tangent by their addresses, with the scratch of a model."""
    from benchmarks import robots, solvers

    model = robots.cable_manipulator().compile()
    for call in solvers.inside(model, *0.1 * np.random.default_rng(0).standard_normal((3, model.n))):
        call()
