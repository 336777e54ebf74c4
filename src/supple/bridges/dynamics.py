"""Inverse and forward dynamics, and places of the robot, with the Jacobians that the model has of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.bridges.operation import Blocks, JacobianOperation, Port
from supple.bridges.subject import Subject
from supple.model.arguments import number

Array = np.ndarray


def _by_parameters(operation: JacobianOperation, columns: Array) -> list[Array]:
    """Columns of all parameters, parameter by parameter."""
    ports = operation.inputs[len(operation.own) :]
    return np.split(columns, np.cumsum([port.size for port in ports])[:-1], axis=1)


class InverseDynamicsOperation(JacobianOperation):
    """q, v, a (n,), parameters -> ID (n,)."""

    name = "inverse_dynamics"

    def __init__(self, subject: Subject, t: float) -> None:
        n = (subject.nominal.n,)
        super().__init__(subject, [Port(x, n) for x in "qva"], [Port("force", n)])
        self.t = number("t", t)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """ID."""
        q, v, a, *parameters = inputs
        return (self.subject.model(parameters).inverse_dynamics(q, v, a, self.t),)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """dID/dq, dID/dv, M, dID/dp."""
        q, v, a, *parameters = inputs
        model = self.subject.model(parameters)
        found = model.inverse_dynamics_derivatives(q, v, a, self.t)
        if not parameters:
            return [[found.dq, found.dv, found.mass]]
        from supple.gradients.dynamics_parameters import inverse_dynamics_by_parameter

        self.subject.differentiable(model)
        columns = inverse_dynamics_by_parameter(model, q, v, a, self.t)
        return [[found.dq, found.dv, found.mass, *_by_parameters(self, columns)]]


class ForwardDynamicsOperation(JacobianOperation):
    """q, v (n,), u (nu,), parameters -> a (n,)."""

    name = "forward_dynamics"

    def __init__(self, subject: Subject, t: float) -> None:
        n, nu = subject.nominal.n, subject.nominal.nu
        own = [Port("q", (n,)), Port("v", (n,)), Port("u", (nu,), np.zeros(nu))]
        super().__init__(subject, own, [Port("a", (n,))])
        self.t = number("t", t)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Accelerations."""
        q, v, u, *parameters = inputs
        return (self.subject.model(parameters).forward_dynamics(q, v, u, self.t).a,)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """da/dq, da/dv, da/du, zero in rows and columns of prescribed joints; da/dp."""
        q, v, u, *parameters = inputs
        model = self.subject.model(parameters)
        found = model.forward_dynamics_derivatives(q, v, u, self.t)
        if not parameters:
            return [[found.dq, found.dv, found.du]]
        from supple.gradients.dynamics_parameters import accelerations_by_parameter

        self.subject.differentiable(model)
        columns = accelerations_by_parameter(model, q, v, u, self.t)
        return [[found.dq, found.dv, found.du, *_by_parameters(self, columns)]]


class PoseOperation(JacobianOperation):
    """q (n,), parameters -> the world pose (4, 4) of a place of a link."""

    name = "pose"

    def __init__(self, subject: Subject, link: str, s: float) -> None:
        model = subject.nominal
        super().__init__(subject, [Port("q", (model.n,))], [Port("pose", (4, 4))])
        model.pose(model.rest, link, s)  # names that are not there, and s outside the link, raise here
        self.link, self.s = link, s

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """g."""
        q, *parameters = inputs
        return (self.subject.model(parameters).pose(q, self.link, self.s),)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """dg = g hat(J dq + J_p dp)."""
        g, J = self._station(inputs)
        return [self._by_inputs(_pose_derivative(g, J).reshape(16, -1))]

    def _station(self, inputs: Sequence[Array]) -> tuple[Array, Array]:
        """g, and [J, J_p] (6, n + number of parameters): body twists per unit of every entry of the inputs."""
        q, *parameters = inputs
        model = self.subject.model(parameters)
        g, J = model.pose(q, self.link, self.s), model.jacobian(q, self.link, self.s)
        if parameters:
            from supple.gradients.parameters import pull_back_poses

            self.subject.differentiable(model)
            rows = [pull_back_poses(model, self.link, self.s, q[None], wrench[None]) for wrench in np.eye(6)]
            J = np.hstack([J, np.stack(rows)])
        return g, J

    def _by_inputs(self, columns: Array) -> list[Array]:
        """Columns of all inputs, input by input."""
        return np.split(columns, np.cumsum([port.size for port in self.inputs])[:-1], axis=1)


class TipOperation(PoseOperation):
    """q (n,), parameters -> world position (3,) of a place of a link."""

    name = "tip"

    def __init__(self, subject: Subject, link: str, s: float) -> None:
        super().__init__(subject, link, s)
        self.outputs = (Port("tip", (3,)),)

    def compute(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Position."""
        return (super().compute(inputs)[0][:3, 3],)

    def differentiate(self, inputs: Sequence[Array]) -> Blocks:
        """R J_v."""
        g, J = self._station(inputs)
        return [self._by_inputs(g[:3, :3] @ J[3:])]


def _pose_derivative(g: Array, J: Array) -> Array:
    """d(pose)/dq (4, 4, n): g hat(J_j) for every column."""
    twist = np.zeros((4, 4, J.shape[1]))
    x, y, z = J[:3]
    twist[0, 1], twist[0, 2], twist[1, 2] = -z, y, -x
    twist[1, 0], twist[2, 0], twist[2, 1] = z, -y, x
    twist[:3, 3] = J[3:]
    return np.asarray(np.einsum("ij,jkn->ikn", g, twist))

