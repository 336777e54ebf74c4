"""States, and models of which only a part acts: the same robot with some of its loads, with or without inertia.

Read-outs ask such parts with the same kernels as everybody else, so that every formula keeps its one home.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ModelError
from supple.model.arguments import number
from supple.model.changes import changed_model
from supple.model.check_derivatives import load_alone
from supple.readouts.kernels import SEGMENT_COLUMNS

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.model.model import Model

Array = np.ndarray


class State(NamedTuple):
    """All that equations depend on, checked: arguments of `Model.residual`, in its order."""

    q: Array
    v: Array
    a: Array
    u: Array | None = None
    lam: Array | None = None
    t: float = 0.0
    z: Array | None = None


def make_state(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    u: ArrayLike | None = None,
    lam: ArrayLike | None = None,
    t: float = 0.0,
    z: ArrayLike | None = None,
) -> State:
    """A checked state; what is omitted is zero, internal states are where they begin."""
    given = {"q": q} | {name: x for name, x in (("v", v), ("a", a)) if x is not None}
    states = {name: model.arguments.state(name, x) for name, x in given.items()}
    for name, x in states.items():
        model.arguments.finite(x, **{name: x})
    return State(
        states["q"],
        states.get("v", model.workspace.zero),
        states.get("a", model.workspace.zero),
        None if u is None else model.arguments.inputs("u", u, model.nu),
        None if lam is None else model.arguments.inputs("lam", lam, model.nc),
        number("t", t),
        None if z is None else model.arguments.inputs("z", z, model.nz),
    )


def load_labels(model: Model) -> tuple[str, ...]:
    """A name for every load, in order: its own; the second of a name is ``name (2)``."""
    seen: Counter[str] = Counter()
    labels = []
    for load in model.loads:
        seen[load.name] += 1
        labels.append(load.name if seen[load.name] == 1 else f"{load.name} ({seen[load.name]})")
    return tuple(labels)


def kept(model: Model, key: Any, make: Callable[[], Any]) -> Any:
    """What ``make`` returns, made once for a model; two threads at once make it twice, and keep one."""
    return model.workspace.kept(key, make)


def alone(model: Model, index: int) -> Model:
    """The model on which nothing acts but its load ``index``: its residual is minus that load's generalised force."""
    part: Model = kept(model, ("alone", index), lambda: sharing(model, load_alone(model, model.loads[index])))
    return part


def sharing(model: Model, part: Model) -> Model:
    """A part of a model with the same links, which works in the model's scratch: every call clears what it reads."""
    part.workspace.share(model.workspace)
    return part


def with_loads(model: Model, key: str, wanted: Callable[[Bound], bool]) -> Model:
    """The model with all of its inertia, springs and dampers, but only the ``wanted`` loads."""
    part: Model = kept(
        model,
        ("loads", key),
        lambda: sharing(model, changed_model(model, loads=tuple(load for load in model.loads if wanted(load)))),
    )
    return part


def unloaded(model: Model) -> Model:
    """The model without loads: inertia, gravity, springs and dampers."""
    return with_loads(model, "none", lambda load: False)


def find_load(model: Model, name: str, kind: str, candidates: tuple[int, ...]) -> int:
    """Index of a load by name among the candidates; the error names them all."""
    labels = load_labels(model)
    names = {labels[i]: i for i in candidates}
    try:
        return names[name]
    except (KeyError, TypeError):
        known = ", ".join(names) or "none"
        raise ModelError(f"model {model.name!r} has no {kind} {shown(name)}; it has: {known}") from None


def rod_of(model: Model, link: str) -> Any:
    """Layout of a link that must be a rod."""
    layout = model.layouts[model.link_index(link)]
    if layout.rod is None:
        rods = ", ".join(other.name for other in model.layouts if other.rod is not None) or "none"
        what = f"link {link!r} is {layout.noun}"
        raise ModelError(f"{what}: strains and inner forces are those of rods; rods are: {rods}")
    return layout


def stations(link: str, s: ArrayLike) -> Array:
    """Stations of a rod as a vector (K,), between 0 and 1."""
    try:
        places = np.array(floats(s))
    except ValueError as reason:
        raise ModelError(f"link {link!r}: s is {shown(s)}, must be numbers between 0 and 1{why(reason)}") from None
    if places.ndim > 1 or not ((places >= 0.0) & (places <= 1.0)).all():
        raise ModelError(f"link {link!r}: s is {shown(s)}, must be one number or a vector of numbers between 0 and 1")
    return np.atleast_1d(places)


def one_or_many(s: ArrayLike, result: Any) -> Any:
    """A result without its axis of stations if s is one station."""
    if np.ndim(s):
        return result
    return type(result)(*(x[0] for x in result)) if hasattr(result, "_fields") else result[0]


def swept(model: Model, state: State, columns: bool = False) -> tuple[Any, Array]:
    """This thread's scratch of a model after a call at a state: poses, twists, wrenches, and ``columns`` if wanted.

    Returns the scratch, and the world position (3,) of the common origin that it counts from (see `core.sweep_out`).
    """
    if columns:
        model.residual_tangent(*state[:6], 0.0, 0.0, state.z)
    else:
        model.residual(*state)
    space = model.workspace.own()[0]
    return space, -space.work[0]["p"]


def segment_columns(model: Model, segments: Array) -> tuple[Array, Array]:
    """J and R = dJ/dt (k, 6, n) of some segments after `swept` with columns: world axes, about the common origin."""
    count = len(segments)
    table = np.zeros((count, 4), dtype=np.int64)
    table[:, 0] = segments
    out = np.empty((2 * count, 6, model.n))
    SEGMENT_COLUMNS(model.workspace.tree, model.workspace.own()[1], table, count, out)
    return out[:count], out[count:]


def cross_columns(x: Array, columns: Array) -> Array:
    """X x columns for a vector (..., 3) and columns (..., 3, n)."""
    return np.cross(x[..., None], columns, axisa=-2, axisb=-2, axisc=-2)
