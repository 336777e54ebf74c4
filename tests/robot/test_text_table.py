"""Tables of plain text: widths, folding, wide characters."""

import pytest

from supple.robot.text_table import fitted, text_table


def test_columns_line_up():
    found = text_table(("link", "n"), [("arm", "12"), ("shoulder", "3")], 80).splitlines()
    assert found == ["link      n", "arm       12", "shoulder  3"]


def test_long_cells_are_folded_at_blanks():
    found = text_table(("what", "words"), [("x", "one two three four five six")], 20)
    lines = found.splitlines()
    assert max(map(len, lines)) <= 20
    assert " ".join(line[6:].strip() for line in lines[1:]) == "one two three four five six"


def test_wide_characters_take_two_columns():
    lines = text_table(("name", "n"), [("腕腕", "1"), ("arm", "2")], 40).splitlines()
    assert lines[1] == "腕腕  1"
    assert lines[2] == "arm   2"
    folded = text_table(("name",), [("腕" * 10,)], 8).splitlines()
    assert folded[1:] == ["腕腕腕腕", "腕腕腕腕", "腕腕"]


@pytest.mark.parametrize(
    ("natural", "room", "expected"),
    [([3, 4], 10, [3, 4]), ([4, 30, 9], 40, [4, 27, 9]), ([50, 50], 20, [10, 10]), ([5, 5], 0, [1, 1]), ([], 9, [])],
)
def test_the_widest_give_way_first(natural, room, expected):
    assert fitted(natural, room) == expected
