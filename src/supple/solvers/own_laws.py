"""Laws that drive a run: what each of them drives, and those that a model brings itself, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.compilation.law_program import Program, breaks_of, is_compilable, make_program
from supple.laws import Constant, Table
from supple.solvers.problem import TO_INPUT, TO_MOTION, TO_SIGNAL

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class Driven(NamedTuple):
    """A law with what it drives: kind of target and first index."""

    law: Callable[[float], Any]
    size: int
    owner: str
    target: int
    indices: tuple[int, ...]


class OwnLaws(NamedTuple):
    """What drives a model whatever its inputs are: laws of its loads and of its prescribed joints."""

    compiled: tuple[Driven, ...]
    called: tuple[Driven, ...]  #: users' functions
    program: Program  #: of the compiled ones
    targets: Array  #: (rows, 2) what each row of it drives
    breaks: tuple[float, ...]  #: of the compiled ones, s
    first_states: Array  #: of loads
    constant: Program  #: the same program, with constant inputs behind; their numbers are the last
    constant_targets: Array


def own_laws(model: Model) -> OwnLaws:
    """The laws of a model; compiled once, for they do not change."""
    return model.workspace.kept("laws of its own", lambda: _own_laws(model))


def _own_laws(model: Model) -> OwnLaws:
    driven = _load_laws(model) + _motion_laws(model)
    compiled = tuple(d for d in driven if is_compilable(d.law))
    called = tuple(d for d in driven if not is_compilable(d.law))
    program, inputs = program_of(compiled, None), [inputs_by(model, Constant(np.zeros(model.nu)))] if model.nu else []
    return OwnLaws(
        compiled=compiled,
        called=called,
        program=program,
        targets=targets_of(compiled),
        breaks=jumps_of(compiled),
        first_states=np.concatenate([*(block.state0 for block in model.demand.states), np.zeros(0)]),
        constant=program_of(inputs, program),
        constant_targets=targets_of((*compiled, *inputs)),
    )


def inputs_by(model: Model, law: Callable[[float], Any]) -> Driven:
    """All inputs, driven by a law."""
    return Driven(law, model.nu, "u", TO_INPUT, tuple(range(model.nu)))


def program_of(driven: Sequence[Driven], after: Program | None) -> Program:
    """One program of laws, behind those of another."""
    return make_program([d.law for d in driven], [d.size for d in driven], [d.owner for d in driven], after)


def targets_of(driven: Iterable[Driven]) -> Array:
    """(rows, 2) what the rows of laws drive."""
    return np.array([(d.target, i) for d in driven for i in d.indices], dtype=np.int64).reshape(-1, 2)


def jumps_of(driven: Iterable[Driven]) -> tuple[float, ...]:
    """Times at which laws jump; between samples of a table only the slope does, which error control sees to."""
    return breaks_of([d.law for d in driven if not isinstance(d.law, Table) or d.law.hold])


def _load_laws(model: Model) -> list[Driven]:
    demand = model.demand
    return [
        Driven(law, size, owner, TO_SIGNAL, tuple(range(first, first + size)))
        for law, first, size, owner in zip(demand.laws, demand.firsts, demand.sizes, demand.owners, strict=True)
    ]


def _motion_laws(model: Model) -> list[Driven]:
    return [
        Driven(j.law, len(j.coordinates), f"Prescribed {j.link!r}", TO_MOTION, tuple(j.coordinates))
        for j in model.prescribed
    ]
