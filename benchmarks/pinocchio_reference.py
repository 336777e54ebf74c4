"""Pinocchio as the yardstick: is it there, does it agree, how long do its calls take."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import supple as sp
from benchmarks.robots import pinocchio_chain, random_state, rigid_chain
from supple.model.model import Model

#: Largest relative difference at which two libraries count as computing the same thing.
AGREEMENT = 1e-11

#: The same for accelerations, which carry the condition number of the mass matrix.
FORWARD_AGREEMENT = 1e-9

#: The yardstick: joints of the chain whose derivative call is one unit.
UNIT_JOINTS = 100


class PinocchioMissingError(RuntimeError):
    """Pinocchio is not installed."""


def require_pinocchio() -> None:
    """Raise `PinocchioMissingError` with the remedy."""
    if find_spec("pinocchio") is None:
        raise PinocchioMissingError("needs Pinocchio to compare with: pip install pin")


def pinocchio_calls(n: int) -> tuple[Model, np.ndarray, dict[str, Callable[[], Any]]]:
    """Our model of a chain of n joints, a state, and Pinocchio's calls at that state, checked to agree with ours."""
    import pinocchio as pin

    model = rigid_chain(n).compile()
    state = random_state(model, size=1.0)
    q, v, a = state
    reference, data = pinocchio_chain(n)
    check_agreement(model, state, reference, data)
    return (
        model,
        state,
        {
            "id": lambda: pin.rnea(reference, data, q, v, a),
            "derivatives": lambda: pin.computeRNEADerivatives(reference, data, q, v, a),
        },
    )


def driven_calls(n: int) -> tuple[dict[str, Callable[[], Any]], dict[str, Callable[[], Any]]]:
    """Forward dynamics of a chain driven at each joint, and its derivatives: ours, Pinocchio's, checked to agree."""
    import pinocchio as pin

    robot = rigid_chain(n)
    for k in range(n):
        robot.add(sp.JointDrive(f"motor{k}", f"link{k}"))
    model = robot.compile()
    q, v, u = random_state(model, size=1.0)
    reference, data = pinocchio_chain(n)
    a = pin.aba(reference, data, q, v, u).copy()
    pin.computeABADerivatives(reference, data, q, v, u)
    ours = (model.forward_dynamics(q, v, u).a, *model.forward_dynamics_derivatives(q, v, u))
    theirs = (a, data.ddq_dq, data.ddq_dv, np.triu(data.Minv) + np.triu(data.Minv, 1).T)
    for name, x, y in zip(("a", "da/dq", "da/dv", "da/dtau"), ours, theirs, strict=True):
        error = np.abs(x - y).max() / np.abs(y).max()
        if not error <= FORWARD_AGREEMENT:
            raise RuntimeError(f"{model.name}: {name} differs from Pinocchio's by {error:.1e}; nothing was timed")
    return (
        {
            "forward dynamics": lambda: model.forward_dynamics(q, v, u),
            "derivatives": lambda: model.forward_dynamics_derivatives(q, v, u),
        },
        {
            "forward dynamics": lambda: pin.aba(reference, data, q, v, u),
            "derivatives": lambda: pin.computeABADerivatives(reference, data, q, v, u),
        },
    )


def check_agreement(model: Model, state: np.ndarray, reference: Any, data: Any) -> None:
    """Refuse to time two libraries that compute different things."""
    import pinocchio as pin

    q, v, a = state
    ours = model.inverse_dynamics_derivatives(q, v, a)
    theirs = (pin.rnea(reference, data, q, v, a).copy(), *pin.computeRNEADerivatives(reference, data, q, v, a))
    for name, x, y in zip(("ID", "dID/dq", "dID/dv", "M"), ours, theirs, strict=True):
        error = np.abs(x - y).max() / np.abs(y).max()
        if not error <= AGREEMENT:
            raise RuntimeError(f"{model.name}: {name} differs from Pinocchio's by {error:.1e}; nothing was timed")


def unit_call() -> Callable[[], Any]:
    """Pinocchio's derivative call on the chain of 100 joints, one unit of time."""
    return pinocchio_calls(UNIT_JOINTS)[2]["derivatives"]
