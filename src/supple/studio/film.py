"""A motion as pictures at even times: what files of it hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array, positive_float
from supple.errors import ModelError, PictureError
from supple.studio.pieces import Piece, Placed
from supple.studio.stage import Stage
from supple.viz.motion import FRAMING, even_times, model_of, states_at

if TYPE_CHECKING:
    from supple.solvers.motion.trajectory import Trajectory

#: Most pictures of a file.
MOST_FRAMES = 20_000


@dataclass(frozen=True, eq=False)
class Film:
    """Pieces of a robot, and where they are at all times.

    Attributes
    ----------
    stage : Stage
    times : (T,)
        From zero, s of the film.
    places : list of lists of Placed
        For every piece, its places at the times.
    at : (3,)
        Where the robot's world is put, m.
    name : str
        Of the robot, if there are others.
    seen : (N, 3)
        Points beyond those of the stage that a picture must have room for, m.
    beside : tuple of Film
        Other robots at the same times.
    """

    stage: Stage
    times: Array
    places: list[list[Placed]]
    at: Array = field(default_factory=lambda: np.zeros(3))
    name: str = ""
    seen: Array = field(default_factory=lambda: np.zeros((0, 3)))
    beside: tuple[Film, ...] = ()

    @property
    def tracks(self) -> list[tuple[Piece, list[Placed]]]:
        """Pieces with their places; those never seen are omitted, as are triads at joints."""
        both = zip(self.stage.pieces, self.places, strict=True)
        seen = [(piece, places) for piece, places in both if piece.layer != "frames" and any(p.visible for p in places)]
        if self.name:
            seen = [(replace(piece, name=f"{self.name}/{piece.name}"), self._put(places)) for piece, places in seen]
        return [*seen, *(track for film in self.beside for track in film.tracks)]

    def _put(self, places: list[Placed]) -> list[Placed]:
        """Places in the world of all robots."""
        shift = np.zeros((4, 4))
        shift[:3, 3] = self.at
        return [placed._replace(frames=placed.frames + shift) for placed in places]

    @property
    def cloud(self) -> Array:
        """Points (N, 3) that a picture must have room for, m."""
        own = np.concatenate([self.stage.view.cloud, self.seen]) + self.at
        return np.concatenate([own, *(film.cloud for film in self.beside)])

    @property
    def lowest(self) -> float:
        """Height of the lowest point, m."""
        up = self.stage.view.camera.vertical
        own = float(np.min(self.seen @ up, initial=self.stage.lowest)) + float(self.at @ up)
        return min([own, *(film.lowest for film in self.beside)])

    @property
    def size(self) -> float:
        """Of the whole, m."""
        return float(np.linalg.norm(np.ptp(self.cloud, axis=0))) if self.beside else self.stage.size


def side_by_side(films: list[Film]) -> Film:
    """One film of several at the same times, whose robots have names."""
    return replace(films[0], beside=tuple(films[1:]))


def checked_rates(fps: Any, speed: Any) -> tuple[float, float]:
    """Pictures per second, and seconds of the motion per second of the film, as floats."""
    try:
        return positive_float(fps, "fps"), positive_float(speed, "speed")
    except ModelError as error:
        raise PictureError(f"export: {error}") from None


def film_of(trajectory: Trajectory, fps: float = 30.0, speed: float = 1.0) -> Film:
    """A motion with so many pictures per second, and so many of its seconds per second of the film."""
    model = model_of(trajectory)
    span = float(trajectory.t[-1] - trajectory.t[0])
    count = max(1, round(min(fps * span / speed, 1e15)) + 1)
    if count > MOST_FRAMES:
        raise PictureError(
            f"export: fps = {fps:g} and speed = {speed:g} make {count} pictures of {span:g} s, more than a file should "
            f"hold ({MOST_FRAMES}): lower fps or raise speed"
        )
    states = states_at(trajectory, even_times(trajectory, count))
    stage = Stage(model, states_at(trajectory, even_times(trajectory, min(FRAMING, count))))
    rows = [stage.at(state) for state in states]
    return Film(stage, np.linspace(0.0, span / speed, count), [list(column) for column in zip(*rows, strict=True)])
