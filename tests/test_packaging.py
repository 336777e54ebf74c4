"""What is released: a wheel and a source archive that hold all of the package and nothing else, and work alone."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import supple

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: What a stranger does first: a picture-less tour through the parts that read files or data of the package.
TOUR = """
import json, sys
import numpy as np
import supple as sp
from supple.systems import SYSTEMS
from supple.files.schema import json_schema
model = SYSTEMS["cable-manipulator"]().robot.compile()
q = np.full(model.n, 0.1)
robot = sp.Robot("pendulum")
robot.add_link("bob", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Revolute("y"), at=sp.pose((0.0, 0.0, 1.0)))
robot.save("pendulum.yaml")
again = sp.load("pendulum.yaml").compile()
print(json.dumps([sp.__file__, model.n, len(json_schema()), again.n, float(model.mass_matrix(q)[0, 0])]))
"""


def built(kind, source, target):
    """Build from a source tree, without a network; the file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    (file,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return file


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A source archive, and the wheel that is built from it alone."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("release")
    archive = built("sdist", ROOT, folder / "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    return archive, built("wheel", source, folder / "wheel")


def sources():
    """All files of the package that are under version control, as paths in the wheel."""
    package = ROOT / "src" / "supple"
    return {
        f"supple/{file.relative_to(package).as_posix()}"
        for file in package.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(archives):
    names = {name for name in zipfile.ZipFile(archives[1]).namelist() if not name.endswith("/")}
    package = {name for name in names if name.startswith("supple/")}
    assert package == sources()
    assert all(".dist-info/" in name for name in names - package)
    assert any(name.endswith("LICENSE") for name in names)


@pytest.mark.slow
def test_the_wheel_works_where_there_is_no_source_tree(archives, tmp_path):
    site, work = tmp_path / "site", tmp_path / "work"
    zipfile.ZipFile(archives[1]).extractall(site)
    work.mkdir()
    kernels = next(Path(supple.__file__).parent.glob("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(site), "SUPPLE_QUIET": "1"}
    for file in kernels.glob("*.nbc"):  # same sources, so that nothing is compiled anew
        target = site / "supple" / "__pycache__" / file.name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(file.read_bytes())
    tour = [sys.executable, "-c", TOUR]
    done = subprocess.run(tour, cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    place, *numbers = json.loads(done.stdout.splitlines()[-1])
    assert Path(place).is_relative_to(site)
    assert numbers[0] > 10
    assert numbers[2] == 1
    command = subprocess.run(
        [sys.executable, "-m", "supple", "doctor", "--json"], cwd=work, env=environment, capture_output=True, check=True
    )
    assert json.loads(command.stdout)["versions"]["supple"] == f"{supple.__version__} in {site / 'supple'}"


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == supple.__version__


def test_all_names_every_extra_of_users():
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.fullmatch(r"supple\[(.*)\]", everything)[1].split(","))
    assert named == set(extras) - {"all", "bench", "dev", "docs", "ray"}  # which is large, and for clusters


def test_pythons_that_are_promised_are_admitted():
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13", "3.14", "3.15"]
    assert PROJECT["requires-python"] == ">=3.11,<3.16"
