"""Inverse and forward dynamics, and places of the robot, with the Jacobians that the model has of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.bridges.operation import Blocks, JacobianOperation, Port
from supple.bridges.subject import Subject
from supple.errors import ModelError
from supple.model.arguments import number

Array = np.ndarray


def _refuse_parameters(subject: Subject, name: str) -> None:
    """Refuse designs where derivatives by parameters are not at hand."""
    if subject.parameters:
        raise ModelError(f"{name} takes a Model: derivatives of it by parameters of a Design are not available")


class InverseDynamicsOperation(JacobianOperation):
    """q, v, a (n,) -> ID (n,)."""

    name = "inverse_dynamics"

    def __init__(self, subject: Subject, t: float) -> None:
        _refuse_parameters(subject, self.name)
        n = (subject.nominal.n,)
        super().__init__(subject, [Port(x, n) for x in "qva"], [Port("force", n)])
        self.t = number("t", t)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """ID."""
        q, v, a = inputs
        return (self.subject.nominal.inverse_dynamics(q, v, a, self.t),)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """dID/dq, dID/dv, M."""
        q, v, a = inputs
        found = self.subject.nominal.inverse_dynamics_derivatives(q, v, a, self.t)
        return [[found.dq, found.dv, found.mass]]


class ForwardDynamicsOperation(JacobianOperation):
    """q, v (n,), u (nu,) -> a (n,)."""

    name = "forward_dynamics"

    def __init__(self, subject: Subject, t: float) -> None:
        _refuse_parameters(subject, self.name)
        n, nu = subject.nominal.n, subject.nominal.nu
        own = [Port("q", (n,)), Port("v", (n,)), Port("u", (nu,), np.zeros(nu))]
        super().__init__(subject, own, [Port("a", (n,))])
        self.t = number("t", t)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Accelerations."""
        q, v, u = inputs
        return (self.subject.nominal.forward_dynamics(q, v, u, self.t).a,)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """da/dq, da/dv, da/du; zero in rows and columns of prescribed joints."""
        q, v, u = inputs
        found = self.subject.nominal.forward_dynamics_derivatives(q, v, u, self.t)
        return [[found.dq, found.dv, found.du]]


class PoseOperation(JacobianOperation):
    """q (n,) -> the world pose (4, 4) of a place of a link."""

    name = "pose"

    def __init__(self, subject: Subject, link: str, s: float) -> None:
        _refuse_parameters(subject, self.name)
        model = subject.nominal
        super().__init__(subject, [Port("q", (model.n,))], [Port("pose", (4, 4))])
        model.pose(model.rest, link, s)  # names that are not there, and s outside the link, raise here
        self.link, self.s = link, s

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """g."""
        return (self.subject.nominal.pose(inputs[0], self.link, self.s),)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """dg = g hat(J dq)."""
        return [[_pose_derivative(*self._station(inputs[0])).reshape(16, -1)]]

    def _station(self, q: Array) -> tuple[Array, Array]:
        model = self.subject.nominal
        return model.pose(q, self.link, self.s), model.jacobian(q, self.link, self.s)


class TipOperation(PoseOperation):
    """q (n,) -> world position (3,) of a place of a link."""

    name = "tip"

    def __init__(self, subject: Subject, link: str, s: float) -> None:
        super().__init__(subject, link, s)
        self.outputs = (Port("tip", (3,)),)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Position."""
        return (super().compute(inputs)[0][:3, 3],)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """R J_v."""
        g, J = self._station(inputs[0])
        return [[g[:3, :3] @ J[3:]]]


def _pose_derivative(g: Array, J: Array) -> Array:
    """d(pose)/dq (4, 4, n): g hat(J_j) for every column."""
    twist = np.zeros((4, 4, J.shape[1]))
    x, y, z = J[:3]
    twist[0, 1], twist[0, 2], twist[1, 2] = -z, y, -x
    twist[1, 0], twist[2, 0], twist[2, 1] = z, -y, x
    twist[:3, 3] = J[3:]
    return np.asarray(np.einsum("ij,jkn->ikn", g, twist))

