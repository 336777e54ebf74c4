"""Names and numbers in model files to the letter: of robots, links and loads, of parameters; signs of zeros."""

import numpy as np
import pytest

import supple as sp
from round_trips import again, assert_same
from supple.cli.catalogue import make
from supple.errors import FileError

PARAMETRIC = """supple: 1
parameters:
  \u00b5: 0.5
links:
  - {name: tip, joint: {Revolute: {axis: x}}, body: {Rigid: {mass: "${2 * \u00b5}", inertia: [1, 1, 1]}}}
"""


def written(tmp_path, text):
    path = tmp_path / "robot.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_letters_that_look_alike_are_one_in_names_of_parameters(tmp_path):
    """A micro sign, as on keyboards, is a mu to Python: in keywords, and in what it parses."""
    path = written(tmp_path, PARAMETRIC)
    assert sp.load(path).links[0].body.mass == 1.0
    assert sp.load_design(path).names == ("\u03bc",)
    for name in ("\u00b5", "\u03bc"):
        assert sp.load(path, **{name: 2.0}).links[0].body.mass == 4.0
        assert make(str(path), [f"{name}=3"]).robot.links[0].body.mass == 6.0
    twice = PARAMETRIC.replace("links:", "  \u03bc: 2\nlinks:")
    with pytest.raises(FileError, match=r"line 4, parameters\.\u03bc: the parameter '\u03bc' is there twice"):
        sp.load(written(tmp_path, twice))


@pytest.mark.parametrize("value", [None, "2", True, [1.0, [2.0]], 10**400, np.nan])
def test_parameters_that_are_no_numbers_are_told_as_they_are(value, tmp_path):
    with pytest.raises(FileError, match=r"line 3, parameters\.mass: is .*, must be (a number|finite)"):
        sp.load(written(tmp_path, PARAMETRIC.replace("\u00b5", "mass")), mass=value)


NAMES = (
    "no",
    "1e5",
    "a: b",
    "C:\\x",
    "\x7f",
    "a\x85b",
    "a\u2028b",
    "\ufeffa",
    "\uffff",
    "x" * 3000,
    "?",
    "- a",
    "\U0001f600",
)


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_characters_come_back(name, ending, tmp_path):
    robot = sp.Robot(name)
    robot.add_link(name, sp.Rod(0.1, sp.Circle(0.01), sp.Material(1e6, density=1e3), sp.Legendre(bend_y=1)))
    robot.add_frame(f"{name} end", name)
    robot.add(sp.Tendon(f"{name} pull", {name: (0.0, 0.005)}))
    assert_same(robot, again(robot, tmp_path, ending))


@pytest.mark.parametrize("name", ["\ud800", "${x}", "a${"])
@pytest.mark.parametrize("place", ["robot", "link", "frame", "load"])
def test_names_that_files_cannot_hold_are_refused_before_they_are_written(name, place, tmp_path):
    names = dict.fromkeys(("robot", "link", "frame", "load"), "plain") | {place: name}
    robot = sp.Robot(names["robot"])
    robot.add_link(names["link"], sp.Rigid(1.0, (1.0, 1.0, 1.0)), sp.Revolute("x"))
    robot.add_frame(f"{names['frame']} end", names["link"])
    robot.add(sp.PointWrench(names["link"], (0.0,) * 6, name=names["load"]))
    with pytest.raises(sp.ModelError, match=r"which (holds what is no character|files would take for an expression)"):
        robot.save(tmp_path / "robot.yaml")
    assert not list(tmp_path.iterdir())


def test_zeros_of_either_sign_come_back_to_the_bit(tmp_path):
    robot = sp.Robot("r", gravity=(-0.0, 0.0, -9.81))
    robot.add_link("a", sp.Rigid(1.0, (1.0, 1.0, 1.0), (0.0, -0.0, 0.0)), sp.Revolute("x", stiffness=-0.0, damping=0.0))
    for ending in ("yaml", "json"):
        assert_same(robot, again(robot, tmp_path, ending))
