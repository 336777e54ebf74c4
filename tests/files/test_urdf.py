"""URDF files: the numbers of Pinocchio, the rough accepted, the wrong refused by line and element."""

import re

import numpy as np
import pytest

import supple as sp
from supple.errors import FileError, ModelWarning
from urdf_robots import ROBOTS, seven_axis_arm

pin = pytest.importorskip("pinocchio")
from pinocchio_states import Twin  # noqa: E402


def written(tmp_path, text, name="robot.urdf"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def scaled(mine, theirs):
    return np.abs(mine - theirs).max() / max(1.0, np.abs(theirs).max())


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "gripper"])
def test_robots_have_the_numbers_of_pinocchio(name, base, tmp_path):
    rng = np.random.default_rng([5, list(ROBOTS).index(name), base == "free"])
    path = written(tmp_path, ROBOTS[name](rng))
    robot = sp.load_urdf(path, base)
    model = robot.compile()
    theirs = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if base == "free" else []))
    twin = Twin(model, robot, theirs)
    assert model.n == theirs.nv
    for _ in range(2):
        q, v, a = 0.6 * rng.standard_normal((3, model.n))
        pin.framesForwardKinematics(theirs, twin.data, twin.q(q))
        named = [*model.link_names, *model.frame_names]
        known = [(link, "world" if link == "world_link" else link) for link in named]
        assert len(named) >= len(theirs.names) - 1
        for own, other in known:
            assert scaled(model.pose(q, own), twin.data.oMf[theirs.getFrameId(other, pin.BODY)].homogeneous) < 1e-10
        assert scaled(model.mass_matrix(q), twin.mass_matrix(q)) < 1e-10
        assert scaled(model.inverse_dynamics(q, v, a), twin.inverse_dynamics(q, v, a)) < 1e-10
        _, by_q, by_v, _ = model.inverse_dynamics_derivatives(q, v, a)
        for mine, other in zip((by_q, by_v), twin.derivatives(q, v, a), strict=True):
            assert scaled(mine, other) < 1e-10


def test_joints_that_mimic_others_are_eliminated(tmp_path):
    """q = G x + c of all joints that Pinocchio has, of which ours has the leaders."""
    rng = np.random.default_rng(9)
    path = written(tmp_path, ROBOTS["gripper"](rng))
    model = sp.load_urdf(path).compile()
    assert model.coordinate_names == ("finger_1.translation",)
    theirs = pin.buildModelFromUrdf(str(path))
    data, G, c = theirs.createData(), np.zeros((3, 1)), np.zeros(3)
    names = list(theirs.names)
    for name, ratio, offset in (("finger_1", 1.0, 0.0), ("finger_2", 1.0, 0.0), ("knuckle", -2.5, 0.1)):
        row = theirs.joints[names.index(f"{name}_joint")].idx_v
        G[row], c[row] = ratio, offset
    q, v, a = rng.standard_normal((3, 1))
    pin.framesForwardKinematics(theirs, data, G @ q + c)
    for name in model.link_names:
        assert scaled(model.pose(q, name), data.oMf[theirs.getFrameId(name, pin.BODY)].homogeneous) < 1e-10
    full = G @ q + c, G @ v, G @ a
    M = pin.crba(theirs, data, full[0])
    assert scaled(model.mass_matrix(q), G.T @ (np.triu(M) + np.triu(M, 1).T) @ G) < 1e-10
    assert scaled(model.inverse_dynamics(q, v, a), G.T @ pin.rnea(theirs, data, *full)) < 1e-10
    _, by_q, by_v, _ = model.inverse_dynamics_derivatives(q, v, a)
    dq, dv, _ = pin.computeRNEADerivatives(theirs, data, *full)
    assert scaled(by_q, G.T @ dq @ G) < 1e-10
    assert scaled(by_v, G.T @ dv @ G) < 1e-10


def test_every_link_of_a_file_has_a_pose(tmp_path):
    text = seven_axis_arm(np.random.default_rng(1))
    robot = sp.load_urdf(written(tmp_path, text))
    model = robot.compile()
    assert model.link_names == tuple(f"link{i}" for i in range(8))
    assert model.frame_names == ("flange", "hand", "tcp")
    q = 0.3 * np.arange(7.0)
    apart = sp.load_urdf(written(tmp_path, text), merge=False).compile()
    assert apart.frame_names == ()
    assert "tcp" in apart.link_names
    for name in model.frame_names:
        np.testing.assert_allclose(model.pose(q, name), apart.pose(q, name), atol=1e-14)
        np.testing.assert_allclose(model.jacobian(q, name), apart.jacobian(q, name), atol=1e-14)
    np.testing.assert_allclose(model.mass_matrix(q), apart.mass_matrix(q), atol=1e-13)
    assert robot.links[1].facts == {"joint": "link1_joint", "effort": 87.0, "velocity": 2.2, "friction": 0.0}
    np.testing.assert_array_equal(robot.links[1].joint.limit_bounds, [[-2.8, 2.8]])
    assert robot.links[1].joint.damping_matrix[0, 0] == 0.5
    assert not np.isfinite(sp.load_urdf(written(tmp_path, text), limits=False).links[1].joint.limit_bounds).any()


