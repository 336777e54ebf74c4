"""Videos of what was played: every moment is drawn by the browser, in order."""

import io

import numpy as np
import pytest
from PIL import Image

from supple.errors import MissingExtraError
from supple.studio import video
from supple.studio.video import SIZES, record
from supple.viz.view import State


class Engine:
    def __init__(self):
        self.calls = []

    def pause(self, paused, why):
        assert why == video.RECORDING
        self.calls.append(paused)

    def refresh(self):
        self.calls.append("refresh")


class Actor:
    """A robot whose picture is as bright as its time."""

    def __init__(self, past):
        self.past, self.engine, self.drawn = past, Engine(), []

    def draw(self, state):
        self.drawn.append(state.t)


class Browser:
    def __init__(self, actor):
        self.actor, self.local_storage, self.asked = actor, self, 0

    def get_item(self, key, timeout):
        self.asked += 1

    def get_render(self, height, width, timeout):
        return np.full((height, width, 3), round(200 * self.actor.drawn[-1]), dtype=np.uint8)


@pytest.mark.parametrize("kind", ["gif", "mp4"])
def test_a_video_shows_the_past_in_order(kind):
    if kind == "mp4":
        pytest.importorskip("imageio_ffmpeg")
    actor = Actor([State(np.zeros(1), t=t) for t in np.linspace(0.0, 1.0, 31)])
    other = Actor([State(np.zeros(1), t=t) for t in np.linspace(5.0, 5.5, 16)])
    browser, told = Browser(actor), []
    data = record(browser, [actor, other], kind, told.append)
    assert actor.drawn == sorted(actor.drawn)
    assert actor.drawn[0] == 0.0
    assert actor.drawn[-1] == 1.0
    assert other.drawn[-1] == 5.5
    assert browser.asked == len(actor.drawn) == (31 if kind == "mp4" else 16)
    assert told[-1] == 1.0
    assert actor.engine.calls == [True, False, "refresh"]
    if kind == "gif":
        film = Image.open(io.BytesIO(data))
        assert film.size == SIZES["gif"]
        film.seek(0)
        first = np.asarray(film.convert("L"))[0, 0]
        film.seek(film.n_frames - 1)  # Pillow joins pictures that are alike
        assert np.asarray(film.convert("L"))[0, 0] > first + 150
    else:
        assert data[4:8] == b"ftyp"


def test_without_ffmpeg_nothing_is_disturbed(monkeypatch):
    def missing():
        raise MissingExtraError('pip install "supple[viz]"')

    monkeypatch.setattr(video, "find_ffmpeg", missing)
    actor = Actor([State(np.zeros(1))])
    with pytest.raises(MissingExtraError, match="viz"):
        record(Browser(actor), [actor], "mp4")
    assert not actor.engine.calls


def test_a_browser_that_goes_lets_robots_go_on():
    actor = Actor([State(np.zeros(1), t=t) for t in (0.0, 0.1)])
    browser = Browser(actor)

    def gone(*arguments, **options):
        raise RuntimeError("the client disconnected")

    browser.get_render = gone
    with pytest.raises(RuntimeError, match="disconnected"):
        record(browser, [actor], "gif")
    assert actor.engine.calls == [True, False, "refresh"]
