"""The residual's Jacobians against central differences, in total and load by load.

A load is judged alone: on a copy of the model without inertia, gravity, springs, dampers and limits, and with no other
load, the residual is minus that load's generalised force, and nothing larger hides its errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from supple.model.binder import Bound
    from supple.model.model import Model

Array = np.ndarray

#: Step of the fourth-order differences, times the coordinate where that is more than one.
STEP = 2e-4

#: Coefficients of the fused tangent that is compared with its blocks.
CV, CA = 30.0, 1e3

#: Part of the total that is the least measure of a load: below, differences see rounding (a spring inside one body).
NEGLIGIBLE = 1e-3

TOTAL = "total"


class DerivativeError(NamedTuple):
    """One line of the report."""

    load: str  #: name of the load, or "total"
    derivative: str  #: dR/dq, dR/dv, dR/da, dR/du, or the fused tangent
    error: float  #: largest deviation, relative to the largest entry of the reference, or of the residual if larger
    size: float  #: largest entry of the reference


@dataclass(frozen=True)
class DerivativeReport:
    """What `Model.check_derivatives` found; printing it gives a table."""

    rows: tuple[DerivativeError, ...]

    @property
    def worst(self) -> DerivativeError:
        """The line with the largest error; NaN counts as the largest."""
        return max(self.rows, key=lambda row: np.inf if np.isnan(row.error) else row.error)

    def ok(self, tolerance: float = 1e-6) -> bool:
        """Whether every error is below ``tolerance``."""
        return all(row.error < tolerance for row in self.rows)

    def __str__(self) -> str:
        table = Table("load", "derivative", "error", "largest entry", box=None, pad_edge=False)
        for row in self.rows:
            table.add_row(row.load, row.derivative, f"{row.error:.1e}", f"{row.size:.3g}")
        stream = StringIO()
        Console(file=stream, width=100, color_system=None, force_terminal=False, markup=False, emoji=False).print(table)
        return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())


def check_derivatives(model: Model, q: Array, v: Array, a: Array, u: Array, t: float) -> DerivativeReport:
    """Report on a model and on each of its loads alone."""
    rows = _compare(TOTAL, model, q, v, a, u, t, {})
    floors = {row.derivative: NEGLIGIBLE * row.size for row in rows}
    seen: Counter[str] = Counter()
    for load in model.loads:
        seen[load.name] += 1
        label = load.name if seen[load.name] == 1 else f"{load.name} ({seen[load.name]})"
        rows += _compare(label, load_alone(model, load), q, v, a, u, t, floors)
    return DerivativeReport(tuple(rows))


def load_alone(model: Model, load: Bound) -> Model:
    """A copy of a model on which nothing acts but one load: R = -(its generalised force)."""
    parameters = model.parameters
    segments = parameters.segments.copy()
    segments["inertia"] = 0.0
    limits = parameters.limits.copy()
    limits[:, 0], limits[:, 1] = -np.inf, np.inf
    copy = object.__new__(type(model))
    copy.__setstate__(
        model._stored()
        | {
            "loads": (load,),
            "parameters": parameters._replace(
                segments=segments,
                gravity=np.zeros(3),
                stiffness=np.zeros_like(parameters.stiffness),
                damping=np.zeros_like(parameters.damping),
                limits=limits,
            ),
        }
    )
    return copy


def _compare(
    label: str, model: Model, q: Array, v: Array, a: Array, u: Array, t: float, floors: dict[str, float]
) -> list[DerivativeError]:
    exact = model.residual_derivatives(q, v, a, u, t=t)
    residual, tangent = model.residual_tangent(q, v, a, u, t=t, cv=CV, ca=CA)
    floor = float(np.abs(residual).max(initial=0.0))
    references = {
        "dR/dq": (exact.dq, difference(lambda x: model.residual(x, v, a, u, t=t), q)),
        "dR/dv": (exact.dv, difference(lambda x: model.residual(q, x, a, u, t=t), v)),
        "dR/da": (exact.da, difference(lambda x: model.residual(q, v, x, u, t=t), a)),
        "fused tangent": (tangent, exact.dq + CV * exact.dv + CA * exact.da),
    }
    if model.nu:
        references["dR/du"] = exact.du, difference(lambda x: model.residual(q, v, a, x, t=t), u)
    return [
        _row(label, name, value, reference, max(floor, floors.get(name, 0.0)))
        for name, (value, reference) in references.items()
    ]


def _row(label: str, name: str, value: Array, reference: Array, floor: float) -> DerivativeError:
    size = float(np.abs(reference).max(initial=0.0))
    error = float(np.abs(value - reference).max(initial=0.0))
    return DerivativeError(label, name, error / (max(size, floor) or 1.0), size)


def difference(function: Callable[[Array], Array], x: Array) -> Array:
    """Jacobian (m, n) of a function (n,) -> (m,) by central differences of fourth order."""
    columns = []
    for k in range(len(x)):
        h = STEP * max(1.0, abs(float(x[k])))
        shift = np.zeros_like(x)
        shift[k] = h
        near, far = function(x + shift) - function(x - shift), function(x + 2.0 * shift) - function(x - 2.0 * shift)
        columns.append((8.0 * near - far) / (12.0 * h))
    return np.stack(columns, axis=1)
