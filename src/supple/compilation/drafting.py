"""Links become blocks: one per factor of a joint, then the body's own, in the order in which kernels visit them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.compilation.layout import LinkLayout
from supple.core.records import BODY, CUSTOM, EXPONENTIAL, SCREW, segment_t
from supple.joints.factors import Factor, JointMap
from supple.robot.bodies.protocol import Chain
from supple.robot.validate import WORLD

if TYPE_CHECKING:
    from supple.robot.robot import LinkSpec


class Attachment(NamedTuple):
    """Where children hang: a segment and a pose in the frame of its end."""

    segment: int
    pose: np.ndarray


class Announced(NamedTuple):
    """Stations of a link at which loads sit or links hang, and those that sleep until a load wakes them."""

    always: set[float]
    dormant: set[float]


@dataclass
class BlockDraft:
    """One block before it becomes a row of `block_t`."""

    chain: Chain
    start: int
    n: int
    first: int
    parent: int
    placement: np.ndarray
    screws: np.ndarray | None = None  #: (6, n) of a joint
    has_children: bool = False  #: at its tip
    ancestors: list[int] = field(default_factory=list)  #: blocks with whose ends it moves
    descendants: list[int] = field(default_factory=list)  #: blocks that move with its end
    grafts: dict[int, int] = field(default_factory=dict)  #: blocks of rods that it leaves before their tips: where

    @property
    def count(self) -> int:
        """Number of segments."""
        return len(self.chain.segments)

    @property
    def tip(self) -> int:
        """The segment that ends at its end."""
        return self.first + self.chain.own[-1]

    @property
    def active(self) -> int:
        """Segments that dynamics visit: not those that sleep, nor the tip of a leaf rod, which has no weight."""
        idle_tip = self.chain.idle_tip and not self.has_children
        return self.count - self.chain.dormant - idle_tip

    @property
    def strained(self) -> bool:
        """Whether its segments move within it, as those of rods and soft bodies do."""
        return self.chain.component is not None or self.chain.kind == BODY

    @property
    def span(self) -> slice:
        """Its segments."""
        return slice(self.first, self.first + self.count)

    @property
    def parents(self) -> list[int]:
        """The segment at whose end each of its segments begins."""
        own = self.chain.own
        return [self.parent if i == 0 else self.first + own[i - 1] for i in self.chain.begins.tolist()]


def draft_link(
    link: LinkSpec, start: int, layouts: dict[str, LinkLayout], announced: Announced, drafts: list[BlockDraft]
) -> LinkLayout:
    """Append the blocks of one link: a block per joint factor, then the body's own, if it has one.

    ``start`` is the link's first coordinate; ``layouts`` are those of the links before it, its parent among them.
    """
    first_block = len(drafts)
    table = link.body.tabulate()
    chain = table.chain(announced.always, announced.dormant)
    factors: list[Factor] = list(link.joint.factors())
    if chain is None and not factors:
        factors = [np.zeros((6, 0))]  # a fixed body is a joint without coordinates
    parent = _attachment(link, layouts, drafts)
    segment, placement, coordinate = parent.segment, parent.pose @ link.at, start
    for factor in factors:
        chain_of, screws = _joint_chain(factor), None if isinstance(factor, JointMap) else factor
        draft = BlockDraft(chain_of, coordinate, factor.shape[1], _next(drafts), segment, placement, screws)
        drafts.append(draft)
        coordinate, segment, placement = coordinate + draft.n, draft.first, np.eye(4)
    segments: tuple[int, ...] = (segment,)
    between: dict[float, int] = {}
    if chain is None:
        drafts[-1].chain.segments["inertia"] = table.point_inertia
    else:
        draft = BlockDraft(chain, coordinate, table.n, _next(drafts), segment, placement)
        drafts.append(draft)
        coordinate += table.n
        segments = tuple(draft.first + i for i in chain.own)
        between = {s: draft.first + i for s, i in chain.between.items()}
    return LinkLayout(
        name=link.name,
        coordinates=range(start, coordinate),
        joint_dof=link.joint.dof,
        blocks=tuple(range(first_block, len(drafts))),
        segments=segments,
        between=between,
        table=table,
        noun=link.body.noun,
        ends=link.body.ends,
        keeps_chart=link.joint.dof > 0 and link.joint.keeps_chart,
    )


def _attachment(link: LinkSpec, layouts: dict[str, LinkLayout], drafts: list[BlockDraft]) -> Attachment:
    """Where a link hangs."""
    if link.parent == WORLD:
        return Attachment(0, np.eye(4))
    layout = layouts[link.parent]
    last = drafts[layout.blocks[-1]]
    return Attachment(*layout.place(link.station, (last.parent, last.placement)))


def _next(drafts: list[BlockDraft]) -> int:
    """The next segment to be drafted; segment 0 is the world."""
    return drafts[-1].first + drafts[-1].count if drafts else 1


def _joint_chain(factor: Factor) -> Chain:
    """The block of a joint factor: one segment without inertia."""
    begins, phi = np.zeros(1, dtype=np.int64), np.zeros((2, 1, factor.shape[1]))
    if isinstance(factor, JointMap):
        return Chain(CUSTOM, np.zeros(1, segment_t), phi, begins, (0,), {}, map=factor.bound())
    return Chain(SCREW if _commute(factor) else EXPONENTIAL, np.zeros(1, segment_t), phi, begins, (0,), {})


def _commute(screws: np.ndarray) -> bool:
    """Whether all Lie brackets of the columns vanish, so that S = Phi for any q."""
    w, v = screws[:3].T, screws[3:].T
    n = screws.shape[1]
    return all(
        np.abs(np.cross(w[i], w[j])).max() <= 1e-14
        and np.abs(np.cross(w[i], v[j]) - np.cross(w[j], v[i])).max() <= 1e-14
        for i in range(n)
        for j in range(i)
    )


def relate(drafts: list[BlockDraft]) -> None:
    """Ancestors and descendants of every block, and rods on which it is grafted before their tips."""
    owner = {s: b for b, draft in enumerate(drafts) for s in range(draft.first, draft.first + draft.count)}
    for b, draft in enumerate(drafts):
        if draft.parent:
            above = owner[draft.parent]
            draft.ancestors, draft.grafts = [*drafts[above].ancestors], dict(drafts[above].grafts)
            if draft.parent == drafts[above].tip:
                drafts[above].has_children = True
                draft.ancestors.append(above)
            else:
                draft.grafts[above] = draft.parent
            for a in draft.ancestors:
                drafts[a].descendants.append(b)
