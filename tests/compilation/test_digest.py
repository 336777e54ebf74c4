"""What a model is known by: every part counts, what does not move it does not, and a message says what differs."""

import os
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import supple as sp
from load_cases import loaded_case
from load_kinds import KINDS, add_kinds, host
from supple.compilation.digest import differences, told


def build(**changes):
    """A robot of one rod and one body, of which one thing is changed."""
    given = {
        "gravity": (0.0, 0.0, -9.81), "young": 1e6, "viscosity": 10.0, "density": 1000.0, "length": 0.5, "radius": 0.01,
        "strain": sp.Legendre(bend_y=2), "points": 5, "rest": (0, 0, 0, 1, 0, 0), "at": sp.pose((0, 0, 1)),
        "joint": sp.Revolute("y"), "mass": 1.0, "wrench": np.arange(6.0), "spring": 3.0, "names": ("arm", "hand"),
        "offset": 0.005, "robot": "tentacle", "speed": 1.0, "gain": 2.0, "extra": (), "limit": 2.0, "parent": "arm",
    } | changes  # fmt: skip
    arm, hand = given["names"]
    material = sp.Material(young=given["young"], density=given["density"], viscosity=given["viscosity"])
    section = sp.Circle(given["radius"])
    rod = sp.Rod(given["length"], section, material, given["strain"], points=given["points"], rest_strain=given["rest"])
    robot = sp.Robot(given["robot"], given["gravity"])
    robot.add_link(arm, rod, at=given["at"])
    parent = arm if given["parent"] == "arm" else "world"
    robot.add_link(hand, sp.Rigid(given["mass"], (0.1, 0.1, 0.1)), joint=given["joint"], parent=parent)
    motor = sp.Rigid(0.1, (0.1, 0.1, 0.1))
    robot.add_link("motor", motor, joint=sp.Revolute("z", limits=(-given["limit"], 2.0), limit_stiffness=9.0))
    robot.add(sp.PointWrench(arm, given["wrench"], name="push"))
    robot.add(sp.Tendon("tendon", {arm: lambda X: (given["offset"], 0.0)}))
    robot.add(sp.Spring("spring", (hand, 0.0), ("world", 0.0), stiffness=given["spring"]))
    speed, gain = given["speed"], given["gain"]
    robot.add(sp.Prescribed("motor", lambda t: (speed * t, speed, 0.0)))
    robot.add(sp.Controller([0.0], lambda t, q, v, z: -z, lambda t, q, v, z: gain * np.ones(1), name="control"))
    for item in given["extra"]:
        robot.add(item)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        return robot.compile()


CHANGES = {
    "gravity": ((0.0, 0.0, -9.8), "robot: gravity differs"),
    "young": (1.0001e6, "link 'arm': stiffness differs"),
    "viscosity": (11.0, "link 'arm': damping differs"),
    "density": (1001.0, "link 'arm': inertia differs"),
    "radius": (0.011, "link 'arm': stiffness, damping and inertia differ"),
    "length": (0.51, "link 'arm': stiffness, damping, inertia, length and points and basis differ"),
    "strain": (sp.Monomial(bend_y=2), "link 'arm': .*basis differ"),
    "rest": ((0, 0.1, 0, 1, 0, 0), "link 'arm': rest strain differs"),
    "at": (sp.pose((0, 0.1, 1)), "link 'arm': place differs"),
    "parent": ("world", "link 'hand': place differs"),
    "joint": (sp.Revolute("z"), "link 'hand': joint differs"),
    "mass": (1.1, "link 'hand': inertia differs"),
    "limit": (2.1, "link 'motor': limits differs"),
    "wrench": (np.ones(6), "PointWrench 'push': data 'wrenches' differs"),
    "offset": (0.006, "Tendon 'tendon': data 'line' differs"),
    "spring": (3.1, "Spring 'spring': data 'linear' differs"),
    "speed": (1.1, "Prescribed 'motor': motion differs"),
    "gain": (2.1, "Controller 'control': output differs"),
    "robot": ("arm", "robot: name differs"),
    "names": (("arm", "tip"), "link 'tip' is not in the file; the file has link 'hand'"),
    "extra": ((sp.PointWrench("arm", np.ones(6)),), "^PointWrench 'wrench' is not in the file$"),
}


@pytest.fixture(scope="module")
def original():
    return build().digest


@pytest.mark.parametrize("what", CHANGES)
def test_every_part_counts_and_is_named(what, original):
    value, message = CHANGES[what]
    sentences = told(differences(build(**{what: value}).digest.parts, original.parts))
    assert re.search(message, sentences), sentences


def test_the_same_description_gives_the_same_digest(original):
    assert build().digest == original
    assert original.unknown == ()


@pytest.mark.parametrize("seed", range(6))
def test_using_a_model_does_not_change_it(seed):
    """Scratch, notes of failures, tables that laws keep: none of it is content."""
    case = loaded_case(seed)
    before = case.model.digest
    case.model.residual_tangent(case.q, case.v, case.a, case.u)
    assert case.model.digest == before


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_load_is_known_again(kind):
    """Described again, sent to another process, used well and badly: the same load."""
    model, twin = (add_kinds(np.random.default_rng(3), host(), [kind], tries=20).compile() for _ in range(2))
    before, q = model.digest, np.full(model.n, 0.1)
    assert before == twin.digest
    assert before.unknown == ()
    model.residual_tangent(q, q, q)
    with pytest.raises(sp.StateError):
        model.residual(np.nan * q, q, q)
    assert model.digest == before
    assert cloudpickle.loads(cloudpickle.dumps(model)).digest == before


def test_many_differences_are_counted():
    sentences = [f"link {k}: stiffness differs" for k in range(9)]
    assert told(sentences).endswith("link 5: stiffness differs; and 3 more")


def test_a_model_is_known_in_another_process(original):
    """By users' functions, too, and whatever Python's hashes are."""
    script = "import test_digest; print(test_digest.build().digest.text())"
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), str(Path(sp.__file__).parent.parent)])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "5"}
    found = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == original.text()


def test_compiling_looks_at_nothing(monkeypatch):
    """Digests and tables are made when they are asked for."""

    def never(*arguments):
        raise AssertionError("too early")

    monkeypatch.setattr("supple.compilation.digest.fingerprint", never)
    monkeypatch.setattr("supple.robot.summary.text_table", never)
    build()


NOTEBOOK = """
import numpy as np, supple as sp
from test_digest import build
print(repr(build().description))
for k in range(3): model = build()
_ = model.simulate([0.0, 0.01], u=lambda t: np.ones(1)).save({file!r})
print(model.digest.text())
"""


@pytest.mark.slow
def test_a_notebook_displays_nothing_and_its_files_load_here(tmp_path, original):
    """rich displays tables in a notebook instead of writing them where it is told to."""
    import nbformat
    from nbclient import NotebookClient

    here, file = Path(__file__).parent, tmp_path / "run.npz"
    paths = [str(here), str(here.parent), str(Path(sp.__file__).parent.parent)]
    first = f"import sys; sys.path[:0] = {paths!r}"
    cells = [first, *textwrap.dedent(NOTEBOOK.format(file=str(file))).strip().splitlines()]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook's own machinery
        NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = [cell["outputs"] for cell in notebook.cells]
    shown = [output for cell in outputs for output in cell if output["output_type"] != "stream"]
    assert shown == []
    texts = ["".join(output["text"] for output in cell if output["name"] == "stdout") for cell in outputs]
    assert eval(texts[3]) == build().description
    assert texts[6].strip() == original.text()
    motion = sp.Trajectory.load(file, build())
    assert motion.description == build().description
    assert len(motion) == 2
