"""Pictures are asked of the library in one place, appear whole or not at all, and are left out without matplotlib."""

import sys
from types import SimpleNamespace

import pytest

from command import inside
from supple.cli import pictures

WATCH = (("arm", 1.0),)


class Figure:
    def savefig(self, path, dpi):
        path.write_text(f"{path.suffix}, {dpi} dpi")


class Motion:
    """Stands for a trajectory: writes down how it is drawn."""

    def plot(self, path, watch):
        assert watch == WATCH
        path.write_text("plots")

    def animate(self, path, fps, speed, watch, progress):
        assert (fps, speed, watch) == (25, 1.0, WATCH)
        progress(0.5)
        path.write_text(f"a film {path.suffix}")


def stub(monkeypatch):
    def snapshots(trajectory, number, watch):
        assert (number, watch) == (6, WATCH)
        return Figure()

    monkeypatch.setitem(sys.modules, "supple.viz", SimpleNamespace(snapshots=snapshots))


def test_a_run_is_drawn(tmp_path, monkeypatch):
    stub(monkeypatch)
    files = pictures.draw_run(Motion(), tmp_path, WATCH)
    assert [file.name for file in files] == ["plots.png", "snapshots.png"]
    assert [file.read_text() for file in files] == ["plots", ".png, 150 dpi"]
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_a_film(tmp_path):
    told = []
    file = pictures.film(Motion(), tmp_path / "x.gif", WATCH, told.append)
    assert file.read_text() == "a film .gif"
    assert told == [0.5]


def test_a_picture_that_fails_leaves_the_old_one(tmp_path):
    def savefig(path, **options):
        path.write_text("half")
        raise RuntimeError("no ink")

    old = tmp_path / "statics.png"
    old.write_text("old")
    model = SimpleNamespace(plot=lambda q, u, t: SimpleNamespace(savefig=savefig))
    with pytest.raises(RuntimeError, match="no ink"):
        pictures.draw_equilibrium(SimpleNamespace(model=model, q=1, u=2, t=3), tmp_path)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_an_equilibrium_is_drawn(tmp_path):
    model = SimpleNamespace(plot=lambda q, u, t: Figure())
    file = pictures.draw_equilibrium(SimpleNamespace(model=model, q=1, u=2, t=3), tmp_path)
    assert file.read_text() == ".png, 150 dpi"


def test_without_matplotlib_one_line_says_so(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    result = inside(capfd, "run", "cable-manipulator", "--t-end", "0.01")
    assert result.code == 0
    assert "note: no pictures: matplotlib is not installed (pip install 'supple[viz]')" in result.err
    assert "saved cable-manipulator/trajectory.npz" in result.out
