"""The table printed for a robot."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from supple.robot.text_table import text_table

if TYPE_CHECKING:
    from supple.robot.robot import LinkSpec, Robot

WIDTH = 110
COLUMNS = ("link", "parent", "joint", "body", "strain", "coordinates")


def summary(robot: Robot) -> str:
    """Readable table of a robot: a title line, then one row per link.  Plain text, no colour."""
    total = coordinates_of(robot)
    gravity = ", ".join(f"{component:g}" for component in robot.gravity)
    size = f"{counted(len(robot.links), 'link')}, {counted(total, 'coordinate')}"
    lines = [f"Robot {robot.name!r}: {size}, gravity ({gravity}) m/s^2"]
    if robot.links:
        lines.append(text_table(COLUMNS, link_rows(robot), WIDTH))
    if robot.items:
        listed = "with " + "; ".join(item_texts(robot))
        lines += wrap(listed, WIDTH, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def item_texts(robot: Robot) -> list[str]:
    """Kinds of loads, actuators and constraints with the names of each, such as ``Tendon 'left', 'right'``."""
    kinds: dict[str, list[str]] = {}
    for item in robot.items:
        name = getattr(item, "name", "")
        kinds.setdefault(type(item).__name__, []).extend([repr(name)] if name else [])
    return [f"{kind} {', '.join(names)}".rstrip() for kind, names in kinds.items()]


def link_rows(robot: Robot) -> list[tuple[str, ...]]:
    """Cells of `COLUMNS` for every link."""
    rows: list[tuple[str, ...]] = []
    first, leaders = 0, leaders_of(robot)
    for link in robot.links:
        follows = link.name in leaders
        last = first if follows else first + coordinate_count(link)
        described = joint_text(link), *link.body.summary()
        parent = link.parent if link.station == 1.0 else f"{link.parent} at {link.station:g}"
        coordinates = f"follows {leaders[link.name]}" if follows else f"[{first}:{last})"
        rows.append((link.name, parent, *described, coordinates))
        first = last
    return rows


def leaders_of(robot: Robot) -> dict[str, str]:
    """Whom links follow whose coordinates are none of the model's (`Robot.couple`), by the links' names."""
    names, leaders = {link.name for link in robot.links}, dict[str, dict[str, None]]()
    for coupling in robot.couplings:
        follower = coupling.follower if coupling.follower in names else coupling.follower.rpartition(".")[0]
        leaders.setdefault(follower, {}).update(dict.fromkeys(coupling.leaders))
    return {name: ", ".join(found) for name, found in leaders.items()}


def coordinates_of(robot: Robot) -> int:
    """Coordinates of a robot's model: those that follow others are none."""
    return sum(coordinate_count(link) for link in robot.links) - len(robot.couplings)


def coordinate_count(link: LinkSpec) -> int:
    """Coordinates of a link: its joint's, then its body's."""
    return link.joint.dof + link.body.size


def joint_text(link: LinkSpec) -> str:
    """Joint with its number of coordinates, such as ``Revolute (1)``."""
    name = type(link.joint).__name__
    return f"{name} ({link.joint.dof})" if link.joint.dof else name


def counted(number: int, noun: str) -> str:
    """Number and noun, such as ``1 link`` or ``2 links``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
