"""Pydantic models of model files: of one mind with the JSON Schema, and what they write is read."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from helpers import random_robot
from load_kinds import KINDS, add_kinds, host
from round_trips import assert_same
from supple.errors import FileError, StorageError
from supple.files.schema import json_schema
from supple.systems import SYSTEMS

pydantic = pytest.importorskip("pydantic")
jsonschema = pytest.importorskip("jsonschema")
m = pytest.importorskip("supple.files.models")

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
SCHEMA = jsonschema.Draft202012Validator(json_schema())


def valid(data):
    """Whether models and schema admit it: of one mind."""
    try:
        m.ModelFile.model_validate(data)
    except pydantic.ValidationError:
        by_models = False
    else:
        by_models = True
    by_schema = SCHEMA.is_valid(data)
    assert by_models == by_schema, data
    return by_models


def saved(robot, tmp_path):
    robot.save(tmp_path / "r.json")
    return json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_go_through_models_unchanged(name, tmp_path):
    data = saved(SYSTEMS[name]().robot, tmp_path)
    assert valid(data)
    assert m.ModelFile.model_validate(data).plain() == data


@pytest.mark.parametrize("seed", range(6))
def test_random_robots_go_through_models_to_the_bit(seed, tmp_path):
    rng = np.random.default_rng([1581, seed])
    robot = host(soft=seed % 3 == 1) if seed % 2 else random_robot(rng, laws=0.5, soft=0.3)
    robot = add_kinds(rng, robot, list(KINDS)[seed::6])
    functions = robot.save(tmp_path / "r.yaml")
    m.ModelFile.read(tmp_path / "r.yaml").save(tmp_path / "again.yaml")
    assert_same(robot, sp.load(tmp_path / "again.yaml", functions))


def places(data, path=()):
    """All places in plain data."""
    yield path
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


def test_models_and_schema_refuse_the_same(tmp_path):
    """Whatever is put wherever: both admit it, or neither does."""
    rng = np.random.default_rng(1582)
    texts = [json.dumps(saved(SYSTEMS[name]().robot, tmp_path)) for name in ("serial-arm", "parallel-robot", "drones")]
    values = (None, True, 0, -1.5, 3, "x", "${2 * r}", [], [1.0], {}, {"a": 1}, "Fixed", {"Fixed": {}}, {"Circle": {}})
    admitted = 0
    for _ in range(400):
        data = json.loads(texts[rng.integers(len(texts))])
        where = list(places(data))[1:]
        *path, last = where[min(len(where) - 1, int(rng.geometric(0.02)))]
        holder = data
        for key in path:
            holder = holder[key]
        if rng.random() < 0.3 and isinstance(holder, dict):
            holder["x" + str(last)] = holder.pop(last)
        else:
            holder[last] = values[rng.integers(len(values))]
        admitted += valid(data)
    assert 20 < admitted < 380


def test_files_are_written_in_python(tmp_path):
    rubber = m.Material(young=1e6, poisson=0.5, density=1070.0)
    rod = m.Rod(length=0.2, section=m.Circle(radius="${ends}"), material=rubber, strain=m.Legendre(bend_y=2))
    body = m.Rigid(mass=0.1, inertia=np.full(3, 1e-4))
    links = [m.Link(name="rod", body=rod, at=m.Pose(xyz=(0.0, 0.0, 0.1))), m.Link(name="tip", parent="rod", body=body)]
    tendon = m.Tendon(name="pull", route={"rod": (0.0, 0.008)})
    file = m.ModelFile(name="finger", parameters={"ends": [0.01, 0.005]}, links=links, loads=[tendon])
    file.gravity = (0.0, 0.0, -1.62)
    file.save(tmp_path / "finger.yaml")
    robot = sp.Robot("finger", gravity=(0.0, 0.0, -1.62))
    material = sp.Material(young=1e6, poisson=0.5, density=1070.0)
    robot.add_link(
        "rod", sp.Rod(0.2, sp.Circle((0.01, 0.005)), material, sp.Legendre(bend_y=2)), at=sp.pose((0, 0, 0.1))
    )
    robot.add_link("tip", sp.Rigid(0.1, [1e-4] * 3), parent="rod")
    robot.add(sp.Tendon("pull", {"rod": (0.0, 0.008)}))
    assert_same(robot, sp.load(tmp_path / "finger.yaml"))
    for wrong in (
        lambda: m.Circle(raduis=0.01),
        lambda: m.Rod(section=m.Circle(radius=0.01)),
        lambda: m.Rod(length="long", section="x"),
        lambda: m.Link(name="a", body={"Rood": {}}),
        lambda: m.Link(name=3, body=body),
        lambda: m.ModelFile(supple=99),
    ):
        with pytest.raises(pydantic.ValidationError):
            wrong()
    with pytest.raises(StorageError, match=r"end in \.yaml"):
        file.save(tmp_path / "a.txt")
    (tmp_path / "a.yaml").write_text("supple: 1\nlinks:\n  - {name: 3, body: {Rod: {}}}\n")
    with pytest.raises(FileError, match=r"(?s)a\.yaml: .*links\.0\.name"):
        m.ModelFile.read(tmp_path / "a.yaml")
    with pytest.raises(AttributeError, match="no attribute 'Rood'"):
        _ = m.Rood


def test_the_stub_is_up_to_date():
    """``python -m supple.files.models > src/supple/files/models.pyi`` writes it."""
    stub = Path(m.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert stub == "\n".join(m.stub()).rstrip() + "\n"


def test_nobody_else_loads_pydantic(tmp_path):
    code = "import sys, supple as sp; sp.load('finger.yaml'); print('pydantic' in sys.modules)"
    text = "supple: 1\nlinks:\n  - {name: a, body: {Rigid: {mass: 1, inertia: [1, 1, 1]}}}\n"
    (tmp_path / "finger.yaml").write_text(text)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
