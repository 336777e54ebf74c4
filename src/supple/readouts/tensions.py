"""Tensions of tendons and cables, pressures and volumes of chambers, by name and with derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.checks import shown
from supple.errors import ModelError
from supple.loads.lines.routed import lines as route_lines
from supple.loads.lines.spans import PUSHING
from supple.readouts import parts
from supple.readouts.followers import by_state, of_all_coordinates
from supple.readouts.parts import State
from supple.readouts.results import Tension

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


def is_chamber(model: Model, name: str) -> bool:
    """Whether a line is a chamber or cavity: it pushes, its coefficients are positive."""
    load = next(load for load in model.loads if load.name == name)
    if hasattr(load.data, "path"):  # `loads.lines.members`
        return bool(load.data.path.tension[0, 1] == PUSHING)
    return load.kernel.function is route_lines.function and bool((load.data.line[:, 0] > 0.0).any())


def tensions(model: Model, state: State) -> dict[str, float]:
    """Tension [N] of every tendon and cable."""
    found = model.lines(state.q, state.v, state.u, state.t)
    return {name: line.tension for name, line in found.items() if not is_chamber(model, name)}


def volumes(model: Model, state: State) -> dict[str, float]:
    """Volume [m^3] of every chamber."""
    found = model.lines(state.q, state.v, state.u, state.t)
    return {name: line.length for name, line in found.items() if is_chamber(model, name)}


@of_all_coordinates(by_state)
def tension_derivatives(model: Model, state: State, name: str) -> Tension:
    """T(l, l') of a line with dT/dq = T_l g + T_l' dl'/dq and dT/dv = T_l' g (see `core.elastic_lines`)."""
    names = model.demand.lines
    if not isinstance(name, str) or name not in names:
        raise ModelError(f"model {model.name!r} has no line {shown(name)}; it has: {', '.join(names) or 'none'}")
    index = names.index(name)
    line = model.lines(state.q, state.v, state.u, state.t)[name]
    space = model.workspace.own()[0]
    record = space.lines[index].copy()
    used = space.parts[record["first"] : record["first"] + record["count"]].copy()
    slope, rate_slope = float(record["slope"]), float(record["rate_slope"])
    dq, dv = slope * line.gradient, rate_slope * line.gradient
    if rate_slope:
        dq = dq + rate_slope * _rate_gradient(model, state, used)
    return Tension(line.tension, dq, dv)


def _rate_gradient(model: Model, state: State, used: Array) -> Array:
    """dl'/dq (n,): J^T drift + R^T f at segments, Phi^T drift at nodes of rods, drift at coordinates."""
    part, topology, parameters = parts.unloaded(model), model.topology, model.parameters
    parts.swept(part, State(*state[:2], model.workspace.zero), columns=True)
    held = used[(used["node"] < 0) & (used["segment"] > 0)]
    J, R = parts.segment_columns(part, held["segment"])
    out = np.einsum("sij,si->j", J, held["drift"]) + np.einsum("sij,si->j", R, held["f"])
    for row in used[(used["node"] < 0) & (used["segment"] < 0)]:
        first = -(int(row["segment"]) + 1)
        own = slice(first, min(first + 6, model.n))
        out[own] += row["drift"][: own.stop - own.start]
    for row in used[used["node"] >= 0]:
        node = parameters.nodes[row["node"]]
        own = slice(int(node["start"]), int(node["start"] + node["n"]))
        psi = parameters.psi[int(node["column"]) : int(node["column"] + node["n"])]
        out[own] += psi * row["drift"][topology.component[own]]
    return np.asarray(out)
