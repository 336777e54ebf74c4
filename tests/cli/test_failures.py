"""What goes wrong on the command line: exit codes, texts, suggestions, folders."""

import pytest

from supple.cli.failures import (
    BAD_USAGE,
    FAILED,
    UsageError,
    code_of,
    is_expected,
    text_of,
    unknown,
    usable_folder,
    wants_traceback,
)
from supple.cli.signals import INTERRUPTED, Interrupted
from supple.errors import ConvergenceError, ModelError


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (UsageError("x"), BAD_USAGE, True),
        (ModelError("x"), BAD_USAGE, True),
        (ConvergenceError("x"), FAILED, True),
        (OSError("x"), FAILED, True),
        (ValueError("x"), FAILED, False),
        (Interrupted(), INTERRUPTED, False),
    ],
)
def test_codes(error, code, expected):
    assert code_of(error) == code
    assert is_expected(error) == expected


def test_texts():
    assert text_of(UsageError("no")) == "no"
    assert text_of(FileNotFoundError(2, "No such file", "a.npz")) == "a.npz: No such file"
    assert text_of(MemoryError()) == "not enough memory"
    assert text_of(KeyError("a")) == "KeyError: 'a'"


def test_the_nearest_name_is_suggested():
    assert str(unknown("system", "fin-rya", ["fin-ray", "drones"])) == (
        "there is no system 'fin-rya' (did you mean 'fin-ray'?); known are: fin-ray, drones"
    )
    assert "did you mean" not in str(unknown("system", "zzz", ["fin-ray"]))
    assert str(unknown("system", "x", [])).endswith("known are: none")


def test_folders_that_cannot_be_made(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(UsageError, match="cannot make the folder"):
        usable_folder(file / "below")
    assert usable_folder(tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize(("value", "wanted"), [("", False), ("0", False), ("1", True)])
def test_tracebacks_on_request(value, wanted, monkeypatch):
    monkeypatch.setenv("SUPPLE_DEBUG", value)
    assert wants_traceback() == wanted
