"""Model files: the same arrays to the bit, parameters, includes; what is wrong is told by file, line and key."""

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from helpers import random_robot
from load_kinds import KINDS, add_controller, add_kinds, host
from round_trips import again, assert_same
from supple.errors import FileError, ModelWarning
from supple.systems import SYSTEMS

pytestmark = pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_come_back_to_the_bit(name, ending, tmp_path):
    robot = SYSTEMS[name]().robot
    read = again(robot, tmp_path, ending)
    assert_same(robot, read)
    if ending == "yaml":
        assert_same(robot, again(read, tmp_path, "json"))  # once more, from what was read


@pytest.mark.parametrize("seed", range(16))
def test_random_robots_with_all_kinds_of_loads_come_back_to_the_bit(seed, tmp_path):
    rng = np.random.default_rng([77, seed])
    robot = host(soft=seed % 4 == 1) if seed % 2 else random_robot(rng, laws=0.5, splines=0.2)
    robot = add_kinds(rng, robot, list(KINDS)[seed % 8 :: 8])
    robot.add_frame("spot", robot.links[0].name, sp.pose(rng.standard_normal(3), rng.standard_normal(3)))
    if seed % 4 == 1 and robot.compile().nu:
        add_controller(robot, robot.compile().nu)
    assert_same(robot, again(robot, tmp_path, ("yaml", "json")[seed // 8]))


def test_every_kind_of_load_comes_back_to_the_bit(tmp_path):
    """Each by itself, on a robot that has a place for it: none is omitted by chance."""
    rng = np.random.default_rng(79)
    for kind in KINDS:
        robot = add_kinds(rng, host(soft=True), [kind], tries=20)
        assert len(robot.items) == 1, kind
        assert_same(robot, again(robot, tmp_path, ("yaml", "json")[rng.integers(2)]))


@pytest.mark.parametrize("seed", range(8))
def test_soft_bodies_come_back_to_the_bit(seed, tmp_path):
    rng = np.random.default_rng([78, seed])
    robot = random_robot(rng, soft=0.7)
    soft = sp.SoftBody(sp.ConstantCurvature(0.3), sp.Cylinder(0.3, 0.02), stiffness=(1.0, 2.0), density=900.0)
    robot.add_link("soft", soft)
    robot.add_frame("spot", ("soft", 0.3), sp.pose(rng.standard_normal(3)))
    robot.add_frame("inside", ("soft", (0.1, 0.01, 0.0)), sp.pose(rng.standard_normal(3)))
    robot.add(sp.PointWrench("soft", np.ones(6), s=0.7))
    robot.add(sp.PointWrench("soft", np.ones(6), s=(0.2, 0.0, 0.01)))
    assert_same(robot, again(robot, tmp_path, ("yaml", "json")[seed % 2]))


def test_nets_come_back_to_the_bit(tmp_path):
    robot = host()
    rope = sp.SpringNet.rope((0.3, 0.0, 0.0), (0.9, 0.0, 0.0), 5, mass=0.1, stiffness=100.0)
    rope.add_to(robot, "rope")
    assert_same(robot, again(robot, tmp_path, "yaml"))


def test_attached_robots_and_laws_come_back(tmp_path):
    part, robot = host(), sp.Robot("whole", massless="allow")
    part.add(sp.JointDrive("m", "b"))
    add_controller(part, 1)
    robot.add_link("nothing", sp.Rigid(0.0, np.zeros(3)), sp.Revolute("y"), facts={"joint": "j", "effort": 3.0})
    robot.attach(part, to="nothing", prefix="part/")
    law = 2.0 * sp.laws.Ramp(0.0, 1.0) + sp.laws.Sine(np.arange(6.0), 2.0)
    robot.add(sp.PointWrench("part/c", law))
    robot.add(sp.PointWrench("part/d", sp.laws.Spline([0.0, 1.0, 2.0], np.ones((3, 6)), ends="natural")))
    read = again(robot, tmp_path, "yaml")
    assert_same(robot, read)
    assert read.massless == "allow"
    pickle.loads(pickle.dumps(read.compile()))


def test_objects_that_are_as_by_default_come_back_to_the_bit(tmp_path):
    """A kind all of whose fields are as by default is written as its name, wherever it stands."""
    robot = host()
    robot.add_link("e", sp.Rigid.sphere(0.05, density=300.0), sp.Composite(sp.Translational(), sp.Euler()), "d")
    robot.add(sp.Contact("floor", sp.Spheres("a", n=3), sp.Plane(), stiffness=1e3))
    robot.add(sp.Fluid(name="water", links=("a",), drag={"a": sp.Drag()}, added_mass={"a": sp.AddedMass()}))
    robot.add(sp.Fluid(name="more", links=("a",), drag=sp.Drag(), added_mass=sp.AddedMass()))
    for ending in ("yaml", "json"):
        assert_same(robot, again(robot, tmp_path, ending))
    text = (tmp_path / "robot.yaml").read_text()
    assert "b: Plane" in text
    assert "[Translational, Euler]" in text
    sunk = sp.Robot("sunk")
    sunk.add_link("a", sp.Rod(0.2, sp.Circle(0.01), sp.Material(young=1e6, density=1e3), sp.Legendre(bend_y=1)))
    sunk.add(sp.Fluid())
    assert_same(sunk, again(sunk, tmp_path, "yaml"))
    for old, wrong, words in (
        ("[Translational,", "[Translatoinal,", "there is no kind 'Translatoinal', did you mean 'Translational'"),
        ("b: Plane", "b: Plan", "b is 'Plan', must be a shape"),
        ("loads:\n", "loads:\n  - Fluit\n", "there is no kind 'Fluit', did you mean 'Fluid'"),
    ):
        with pytest.raises(FileError, match=f"line \\d+, .*{words}"):
            sp.load(written(tmp_path, text.replace(old, wrong)))


def test_couplings_come_back_to_the_bit(tmp_path):
    robot = host()
    ball = sp.Rigid.sphere(0.05, density=300.0, tip=sp.pose((0.1, 0.0, 0.0)))
    for name, parent in (("e", "d"), ("f", "e")):
        robot.add_link(name, ball, sp.Revolute("y"), parent)
    robot.couple("e", to={"d": 0.3, "b.rotation": -1.1}, offset=0.1)
    robot.couple("f", to=["e", "a.bend_y_0"], function=lambda x, y: 0.3 * np.sin(x) + (1.5 + y) ** 2.5 / (2.0 + y))
    read = again(robot, tmp_path, "yaml")
    assert_same(robot, read)
    model = robot.compile()
    q = 0.1 * np.ones(model.n)
    np.testing.assert_array_equal(read.compile().mass_matrix(q), model.mass_matrix(q))
    for old, new, words in (
        ("follower: f", "follower: ff", "'ff'"),
        ("sin, 0", "sine, 0", "there is no operation 'sine', did you mean 'sin'"),
        ("sin, 0", "sin, 99", r"sin has the operands \[99\], must have 1, each from 0 to 1"),
        ("sin, 0", "sin, -1", r"sin has the operands \[-1\]"),
        ("sin, 0", "sin, 0.5", r"sin has the operands \[0.5\]"),
        ("sin, 0", "sin", r"sin has the operands \[\]"),
    ):
        text = (tmp_path / "robot.yaml").read_text()
        assert old in text
        with pytest.raises(FileError, match=f"(?s)line.*couplings.*{words}"):
            sp.load(written(tmp_path, text.replace(old, new)))


def test_what_a_file_does_not_hold_is_told(tmp_path):
    robot = host()
    robot.add(sp.Tendon("t", {"a": lambda X: (0.0, 0.01 * X)}))
    robot.add(sp.Spring("s", ("a", 1.0), ("b", 1.0), law=abs_law))
    with pytest.warns(ModelWarning) as told:
        functions = robot.save(tmp_path / "r.yaml")
    words = " ".join(str(warning.message) for warning in told)
    assert "tables of samples (Tendon: slope, Tendon: route)" in words or "Tendon: route, Tendon: slope" in words
    assert "'abs_law': ..." in words
    assert functions == {"abs_law": abs_law}
    with pytest.raises(FileError, match=r"r\.yaml, line \d+, loads\[1\]\.Spring\.law\.function: .*'abs_law' was not"):
        sp.load(tmp_path / "r.yaml")
    renamed = robot.save(tmp_path / "r.yaml", {"stiff": abs_law})
    assert renamed == {"stiff": abs_law}

    class Own(sp.Rigid.__mro__[1]):
        labels = ()

        def tabulate(self):
            raise AssertionError

        look = summary = tabulate

    robot.add_link("own", Own())
    with pytest.raises(sp.ModelError, match=r"link 'own': it is .*kind \(Own\) that files do not hold"):
        robot.save(tmp_path / "r.yaml")
    with pytest.raises(sp.StorageError, match=r"end in \.yaml"):
        robot.save(tmp_path / "r.txt")


def abs_law(l, rate):
    return 3.0 * l


FINGER = """
supple: 1
units: SI
name: finger   # written by hand
parameters:
  radius: 0.01
  young: 1e6
  ends: ["${radius}", "${0.5 * radius}"]
links:
  - name: rod
    at: {xyz: [0, 0, 0.1], rpy: [0, "${pi / 2}", 0]}
    body:
      Rod:
        length: 0.2
        section: {Circle: {radius: "${ends}"}}
        material: {Material: {young: "${young}", density: 1000}}
        strain: {Legendre: {bend_y: 2}}
  - name: tip
    parent: rod
    joint: {Revolute: {axis: y, stiffness: 0.1, limits: ["-inf", 1.0]}}
    body: {Rigid: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}}
frames:
  - {name: end, link: [rod, 0.5]}
loads:
  - Tendon: {name: pull, route: {rod: [0.0, "${0.8 * min(radius, 1)}"]}}
"""


def written(tmp_path, text, name="finger.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def by_hand(radius=0.01, young=1e6):
    robot = sp.Robot("finger")
    material = sp.Material(young=young, density=1000.0)
    rod = sp.Rod(0.2, sp.Circle((radius, 0.5 * radius)), material, sp.Legendre(bend_y=2))
    robot.add_link("rod", rod, at=sp.pose((0, 0, 0.1), (0, np.pi / 2, 0)))
    joint = sp.Revolute("y", stiffness=0.1, limits=(-np.inf, 1.0))
    robot.add_link("tip", sp.Rigid(0.1, [1e-4] * 3), joint, "rod")
    robot.add_frame("end", ("rod", 0.5))
    robot.add(sp.Tendon("pull", {"rod": (0.0, 0.8 * radius)}))
    return robot


def test_files_are_written_by_hand_with_parameters(tmp_path):
    path = written(tmp_path, FINGER)
    assert_same(by_hand(), sp.load(path))
    assert_same(by_hand(0.02), sp.load(path, radius=0.02))
    design = sp.load_design(path)
    assert design.values["radius"] == 0.01
    assert design.names == ("radius", "young", "ends")
    model = design.model(young=2e6)
    np.testing.assert_allclose(model.stiffness, by_hand(young=2e6).compile().stiffness)
    gradient = model.statics([0.1]).vjp(q=np.ones(model.n)).p
    assert set(gradient) == {"radius", "young", "ends"}
    with pytest.raises(FileError, match=r"line 6, parameters: there is no parameter 'raduis', did you mean 'radius'"):
        sp.load(path, raduis=1.0)


def test_files_include_files(tmp_path):
    written(tmp_path, FINGER)
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="hand"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous">'
        '<parent link="base"/><child link="hand"/></joint></robot>'
    )
    text = """
supple: 1
name: whole
include:
  - {file: arm.urdf, base: fixed}
links:
  - {name: palm, parent: hand, body: {Rigid: {mass: 1, inertia: [1, 1, 1]}}}
attach:
  - {file: finger.yaml, to: palm, prefix: a/, parameters: {radius: 0.02}}
  - {file: finger.yaml, to: [palm, 0], at: {xyz: [0, 0, 1]}, prefix: b/}
"""
    robot = sp.load(written(tmp_path, text, "whole.yaml"))
    assert [link.name for link in robot.links] == ["base", "hand", "palm", "a/rod", "a/tip", "b/rod", "b/tip"]
    assert robot.links[3].body.section.radius == (0.02, 0.01)
    assert_same(robot, again(robot, tmp_path, "json"))
    loop = written(tmp_path, "supple: 1\nattach:\n  - {file: loop.yaml}\n", "loop.yaml")
    with pytest.raises(FileError, match=r"loop\.yaml, line 3, attach\[0\]: .*includes itself"):
        sp.load(loop)
    for wrong, words in (
        ("gone.yaml", r"gone\.yaml: there is no such file"),
        ("gone.urdf", r"gone\.urdf: there is no such file"),
        ("finger.yaml, parameters: {radus: 1}", r"finger\.yaml, line 6, parameters: .*did you mean 'radius'"),
    ):
        with pytest.raises(FileError, match=rf"w\.yaml, line 3, include\[0\]: .*{words}"):
            sp.load(written(tmp_path, f"supple: 1\ninclude:\n  - {{file: {wrong}}}\n", "w.yaml"))


def test_warnings_tell_file_line_and_key(tmp_path):
    body = "{Rigid: {mass: 1, inertia: [1, 1, 9], physical: false}}"
    text = f"supple: 1\nlinks:\n  - name: a\n    joint: Free\n    body: {body}\n"
    with pytest.warns(ModelWarning, match=r"w\.yaml, line 5, links\[0\]\.body\.Rigid: .*no real body") as told:
        sp.load(written(tmp_path, text, "w.yaml"))
    assert told[0].filename == __file__


URDF = """<robot name="arm"><link name="base">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><geometry><mesh filename="package://arm_description/a.stl"/></geometry></visual>
</link></robot>
"""


def test_included_urdf_files_find_their_packages(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.stl").write_bytes(bytes(84))
    written(tmp_path, URDF, "arm.urdf")
    include = "supple: 1\ninclude:\n  - {file: arm.urdf%s}\n"
    with pytest.warns(ModelWarning, match=r"meshes that are not there.*a\.stl"):
        sp.load(written(tmp_path, include % "", "without.yaml"))
    robot = sp.load(written(tmp_path, include % ", packages: {arm_description: meshes}", "with.yaml"))
    assert Path(robot.links[0].body.shape.shape.file) == tmp_path / "meshes" / "a.stl"
    with pytest.raises(FileError, match=r"line 3.*packages.*a mapping of names of packages"):
        sp.load(written(tmp_path, include % ", packages: [meshes]", "list.yaml"))
    with pytest.raises(FileError, match=r"line 3.*'parameters' are those of model files, which arm\.urdf is not"):
        sp.load(written(tmp_path, include % ", parameters: {a: 1.0}", "given.yaml"))
    robot.save(tmp_path / "again.yaml")
    with pytest.raises(FileError, match=r"line 3.*'base' is for URDF files, which again\.yaml is not"):
        sp.load(written(tmp_path, "supple: 1\ninclude:\n  - {file: again.yaml, base: free}\n", "other.yaml"))


def test_numbers_of_json_and_yaml_are_the_same(tmp_path):
    path = tmp_path / "r.json"
    by_hand().save(path)
    data = json.loads(path.read_text())
    assert data["supple"] == 1
    twin = written(tmp_path, json.dumps(data), "r.yaml")  # JSON is YAML
    assert_same(sp.load(path), sp.load(twin))


WRONG = {
    "unknown field": (
        ("length: 0.2", "lenght: 0.2"),
        r"line 14, links\[0\]\.body\.Rod\.lenght: .*did you mean 'length'",
    ),
    "unknown kind": (("Circle", "Circel"), r"line 15.*kind 'Circel', did you mean 'Circle'"),
    "unknown key": (("frames:", "framse:"), r"line 23, framse: there is no key 'framse', did you mean 'frames'"),
    "missing field": (("length: 0.2", "points: 5"), r"line 14, links\[0\]\.body\.Rod: Rod has no 'length'"),
    "wrong value": (("length: 0.2", "length: -0.2"), r"line 14, links\[0\]\.body\.Rod: Rod: length is -0.2 m, must"),
    "wrong type": (("length: 0.2", "length: {a: 1}"), r"line 14, links\[0\]\.body\.Rod\.length: there is no kind 'a'"),
    "text": (("length: 0.2", "length: long"), r"body\.Rod\.length: is 'long', a text"),
    "unknown parent": (("parent: rod", "parent: rdo"), r"line 18, links\[1\]: .*no link 'rdo', did you mean 'rod'"),
    "unknown link": (("route: {rod:", "route: {rood:"), r"line 25, loads\[0\]: .*no link 'rood', did you mean 'rod'"),
    "no name of a link": (
        ("  - Tendon:", "  - PointWrench: {link: {xyz: [0, 0, 0]}, wrench: [0, 0, 0, 0, 0, 0]}\n  - Tendon:"),
        r"line 25, loads\[0\].*link",
    ),
    "unknown parameter": (("${ends}", "${end}"), r"line 15, .*\.radius: .*no parameter 'end', did you mean 'ends'"),
    "code": (("${ends}", "${__import__('os').system('true')}"), r"line 15.*arithmetic"),
    "call": (("${ends}", "${open(1)}"), r"there is no function 'open'"),
    "division by zero": (("${ends}", "${1/0}"), r"line 15.*(zero|finite)"),
    "power": (("${ends}", "${9.9**9**9**9}"), r"line 15"),
    "within a text": (("name: tip", 'name: "tip${radius}"'), r"line 18.*stands alone"),
    "not a number": (("radius: 0.01", "radius: .nan"), r"line 6, parameters\.radius"),
    "duplicate": (("units: SI", "supple: 1"), r"line 3: the key 'supple' is there twice"),
    "units": (("units: SI", "units: mm"), r"line 3, units: is 'mm', must be SI"),
    "no format": (("supple: 1", "x: 1"), r"line 2: has no key 'supple'"),
    "newer": (("supple: 1", "supple: 99"), r"line 2, supple: is 99, but this supple reads formats up to 1"),
    "alias": (("units: SI", "units: *a"), r"line 3: anchors and aliases are not read"),
    "anchor": (("units: SI", "units: &a SI"), r"line 3: anchors and aliases are not read"),
    "tag": (("units: SI", "units: !!python/object/apply:os.system [true]"), r"line 3: the tag .* is not read"),
    "syntax": (("units: SI", "units: [SI"), r"line \d+: not well-formed YAML"),
    "second document": (("units: SI", "---\nunits: SI"), r"line 3.*(second document|not well-formed)"),
    "tab": (("units: SI", "\tunits: SI"), r"line 3"),
    "a load that is none": (("- Tendon: {name", "- Circle: {radius: 1} #"), r"line 25, loads\[0\]: .*must be a load"),
    "two loads of a name": (
        ("loads:", "loads:\n  - Tendon: {name: pull, route: {rod: [0.0, 0.001]}}"),
        r"line 26, loads\[1\]: .*'pull'",
    ),
    "a link twice": (("name: tip", "name: rod"), r"line 18, links\[1\]: .*'rod'.*added before"),
    "own parent": (("parent: rod", "parent: tip"), r"line 10, links: .*'tip'.*cycle"),
    "keyword": (("radius: 0.01", "lambda: 0.01"), r"line 6, parameters\.lambda: 'lambda' is no name of a parameter"),
    "no pose": (("{xyz: [0, 0, 0.1]", "{xyz: [0, 0]"), r"line 11, links\[0\]\.at: pose: xyz has shape \(2,\)"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_told_by_file_line_and_key(kind, tmp_path):
    (old, new), words = WRONG[kind]
    assert old in FINGER
    with pytest.raises(FileError, match=f"(?s){words}") as raised:
        sp.load(written(tmp_path, FINGER.replace(old, new)))
    assert str(raised.value).startswith(str(tmp_path / "finger.yaml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("3", "line 1: is 3, must be a mapping"),
        ("[" * 100_000, "nested more than 60 deep"),
        ("{a: " * 100_000, "nested more than 60 deep"),
        ("a: " + "9" * 100_000, "a number of 100000 characters"),
        ("supple: 1\nx: [" + "1, " * 600_000 + "1]", "more than 150000 values"),
        ("# " + "x" * 4_100_000, "longer than the 4000000 bytes"),
        ("supple: 1\nlinks: 3", "line 2, links: is 3, must be a list"),
        ("supple: 1\nlinks: [3]", r"line 2, links\[0\]: is 3, must be a mapping"),
        ("supple: true", "line 1, supple: is True, must be the number"),
        ("supple: 1\nloads: [3]", r"line 2, loads\[0\]: must be a load"),
        ("supple: 1\nloads: [x]", r"line 2, loads\[0\]: there is no kind 'x'"),
        ("supple: 1\nname: []", "line 1: Robot: name is"),
        ("supple: 1\nparameters: {1a: 2}", "line 2, parameters.1a: '1a' is no name of a parameter"),
        ("supple: 1\nparameters: {a: b}", r"line 2, parameters\.a: is 'b', must be a number"),
        ("? [a]\n: b", "cannot be a key"),
    ],
)
def test_hostile_and_huge_files_are_refused(text, words, tmp_path):
    with pytest.raises(FileError, match=words):
        sp.load(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ends too early"),
        ('{"supple": 1,}', "line 1.*'}' where a key in quotes must be"),
        ('{"supple": 1\n "name": "a"}', "line 2.*'\"name\"' where ',' must be"),
        ('{"supple": 1} x', "something stands behind the end"),
        ('{"supple": NaN}', "'NaN}' cannot be read"),
        ('{"supple": "\\ud800\\u"}', "cannot be read"),
        ('{"supple": 1,\n "supple": 1}', "line 2: the key 'supple' is there twice"),
        ("[" * 100_000, "nested more than 60 deep"),
        ('{"supple": 1, "links": [1]}', r"links\[0\]: is 1, must be a mapping"),
        ("\0", "cannot be read"),
    ],
)
def test_wrong_json_is_told_by_line(text, words, tmp_path):
    with pytest.raises(FileError, match=words):
        sp.load(written(tmp_path, text, "r.json"))


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        sp.load(tmp_path / "a.yaml")
    with pytest.raises(FileError, match=r"end in \.yaml"):
        sp.load(tmp_path / "a.txt")
    (tmp_path / "b.yaml").write_bytes(b"a: 1\nb: \xff\xfe")
    with pytest.raises(FileError, match="line 2: is not UTF-8"):
        sp.load(tmp_path / "b.yaml")


@pytest.mark.parametrize("ending", ["yaml", "json", "urdf", "xml"])
def test_links_that_lead_to_themselves_and_folders_are_refused(ending, tmp_path):
    loop, folder = tmp_path / f"loop.{ending}", tmp_path / f"folder.{ending}"
    folder.mkdir()
    try:
        loop.symlink_to(loop)
    except OSError:
        pytest.skip("no symbolic links here")
    for path in (loop, folder):
        with pytest.raises(FileError, match=r"no such file|not a file"):
            sp.load(path)


def test_files_of_very_many_links_are_refused_before_any_is_made(tmp_path):
    link = "  - {name: a, body: b}\n"  # wrong, which nobody comes to see
    with pytest.raises(FileError, match=r"line 3, links: has 5001 links, more than the 5000 that are read"):
        sp.load(written(tmp_path, "supple: 1\nlinks:\n" + 5001 * link))
    with pytest.raises(FileError, match=r"line 1: <robot.*has 5001 links, more than the 5000 that are read"):
        sp.load(written(tmp_path, f"<robot name='r'>{5001 * '<link/>'}</robot>", "many.urdf"))


def test_a_failed_save_keeps_what_was_there(tmp_path):
    path = tmp_path / "r.yaml"
    by_hand().save(path)
    before = path.read_text()
    broken = by_hand()
    broken.add(sp.Spring("s", ("rod", 1.0), ("tip", 0.0), stiffness=1.0, rest_length=0.1))
    object.__setattr__(broken.items[-1], "stiffness", np.nan)
    with pytest.raises(sp.ModelError), warnings.catch_warnings():
        broken.save(path)
    assert path.read_text() == before
