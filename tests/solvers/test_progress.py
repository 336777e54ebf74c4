"""How far a run has come: reports instead of a line, silence where nobody looks."""

import io

import pytest

import supple.solvers.progress as module
from supple.solvers.progress import Progress


def test_a_report_takes_the_place_of_the_line_and_may_end_the_run():
    told = []
    progress = Progress("run", 0.0, 2.0, lambda t, h: told.append((t, h)) or t > 1.0)
    assert [progress.update(t, 0.1) for t in (0.5, 1.5)] == [False, True]
    assert told == [(0.5, 0.1), (1.5, 0.1)]
    progress.close()


@pytest.mark.parametrize("show", [None, False])
def test_without_a_terminal_nothing_is_shown(show, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(module.sys, "stderr", stream)
    progress = Progress("run", 0.0, 2.0, show)
    assert progress.update(1.0, 0.1) is False
    progress.close()
    assert stream.getvalue() == ""


def test_a_line_waits_until_a_run_is_long(monkeypatch):
    """On a terminal, if nobody asked for it; asked for, it comes at once."""
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True, raising=False)
    started = []
    monkeypatch.setattr("rich.status.Status.start", lambda self: started.append(self))
    monkeypatch.setattr("rich.status.Status.stop", lambda self: started.append("stopped"))
    patient = Progress("run", 0.0, 2.0, None)
    patient.update(1.0, 0.1)
    assert started == []
    patient.started -= module.PATIENCE + 1.0
    patient.update(1.0, 0.1)
    assert len(started) == 1
    patient.close()
    assert started[1:] == ["stopped"]
    eager = Progress("run", 0.0, 2.0, True)
    eager.update(1.0, 0.25)
    text = str(eager._live.status)
    assert text.startswith("run: 1 of 2 s, step 0.25 s")
    eager.close()
