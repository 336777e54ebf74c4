"""The pages of the documentation: their code runs and prints what they show, their links lead somewhere."""

import ast
import contextlib
import io
import math
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import supple as sp
import supple.systems
from reference_robots import cable_manipulator

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
PAGES = sorted(DOCS.rglob("*.md"))
LOADS = [page for page in PAGES if page.parent.name == "loads"]

#: Pages whose code other tests look at (tests/extending): modules, since Numba caches what stands in a file.
ELSEWHERE = {"extending/index.md", "extending/load.md", "extending/body.md", "extending/integrator.md"}
#: Pages that go on with a robot of theirs; all others begin with an empty file.
GIVEN = {"statics.md", "dynamics.md"}

#: Pages whose blocks are cells of a notebook.
CELLS = {"notebooks.md"}

#: Calls that draw, and whether they are there already.
DRAWING = {"plot", "animate"}
PICTURES = hasattr(sp.Trajectory, "plot")

FENCE = re.compile(r"^```\w*\n.*?^```", flags=re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^```python\n(.*?)^```\n(?:\s*```text\n(.*?)^```)?", flags=re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def text_of(page):
    return page.read_text(encoding="utf-8")


def name_of(page):
    return page.relative_to(DOCS).as_posix()


def code_of(page):
    """Python blocks of a page, each with the text block right behind it, which is what it prints, or None."""
    return [(code, shown or None) for code, shown in CODE.findall(text_of(page))]


def without_drawings(tree):
    """The syntax tree without statements that only draw."""
    tree.body = [
        line
        for line in tree.body
        if not (
            isinstance(line, ast.Expr)
            and isinstance(line.value, ast.Call)
            and isinstance(line.value.func, ast.Attribute)
            and line.value.func.attr in DRAWING
        )
    ]
    return tree


def run(block, names, where):
    """Execute a block; what it printed."""
    tree = ast.parse(block, where)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree if PICTURES else without_drawings(tree), where, "exec"), names)
    return printed.getvalue()


def same_text(shown, printed):
    """Whether two texts agree, numbers up to one unit of the last digit that is shown."""

    def words(text):
        return " ".join(NUMBER.sub("#", text).split())

    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=False)
    return words(shown) == words(printed) and all(
        math.isclose(float(a), float(b), rel_tol=1e-12, abs_tol=1.001 * last_digit(a)) for a, b in pairs
    )


def last_digit(number):
    """The value of one unit of the last digit of a printed number; none for integers, which must be the same."""
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals or exponent else 0.0


def a_robot():
    """What pages on loads and solvers go on with: the manipulator with a tendon, and a state of it."""
    robot = cable_manipulator()
    robot.add(sp.Tendon("t0", {"arm": lambda X: (0.0, 0.01)}))
    model = robot.compile()
    q, v, a = 0.1 * np.ones((3, 24))
    names = {"sp": sp, "np": np, "robot": robot, "model": model, "q": q, "v": v, "a": a, "u": [1.0]}
    return names | {"route": lambda X: (0.0, 0.01)}


@pytest.mark.parametrize("page", [x for x in PAGES if code_of(x) and name_of(x) not in ELSEWHERE], ids=name_of)
def test_code_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # files that it writes
    displayed = in_a_notebook(monkeypatch) if page.name in CELLS else []
    names = a_robot() if page in LOADS or page.name in GIVEN else {}
    for block, shown in code_of(page):
        printed = run(block, names, page.name)
        if shown is not None:
            assert same_text(shown, printed), f"{page.name} shows\n{shown}\nbut prints\n{printed}"
    assert len(displayed) == sum(".show()" in block for block, _ in code_of(page)) * 3  # a loop over three tensions


