"""Where compiled kernels are kept, and what is never read."""

import os
import stat
from pathlib import Path

import pytest

from supple.jit import notices, store

STAMP = "0123abcd"


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Folders of this test alone: beside the sources, the user's, temporary; nothing given by the environment."""
    sources, home, temporary = (tmp_path / name for name in ("sources", "home", "temporary"))
    for folder in (sources, home, temporary):
        folder.mkdir()
    monkeypatch.setattr(store, "PACKAGE", sources)
    monkeypatch.setattr(store, "_numba_folder", lambda: "")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("SUPPLE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return sources, home, temporary


def block(folder):
    """Make a folder that nobody can write to, not even root: a file in its place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("")


def test_beside_the_sources_first(places):
    sources, _, _ = places
    assert store.write("entry", STAMP, b"code") == sources / "__pycache__"
    assert store.read("entry", STAMP) == (b"code", sources / "__pycache__")
    assert [path.name for path in (sources / "__pycache__").iterdir()] == ["entry.nbc"]


def test_then_in_the_users_folder(places):
    sources, home, _ = places
    block(sources / "__pycache__")
    folder = store.write("entry", STAMP, b"code")
    assert folder.parent == home / ".cache" / "supple"
    assert store.read("entry", STAMP) == (b"code", folder)


def test_then_among_temporary_files_for_this_user_alone(places):
    sources, home, temporary = places
    block(sources / "__pycache__")
    block(home / ".cache")
    folder = store.write("entry", STAMP, b"code")
    assert temporary in folder.parents
    assert store.is_temporary(folder)
    assert stat.S_IMODE(store.temporary_folder().stat().st_mode) == 0o700
    assert store.read("entry", STAMP) == (b"code", folder)


def test_nowhere(places):
    sources, home, _ = places
    block(sources / "__pycache__")
    block(home / ".cache")
    block(store.temporary_folder())
    assert store.write("entry", STAMP, b"code") is None
    assert store.read("entry", STAMP) is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary files are the user's own")
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_what_others_could_have_written_is_not_used(places, mode):
    """Its content would be executed."""
    sources, home, _ = places
    block(sources / "__pycache__")
    block(home / ".cache")
    folder = store.write("entry", STAMP, b"code")
    store.temporary_folder().chmod(mode)
    assert store.read("entry", STAMP) is None
    assert store.write("other", STAMP, b"code") is None
    assert not (folder / "other.nbc").exists()


def test_an_administrators_kernels_serve_users_who_cannot_write_there(places, monkeypatch):
    sources, home, _ = places
    store.write("entry", STAMP, b"code")
    refuse = store._replace

    def replace(file, data):
        if sources in file.parents:
            raise PermissionError(13, "Permission denied")
        refuse(file, data)

    monkeypatch.setattr(store, "_replace", replace)
    assert store.write("further", STAMP, b"more").parent == home / ".cache" / "supple"
    assert store.read("entry", STAMP) == (b"code", sources / "__pycache__")


@pytest.mark.parametrize("variable", ["SUPPLE_CACHE_DIR", "NUMBA_CACHE_DIR"])
def test_a_given_folder_and_no_other(places, tmp_path, monkeypatch, variable):
    if variable == "SUPPLE_CACHE_DIR":
        monkeypatch.setenv(variable, str(tmp_path / "given"))
    else:
        monkeypatch.setattr(store, "_numba_folder", lambda: str(tmp_path / "given"))
    assert store.write("entry", STAMP, b"code").parent == tmp_path / "given"
    block(tmp_path / "blocked")
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "blocked"))
    assert store.read("entry", STAMP) is None
    assert store.write("entry", STAMP, b"code") is None


def test_the_platforms_conventions(places, monkeypatch, tmp_path):
    _, home, _ = places
    monkeypatch.setattr("sys.platform", "darwin")
    assert store._users_folder() == home / "Library" / "Caches"
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store._users_folder() == tmp_path / "xdg"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the convention
    assert store._users_folder() == home / ".cache"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert store._users_folder() == tmp_path / "local"
    monkeypatch.delenv("LOCALAPPDATA")
    assert store._users_folder() is None


def test_nobody_at_home(places, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert store._users_folder() is None
    assert store.write("entry", STAMP, b"code") is not None


def test_no_place_for_temporary_files(places, monkeypatch):
    """Then Python raises an error of its own when it is asked for one."""
    sources, home, _ = places
    block(sources / "__pycache__")
    block(home / ".cache")

    def nowhere():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    assert store.write("entry", STAMP, b"code") is None
    assert store.read("entry", STAMP) is None
    assert not store.is_temporary(home)


def test_damaged_entries_are_missing_entries(places):
    """Truncated anywhere, or with any byte changed."""
    sources, _, _ = places
    file = store.write("entry", STAMP, b"some code" * 5) / "entry.nbc"
    data = file.read_bytes()
    for size in range(len(data)):
        file.write_bytes(data[:size])
        assert store.read("entry", STAMP) is None
    for i in range(len(data)):
        file.write_bytes(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])
        assert store.read("entry", STAMP) is None
    assert store.write("entry", STAMP, b"anew") == file.parent
    assert store.read("entry", STAMP) == (b"anew", sources / "__pycache__")


def test_entries_of_other_sources_are_missing_entries(places):
    store.write("entry", STAMP, b"code")
    assert store.read("entry", "4567") is None
    store.write("entry", "4567", b"new code")
    assert store.read("entry", "4567")[0] == b"new code"


def test_versions_in_one_folder_do_not_disturb_each_other(places, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "given"))
    monkeypatch.setattr(store, "set_of_sources", lambda: "old")
    store.write("entry", "old", b"old code")
    monkeypatch.setattr(store, "set_of_sources", lambda: "new")
    store.write("entry", "new", b"new code")
    assert store.read("entry", "new")[0] == b"new code"
    monkeypatch.setattr(store, "set_of_sources", lambda: "old")
    assert store.read("entry", "old")[0] == b"old code"


def test_a_shared_folder_keeps_a_few_versions(places, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path / "given"))
    for i in range(store.KEPT + 3):
        monkeypatch.setattr(store, "set_of_sources", lambda i=i: str(i))
        os.utime(store.write("entry", STAMP, b"code"), (1000.0 * i, 1000.0 * i))
    assert len(list((tmp_path / "given").iterdir())) == store.KEPT + 1
    assert store.read("entry", STAMP)[0] == b"code"


def test_a_full_disk(places, monkeypatch):
    """Nothing is left of what did not fit, and what was there stays."""
    sources, home, temporary = places
    store.write("entry", STAMP, b"code")

    def full(self, data):
        with open(self, "wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert store.write("entry", STAMP, b"newer code") is None
    assert not [path for folder in (sources, home, temporary) for path in folder.rglob("*.tmp")]
    assert store.read("entry", STAMP)[0] == b"code"


def test_what_is_not_kept_is_told_once(capfd, monkeypatch, tmp_path):
    monkeypatch.setattr(notices, "_told", set())
    for _ in range(2):
        notices.tell_kept(None)
        notices.tell_kept(store.temporary_folder() / "kernels")
        notices.tell_kept(tmp_path)
    first, second = capfd.readouterr().err.splitlines()
    assert "every process compiles anew" in first
    assert "may not last" in second
