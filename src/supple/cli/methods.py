"""Methods of integration as the command line has them: the word that names one, the options that change it."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from supple.cli.failures import UsageError, unknown
from supple.solvers.integrators import Method
from supple.solvers.integrators import method as register

#: Options of the command line, which are fields of methods.
OPTIONS = ("dt", "rtol", "atol")


def find_method(name: str) -> type[Method]:
    """Kind of method of a name; case, hyphens, underscores and spaces do not matter."""
    found = register.find_method(name)
    if found is None:
        raise unknown("method", name, register.names())
    return found


def make_method(name: str | None, options: dict[str, float | None], suggested: Method, dt: float) -> Method:
    """A method.

    Parameters
    ----------
    name : str, optional
        Omitted: the ``suggested`` method, changed by the options.
    options : dict
        Values of `OPTIONS`; None where not given.
    suggested : Method
        What suits the system.
    dt : float
        Step of methods that need one, s, unless given.
    """
    kind = type(suggested) if name is None else find_method(name)
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    taken = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key in given:
        if key not in taken:
            raise UsageError(_misplaced(key, kind, name is None))
    tolerances = [f"--{key}" for key in ("rtol", "atol") if key in given]
    if tolerances and "dt" in given:
        raise UsageError(
            f"{' and '.join(tolerances)} mean nothing beside --dt, which fixes the step: give one or the other"
        )
    if tolerances and "dt" in taken:
        given["dt"] = None  # the step of the suggested method, if it is fixed, is to adapt
    if name is None:
        return replace(suggested, **given)  # type: ignore[type-var]
    if "dt" in taken and taken["dt"].default is MISSING:
        given.setdefault("dt", dt)
    return kind(**given)


def name_of(chosen: Method) -> str:
    """Name of a method."""
    return chosen.name or type(chosen).__name__


def _misplaced(option: str, kind: type[Method], is_default: bool) -> str:
    """What to say of an option that a method does not have."""
    others = [other for other, one in register.methods().items() if _has(one, option)]
    own = [f"--{key}" for key in OPTIONS if _has(kind, key)]
    name = kind.name or kind.__name__
    which = f"{name}, the method of this system," if is_default else name
    takes = f"it takes {' and '.join(own)}" if own else "it has no options"
    return f"{which} has no --{option}; {takes}; methods with --{option}: {', '.join(others)}"


def _has(kind: type[Method], option: str) -> bool:
    """Whether a method has an option."""
    return any(field.name == option for field in fields(kind))  # type: ignore[arg-type]