# ---------------------------------------------------------------------- rough files

TWO = """<robot name="two">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint>
</robot>
"""


@pytest.mark.parametrize(
    ("encoded", "joint"),
    [
        (TWO.replace("\n", "\r\n").encode(), "j"),
        (b"\xef\xbb\xbf" + TWO.encode(), "j"),
        (TWO.encode("utf-16"), "j"),
        (b"\n \n<?xml version='1.0'?>" + TWO.encode(), "j"),
        (TWO.replace('"j"', '"Gelenk für é"').encode(), "Gelenk für é"),
        (TWO.replace('"j"', '"Gelenk für"').encode("latin-1"), "Gelenk für"),
        (b"<?xml version='1.0' encoding='iso-8859-1'?>" + TWO.replace('"j"', '"für"').encode("latin-1"), "für"),
        (TWO.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').encode(), "j"),
    ],
)
def test_encodings_are_taken_as_they_come(encoded, joint, tmp_path):
    robot = sp.load_urdf(written(tmp_path, encoded))
    assert robot.links[1].facts["joint"] == joint
    np.testing.assert_array_equal(robot.links[1].joint.factors()[0][:3, 0], (1.0, 0.0, 0.0))  # x if it has no axis


def test_moving_links_without_mass_have_kinematics_and_inverse_dynamics(tmp_path):
    text = TWO.replace('<mass value="1"/>', '<mass value="0"/>').replace('"1"', '"0"')
    with pytest.warns(ModelWarning, match=r"move no inertia.*'arm'"):
        robot = sp.load_urdf(written(tmp_path, text))
    model = robot.compile()
    q = np.array([0.3])
    assert model.inverse_dynamics(q, q, q) == 0.0
    with pytest.raises(sp.SingularError, match="arm"):
        model.forward_dynamics(q, q)


def test_strange_inertias_are_warned_of_and_harmless_where_they_do_not_move(tmp_path):
    with pytest.warns(ModelWarning, match=r"line 3: link 'arm'.*no real body"):
        sp.load_urdf(written(tmp_path, TWO.replace('iyy="1"', 'iyy="-1"')))
    with pytest.warns(ModelWarning, match=r"line 3: link 'arm'.*no real body"):
        sp.load_urdf(written(tmp_path, TWO.replace('ixx="1"', 'ixx="100"')))
    fixed = TWO.replace('type="revolute"', 'type="fixed"').replace('ixx="1"', 'ixx="-1"')
    assert len(sp.load_urdf(written(tmp_path, fixed)).links) == 1  # no warning


def test_a_mesh_of_a_strange_scale_is_left_out_and_told(tmp_path):
    mesh = '<visual><geometry><mesh filename="a.stl" scale="1 1 1 1"/></geometry></visual>'
    with pytest.warns(ModelWarning, match=r"line 2: a <visual> of link 'base' is a mesh of scale '1 1 1 1'.*omitted"):
        sp.load_urdf(written(tmp_path, TWO.replace('<link name="base"/>', f'<link name="base">{mesh}</link>')))


def test_a_link_called_world_is_the_world_unless_it_moves(tmp_path):
    text = TWO.replace('"base"', '"world"')
    assert [link.parent for link in sp.load_urdf(written(tmp_path, text)).links] == ["world"]
    free = sp.load_urdf(written(tmp_path, text.replace('<link name="world"/>', '<link name="world"/>')), "free")
    assert [link.name for link in free.links] == ["world_link", "arm"]


def test_what_is_left_out_is_told(tmp_path):
    text = TWO.replace(
        '<link name="base"/>',
        '<link name="base"><visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>'
        "<visual><geometry><torus/></geometry></visual><visual/>"
        '<visual><geometry><box size="0 1 1"/></geometry></visual></link>',
    )
    more = '<limit lower="1" upper="0"/><dynamics friction="0.3"/><mimic joint="x"/>'
    text = text.replace('<child link="arm"/>', f'<child link="arm"/>{more}')
    with pytest.warns(ModelWarning) as caught:
        robot = sp.load_urdf(written(tmp_path, text))
    told = "\n".join(str(warning.message) for warning in caught)
    expected = "package://nowhere/a.stl", "<torus>", "has no geometry", "size 0 m", "[1, 0]"
    for words in (*expected, "joint 'x', which is not there"):
        assert words in told
    assert robot.links[1].facts == {"joint": "j", "friction": 0.3}


TOOL = '<link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'


def test_a_joint_that_mimics_a_fixed_one_moves_on_its_own(tmp_path):
    mimic = '<joint name="k" type="revolute"><parent link="base"/><child link="tool"/><mimic joint="j"/></joint>'
    text = TWO.replace("revolute", "fixed").replace("</robot>", f"{TOOL}{mimic}</robot>")
    with pytest.warns(ModelWarning, match="joint 'k': mimics joint 'j', which is fixed: moves on its own"):
        robot = sp.load_urdf(written(tmp_path, text))
    assert robot.compile().coordinate_names == ("tool.rotation",)


def test_friction_of_joints_acts(tmp_path):
    dynamics = '<dynamics damping="0.5" friction="0.3"/>'
    robot = sp.load_urdf(written(tmp_path, TWO.replace('<child link="arm"/>', f'<child link="arm"/>{dynamics}')))
    model = robot.compile()
    force = model.internal_force(np.zeros(model.n), np.full(model.n, 2.0))
    np.testing.assert_allclose(force, -(0.5 * 2.0 + 0.3), rtol=1e-6)


@pytest.mark.parametrize("name", ["damping", "friction"])
def test_friction_of_planar_joints_is_left_out(tmp_path, name):
    text = TWO.replace('<child link="arm"/>', f'<child link="arm"/><dynamics {name}="0.3"/>')
    with pytest.warns(ModelWarning, match=f"{name} of a floating joint is omitted"):
        sp.load_urdf(written(tmp_path, re.sub('type="[a-z]*"', 'type="floating"', text)))


def test_meshes_are_found_beside_the_file_and_in_packages(tmp_path):
    folder = tmp_path / "my_robot" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "my_robot" / "meshes").mkdir()
    tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "my_robot" / "meshes" / "a.obj").write_text(tetrahedron)
    for name, packages in (
        ("../meshes/a.obj", None),
        ("package://my_robot/meshes/a.obj", None),
        ("package://other/a.obj", {"other": tmp_path / "my_robot" / "meshes"}),
        (f"file://{tmp_path}/my_robot/meshes/a.obj", None),
    ):
        visual = f'<visual><origin xyz="0 0 1"/><geometry><mesh filename="{name}" scale="2 2 2"/></geometry></visual>'
        text = TWO.replace('<link name="base"/>', f'<link name="base">{visual}</link>')
        shape = sp.load_urdf(written(folder, text), packages=packages).links[0].body.shape
        np.testing.assert_allclose(shape.volume, 8.0 / 6.0)
        np.testing.assert_allclose(shape.com, (0.5, 0.5, 1.5))
        assert shape.mesh().vertices.max() == 3.0


