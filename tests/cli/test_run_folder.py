"""The folder of a run: what was asked for is kept, and goes on only as it was."""

import json

import pytest

from supple.cli.failures import UsageError
from supple.cli.run_folder import REQUEST, Request, RunFolder

REQUESTED = Request("fin-ray", {"length": "0.4"}, method="ndf", t_end=2.0)


@pytest.fixture
def folder(tmp_path):
    """A folder with a run that was interrupted."""
    folder = RunFolder(tmp_path / "run")
    folder.begin(REQUESTED, restart=False)
    folder.checkpoint.write_bytes(b"x")
    return folder


def test_what_was_asked_for_is_read_back(folder):
    assert json.loads((folder.path / REQUEST).read_text())["request"]["settings"] == {"length": "0.4"}
    assert folder.resumed(Request("fin-ray", {})) == REQUESTED
    assert folder.resumed(REQUESTED) == REQUESTED


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Request("drones", {}), "has NAME fin-ray, not drones"),
        (Request("fin-ray", {"length": "0.5"}), "has --set length=0.4, not length=0.5"),
        (Request("fin-ray", {}, t_end=3.0), "has --t-end 2.0, not 3.0"),
        (Request("fin-ray", {}, rtol=1e-3), "has --rtol omitted, not 0.001"),
    ],
)
def test_another_request_is_refused(folder, asked, words):
    with pytest.raises(UsageError, match=words):
        folder.resumed(asked)


def test_an_interrupted_run_is_not_lost_unawares(folder):
    with pytest.raises(UsageError, match="holds an interrupted run"):
        folder.begin(REQUESTED, restart=False)
    folder.begin(Request("drones", {}), restart=True)
    assert not folder.checkpoint.exists()


def test_nothing_to_go_on_with(tmp_path, folder):
    folder.checkpoint.unlink()
    with pytest.raises(UsageError, match="there is no interrupted run"):
        folder.resumed(REQUESTED)
    folder.trajectory.write_bytes(b"x")
    with pytest.raises(UsageError, match="its run has ended"):
        folder.resumed(REQUESTED)


@pytest.mark.parametrize("text", ["", "{}", '{"request": {"system": "x", "other": 1}}'])
def test_a_damaged_request_is_told(folder, text):
    (folder.path / REQUEST).write_text(text)
    with pytest.raises(UsageError, match="cannot read what the run was asked for"):
        folder.resumed(REQUESTED)
