"""What a model is made of, part by part: by this it is known again, and a file of another robot says what differs.

A part belongs to an owner (the robot, a link, a load, a controller) and is a fingerprint of the compiled arrays or of
the laws behind them.  Names count, what pictures show does not.  Nothing is computed before someone asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.core.records import is_map
from supple.fingerprint import fingerprint
from supple.robot.bodies.protocol import LinkArrays

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model

#: Differences that a message tells of.
MOST_TOLD = 6

ROBOT = "robot"


@dataclass(frozen=True)
class Digest:
    """Fingerprints of parts, by owner and aspect, and what could not be looked into."""

    parts: dict[str, dict[str, str]]
    unknown: tuple[str, ...] = ()

    def joined(self, other: Digest) -> Digest:
        """This one and another, of other owners or of other aspects of the same."""
        parts = {owner: dict(aspects) for owner, aspects in self.parts.items()}
        for owner, aspects in other.parts.items():
            parts.setdefault(owner, {}).update(aspects)
        return Digest(parts, (*self.unknown, *other.unknown))

    def text(self) -> str:
        """The parts as JSON, for files."""
        return json.dumps(self.parts)


def digest_of(owners: Mapping[str, Mapping[str, Any]]) -> Digest:
    """Fingerprints of values by owner and aspect."""
    parts: dict[str, dict[str, str]] = {}
    unknown: list[str] = []
    for owner, aspects in owners.items():
        found = {aspect: fingerprint(value) for aspect, value in aspects.items()}
        parts[owner] = {aspect: print_.digest for aspect, print_ in found.items()}
        unknown += [f"{owner}: {what}" for print_ in found.values() for what in print_.unknown]
    return Digest(parts, tuple(dict.fromkeys(unknown)))


def model_digest(model: Model) -> Digest:
    """Everything that moves a model; arrays are looked at once, laws every time, since what they hold may change."""
    loads = _named([load.owner or f"load {load.name!r}" for load in model.loads], model.loads)
    still: Digest = model.workspace.kept("digest of arrays", lambda: _arrays_digest(model, loads))
    laws: dict[str, dict[str, Any]] = {owner: _load_law(load) for owner, load in loads.items()}
    demand = model.demand
    for law, size, owner in zip(demand.laws, demand.sizes, demand.owners, strict=True):
        laws.setdefault(owner, {}).setdefault("law of time", []).append((law, size))
    for joint in model.prescribed:
        laws.setdefault(f"Prescribed {joint.link!r}", {})["motion"] = joint.law
    for owner, c in _named([f"Controller {c.name!r}" for c in model.controllers], model.controllers).items():
        laws[owner] = {"rate": c.rate, "output": c.output, "inputs": c.inputs, "state0": c.state0}
    return still.joined(digest_of(laws))


def _arrays_digest(model: Model, loads: Mapping[str, Bound]) -> Digest:
    """Of the robot, its links and the data of its loads."""
    links = {f"link {layout.name!r}": _link(model, layout) for layout in model.layouts}
    data = {owner: _load(load) for owner, load in loads.items()}
    return digest_of({ROBOT: _robot(model), **links, **data})


def _named(names: Sequence[str], things: Sequence[Any]) -> dict[str, Any]:
    """Things by name; the second of one name is called ``name (2)``."""
    found: dict[str, Any] = {}
    for name, thing in zip(names, things, strict=True):
        number = sum(other == name or other.startswith(f"{name} (") for other in found) + 1
        found[name if number == 1 else f"{name} ({number})"] = thing
    return found


def _robot(model: Model) -> dict[str, Any]:
    tree, demand = model.topology, model.demand
    return {
        "name": model.name,
        "gravity": model.parameters.gravity,
        "inputs": (demand.inputs, demand.tensions),
        "states": [(block.names, block.state0) for block in demand.states],
        "tree": (tree.blocks, tree.parents, tree.ranges, tree.links, tree.owner),
    }


def _link(model: Model, layout: LinkLayout) -> dict[str, Any]:
    """A link's joint, place and body, as the kernels see them."""
    parameters, blocks = model.parameters, list(layout.blocks)
    own = slice(layout.coordinates.start, layout.coordinates.stop)
    joint = slice(own.start, own.start + layout.joint_dof)
    rows = [model.topology.blocks[b] for b in blocks]
    names = model.coordinate_names[own]
    spans = [slice(int(row["first"]), int(row["first"] + row["count"])) for row in rows]
    columns = [slice(int(row["columns"]), int(row["columns"] + row["n"] * row["count"])) for row in rows]
    nodes = [node for node in parameters.nodes if own.start <= int(node["start"]) < own.stop]
    psi = [parameters.psi[int(node["column"]) : int(node["column"] + node["n"])] for node in nodes]
    segments = [parameters.segments[span] for span in spans]
    maps = _joint_maps(model, layout)
    arrays = LinkArrays(names, segments, [parameters.phi[:, span] for span in columns], nodes, psi)
    return {
        "place": (parameters.placement[blocks], _parent(model, int(rows[0]["parent"]))) if rows else None,
        "joint": (parameters.screws[:, joint], names[: layout.joint_dof], layout.keeps_chart, *maps),
        "limits": parameters.limits[own],
        "stiffness": parameters.stiffness[own],
        "damping": parameters.damping[own],
        "rest position": parameters.rest[own],
        "inertia": [(part["inertia"], part["net_mass"]) for part in segments],
        "tip": layout.tip,
        **layout.table.aspects(arrays),
    }