def test_shapes_stand_as_the_file_says(tmp_path):
    shapes = "".join(
        f'<{kind}><origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><geometry>{shape}</geometry></{kind}>'
        for kind, shape in (
            ("visual", '<cylinder radius="0.1" length="2"/>'),
            ("visual", '<box size="1 2 3"/>'),
            ("visual", '<sphere radius="0.5"/>'),
            ("collision", '<capsule radius="0.1" length="2"/>'),
        )
    )
    path = written(tmp_path, TWO.replace('<link name="base"/>', f'<link name="base">{shapes}</link>'))
    body = sp.load_urdf(path).links[0].body
    np.testing.assert_allclose(body.shape.com, (1.0, 0.0, 0.0), atol=1e-12)
    low, high = body.shape.mesh().vertices.min(axis=0), body.shape.mesh().vertices.max(axis=0)
    np.testing.assert_allclose([low, high], [(-0.5, -1.0, -0.5), (2.5, 1.0, 0.5)], atol=1e-12)
    collision = sp.load_urdf(path, shapes="collision").links[0].body.shape
    np.testing.assert_allclose(np.ptp(collision.mesh().vertices, axis=0), (2.2, 0.2, 0.2), atol=1e-12)
    assert sp.load_urdf(path, shapes="none").links[0].body.shape is None


# ---------------------------------------------------------------------- wrong files


def with_joint(text, name, parent, child):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return text.replace("</robot>", f'<joint name="{name}" type="fixed">{ends}</joint></robot>')


