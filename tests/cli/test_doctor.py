"""``supple doctor``: versions, compiler, folders, extras; advice only where something is amiss."""

import json

import pytest

import supple
from command import inside, process
from supple.cli import doctor
from supple.cli.doctor import Needed


def test_a_healthy_installation(capfd):
    result = inside(capfd, "doctor", "--try")
    assert result.code == 0, result.out
    for part in ("versions", "kernels", "threads", "extras", "trial", "what to do"):
        assert f"\n{part}\n" in result.out
    assert f"supple  {supple.__version__}" in " ".join(result.out.split(" "))
    assert "1.004905000 m long, 1.004905000 m expected" in result.out


def test_json_has_the_same(capfd):
    found = json.loads(inside(capfd, "doctor", "--json").out)
    assert found["versions"]["supple"].startswith(supple.__version__)
    assert found["kernels"]["compiler"].startswith(("fast: ", "plain: "))
    assert found["errors"] == []


def test_a_folder_that_cannot_be_written_to(tmp_path):
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    result = process("doctor", folder=tmp_path, SUPPLE_CACHE_DIR=str(occupied / "kernels"), SUPPLE_JIT="plain")
    assert result.code == 0
    assert "cannot be written to" in result.out
    assert "- no folder keeps compiled kernels: set SUPPLE_CACHE_DIR" in result.out
    assert "plain: SUPPLE_JIT asks for it" in result.out


def test_looking_at_folders_makes_none(tmp_path):
    result = process("doctor", folder=tmp_path, SUPPLE_CACHE_DIR=str(tmp_path / "kernels"))
    assert "- nothing is compiled yet: supple compile" in result.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("entry", "verdict", "well"),
    [
        (Needed("numpy", "1.26", "", "2.4.6"), "2.4.6", True),
        (Needed("torch", "2.2", "torch", "2.13.0+cpu"), "2.13.0+cpu", True),
        (Needed("numba", "0.61", "", "0.61.0rc1"), "0.61.0rc1", True),
        (Needed("numba", "0.61", "", "0.60.9"), "0.60.9, too old: 0.61 or newer is needed", False),
        (Needed("jax", "0.4.35", "jax", ""), "missing", False),
    ],
)
def test_verdicts_on_packages(entry, verdict, well):
    assert (entry.verdict, entry.is_well) == (verdict, well)


def test_what_is_missing_comes_with_the_line_that_installs_it(capfd, monkeypatch):
    needed = [Needed("numpy", "99", "", "2.0"), Needed("jax", "0.4.35", "jax", ""), Needed("ruff", "", "dev", "")]
    monkeypatch.setattr(doctor, "requirements", lambda: needed)
    result = inside(capfd, "doctor")
    assert result.code == 1
    assert "- numpy is 2.0, too old: 99 or newer is needed: pip install --upgrade 'numpy>=99'" in result.out
    assert "- for what needs the extra jax: pip install 'supple[jax]'" in result.out
    assert "ruff" not in result.out


def test_requirements_are_those_that_were_installed():
    needed = {entry.name: entry for entry in doctor.requirements()}
    assert needed["numpy"].extra == ""
    assert needed["matplotlib"].found
    assert all(entry.is_well for entry in needed.values() if not entry.extra)
