"""The scripts that compute what pages show: their references are right, and the gallery says what was measured."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.systems import SYSTEMS

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _scripts_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in ("docs", "benchmarks")]:
        del sys.modules[name]


def test_the_picture_of_rooms_is_that_of_the_imports():
    """Draw it again (``python -m docs.scripts.rooms``) after a change of rooms or of their docstrings."""
    from docs.scripts.rooms import IMAGE, picture

    assert IMAGE.read_text(encoding="utf-8") == picture()


def test_rooms_in_a_circle_are_refused():
    from docs.scripts.rooms import layers

    assert layers({"a": set(), "b": {"a"}, "c": {"a", "b"}}) == [["a"], ["b"], ["c"]]
    with pytest.raises(ValueError, match="in a circle: a, b"):
        layers({"a": {"b"}, "b": {"a"}})


def test_methods_are_shown_without_their_defaults():
    from docs.scripts import short

    assert short(sp.NDF()) == "`NDF()`"
    assert short(sp.GeneralizedAlpha(dt=0.01, loops="index3")) == "`GeneralizedAlpha(dt=0.01, loops='index3')`"


# ---------------------------------------------------------------------- bases


def test_elastica_of_the_study_is_that_of_elliptic_integrals():
    from docs.scripts.basis_study import LOAD, elastica

    table = np.loadtxt(ROOT / "tests" / "data" / "elastica_tip_force.csv", delimiter=",", skiprows=1)
    _, shortening, deflection, angle = table[table[:, 0] == LOAD][0]
    assert elastica() == pytest.approx((1.0 - shortening, deflection, angle), abs=1e-11)


def test_two_pieces_are_exact_for_a_tendon_that_ends_between_them():
    from docs.scripts import basis_study as study

    tendon = sp.Tendon("pull", {"rod": lambda X: (0.1, 0.0)}, until={"rod": 0.5})
    model = study.clamped(study.rod(sp.PiecewiseConstant(bend_z=2), 4), tendon)
    assert study.error(model, study.half_arc(), [10.0 * study.PULL]) < 1e-12
    basis = sp.PiecewiseConstant(bend_z=2)
    assert study.curvature_error(basis, model.statics([10.0 * study.PULL]).q) < 1e-12
    assert study.curvature_error(basis, np.array([study.PULL, study.PULL])) == pytest.approx(0.5**0.5)


def test_frequencies_of_a_clamped_beam():
    from docs.scripts.basis_study import beam_frequencies

    roots = np.sqrt(beam_frequencies(5))
    assert np.abs(np.cos(roots) * np.cosh(roots) + 1.0).max() < 1e-6
    assert roots[:2] == pytest.approx([1.8751041, 4.6940911])


@pytest.mark.parametrize("script", ["basis_study", "integrator_study"])
def test_pages_hold_every_table_of_their_script(script):
    import importlib

    page = importlib.import_module(f"docs.scripts.{script}").PAGE.read_text(encoding="utf-8")
    source = (ROOT / "docs" / "scripts" / f"{script}.py").read_text(encoding="utf-8")
    made = source.partition("for make in (")[2].partition(")")[0].split(", ")
    assert made
    for name in made:
        table = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
        assert table.count("\n|") > 3, name


# ---------------------------------------------------------------------- gallery


@pytest.fixture
def entry():
    from docs.scripts.gallery import Entry

    words = {"text": "An arm.", "note": "A note.", "source": "PAPER, Fig. 1", "sizes": "1 link"}
    run = {"method": "`NDF()`", "steps": 12, "seconds": 0.5, "simulated": 10.0, "other": "`RK45()`", "apart": 2e-5}
    return Entry("arm", **words, **run)


def test_a_system_is_measured():
    from docs.scripts.gallery import measure

    entry, trajectory, system = measure("cable-manipulator", t_end=0.05)
    assert entry.sizes == "1 link, 24 coordinates, 5 inputs"
    assert entry.text.startswith("The manipulator of [GVS-AD] section 4.5")
    assert (entry.method, entry.other) == ("`NDF()`", "`GeneralizedAlpha(rtol=1e-05, atol=1e-07)`")
    assert entry.steps == trajectory.stats["steps"] > 0
    assert 0.0 < entry.apart < 1e-3
    assert trajectory.t[-1] == entry.simulated == 0.05
    assert system.name == entry.name == "cable-manipulator"


def test_every_system_has_words():
    from docs.scripts.gallery import description

    for make in SYSTEMS.values():
        text = description(make)
        assert text.endswith(".")
        assert "(" not in text or text.count("(") == text.count(")")


def test_section_says_what_was_measured(entry):
    from docs.scripts.gallery import section

    text = section(entry, lambda file: False)
    assert "| time | 10 s in 0.5 s: 20 times real time |" in text
    assert "at most 0.02 mm elsewhere" in text
    assert "supple run arm" in text
    assert "![" not in text


def test_only_pictures_that_exist_are_shown(entry):
    from docs.scripts.gallery import section

    text = section(entry, {"arm.png"}.__contains__)
    assert "![arm: snapshots](images/gallery/arm.png)" in text
    assert "arm-motion.png" not in text


def test_update_keeps_other_systems_in_order(entry, tmp_path):
    from docs.scripts.gallery import kept, section, update

    page = tmp_path / "gallery.md"
    page.write_text("# Gallery\n\n<!-- systems -->\n<!-- /systems -->\nend\n", encoding="utf-8")
    update(page, {"arm": section(entry, lambda file: False)}, ["leg", "arm"])
    update(page, {"leg": section(replace(entry, name="leg"), lambda file: False)}, ["leg", "arm"])
    text = page.read_text(encoding="utf-8")
    assert list(kept(text)) == ["leg", "arm"]
    assert text.endswith("<!-- /systems -->\nend\n")
    update(page, {}, ["leg"])  # a system that is gone goes
    assert list(kept(page.read_text(encoding="utf-8"))) == ["leg"]


class Noise:
    """A figure of as many dots a side as the resolution says, which no file format makes small."""

    def savefig(self, path, dpi, format):
        from PIL import Image

        dots = np.random.default_rng(0).integers(0, 255, (dpi, dpi, 3), dtype=np.uint8)
        Image.fromarray(dots).save(path, format=format)


def test_pictures_are_small(tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    from docs.scripts import gallery

    path = tmp_path / "new" / "picture.png"
    monkeypatch.setattr(gallery, "LARGEST", 10_000)
    gallery.save_small(Noise(), path)
    assert path.stat().st_size <= 10_000
    with image.open(path) as picture:
        assert picture.size == (80, 80)  # the finest of the resolutions that is small enough
    monkeypatch.setattr(gallery, "LARGEST", 1_000)
    with pytest.raises(ValueError, match=r"picture.png has \d+ bytes even at 60 dpi, more than 1000"):
        gallery.save_small(Noise(), path)


def test_gallery_refuses_an_unknown_name(capsys):
    from docs.scripts.gallery import main

    with pytest.raises(SystemExit):
        main(["no-such-robot"])
    assert "there is no system 'no-such-robot'; systems are: cable-manipulator" in capsys.readouterr().err


def test_gallery_page_is_complete():
    from docs.scripts.gallery import PAGE, kept

    assert list(kept(PAGE.read_text(encoding="utf-8"))) == list(SYSTEMS)


def test_keys_of_papers_become_links():
    from docs.scripts.gallery import linked

    assert linked("GVS-AD, Fig. 3") == "[GVS-AD](references.md), Fig. 3"
    assert linked("The arm of [GVS-AD] Fig. 7.") == "The arm of [GVS-AD](references.md) Fig. 7."
    assert linked("Three pillars, a platform [m; f].") == "Three pillars, a platform [m; f]."


def notebook_of_today(target):
    from docs.scripts.notebooks import NOTEBOOKS, notebook

    (page,) = [page for page, name in NOTEBOOKS.items() if name == target]
    return notebook(page)


@pytest.mark.parametrize("target", sorted(path.name for path in (ROOT / "examples").glob("*.ipynb")))
def test_notebooks_are_those_of_the_pages(target):
    """Write them again (``python -m docs.scripts.notebooks``) after a change of a page; pages run in other tests."""
    import nbformat

    text = (ROOT / "examples" / target).read_text(encoding="utf-8")
    assert text == notebook_of_today(target)
    nbformat.validate(nbformat.reads(text, as_version=4))


@pytest.mark.slow
def test_the_notebook_of_the_quick_start_runs(tmp_path):
    """In a real kernel of Jupyter; it prints what it shows, up to rounding."""
    import warnings

    import nbformat
    from nbclient import NotebookClient

    from test_docs_pages import same_text

    book = nbformat.reads((ROOT / "examples" / "quick_start.ipynb").read_text(encoding="utf-8"), as_version=4)
    shown = ["".join(out["text"] for out in cell.get("outputs", ())) for cell in book.cells]
    first = f"import sys; sys.path.insert(0, {str(Path(sp.__file__).parent.parent)!r})"
    book.cells.insert(0, nbformat.v4.new_code_cell(first))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook's own machinery
        place = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(book, timeout=600, kernel_name="python3", resources=place).execute()
    for cell, text in zip(book.cells[1:], shown, strict=True):
        if text:
            printed = "".join(out["text"] for out in cell["outputs"] if out.get("name") == "stdout")
            assert same_text(text, printed)


def test_the_page_on_validation_says_what_is_measured():
    """Measure again (``python -m docs.scripts.validation``) after a change; a digit more or less is rounding."""
    from docs.scripts.validation import PAGE, rows, stated

    bounds, found = stated(), rows()
    assert set(bounds) == {(row.source, row.problem, row.quantity) for row in found}
    for row in found:
        assert row.error < 10.0 * bounds[row.source, row.problem, row.quantity], row
    page = PAGE.read_text(encoding="utf-8")
    motions = (ROOT / "tests" / "reference" / "test_benchmarks_dynamics.py").read_text(encoding="utf-8")
    for name in re.findall(r"`(test_\w+)`", page):
        assert f"def {name}(" in motions


def test_a_site_has_a_folder_per_version(tmp_path):
    import json

    from docs.scripts import site

    pages, target = tmp_path / "pages", tmp_path / "site"
    pages.mkdir()
    target.mkdir()
    for version in ("0.9.0", "0.10.0", "0.11.0rc1", "0.2.1"):
        (pages / "index.html").write_text(f"pages of {version}")
        (pages / "model-file.schema.json").write_text(version)
        site.publish(pages, target, version)
    listed = json.loads((target / "versions.json").read_text())
    assert [entry["version"] for entry in listed] == ["0.11.0rc1", "0.10.0", "0.9.0", "0.2.1"]
    assert [entry["aliases"] for entry in listed] == [[], ["latest"], [], []]  # a candidate is not the latest
    assert (target / "0.9.0" / "index.html").read_text() == "pages of 0.9.0"
    assert (target / "latest" / "index.html").read_text() == "pages of 0.10.0"
    assert (target / "model-file.schema.json").read_text() == "0.10.0"
    assert "url=latest/" in (target / "index.html").read_text()
    (pages / "index.html").write_text("anew")
    assert site.publish(pages, target, "0.10.0")[1] == "0.10.0"
    assert (target / "latest" / "index.html").read_text() == "anew"
    with pytest.raises(ValueError, match="no version"):
        site.publish(pages, target, "../elsewhere")


def test_pages_tell_the_version():
    from docs.scripts import version

    assert version.package_version() == sp.__version__
    assert version.on_config({})["copyright"] == f"supple {sp.__version__}"