def in_a_notebook(monkeypatch):
    """Let supple believe that a notebook runs it (`tests/viz/test_notebook.py` asks a real one); what is displayed."""
    displayed = []
    shell, display = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = lambda: SimpleNamespace(kernel=True)
    shell.version_info, shell.display, display.display = (9, 0), display, displayed.append
    display.Image = lambda filename: Path(filename).read_bytes()
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return displayed


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("tip at [0.12 -0.3] m", "tip at [0.13  -0.3]  m\n", True),
        ("tip at [0.12 -0.3] m", "tip at [0.14 -0.3] m", False),
        ("137 steps", "137 steps", True),
        ("137 steps", "138 steps", False),
        ("1.2e-05", "1.3e-05", True),
        ("1.2e-05", "1.2e-04", False),
        ("a 1.0", "b 1.0", False),
    ],
)
def test_numbers_agree_up_to_their_last_digit(shown, printed, same):
    assert same_text(shown, printed) == same


def test_only_calls_that_draw_are_left_out():
    tree = ast.parse("x = 1\nmotion.plot('a.png')\nprint(x)\nfigure = robot.plot()\nmotion.animate('a.gif')")
    assert ast.unparse(without_drawings(tree)) == "x = 1\nprint(x)\nfigure = robot.plot()"


def test_every_page_on_a_kind_of_load_shows_code():
    assert all(code_of(page) for page in LOADS)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_pictures_and_navigation(page):
    text = FENCE.sub("", text_of(page))
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        assert target.startswith("https://") or (page.parent / target).resolve().is_file(), target
    assert name_of(page) in NAV
    pictures = re.findall(r"!\[.+\]\((.+\.svg)\)", text)
    assert pictures or "<svg" in text or page not in LOADS or page.stem in ("index", "laws")
    for picture in pictures:
        assert ElementTree.parse((page.parent / picture).resolve()).getroot().tag.endswith("svg")


def typeset(formula):
    """Whether a formula can be made into MathML, as when the site is built; raises if not."""
    pytest.importorskip("latex2mathml")
    from docs.scripts.mathml import mathml

    return "<math" in mathml(formula)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_formulas_are_whole(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text_of(page)))
    shown = re.findall(r"^\$\$\n(.*?)^\$\$$", text, flags=re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^\$\$\n.*?^\$\$$", "", text, flags=re.DOTALL | re.MULTILINE)
    inline = re.findall(r"\$([^$\n]+)\$", rest)
    assert "$" not in re.sub(r"\$[^$\n]+\$", "", rest)  # every dollar has its partner, in the same line
    for formula in [*shown, *inline]:
        assert formula.count("{") == formula.count("}"), formula
        assert formula.count(r"\begin") == formula.count(r"\end"), formula
        assert formula.count(r"\left") == formula.count(r"\right"), formula
        assert typeset(formula)
    for formula in inline:
        assert "|" not in formula  # it would end a cell of a table


def test_formulas_become_mathml():
    pytest.importorskip("latex2mathml")
    from docs.scripts.mathml import with_mathml

    page = (
        r'<p>twice <span class="arithmatex">\(\dot q &lt; \frac{1}{2}\)</span></p>'
        r'<div class="arithmatex">\[\begin{aligned} a &amp;= b \\ c &amp;= d \end{aligned}\]</div>'
    )
    made = with_mathml(page)
    assert made.count("<math") == 2
    assert "<mfrac>" in made
    assert "mtable" in made
    assert "arithmatex" not in made


def test_every_kind_of_load_has_its_place():
    overview = text_of(DOCS / "loads" / "index.md")
    for kind in (kind.__name__ for kind in sp.loads.KINDS):
        assert f"| `{kind}` |" in overview


def public_names():
    """Dotted names of all that users may import."""
    kinds = (f"supple.{name}" for name in sp.__all__ if callable(getattr(sp, name)))
    return sorted({*kinds, "supple.laws", *(f"supple.systems.{name}" for name in supple.systems.__all__)})


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_is_in_the_reference(name):
    reference = "".join(map(text_of, PAGES))
    members = re.search(r"::: supple\.errors\n.*?members: \[(.*?)\]", reference, flags=re.DOTALL)
    listed = {f"supple.{member.strip()}" for member in members[1].split(",")}
    assert name in listed or re.search(rf"^::: {re.escape(name)}$", reference, flags=re.MULTILINE), name
