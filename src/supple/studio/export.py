"""Motions as files that open without supple: one page of HTML with its own player, or glTF."""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import shown
from supple.errors import PictureError
from supple.robot.summary import counted
from supple.storage import replacing
from supple.studio.film import Film, checked_rates, film_of
from supple.studio.glb import write_glb
from supple.studio.window import VIEW_ANGLE, viewpoint
from supple.viz.camera import level_axes
from supple.viz.paths import checked_path

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory


def export(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    fps: float = 30.0,
    speed: float = 1.0,
    title: str | None = None,
) -> Path:
    """Write a motion to a file that opens without supple, as `Trajectory.export` describes."""
    fps, speed = checked_rates(fps, speed)
    writers: dict[str, Callable[[], bytes]] = {
        "glb": lambda: write_glb(film_of(trajectory, fps, speed)),
        "html": lambda: write_html(film_of(trajectory, fps, speed), float(trajectory.t[0]), speed, title).encode(),
    }
    target = checked_path(path, "a motion", writers)
    if title is not None and not isinstance(title, str):
        raise PictureError(f"export: title is {shown(title)}, must be a string")
    data = writers[target.suffix.lstrip(".").lower()]()
    with replacing(target) as beside:
        beside.write_bytes(data)
    return target


def write_html(film: Film, start: float = 0.0, pace: float = 1.0, title: str | None = None) -> str:
    """A film as one page that needs nothing else: shapes as glTF inside it, and a small player.

    ``start`` is the time [s] at which it begins, ``pace`` how many of its seconds pass per second.
    """
    model = film.stage.model
    packed = base64.b64encode(gzip.compress(write_glb(film), 6)).decode()
    note = f"{counted(len(model.link_names), 'link')}, {counted(model.n, 'coordinate')}"
    if film.beside:
        note = counted(1 + len(film.beside), "robot")
    page = (files("supple.studio") / "player.html").read_text(encoding="utf-8")
    setup = json.dumps(_setup(film) | {"start": start, "pace": pace}).replace("<", "\\u003c")
    words = {
        "TITLE": escape(", ".join(_names(film)) if title is None else title),
        "NOTE": escape(note),
        "SETUP": setup,
        "GLB": packed,
    }
    for word, text in words.items():
        page = page.replace(f"__{word}__", text)
    return page


def _names(film: Film) -> list[str]:
    """Of all robots."""
    return [one.name or one.stage.model.name for one in (film, *film.beside)]


def _setup(film: Film) -> dict[str, Any]:
    """Eye and ground, in the axes of glTF."""
    view = film.stage.view
    first, second, upward = level_axes(view.camera.vertical)
    turn = np.array([second, upward, first])
    eye, middle = viewpoint(film.cloud, view.camera.toward)
    walled = view.ground is None and len(view.rims) > 0
    return {
        "eye": (turn @ eye).tolist(),
        "middle": (turn @ middle).tolist(),
        "ground": None if walled else film.lowest - 1e-3 * film.size,
        "size": film.size,
        "cell": view.cell,
        "angle": float(VIEW_ANGLE),
    }
