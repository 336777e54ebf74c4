"""Folders of runs: an index that is whole or not there, and a full disk that ends nothing."""

import pytest

import supple as sp
import supple.batch.folder as module
from supple.batch.failure import Failure
from supple.batch.folder import RunFolder, read_index

CONTENT = {"what": "a"}


def test_the_index_is_written_now_and_then_and_at_the_end(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "new" / "runs", "things", CONTENT, ["x", "y"], True)
    folder.note(Failure(1, "ValueError", "bad"))
    assert read_index(folder.path, "things")["failures"] == {}
    monkeypatch.setattr(folder, "_pause", 0.0)
    folder.note()
    assert read_index(folder.path, "things")["failures"] == {1: Failure(1, "ValueError", "bad")}
    folder.note(Failure(0, "OSError", "worse", 0.5))
    folder.close()
    assert sorted(read_index(folder.path, "things")["failures"]) == [0, 1]
    assert [path.name for path in folder.path.iterdir()] == ["index.json"]


def test_a_disk_that_is_full_is_told_at_the_end(tmp_path, monkeypatch):
    folder = RunFolder(tmp_path, "things", CONTENT, ["x"], True)
    before = (tmp_path / "index.json").read_text()

    def full(path, text):
        raise sp.StorageError("No space left on device")

    monkeypatch.setattr(module, "write_text", full)
    monkeypatch.setattr(folder, "_pause", 0.0)
    folder.note()
    with pytest.warns(sp.ModelWarning, match="the index of .* is not up to date: No space"):
        folder.close()
    assert (tmp_path / "index.json").read_text() == before


def test_runs_of_other_content_are_refused_or_begun_anew(tmp_path):
    first = RunFolder(tmp_path, "things", CONTENT, ["x", "y"], True)
    first.file(0).write_bytes(b"result")
    first.part(1).write_bytes(b"part")
    assert RunFolder(tmp_path, "things", CONTENT, ["x", "z"], True).there == {0}
    assert not first.part(1).exists()
    with pytest.raises(sp.StorageError, match="differ in what"):
        RunFolder(tmp_path, "things", {"what": "b"}, ["x", "y"], True)
    with pytest.raises(sp.StorageError, match="no index of stones"):
        RunFolder(tmp_path, "stones", CONTENT, ["x", "y"], True)
    assert RunFolder(tmp_path, "things", {"what": "b"}, ["x", "y"], False).there == set()
    assert not first.file(0).exists()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(sp.StorageError, match="cannot make the folder"):
        RunFolder(tmp_path / "file", "things", CONTENT, ["x"], True)


def test_files_of_other_runs_that_cannot_be_deleted_are_named(tmp_path):
    (tmp_path / "run-000001.npz").mkdir()
    with pytest.raises(sp.StorageError, match=r"cannot delete .*run-000001\.npz.*take another folder"):
        RunFolder(tmp_path, "things", CONTENT, ["x", "y"], True)


def test_errors_that_cannot_be_printed_are_named_by_their_type():
    class MuteError(Exception):
        def __str__(self):
            raise ValueError("no")

    assert Failure.of(3, MuteError()) == Failure(3, "MuteError", "MuteError")


def test_entries_that_are_no_failures_are_left_out():
    failure = Failure(3, "ValueError", "bad", 0.5)
    assert Failure.read(failure._asdict()) == failure
    assert Failure.read({"run": 3}) is None
    assert Failure.read("x") is None
