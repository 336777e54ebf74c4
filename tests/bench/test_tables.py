"""Tables of results: judged, printed, written."""

import io
import json

import pytest
from rich.console import Console

from supple.bench.tables import GOAL, Column, Table, markdown, print_table, read_json, write_json


@pytest.fixture
def table():
    table = Table(
        "Title",
        (Column("name", "name"), Column("time", "time, us", "micro"), Column("ratio", "ratio", "ratio"), *GOAL),
        note="A note.",
    )
    table.add(name="fast", time=12.34e-6, ratio=0.5, at_most=1.0)
    table.add(name="slow", time=1234e-6, ratio=2.0, at_most=1.0)
    table.add(name="free", time=None, ratio=3.0)
    return table.judge("ratio")


def test_rows_with_a_goal_are_judged(table):
    assert [row.get("passed") for row in table.rows] == [True, False, None]


def test_markdown(table):
    lines = markdown(table).splitlines()
    assert lines[0] == "### Title"
    assert lines[3] == "|---|--:|--:|--:|---|"
    assert lines[4] == "| fast | 12.3 | 0.50 | 1.00 | pass |"
    assert lines[5] == "| slow | 1234 | 2.00 | 1.00 | FAIL |"
    assert lines[6] == "| free |  | 3.00 |  |  |"
    assert lines[-1] == "A note."


def test_printed_table(table):
    stream = io.StringIO()
    print_table(table, Console(file=stream, width=100))
    text = stream.getvalue()
    assert "12.3" in text
    assert "FAIL" in text
    assert "A note." in text


def test_json_is_written_whole(table, tmp_path):
    path = write_json(tmp_path / "subject.json", "subject", [table])
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
    path = write_json(tmp_path / "subject.json", "subject", [table])
    before = path.read_bytes()
    table.add(name=object())
    with pytest.raises(TypeError):
        write_json(tmp_path / "subject.json", "subject", [table])
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["subject.json"]


def test_json_is_read_as_it_was_written(table, tmp_path):
    content = read_json(write_json(tmp_path / "subject.json", "subject", [table]))
    assert content["subject"] == "subject"
    assert [markdown(again) for again in content["tables"]] == [markdown(table)]
