"""Joints that follow others: what `Robot.couple` takes, checked, and as programs of the coordinates that are left."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array, finite_float, shown
from supple.checks import name as checked_name
from supple.errors import ModelError
from supple.robot.traced import IDENTITY, Program, inlined, linear, trace

if TYPE_CHECKING:
    from supple.robot.robot import LinkSpec


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate, by its link or its own name, that follows others.

    It is ``offset`` plus the sum of ``weights`` times its leaders, unless it has a ``program``.
    """

    follower: str
    leaders: tuple[str, ...]
    weights: Array
    offset: float
    program: Program | None

    @property
    def what(self) -> str:
        """How messages call it."""
        return f"coupling of {self.follower!r}"


def make_coupling(follower: str, to: Any, ratio: Any, offset: Any, function: Any) -> Coupling:
    """Check what `Robot.couple` was given."""
    checked_name(follower, "couple: the joint that follows")
    what = f"coupling of {follower!r}"
    if callable(to):
        if function is not None:
            raise ModelError(f"{what}: to is a function, and function is another; give one of them")
        to, function = _argument_names(to, what), to
    leaders, weights = _leaders(to, finite_float(ratio, f"{what}: ratio"), what)
    offset = finite_float(offset, f"{what}: offset")
    if function is None:
        return Coupling(follower, leaders, weights, offset, None)
    if not callable(function):
        raise ModelError(f"{what}: function is {shown(function)}, must be a function of the leaders' coordinates")
    if isinstance(to, Mapping) or ratio != 1.0 or offset != 0.0:
        raise ModelError(f"{what}: a function stands instead of ratios and offset; give one or the other")
    return Coupling(follower, leaders, weights, 0.0, trace(function, len(leaders), f"{what}: its function"))


def _argument_names(function: Callable[..., Any], what: str) -> tuple[str, ...]:
    """Leaders of a function by the names of its arguments."""
    try:
        kinds = inspect.signature(function).parameters
    except (TypeError, ValueError):
        kinds = None
    if not kinds or any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in kinds.values()):
        raise ModelError(f"{what}: name the leaders of the function: to=['a', 'b'], function=...")
    return tuple(kinds)


def _leaders(to: Any, ratio: float, what: str) -> tuple[tuple[str, ...], Array]:
    if isinstance(to, str):
        return (to,), np.array([ratio])
    if isinstance(to, Mapping):
        if not to or ratio != 1.0:
            raise ModelError(f"{what}: to is {shown(to)}; give each leader its ratio there, and no ratio beside it")
        names = tuple(checked_name(leader, f"{what}: a leader") for leader in to)
        return names, np.array([finite_float(x, f"{what}: ratio to {name!r}") for name, x in to.items()])
    if isinstance(to, (tuple, list)) and to:
        names = tuple(checked_name(leader, f"{what}: a leader") for leader in to)
        if len(set(names)) < len(names):
            raise ModelError(f"{what}: a leader is named twice in {shown(to)}")
        return names, np.full(len(names), ratio)
    raise ModelError(
        f"{what}: to is {shown(to)}, must be the name of a joint, {{name: ratio, ...}}, names with a function, or a "
        "function whose arguments are called like the leaders"
    )


class Follower(NamedTuple):
    """A coordinate as a function of coordinates that are left."""

    name: str  #: of the coordinate
    leaders: tuple[str, ...]  #: names of coordinates
    weights: Array | None  #: (k,) of a linear one
    offset: float
    program: Program | None  #: of one that is not


def resolve(links: Sequence[LinkSpec], couplings: Sequence[Coupling], prescribed: set[str]) -> tuple[Follower, ...]:
    """All followers as functions of coordinates that do not follow; in the order of links and their coordinates."""
    if not couplings:
        return ()
    places = _Places(links)
    given: dict[str, Coupling] = {}
    for coupling in couplings:
        name = places.coordinate(coupling.follower, coupling.what)
        if name in given:
            raise ModelError(f"{coupling.what}: {name!r} follows already, {given[name].what}")
        given[name] = coupling
    for name, coupling in given.items():
        places.check_follower(name, coupling, given, prescribed)
    order = [name for link in links for name in link.coordinate_names if name in given]
    found: dict[str, Follower] = {}
    for name in order:
        _resolve(name, places, given, found, ())
    return tuple(found[name] for name in order)


