"""The schema of model files: up to date, taken by validators, and of one mind with the reader."""

import json
import warnings
from pathlib import Path

import pytest

import supple as sp
from supple.files.schema import json_schema
from supple.systems import SYSTEMS

jsonschema = pytest.importorskip("jsonschema")

PUBLISHED = Path(__file__).parents[2] / "docs" / "model-file.schema.json"


def test_the_published_schema_is_up_to_date():
    """``python -m supple.files.schema > docs/model-file.schema.json`` writes it."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json_schema()


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_valid(name, tmp_path):
    path = tmp_path / "r.json"
    SYSTEMS[name]().robot.save(path)
    jsonschema.validate(json.loads(path.read_text()), json_schema())


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("suple",), 1),
        (("supple",), 99),
        (("units",), "mm"),
        (("links", 0, "nmae"), "x"),
        (("links", 0, "body"), {"Rood": {}}),
        (("links", 0, "body", "Rod", "lenght"), 3.0),
        (("links", 0, "body", "Rod", "length"), "long"),
        (("loads", 0, "PointWrench", "link"), 3),
    ],
)
def test_what_the_reader_refuses_is_not_valid(place, value, tmp_path):
    path = tmp_path / "r.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = SYSTEMS["cantilever"]().robot
        robot.add(sp.PointWrench(robot.links[0].name, (0.0,) * 6))
        robot.save(path)
    data = json.loads(path.read_text())
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, json_schema())
    path.write_text(json.dumps(data))
    with pytest.raises(sp.FileError):
        sp.load(path).compile()
