"""Ctrl-C, twice, at any time: code 130, no traceback, no crash."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import COMMAND, ENVIRONMENT
from supple.cli import signals

if sys.platform == "win32":
    pytest.skip("signals of other systems", allow_module_level=True)


def await_guard(running):
    """Wait until our code runs: before, Python itself has not yet got round to it."""
    status = Path(f"/proc/{running.pid}/status")
    if not status.exists():
        time.sleep(1.0)
        return
    for _ in range(2000):
        caught = next((line.split()[1] for line in status.read_text().splitlines() if line.startswith("SigCgt")), "0")
        if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.005)
    raise AssertionError("nobody took over signals")


def interrupted(arguments, folder, first, pause, number=signal.SIGINT, **environment):
    """Run a command, send it two signals so long after it began; its exit code and stderr."""
    running = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=ENVIRONMENT | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    await_guard(running)
    for delay in (first, pause):
        time.sleep(delay)
        if running.poll() is None:
            running.send_signal(number)
    _, err = running.communicate(timeout=120)
    return running.returncode, err


LONG = ("run", "cable-manipulator", "--method", "bdf2", "--dt", "1e-5", "--t-end", "10", "--no-plots", "--restart")


@pytest.mark.parametrize("first", [0.0, 0.1, 0.3, 0.8, 1.5, 3.0])
@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_two_signals_at_any_time(first, pause, tmp_path):
    """While it imports, loads kernels, simulates, saves."""
    code, err = interrupted(LONG, tmp_path, first, pause)
    assert code == 130, err
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert "interrupted: " in err


@pytest.mark.parametrize("first", [1.5, 2.5, 4.0])
def test_two_signals_while_kernels_compile(first, tmp_path):
    """Which calls back and forth between Python and compiled code."""
    cold = str(tmp_path / "cold")
    code, err = interrupted(LONG, tmp_path, first, 0.05, SUPPLE_CACHE_DIR=cold)
    assert code == 130, err
    assert "Traceback" not in err
    assert not list((tmp_path / "cold").rglob("*.tmp")) if os.path.isdir(cold) else True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_while_it_starts(number, tmp_path):
    code, err = interrupted(("list",), tmp_path, 0.0, 0.0, number)
    assert (code, err) in ((130, "interrupted: nothing is saved\n"), (0, ""))


def test_signals_at_the_end_do_not_hurt(tmp_path):
    """Python's own shutdown neither prints nor dies of them."""
    for delay in (0.4, 0.5, 0.6, 0.7):
        code, err = interrupted(("list",), tmp_path, delay, 0.03)
        assert code in (0, 130)
        assert "Traceback" not in err


def test_a_signal_that_is_swallowed_still_ends_the_command(tmp_path):
    """Python prints and ignores what is raised in a finaliser."""
    script = """
import os, signal, sys
sys.argv[0] = "supple"
from supple.cli import main, info
class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass
def build(*arguments):
    Finalised()
    raise SystemExit("went on")
info.build = build
sys.exit(main.main(["info", "fin-ray"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_a_program_that_imports_the_library_keeps_its_signals():
    script = "import signal; before = signal.getsignal(signal.SIGINT); import supple; import supple.cli.main\n"
    script += "assert signal.getsignal(signal.SIGINT) is before\n"
    subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, check=True)


@pytest.mark.parametrize(
    ("argv", "started", "expected"),
    [
        (["-m"], ["python", "-m", "supple", "list"], True),
        (["-m"], ["python", "-Im", "supple"], True),
        (["-m"], ["python", "-m", "pytest"], False),
        (["/usr/bin/supple", "list"], ["python", "/usr/bin/supple", "list"], True),
        (["study.py", "-m", "supple"], ["python", "study.py", "-m", "supple"], False),
        ([""], ["python"], False),
    ],
)
def test_what_counts_as_the_command(argv, started, expected, monkeypatch):
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys, "orig_argv", started)
    assert signals.is_command() is expected
