"""Model files as a whole: writing a robot, reading one, with what it includes; files as designs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from keyword import iskeyword
from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import file_path, floats, shown, why
from supple.errors import FileError, ModelError, StorageError, naming
from supple.files import MJCF, migrations
from supple.files.decoding import KEYS, Decoder, check, known, telling
from supple.files.encoding import Encoder
from supple.files.expressions import ExpressionError, evaluate, is_expression, parameter_name
from supple.files.json_reader import read_json
from supple.files.nodes import Node, read_text
from supple.files.yaml_reader import read_yaml
from supple.files.yaml_writer import to_yaml
from supple.robot.robot import Robot
from supple.robot.validate import WORLD
from supple.storage import replacing

#: How files end.
YAML, JSON = (".yaml", ".yml"), (".json",)

#: How deep files include others, and how many in all.
MOST_NESTED, MOST_INCLUDED = 8, 100

Functions = Mapping[str, Callable[..., Any]]


def write_model(robot: Robot, path: Any, functions: Functions | None) -> dict[str, Callable[..., Any]]:
    """Write a robot; what `load` needs as its functions."""
    target = file_path(path, "save: path", StorageError)
    _check_functions(functions, "save")
    ending = target.suffix.lower()
    if ending not in YAML + JSON:
        raise StorageError(f"{target}: model files end in {', '.join(YAML + JSON)}")
    encoder = Encoder(Path(os.path.realpath(target.parent)), functions)  # a link there is replaced, not followed
    with naming(f"save {robot.name!r}"):
        data = encoder.document(robot)
    text = to_yaml(data) if ending in YAML else json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    with replacing(target) as file:
        file.write_text(text, encoding="utf-8")
    encoder.tell(target)
    return encoder.functions


def read_model(path: Any, functions: Functions | None, parameters: Mapping[str, Any]) -> Robot:
    """The robot of a file."""
    _check_functions(functions, "load")
    return _Reading(functions or {}).robot(file_path(path, "load: path", FileError), parameters, ())


def _check_functions(functions: Any, what: str) -> None:
    if functions is not None and not isinstance(functions, Mapping):
        raise ModelError(f"{what}: functions is {shown(functions)}, must map names to functions")


def default_parameters(path: Any) -> dict[str, Any]:
    """Parameters of a file with their defaults."""
    file = file_path(path, "load: path", FileError)
    return _parameters(root_node(file), {})


class FileBuild:
    """A file as a function of its parameters that returns a robot: what `Design` takes."""

    def __init__(self, path: Any, functions: Functions | None) -> None:
        self.path, self.functions = path, functions

    def __call__(self, **parameters: Any) -> Robot:
        """The robot for these parameters."""
        return read_model(self.path, self.functions, parameters)


def root_node(path: Path) -> Node:
    """The root of a file, of the format of today."""
    ending = path.suffix.lower()
    if ending not in YAML + JSON:
        raise FileError(f"{path}: model files end in {', '.join(YAML + JSON)}")
    text = read_text(path)
    root = (read_json if ending in JSON else read_yaml)(text, str(path))
    entries = root.mapping("a mapping with the keys supple, name, links, ...")
    if "supple" not in entries:
        root.refuse(f"has no key 'supple', the number of its format: write supple: {migrations.FORMAT}")
    number = entries["supple"].value
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        entries["supple"].refuse(f"is {shown(number)}, must be the number of a format, such as {migrations.FORMAT}")
    if number > migrations.FORMAT:
        formats = f"this supple reads formats up to {migrations.FORMAT}"
        entries["supple"].refuse(f"is {shown(number)}, but {formats}: use a newer one")
    root = migrations.migrated(root, number)
    entries = known(root, KEYS, "key")
    if "units" in entries and entries["units"].value != "SI":
        entries["units"].refuse(f"is {entries['units'].kind}, must be SI: metres, kilograms, seconds, radians")
    return root


def _parameters(root: Node, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a file: as given, else by default; a default may use those before it."""
    node = root.value.get("parameters")
    entries = node.mapping("a mapping of names to numbers") if node is not None else {}
    names = {key: parameter_name(key) for key in entries}
    changed = {parameter_name(str(name)): value for name, value in given.items()}
    for name in changed:
        if name not in names.values():
            (node or root).unknown("parameter", name, names.values())
    values: dict[str, Any] = {}
    for key, entry in entries.items():
        name = names[key]
        if not name.isidentifier() or iskeyword(name):
            entry.refuse(f"{shown(key)} is no name of a parameter: letters, digits and underscores, no digit first")
        if name in values:
            entry.refuse(f"the parameter {shown(name)} is there twice")
        values[name] = _finite(changed.get(name, _default(entry, values)), entry)
    return values


