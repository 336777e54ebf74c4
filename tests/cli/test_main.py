"""What all commands share: help, version, exit codes, messages instead of tracebacks."""

import pytest

import supple
from command import error_of, inside, process
from supple.cli import main as cli
from supple.systems import SYSTEMS


def test_version(tmp_path):
    result = process("--version", folder=tmp_path)
    assert result == (0, f"supple {supple.__version__}\n", "")


@pytest.mark.parametrize("command", [(), ("list",), ("info",), ("run",), ("statics",), ("check",), ("bench", "paper")])
def test_help_has_examples(command, capfd):
    result = inside(capfd, *command, "--help")
    assert result.code == 0
    assert f"supple {' '.join(command)}".strip() in result.out
    if command:
        assert "Examples" in result.out


@pytest.mark.parametrize("arguments", [(), ("bench",)])
def test_no_command_gives_help(arguments, capfd):
    result = inside(capfd, *arguments)
    assert result.code == 0
    assert "Usage" in result.out


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    result = process("run", "cabel-manipulator", folder=tmp_path)
    assert result.code == 2
    message = error_of(result)
    assert "did you mean 'cable-manipulator'?" in message
    assert ", ".join(SYSTEMS) in message
    assert list(tmp_path.iterdir()) == []


RUN = ("run", "cable-manipulator", "--no-plots")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*RUN, "--set", "foo=1"), "no parameter 'foo'; known are: length, base_radius, tip_radius, points"),
        ((*RUN, "--set", "lenght=1"), "did you mean 'length'?"),
        ((*RUN, "--set", "points=abc"), "--set points is 'abc', must be a whole number"),
        ((*RUN, "--set", "points=2"), "cable-manipulator --set points=2: Rod: points is 2, but Legendre"),
        ((*RUN, "--set", "length"), "--set 'length' must be written key=value"),
        ((*RUN, "--set", "length=1", "--set", "length=2"), "--set gives 'length' twice"),
        ((*RUN, "--set", "length=-1"), "cable-manipulator --set length=-1: "),
        ((*RUN, "--set", "length=nan"), "length is nan"),
        ((*RUN, "--method", "rk54"), "no method 'rk54' (did you mean 'rk45'?); known are: bdf2, dop853, gen"),
        ((*RUN, "--dt", "0.1"), "ndf, the method of this system, has no --dt; it takes --rtol and --atol"),
        ((*RUN, "--method", "bdf2", "--rtol", "0.1"), "bdf2 has no --rtol; it takes --dt; methods with --rtol: dop853"),
        ((*RUN, "--method", "bdf2", "--dt", "-1"), "BDF2: dt is -1"),
        ((*RUN, "--rtol", "2"), "NDF: rtol is 2, must be at least 1e-13 and below 1"),
        ((*RUN, "--t-end", "-1"), "--t-end is -1 s, must be positive"),
        ((*RUN, "--t-end", "inf"), "--t-end is inf"),
        ((*RUN, "--t-end", "soon"), "--t-end"),
        ((*RUN, "--video-file", "films/x.mp4"), "--video-file: there is no folder films"),
        ((*RUN, "--resume"), "nothing to go on with in cable-manipulator: there is no interrupted run"),
        ((*RUN, "--resume", "--restart"), "give one of them"),
        (("run",), "NAME"),
        (("statics", "cable-manipulator", "--u", "1,x"), "--u is '1,x', must be numbers separated by commas"),
        (("statics", "cable-manipulator", "--u", "1,2"), "u has shape (2,)"),
        (("statics", "cable-manipulator", "--u", "cable9=1"), "there is no input 'cable9'"),
        (("statics", "cable-manipulator", "--u", "cable1=-1"), "a tendon pulls and cannot push"),
        (("check", "fin-ray", "--all"), "give a NAME or --all, not both"),
        (("check", "--set", "points=3"), "--set needs the NAME of a system"),
        (("check", "fin-ray", "--tolerance", "0"), "--tolerance is 0, must be positive"),
        (("bench", "paper", "--system", "fin-rey"), "did you mean 'fin-ray'?"),
        (("rum",), "rum"),
        (("--foo",), "--foo"),
    ],
)
def test_bad_usage(arguments, message, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = inside(capfd, *arguments)
    assert result.code == 2
    assert message in error_of(result)
    assert result.out == ""
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_nobody_expects(capfd, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("supple.cli.info.build", broken)
    result = inside(capfd, "info", "fin-ray")
    assert result.code == 1
    assert error_of(result) == "RuntimeError: the sky fell"
    assert "--debug" in result.err
    for arguments, debug in ((("--debug", "info", "fin-ray"), "0"), (("info", "fin-ray"), "1")):
        monkeypatch.setenv("SUPPLE_DEBUG", debug)
        assert cli.main(arguments) == 1
        assert "Traceback" in capfd.readouterr().err


def test_a_signal_ends_any_command(capfd, monkeypatch):
    import os
    import signal

    monkeypatch.setattr("supple.cli.info.build", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    result = inside(capfd, "info", "fin-ray")
    assert result.code == 130
    assert result.err.startswith("interrupted: ")
    assert signal.getsignal(signal.SIGTERM) is before
