"""Configurations of a robot: random ones, how far two are apart, and whether two are one and the same.

Coordinates are numbers, configurations are not: an angle and the same plus a turn, a rotation vector w and
w (1 - 2 pi / |w|), or two places on a closed track give the same robot, unless a spring or a limit counts the turns.
So what has a spring or limits (and every coordinate of a rod or soft body) is compared by number, everything else by
the poses that come of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core.records import has_chart
from supple.model.chart_changes import exponential_map
from supple.solvers.statics.reduced import metric_at

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Linear strains matter at this size, angles at one radian, ways of joints at the size of the robot.
STRAIN = 0.1
#: How far random configurations lie from a guess, in these sizes, at most.
REACH = 3.0
#: Configurations whose coordinates and poses differ by less, in these sizes, are one and the same.
SAME = 1e-6
TURN = 2.0 * np.pi


class Configurations:
    """Those of one model, with prescribed joints where ``q0`` (n,) has them."""

    def __init__(self, model: Model, q0: Array, spread: float | Array) -> None:
        self.model, self.free, self.spread = model, model.free_coordinates, spread
        self.size = _size(model, q0)
        self.scales = _scales(model, self.size)
        self.charts = _charts(model)
        self.counted = _counted(model)
        self.angles = np.array([i for i in self._uncounted_joints() if self._is_angle(i, q0)], dtype=np.int64)
        self.root = metric_at(model, q0).inverse.T  # of the inverse metric: what is soft moves far

    def _uncounted_joints(self) -> list[int]:
        """Coordinates of joints that nothing counts, one by one: without those of charts."""
        charted = {i for chart in self.charts for i in range(chart.start, chart.stop)}
        return [i for i in np.flatnonzero(~self.counted).tolist() if i not in charted and i in self.free]

    def _is_angle(self, i: int, q0: Array) -> bool:
        """Whether all poses come back after a turn of coordinate i."""
        q, turned = q0 + 0.3, q0 + 0.3
        turned[i] += TURN
        return bool(np.abs(self.poses(q) - self.poses(turned)).max() < 1e-9)

    def poses(self, q: Array) -> Array:
        """Poses (P, 4, 4) of all points, lengths in units of the robot's size."""
        found = np.array(self.model.points(q))
        found[:, :3, 3] /= self.size
        return found

    # ------------------------------------------------------------------ comparing

    def wrapped(self, q: Array) -> Array:
        """The same configuration with angles and rotation vectors within half a turn, where that is free to choose."""
        q = np.array(self.model.rewrap(q, np.zeros(self.model.n))[0])
        q[self.angles] -= TURN * np.round(q[self.angles] / TURN)
        return q

    def difference(self, a: Array, b: Array) -> Array:
        """b - a (n,), angles the short way round."""
        step = b - a
        step[self.angles] -= TURN * np.round(step[self.angles] / TURN)
        return np.asarray(step)

    def same(self, a: Array, b: Array) -> bool:
        """Whether two lists of coordinates are one configuration."""
        apart = np.abs(b - a) / self.scales
        if apart[self.counted].max(initial=0.0) > SAME:
            return False
        return bool(np.abs(self.poses(a) - self.poses(b)).max() < SAME)

    def distances(self, known: Array, q: Array) -> tuple[Array, Array]:
        """Squares (K,) of smooth distances of q (n,) from configurations (K, n), and their slopes d/dq (K, n).

        They are the same for all coordinates of one configuration: chords in place of angles and rotations.
        """
        apart = q - known
        steps, slopes = apart / self.scales, 2.0 * apart / self.scales**2
        turns = apart[:, self.angles]
        steps[:, self.angles], slopes[:, self.angles] = 2.0 * np.sin(0.5 * turns), 2.0 * np.sin(turns)
        for own in self.charts:
            steps[:, own] = 0.0
        squares = np.asarray((steps**2).sum(axis=1))
        for own in self.charts:
            theirs = np.array([self._pose(own, other) for other in known])
            squares += _gaps(theirs, self._pose(own, q))
            for i in range(own.start, own.stop):
                h = np.zeros(len(q))
                h[i] = 1e-6 * self.scales[i]
                ahead, behind = self._pose(own, q + h), self._pose(own, q - h)
                slopes[:, i] = (_gaps(theirs, ahead) - _gaps(theirs, behind)) / (2.0 * h[i])
        return squares, slopes

    def _pose(self, own: slice, q: Array) -> Array:
        """Rows (3, 4) of the pose of a joint with a chart, lengths by the robot's size, rotations by root 1/2."""
        pose = exponential_map(self.model.parameters.screws[:, own] @ q[own])[0][:3]
        pose[:, :3] *= np.sqrt(0.5)
        pose[:, 3] /= self.size
        return pose

    # ------------------------------------------------------------------ drawing

    def random(self, q0: Array, rng: np.random.Generator) -> Array:
        """Coordinates (n,) around q0: soft directions move far, stiff ones little; angles and rotations are uniform.

        What has limits stays within them.  Loops are open, as a rule.
        """
        step = np.zeros(self.model.n)
        step[self.free] = self.root @ rng.standard_normal(len(self.free))
        largest = float(np.abs(step / self.scales).max(initial=0.0))
        q = q0 + self.spread * step * (REACH * rng.uniform() / largest if largest > 0.0 else 0.0)
        q[self.angles] = rng.uniform(-np.pi, np.pi, len(self.angles))
        for own in self.charts:
            if not self.counted[own].any():
                q[own] = self._turned(own, q[own], rng)
        lower, upper = self.model.parameters.limits[: self.model.n, :2].T
        q[self.free] = np.clip(q, lower, upper)[self.free]
        return q

    def _turned(self, own: slice, q: Array, rng: np.random.Generator) -> Array:
        """Coordinates of a chart with a rotation drawn evenly from all that its joint has."""
        turning = np.abs(self.model.parameters.screws[:3, own]).max(axis=0) > 0.0
        axis = rng.standard_normal(int(turning.sum()))
        angle = np.pi * rng.uniform()
        if len(axis) == 3:  # rotations by an angle are as many as 1 - cos: draw by rejection
            while rng.uniform() > 0.5 * (1.0 - np.cos(angle)):
                angle = np.pi * rng.uniform()
        q = q.copy()
        q[turning] = angle * axis / np.linalg.norm(axis)
        return q