def _finite(value: Any, node: Node) -> Any:
    """The value of a parameter, a number or lists of numbers."""
    try:
        array = floats(value)
    except ValueError as reason:
        node.refuse(f"is {shown(value)}, must be a number or lists of numbers{why(reason)}")
    if not np.isfinite(array).all():
        node.refuse(f"is {shown(value)}, must be finite numbers")
    return array.tolist()


def _default(node: Node, values: Mapping[str, Any]) -> Any:
    """The default of a parameter: a number, lists of numbers, or an expression."""
    if isinstance(node.value, list):
        return [_default(entry, values) for entry in node.value]
    if isinstance(node.value, str) and is_expression(node.value):
        try:
            return evaluate(node.value, values)
        except ExpressionError as error:
            node.refuse(str(error))
    if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        node.refuse(f"is {node.kind}, must be a number or a list of numbers")
    return float(node.value)


def _packages(node: Node, folder: Path) -> dict[str, Path]:
    """Folders of packages by name, as ``load_urdf`` takes them; relative ones begin at the folder of the model file."""
    entries = node.mapping("a mapping of names of packages to folders")
    return {name: folder / entry.text("the name of a folder") for name, entry in entries.items()}


def _refuse_unfit(file: Path, options: Mapping[str, Node]) -> None:
    """Raise for what is said of an included file that files of its kind know nothing of."""
    urdf, mjcf = file.suffix.lower() == ".urdf", file.suffix.lower() in MJCF
    if "parameters" in options and (urdf or mjcf):
        options["parameters"].refuse(f"'parameters' are those of model files, which {file.name} is not")
    for key in ("base", "packages"):
        if key in options and not urdf:
            options[key].refuse(f"{key!r} is for URDF files, which {file.name} is not")


class _Reading:
    """One call of load: files that include each other share their functions, and a count."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.count = 0

    def robot(self, path: Path, given: Mapping[str, Any], within: tuple[Path, ...]) -> Robot:
        """The robot of one file, ``within`` those that include it."""
        root = root_node(path)
        entries: dict[str, Node] = root.value
        here = (*within, path.resolve())
        decoder = Decoder(here[-1].parent, _parameters(root, given), self.functions)
        options = {key: decoder.value(entries[key]) for key in ("name", "gravity", "massless") if key in entries}
        with telling(root):
            robot = Robot(**options)
        self._attach(robot, decoder, entries, "include", here)
        decoder.links(robot, entries)
        nodes = decoder.loads(robot, entries)
        check(robot, root, nodes)
        self._attach(robot, decoder, entries, "attach", here)
        return robot

    def _attach(
        self, robot: Robot, decoder: Decoder, entries: Mapping[str, Node], key: str, here: tuple[Path, ...]
    ) -> None:
        """Attach the robots of other files."""
        if key not in entries:
            return
        for node in entries[key].items("a list of files"):
            options = known(node, ("file", "to", "at", "prefix", "parameters", "base", "packages"), f"key of {key}")
            if "file" not in options:
                node.refuse("has no 'file'")
            file = here[-1].parent / options["file"].text("the name of a file")
            at = decoder.value(options["at"], field="at") if "at" in options else None
            to = decoder.value(options["to"]) if "to" in options else WORLD
            prefix = options["prefix"].text("a text") if "prefix" in options else ""
            part = self._part(file, node, options, decoder, here)
            with telling(node):
                robot.attach(part, tuple(to) if isinstance(to, list) else to, at, prefix)

    def _part(
        self, file: Path, node: Node, options: Mapping[str, Node], decoder: Decoder, here: tuple[Path, ...]
    ) -> Robot:
        """The robot of a file that another one includes."""
        self.count += 1
        if self.count > MOST_INCLUDED or len(here) > MOST_NESTED:
            node.refuse(f"files include more than {MOST_INCLUDED} others, or more than {MOST_NESTED} deep")
        _refuse_unfit(file, options)
        if file.suffix.lower() == ".urdf":
            from supple.files import load_urdf

            base = options["base"].text("fixed or free") if "base" in options else "fixed"
            folders = _packages(options["packages"], here[-1].parent) if "packages" in options else None
            with telling(node):
                return load_urdf(file, base, packages=folders)
        if file.suffix.lower() in MJCF:
            from supple.files import load_mjcf

            with telling(node):
                return load_mjcf(file)
        if file.resolve() in here:
            node.refuse(f"{file} includes itself")
        given = options["parameters"].mapping("a mapping of parameters") if "parameters" in options else {}
        values = {name: decoder.value(entry) for name, entry in given.items()}
        with telling(node):
            return self.robot(file, values, here)
