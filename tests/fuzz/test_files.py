"""The campaigns of damaged files and killed runs, bounded."""

import sys

import pytest

from . import files, kills


def test_damaged_files():
    report = files.campaign(120, 0)
    assert report.tried == 120
    assert report.ok, str(report)
    assert report.refused > 60


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")
@pytest.mark.slow
def test_killed_runs():
    report = kills.campaign(6, 0)
    assert report.tried == 6
    assert report.ok, str(report)
    assert not report.name.startswith("kills (0")


def test_the_watchdog_notices_a_crash(tmp_path, monkeypatch):
    """A worker that dies or hangs is a failure, and another one goes on."""
    from .report import run
    from .worker import ROOT, Worker

    module = tmp_path / "dying.py"
    module.write_text(
        "import os, time\nfrom tests.fuzz.worker import serve\n"
        "def case(seed):\n    if seed == 1: os.abort()\n    if seed == 2: time.sleep(99)\n"
        "    if seed == 3: raise KeyError('raw')\n    return 'fine'\nserve(case, list)\n"
    )
    monkeypatch.setattr("subprocess.Popen", _on_path(tmp_path, ROOT))
    with Worker("dying", patience=5.0) as worker:
        report = run("dying", worker.case, 5, 0)
    assert [seed for seed, _ in report.failures] == [1, 2, 3]
    texts = [text for _, text in report.failures]
    assert "the process died with" in texts[0]
    assert "hangs for 5 s" in texts[1]
    assert "KeyError: 'raw'" in texts[2]


def _on_path(folder, root):
    import os
    import subprocess

    begin = subprocess.Popen

    def popen(command, **options):
        path = os.pathsep.join([str(folder), str(root), options["env"]["PYTHONPATH"]])
        return begin(command, **{**options, "env": {**options["env"], "PYTHONPATH": path}})

    return popen
