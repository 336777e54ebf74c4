"""What a joint transmits: the whole wrench, with derivatives.

The joint is cut open: a joint with all six freedoms is put before it, and kept closed.  Its generalised force is the
wrench that the cut must transmit, so that the residual of the robot with the cut, and its derivatives, are those of the
reaction: inertia, gravity, loads, loops, springs and drives beyond the cut are all in it.  The cut comes last among the
coordinates and segments, so that nothing else changes its place but blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import shown
from supple.compilation.assembling import UNLIMITED
from supple.core.records import EXPONENTIAL, block_t, pose_t, segment_t
from supple.errors import ModelError
from supple.loads.joint_drive import drives
from supple.model.changes import changed_model
from supple.readouts import parts
from supple.readouts.followers import by_state, of_all_coordinates
from supple.readouts.parts import State
from supple.readouts.results import ReactionDerivatives

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.core.arrays import Parameters, Topology
    from supple.model.model import Model

Array = np.ndarray

#: Freedoms of the cut.
SIX = 6

FRAMES = ("world", "local")


@of_all_coordinates()
def reaction(model: Model, state: State, link: str = "world", frame: str = "world") -> Array:
    """Wrench (6,) on a link from its parent through its joint, see `Model.reaction`."""
    opened = cut(model, _checked(model, link, frame))
    local = opened.residual(*padded(state))[model.n :]
    if frame == "local" or link == "world":
        return local
    return _turned(_cut_axes(opened), local)


@of_all_coordinates(by_state)
def reaction_derivatives(
    model: Model, state: State, link: str = "world", frame: str = "world"
) -> ReactionDerivatives:
    """The same with its derivatives."""
    opened, n = cut(model, _checked(model, link, frame)), model.n
    closed = padded(state)
    wrench = opened.residual(*closed)[n:]
    found = opened.residual_derivatives(*closed)
    blocks = [found.dq[n:, :n], found.dv[n:, :n], found.da[n:, :n], found.du[n:], found.dlam[n:]]
    if frame == "local" or link == "world":
        return ReactionDerivatives(wrench, *blocks)
    parts.swept(opened, closed, columns=True)
    turn = parts.segment_columns(opened, np.array([len(opened.topology.parents) - 1]))[0][0, :3, :n]
    R = _cut_axes(opened)
    wrench, blocks = _turned(R, wrench), [_turned(R, block) for block in blocks]
    blocks[0] = blocks[0] - np.vstack([parts.cross_columns(wrench[k : k + 3], turn) for k in (0, 3)])
    return ReactionDerivatives(wrench, *blocks)


@of_all_coordinates()
def joint_position(model: Model, state: State, link: str) -> Array:
    """World position (3,) of the point about which the moment of a reaction is taken."""
    opened = cut(model, _checked(model, link, "world"))
    space, origin = parts.swept(opened, padded(state))
    return np.asarray(origin + space.work[-1]["p"])


def _checked(model: Model, link: str, frame: str) -> str:
    if not isinstance(link, str) or link != "world":
        try:
            model.link_index(link)
        except ModelError:
            names = ", ".join(model.link_names)
            raise ModelError(f"there is no link {shown(link)}; ask for 'world' (the base) or a link: {names}") from None
    if not isinstance(frame, str) or frame not in FRAMES:
        raise ModelError(f"frame is {shown(frame)}, must be 'world' or 'local'")
    return link


def padded(state: State) -> State:
    """The state of the robot with a closed cut."""
    q, v, a = (np.append(x, np.zeros(SIX)) for x in state[:3])
    return state._replace(q=q, v=v, a=a)


def _cut_axes(opened: Model) -> Array:
    """Axes (3, 3) of the frame of the cut, as the last call left them."""
    return np.array(opened.workspace.own()[0].work[-1]["R"])


def _turned(R: Array, wrench: Array) -> Array:
    """A wrench (6, ...) in other axes."""
    return np.concatenate([R @ wrench[:3], R @ wrench[3:]])


def cut(model: Model, link: str) -> Model:
    """The robot with a closed cut before the joint of a link, or ("world") between the world and all links on it."""
    opened: Model = parts.kept(model, ("cut", link), lambda: _make_cut(model, link))
    return opened


def _make_cut(model: Model, link: str) -> Model:
    block = 0 if link == "world" else model.layouts[model.link_index(link)].blocks[0]
    names = tuple(f"{link}.cut_{axis}" for axis in ("rx", "ry", "rz", "x", "y", "z"))
    return changed_model(
        model,
        coordinate_names=model.coordinate_names + names,
        topology=_cut_topology(model, link, block),
        parameters=_cut_parameters(model.parameters, link, block),
        loads=tuple(_moved(load, block) for load in model.loads),
    )


def _moved(load: Bound, block: int) -> Bound:
    """A load behind a new block: drives and sums over soft bodies know blocks by their number."""
    if load.kernel.function is not drives.function:
        rows, data = _rows_of_blocks(load), list(load.data)
        for row in rows:
            data[row] = data[row].copy()
            data[row][0, 0] += data[row][0, 0] >= block
        return load._replace(data=type(load.data)(data)) if rows else load
    factors = load.data.factors.copy()
    factors[:, 0] += factors[:, 0] >= block
    return load._replace(data=load.data._replace(factors=factors))


def _rows_of_blocks(load: Bound) -> range:
    """Arrays of a load whose first number is the block of a soft body (`fields.functionals`)."""
    room = load.kernel.function.__module__
    if room in ("supple.fields.elasticity", "supple.fields.viscosity", "supple.loads.fluid.buoyancy"):
        return range(1)
    if room == "supple.loads.lines.members":
        from supple.fields.functionals import FUNCTIONAL_ROWS
        from supple.loads.lines.members import COUNT, FIRST

        return range(FIRST, FIRST + int(load.data[COUNT][0, 0]) * FUNCTIONAL_ROWS, FUNCTIONAL_ROWS)
    return range(0)


def _cut_topology(model: Model, link: str, block: int) -> Topology:
    old = model.topology
    rows, new = old.blocks.copy(), len(old.parents)
    parents, first = old.parents.copy(), int(rows[block]["parent"])
    beyond = _blocks_beyond(old.blocks, old.owner, block) if link != "world" else set(range(len(rows)))
    bases = [block] if link != "world" else [b for b in range(len(rows)) if rows[b]["parent"] == 0]
    for b in bases:
        span = slice(int(rows[b]["first"]), int(rows[b]["first"] + rows[b]["count"]))
        parents[span][parents[span] == rows[b]["parent"]] = new
        rows[b]["parent"] = new
    row = np.zeros(1, block_t)
    row["kind"], row["start"], row["n"], row["first"] = EXPONENTIAL, model.n, SIX, new
    row["count"] = row["active"] = 1
    row["parent"] = 0 if link == "world" else first
    row["columns"] = model.parameters.phi.shape[1]
    owner = np.append(old.owner + ((old.owner >= block) & (np.arange(new) > 0)), block)
    blocks, ranges = _related(old, np.insert(rows, block, row), link, block, beyond, model.n)
    return old._replace(
        blocks=blocks,
        parents=np.append(parents, row["parent"]),
        ranges=ranges,
        component=np.append(old.component, np.full(SIX, -1)),
        owner=owner,
    )


def _blocks_beyond(blocks: Array, owner: Array, block: int) -> set[int]:
    """A block and all that hang on it; parents come first."""
    beyond = {block}
    for b in range(block + 1, len(blocks)):
        parent = int(blocks[b]["parent"])
        if parent and int(owner[parent]) in beyond:
            beyond.add(b)
    return beyond


def _related(old: Topology, blocks: Array, link: str, block: int, beyond: set[int], n: int) -> tuple[Array, Array]:
    """Whom each block feels (`block_t.inward`, outward, apart): the coordinates of the cut join everybody's lists.

    The cut is grafted on the rods on which its first block is (`core.grafts`); these do not list it.
    """
    lists: list[dict[str, list[Any]]] = []
    own, keys = (n, n + SIX, 0), ("inward", "outward", "apart", "grafts")
    ahead = _blocks_ahead(old.blocks, old.owner, block) if link != "world" else set()
    first = old.blocks[block]
    beside = {key: old.ranges[first[key][0] : first[key][1]].tolist() for key in keys}
    grafted = {lo for lo, _, _ in beside["grafts"]}  # rods by their first coordinate
    for b, row in enumerate(old.blocks):
        known = {key: old.ranges[row[key][0] : row[key][1]].tolist() for key in keys}
        if b in beyond:
            known["inward"].append(own)
        elif b not in ahead:
            known["apart"].append(own)
        elif row["start"] not in grafted or row["n"] == 0:
            known["outward"].append(own)
        lists.append(known)
    if link == "world":
        beside = {"inward": [], "apart": [], "grafts": []}
    moved = [(int(old.blocks[b]["start"]), int(old.blocks[b]["start"] + old.blocks[b]["n"]), 0) for b in sorted(beyond)]
    beside["outward"] = [*(part for part in moved if part[1] > part[0]), own]
    lists.insert(block, beside)
    ranges: list[Any] = []
    for row, known in zip(blocks, lists, strict=True):
        for key in keys:
            row[key] = len(ranges), len(ranges) + len(known[key])
            ranges += known[key]
    return blocks, np.array(ranges, dtype=np.int64).reshape(-1, 3)


def _blocks_ahead(blocks: Array, owner: Array, block: int) -> set[int]:
    """Blocks between the world and a block."""
    ahead: set[int] = set()
    parent = int(blocks[block]["parent"])
    while parent:
        ahead.add(int(owner[parent]))
        parent = int(blocks[owner[parent]]["parent"])
    return ahead


def _cut_parameters(old: Parameters, link: str, block: int) -> Parameters:
    here, closed = np.zeros(1, pose_t), np.zeros(1, pose_t)
    closed["R"] = np.eye(3)
    placement = old.placement.copy()
    here[:] = closed if link == "world" else placement[block]
    if link != "world":
        placement[block] = closed[0]
    limits = np.tile(UNLIMITED, (SIX, 1))
    return old._replace(
        placement=np.insert(placement, block, here),
        segments=np.append(old.segments, np.zeros(1, segment_t)),
        phi=np.hstack([old.phi, np.zeros((2, SIX))]),
        screws=np.hstack([old.screws, np.eye(SIX)]),
        stiffness=np.pad(old.stiffness, (0, SIX)),
        damping=np.pad(old.damping, (0, SIX)),
        rest=np.pad(old.rest, (0, SIX)),
        limits=np.vstack([old.limits, limits]),
    )
