"""First use is told, once, and can be silenced."""

import logging
import sys

import pytest

from supple.jit import notices


@pytest.fixture(autouse=True)
def untold(monkeypatch):
    monkeypatch.setattr(notices, "_told", set())
    monkeypatch.setattr(notices, "_reason", "")
    monkeypatch.delenv("SUPPLE_QUIET", raising=False)


def test_the_first_kernel_tells_and_the_next_is_silent(capfd):
    notices.tell_compiling("core.some.kernel")
    notices.tell_compiling("core.other.kernel")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("supple: compiling kernels, once on this machine: about ")


def test_kernels_that_take_long_are_told_by_what_they_are_for(capfd):
    for name in notices.LONG:
        notices.tell_compiling(name)
    lines = capfd.readouterr().err.splitlines()
    assert "supple: compiling contact, about " in "\n".join(lines)
    assert len(lines) == 1 + len(set(notices.LONG.values()))


@pytest.mark.parametrize("how", ["environment", "logging"])
def test_silence(how, capfd, monkeypatch):
    if how == "environment":
        monkeypatch.setenv("SUPPLE_QUIET", "1")
    else:
        monkeypatch.setattr(logging.getLogger("supple"), "level", logging.WARNING)
    notices.tell_compiling("core.some.kernel")
    notices.tell_kept(None)
    assert capfd.readouterr().err == ""


def test_why_the_slow_way(capfd):
    notices.explain_plain("Numba 9.9 is unknown")
    notices.tell_compiling("core.some.kernel")
    assert "slower" in (err := capfd.readouterr().err)
    assert "Numba 9.9 is unknown" in err


def test_nobody_listens(monkeypatch):
    """Programs without a console have no stderr."""
    monkeypatch.setattr(sys, "stderr", None)
    notices.tell_compiling("core.some.kernel")
