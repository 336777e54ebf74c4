"""Read-outs of models in which coordinates follow others: those of the full model, with derivatives by what is left."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.model import readouts

if TYPE_CHECKING:
    from supple.model.coupled import CoupledModel, Expansion

Array = np.ndarray


def _delegated(function: Callable[..., Any], chained: Callable[[Expansion, Any], Any]) -> Callable[..., Any]:
    """A read-out asked of the full model with all coordinates; ``chained`` makes of its result one by those left."""
    signature = inspect.signature(function)

    @wraps(function)
    def asked(model: CoupledModel, *arguments: Any, **options: Any) -> Any:
        given = dict(signature.bind(model, *arguments, **options).arguments)
        del given["model"]
        at = model.expand(given["q"], given.get("v"), given.get("a"))
        for name in ("q", "v", "a"):
            if name in signature.parameters:
                given[name] = getattr(at, name)
        return chained(at, getattr(model.full, function.__name__)(**given))

    return asked


def _same(at: Expansion, found: Any) -> Any:
    return found


def _by_state(at: Expansion, found: Any) -> Any:
    """A result with fields dq, dv and perhaps da."""
    dq, dv, da = at.by_state(found.dq, found.dv, getattr(found, "da", None))
    changes = {"dq": dq, "dv": dv} | ({"da": da} if hasattr(found, "da") else {})
    return found._replace(**changes)


def _contact(at: Expansion, found: Any) -> Any:
    force, total = at.by_state(found.force_dq, found.force_dv), at.by_state(found.total_dq, found.total_dv)
    return found._replace(
        gap_dq=found.gap_dq @ at.C, force_dq=force[0], force_dv=force[1], total_dq=total[0], total_dv=total[1]
    )


def _centre(at: Expansion, found: Any) -> Any:
    return found._replace(jacobian=found.jacobian @ at.C)


def _powers(at: Expansion, found: Any) -> Any:
    """Gradients of powers, which are dictionaries of results with dq, dv and da."""
    return type(found)(*({name: _by_state(at, one) for name, one in part.items()} for part in found))


contact = _delegated(readouts.contact, _same)
contact_derivatives = _delegated(readouts.contact_derivatives, _contact)
reaction = _delegated(readouts.reaction, _same)
reaction_derivatives = _delegated(readouts.reaction_derivatives, _by_state)
strain = _delegated(readouts.strain, _same)
stress = _delegated(readouts.stress, _same)
stress_derivatives = _delegated(readouts.stress_derivatives, _by_state)
inner_forces = _delegated(readouts.inner_forces, _same)
inner_force_derivatives = _delegated(readouts.inner_force_derivatives, _by_state)
center_of_mass = _delegated(readouts.center_of_mass, _centre)
tensions = _delegated(readouts.tensions, _same)
tension_derivatives = _delegated(readouts.tension_derivatives, _by_state)
volumes = _delegated(readouts.volumes, _same)
power_derivatives = _delegated(readouts.power_derivatives, _powers)
_power = _delegated(readouts.power, _same)


def strain_matrix(model: CoupledModel, link: str, s: Any) -> Array:
    """d(strain)/dq, see `Model.strain_matrix`: no strain follows."""
    return model.full.strain_matrix(link, s)[..., : model.n]


@wraps(readouts.power)
def power(model: CoupledModel, q: Any, v: Any, a: Any, *others: Any, **options: Any) -> Any:
    """Powers, see `Model.power`; a prescribed joint moves those that follow it, too."""
    found = _power(model, q, v, a, *others, **options)
    missing, rates = model.residual(q, v, a, *others, **options), np.asarray(v, dtype=float)
    own = {joint.link: list(joint.coordinates) for joint in model.prescribed}
    return found._replace(efforts={link: float(missing[k] @ rates[k]) for link, k in own.items()})
