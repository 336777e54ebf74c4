"""Tables: whole where nobody has a width, folded where they fit, blocks of lines where they do not."""

from io import StringIO

from rich.console import Console

from supple.cli.console import ENDLESS, print_table

COLUMNS = ("system", "description")
ROWS = [("fin-ray", "two walls that meet at the top " * 5), ("cable-manipulator", "one [rod]")]


def printed(width, terminal=True):
    stream = StringIO()
    console = Console(file=stream, width=width, force_terminal=terminal, color_system=None, markup=False)
    print_table(console, COLUMNS, ROWS, ())
    return stream.getvalue().splitlines()


def test_a_pipe_gets_one_line_per_row():
    lines = printed(ENDLESS, terminal=False)
    assert len(lines) == 3
    assert lines[1].startswith("fin-ray            two walls")
    assert lines[2] == "cable-manipulator  one [rod]"


def test_a_terminal_folds_within_columns():
    lines = printed(60)
    assert len(lines) > 3
    assert all(len(line) <= 60 for line in lines)
    assert all(line.startswith((" " * 19, *COLUMNS, "fin-ray  ", "cable-manipulator  ")) for line in lines)


def test_a_narrow_terminal_gets_blocks():
    lines = printed(20)
    assert lines[0] == "fin-ray"
    assert lines[1].startswith("  description: two walls")
    assert lines[-2:] == ["cable-manipulator", "  description: one [rod]"]
