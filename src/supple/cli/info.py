"""``supple info``: a system in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.cli.catalogue import Maker, build, description, find, parameters, settings_of
from supple.cli.console import figures, heading, say, table
from supple.cli.describe import input_source, inputs_at, method_text, station, suggested_method, vector, watched
from supple.cli.options import Name, Settings
from supple.loads import Loop
from supple.robot.summary import COLUMNS, link_rows
from supple.systems import System

if TYPE_CHECKING:
    from supple.model.model import Model


def info(name: Name, settings: Settings = None) -> None:
    """Describe a system: its links, loads, inputs, loops and sizes, its source, and the parameters that --set takes.

    Examples:

    - `supple info cable-manipulator`
    - `supple info cable-manipulator --set length=0.8`
    - `supple info panda.urdf --set base=free`
    """
    maker = find(name)
    system, model = build(name, settings)
    say(f"{system.name}: {description(maker)}", "bold")
    figures(_facts(system, model))
    _links(system)
    _loads(system)
    _inputs(system, model)
    _loops(system)
    _parameters(maker, settings or [])


def _facts(system: System, model: Model) -> list[tuple[str, str]]:
    facts = [
        ("source", system.source or "-"),
        ("chosen here", system.note or "-"),
        ("coordinates", f"n = {model.n} ({model.coordinate_names[0]} ... {model.coordinate_names[-1]})"),
        ("inputs", f"nu = {model.nu}"),
        ("rows of loops", f"nc = {model.nc}"),
        ("computational points", str(len(model.point_table))),
        ("gravity", vector(system.robot.gravity, "m/s^2")),
        ("end time", f"{system.t_end:g} s"),
        ("step of the source", f"{system.dt:g} s"),
        ("suggested method", method_text(suggested_method(system, model))),
        ("watched", ", ".join(station(*place) for place in watched(system, model))),
    ]
    return facts + ([("internal states", f"nz = {model.nz}")] if model.nz else [])


def _links(system: System) -> None:
    heading("Links")
    table(COLUMNS, link_rows(system.robot))


def _loads(system: System) -> None:
    """Items of the robot, those of a kind in one row."""
    kinds: dict[str, list[str]] = {}
    for item in system.robot.items:
        if not isinstance(item, Loop):
            kinds.setdefault(type(item).__name__, []).append(_item_name(item))
    if kinds:
        heading("Loads, actuators and prescribed joints")
        table(("kind", "number", "names"), [(kind, str(len(x)), ", ".join(x)) for kind, x in kinds.items()])


def _item_name(item: Any) -> str:
    """Name of a load, or of the link that it belongs to."""
    return str(getattr(item, "name", None) or getattr(item, "link", None) or "-")


def _inputs(system: System, model: Model) -> None:
    if not model.nu:
        return
    heading("Inputs")
    first, last, tensions = inputs_at(system, model, 0.0), inputs_at(system, model, system.t_end), model.tension_inputs
    rows = [
        (name, input_source(system, model, i), f"{first[i]:g}", f"{last[i]:g}", "tension" * (name in tensions))
        for i, name in enumerate(model.input_names)
    ]
    table(("input", "driven by", "at 0", "at the end", ""), rows, right=("at 0", "at the end"))


def _loops(system: System) -> None:
    rows = [
        (item.name, str(item.a[0]), str(item.b[0]), type(item.joint).__name__)
        for item in system.robot.items
        if isinstance(item, Loop)
    ]
    if rows:
        heading("Closed loops")
        table(("loop", "from", "to", "joint"), rows)


def _parameters(maker: Maker, settings: list[str]) -> None:
    given, accepted = settings_of(settings), parameters(maker)
    heading("Parameters (--set key=value)")
    if not accepted:
        say("none")
        return
    rows = [(p.name, p.kind, str(p.default), given.get(p.name, "")) for p in accepted.values()]
    columns = ("key", "value", "default", "given") if given else ("key", "value", "default")
    table(columns, [row[: len(columns)] for row in rows])
