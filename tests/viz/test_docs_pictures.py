"""The page on pictures: its code runs, its links and images exist."""

import re
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import supple as sp
from supple.robot.rigid_shapes import CapsuleShape

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "pictures.md").read_text(encoding="utf-8")


def test_code_runs(robot, model, motion, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"sp": sp, "CapsuleShape": CapsuleShape, "robot": robot, "model": model, "motion": motion}
    names |= {"q": np.zeros(model.n), "u": [1.0, 0.0], "ax": Figure().add_axes((0, 0, 1, 1))}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(compile(block, "pictures.md", "exec"), names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["motion.gif", "motion.png", "pulled.pdf", "robot.png"]


def test_links_and_navigation():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / target).is_file(), target
    assert "pictures.md" in (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
