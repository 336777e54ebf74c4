"""Read-outs of robots in which coordinates follow others: those of all coordinates, with derivatives by what is left.

A read-out ``function(model, state, ...)`` works on segments and blocks of all coordinates.  Of a coupled model
(`model.coupled`) it is asked of its ``full`` one, and what comes back by all coordinates is made one by those left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from supple.model.coupled import CoupledModel, Expansion
    from supple.model.model import Model
    from supple.readouts.parts import State

ReadOut = TypeVar("ReadOut", bound=Callable[..., Any])


def _expanded(model: Model, state: State) -> tuple[Model, State, Expansion]:
    """The full model of a coupled one, its state, and how that follows."""
    coupled = cast("CoupledModel", model)
    at = coupled.expand(*state[:3])
    return coupled.full, state._replace(q=at.q, v=at.v, a=at.a), at


def states_of_all(model: Model, states: list[State]) -> tuple[Model, list[State]]:
    """A model and its states by all coordinates: as they are, unless some follow others."""
    if model.compiled.followers is None:
        return model, states
    return cast("CoupledModel", model).full, [_expanded(model, state)[1] for state in states]


def _same(at: Expansion, found: Any) -> Any:
    return found


def by_state(at: Expansion, found: Any) -> Any:
    """A result with fields dq, dv and perhaps da."""
    dq, dv, da = at.by_state(found.dq, found.dv, getattr(found, "da", None))
    changes = {"dq": dq, "dv": dv} | ({"da": da} if hasattr(found, "da") else {})
    return found._replace(**changes)


def contact_by_state(at: Expansion, found: Any) -> Any:
    """Derivatives of a contact."""
    force, total = at.by_state(found.force_dq, found.force_dv), at.by_state(found.total_dq, found.total_dv)
    return found._replace(
        gap_dq=found.gap_dq @ at.C, force_dq=force[0], force_dv=force[1], total_dq=total[0], total_dv=total[1]
    )


def centre_by_state(at: Expansion, found: Any) -> Any:
    """A centre of mass."""
    return found._replace(jacobian=found.jacobian @ at.C)


def powers_by_state(at: Expansion, found: Any) -> Any:
    """Gradients of powers, which are dictionaries of results with dq, dv and da."""
    return type(found)(*({name: by_state(at, one) for name, one in part.items()} for part in found))


def of_all_coordinates(chained: Callable[[Expansion, Any], Any] = _same) -> Callable[[ReadOut], ReadOut]:
    """A read-out that coupled models have, too; ``chained`` makes of its result one by the coordinates left."""

    def made(function: ReadOut) -> ReadOut:
        @wraps(function)
        def asked(model: Model, state: State, *arguments: Any, **options: Any) -> Any:
            if model.compiled.followers is None:
                return function(model, state, *arguments, **options)
            full, whole, at = _expanded(model, state)
            return chained(at, function(full, whole, *arguments, **options))

        return cast("ReadOut", asked)

    return made
