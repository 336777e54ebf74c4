"""Every check on the description of a robot, one small function each, each message naming the link.

Checks of a single link run when it is added, so that the traceback points at the user's line; checks of the
whole run in `validate`, which compilation calls first. Checks of a rod, a joint or a section by itself live
with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array, real_array, shown, whole_number
from supple.checks import name as checked_name
from supple.errors import ModelError, naming
from supple.joints.factors import telling_subspace
from supple.joints.protocol import Joint
from supple.robot.bodies.protocol import Body, check_material
from supple.robot.stations import as_station, is_inside

if TYPE_CHECKING:
    from supple.compilation.layout import LinkLayout
    from supple.core.arrays import Parameters
    from supple.robot.robot import LinkSpec, Robot

#: Name of the inertial frame, the parent of root links.
WORLD = "world"

#: Part of the terms of phi^T M phi below which their sum is rounding.
NO_INERTIA = 1e-12

#: Most discs along one rod: far more than any rod needs.
MOST_DISCS = 1000


def validate(robot: Robot) -> tuple[int, ...]:
    """Check the description of a robot.

    Parameters
    ----------
    robot : Robot
        With its links in the order they were added.

    Returns
    -------
    tuple of int
        Indices of ``robot.links`` with parents before children, otherwise in the order of addition.

    Raises
    ------
    ModelError
        Naming the link, the value and the remedy.
    """
    links = robot.links
    if not links:
        raise ModelError(f"robot {robot.name!r} has no links: add one with robot.add_link(name, body)")
    parents = parent_indices(links)
    order = topological_order(links, parents)
    check_holds(links, parents)
    for link in links:
        with naming(f"link {link.name!r}"):
            link.body.check()
    check_frames(robot)
    if robot.massless == "refuse":
        check_massless(links, parents)
    return order


def check_name(name: Any, taken: Iterable[str]) -> None:
    """A link's name is a non-empty string, not "world", and not taken."""
    checked_name(name, "link name")
    if name == WORLD:
        raise ModelError(f"link name {WORLD!r} is reserved for the inertial frame, choose another")
    if name in taken:
        raise ModelError(f"link {name!r}: a link of this name was added before, names must differ")


def item_key(item: Any, taken: Mapping[str, Any]) -> str:
    """The name of a load, an actuator or a constraint among those ``taken``; unnamed ones are numbered by kind."""
    kind = type(item).__name__
    unnamed = _unnamed(item)
    name = checked_name(getattr(item, "name", kind) if unnamed is None else unnamed, f"{kind}: name")
    if name not in taken:
        return name
    if name == unnamed:
        return next(key for i in range(2, len(taken) + 3) if (key := f"{name} {i}") not in taken)
    other = type(taken[name]).__name__
    raise ModelError(f"{kind} {name!r}: there is {_article(other)} {name!r} already, names of loads must differ")


def _unnamed(item: Any) -> str | None:
    """What an item is called that was not given a name of its own; None if it was."""
    kind = type(item).__name__
    if not hasattr(item, "name"):
        return kind
    name = item.name
    if not is_dataclass(item):
        return None
    defaults = [entry.default for entry in fields(item) if entry.name == "name"]
    if not defaults:  # named after something else, as `Prescribed` is after its link
        return name if isinstance(name, str) and name.strip() else kind
    return name if isinstance(name, str) and name == defaults[0] else None


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def check_body(body: Any) -> None:
    """A body is an instance of a body class."""
    if not isinstance(body, Body):
        raise ModelError(f"body is {_what(body)}, must be a Rod or a Rigid")


def check_joint(joint: Any) -> None:
    """A joint is an instance of a joint class."""
    if isinstance(joint, type) and issubclass(joint, Joint):
        raise ModelError(f"joint is a class, must be an instance: write {joint.__name__}(...)")
    if not isinstance(joint, Joint):
        raise ModelError(f'joint is {_what(joint)}, must be a joint such as Fixed() or Revolute("z")')


def check_parent(parent: Any) -> None:
    """A parent is named; it may be added later."""
    if not isinstance(parent, str):
        raise ModelError(f"parent is {_what(parent)}, must be the name of a link or {WORLD!r}")


def parent_station(parent: Any) -> tuple[Any, Any]:
    """Name and station s of a parent given by its name, or by both."""
    if not isinstance(parent, (tuple, list)):
        return parent, 1.0
    if len(parent) != 2:
        raise ModelError(f"parent is {shown(parent)}, must be a name, or a name and a station: (name, s)")
    if isinstance(parent[0], str) and parent[0] == WORLD:
        raise ModelError(f"parent is {parent!r}, but {WORLD!r} has no stations: say where with at=pose(...)")
    return parent[0], parent[1]


def check_station(station: Any) -> float:
    """A station s along the parent, in [0, 1]."""
    s = as_station(station, "station s on the parent")
    if not is_inside(s):
        raise ModelError(f"station s on the parent is {s:g}, must lie between 0 (its base) and 1 (its tip)")
    return s


def disc_stations(n: Any, at: Any) -> list[float]:
    """Stations of discs along a rod: n even ones with the last at the tip, or those given."""
    if (n is None) == (at is None):
        raise ModelError("say how many (n) or where (at=[s, ...]), one of them")
    if at is None:
        count = whole_number(n, "n", 1, MOST_DISCS)
        return [k / count for k in range(1, count + 1)]
    stations = real_array(at, "at")
    if stations.ndim != 1 or len(stations) == 0:
        raise ModelError(f"at is {shown(at)}, must be stations s between 0 and 1, at least one")
    return [check_station(s) for s in stations.tolist()]


