"""Older formats become that of today: files of all of them are read, and what is wrong is told by its own line."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from round_trips import assert_same
from supple.errors import FileError
from supple.files import migrations

FORMATS = Path(__file__).parents[1] / "data" / "formats"

#: What the stored file of each format is: numbers that no later version may change.
EXPECTED = {1: {"n": 8, "inputs": ("pull",), "mass": 0.0026233087514, "force": 0.045182935927}}


def test_there_is_a_step_and_a_stored_file_for_every_format():
    numbers = range(1, migrations.FORMAT + 1)
    assert set(migrations.MIGRATIONS) == set(numbers[:-1])
    assert {int(path.stem) for path in FORMATS.glob("*.yaml")} == set(numbers) == set(EXPECTED)


@pytest.mark.parametrize("number", EXPECTED)
def test_stored_files_keep_their_meaning(number):
    model = sp.load(FORMATS / f"{number}.yaml").compile()
    expected = EXPECTED[number]
    q = 0.1 * np.arange(1.0, model.n + 1.0) / model.n
    assert (model.n, model.input_names) == (expected["n"], expected["inputs"])
    assert np.trace(model.mass_matrix(q)) == pytest.approx(expected["mass"], rel=1e-9)
    assert model.residual(q, q, q, u=[1.0], t=0.3).sum() == pytest.approx(expected["force"], rel=1e-9)


# ---------------------------------------------------------------------- formats that never were


def renamed(data):
    """From format 1 to 2: what was called thickness is a radius, and half as much."""
    links = []
    for link in data["links"]:
        rod = link["body"].get("Rod")
        if rod is None:
            links.append(link)
            continue
        section = {"Circle": {"radius": rod["thickness"] / 2.0}}
        kept = {key: value for key, value in rod.items() if key != "thickness"}
        links.append({**link, "body": {"Rod": {**kept, "section": section}}})
    return {**data, "links": links}


def moved(data):
    """From format 2 to 3: the wind became a load."""
    kept = {key: value for key, value in data.items() if key != "wind"}
    wrench = [0.0, 0.0, 0.0, *data["wind"]]
    return {**kept, "loads": [*data.get("loads", ()), {"PointWrench": {"link": "rod", "wrench": wrench}}]}


OLD = """supple: 1
name: old
wind: [1.0, 0.0, 2]
links:
  - name: rod
    body:
      Rod:
        length: 0.2
        material: {Material: {young: 1e6, density: 1000}}
        strain: {Legendre: {bend_y: 2}}
        thickness: 0.02
  - {name: tip, parent: rod, body: {Rigid: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}}}
"""


@pytest.fixture
def third(monkeypatch):
    """A supple of format 3."""
    monkeypatch.setattr(migrations, "FORMAT", 3)
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: renamed, 2: moved})


def written(tmp_path, text, name="old.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def of_today():
    robot = sp.Robot("old")
    material = sp.Material(young=1e6, density=1000.0)
    robot.add_link("rod", sp.Rod(0.2, sp.Circle(0.01), material, sp.Legendre(bend_y=2)))
    robot.add_link("tip", sp.Rigid(0.1, [1e-4] * 3), parent="rod")
    robot.add(sp.PointWrench("rod", (0.0, 0.0, 0.0, 1.0, 0.0, 2.0)))
    return robot


@pytest.mark.usefixtures("third")
def test_older_files_become_those_of_today(tmp_path):
    assert_same(of_today(), sp.load(written(tmp_path, OLD)))
    second = OLD.replace("supple: 1", "supple: 2").replace("thickness: 0.02", "section: {Circle: {radius: 0.01}}")
    assert_same(of_today(), sp.load(written(tmp_path, second)))
    outer = "supple: 2\nname: outer\nwind: [0, 0, 0]\nlinks: []\nattach:\n  - {file: old.yaml}\n"
    outer = outer.replace("links: []\n", "links:\n  - {name: rod, body: {Rigid: {mass: 1, inertia: [1, 1, 1]}}}\n")
    written(tmp_path, OLD)  # each file has a format of its own
    robot = sp.load(written(tmp_path, outer.replace("{file: old.yaml}", "{file: old.yaml, prefix: in/}"), "outer.yaml"))
    assert [link.name for link in robot.links] == ["rod", "in/rod", "in/tip"]


@pytest.mark.usefixtures("third")
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("length: 0.2", "lenght: 0.2", r"line 8, links\[0\]\.body\.Rod\.lenght: .*did you mean 'length'"),
        ("mass: 0.1", "mass: -0.1", r"line 12, links\[1\]\.body\.Rigid: .*mass"),
        ("thickness: 0.02", "thickness: -0.02", r"links\[0\]\.body\.Rod\.section\.Circle: .*radius"),
        ("[1.0, 0.0, 2]", "3", r"line 1: cannot be read as format 2, and made into format 3: TypeError"),
        ("        thickness: 0.02\n", "", r"line 1: cannot be read as format 1, .* format 2: KeyError: 'thickness'"),
        ("thickness: 0.02", "thickness: thin", r"line 1: cannot be read as format 1"),
        ("supple: 1", "supple: 4", "line 1, supple: is 4, but this supple reads formats up to 3: use a newer one"),
        ("supple: 1", "supple: 0", "line 1, supple: is 0, must be the number of a format"),
        ("supple: 1", "supple: true", "line 1, supple: is True, must be the number of a format"),
    ],
)
def test_what_is_wrong_is_told_by_its_line_in_the_old_file(old, new, words, tmp_path):
    assert old in OLD
    with pytest.raises(FileError, match=words):
        sp.load(written(tmp_path, OLD.replace(old, new)))


def test_steps_are_pure():
    import yaml

    data = yaml.safe_load(OLD)
    before = deepcopy(data)
    assert moved(renamed(data)) == moved(renamed(before))
    assert data == before
