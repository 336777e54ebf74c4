"""Where power comes from and where it goes: generalised forces of every load alone, times v."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.compilation.assembling import FRICTION
from supple.core.loads import CONSTRAINT, STORES
from supple.loads.fluid.fluid import WEIGHT
from supple.model.changes import changed_model
from supple.model.check_derivatives import load_alone
from supple.model.results import Energy
from supple.readouts import parts
from supple.readouts.followers import of_all_coordinates, powers_by_state
from supple.readouts.mass import is_fluid
from supple.readouts.parts import State
from supple.readouts.results import Power, PowerDerivatives, PowerGradient

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.model.model import Model

Array = np.ndarray


def power(model: Model, state: State) -> Power:
    """Powers of all loads, dampers, efforts and loops, and the rates of all energies."""
    return _powers(model, state)._replace(efforts=_efforts(model, state))


@of_all_coordinates()
def _powers(model: Model, state: State) -> Power:
    """The same without efforts."""
    v, rest = state.v, State(state.q, model.workspace.zero, model.workspace.zero, *state[3:])
    loads: dict[str, float] = {}
    stored: dict[str, float] = {}
    loops: dict[str, float] = {}
    for i, (label, load) in enumerate(zip(parts.load_labels(model), model.loads, strict=True)):
        part = _acting(model, i)
        given = -float(part.residual(*state) @ v)
        if load.side == CONSTRAINT:
            loops[label] = given
            continue
        loads[label] = given
        if load.side & STORES:  # its force at rest is minus the gradient of what it stores
            stored[label] = float(part.residual(*rest) @ v)
    joints, rods = ({link: -float(v @ D @ v) for link, D in dampers.items()} for dampers in _dampers(model))
    friction = friction_forces(model.parameters.limits, v)[0] * v
    for layout in model.layouts:
        if layout.name in joints:
            joints[layout.name] += float(friction[list(layout.joint_coordinates)].sum())
    return Power(loads, stored, joints, rods, {}, loops, _rates(model, state, sum(stored.values())))


def _efforts(model: Model, state: State) -> dict[str, float]:
    """Powers of prescribed joints by link, which move those that follow them, too."""
    missing, v = model.residual(*state), state.v
    own = {joint.link: list(joint.coordinates) for joint in model.prescribed}
    return {link: float(missing[k] @ v[k]) for link, k in own.items()}


@of_all_coordinates(powers_by_state)
def power_derivatives(model: Model, state: State) -> PowerDerivatives:
    """Gradients of the powers of loads and dampers.

    With the residual R of a load alone (minus its generalised force) P = -R . v, so that by q, a and u
    dP = -(dR)^T v, and by v dP = -(dR/dv)^T v - R; a damper has P = -v . D v.
    """
    v, labels, loads = state.v, parts.load_labels(model), {}
    for i, load in enumerate(model.loads):
        if load.side != CONSTRAINT:
            part = _acting(model, i)
            by = part.residual_derivatives(*state)
            dv = -(by.dv.T @ v) - part.residual(*state)
            loads[labels[i]] = PowerGradient(-(by.dq.T @ v), dv, -(by.da.T @ v), -(by.du.T @ v))
    joints, rods = (
        {link: _damper_gradient(model, D, v) for link, D in dampers.items()} for dampers in _dampers(model)
    )
    force, slope = friction_forces(model.parameters.limits, v)
    for layout in model.layouts:
        if layout.name in joints:
            own = list(layout.joint_coordinates)
            joints[layout.name].dv[own] += force[own] + slope[own] * v[own]
    return PowerDerivatives(loads, joints, rods)


def friction_forces(limits: Array, v: Array) -> tuple[Array, Array]:
    """Friction of every coordinate and its slope by v (n,), as in `core.elastic.friction_law`."""
    coulomb, static, stribeck, slip = limits[:, FRICTION:].T
    bump, r = (static - coulomb) * np.exp(-((v / stribeck) ** 2)), np.hypot(v, slip)
    slope = -(coulomb + bump) * slip**2 / r**3 + 2.0 * v**2 / stribeck**2 * bump / r
    return -(coulomb + bump) * v / r, slope


def _damper_gradient(model: Model, D: Array, v: Array) -> PowerGradient:
    return PowerGradient(np.zeros(model.n), -(D + D.T) @ v, np.zeros(model.n), np.zeros(model.nu))


def _acting(model: Model, index: int) -> Model:
    """The model on which one load acts alone; a fluid without buoyancy, which counts as gravity."""
    if is_fluid(model.loads[index]):
        return _without_weight(model, index)
    return _lifting(model, index) if is_buoyancy(model.loads[index]) else parts.alone(model, index)


def _rates(model: Model, state: State, stored: float) -> Energy:
    """Rates of the energies of `Model.energy`; gravity is net of buoyancy."""
    q, v, a = state[:3]
    bare, moving = parts.unloaded(model), _inertia_alone(model)
    lifted = bare.inverse_dynamics(q, model.workspace.zero, model.workspace.zero) @ v
    for i, load in enumerate(model.loads):
        if is_fluid(load):
            lifted += _weight_alone(model, i).residual(q, model.workspace.zero, model.workspace.zero) @ v
    stretched = -bare.internal_force(q, model.workspace.zero) @ v
    return Energy(float(moving.inverse_dynamics(q, v, a) @ v), float(stretched), float(lifted), float(stored))


def _inertia_alone(model: Model) -> Model:
    """Neither gravity nor loads."""
    part: Model = parts.kept(
        model,
        "inertia",
        lambda: parts.sharing(
            model, changed_model(model, loads=(), parameters=model.parameters._replace(gravity=np.zeros(3)))
        ),
    )
    return part


def _without_weight(model: Model, index: int) -> Model:
    """A fluid alone: drag and the current; buoyancy counts as gravity."""
    part: Model = parts.kept(
        model, ("drag", index), lambda: parts.sharing(model, load_alone(model, _weighted(model, index, False)))
    )
    return part


def _weight_alone(model: Model, index: int) -> Model:
    """Buoyancy of a fluid alone, with what it takes off the weight of added mass; under the robot's gravity."""

    def make() -> Model:
        part = load_alone(model, _weighted(model, index, True))
        weighted = changed_model(part, parameters=part.parameters._replace(gravity=model.parameters.gravity))
        return parts.sharing(model, weighted)

    part: Model = parts.kept(model, ("weight", index), make)
    return part


