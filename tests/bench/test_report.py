"""The papers' tables are made from real runs; nothing here judges times."""

import json

import pytest

import supple as sp
from supple.bench import run
from supple.bench.dynamics import seconds
from supple.bench.figures import TABLE_3, TABLE_I


def test_best_published():
    assert TABLE_3["fin-ray"].best == 69.0
    assert TABLE_3["cable-manipulator"].best == 1.25
    assert TABLE_I["cantilever"].best == 1.9


def test_long_runs_are_not_repeated(monkeypatch):
    ticks = iter([0.0, 3.0, 10.0, 11.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    assert seconds(lambda: None, 5) == 3.0


def test_short_runs_are_repeated_for_a_while(monkeypatch):
    ticks = iter(x for k in range(100) for x in (float(k), k + (0.5 if k else 0.7)))
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    assert seconds(lambda: None, 2) == 0.5  # 0.7 + 0.5 + 0.5 + 0.5 s
    assert next(ticks) == 4.0
    assert seconds(lambda: None, 1) == 1.0 - 0.5  # one is enough if one is asked for


def test_unknown_systems_are_refused():
    with pytest.raises(sp.ModelError, match="no table of the papers has the system 'octopus'"):
        run(["octopus"])


@pytest.fixture(scope="module")
def report():
    told = []
    report = run(["parallel-robot"], quick=True, progress=told.append)
    assert "parallel-robot: Jacobians" in told
    return report


def test_tables(report):
    three, best, jacobians, statics = report.tables
    assert [row["method"] for row in three.rows] == ["NDF, analytical", "Newmark, 10 ms"]  # quick: not what took hours
    assert three.rows[1]["tip"] < 1.0  # mm, the paper's own measure
    assert best.rows[0]["published"] == 2.46
    exact = jacobians.rows[1]
    assert exact["dq"] < 1e-4
    assert exact["residual"] < 1e-6
    assert statics.rows[1]["found"] == "100/100"
    assert statics.rows[1]["tip"] < 1e-3


def test_forms(report):
    assert json.loads(report.as_json())["tables"][1]["rows"][0]["system"] == "parallel-robot"
    assert "| parallel-robot | 2.46 |" in report.as_markdown()
