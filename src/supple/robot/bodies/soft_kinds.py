"""Material points of soft bodies that pictures show, moved for all bodies of one kinematics at once.

NumPy takes longer to be called than to move a hundred points, so lines, skins and bodies share its calls.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.robot.bodies.looks import Place, SkinLook
from supple.tracing.program import Evaluator
from supple.tracing.symbols import Symbols


@dataclass(frozen=True, eq=False)
class SoftKind:
    """What is drawn of soft bodies of one kinematics.

    Attributes
    ----------
    links : tuple of str
        The bodies.
    moved : Evaluator
        Where all points are at coordinates (bodies, n): (P, 3) in the frame of the base of each, m.
    frames : (k,)
        Numbers of the scene's frames at the first k points, those of lines.
    skins : dict
        Which of the points are the vertices of a skin, by link.
    """

    links: tuple[str, ...]
    moved: Evaluator
    frames: np.ndarray
    skins: Mapping[str, slice]

    def carry(self, frames: Array, q: Callable[[str], Array]) -> dict[str, Array]:
        """Carry frames (F, 4, 4) of lines to where coordinates q of their links put them.

        Returns vertices (V, 3) of skins in the frame of their base, m, by link.
        """
        points = self.moved(np.array([q(link) for link in self.links]))
        own = frames[self.frames]
        frames[self.frames, :3, 3] += np.einsum("kij,kj->ki", own[:, :3, :3], points[: len(own)])
        return {link: points[place] for link, place in self.skins.items()}


class _Lot(NamedTuple):
    """Material points (k, 3) of one body: a skin, or the point at a frame of the scene."""

    link: str
    place: Symbols
    points: Array
    frame: int | None


def soft_kinds(places: Sequence[Place], skins: Sequence[SkinLook]) -> tuple[SoftKind, ...]:
    """All kinds of soft bodies, of which places of a scene are on lines, and which have skins."""
    lots = [
        _Lot(place.link, place.point.place, np.array([place.point.x]), i)
        for i, place in enumerate(places)
        if place.point is not None
    ]
    lots += [_Lot(look.link, look.place, look.rest.vertices, None) for look in skins if look.rest is not None]
    kinds: dict[Hashable, list[_Lot]] = {}
    for lot in lots:
        kinds.setdefault(_kinematics(lot.place), []).append(lot)
    return tuple(_joined(kind) for kind in kinds.values())


def _kinematics(place: Symbols) -> Hashable:
    """The same for symbols that are the same."""
    flat = place.ravel()
    return id(flat[0].graph), tuple(symbol.index for symbol in flat)


def _joined(lots: list[_Lot]) -> SoftKind:
    """A kind of which these are all lots, those of lines first."""
    links = tuple(dict.fromkeys(lot.link for lot in lots))
    counts = np.array([len(lot.points) for lot in lots])
    body = np.repeat([links.index(lot.link) for lot in lots], counts)
    ends = np.cumsum(counts).tolist()
    return SoftKind(
        links,
        Evaluator(lots[0].place, np.concatenate([lot.points for lot in lots]), body),
        np.array([lot.frame for lot in lots if lot.frame is not None], dtype=np.int64),
        {lot.link: slice(end - len(lot.points), end) for lot, end in zip(lots, ends, strict=True) if lot.frame is None},
    )
