"""Nodes of a file -> Robot.  Everything that goes wrong is told with file, line and key.

Loading runs no code of the file's: objects are made by the constructors that `kinds` lists, from numbers and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import floats, read_only, shown
from supple.errors import FileError, SuppleError, noted, warn
from supple.files.couplings import COUPLING_KEYS, add_coupling
from supple.files.expressions import ExpressionError, evaluate, is_expression
from supple.files.kinds import BY_LINK, FILES, SAME, fields_of, kinds, required, takes_no_text
from supple.files.nodes import Node
from supple.lie.pose import pose
from supple.robot.couplings import resolve
from supple.robot.robot import Robot
from supple.robot.validate import WORLD, validate

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Keys of a file, of a link, a frame, and of a pose.
KEYS: tuple[str, ...] = ("supple", "units", "name", "gravity", "massless", "parameters", "include", "links", "frames")
KEYS += ("couplings", "loads", "attach")
LINK_KEYS = ("name", "parent", "at", "joint", "body", "facts")
FRAME_KEYS = ("name", "link", "at")
POSE_KEYS = ("xyz", "rpy", "rotation")

#: Most links of a file.
MOST_LINKS = 5000

#: Numbers of a file that a constructor changes by no more than this are kept as they stand in the file.
ROUNDING = 1e-14

#: Fields in which a name alone stands for an object without options.
OBJECTS: tuple[str, ...] = ("joint", "joints", "body", "section", "material", "strain", "law", "shape", "loads")
OBJECTS += ("torsion", "bend_y", "bend_z", "stretch", "shear_y", "shear_z")

#: Further ones, by the name of the class, in which other texts may stand, too.
ALSO_OBJECTS = {"Contact": ("a", "b"), "Fluid": ("drag", "added_mass"), "Wake": ("added_mass",)}


class Decoder:
    """Makes objects of nodes; ``parameters`` and ``functions`` are those of one file."""

    def __init__(
        self, folder: Path, parameters: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.folder, self.parameters, self.functions = folder, parameters, functions

    def links(self, robot: Robot, root: Mapping[str, Node]) -> None:
        """Add links and frames."""
        nodes = _entries(root, "links", "a list of links")
        if len(nodes) > MOST_LINKS:
            root["links"].refuse(f"has {len(nodes)} links, more than the {MOST_LINKS} that are read")
        for node in nodes:
            entries = known(node, LINK_KEYS, "key of a link")
            name, body = self.given(node, "name"), self.given(node, "body")
            options = {key: self.value(entries[key], field=key) for key in ("joint", "at") if key in entries}
            parent = self.value(entries["parent"]) if "parent" in entries else WORLD
            facts = raw(entries["facts"]) if "facts" in entries else None
            if facts is not None and not isinstance(facts, dict):
                entries["facts"].refuse("must be a mapping")
            with telling(node):
                robot.add_link(name, body, parent=_pair(parent), facts=facts, **options)
        for node in _entries(root, "frames", "a list of frames"):
            entries = known(node, FRAME_KEYS, "key of a frame")
            name, link = self.given(node, "name"), self.given(node, "link")
            at = self.value(entries["at"], field="at") if "at" in entries else None
            with telling(node):
                robot.add_frame(name, _pair(link), at)
        for node in _entries(root, "couplings", "a list of couplings"):
            entries = known(node, COUPLING_KEYS, "key of a coupling")
            with telling(node):
                add_coupling(robot, node, entries, self)

    def loads(self, robot: Robot, root: Mapping[str, Node]) -> list[Node]:
        """Add loads; their nodes."""
        nodes = _entries(root, "loads", "a list of loads")
        for node in nodes:
            item = self.value(node, field="loads")
            if isinstance(item, (dict, list, str, float, int)) or item is None:
                node.refuse("must be a load, such as {Tendon: {name: t, route: {arm: [0.0, 0.01]}}}")
            with telling(node):
                robot.add(item)
        return nodes

    def given(self, node: Node, key: str) -> Any:
        """The value of a key that must be there."""
        if not node.value or key not in node.value:
            node.refuse(f"has no {key!r}")
        return self.value(node.value[key], field=key)

    # ------------------------------------------------------------------ values

    def value(self, node: Node, owner: str = "", field: str = "") -> Any:
        """What a node stands for."""
        given = node.value
        if isinstance(given, str):
            return self.text(node, owner, field)
        if isinstance(given, list):
            return [self.value(entry, owner, field) for entry in given]
        if not isinstance(given, dict):
            return given
        names = field in BY_LINK.get(owner, ())
        if len(given) == 1:
            (key,) = given
            if key == "by link":
                return self.by_name(given[key].mapping("a mapping"), owner, field)
            if key == "function":
                return self.function(given[key])
            if key in kinds() and (not names or owner == "Fluid"):
                return self.object(key, given[key])
        if names:
            return self.by_name(given, owner, field)
        if given and set(given) <= set(POSE_KEYS):
            return self.pose(node)
        if len(given) == 1:
            node.unknown("kind", next(iter(given)), kinds())
        return node.refuse(
            f"is a mapping of {', '.join(map(shown, list(given)[:6]))}: write the kind before it, such as "
            "{Circle: {radius: 0.01}}, or a pose as {xyz: [0, 0, 0], rpy: [0, 0, 0]}"
        )

    def by_name(self, given: Mapping[str, Node], owner: str, field: str) -> dict[str, Any]:
        """Values by names, of links or of numbers."""
        return {
            name: self.text(entry, owner, field) if isinstance(entry.value, str) else self.value(entry, owner)
            for name, entry in given.items()
        }

    def text(self, node: Node, owner: str, field: str) -> Any:
        """A text: an expression, an infinite limit, a kind without options, a material by name, or itself."""
        text: str = node.value
        if is_expression(text):
            try:
                return evaluate(text, self.parameters)
            except ExpressionError as error:
                node.refuse(str(error))
        if "${" in text:
            node.refuse(f"{shown(text)}: an expression stands alone, as in radius: ${{2 * r}}")
        if field == "limits" and text in ("inf", "-inf"):
            return float(text)
        if text in kinds() and (field in OBJECTS or field in ALSO_OBJECTS.get(owner, ())):
            return self.object(text, Node({}, node.file, node.line, node.parent, node.name))
        if field == "material":
            from supple import materials

            with telling(node):
                return materials.get(text)
        if field in OBJECTS:
            node.unknown("kind", text, kinds())
        return text

    def function(self, node: Node) -> Callable[..., Any]:
        """A function that whoever loads the file gives."""
        name = node.text("the name of a function")
        if name not in self.functions:
            node.refuse(
                f"the function {shown(name)} was not given: load with functions={{{shown(name)}: ...}}; files hold "
                f"names of Python functions, never code. Given are: {', '.join(map(shown, self.functions)) or 'none'}"
            )
        return self.functions[name]

    def pose(self, node: Node) -> Any:
        """A pose (4, 4) of xyz and rpy, or of xyz and rotation."""
        parts = {key: self.value(entry) for key, entry in node.value.items()}
        with telling(node):
            g = pose(**parts)
            if "rotation" in parts:
                g[:3, :3] = floats(parts["rotation"])  # as it stands there
            return g

    def object(self, kind: str, node: Node) -> Any:
        """An object of a kind, from a mapping of its fields."""
        entries = node.mapping(f"a mapping of fields of {kind}")
        accepted = fields_of(kind)
        for key, entry in entries.items():
            if key not in accepted:
                entry.unknown(f"field of {kind}", key, accepted)
        for name in required(kind):
            if name not in entries:
                node.refuse(f"{kind} has no {name!r}, which must be given")
        values = {key: self.value(entry, kind, key) for key, entry in entries.items()}
        for key in takes_no_text(kind) & set(values):
            _refuse_text(entries[key], values[key], kind)
        same, as_ = SAME.get(kind, ("", ""))
        if isinstance(values.get(same), str) and values[same] == as_:
            values[same] = values.get(as_)
        if kind in FILES and isinstance(values.get(FILES[kind]), str):
            values[FILES[kind]] = str(self.folder / values[FILES[kind]])
        with telling(node):
            made = kinds()[kind](**values)
            _keep_numbers(made, values)
            return made


def _refuse_text(node: Node, value: Any, kind: str) -> None:
    """Raise for a text where numbers must be, before it is asked for as one, which may be long after."""
    if isinstance(value, str):
        node.refuse(f"is {shown(value)}, a text, but {kind} takes numbers here (expressions are written ${{...}})")
    if isinstance(value, list) and isinstance(node.value, list):
        for entry, one in zip(node.value, value, strict=True):
            _refuse_text(entry, one, kind)


def _keep_numbers(made: Any, values: Mapping[str, Any]) -> None:
    """Numbers as they stand in the file, where a constructor only rounded them anew: unit vectors are normalised."""
    for key, given in values.items():
        kept = getattr(made, key)
        if not isinstance(kept, np.ndarray) or kept.dtype != float or not isinstance(given, list):
            continue
        wanted = np.array(floats(given))
        if wanted.shape == kept.shape and not np.array_equal(wanted, kept):
            tolerance = ROUNDING * float(np.abs(kept).max(initial=0.0))
            if np.allclose(wanted, kept, rtol=0.0, atol=tolerance):
                object.__setattr__(made, key, read_only(wanted))


def check(robot: Robot, root: Node, nodes: list[Node]) -> None:
    """What can be found wrong with the whole before compilation: names of links, trees, bodies."""
    links = {link.name for link in robot.links}
    for node, item in zip(nodes, robot.items[len(robot.items) - len(nodes) :], strict=True):
        with telling(node):
            stations = list(item.stations())
        for name, _ in stations:
            if not isinstance(name, str):  # a pose, say
                node.refuse(f"{shown(name)} stands where the name of a link must be")
            if name != WORLD and name not in links:
                node.unknown("link", name, links)
    entries = {raw(node.value["name"]): node for node in _entries(root.value, "links", "links")}
    for link in robot.links:
        if link.parent != WORLD and link.parent not in links and link.name in entries:
            entries[link.name].unknown("link", link.parent, [WORLD, *links])
    if robot.links:
        with telling(root.value.get("links", root)):
            validate(robot)
        with telling(root.value.get("couplings", root)):
            resolve(robot.links, robot.couplings, set())


@contextmanager
def telling(node: Node) -> Iterator[None]:
    """Turn what constructors say of a file's values into an error, or warnings, with file, line and key."""
    try:
        with noted() as notes:
            yield
        for note in notes:
            warn(f"{node.where}: {note}")
    except FileError as error:
        if str(error).startswith(node.file):
            raise
        raise FileError(f"{node.where}: {error}") from error
    except SuppleError as error:
        raise FileError(f"{node.where}: {error}") from error
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
        # values of a kind that no constructor expects
        raise FileError(f"{node.where}: {type(error).__name__}: {error}") from error


def known(node: Node, keys: tuple[str, ...], what: str) -> dict[str, Node]:
    """The entries of a mapping, all of whose keys are known."""
    entries = node.mapping(f"a mapping with the keys {', '.join(keys)}")
    for key, entry in entries.items():
        if key not in keys:
            entry.unknown(what, key, keys)
    return entries


def _entries(root: Mapping[str, Node], key: str, what: str) -> list[Node]:
    return root[key].items(what) if key in root else []


def raw(node: Node) -> Any:
    """Plain data as it stands in the file."""
    if isinstance(node.value, dict):
        return {key: raw(entry) for key, entry in node.value.items()}
    return [raw(entry) for entry in node.value] if isinstance(node.value, list) else node.value


def _pair(parent: Any) -> Any:
    return tuple(parent) if isinstance(parent, list) else parent
