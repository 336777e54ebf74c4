"""Robot -> plain data: mappings, lists, texts and numbers, from which `decoding` makes the same robot again."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import Array, shown
from supple.errors import ModelError, naming, unwarned, warn
from supple.files.couplings import plain_coupling
from supple.files.formulas import as_formula
from supple.files.kinds import BY_LINK, FILES, SAME, SAMPLED, TRACED, default, fields_of, kind_of, kinds
from supple.files.migrations import FORMAT
from supple.files.samples import RecordedCurve, Recorder
from supple.lie.pose import pose
from supple.loads.lines.routes import Straight, route_slopes
from supple.rest import Curve
from supple.robot.bodies.rod import STRAIGHT
from supple.robot.robot import Robot
from supple.robot.stations import MaterialPoint


class Encoder:
    """Makes plain data of a robot; ``functions`` are those that a file can only name."""

    def __init__(self, folder: Path, named: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self.folder = folder
        self.functions: dict[str, Callable[..., Any]] = {}
        self.sampled: list[str] = []
        self._names = {id(function): name for name, function in (named or {}).items()}
        self._recorders: dict[tuple[int, float], Recorder | RecordedCurve] = {}

    def document(self, robot: Robot) -> dict[str, Any]:
        """All of a robot."""
        self._record(robot)
        data: dict[str, Any] = {"supple": FORMAT, "units": "SI", "name": _text(robot.name, "name")}
        data["gravity"] = self.plain(robot.gravity)
        if robot.massless != "refuse":
            data["massless"] = robot.massless
        data["links"] = [self.link(link) for link in robot.links]
        if robot.frames:
            data["frames"] = [self.frame(frame) for frame in robot.frames]
        if robot.couplings:
            data["couplings"] = [plain_coupling(coupling) for coupling in robot.couplings]
        if robot.items:
            lengths = _lengths(robot)
            data["loads"] = [
                self.item(item, name, lengths) for item, name in zip(robot.items, robot.item_names, strict=True)
            ]
        return data

    def link(self, link: Any) -> dict[str, Any]:
        """A link."""
        data: dict[str, Any] = {"name": _text(link.name, "name")}
        if link.parent != "world":
            data["parent"] = link.parent if link.station == 1.0 else [link.parent, self.plain(link.station)]
        if not np.array_equal(link.at, np.eye(4)):
            data["at"] = self.plain(link.at)
        with naming(f"link {link.name!r}"):
            if self.plain(link.joint) != "Fixed":
                data["joint"] = self.plain(link.joint)
            data["body"] = self.plain(link.body)
            if link.facts:
                data["facts"] = {str(key): self.plain(value) for key, value in link.facts.items()}
        return data

    def frame(self, frame: Any) -> dict[str, Any]:
        """A frame."""
        place = frame.link if frame.station == 1.0 else [frame.link, self.plain(frame.station)]
        data = {"name": _text(frame.name, "name"), "link": place}
        return data if np.array_equal(frame.at, np.eye(4)) else data | {"at": self.plain(frame.at)}

    def item(self, item: Any, name: str, lengths: Mapping[str, float]) -> Any:
        """A load, with slopes of its routes."""
        with naming(f"{type(item).__name__} {name!r}"):
            return self.plain(_with_slopes(item, lengths, self._recorder))

    # ------------------------------------------------------------------ values

    def plain(self, value: Any, owner: str = "", field: str = "") -> Any:
        """A value as plain data; ``owner`` and ``field`` say where it stands."""
        if isinstance(value, str):
            return _text(value, field)
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, np.generic):
            return self.plain(value.item(), owner, field)
        if isinstance(value, MaterialPoint):
            return [_number(x, field) for x in value.x]
        if isinstance(value, float):
            return _number(value, field)
        if isinstance(value, np.ndarray):
            return _pose(value) if _is_pose(value) else self.plain(value.tolist(), owner, field)
        if isinstance(value, Straight):
            return list(value)
        kind = kind_of(value)
        if kind is not None:
            return self.object(value, kind)
        if isinstance(value, Mapping):
            data = {_text(str(key), field): self.plain(entry, owner, field) for key, entry in value.items()}
            ambiguous = len(data) == 1 and next(iter(data)) in {*kinds(), "function", "by link"}
            return {"by link": data} if ambiguous and field in BY_LINK.get(owner, ()) else data
        if callable(value):
            return self.function(value, owner, field)
        if isinstance(value, (list, tuple, set, frozenset, range)):
            return [self.plain(entry, owner, field) for entry in value]
        kind_name = type(value).__name__
        raise ModelError(f"{field or 'it'} is {shown(value)}, of a kind ({kind_name}) that files do not hold")

    def object(self, value: Any, kind: str) -> Any:
        """An object of a known kind, without the fields that are as by default."""
        data: dict[str, Any] = {}
        same, as_ = SAME.get(kind, ("", ""))
        for name, field in fields_of(kind).items():
            given, usual = getattr(value, name), default(field)
            if kind in TRACED and name in TRACED[kind]:
                given = as_formula(value, kind, name, self._named)
            if name == same and given is getattr(value, as_):
                data[name] = as_
                continue
            entry = self.plain(given, kind, name)
            if (kind, name) == ("Rod", "rest_strain") and entry == list(STRAIGHT):
                continue  # what None became
            if usual is MISSING or callable(usual) or not _same(entry, self.plain(usual, kind, name)):
                data[name] = self._relative(entry) if FILES.get(kind) == name else entry
        return {kind: data} if data else kind

    def function(self, function: Any, owner: str, field: str) -> Any:
        """A function: samples if it runs along a rod, else a name."""
        recorder = self._recorders.get((id(function), 0.0))
        if isinstance(function, (Recorder, RecordedCurve)):
            recorder = function
        if recorder is not None and is_sampled(function, owner, field):
            self.sampled.append(f"{owner}: {field}")
            return self.plain(recorder.samples())
        name = self._names.get(id(function))
        if name is None:
            own = getattr(function, "__name__", None) or type(function).__name__
            own = getattr(getattr(function, "py_func", None), "__name__", own).strip("<>")
            taken = {*self.functions, *self._names.values()}
            name = next(n for n in (own, *(f"{own} {k}" for k in range(2, len(taken) + 3))) if n not in taken)
            self._names[id(function)] = name
        self.functions[name] = function
        return {"function": name}

    def _named(self, value: Any) -> bool:
        """Whether a value is written as it is: of a known kind, or a function that the caller gave a name."""
        return kind_of(value) is not None or id(value) in self._names

    def _relative(self, file: str) -> str:
        try:
            return Path(os.path.relpath(file, self.folder)).as_posix()
        except ValueError:  # on another drive
            return file

    # ------------------------------------------------------------------ functions along rods

    def _record(self, robot: Robot) -> None:
        """Ask all functions along rods what a model and its pictures will ask them."""
        lengths = _lengths(robot)
        twin = Robot(robot.name, robot.gravity, massless=robot.massless)
        with unwarned():
            for link in robot.links:
                parent = link.parent if link.parent == "world" else (link.parent, link.station)
                with naming(f"link {link.name!r}"):
                    _check_kinds(link.body, link.joint)
                    twin.add_link(link.name, self._recorded(link.body), link.joint, parent, link.at)
            for coupling in robot.couplings:
                twin.follow(coupling)
            for name, item in zip(robot.item_names, robot.items, strict=True):
                with naming(f"{type(item).__name__} {name!r}"):
                    _check_kinds(item)
                    twin.add(self._recorded(_with_slopes(item, lengths, self._recorder)))
            if self._recorders:
                _ = twin.compile().scene

    def _recorded(self, value: Any, owner: str = "", field: str = "") -> Any:
        """A value with recorders in place of functions along rods."""
        kind = kind_of(value)
        if kind is not None:
            given = {name: getattr(value, name) for name in fields_of(kind)}
            changed = {name: self._recorded(entry, kind, name) for name, entry in given.items()}
            changes = {name: entry for name, entry in changed.items() if entry is not given[name]}
            return replace(value, **changes) if changes else value
        if isinstance(value, Mapping):
            changed = {key: self._recorded(entry, owner, field) for key, entry in value.items()}
            return changed if any(changed[key] is not value[key] for key in value) else value
        if isinstance(value, (Recorder, RecordedCurve, Straight)) or not is_sampled(value, owner, field):
            return value
        return self._recorder(value, value, 0.0)

    def _recorder(self, key: Any, function: Callable[[float], Any], mark: float) -> Recorder | RecordedCurve:
        """The recorder of a function, one for all places where it stands."""
        known = id(key), mark
        if known not in self._recorders:
            recorder = RecordedCurve(function) if isinstance(function, Curve) else Recorder(function)
            self._recorders[known] = recorder
        return self._recorders[known]

    def tell(self, path: Path) -> None:
        """Warn of what a file does not hold as it was written."""
        if self.sampled:
            listed = ", ".join(dict.fromkeys(self.sampled))
            warn(f"{path}: functions along rods are saved as tables of samples ({listed})")
        if self.functions:
            listed = ", ".join(f"{name!r}: ..." for name in self.functions)
            warn(f"{path}: Python functions are saved by name; load with functions={{{listed}}}")


def _check_kinds(*values: Any) -> None:
    """Raise `ModelError` for objects that files do not hold."""
    for value in values:
        if kind_of(value) is None:
            raise ModelError(f"it is {shown(value)}, of a kind ({type(value).__name__}) that files do not hold")


def is_sampled(value: Any, owner: str, field: str) -> bool:
    """Whether a value is a function along a rod."""
    if not callable(value) or field not in SAMPLED.get(owner, ()):
        return False
    return owner != "Distributed" or not _is_law_of_time(value)


def _is_law_of_time(wrench: Callable[..., Any]) -> bool:
    """Whether a distributed wrench is a law(t, s), which has two arguments without a default."""
    try:
        parameters = inspect.signature(wrench).parameters.values()
    except (TypeError, ValueError):  # some functions written in C do not tell
        return False
    return sum(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) == 2


def _with_slopes(item: Any, lengths: Mapping[str, float], recorder: Callable[..., Any]) -> Any:
    """A line with the slopes of its routes given, as compilation would find them."""
    kind = kind_of(item)
    if kind not in ("Tendon", "ElasticTendon", "Chamber") or not isinstance(item.route, Mapping):
        return item
    slopes = dict(item.slope)
    for link, route in item.route.items():
        own = callable(route) and kind_of(route) is None and not isinstance(route, Straight)
        if own and link in lengths and link not in slopes:
            slopes[link] = recorder(route, _Slope(route, lengths[link]), lengths[link])
    return replace(item, slope=slopes) if len(slopes) > len(item.slope) else item


class _Slope:
    """dy/dX, dz/dX of a route on a rod of that length."""

    def __init__(self, route: Callable[[float], Any], length: float) -> None:
        self.route, self.length = route, length

    def __call__(self, X: float) -> tuple[float, float]:
        return route_slopes(self.route, [X], self.length)[0]


def _lengths(robot: Robot) -> dict[str, float]:
    """Lengths of rods, and of soft bodies with an axis, by link."""
    lines = {link.name: link.body.centreline for link in robot.links}
    found = {name: line.length for name, line in lines.items() if line is not None}
    softs = {link.name: link.body.continuum for link in robot.links}
    return found | {name: soft.domain.length for name, soft in softs.items() if soft is not None and soft.domain.length}


def _same(value: Any, usual: Any) -> bool:
    """Whether plain data are equal, zeros of either sign told apart."""
    if isinstance(value, list) and isinstance(usual, list):
        return len(value) == len(usual) and all(map(_same, value, usual))
    if isinstance(value, float) and isinstance(usual, float):
        return value == usual and math.copysign(1.0, value) == math.copysign(1.0, usual)
    return bool(value == usual)


def _text(value: str, field: str) -> str:
    """A text as files hold it: of characters, and nothing that they would compute."""
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ModelError(f"{field or 'a name'} is {shown(value)}, which holds what is no character")
    if "${" in value:
        raise ModelError(f"{field or 'a name'} is {shown(value)}, which files would take for an expression")
    return value


def _number(value: float, field: str) -> float | str:
    if math.isinf(value) and field == "limits":
        return "inf" if value > 0.0 else "-inf"
    if not math.isfinite(value):
        raise ModelError(f"{field or 'it'} is {value}, which files do not hold")
    return value


def _is_pose(array: Array) -> bool:
    if array.shape != (4, 4) or not np.array_equal(array[3], (0.0, 0.0, 0.0, 1.0)):
        return False
    R = array[:3, :3]  # any other matrix may end like one
    return bool(np.allclose(R.T @ R, np.eye(3), rtol=0.0, atol=1e-6) and np.linalg.det(R) > 0.0)


def _pose(g: Array) -> dict[str, Any]:
    """A pose by its position and, where they give the same bits, three angles; else by its rotation."""
    data: dict[str, Any] = {"xyz": g[:3, 3].tolist()}
    R = g[:3, :3]
    if np.array_equal(R, np.eye(3)):
        return data
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    angles = [math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])]
    for digits in (6, 12, 17):
        rounded = [float(f"{angle:.{digits}g}") for angle in angles]
        for rpy in (rounded, [a if abs(a) > 1e-12 else 0.0 for a in rounded], angles):
            if np.array_equal(pose(data["xyz"], rpy)[:3, :3], R):
                return data | {"rpy": rpy}
    return data | {"rotation": R.tolist()}
