"""Model files and those that they name: meshes, included files, links to files."""

import pytest

import supple as sp
from round_trips import assert_same
from supple.errors import FileError


def written(tmp_path, text, name="robot.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ending", "option", "words"),
    [
        ("urdf", "parameters: {radius: 1}", "'parameters' are those of model files, which part.urdf is not"),
        ("xml", "parameters: {radius: 1}", "'parameters' are those of model files, which part.xml is not"),
        ("xml", "base: free", "'base' is for URDF files, which part.xml is not"),
        ("yaml", "packages: {a: b}", "'packages' is for URDF files, which part.yaml is not"),
    ],
)
def test_included_files_are_not_told_what_they_do_not_know(ending, option, words, tmp_path):
    path = written(tmp_path, f"supple: 1\ninclude:\n  - {{file: part.{ending}, {option}}}\n")
    with pytest.raises(FileError, match=rf"line 3, include\[0\]\.\w+: {words}"):
        sp.load(path)


MESHED = """<robot name="r"><link name="a"/><link name="b">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><geometry><mesh filename="{}"/></geometry></visual></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


def test_a_link_is_replaced_by_a_file_that_finds_its_meshes(tmp_path):
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    mesh = tmp_path / "here" / "ball.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    robot = sp.load_urdf(written(tmp_path, MESHED.format(mesh), "robot.urdf"))
    for ending in ("../there/robot.yaml", "robot.yaml"):  # elsewhere, or to itself
        link = tmp_path / "here" / "robot.yaml"
        link.unlink(missing_ok=True)
        link.symlink_to(ending)
        robot.save(link)
        assert "ball.obj" in link.read_text()
        assert "here" not in link.read_text()
        assert_same(robot, sp.load(link))