def _lifting(model: Model, index: int) -> Model:
    """What buoys up a soft body alone, under the robot's gravity."""

    def make() -> Model:
        part = load_alone(model, model.loads[index])
        return parts.sharing(
            model, changed_model(part, parameters=part.parameters._replace(gravity=model.parameters.gravity))
        )

    part: Model = parts.kept(model, ("lift", index), make)
    return part


def is_buoyancy(load: Bound) -> bool:
    """Whether a load is what buoys up a soft body, which is a potential of gravity."""
    return load.kernel.function.__module__ == "supple.loads.fluid.buoyancy"


def _weighted(model: Model, index: int, weight: bool) -> Bound:
    """A fluid that does only what ``weight`` says."""
    load = model.loads[index]
    points = load.data.points.copy()
    columns = [k for k in range(1, points.shape[1]) if (k == WEIGHT) != weight]
    points[:, columns] = 0
    return load._replace(data=load.data._replace(points=points))


def _dampers(model: Model) -> tuple[dict[str, Array], dict[str, Array]]:
    """Damping (n, n) of joints and of materials of rods, by link."""
    joints: dict[str, Array] = {}
    rods: dict[str, Array] = {}
    for layout in model.layouts:
        first, last = layout.coordinates.start, layout.coordinates.stop
        middle = first + layout.joint_dof
        for table, lo, hi, there in (
            (joints, first, middle, layout.joint_dof > 0),
            (rods, middle, last, layout.table.n > 0),
        ):
            if there:
                table[layout.name] = np.zeros((model.n, model.n))
                table[layout.name][lo:hi, lo:hi] = model.damping[lo:hi, lo:hi]
    return joints, rods
