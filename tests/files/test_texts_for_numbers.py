"""A text where numbers must be is refused when a file is loaded, with its line and key."""

import pytest

import supple as sp
from supple.errors import FileError
from supple.files.kinds import fields_of, kinds, takes_no_text

HEAD = """supple: 1
links:
  - name: arm
    joint: {Revolute: {axis: z, stiffness: 1.0}}
    body: {Rigid: {mass: 1.0, inertia: [1.0, 1.0, 1.0]}}
loads:
"""


def load(tmp_path, load):
    path = tmp_path / "robot.yaml"
    path.write_text(f"{HEAD}  - {load}\n")
    return sp.load(path)


@pytest.mark.parametrize(
    ("wrench", "key", "message"),
    [
        ("much", r"loads\[0\]\.PointWrench\.wrench", "'much', a text"),
        ("[0, 0, 0, 0, 0, '1,5']", r"loads\[0\]\.PointWrench\.wrench\[5\]", "'1,5', a text"),
        ("[0, 0, 1]", r"loads\[0\]\.PointWrench", r"must have shape \(6,\)"),
        ("true", r"loads\[0\]\.PointWrench", "is boolean"),
    ],
)
def test_a_wrench_that_is_none_is_refused_with_its_line(tmp_path, wrench, key, message):
    with pytest.raises(FileError, match=rf"robot\.yaml, line 7, {key}: .*{message}"):
        load(tmp_path, f"{{PointWrench: {{link: arm, wrench: {wrench}}}}}")


def test_expressions_laws_and_numbers_are_taken(tmp_path):
    robot = load(tmp_path, "{PointWrench: {link: arm, wrench: [0, 0, 0, 0, 0, '${2 * 3}']}}")
    assert robot.items[0].wrench.tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 6.0]


def test_fields_of_all_kinds_are_told_apart():
    assert "wrench" in takes_no_text("PointWrench")
    assert "mass" in takes_no_text("Rigid")
    assert "link" not in takes_no_text("PointWrench")
    assert "axis" not in takes_no_text("Revolute")  # "x"
    assert "s" not in takes_no_text("PointLaw")  # "all"
    for kind in kinds():
        for name, field in fields_of(kind).items():
            assert not ("str" in str(field.type) and name in takes_no_text(kind)), (kind, name)


def test_the_same_is_refused_where_a_robot_is_built():
    with pytest.raises(sp.ModelError, match="PointWrench 'wrench': wrench"):
        sp.PointWrench("arm", "much")
