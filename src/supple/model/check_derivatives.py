"""The residual's Jacobians against central differences, in total and load by load.

A load is judged alone: on a copy of the model without inertia, gravity, springs, dampers and limits, and with no other
load, the residual is minus that load's generalised force, and nothing larger hides its errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.compilation.assembling import UNLIMITED
from supple.model.changes import changed_model
from supple.robot.text_table import text_table

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.model.model import Model

Array = np.ndarray

#: Step of the fourth-order differences, times the coordinate where that is more than one.
STEP = 2e-4

#: Parts of it that are tried where differences and derivatives part by more than `DOUBT`: a contact that begins within
#: a step spoils the difference, and no step makes a wrong derivative right.
FINER, DOUBT = (0.1, 0.01), 1e-8

#: Coefficients of the fused tangent that is compared with its blocks.
CV, CA = 30.0, 1e3

#: Part of the total that is the least measure of a load: below, differences see rounding (a spring inside one body).
NEGLIGIBLE = 1e-3

#: Of the printed report, characters.
WIDTH = 100

TOTAL = "total"


class State(NamedTuple):
    """Arguments of the residual, in its order."""

    q: Array
    v: Array
    a: Array
    u: Array
    lam: Array
    t: float


class DerivativeError(NamedTuple):
    """One line of the report."""

    load: str  #: name of the load, or "total"
    derivative: str  #: dR/dq, dR/dv, dR/da, dR/du, dR/dlambda, or the fused tangent
    error: float  #: largest deviation, relative to the largest entry of the reference, or of the residual if larger
    size: float  #: largest entry of the reference


@dataclass(frozen=True)
class DerivativeReport:
    """What `Model.check_derivatives` found; printing it gives a table."""

    rows: tuple[DerivativeError, ...]

    @property
    def worst(self) -> DerivativeError:
        """The line with the largest error; NaN counts as the largest."""
        return max(self.rows, key=lambda row: _rank(row.error))

    def ok(self, tolerance: float = 1e-6) -> bool:
        """Whether every error is below ``tolerance``."""
        return all(row.error < tolerance for row in self.rows)

    def __str__(self) -> str:
        rows = [(row.load, row.derivative, f"{row.error:.1e}", f"{row.size:.3g}") for row in self.rows]
        return text_table(("load", "derivative", "error", "largest entry"), rows, WIDTH)


def check_derivatives(
    model: Model, q: Array, v: Array, a: Array, u: Array, t: float, lam: Array | None = None
) -> DerivativeReport:
    """Report on a model and on each of its loads alone."""
    state = State(q, v, a, u, np.zeros(model.nc) if lam is None else lam, t)
    rows = _compare(TOTAL, model, state, {})
    floors = {row.derivative: NEGLIGIBLE * row.size for row in rows}
    for load in model.loads:
        rows += _compare(load.name, load_alone(model, load), state, floors)
    return DerivativeReport(tuple(rows))


def load_alone(model: Model, load: Bound) -> Model:
    """A copy of a model on which nothing acts but one load: R = -(its generalised force)."""
    parameters = model.parameters
    segments = parameters.segments.copy()
    segments["inertia"] = 0.0
    limits = parameters.limits.copy()
    limits[:] = UNLIMITED
    bare = parameters._replace(
        segments=segments,
        gravity=np.zeros(3),
        stiffness=np.zeros_like(parameters.stiffness),
        damping=np.zeros_like(parameters.damping),
        limits=limits,
    )
    return changed_model(model, loads=(load,), parameters=bare)


def _compare(label: str, model: Model, state: State, floors: dict[str, float]) -> list[DerivativeError]:
    q, v, a, u, lam, t = state
    exact = model.residual_derivatives(q, v, a, u, lam, t)
    residual, tangent = model.residual_tangent(q, v, a, u, lam, t, CV, CA)
    least = float(np.abs(residual).max(initial=0.0))

    def slopes(argument: str) -> Callable[[float], Array]:
        def function(x: Array) -> Array:
            change: dict[str, Any] = {argument: x}
            return model.residual(*state._replace(**change))

        return lambda step: difference(function, getattr(state, argument), step)

    def row(name: str, value: Array, reference: Callable[[float], Array]) -> DerivativeError:
        return DerivativeError(label, name, *deviation(value, reference, max(least, floors.get(name, 0.0))))

    rows = [
        row("dR/dq", exact.dq, slopes("q")),
        row("dR/dv", exact.dv, slopes("v")),
        row("dR/da", exact.da, slopes("a")),
        row("fused tangent", tangent, lambda _: exact.dq + CV * exact.dv + CA * exact.da),
    ]
    if model.nu:
        rows.append(row("dR/du", exact.du, slopes("u")))
    if model.nc and label == TOTAL:  # a load alone has no loops beside it
        rows.append(row("dR/dlambda", exact.dlam, slopes("lam")))
    return rows


class Deviation(NamedTuple):
    """How far a derivative is from its reference."""

    error: float  #: largest deviation, relative to the largest entry of the reference, or to a floor
    size: float  #: largest entry of the reference


def deviation(value: Array, reference: Callable[[float], Array], floor: float = 0.0) -> Deviation:
    """Deviation of a derivative from differences of a given step, of which the step that suits best counts."""
    found = _deviation(value, reference(STEP), floor)
    for part in FINER:
        if found.error <= DOUBT:
            break
        found = min(found, _deviation(value, reference(part * STEP), floor), key=lambda x: _rank(x.error))
    return found


def _deviation(value: Array, reference: Array, floor: float) -> Deviation:
    size = float(np.abs(reference).max(initial=0.0))
    error = float(np.abs(value - reference).max(initial=0.0))
    return Deviation(error / (max(size, floor) or 1.0), size)


def _rank(error: float) -> float:
    """An error to compare by: NaN is the largest."""
    return np.inf if np.isnan(error) else error


def difference(function: Callable[[Array], Array], x: Array, step: float = STEP) -> Array:
    """Jacobian (m, n) of a function (n,) -> (m,) by central differences of fourth order."""
    columns = []
    for k in range(len(x)):
        h = step * max(1.0, abs(float(x[k])))
        shift = np.zeros_like(x)
        shift[k] = h
        near, far = function(x + shift) - function(x - shift), function(x + 2.0 * shift) - function(x - 2.0 * shift)
        columns.append((8.0 * near - far) / (12.0 * h))
    return np.stack(columns, axis=1)