def _gaps(theirs: Array, ours: Array) -> Array:
    """Squares (K,) of differences between poses (K, 3, 4) and one (3, 4)."""
    return np.asarray(((theirs - ours) ** 2).sum(axis=(1, 2)))


def _size(model: Model, q0: Array) -> float:
    """Extent of a robot [m]: its points and the world's origin; 1 for a point."""
    places = np.vstack([np.zeros(3), model.points(q0)[:, :3, 3], model.points(model.rest)[:, :3, 3]])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0


def _scales(model: Model, size: float) -> Array:
    """Sizes (n,) at which coordinates matter."""
    scales = np.where(model.topology.component[: model.n] >= 3, STRAIN, 1.0)
    for layout in model.layouts:
        for i in list(layout.coordinates)[: layout.joint_dof]:
            screw = model.parameters.screws[:, i]
            if i < model.n and not screw[:3].any() and screw[3:].any():
                scales[i] = size
    return scales


def _charts(model: Model) -> list[slice]:
    """Coordinates of joints that are exponential coordinates, if nothing holds them."""
    found = []
    for block in model.topology.blocks[has_chart(model.topology.blocks)]:
        own = slice(int(block["start"]), int(block["start"] + block["n"]))
        if own.stop <= model.n and own.start in model.free_coordinates:
            found.append(own)
    return found


def _counted(model: Model) -> Array:
    """Which coordinates (n,) are more than the poses that come of them: bodies', and those with springs or limits.

    A joint that others follow counts, too: a turn of it is not one of theirs.
    """
    counted = np.ones(model.n, dtype=bool)
    for layout in model.layouts:
        for i in list(layout.coordinates)[: layout.joint_dof]:
            if i < model.n:
                limited = np.isfinite(model.parameters.limits[i, :2]).any()
                counted[i] = limited or bool(np.any(model.stiffness[i]))
    if model.compiled.followers is not None:
        counted[np.unique(model.compiled.followers.leaders)] = True
    return counted
