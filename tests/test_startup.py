"""Starting anywhere: read-only installations, no home, damaged caches, two at once.  As real processes."""

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import supple

PACKAGE = Path(supple.__file__).parent

#: Somebody who owns nothing.
NOBODY = 65534

#: A load of a user's own: small, so that it compiles in a second.
USERS_FILE = """
from supple.jit import LoadKernel, cache

def _nothing(tree, space, data, mode):
    pass

nothing = LoadKernel(_nothing)

if __name__ == "__main__":
    assert nothing.address
    print("compiled" if cache.compiled_here else "loaded", *(folder for folder in cache.folders_used))
"""


def command_as_nobody():
    """What to put before a command so that it has no rights: root may write everywhere."""
    if sys.platform == "win32":
        pytest.skip("needs users of other systems")
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root without setpriv cannot give its rights away")
    return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A copy of the package without compiled kernels, in a folder that others can read and nobody can write to."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, site / "supple", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "users.py").write_text(USERS_FILE)
    compileall.compile_dir(site, quiet=1)  # bytecode, as pip makes it; no kernels
    folders = [site, *(path for path in site.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    for folder in site.parents:  # pytest's own folders are closed to others
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    prefix = command_as_nobody()
    done = subprocess.run([*prefix, sys.executable, "-c", "import numba"], cwd="/", capture_output=True, check=False)
    if done.returncode:
        pytest.skip("somebody without rights cannot run this Python")
    yield site
    for folder in folders:
        folder.chmod(0o755)


def run(installed, *arguments, nobody=True, code=0, **environment):
    """Run Python without rights, without a home, with this environment alone."""
    prefix = command_as_nobody() if nobody else []
    base = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(installed), "HOME": "/nonexistent"}
    done = subprocess.run(
        [*prefix, sys.executable, *arguments],
        cwd="/",
        env=base | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def private(tmp_path, name):
    """A folder that everybody can write to."""
    folder = tmp_path / name
    folder.mkdir()
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.geteuid() and path != Path(path.anchor):
            path.chmod(path.stat().st_mode | 0o011)
    folder.chmod(0o777)
    return folder


def test_a_list_needs_no_kernels(installed, tmp_path):
    """Nor a place to keep them: nothing is said, nothing is written."""
    temporary = private(tmp_path, "temporary")
    done = run(installed, "-m", "supple", "list", TMPDIR=str(temporary))
    assert "fin-ray" in done.stdout
    assert done.stderr == ""
    assert list(temporary.iterdir()) == []


def test_kernels_are_kept_among_temporary_files_if_nowhere_else(installed, tmp_path):
    temporary = private(tmp_path, "temporary")
    first = run(installed, installed / "users.py", TMPDIR=str(temporary))
    assert first.stdout.startswith(f"compiled {temporary}")
    compiling, kept = first.stderr.splitlines()
    assert compiling.startswith("supple: compiling kernels")
    assert "may not last" in kept
    second = run(installed, installed / "users.py", TMPDIR=str(temporary))
    assert second.stdout.startswith(f"loaded {temporary}")
    assert second.stderr == ""


def test_nothing_can_be_written_anywhere(installed, tmp_path):
    """Python itself then takes the current folder for temporary files, which is not writable either."""
    (tmp_path / "file").write_text("")
    done = run(installed, installed / "users.py", SUPPLE_CACHE_DIR=str(tmp_path / "file"))
    assert done.stdout == "compiled\n"
    assert "every process compiles anew" in done.stderr


def test_a_home_of_ones_own(installed, tmp_path):
    home = private(tmp_path, "home")
    first = run(installed, installed / "users.py", HOME=str(home))
    assert first.stdout.startswith(f"compiled {home}")
    assert len(first.stderr.splitlines()) == 1
    assert run(installed, installed / "users.py", HOME=str(home)).stdout.startswith(f"loaded {home}")


def test_silence(installed, tmp_path):
    done = run(installed, installed / "users.py", HOME=str(private(tmp_path, "home")), SUPPLE_QUIET="1")
    assert done.stdout.startswith("compiled")
    assert done.stderr == ""


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "another's"])
def test_a_damaged_cache_is_replaced(installed, tmp_path, damage):
    cache = tmp_path / "cache"
    arguments = {"nobody": False, "SUPPLE_CACHE_DIR": str(cache)}
    assert run(installed, installed / "users.py", **arguments).stdout.startswith("compiled")
    (file,) = cache.rglob("*.nbc")
    data = file.read_bytes()
    worse = {
        "truncated": data[: len(data) // 2],
        "empty": b"",
        "changed": data[:-100] + bytes(100),
        "another's": b"\x80\x04\x95 no kernel at all",
    }
    file.write_bytes(worse[damage])
    assert run(installed, installed / "users.py", **arguments).stdout.startswith("compiled")
    assert file.read_bytes() != worse[damage]
    assert run(installed, installed / "users.py", **arguments).stdout.startswith("loaded")


def test_processes_that_compile_at_once(installed, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(installed), "SUPPLE_CACHE_DIR": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, installed / "users.py"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in started:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert out.startswith((b"compiled", b"loaded"))
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".nbc"]


def test_modes_do_not_share_kernels(installed, tmp_path):
    cache = {"nobody": False, "SUPPLE_CACHE_DIR": str(tmp_path / "cache")}
    for mode in ("fast", "plain"):
        assert run(installed, installed / "users.py", SUPPLE_JIT=mode, **cache).stdout.startswith("compiled")
    for mode in ("fast", "plain"):
        assert run(installed, installed / "users.py", SUPPLE_JIT=mode, **cache).stdout.startswith("loaded")


def test_an_edited_copy_has_kernels_of_its_own(installed, tmp_path):
    """Two versions side by side with one folder: both find theirs again."""
    other = tmp_path / "other"
    shutil.copytree(installed, other)
    for folder in [other, *(path for path in other.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    edited = other / "supple" / "core" / "records.py"
    edited.chmod(0o644)
    edited.write_text(edited.read_text() + "\n# edited\n")
    cache = {"nobody": False, "SUPPLE_CACHE_DIR": str(tmp_path / "cache")}
    for site in (installed, other):
        assert run(site, site / "users.py", **cache).stdout.startswith("compiled")
    for site in (installed, other):
        assert run(site, site / "users.py", **cache).stdout.startswith("loaded")
