"""MJCF files: the numbers of MuJoCo, what was omitted is told, the wrong and the hostile is refused by line."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pytest

import supple as sp
from mjcf_robots import ARM, COUPLED, FLOATING, ROBOTS, WEIGHED, mesh_of_an_l
from mujoco_numbers import FILE, numbers_of, states, written
from round_trips import assert_same
from supple.errors import FileError, ModelWarning
from supple.files.mjcf_shapes import tetrahedra
from supple.robot.mesh_files import read_mesh

STORED = np.load(FILE)


def loaded(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return sp.load_mjcf(path, **options)


def saved(tmp_path, text, name="robot.xml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def scaled(mine, theirs):
    return np.abs(mine - theirs).max() / max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("name", [*ROBOTS, *WEIGHED])
def test_robots_have_the_numbers_of_mujoco(name, merge, tmp_path):
    model = loaded(written(tmp_path, name), limits=False, merge=merge).compile()
    q, v, a, u = states(model, name)
    assert scaled(model.mass_matrix(q), STORED[f"{name}: M"]) < 1e-9
    assert scaled(model.inverse_dynamics(q, v, a), STORED[f"{name}: ID"]) < 1e-9
    assert scaled(model.internal_force(q, v, u), STORED[f"{name}: tau"]) < 1e-9
    poses = [key for key in STORED if key.startswith(f"{name}: pose ")]
    assert poses
    for key in poses:
        assert scaled(model.pose(q, key.rpartition("pose ")[2])[:3], STORED[key]) < 1e-12


@pytest.mark.parametrize("name", [*ROBOTS, *WEIGHED])
def test_what_is_stored_is_what_mujoco_says(name, tmp_path):
    pytest.importorskip("mujoco")
    for key, value in numbers_of(written(tmp_path, name), name).items():
        assert scaled(STORED[f"{name}: {key}"], value) < 1e-9


def test_coordinates_and_inputs_are_those_of_the_file(tmp_path):
    robot = loaded(saved(tmp_path, ARM))
    model = robot.compile()
    joints = [link.facts["joint"] for link in robot.links if "joint" in link.facts]
    assert joints == ["pan", "lift", "roll", "stroke", "swing"]
    assert model.input_names == ("pan_motor", "direct", "servo", "rate", "any", "jet")
    np.testing.assert_allclose(robot.links[1].joint.limit_bounds, np.radians([[-90.0, 120.0]]))
    np.testing.assert_allclose(robot.links[2].joint.rest_vector, np.radians([20.0]))
    assert robot.links[3].joint.friction_numbers[0, 0] == 0.1
    assert model.frame_names == ("elbow", "bracket", "tool")
    np.testing.assert_array_equal(robot.gravity, (0.3, -0.2, -9.7))
    assert not np.isfinite(loaded(saved(tmp_path, ARM), limits=False).links[1].joint.limit_bounds).any()
    light = loaded(saved(tmp_path, ARM), armature=False)
    assert not any("rotor" in link.name for link in light.links)


def test_what_was_left_out_is_told_once_and_stays_on_the_robot(tmp_path):
    path = saved(tmp_path, ARM)
    with pytest.warns(ModelWarning) as caught:
        robot = sp.load_mjcf(path)
    (warning,) = caught
    assert str(path) in str(warning.message)
    expected = ("ranges of inputs", "contact of 7 geoms", "1 x sensor: <jointpos>")
    assert all(text.startswith(start) for text, start in zip(robot.left_out, expected, strict=True))
    assert robot.copy().left_out == robot.left_out
    bare = BODY.format('<joint/><geom size="0.1" contype="0" conaffinity="0"/>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.load_mjcf(saved(tmp_path, bare)).left_out == ()


LEFT_OUT = {
    '<actuator><muscle name="m" joint="hip"/></actuator>': r"actuator 'm' \(<muscle>\)",
    '<actuator><general name="m" joint="ankle" dyntype="filter" dynprm="1"/></actuator>': "'m': its dynamics",
    '<actuator><general name="m" joint="ankle" gaintype="affine"/></actuator>': "'m': its gaintype is 'affine'",
    '<actuator><motor name="m" joint="hip"/></actuator>': "'m', of a ball or free joint",
    '<actuator><position name="m" joint="ankle" dampratio="1"/></actuator>': "'m': dampratio",
    '<tendon><fixed name="t"><joint joint="hip" coef="1"/></fixed></tendon>': "'t', which is over a ball",
    '<equality><joint joint1="hip" joint2="ankle"/></equality>': "of a ball joint",
    '<equality><connect body1="leg" body2="foot" anchor="0 0 0" active="false"/></equality>': "which is not active",
    '<equality><flex flex="x"/></equality>': r"\(<flex>\)",
    '<deformable><skin name="s"/></deformable>': "1 x deformable: <skin>",
    '<keyframe><key qpos="0"/></keyframe>': "1 x keyframe: <key>",
    '<option wind="1 0 0"/>': "wind of the medium",
    '<worldbody><body><joint name="p" stiffness="1 2"/></body></worldbody>': "'p': what is not linear of its stiffness",
    '<worldbody><body><freejoint name="p" align="true"/></body></worldbody>': "joint 'p' aligns nothing",
    '<compiler alignfree="true"/>': "joint 'root' aligns nothing",
}


@pytest.mark.parametrize("text", LEFT_OUT)
def test_kinds_of_what_does_not_map(text, tmp_path):
    robot = loaded(saved(tmp_path, FLOATING.replace("</mujoco>", f"{text}</mujoco>")))
    assert any(re.search(LEFT_OUT[text], entry) for entry in robot.left_out), robot.left_out


#: A class, then what holds a list that is cut short, and the list in full.
SHORT = {
    "size": ('<geom type="box" size="0.1 0.2 0.3"/>', '<geom size="{}"/>', "0.4 0.5", "0.4 0.5 0.3"),
    "class": ('<geom type="box" size="0.1 0.2 0.3"/>', '<geom class="inner" size="{}"/>', "0.4", "0.4 0.7 0.3"),
    "damping": ('<joint damping="2"/>', '<joint damping="{}"/><geom size="1"/>', "3", "3 0 0"),
    "gear": ('<motor gear="1 2 3 4 5 6"/>', '<motor site="s" gear="{}"/>', "7 8", "7 8 3 4 5 6"),
    "bias": ('<general biastype="affine" biasprm="1 -2 -3"/>', '<general joint="j" biasprm="{}"/>', "5", "5 -2 -3"),
    "polycoef": ("", '<joint joint1="j" joint2="k" polycoef="{}"/>', "0.1", "0.1 1"),
}


@pytest.mark.parametrize("name", SHORT)
def test_short_lists_keep_the_further_numbers_of_their_class(name, tmp_path):
    """As MuJoCo reads them: what is not given is as in the class, or as it is where nobody says anything."""
    default, element, short, full = SHORT[name]
    section = {"gear": "actuator", "bias": "actuator", "polycoef": "equality"}.get(name)

    def robot(numbers):
        given = element.format(numbers)
        inside, outside = (given, "") if section is None else ("", f"<{section}>{given}</{section}>")
        return loaded(
            saved(
                tmp_path,
                f"""<mujoco>
          <default>{default}<default class="inner"><geom size="0.6 0.7"/></default></default>
          <worldbody>
            <body name="b"><joint name="j"/><geom type="box" size="1 2 3" pos="1 0 0"/><site name="s"/></body>
            <body name="c"><joint name="k"/><inertial mass="1" pos="1 0 0" diaginertia="1 1 1"/></body>
            <body name="d">{inside or "<joint/><geom size='1'/>"}</body>
          </worldbody>{outside}</mujoco>""",
            )
        )

    assert_same(robot(short), robot(full))
    assert robot(short).left_out == robot(full).left_out


def test_bodies_that_are_connected_or_welded_close_loops(tmp_path):
    """A four-bar of bodies as the file puts them; where they meet, the loop is closed from the start."""
    bar = '<geom type="capsule" size="0.02" fromto="0 0 0 {x} 0 {z}"/><site name="{site}" pos="{x} 0 {z}"/>'
    text = f"""<mujoco><worldbody>
      <body name="crank"><joint axis="0 1 0" ref="30"/>{bar.format(x=0, z=0.3, site="p")}
        <body name="rod" pos="0 0 0.3"><joint axis="0 1 0"/>{bar.format(x=1, z=0.2, site="q")}</body>
      </body>
      <body name="rocker" pos="1 0 0"><joint axis="0 1 0"/>{bar.format(x=0, z=0.5, site="r")}
        <body name="flange" pos="0 0.1 0.2"/></body>
    </worldbody><equality>EQUALITY</equality></mujoco>"""
    cases = {
        '<connect name="pin" body1="rod" body2="rocker" anchor="1 0 0.2"/>': 2,
        '<connect name="pin" site1="q" site2="r"/>': 2,
        '<weld name="pin" body1="flange" body2="rod"/>': 3,
        '<weld name="pin" body1="rod" body2="flange" relpose="1 0.1 -0.1 1 0 0 0"/>': 3,
        '<weld name="pin" body1="rod"/>': 2,  # to the world: the rocker goes on
    }
    for equality, rows in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # rows that a plane mechanism does not need
            model = sp.load_mjcf(saved(tmp_path, text.replace("EQUALITY", equality))).compile()
        start = np.array([np.radians(30.0), 0.0, 0.0])
        assert np.abs(model.loop_error(start)).max() < 1e-12, equality
        assert np.linalg.matrix_rank(model.loop_jacobian(start + 0.1), 1e-8) == rows, equality


def test_joints_follow_by_polynomials_or_stand_still(tmp_path):
    text = COUPLED.replace('polycoef="0.1 0.8"', 'polycoef="0.1 0.8 -0.3 0.2 0.05"')
    model = loaded(saved(tmp_path, text)).compile()
    q = np.array([0.2, 0.5, -0.1])
    x = q[1] - np.radians(5.0)
    a3 = 0.1 + 0.8 * x - 0.3 * x**2 + 0.2 * x**3 + 0.05 * x**4
    between = np.linalg.inv(model.pose(q, "a2")) @ model.pose(q, "a3")
    np.testing.assert_allclose(between[:3, :3], sp.pose(rpy=(0.0, a3, 0.0))[:3, :3], atol=1e-12)
    held = loaded(saved(tmp_path, COUPLED.replace('joint2="a2" polycoef="0.1 0.8"', 'polycoef="0.3"'))).compile()
    assert held.forward_dynamics(np.full(held.n, 0.3), np.zeros(held.n)).efforts.shape == (1,)


SPATIAL = """<mujoco><worldbody>
  <site name="wall" pos="0 0 1"/>
  <body name="arm"><joint axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 1 0 0"/>
    <site name="end" pos="1 0 0.1"/><site name="middle" pos="0.5 0 0.1"/>
    <body name="hand" pos="1 0 0"><joint axis="0 1 0" pos="0.05 0 0"/><geom type="sphere" size="0.1"/>
      <site name="tip" pos="0.2 0 0.1"/></body>
  </body></worldbody>
  <tendon><spatial name="line" STIFF><site site="wall"/>SITES</spatial></tendon>
  <actuator>ACTUATOR</actuator></mujoco>"""


def test_spatial_tendons_are_springs_cables_and_tendons(tmp_path):
    def model_of(stiff, sites, actuator=""):
        named = "".join(f'<site site="{site}"/>' for site in sites)
        text = SPATIAL.replace("STIFF", stiff).replace("SITES", named).replace("ACTUATOR", actuator)
        return loaded(saved(tmp_path, text))

    q, zero = np.array([0.2, -0.3]), np.zeros(2)
    bare = model_of("", ["end"]).compile()

    def length(q, sites):
        points = [np.array([0.0, 0.0, 1.0]), *(bare.pose(q, site)[:3, 3] for site in sites)]
        return sum(np.linalg.norm(b - a) for a, b in pairwise(points))

    def slope(sites):
        return np.array([(length(q + h, sites) - length(q - h, sites)) / 2e-6 for h in 1e-6 * np.eye(2)])

    for sites in (["tip"], ["middle", "tip"]):
        robot = model_of('stiffness="50" springlength="0.5"', sites)
        extra = robot.compile().inverse_dynamics(q, zero, zero) - bare.inverse_dynamics(q, zero, zero)
        np.testing.assert_allclose(extra, 50.0 * (length(q, sites) - 0.5) * slope(sites), rtol=1e-6)
    at_start = model_of('stiffness="50"', ["tip"]).items[0]
    np.testing.assert_allclose(at_start.rest_length, length(np.zeros(2), ["tip"]), rtol=1e-12)
    pulled = model_of("", ["middle", "tip"], '<motor name="pull" tendon="line" gear="-1"/>').compile()
    expected = -3.0 * slope(["middle", "tip"])
    np.testing.assert_allclose(
        pulled.internal_force(q, zero, [3.0]) - pulled.internal_force(q, zero, [0.0]), expected, rtol=1e-6
    )
    pushed = model_of("", ["tip"], '<motor name="push" tendon="line"/>')
    assert any("only a pull of gear -1" in entry for entry in pushed.left_out)


def test_meshes_of_mujoco_are_read(tmp_path):
    mesh = read_mesh(written(tmp_path, "exact").with_name("l.obj"))
    counts = np.array([len(mesh.vertices), 0, 0, len(mesh.faces)], "<i4").tobytes()
    body = mesh.vertices.astype("<f4").tobytes() + mesh.faces[:, :3].astype("<i4").tobytes()
    (tmp_path / "l.msh").write_bytes(counts + body)
    again = read_mesh(tmp_path / "l.msh")
    np.testing.assert_array_equal(again.corners, mesh.corners)
    assert tetrahedra(again.corners[:, :3], np.zeros(3), True)[0] == pytest.approx(4.0)
    for wrong in (b"", counts, counts + body + b"x", counts + body[:-4] + b"\xff\xff\xff\x7f", b"\xff" * 16 + body):
        (tmp_path / "l.msh").write_bytes(wrong)
        with pytest.raises(FileError, match="is no MSH file"):
            read_mesh(tmp_path / "l.msh")


@pytest.mark.parametrize("weighed", WEIGHED)
def test_meshes_without_volume_are_told(weighed, tmp_path):
    path = written(tmp_path, weighed)
    path.with_name("l.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n")
    robot = loaded(path)
    assert robot.links[0].body.mass == 0.0
    assert any("the mass of mesh 'l'" in entry for entry in robot.left_out)


def test_files_include_files_of_their_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    part = '<mujocoinclude><body name="b"><joint/><geom size="0.1"/></body></mujocoinclude>'
    saved(tmp_path / "parts", part, "b.xml")
    main = '<mujoco><worldbody><include file="{file}"/></worldbody></mujoco>'
    assert loaded(saved(tmp_path, main.format(file="parts/b.xml"))).links[0].name == "b"
    (tmp_path / "inner").mkdir()
    outside = saved(tmp_path / "inner", main.format(file="../parts/b.xml"))
    with pytest.raises(FileError, match=r"line 1: <include>: '\.\./parts/b\.xml' is outside of .*load_mjcf\(folder="):
        sp.load_mjcf(outside)
    assert loaded(outside, folder=tmp_path).links[0].name == "b"
    twice = main.format(file="parts/b.xml").replace("</worldbody>", '<include file="parts/b.xml"/></worldbody>')
    with pytest.raises(FileError, match="is included already"):
        sp.load_mjcf(saved(tmp_path, twice))
    with pytest.raises(FileError, match="is included already"):
        sp.load_mjcf(saved(tmp_path, main.format(file="robot.xml")))
    saved(tmp_path / "parts", '<mujocoinclude><body name="b"><joint axis="0 0 nan"/></body></mujocoinclude>', "b.xml")
    with pytest.raises(FileError, match=r"b\.xml, line 1: <joint>: axis holds 'nan'"):
        sp.load_mjcf(saved(tmp_path, main.format(file="parts/b.xml")))


MESHES = '<asset><mesh name="l" file="{}"/></asset>'


@pytest.mark.parametrize(
    ("place", "options", "named", "included"),
    [
        ("l.obj", "", "l.obj", True),  # where the file is that all begins with
        ("parts/l.obj", "", "l.obj", True),  # beside the included file
        ("shapes/l.obj", "", "../shapes/l.obj", True),
        ("shapes/l.obj", '<compiler meshdir="shapes"/>', "l.obj", True),
        ("l.obj", '<compiler strippath="true"/>', "C:\\robots/meshes/l.obj", False),
        ("shapes/l.obj", '<compiler strippath="true" meshdir="shapes"/>', "meshes\\l.obj", False),
    ],
)
def test_meshes_are_found_where_mujoco_finds_them(place, options, named, included, tmp_path):
    for folder in ("parts", "shapes"):
        (tmp_path / folder).mkdir()
    saved(tmp_path, mesh_of_an_l(), place)
    saved(tmp_path, f"<mujocoinclude>{MESHES.format(named)}</mujocoinclude>", "parts/assets.xml")
    assets = '<include file="parts/assets.xml"/>' if included else MESHES.format(named)
    body = '<worldbody><body><joint/><geom type="mesh" mesh="l"/></body></worldbody>'
    robot = loaded(saved(tmp_path, f"<mujoco>{options}{assets}{body}</mujoco>"))
    assert robot.links[0].body.mass > 0.0, robot.left_out


def test_included_files_include_those_beside_them(tmp_path):
    """What begins them may be called anything: it is left away."""
    (tmp_path / "parts").mkdir()
    include = '<{0}><include file="{1}"/></{0}>'
    saved(tmp_path, include.format("part", "inner.xml"), "parts/outer.xml")
    saved(tmp_path, '<part><body name="beside"><joint/></body></part>', "parts/inner.xml")
    main = saved(tmp_path, f"<mujoco>{include.format('worldbody', 'parts/outer.xml')}</mujoco>")
    assert loaded(main).links[0].name == "beside"
    saved(tmp_path, '<part><body name="first"><joint/></body></part>', "inner.xml")
    assert loaded(main).links[0].name == "first"


BODY = '<mujoco><worldbody><body name="a">{}</body></worldbody></mujoco>'
WRONG = {
    '<robot name="r"/>': r"<robot>: an MJCF file begins with <mujoco>: it is a URDF, see load_urdf",
    "<mujoco>": "not well-formed XML",
    '<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>': "a document type or an entity",
    '<mujoco><compiler coordinate="global"/></mujoco>': "coordinate is 'global'",
    '<mujoco><compiler angle="grad"/></mujoco>': "angle is 'grad', did you mean 'radian'",
    '<mujoco><compiler eulerseq="xyw"/></mujoco>': "eulerseq is 'xyw'",
    BODY.format('<joint axis="0 0 0"/><geom size="1"/>'): "its axis is the zero vector",
    BODY.format('<joint axis="0 0 1,5"/><geom size="1"/>'): "axis holds '1,5'.*write decimals with a point",
    BODY.format('<joint type="hing"/>'): "type is 'hing', did you mean 'hinge'",
    BODY.format('<joint damping="-1"/>'): "damping is -1, must not be negative",
    BODY.format('<inertial mass="-1" pos="0 0 0"/>'): "mass is -1 kg, must not be negative",
    BODY.format('<geom size="1" mass="-1"/>'): "mass or density is negative",
    BODY.format('<geom size="1" quat="0 0 0 0"/>'): "quat has no direction",
    BODY.format('<geom type="capsule" size="1" fromto="1 0 0 1 0 0"/>'): "the same point",
    BODY.format('<geom size="1" class="heavy"/>'): "there is no default class 'heavy'; known are: main",
    BODY.format('<body name="a"/>'): "there is a body of this name already",
    BODY.format('<joint name="j"/><joint name="j"/>'): "there is a joint of this name already",
    BODY.format("<joint/>").replace("</mujoco>", '<actuator><motor joint="x"/></actuator></mujoco>'): "no joint 'x'",
    BODY.format("<joint/>").replace("</mujoco>", '<equality><weld body1="x"/></equality></mujoco>'): "no body 'x'",
    "<mujoco><default><default/></default></mujoco>": "a default inside another must have a class",
    '<mujoco><worldbody><include file="/etc/passwd"/></worldbody></mujoco>': "is outside of",
    '<mujoco><worldbody><include file="\ud7ff"/></worldbody></mujoco>': "there is no such file",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_refused_with_line_and_element(text, tmp_path):
    with pytest.raises(FileError, match=WRONG[text]) as refused:
        loaded(saved(tmp_path, text))
    assert str(tmp_path) in str(refused.value)


def test_huge_files_end_within_a_second(tmp_path):
    from time import process_time

    deep = "<mujoco><worldbody>" + '<body name="a">' * 5000
    wide = "<mujoco><worldbody>" + "<body/>" * 200_000 + "</worldbody></mujoco>"
    for text in (deep, wide):
        begun = process_time()
        with pytest.raises(FileError, match=r"nested more than|more than \d+ elements"):
            sp.load_mjcf(saved(tmp_path, text))
        assert process_time() - begun < 5.0


def test_files_of_mujoco_become_model_files(tmp_path):
    robot = loaded(saved(tmp_path, ARM))
    robot.save(tmp_path / "arm.yaml")
    mine, again = robot.compile(), sp.load(tmp_path / "arm.yaml").compile()
    q = np.linspace(-0.5, 0.5, mine.n)
    np.testing.assert_array_equal(again.mass_matrix(q), mine.mass_matrix(q))
    including = saved(tmp_path, "supple: 1\ninclude:\n  - {file: robot.xml, prefix: left/}\n", "two.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        both = sp.load(including)
        by_ending = sp.load(tmp_path / "robot.xml")
    assert both.links[1].name == "left/pan"
    assert by_ending.compile().n == mine.n


def test_mesh_of_an_l_is_closed():
    assert mesh_of_an_l().count("\nf ") == 20
