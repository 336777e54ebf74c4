"""Pinocchio's states and ours: its velocities of joints with charts are body twists, v_pin = N(q) v."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

#: Order of Pinocchio's twists, linear part first, in ours.
LINEAR_FIRST = [3, 4, 5, 0, 1, 2]

#: Central differences of order six.
STENCIL = ((1, 45.0), (2, -9.0), (3, 1.0))


class Twin:
    """A model of ours and Pinocchio's of the same file."""

    def __init__(self, model, robot, theirs):
        self.model, self.theirs, self.data = model, theirs, theirs.createData()
        links = {link.facts.get("joint"): i for i, link in enumerate(robot.links)}
        root = next((i for i, link in enumerate(robot.links) if not link.facts), None)
        self.pairs = [(j, model.layouts[links.get(theirs.names[j], root)]) for j in range(1, theirs.njoints)]

    def q(self, q):
        """Pinocchio's configuration."""
        out = pin.neutral(self.theirs)
        for j, layout in self.pairs:
            joint, own = self.theirs.joints[j], q[layout.coordinates.start : layout.coordinates.stop]
            if joint.nq == joint.nv == 1:
                out[joint.idx_q] = own[0]
            elif joint.nq == 2:
                out[joint.idx_q : joint.idx_q + 2] = np.cos(own[0]), np.sin(own[0])
            elif joint.nq == 7:
                g = pin.exp6(own[LINEAR_FIRST])
                out[joint.idx_q : joint.idx_q + 7] = pin.SE3ToXYZQUAT(g)
            else:  # planar: (x, y, cos, sin)
                g = pin.exp6(np.array([own[1], own[2], 0.0, 0.0, 0.0, own[0]]))
                cos, sin = np.cos(own[0]), np.sin(own[0])
                out[joint.idx_q : joint.idx_q + 4] = g.translation[0], g.translation[1], cos, sin
        return out

    def N(self, q, v=None):
        """N (nv, n), or its rate along v."""
        N = np.zeros((self.theirs.nv, self.model.n))
        for j, layout in self.pairs:
            joint = self.theirs.joints[j]
            rows = slice(joint.idx_v, joint.idx_v + joint.nv)
            columns = slice(layout.coordinates.start, layout.coordinates.stop)
            if joint.nv == 1:
                N[rows, columns] = 1.0 if v is None else 0.0
                continue
            name = layout.name
            J = self.model.jacobian(q, name, 0.0) if v is None else self.model.jacobian_rate(q, v, name, 0.0)
            J = J[LINEAR_FIRST][:, columns]
            N[rows, columns] = J if joint.nv == 6 else J[[0, 1, 5]]
        return N

    def mass_matrix(self, q):
        M = pin.crba(self.theirs, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        N = self.N(q)
        return N.T @ M @ N

    def inverse_dynamics(self, q, v, a):
        N, Nd = self.N(q), self.N(q, v)
        return N.T @ pin.rnea(self.theirs, self.data, self.q(q), N @ v, N @ a + Nd @ v)

    def derivatives(self, q, v, a):
        """dID/dq, dID/dv, by the chain rule through N."""
        N, Nd = self.N(q), self.N(q, v)
        accelerations = N @ a + Nd @ v
        dq, dv, M = pin.computeRNEADerivatives(self.theirs, self.data, self.q(q), N @ v, accelerations)
        M = np.triu(M) + np.triu(M, 1).T
        tau = pin.rnea(self.theirs, self.data, self.q(q), N @ v, accelerations)
        by_q, by_v = np.empty((self.model.n,) * 2), np.empty((self.model.n,) * 2)
        for k, direction in enumerate(np.eye(self.model.n)):
            turned = self.N(q, direction)  # dN/dq in this direction
            if turned.any():
                h = 0.01
                second = sum(
                    c * (self.N(q + i * h * direction, v) - self.N(q - i * h * direction, v)) for i, c in STENCIL
                ) / (60.0 * h)
            else:
                second = np.zeros_like(N)
            inner = dq @ N[:, k] + dv @ (turned @ v) + M @ (turned @ a + second @ v)
            by_q[:, k] = turned.T @ tau + N.T @ inner
            by_v[:, k] = N.T @ (dv @ N[:, k] + M @ (turned @ v + Nd[:, k]))
        return by_q, by_v
