"""Words and numbers that commands print about systems, states and times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from supple.cli.methods import name_of

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.integrators import Method
    from supple.systems import System

Array = np.ndarray


def vector(values: Iterable[float], unit: str = "") -> str:
    """Numbers in brackets.

    >>> vector([0.5, -1e-17, 2.0], "m")
    '(0.5, 0, 2) m'
    """
    listed = [float(x) for x in values]
    largest = max((abs(x) for x in listed), default=0.0)
    # beside the largest entry, rounding is zero
    shown = ", ".join(f"{0.0 if abs(x) <= 1e-12 * largest else x:.6g}" for x in listed)
    return f"({shown})" + (f" {unit}" if unit else "")


def station(link: str, s: float) -> str:
    """Name of a place on a link."""
    return f"tip of {link}" if s == 1.0 else f"{link} at s = {s:g}"


def watched(system: System, model: Model) -> tuple[tuple[str, float], ...]:
    """Stations that a system wants to be watched; the tip of the last link if it does not say."""
    return system.watch or ((model.link_names[-1], 1.0),)


def suggested_method(system: System, model: Model) -> Method:
    """What suits a system: its own method, or that which suits its model."""
    from supple.solvers.motion.choice import choose_method

    return system.method or choose_method(model).method


def method_text(method: Method) -> str:
    """A method with its step, or its tolerances if that adapts, and with what it does not have by default."""
    values = {field.name: getattr(method, field.name) for field in fields(method)}  # type: ignore[arg-type]
    defaults = {field.name: field.default for field in fields(method)}  # type: ignore[arg-type]
    usual = ["dt"] if values.get("dt") is not None else ["rtol", "atol"]
    shown = {name: x for name, x in values.items() if name in usual or (x is not None and x != defaults[name])}
    return f"{name_of(method)} ({', '.join(f'{name} = {x}' for name, x in shown.items())})"


def inputs_at(system: System, model: Model, t: float) -> Array:
    """Inputs (nu,) of a system at a time; feedback is asked at the initial state."""
    if not model.nu:
        return np.zeros(0)
    from supple.solvers.inputs import Excitation
    from supple.solvers.motion.start import initial_state

    excitation = Excitation(model, system.inputs(model))
    q, v = model.rest, np.zeros(model.n)
    if excitation.follows_state:
        q, v = initial_state(model, *system.start(model), t)
    return np.asarray(excitation.inputs_along(np.array([t]), q[None], v[None], excitation.first_states[None])[0])


def input_source(system: System, model: Model, index: int) -> str:
    """What drives an input, in a word."""
    name, law = model.input_names[index], system.inputs(model)
    if any(controller.inputs is None or name in controller.inputs for controller in model.controllers):
        return "Controller"
    law = law.get(name) if isinstance(law, dict) else law
    law = law[index] if isinstance(law, (list, tuple, np.ndarray)) else law
    if law is None:
        return "zero"
    return f"{float(law):g}" if isinstance(law, (int, float, np.number)) else type(law).__name__
