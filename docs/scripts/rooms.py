"""Draw the rooms of the package from its imports: ``python -m docs.scripts.rooms`` writes docs/images/rooms.svg.

A room is a package of `supple`, or a module beside them.  It stands above every room that it loads when it is loaded
itself.  Rooms that it loads only when a function is called are named in its card.  Words are first sentences of
docstrings, so the picture is true as long as they are; a test draws it again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "supple"
IMAGE = ROOT / "docs" / "images" / "rooms.svg"

#: Rooms that all others may use: they would only add lines.
OPEN_TO_ALL = ("errors", "checks", "fingerprint", "jit", "pickling", "storage", "threads")
#: Not rooms: the front door, and how the package is started.
DOORS = ("__init__", "__main__", "__pycache__", "py.typed")

WIDTH, GAP, MARGIN, LINE = 1180, 12, 24, 15
#: Heights of cards in rows of few and of many rooms.
LOW, HIGH = 66, 92
STYLE = """
text { font-family: "Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #22303f; font-size: 12.5px; }
.name { font-size: 16px; font-weight: 600; }
.soft { fill: #5b6b7d; font-size: 11.5px; }
.card { fill: #ffffff; stroke: #8fa3b8; stroke-width: 1.3; }
.ring { fill: #eef7f0; stroke: #5fa777; }
.base { fill: #f2f4f6; stroke: #c3ccd5; }
"""
#: Rooms whose code is compiled.
COMPILED = ("lie", "linalg", "core")


def rooms() -> dict[str, list[Path]]:
    """Files of every room."""
    found = {}
    for path in sorted(PACKAGE.iterdir()):
        if path.stem in DOORS or path.name.startswith("."):
            continue
        if path.is_dir() and (path / "__init__.py").exists():
            found[path.name] = sorted(path.rglob("*.py"))
        elif path.suffix == ".py":
            found[path.stem] = [path]
    return found


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """(room, whether at once) of all imports of a file that happen when it runs."""
    tree = ast.parse(path.read_text())
    types = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_for_types(node)]
    skipped = {id(child) for node in types for child in ast.walk(node)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    later = {id(child) for node in functions for child in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) not in skipped and isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".")
            if parts[0] == "supple":
                names = parts[1:2] or [alias.name for alias in node.names]
                yield from ((name, id(node) not in later) for name in names)


def _is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def graph(files: dict[str, list[Path]]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Rooms that each room loads at once, and those that it loads when asked."""
    found: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for room, paths in files.items():
        used = {pair for path in paths for pair in imports(path)}
        for at_once in (True, False):
            names = {name for name, now in used if now is at_once and name in files}
            found[at_once][room] = names - {room, *OPEN_TO_ALL}
    return found[True], {room: names - found[True][room] for room, names in found[False].items()}


def layers(at_once: dict[str, set[str]]) -> list[list[str]]:
    """Rooms from the bottom up: each above all that it loads.  A circle is an error."""
    left, found = {room: set(names) for room, names in at_once.items() if room not in OPEN_TO_ALL}, []
    while left:
        layer = sorted(room for room, names in left.items() if not names & left.keys())
        if not layer:
            raise ValueError(f"rooms import each other in a circle: {', '.join(sorted(left))}")
        found.append(layer)
        left = {room: names for room, names in left.items() if room not in layer}
    return found


def subject(path: Path) -> str:
    """First sentence of a room's docstring."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0].split())
    return text.replace("`", "").split(".  ")[0].split(" (")[0].split(", and the recipe")[0].rstrip(".")


def wrapped(text: str, most: int) -> list[str]:
    """Words in lines of at most so many characters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def height_of(row: list[str]) -> int:
    """Height of a row of rooms: narrow cards need more lines."""
    return LOW if len(row) < 4 else HIGH


def card(room: str, path: Path, asked: set[str], x: float, y: float, width: float, height: float) -> list[str]:
    """A room: its name, its subject, and what it loads when asked."""
    kind = "card ring" if room in COMPILED else "card"
    drawn = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" class="{kind}"/>']
    drawn.append(f'<text x="{x + 10:g}" y="{y + 21:g}" class="name">{room}</text>')
    most, lines = int((width - 20) / 5.9), 3 if height == HIGH else 2 - bool(asked)
    words = wrapped(subject(path), most)
    if len(words) > lines:
        words = wrapped(subject(path).split(":")[0].split(";")[0], most)
    later = "when asked: " + ", ".join(sorted(asked))
    asks = wrapped(later, int((width - 20) / 5.4)) if asked else []
    for k, line in enumerate(words[:lines]):
        drawn.append(f'<text x="{x + 10:g}" y="{y + 39 + LINE * k:g}">{escape(line)}</text>')
    for k, line in enumerate(asks[:1]):
        drawn.append(f'<text x="{x + 10:g}" y="{y + height - 8 + LINE * k:g}" class="soft">{escape(line)}</text>')
    return drawn


def picture() -> str:
    """The whole drawing."""
    files = rooms()
    at_once, asked = graph(files)
    rows = layers(at_once)
    height = MARGIN + 34 + sum(height_of(row) + GAP for row in rows) + 40
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Rooms">',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="14" fill="#fdfdfb"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 12}" class="soft">Every room loads only rooms below it; green: compiled'
        " once for all robots.</text>",
    ]
    y = MARGIN + 30
    for row in reversed(rows):
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for j, room in enumerate(row):
            path = files[room][0] if len(files[room]) == 1 else PACKAGE / room / "__init__.py"
            drawn += card(room, path, asked[room], MARGIN + j * (width + GAP), y, width, height_of(row))
        y += height_of(row) + GAP
    drawn.append(f'<rect x="{MARGIN}" y="{y}" width="{WIDTH - 2 * MARGIN}" height="30" rx="7" class="base"/>')
    names = ", ".join(OPEN_TO_ALL)
    drawn.append(f'<text x="{MARGIN + 10}" y="{y + 20}">{names}: load none of these and are open to all</text>')
    return "\n".join([*drawn, "</svg>", ""])


if __name__ == "__main__":
    IMAGE.write_text(picture())
