"""MuJoCo's states and ours: its velocities of ball and free joints are not rates of our charts, v_mj = N(q) v."""

from __future__ import annotations

from importlib import import_module

import numpy as np

#: Central differences of order six.
STENCIL = ((1, 45.0), (2, -9.0), (3, 1.0))
STEP = 0.01


def _mujoco():
    """Loaded when it is asked for: tests read stored numbers."""
    return import_module("mujoco")


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def right_jacobian(w):
    """Angular velocity in the moving frame per rate of the rotation vector, (3, 3)."""
    theta, W = np.linalg.norm(w), hat(w)
    if theta < 1e-4:
        return np.eye(3) - 0.5 * W + W @ W / 6.0
    return np.eye(3) - (1.0 - np.cos(theta)) / theta**2 * W + (theta - np.sin(theta)) / theta**3 * W @ W


def quaternion(R):
    out = np.zeros(4)
    _mujoco().mju_mat2Quat(out, np.ascontiguousarray(R).ravel())
    return out


def exponential(w):
    theta, W = np.linalg.norm(w), hat(w)
    if theta < 1e-12:
        return np.eye(3) + W
    return np.eye(3) + np.sin(theta) / theta * W + (1.0 - np.cos(theta)) / theta**2 * W @ W


class MujocoTwin:
    """A robot of ours and MuJoCo's model of the same file.

    Joints are those of the robot's links that have one, in the order of both.
    """

    def __init__(self, robot, theirs):
        self.robot, self.model, self.theirs = robot, robot.compile(), theirs
        self.data = _mujoco().MjData(theirs)
        theirs.opt.density = theirs.opt.viscosity = 0.0
        theirs.actuator_ctrllimited[:] = theirs.actuator_forcelimited[:] = 0
        theirs.jnt_actfrclimited[:] = 0
        several = [_mujoco().mjtJoint.mjJNT_FREE, _mujoco().mjtJoint.mjJNT_BALL]
        omitted = np.isin(theirs.jnt_type[theirs.dof_jntid], several)
        theirs.dof_M0[omitted] -= theirs.dof_armature[omitted]  # of simple bodies, which use this one
        theirs.dof_armature[omitted] = 0.0
        self.links = [link for link in robot.links if "joint" in link.facts]
        assert len(self.links) == theirs.njnt
        names = list(self.model.coordinate_names)
        followers = {coupling.follower: coupling for coupling in robot.couplings}

        def expanded(link, name):
            """Row of G and entry of c of one coordinate."""
            row, offset = np.zeros(self.model.n), 0.0
            if name in names:
                row[names.index(name)] = 1.0
                return row, offset
            coupling = followers[link.name]
            for leader, weight in zip(coupling.leaders, coupling.weights, strict=True):
                (other,) = [other for other in robot.links if other.name == leader]
                ahead, shift = expanded(other, other.coordinate_names[0])
                row, offset = row + weight * ahead, offset + weight * shift
            return row, offset + coupling.offset

        found = [[expanded(link, name) for name in link.coordinate_names] for link in self.links]
        self.rows, flat = [], [pair for pairs in found for pair in pairs]
        for pairs in found:
            first = self.rows[-1][-1] + 1 if self.rows else 0
            self.rows.append(list(range(first, first + len(pairs))))
        self.G, self.c = np.array([row for row, _ in flat]), np.array([offset for _, offset in flat])

    def qpos(self, x):
        q, out = self.G @ x + self.c, self.theirs.qpos0.copy()
        for j, (link, rows) in enumerate(zip(self.links, self.rows, strict=True)):
            first, own = self.theirs.jnt_qposadr[j], q[rows]
            if len(rows) == 1:
                out[first] = own[0]
            elif len(rows) == 3:
                out[first : first + 4] = quaternion(exponential(own))
            else:
                pose = self.model.pose(x, link.name)
                out[first : first + 3], out[first + 3 : first + 7] = pose[:3, 3], quaternion(pose[:3, :3])
        return out

    def N(self, x):
        """(nv, n) of v_mj = N v."""
        q, out = self.G @ x + self.c, np.zeros((self.theirs.nv, self.model.n))
        for j, (link, rows) in enumerate(zip(self.links, self.rows, strict=True)):
            first = self.theirs.jnt_dofadr[j]
            if len(rows) == 1:
                out[first] = self.G[rows[0]]
            elif len(rows) == 3:
                out[first : first + 3] = right_jacobian(q[rows]) @ self.G[rows]
            else:
                J, R = self.model.jacobian(x, link.name), self.model.pose(x, link.name)[:3, :3]
                out[first : first + 3], out[first + 3 : first + 6] = R @ J[3:], J[:3]
        return out

    def N_rate(self, x, v):
        moved = sum(c * (self.N(x + i * STEP * v) - self.N(x - i * STEP * v)) for i, c in STENCIL)
        return moved / (60.0 * STEP)

    def forward(self, x, v=None, ctrl=None):
        """Evaluate MuJoCo at a state."""
        self.data.qpos[:] = self.qpos(x)
        self.data.qvel[:] = 0.0 if v is None else self.N(x) @ v
        if ctrl is not None:
            self.data.ctrl[:] = ctrl
        _mujoco().mj_forward(self.theirs, self.data)

    def mass_matrix(self, x):
        self.forward(x)
        M = np.zeros((self.theirs.nv, self.theirs.nv))
        _mujoco().mj_fullM(self.theirs, self.data, M)
        return M

    def inverse_dynamics(self, x, v, a):
        """N^T (M (N a + N' v) + bias - gravity compensation)."""
        M, N = self.mass_matrix(x), self.N(x)
        self.forward(x, v)
        force = M @ (N @ a + self.N_rate(x, v) @ v) + self.data.qfrc_bias - self.data.qfrc_gravcomp
        return N.T @ force

    def internal_force(self, x, v, ctrl):
        """Springs, dampers, friction and actuators; friction as our law has it."""
        self.forward(x, v, ctrl)
        force = self.data.qfrc_passive - self.data.qfrc_gravcomp + self.data.qfrc_actuator
        loss, rate = self.theirs.dof_frictionloss, self.data.qvel
        return self.N(x).T @ (force - loss * rate / np.sqrt(rate**2 + 1e-6))
