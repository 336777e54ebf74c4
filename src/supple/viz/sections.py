"""How finely rods are drawn: with as many sections as their turns need, the same ones over all pictures of a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from supple.checks import Array
from supple.compilation.scene import Mark, Scene, Strand
from supple.model.model import Model
from supple.robot.bodies.looks import RodLook
from supple.robot.bodies.rod_table import RodTable

#: Most turn from one section to the next, rad: forty sections to a coil.
TURN = np.pi / 20.0

#: A stretch between two stations of a scene is halved this often at most.
HALVINGS = 6

#: Beyond this turn of a stretch it is not cut finer, rad.
MOST_TURN = TURN * 2**HALVINGS

#: Sections of all rods together, about: in a picture, and in a frame of an animation.
IN_A_PICTURE, IN_A_FRAME = 3000, 1200

#: Points of a line closer than this, relative to the next one, are one.
SAME = 1e-6

#: Places per stretch at which strain is looked at.
SAMPLES = 4

Pieces = tuple[int, ...]


def fine_scene(model: Model, states: Sequence[Array], budget: int = IN_A_PICTURE) -> Scene:
    """The scene of a model with rods that look round in all states (n,).

    A stretch between two stations of a rod is halved until it turns by `TURN` at most in any of the states. Straight
    rods stay as they are; rods that would need more sections than ``budget`` are all drawn coarser, by factors of two.
    """
    scene, q = model.scene, np.asarray(states, dtype=float).reshape(-1, model.n)
    if not np.all(np.isfinite(q)):
        return scene  # `Model.poses` will say what is wrong with them
    layouts = {layout.name: layout for layout in model.layouts}
    turns: dict[str, Array] = {}
    for look in scene.rods:
        layout = layouts[look.link]
        if layout.rod is not None:
            turns[look.link] = turn_of(layout.rod, look.s, q[:, list(layout.body_coordinates)])
    pieces = _pieces(turns, budget)
    if all(max(one) == 1 for one in pieces.values()):
        return scene
    rods = {
        look.link: finer_rod(look, pieces[look.link]) if look.link in pieces else look for look in scene.rods
    }
    marks = tuple(_finer_mark(mark, rods) for mark in scene.marks)
    return replace(scene, rods=tuple(rods.values()), marks=marks)


def turn_of(rod: RodTable, s: Array, q: Array) -> Array:
    """By how much [rad] a rod turns at most, bent and twisted, between stations (M,), over states (S, n): (M - 1,)."""
    inside = (np.arange(SAMPLES) + 0.5) / SAMPLES
    x = (s[:-1, None] + np.diff(s)[:, None] * inside).ravel()
    basis, strains = rod.basis(x), np.tile(rod.rest_strain(x)[:, :3], (len(q), 1, 1))
    with np.errstate(over="ignore", invalid="ignore"):  # of absurd coordinates
        for axis in range(3):
            own = rod.component == axis
            strains[:, :, axis] += q[:, own] @ basis[:, own].T
        rate = np.linalg.norm(strains, axis=2).max(axis=0, initial=0.0).reshape(-1, SAMPLES).max(axis=1)
        turn = rate * np.diff(s) * rod.length
    return np.asarray(np.nan_to_num(turn, nan=MOST_TURN).clip(max=MOST_TURN))


def _pieces(turns: dict[str, Array], budget: int) -> dict[str, Pieces]:
    """Into how many pieces, a power of two, every stretch of every rod is cut."""
    most = TURN
    while True:
        pieces = {link: _halvings(turn, most) for link, turn in turns.items()}
        if sum(map(sum, pieces.values())) <= budget or all(max(one) == 1 for one in pieces.values()):
            return pieces
        most *= 2.0


def _halvings(turn: Array, most: float) -> Pieces:
    return tuple((2 ** np.ceil(np.log2(np.maximum(turn / most, 1.0))).astype(int)).tolist())


@lru_cache(maxsize=64)  # its faces and edges are kept with it
def finer_rod(look: RodLook, pieces: Pieces) -> RodLook:
    """A rod with every stretch cut into so many pieces; sections change evenly from station to station."""
    at = _cuts(np.arange(len(look.s), dtype=float), pieces)
    hole = None if look.hole is None else _between(look.hole, at)
    return replace(look, s=_between(look.s, at), outline=_between(look.outline, at), hole=hole)


def _finer_mark(mark: Mark, rods: dict[str, RodLook]) -> Mark:
    """A line that runs inside rods, with a point in every section of theirs; all other marks as they are."""
    if not isinstance(mark, Strand):
        return mark
    knots = [0.0]
    for i, (here, there) in enumerate(pairwise(mark.places)):
        if here.within and there.within and here.link == there.link:
            x = (rods[here.link].s - here.s) / (there.s - here.s)
            knots += (i + np.sort(x[(x > SAME) & (x < 1.0 - SAME)])).tolist()
        knots.append(i + 1.0)
    at = np.array(knots)
    stations = _between(np.array([place.s for place in mark.places]), at).tolist()
    offsets = _between(np.array([place.offset for place in mark.places]), at)
    places = tuple(
        mark.places[k]._replace(s=s, offset=offset) if k < x else mark.places[k]
        for x, k, s, offset in zip(knots, at.astype(int).tolist(), stations, offsets, strict=True)
    )
    return replace(mark, places=places, radius=None if mark.radius is None else _between(mark.radius, at))


def _cuts(knots: Array, pieces: Pieces) -> Array:
    """Knots (M,) with every stretch between them cut into so many pieces (M - 1,)."""
    parts = [a + (b - a) * np.arange(n) / n for a, b, n in zip(knots[:-1], knots[1:], pieces, strict=True)]
    return np.concatenate([*parts, knots[-1:]])


def _between(rows: Array, at: Array) -> Array:
    """Rows (M, ...) at fractional indices, linear in between and exact at the rows."""
    low = np.minimum(at.astype(int), max(len(rows) - 2, 0))
    x = (at - low).reshape(-1, *[1] * (rows.ndim - 1))
    return np.asarray((1.0 - x) * rows[low] + x * rows[np.minimum(low + 1, len(rows) - 1)])
