"""Pages as notebooks: ``python -m docs.scripts.notebooks`` writes them to examples/.

Python blocks become cells of code with what the page shows as their output, everything else cells of text.  The code of
pages is tested (tests/test_docs_pages.py), and a test sees to it that notebooks are those of the pages of today.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent

#: Pages, and the notebooks that they become.
NOTEBOOKS = {"quick-start.md": "quick_start.ipynb", "notebooks.md": "pictures_in_notebooks.ipynb"}

_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*```text\n(.*?)^```\n?)?", flags=re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#|\.\./)([^)]+)\)")

#: What a notebook says of itself.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def cells(page: str) -> list[dict[str, Any]]:
    """Cells of a page."""
    found: list[dict[str, Any]] = []
    end = 0
    for block in _BLOCK.finditer(page):
        found += _text(page[end : block.start()])
        found.append(_code(block[1], block[2]))
        end = block.end()
    found += _text(page[end:])
    return [{"id": f"cell-{k}", **cell} for k, cell in enumerate(found)]


def _text(text: str) -> list[dict[str, Any]]:
    """A cell of text, if there is any; links lead to the pages."""
    linked = _LINK.sub(r"](../docs/\1)", text).strip()
    return [{"cell_type": "markdown", "metadata": {}, "source": _lines(linked)}] if linked else []


def _code(code: str, shown: str | None) -> dict[str, Any]:
    """A cell of code with what it prints."""
    outputs = [{"name": "stdout", "output_type": "stream", "text": _lines(shown)}] if shown else []
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": _lines(code.strip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebook(name: str) -> str:
    """The notebook of a page, as the text of its file."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    content = {"cells": cells(page), "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for page, target in NOTEBOOKS.items():
        (ROOT / "examples" / target).write_text(notebook(page), encoding="utf-8")
