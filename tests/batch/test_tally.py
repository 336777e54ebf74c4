"""How many runs are done: reports instead of a line, silence where nobody looks."""

import io
import sys

import pytest

import supple as sp
from supple.batch.tally import Tally, checked_progress


def test_a_report_takes_the_place_of_the_line_and_may_end_the_work():
    told = []
    tally = Tally("runs", 5, lambda done, count: told.append((done, count)) or done > 1)
    assert [tally.update(done, 0) for done in (1, 2)] == [False, True]
    assert told == [(1, 5), (2, 5)]
    tally.close()


@pytest.mark.parametrize("show", [None, False])
def test_without_a_terminal_nothing_is_shown(show, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    tally = Tally("runs", 5, show)
    assert tally.update(1, 0) is False
    tally.close()
    assert stream.getvalue() == ""


def test_a_line_tells_runs_failures_and_time(monkeypatch):
    lines = []

    class Status:
        def __init__(self, *args, **options): ...
        def start(self): ...
        def update(self, text):
            lines.append(text)

        def stop(self):
            lines.append("end")

    monkeypatch.setattr("rich.status.Status", Status)
    tally = Tally("runs", 5, True)
    tally.update(0, 0)
    tally.update(2, 1)
    tally.close()
    assert lines[0] == "runs: 0 of 5 runs"
    assert lines[1].startswith("runs: 2 of 5 runs, 1 failed, ")
    assert lines[2] == "end"


def test_progress_is_a_flag_or_a_function():
    assert checked_progress(None) is None
    assert checked_progress(True) is True
    assert checked_progress(print) is print
    with pytest.raises(sp.ModelError, match="progress is 'yes'"):
        checked_progress("yes")


def test_an_error_of_the_report_is_told():
    with pytest.raises(sp.StateError, match=r"runs: progress failed after 2 of 5 runs: TypeError: object\(\) takes no"):
        Tally("runs", 5, object).update(2, 0)
