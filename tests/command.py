"""Running the command line: as a process, as users do, or inside this one where only messages matter."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import supple
from supple.cli.main import main

SOURCES = str(Path(supple.__file__).parent.parent)
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "SUPPLE_DEBUG")}
ENVIRONMENT |= {"PYTHONPATH": SOURCES, "COLUMNS": "60"}  # a pipe has no columns: lines must not be broken
COMMAND = [sys.executable, "-m", "supple"]


class Result(NamedTuple):
    code: int
    out: str
    err: str


def process(*arguments, folder, **environment):
    """Run ``supple`` as a process in a folder."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return checked(Result(done.returncode, done.stdout, done.stderr))


def inside(capfd, *arguments):
    """Run ``supple`` in this process."""
    capfd.readouterr()
    code = main(arguments)
    return checked(Result(code, *capfd.readouterr()))


def checked(result):
    """What holds for all commands whose output is not a terminal."""
    assert "Traceback" not in result.err, result.err
    assert "\x1b" not in result.out + result.err
    return result


def error_of(result):
    """The one line that says what is wrong."""
    (line,) = [line for line in result.err.splitlines() if line.startswith("error: ")]
    return re.sub(r"^error: ", "", line)
