"""The pages on loads: their code runs, their pictures and links exist, and every kind has one."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import supple as sp
from helpers import cable_manipulator

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted((DOCS / "loads").glob("*.md"))
NAV = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs(page):
    robot = cable_manipulator()
    robot.add(sp.Tendon("t0", {"arm": lambda X: (0.0, 0.01)}))
    model = robot.compile()
    q, v, a = 0.1 * np.ones((3, 24))
    names = {"sp": sp, "np": np, "robot": robot, "model": model, "q": q, "v": v, "a": a, "u": [1.0]}
    names["route"] = lambda X: (0.0, 0.01)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("page", [*PAGES, DOCS / "extending.md"], ids=lambda page: page.stem)
def test_links_pictures_and_navigation(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (page.parent / target).resolve().is_file(), target
    assert str(page.relative_to(DOCS)) in NAV
    pictures = re.findall(r"!\[.+\]\((.+\.svg)\)", text)
    assert pictures or "<svg" in text or page.stem in ("index", "extending", "laws")
    for picture in pictures:
        assert ElementTree.parse((page.parent / picture).resolve()).getroot().tag.endswith("svg")


def test_every_kind_has_its_place():
    overview = (DOCS / "loads" / "index.md").read_text(encoding="utf-8")
    reference = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for kind in (kind.__name__ for kind in sp.loads.KINDS):
        assert f"| `{kind}` |" in overview
        assert f"::: supple.{kind}\n" in reference
