"""What the benchmarks compute around their timings: tables, files, fits, robots. Nothing here measures time."""

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _benchmarks_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.fixture
def table():
    from benchmarks.report import GOAL, Column, Table

    table = Table(
        "Title",
        (Column("name", "name"), Column("time", "time, us", "micro"), Column("ratio", "ratio", "ratio"), *GOAL),
        note="A note.",
    )
    table.add(name="fast", time=12.34e-6, ratio=0.5, at_most=1.0)
    table.add(name="slow", time=1234e-6, ratio=2.0, at_most=1.0)
    table.add(name="free", time=None, ratio=3.0)
    return table.judge("ratio")


class Clock:
    """Advances only when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_rows_with_a_goal_are_judged(table):
    assert [row.get("passed") for row in table.rows] == [True, False, None]


def test_markdown(table):
    from benchmarks.report import markdown

    lines = markdown(table).splitlines()
    assert lines[0] == "### Title"
    assert lines[3] == "|---|--:|--:|--:|---|"
    assert lines[4] == "| fast | 12.3 | 0.50 | 1.00 | pass |"
    assert lines[5] == "| slow | 1234 | 2.00 | 1.00 | FAIL |"
    assert lines[6] == "| free |  | 3.00 |  |  |"
    assert lines[-1] == "A note."


def test_printed_table(table):
    from benchmarks.report import print_table

    stream = io.StringIO()
    print_table(table, Console(file=stream, width=100))
    text = stream.getvalue()
    assert "12.3" in text
    assert "FAIL" in text
    assert "A note." in text


def test_json_is_written_whole(table, tmp_path):
    from benchmarks.report import write_json

    path = write_json("subject", [table], tmp_path)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["tables"][0]["rows"][1] == {
        "name": "slow",
        "time": 1234e-6,
        "ratio": 2.0,
        "at_most": 1.0,
        "passed": False,
    }
    assert content["machine"]["cores"] >= 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["subject.json"]


def test_json_that_cannot_be_written_leaves_the_old_file(table, tmp_path):
    from benchmarks.report import write_json

    path = write_json("subject", [table], tmp_path)
    before = path.read_bytes()
    table.add(name=object())
    with pytest.raises(TypeError):
        write_json("subject", [table], tmp_path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["subject.json"]


def test_best_time_is_the_minimum_per_call():
    from benchmarks.timing import FEWEST_ROUNDS, best_times

    clock = Clock()
    durations = iter([5e-3] * 4 + [3e-3] + [5e-3] * 100)

    def work():
        clock.now += next(durations)

    # first call and sizing take two durations, then come the rounds
    assert best_times({"work": work}, 0.0, clock) == {"work": pytest.approx(3e-3)}
    assert FEWEST_ROUNDS >= 5


def test_short_functions_are_timed_in_batches():
    from benchmarks.timing import BATCH, batch_size

    clock = Clock()

    def work():
        clock.now += 1e-6

    size = batch_size(work, clock)
    assert size * 1e-6 >= BATCH
    assert size * 1e-6 < 3.0 * BATCH


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
