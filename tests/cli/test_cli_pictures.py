"""Pictures appear whole or not at all, and are omitted without matplotlib."""

import numpy as np
import pytest

from command import inside
from supple.cli import pictures
from supple.systems import SYSTEMS

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def motion():
    system = SYSTEMS["cable-manipulator"]()
    return system.simulate(t=np.linspace(0.0, 0.04, 3))


def test_a_run_is_drawn(motion, tmp_path):
    files = pictures.draw_run(motion, tmp_path, (("arm", 1.0),))
    assert [file.name for file in files] == ["plots.png", "snapshots.png"]
    assert all(file.read_bytes().startswith(PNG) for file in files)
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_a_film(motion, tmp_path):
    told = []
    file = pictures.film(motion, tmp_path / "x.gif", (("arm", 1.0),), told.append)
    assert file.read_bytes().startswith(b"GIF")
    assert told[-1] == 1.0


def test_a_film_is_an_animated_picture_where_there_is_no_ffmpeg(tmp_path, monkeypatch):
    from supple.errors import MissingExtraError

    def missing():
        raise MissingExtraError("no ffmpeg")

    monkeypatch.setattr("supple.viz.video_files.find_ffmpeg", missing)
    assert pictures.video_file(tmp_path).name == "motion.gif"
    monkeypatch.setattr("supple.viz.video_files.find_ffmpeg", lambda: "ffmpeg")
    assert pictures.video_file(tmp_path).name == "motion.mp4"


def test_a_picture_that_fails_leaves_the_old_one(motion, tmp_path, monkeypatch):
    def savefig(figure, path, **options):
        path.write_text("half")
        raise RuntimeError("no ink")

    old = tmp_path / "statics.png"
    old.write_text("old")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", savefig)
    with pytest.raises(RuntimeError, match="no ink"):
        pictures.draw_equilibrium(motion.model.statics(), tmp_path)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_an_equilibrium_is_drawn(motion, tmp_path):
    assert pictures.draw_equilibrium(motion.model.statics(), tmp_path).read_bytes().startswith(PNG)


def test_without_matplotlib_one_line_says_so(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    result = inside(capfd, "run", "cable-manipulator", "--t-end", "0.01")
    assert result.code == 0
    assert "note: no pictures: matplotlib is not installed (pip install 'supple[viz]')" in result.err
    assert "saved cable-manipulator/trajectory.npz" in result.out
