"""Methods of integration by name: the one place where a word becomes a method."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from supple.cli.failures import UsageError, unknown
from supple.solvers.integrators.methods import BDF2, DOP853, NDF, RK45, GeneralizedAlpha, ImplicitEuler, Method, Newmark

#: All methods by name.
METHODS: dict[str, type[Method]] = {
    "ndf": NDF,
    "generalized-alpha": GeneralizedAlpha,
    "newmark": Newmark,
    "bdf2": BDF2,
    "implicit-euler": ImplicitEuler,
    "rk45": RK45,
    "dop853": DOP853,
}

#: The same without hyphens, and with the other English spelling.
_SPELLINGS = {name.replace("-", ""): name for name in METHODS} | {"generalisedalpha": "generalized-alpha"}

#: Options of the command line, which are fields of methods.
OPTIONS = ("dt", "rtol", "atol")


def find_method(name: str) -> type[Method]:
    """Kind of method of a name; case, hyphens, underscores and spaces do not matter."""
    key = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    if key not in _SPELLINGS:
        raise unknown("method", name, METHODS)
    return METHODS[_SPELLINGS[key]]


def name_of(method: Method) -> str:
    """Name of a method."""
    return next((name for name, kind in METHODS.items() if type(method) is kind), type(method).__name__)


def make_method(name: str | None, options: dict[str, float | None], suggested: Method, dt: float) -> Method:
    """A method.

    Parameters
    ----------
    name : str, optional
        Left out: the ``suggested`` method, changed by the options.
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


def _misplaced(option: str, kind: type[Method], is_default: bool) -> str:
    """What to say of an option that a method does not have."""
    name = next((name for name, other in METHODS.items() if other is kind), kind.__name__)
    others = [other for other, one in METHODS.items() if any(f.name == option for f in fields(one))]  # type: ignore[arg-type]
    own = [f"--{key}" for key in OPTIONS if any(f.name == key for f in fields(kind))]  # type: ignore[arg-type]
    which = f"{name}, the method of this system," if is_default else name
    takes = f"it takes {' and '.join(own)}" if own else "it has no options"
    return f"{which} has no --{option}; {takes}; methods with --{option}: {', '.join(others)}"
