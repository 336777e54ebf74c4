"""MJCF as a tree of elements: files that it includes are put in their places, default classes are resolved.

Includes lead to files inside one folder, each at most once, as MuJoCo has it; so no file can include itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from supple.checks import shown
from supple.errors import FileError
from supple.files.xml_numbers import ElementReader, nearest
from supple.files.xml_tree import MOST_ELEMENTS, Element, read_xml

#: How deep default classes are nested.
MOST_CLASSES = 50

#: Elements of actuators, which share one default; orientations, of which an element has one.
ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor"),
    "plugin",
)
ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")

#: Attributes of several numbers, of which an element may give the first ones alone: the rest are those of its class.
LISTS = ("size", "gear", "gainprm", "biasprm", "stiffness", "damping")


def read_source(path: Path, fence: Path) -> Element:
    """The root of a file with all that it includes, by names relative to it, from inside the folder ``fence``."""
    root = read_xml(path)
    if root.tag != "mujoco":
        hint = ": it is a URDF, see load_urdf" if root.tag == "robot" else ""
        raise FileError(f"{path}, line {root.line}: <{root.tag}>: an MJCF file begins with <mujoco>{hint}")
    return _Includes(path, fence).spliced(root)


class _Includes:
    """One call of `read_source`."""

    def __init__(self, path: Path, fence: Path) -> None:
        self.reader, self.folder, self.fence = ElementReader(str(path)), path.resolve().parent, fence.resolve()
        self.read = {path.resolve()}
        self.count = 0

    def spliced(self, element: Element) -> Element:
        """The element, its includes replaced by what they hold."""
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self.spliced(self._included(child)).children
            else:
                children.append(self.spliced(child))
        self.count += len(children)
        if self.count > 3 * MOST_ELEMENTS:
            self.reader.refuse(element, f"all files together have more than {3 * MOST_ELEMENTS} elements")
        element.children = children
        return element

    def _included(self, element: Element) -> Element:
        """Root of an included file, which knows where it stands."""
        name = self.reader.attribute(element, "file")
        try:
            path = self._place_of(name, element)
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            self.reader.refuse(element, f"{shown(name)} is not the name of a file")
        if not path.is_relative_to(self.fence):
            self.reader.refuse(element, f"{shown(name)} is outside of {self.fence}; see load_mjcf(folder=...)")
        if path in self.read:
            self.reader.refuse(element, f"{shown(name)} is included already, which is allowed once")
        self.read.add(path)
        root = read_xml(path)  # whatever its first element is called, as in MuJoCo
        waiting = [root]
        while waiting:
            inner = waiting.pop()
            inner.file = str(path)
            waiting += inner.children
        return root

    def _place_of(self, name: str, element: Element) -> Path:
        """Where an included file is: seen from the file that all began with, else from the one that names it."""
        path = (self.folder / name).resolve()
        if element.file and path.is_relative_to(self.fence) and not path.exists():
            return (Path(element.file).parent / name).resolve()
        return path


def overlaid(before: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Attributes changed by further ones, of which short `LISTS` change the first numbers alone."""
    both = {key: (before[key].split(), own[key].split()) for key in LISTS if key in before and key in own}
    lists = {key: " ".join([*words, *others[len(words) :]]) for key, (others, words) in both.items()}
    return {**before, **own, **lists}


class Defaults:
    """Default classes: attributes of elements that do not say otherwise."""

    def __init__(self, reader: ElementReader, root: Element) -> None:
        self.reader = reader
        #: by class, by tag; those of actuators in the order in which they apply
        self.classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        self.actuators: dict[str, list[Element]] = {"main": []}
        for element in root.all("default"):
            self._read(element, "", 0)

    def _read(self, element: Element, parent: str, depth: int) -> None:
        if depth > MOST_CLASSES:
            self.reader.refuse(element, f"classes are nested more than {MOST_CLASSES} deep")
        name = element.attributes.get("class", "main" if not parent else "")
        if not name:
            self.reader.refuse(element, "a default inside another must have a class")
        if not parent and name != "main":
            parent = "main"
        if name not in self.classes:
            self.classes[name] = {tag: dict(found) for tag, found in self.classes[parent].items()}
            self.actuators[name] = list(self.actuators[parent])
        elif parent:
            self.reader.refuse(element, f"there is a class {shown(name)} already")
        for child in element.children:
            if child.tag in ACTUATORS:
                self.actuators[name].append(child)
            elif child.tag != "default":
                self.classes[name][child.tag] = overlaid(self.classes[name].get(child.tag, {}), child.attributes)
        for child in element.all("default"):
            self._read(child, name, depth + 1)

    def class_of(self, element: Element, inherited: str) -> str:
        """The class of an element: its own, or that of what it stands in."""
        name = element.attributes.get("class", inherited)
        if name not in self.classes:
            self.reader.refuse(element, f"there is no default class {shown(name)}{nearest(name, self.classes)}")
        return name

    def merged(self, element: Element, inherited: str = "main", tag: str | None = None) -> Element:
        """The element with the attributes of its class where it has none of its own."""
        found = dict(self.classes[self.class_of(element, inherited)].get(tag or element.tag, {}))
        if any(key in element.attributes for key in ORIENTATIONS):
            found = {key: value for key, value in found.items() if key not in ORIENTATIONS}
        given = overlaid(found, element.attributes)
        return Element(element.tag, given, element.line, element.children, element.file)

    def of_actuator(self, element: Element) -> list[Element]:
        """Defaults of an actuator, those of outer classes first."""
        return self.actuators[self.class_of(element, "main")]
