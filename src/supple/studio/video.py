"""Videos of what was played, drawn by the browser that asks for them and written here."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.studio.engine import RATE
from supple.viz.video_files import Frame, find_ffmpeg, write_gif, write_mp4

if TYPE_CHECKING:
    from supple.studio.actor import Actor

#: Width and height of videos, pixels, by kind, and their pictures per second: a GIF is held in memory.
SIZES = {"mp4": (1280, 720), "gif": (640, 360)}
RATES = {"mp4": RATE, "gif": 15.0}

#: How long a browser may take for one picture, s.
PATIENCE = 60.0

#: Why robots stand still meanwhile.
RECORDING = "a video is recorded"

Progress = Callable[[float], Any]


def record(client: Any, actors: list[Actor], kind: str, progress: Progress = lambda done: None) -> bytes:
    """What all robots did last as a video, "mp4" or "gif", seen as a browser sees it now.

    The robots are led through their past once more, and the browser sends a picture of every moment, so the video has
    all of them, however slow it draws. They stand still meanwhile, and go on afterwards where they were.

    Raises
    ------
    MissingExtraError
        For mp4, where no ffmpeg is installed.
    """
    if kind == "mp4":
        find_ffmpeg()
    for actor in actors:
        actor.engine.pause(True, RECORDING)
    try:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / f"video.{kind}"
            (write_mp4 if kind == "mp4" else write_gif)(target, _pictures(client, actors, kind, progress), RATES[kind])
            return target.read_bytes()
    finally:
        for actor in actors:
            actor.engine.pause(False, RECORDING)
            actor.engine.refresh()


def _pictures(client: Any, actors: list[Actor], kind: str, progress: Progress) -> Iterator[Frame]:
    """Pictures (height, width, 3) at even times, from the earliest that any robot remembers."""
    pasts = [list(actor.past) or [actor.engine.act.state] for actor in actors]
    span = max(past[-1].t - past[0].t for past in pasts)
    count = max(1, round(span * RATES[kind]) + 1)
    width, height = SIZES[kind]
    for k in range(count):
        for actor, past in zip(actors, pasts, strict=True):
            times = np.array([state.t for state in past])
            nearest = int(np.argmin(np.abs(times - (times[-1] - span + k * span / max(count - 1, 1)))))
            actor.draw(past[nearest])
        client.local_storage.get_item("supple", timeout=PATIENCE)  # it has the places now
        yield np.ascontiguousarray(client.get_render(height, width, timeout=PATIENCE)[:, :, :3])
        progress((k + 1) / count)