def check_holds(links: Sequence[LinkSpec], parents: Sequence[int]) -> None:
    """A link holds others at the stations that its body has: a rigid one at its body frame or at its tip."""
    for link, parent in zip(links, parents, strict=True):
        body = links[parent].body if parent >= 0 else None
        if body is not None:
            with naming(f"link {link.name!r}"):
                check_material(body, link.parent, link.station)
        if body is not None and body.refuses(link.station):
            raise ModelError(
                f"link {link.name!r}: s is {link.station:g}, but its parent {link.parent!r} is {body.noun}: "
                f"{body.ends}; say where with at=pose(...)"
            )


def parent_indices(links: Sequence[LinkSpec]) -> tuple[int, ...]:
    """Index of each link's parent, -1 for the world."""
    index = {link.name: i for i, link in enumerate(links)} | {WORLD: -1}
    for link in links:
        if link.parent not in index:
            close = get_close_matches(link.parent, index, n=1)
            hint = f", did you mean {close[0]!r}?" if close else "."
            known = ", ".join(repr(name) for name in index)
            raise ModelError(f"link {link.name!r}: parent {link.parent!r} is unknown{hint} Known: {known}")
    return tuple(index[link.parent] for link in links)


def topological_order(links: Sequence[LinkSpec], parents: Sequence[int]) -> tuple[int, ...]:
    """Indices with parents first: each link in the order of addition, preceded by its ancestors."""
    order: list[int] = []
    placed = {-1}
    for start in range(len(links)):
        chain: list[int] = []
        i = start
        while i not in placed:
            if i in chain:
                loop = [links[k].name for k in [*chain[chain.index(i) :], i]]
                raise ModelError(
                    f"link {links[i].name!r}: its parents form a cycle, {' -> '.join(loop)}; "
                    f"attach one of them to {WORLD!r} (closed loops are made with Loop)"
                )
            chain.append(i)
            i = parents[i]
        order.extend(reversed(chain))
        placed.update(chain)
    return tuple(order)


def check_frames(robot: Robot) -> None:
    """Frames are fixed to links that are there, at stations that they have."""
    links = {link.name: link for link in robot.links}
    for frame in robot.frames:
        if frame.link not in links:
            close = get_close_matches(frame.link, links, n=1)
            hint = f", did you mean {close[0]!r}?" if close else "."
            known = ", ".join(repr(name) for name in links)
            raise ModelError(f"frame {frame.name!r}: link {frame.link!r} is unknown{hint} Known: {known}")
        body = links[frame.link].body
        with naming(f"frame {frame.name!r}"):
            check_material(body, frame.link, frame.station)
        if body.refuses(frame.station):
            raise ModelError(
                f"frame {frame.name!r}: s is {frame.station:g}, but {frame.link!r} is {body.noun}: {body.ends}; "
                "say where with at=pose(...)"
            )


def check_massless(links: Sequence[LinkSpec], parents: Sequence[int]) -> None:
    """A joint that moves has inertia to move: that of its own body, or some further out."""
    for link in without_inertia(links, parents):
        raise ModelError(
            f"link {link.name!r}: its {type(link.joint).__name__} joint moves no inertia "
            f"({link.body.mass_text()}, nothing with mass attached), accelerations would be infinite; "
            "give the body mass and inertia, or make the joint Fixed()"
        )


def without_inertia(links: Sequence[LinkSpec], parents: Sequence[int]) -> list[LinkSpec]:
    """Links whose joints move no inertia."""
    found = []
    for link, inertia_beyond in zip(links, _carries_inertia(links, parents), strict=True):
        inertia = link.body.felt_inertia()
        if inertia is None or inertia_beyond or link.joint.dof == 0:
            continue
        if not _positive_definite(telling_subspace(link.joint.factors()), inertia):
            found.append(link)
    return found


def check_finite(layouts: Sequence[LinkLayout], parameters: Parameters) -> None:
    """Stiffness, damping and inertia, which are products of what was given, do not overflow."""
    if all(
        np.isfinite(part).all() for part in (parameters.stiffness, parameters.damping, parameters.segments["inertia"])
    ):
        return
    for layout in layouts:
        own = slice(layout.coordinates.start, layout.coordinates.stop)
        for what, part in (
            ("stiffness", parameters.stiffness[own]),
            ("damping", parameters.damping[own]),
            ("inertia", parameters.segments["inertia"][list(layout.segments)]),
        ):
            if not np.isfinite(part).all():
                raise ModelError(f"link {layout.name!r}: its {what} is beyond float64; check sizes, material and fluid")


def _carries_inertia(links: Sequence[LinkSpec], parents: Sequence[int]) -> list[bool]:
    """Whether some descendant of each link has inertia."""
    carried = [False] * len(links)
    for i, link in enumerate(links):
        inertia = link.body.felt_inertia()
        if inertia is None or np.any(inertia):
            k = parents[i]
            while k >= 0 and not carried[k]:  # whoever is told already has told all before it
                carried[k] = True
                k = parents[k]
    return carried


def _positive_definite(phi: Array, inertia: Array) -> bool:
    """Whether phi^T M phi > 0, judged in the units of its own diagonal (rad and m do not compare)."""
    felt = phi.T @ inertia @ phi
    diagonal = np.diag(felt)
    terms = np.diag(np.abs(phi).T @ np.abs(inertia) @ np.abs(phi))  # what cancellation is measured against
    if np.any(diagonal <= NO_INERTIA * terms):
        return False
    scale = np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(felt / np.outer(scale, scale))[0] > NO_INERTIA)


def _what(value: Any) -> str:
    return f"{shown(value)} ({type(value).__name__})"