def _joint_maps(model: Model, layout: LinkLayout) -> list[Any]:
    """Maps of a joint's factors; those of bodies are among the aspects of their tables."""
    rows = model.topology.blocks[list(layout.blocks)]
    rows = rows[is_map(rows) & (rows["start"] < layout.body_coordinates.start)]
    maps = [model.compiled.maps[int(row["map"])] for row in rows]
    return [(bound.kernel.function, bound.data) for bound in maps]


def _parent(model: Model, segment: int) -> tuple[str, int]:
    """The link that a segment belongs to, and the segment's number in it."""
    for layout in model.layouts:
        for b in layout.blocks:
            row = model.topology.blocks[b]
            if int(row["first"]) <= segment < int(row["first"] + row["count"]):
                return layout.name, segment - int(row["first"])
    return "world", 0


def _load(load: Bound) -> dict[str, Any]:
    """A load's kernel and data; what its guard calls scratch (addresses, notes of failures) is no content."""
    scratch = getattr(load.guard, "scratch", ())
    names = getattr(load.data, "_fields", range(len(load.data)))
    arrays = {f"data {name!r}": array for name, array in zip(names, load.data, strict=True)}
    kept = {name: x for name, x in arrays.items() if not _is_law(x) and not any(x is other for other in scratch)}
    return {"kind": (load.kernel.function, load.side), **kept}


def _load_law(load: Bound) -> dict[str, Any]:
    """Users' functions behind a load."""
    laws = [part for part in (*load.data, load.guard) if _is_law(part)]
    return {"law": laws} if laws else {}


def _is_law(part: Any) -> bool:
    """Whether something holds functions, and knows its own content."""
    return hasattr(type(part), "__fingerprint__")


# ---------------------------------------------------------------------- comparison


def differences(here: Mapping[str, Mapping[str, str]], there: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What differs between the parts here and those of a file, in words; empty if nothing does."""
    changed = {
        owner: [aspect for aspect in {**parts, **there[owner]} if parts.get(aspect) != there[owner].get(aspect)]
        for owner, parts in here.items()
        if owner in there
    }
    missing = [f"{owner} is not in the file" for owner in here if owner not in there]
    missing += [f"the file has {owner}" for owner in there if owner not in here]
    if missing:  # numbers of segments and signals have shifted: that says nothing of other loads
        changed = {owner: aspects for owner, aspects in changed.items() if owner == ROBOT or owner.startswith("link ")}
    if missing or any(aspects for owner, aspects in changed.items() if owner != ROBOT):
        changed[ROBOT] = [aspect for aspect in changed.get(ROBOT, []) if aspect != "tree"]
    return missing + [f"{owner}: {_listed(aspects)}" for owner, aspects in changed.items() if aspects]


def told(sentences: list[str]) -> str:
    """Some of the differences, for a message."""
    more = len(sentences) - MOST_TOLD
    return "; ".join(sentences[:MOST_TOLD]) + (f"; and {more} more" if more > 0 else "")


def _listed(aspects: list[str]) -> str:
    words = f"{', '.join(aspects[:-1])} and {aspects[-1]}" if len(aspects) > 1 else aspects[0]
    return f"{words} {'differ' if len(aspects) > 1 else 'differs'}"