WRONG = {
    "two roots": (lambda t: t.replace("</robot>", '<link name="other"/></robot>'), "2 root links.*'base'.*'other'"),
    "cycle": (
        lambda t: with_joint(t, "k", "arm", "base"),
        "line 4.*'j'.*cycle",
    ),
    "two parents": (
        lambda t: with_joint(t, "k", "base", "arm"),
        "'k'.*child of joint 'j'",
    ),
    "own parent": (lambda t: t.replace('parent link="base"', 'parent link="arm"'), "'j'.*both 'arm'"),
    "nan": (lambda t: t.replace('ixx="1"', 'ixx="nan"'), "line 3.*<inertia>.*ixx.*'nan'"),
    "infinite": (lambda t: t.replace('ixx="1"', 'ixx="1e999"'), "ixx.*beyond float64"),
    "zero axis": (lambda t: t.replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 0"/>'), "line 4.*zero"),
    "negative mass": (lambda t: t.replace('value="1"', 'value="-1"'), "line 3.*mass.*'arm'.*-1 kg"),
    "decimal comma": (lambda t: t.replace('value="1"', 'value="1,5"'), "value holds '1,5'.*point"),
    "comma in a vector": (
        lambda t: t.replace('<child link="arm"/>', '<child link="arm"/><origin xyz="1, 2, 3"/>'),
        "xyz holds '1,'",
    ),
    "two numbers": (lambda t: t.replace('<child link="arm"/>', '<child link="arm"/><origin xyz="1 2"/>'), "3 numbers"),
    "xacro value": (lambda t: t.replace('value="1"', 'value="${m}"'), "line 3.*xacro"),
    "xacro element": (lambda t: t.replace("</robot>", "<xacro:arm/></robot>"), "xacro:arm.*run xacro"),
    "unknown link": (lambda t: t.replace('child link="arm"', 'child link="amr"'), "no link 'amr', did you mean 'arm'"),
    "unknown type": (lambda t: t.replace('"revolute"', '"Revolut"'), "'Revolut', did you mean 'revolute'"),
    "no type": (lambda t: t.replace(' type="revolute"', ""), "'j'.*no attribute 'type'"),
    "no child": (lambda t: t.replace('<child link="arm"/>', ""), "'j'.*no <child>"),
    "no name": (lambda t: t.replace('<link name="base"/>', "<link/>"), "line 2.*no attribute 'name'"),
    "link twice": (lambda t: t.replace("</robot>", '<link name="arm"/></robot>'), "'arm'.*line 3"),
    "joint twice": (
        lambda t: with_joint(t, "j", "arm", "base"),
        "'j'.*line 4",
    ),
    "negative damping": (
        lambda t: t.replace('<child link="arm"/>', '<child link="arm"/><dynamics damping="-1"/>'),
        "negative",
    ),
    "mimics itself": (
        lambda t: t.replace('<child link="arm"/>', '<child link="arm"/><mimic joint="j"/>'),
        "'j'.*in turn",
    ),
    "other root": (lambda t: t.replace("robot", "sdf"), "<sdf>"),
    "no links": (lambda t: '<robot name="r"/>', "no links"),
    "unclosed": (lambda t: t.replace("</robot>", ""), "line 6.*not well-formed"),
    "empty": (lambda t: "", "not well-formed"),
    "a word": (lambda t: "robot", "not well-formed"),
    "zero bytes": (lambda t: "\0" * 100, "not well-formed"),
    "entity bomb": (
        lambda t: '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>',
        "line 1.*document type or an entity",
    ),
    "external entity": (
        lambda t: '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>',
        "document type or an entity",
    ),
    "external document type": (lambda t: '<!DOCTYPE r SYSTEM "http://localhost/x.dtd">' + t, "document type"),
    "undefined entity": (lambda t: t.replace('"base"', '"&base;"'), "line 2.*undefined entity"),
    "deep": (lambda t: "<robot>" + "<a>" * 5000 + "</a>" * 5000 + "</robot>", "100 deep"),
    "unknown encoding": (lambda t: '<?xml version="1.0" encoding="klingon"?>' + t, "unknown encoding|decoded"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_refused_by_line_and_element(kind, tmp_path):
    change, words = WRONG[kind]
    path = written(tmp_path, change(TWO))
    with pytest.raises(FileError, match=f"(?s){words}") as raised:
        sp.load_urdf(path)
    assert str(raised.value).count(str(path)) == 1


def test_huge_files_are_refused(tmp_path):
    many = "".join(f'<link name="l{i}"/>' for i in range(6000))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(5999)
    )
    with pytest.raises(FileError, match="6000 links"):
        sp.load_urdf(written(tmp_path, f'<robot name="long">{many}{joints}</robot>'))
    with pytest.raises(FileError, match="150000 elements"):
        sp.load_urdf(written(tmp_path, f'<robot name="many">{"<a/>" * 160_000}</robot>'))
    with pytest.raises(FileError, match="bytes"):
        sp.load_urdf(written(tmp_path, "<robot>" + " " * 17_000_000))


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        sp.load_urdf(tmp_path / "nothing.urdf")
    with pytest.raises(FileError, match="is not a file"):
        sp.load_urdf(tmp_path)
    with pytest.raises(FileError, match="must be the name of a file"):
        sp.load_urdf(3)
    with pytest.raises(sp.ModelError, match="base is 'flying'"):
        sp.load_urdf(written(tmp_path, TWO), "flying")
