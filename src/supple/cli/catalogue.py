"""Systems by name: what they are, which parameters they take, and how to make one from the command line's words."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, get_type_hints

from supple.cli.failures import UsageError, unknown
from supple.cli.robot_files import ENDINGS, FileMaker, is_file
from supple.cli.values import kind_of, pairs, read
from supple.errors import naming
from supple.files.expressions import parameter_name
from supple.loads import Loop
from supple.robot.summary import coordinates_of, counted
from supple.systems import SYSTEMS, System

if TYPE_CHECKING:
    from supple.model.model import Model

Maker = Callable[..., System]


@dataclass(frozen=True)
class Parameter:
    """An argument of a system's function that ``--set`` can give."""

    name: str
    annotation: Any
    default: Any

    @property
    def kind(self) -> str:
        """What its values are called."""
        return kind_of(self.annotation) or ""


def find(name: str) -> Maker:
    """Function of a system, by its name, or of a file."""
    return FileMaker(name) if is_file(name) else SYSTEMS[known_name(name)]


def known_name(name: str) -> str:
    """Name of a system as it is listed; capitals, spaces and underscores do not matter.  Files are called as they are.
    """
    if is_file(name):
        return name
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    if wanted not in SYSTEMS and os.path.isfile(name):
        raise UsageError(f"{name}: files of robots end in {', '.join(ENDINGS)}")
    if wanted not in SYSTEMS:
        raise unknown("system", name, SYSTEMS)
    return wanted


def description(maker: Maker) -> str:
    """First line of the documentation of a system's function."""
    if isinstance(maker, FileMaker):
        return maker.description
    lines = (inspect.getdoc(_function(maker)) or "").strip().splitlines()
    return lines[0] if lines else ""


def _function(maker: Maker) -> Callable[..., Any]:
    """The function itself, of one with some arguments already given."""
    while isinstance(maker, partial):
        maker = maker.func
    return maker


def parameters(maker: Maker) -> dict[str, Parameter]:
    """What ``--set`` accepts for a system."""
    if isinstance(maker, FileMaker):
        return {name: Parameter(name, *given) for name, given in maker.parameters().items()}
    hints = get_type_hints(_function(maker))
    found = {}
    for argument in inspect.signature(maker).parameters.values():
        annotation = hints.get(argument.name, str)
        if argument.kind is not argument.VAR_KEYWORD and kind_of(annotation) is not None:
            found[argument.name] = Parameter(argument.name, annotation, argument.default)
    return found


def settings_of(words: Sequence[str] | None) -> dict[str, str]:
    """What ``--set`` gives, by the names of parameters."""
    return {parameter_name(key): text for key, text in pairs(words or (), "--set").items()}


def build(name: str, settings: Sequence[str] | Mapping[str, str] | None = None) -> tuple[System, Model]:
    """A system with its model; parameters are given as ``key=value``."""
    system = make(name, settings)
    with naming(system.name):
        return system, system.compile()


def make(name: str, settings: Sequence[str] | Mapping[str, str] | None = None) -> System:
    """A system; parameters are given as ``key=value``."""
    maker = find(name)
    accepted = parameters(maker)
    given = settings if isinstance(settings, Mapping) else settings_of(settings)
    for key in given:
        if key not in accepted:
            raise UsageError(f"{name}: {unknown('parameter', key, accepted)}")
    values = {key: read(text, accepted[key].annotation, f"--set {key}") for key, text in given.items()}
    with naming(" ".join([name, *(f"--set {key}={text}" for key, text in given.items())])):
        return maker(**values)


@dataclass(frozen=True)
class Size:
    """How large a system is, as told by its description alone: nothing is compiled for it."""

    links: int
    coordinates: int
    loops: int

    def __str__(self) -> str:
        parts = [(self.links, "link"), (self.coordinates, "coordinate"), (self.loops, "loop")]
        return ", ".join(counted(number, noun) for number, noun in parts if number)


def size(system: System) -> Size:
    """Size of a system."""
    links = system.robot.links
    loops = sum(isinstance(item, Loop) for item in system.robot.items)
    return Size(len(links), coordinates_of(system.robot), loops)
