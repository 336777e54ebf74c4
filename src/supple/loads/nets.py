"""Deformables of point masses and springs, attached to links: ropes, nets, skins ([REDMAX] 2.7).

Every free node becomes a link of its own: a point mass on a `Translational` joint, so that its three coordinates are
its displacement in the frame of the net's parent.  Attached nodes have no coordinates, they are points of other links.
Springs between all of them are one load, `Springs`.  So a node is where links may hang, loads act and contacts touch,
its motion may be prescribed, and everything that a model can be asked holds for nets too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import (
    finite_array,
    finite_float,
    flag,
    nonnegative_float,
    positive_float,
    real_array,
    shown,
    whole_number,
)
from supple.errors import ModelError, naming
from supple.joints import Translational
from supple.lie.pose import check_pose, pose
from supple.loads.contact.contact import Contact
from supple.loads.contact.shapes import Ball, ContactShape
from supple.loads.spring import point_place
from supple.loads.springs import Springs, checked_pairs, many
from supple.robot.bodies import Rigid
from supple.robot.rigid_shapes import SphereShape

if TYPE_CHECKING:
    from supple.robot.robot import Robot

#: Most nodes of one net: each free one has three coordinates.
MOST_NODES = 10_000

#: Ends of a rope closer than this part of its length are one.
SHORTEST = 1e-6


@dataclass(frozen=True, eq=False)
class SpringNet:
    """Point masses joined by springs; some nodes may be points of links.

    Parameters
    ----------
    nodes : (N, 3)
        Where the nodes are without displacement, m, in the frame that `add_to` is given.
    springs : (m, 2) ints
        Which nodes each spring joins.
    mass : float or (N,)
        Of each node, kg; that of attached nodes does not count.
    stiffness, damping : float or (m,)
        Of each spring, N/m and N s/m along it.
    rest_length : float or (m,), optional
        m; omitted: the distances between ``nodes``.
    attached : {node: (link, s) or (link, s, offset)}
        Nodes that are points of links (or of the "world", s = 0): rods 0 (base) to 1 (tip); rigid links 0 or 1.
    slack : bool
        Whether springs pull and never push.
    radius : float
        Of the free nodes in pictures and contacts, m.

    Examples
    --------
    >>> net = SpringNet.rope((0, 0, 0), (1, 0, 0), 10, mass=0.1, stiffness=1e3, first=("world", 0.0))
    >>> len(net.free)
    10
    """

    nodes: ArrayLike
    springs: ArrayLike
    mass: float | ArrayLike
    stiffness: float | ArrayLike
    damping: float | ArrayLike = 0.0
    rest_length: float | ArrayLike | None = None
    attached: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    slack: bool = False
    radius: float = 0.0

    def __post_init__(self) -> None:
        with naming("SpringNet"):
            given = real_array(self.nodes, "nodes")
            count = len(given) if given.ndim == 2 else 0
            if not 0 < count <= MOST_NODES:
                raise ModelError(f"nodes is {shown(self.nodes)}, must be places (N, 3), at most {MOST_NODES}")
            nodes = finite_array(given, (count, 3), "nodes")
            pairs = checked_pairs(self.springs, count)
            self._keep("nodes", nodes)
            self._keep("springs", pairs)
            for name, size, unit in (
                ("mass", count, "kg"),
                ("stiffness", len(pairs), "N/m"),
                ("damping", len(pairs), "N s/m"),
            ):
                self._keep(name, many(getattr(self, name), size, name, unit))
            lengths = np.linalg.norm(nodes[pairs[:, 1]] - nodes[pairs[:, 0]], axis=1)
            given = lengths if self.rest_length is None else many(self.rest_length, len(pairs), "rest_length", "m")
            self._keep("rest_length", given)
            self._keep("slack", flag(self.slack, "slack"))
            self._keep("radius", nonnegative_float(self.radius, "radius", "m"))
            self._check_attached(count)

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_attached(self, count: int) -> None:
        if not isinstance(self.attached, Mapping):
            raise ModelError(f"attached is {shown(self.attached)}, must be points of links by node")
        for node, place in self.attached.items():
            if whole_number(node, "attached: node") not in range(count):
                raise ModelError(f"attached: node is {node}, nodes are 0 to {count - 1}")
            point_place(place, f"attached[{node}]")
        self._keep("attached", dict(self.attached))
        if not self.free:
            raise ModelError("all nodes are attached: without a free node there is nothing to move; use Springs")
        for node in self.free:
            positive_float(np.asarray(self.mass)[node], f"mass of the free node {node}", "kg")

    @property
    def free(self) -> tuple[int, ...]:
        """Nodes with coordinates of their own."""
        return tuple(k for k in range(len(np.asarray(self.nodes))) if k not in self.attached)

    @classmethod
    def rope(
        cls,
        start: ArrayLike,
        end: ArrayLike,
        pieces: int,
        *,
        mass: float,
        stiffness: float,
        length: float | None = None,
        damping: float = 0.0,
        first: tuple[Any, ...] | None = None,
        last: tuple[Any, ...] | None = None,
        sag: ArrayLike = (0.0, 0.0, -1.0),
        slack: bool = False,
        radius: float = 0.0,
    ) -> SpringNet:
        """A rope of ``pieces`` springs between point masses, without displacement on an arc from ``start`` to ``end``.

        Parameters
        ----------
        start, end : (3,)
            m, in the frame that `add_to` is given.
        pieces : int
            How many springs; there is one node more.
        mass : float
            Of the whole rope, kg: each piece gives half of its mass to both of its nodes. The halves at ends that are
            attached are held by their links, without inertia there.
        stiffness, damping : float
            Of the whole rope, N/m and N s/m.
        length : float, optional
            Without load, m; omitted: the distance from start to end. A longer rope is without displacement an arc of
            this length, without tension; a shorter one is straight and taut.
        first, last : (link, s) or (link, s, offset), optional
            What its ends are attached to; omitted: they are free.
        sag : (3,)
            To which side the arc hangs, in the frame of ``start``.
        slack, radius
            As for any net.
        """
        with naming("SpringNet.rope"):
            pieces = whole_number(pieces, "pieces", minimum=1, maximum=MOST_NODES - 1)
            ends = finite_array(start, (3,), "start"), finite_array(end, (3,), "end")
            apart = float(np.linalg.norm(ends[1] - ends[0]))
            whole = positive_float(apart if length is None else length, "length", "m")
            part = positive_float(mass, "mass", "kg") / pieces
            stiff = positive_float(stiffness, "stiffness", "N/m") * pieces
            lossy = nonnegative_float(damping, "damping", "N s/m") * pieces
            nodes = _arc(*ends, whole, pieces, finite_array(sag, (3,), "sag"))
        masses = np.full(pieces + 1, part)
        masses[[0, -1]] *= 0.5
        held = {node: place for node, place in ((0, first), (pieces, last)) if place is not None}
        pairs = [(k, k + 1) for k in range(pieces)]
        return cls(nodes, pairs, masses, stiff, lossy, whole / pieces, held, slack, radius)

    @classmethod
    def sheet(
        cls,
        corner: ArrayLike,
        along: ArrayLike,
        across: ArrayLike,
        pieces: tuple[int, int],
        *,
        mass: float,
        stiffness: float,
        shear: float = 0.0,
        damping: float = 0.0,
        attached: Mapping[tuple[int, int], tuple[Any, ...]] | None = None,
        slack: bool = False,
        radius: float = 0.0,
    ) -> SpringNet:
        """A net of ``pieces`` = (m, n) meshes over the parallelogram corner, corner + along, corner + across.

        Node (i, j) of (m + 1, n + 1) has the number i (n + 1) + j.

        Parameters
        ----------
        corner, along, across : (3,)
            m, in the frame that `add_to` is given.
        pieces : (int, int)
            Meshes along and across.
        mass : float
            Of the whole, kg: each mesh gives a quarter to its corners.
        stiffness, shear, damping : float
            N/m of each spring along edges, of each along diagonals (0: none); N s/m of each.
        attached : {(i, j): (link, s) or (link, s, offset)}
            Nodes that are points of links.
        slack, radius
            As for any net.
        """
        with naming("SpringNet.sheet"):
            if not isinstance(pieces, (tuple, list)) or len(pieces) != 2:
                raise ModelError(f"pieces is {shown(pieces)}, must be (along, across)")
            m, n = (whole_number(k, "pieces", minimum=1, maximum=MOST_NODES) for k in pieces)
            a, b = finite_array(along, (3,), "along"), finite_array(across, (3,), "across")
            origin, total = finite_array(corner, (3,), "corner"), positive_float(mass, "mass", "kg")
            lossy, diagonal = nonnegative_float(damping, "damping", "N s/m"), finite_float(shear, "shear")
            edge = positive_float(stiffness, "stiffness", "N/m")
        i, j = (x.ravel() for x in np.meshgrid(np.arange(m + 1), np.arange(n + 1), indexing="ij"))
        nodes = origin + np.outer(i / m, a) + np.outer(j / n, b)
        share = np.outer(_halves(m), _halves(n)).ravel()
        number = np.arange((m + 1) * (n + 1)).reshape(m + 1, n + 1)
        edges = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
        diagonals = [(number[:-1, :-1], number[1:, 1:]), (number[1:, :-1], number[:-1, 1:])] if diagonal else []
        rows = [np.stack([x.ravel(), y.ravel()], axis=1) for x, y in (*edges, *diagonals)]
        stiff = np.repeat([edge, edge, diagonal, diagonal][: len(rows)], [len(row) for row in rows])
        held = {int(number[place]): point for place, point in (attached or {}).items()}
        return cls(nodes, np.concatenate(rows), total * share / (m * n), stiff, lossy, None, held, slack, radius)

    def add_to(
        self, robot: Robot, name: str, parent: str | tuple[str, float] = "world", at: ArrayLike | None = None
    ) -> tuple[str, ...]:
        """Add its free nodes as links and its springs as a load.

        Parameters
        ----------
        robot : Robot
            What it becomes part of.
        name : str
            Of the load; nodes are called ``name/0``, ``name/1``, ... by their number in ``nodes``.
        parent, at
            The link in whose tip frame (or "world") nodes are measured, and the pose (4, 4) there of the frame of
            ``nodes``: as for `Robot.add_link`. It need not be what the net is attached to.

        Returns
        -------
        tuple of str
            Names of the free nodes.
        """
        frame = pose() if at is None else check_pose(at, "at")
        masses, nodes = np.asarray(self.mass), np.asarray(self.nodes)
        shape = SphereShape(self.radius) if self.radius > 0.0 else None
        places: list[tuple[Any, ...]] = []
        for k, x in enumerate(nodes):
            if k in self.attached:
                places.append(tuple(self.attached[k]))
                continue
            body = Rigid(masses[k], np.zeros(3), shape=shape)
            robot.add_link(f"{name}/{k}", body, joint=Translational(), parent=parent, at=frame @ pose(x))
            places.append((f"{name}/{k}", 0.0))
        numbers = (self.springs, self.stiffness, self.rest_length, self.damping)
        robot.add(Springs(name, places, *numbers, self.slack))
        return tuple(f"{name}/{k}" for k in self.free)

    def contacts(self, name: str, other: ContactShape, **options: Any) -> list[Contact]:
        """Contacts of all free nodes, balls of the net's radius, with another shape, with options of `Contact`.

        ``name`` is that of the net in the robot; contacts are called after nodes and the kind of shape.
        """
        kind = type(other).__name__
        return [
            Contact(f"{name}/{k} on {kind}", Ball(self.radius, link=f"{name}/{k}"), other, **options)
            for k in self.free
        ]


def _arc(start: np.ndarray, end: np.ndarray, length: float, pieces: int, sag: np.ndarray) -> np.ndarray:
    """Nodes (pieces + 1, 3) on a circle through start and end, all pieces length / pieces long; straight if shorter."""
    chord = end - start
    apart = float(np.linalg.norm(chord))
    if length <= apart or pieces == 1:
        return np.linspace(start, end, pieces + 1)
    if apart < SHORTEST * length:
        raise ModelError(f"start and end are {apart:g} m apart, too close for an arc between them: move one of them")
    ex = chord / apart
    side = sag - (sag @ ex) * ex
    if float(np.linalg.norm(side)) < SHORTEST * max(float(np.linalg.norm(sag)), 1.0):
        raise ModelError(f"sag is {shown(sag.tolist())}, must not point from start to end: it says to which side")
    ey = side / np.linalg.norm(side)
    low, high = 0.0, 2.0 * np.pi  # of the angle: the chord over the length falls from 1 to 0
    for _ in range(100):
        angle = 0.5 * (low + high)
        ratio = np.sin(0.5 * angle) / (pieces * np.sin(0.5 * angle / pieces))
        low, high = (angle, high) if ratio > apart / length else (low, angle)
    radius = 0.5 * apart / np.sin(0.5 * angle)
    turn = 0.5 * angle * np.linspace(-1.0, 1.0, pieces + 1)[:, None]
    nodes = 0.5 * (start + end) + radius * (np.sin(turn) * ex + (np.cos(turn) - np.cos(0.5 * angle)) * ey)
    nodes[[0, -1]] = start, end
    return np.asarray(nodes)


def _halves(pieces: int) -> np.ndarray:
    """How much of the pieces each node of a row has."""
    share = np.ones(pieces + 1)
    share[[0, -1]] = 0.5
    return share