class _Places:
    """Names of coordinates and where they belong."""

    def __init__(self, links: Sequence[LinkSpec]) -> None:
        self.links = {link.name: link for link in links}
        self.owner = {name: link for link in links for name in link.coordinate_names}

    def coordinate(self, name: str, what: str) -> str:
        """The name of a coordinate, from it or from that of a link with one."""
        if name in self.owner:
            return name
        if name not in self.links:
            raise ModelError(f"{what}: there is no joint {shown(name)}; links are: {', '.join(self.links)}")
        own = self.links[name].coordinate_names[: self.links[name].joint.dof]
        if len(own) != 1:
            several = f"has {len(own)} coordinates: name one of {', '.join(own)}" if own else "does not move"
            raise ModelError(f"{what}: the joint of {name!r} {several}")
        return own[0]

    def check_follower(
        self, name: str, coupling: Coupling, given: Mapping[str, Coupling], prescribed: set[str]
    ) -> None:
        """Whether a coordinate may follow."""
        link = self.owner[name]
        own, what = link.coordinate_names, coupling.what
        if name not in own[: link.joint.dof]:
            raise ModelError(f"{what}: {name!r} is a strain, only coordinates of joints can follow")
        if self.in_chart(name):
            raise ModelError(
                f"{what}: {name!r} belongs to a rotation vector, which cannot follow part by part; use Euler(...)"
            )
        if link.name in prescribed:
            raise ModelError(f"{what}: the joint of {link.name!r} is prescribed, it cannot follow too; choose one")
        left = [other for other in own if other not in given]
        if left:
            raise ModelError(
                f"{what}: link {link.name!r} has coordinates that do not follow ({', '.join(left[:3])}); put the joint "
                "that follows on a link of its own, without mass (Rigid(0.0, (0, 0, 0))), and hang this one on it"
            )

    def in_chart(self, name: str) -> bool:
        """Whether a coordinate is one of a rotation vector, or of another exponential that solvers may re-centre."""
        link = self.owner[name]
        k = link.coordinate_names.index(name)
        for factor in link.joint.factors():
            size = factor.shape[1]
            if k < size:  # one exponential of several screws that do not commute: all that turn, but the cylindrical
                return isinstance(factor, np.ndarray) and size > 2 and bool(factor[:3].any())
            k -= size
        return False


def _resolve(
    name: str, places: _Places, given: Mapping[str, Coupling], found: dict[str, Follower], path: tuple[str, ...]
) -> Follower:
    """One follower, its leaders that follow others replaced by what these are."""
    if name in found:
        return found[name]
    if name in path:
        cycle = " -> ".join((*path[path.index(name) :], name))
        raise ModelError(f"{given[name].what}: joints follow each other in a cycle, {cycle}; let one of them lead")
    coupling = given[name]
    leaders = [places.coordinate(leader, coupling.what) for leader in coupling.leaders]
    for leader in leaders:
        if places.in_chart(leader):
            raise ModelError(
                f"{coupling.what}: {leader!r} belongs to a rotation vector, which cannot lead; use Euler(...)"
            )
    if len(set(leaders)) < len(leaders):
        raise ModelError(f"{coupling.what}: a leader is named twice, {', '.join(coupling.leaders)}")
    above = [
        _resolve(leader, places, given, found, (*path, name)) if leader in given else _itself(leader)
        for leader in leaders
    ]
    names = tuple(dict.fromkeys(leader for one in above for leader in one.leaders))
    if coupling.program is None and all(one.program is None for one in above):
        weights, offset = np.zeros(len(names)), coupling.offset
        for w, one in zip(coupling.weights, above, strict=True):
            assert one.weights is not None
            offset += w * one.offset
            for leader, x in zip(one.leaders, one.weights, strict=True):
                weights[names.index(leader)] += w * x
        found[name] = Follower(name, names, weights, float(offset), None)
        return found[name]
    outer = linear(coupling.weights, coupling.offset) if coupling.program is None else coupling.program
    parts = [(_program(one), [names.index(leader) for leader in one.leaders]) for one in above]
    found[name] = Follower(name, names, None, 0.0, inlined(outer, len(above), parts, len(names)))
    return found[name]


def _itself(name: str) -> Follower:
    return Follower(name, (name,), np.ones(1), 0.0, None)


def _program(follower: Follower) -> Program:
    if follower.program is not None:
        return follower.program
    assert follower.weights is not None
    if len(follower.weights) == 1 and follower.weights[0] == 1.0 and follower.offset == 0.0:
        return IDENTITY
    return linear(follower.weights, follower.offset)
