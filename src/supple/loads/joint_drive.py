"""Joint drives: motors whose torque, force or wrench is an input ([GVS-AD] D66, D67).

The input of a joint with k coordinates is a wrench Phi u in the frame after the joint.  Its generalised force is
Phi^T T(Omega)^T Ad_exp(Omega)^-T Phi u = Phi^T T(-Omega)^T Phi u, since Ad_exp^-1 T(Omega) = T(-Omega); for joints
whose screws commute T(-Omega) Phi = Phi, and a joint with one coordinate takes u itself.

A universal joint is two revolute joints in series, each an exponential of its own, so the formula holds for each of
them: two motors, one on each axis.  A wrench with components along both axes in the frame after the second would turn
the first motor's axis away from its own rotation, and at q_2 = 90 degrees could not drive it at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.arrays import space_view, tree_view, vector_at
from supple.core.blocks.kinds import exponential_coordinates
from supple.core.gradient_arrays import ALONG_Y, COORDINATES, gradient_view
from supple.core.load_data import Integers, load_view
from supple.core.loads import INTERNAL, TANGENT, WRENCHLESS
from supple.errors import ModelError
from supple.jit import LoadKernel, SmoothGradientKernel, inner, local_array
from supple.lie.coefficients import tangent_coefficients
from supple.lie.dual import add_apply, apply_transposed
from supple.lie.se3 import product6_transposed
from supple.lie.tangent import tangent_operators, tangent_transposed_derivative

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound

_wrench, _jet, _operator = local_array(6), local_array(3, 6), local_array(1, 2, 3, 3)
_coefficients, _matrix = local_array(4, 3), local_array(6, 6)


class DriveData(NamedTuple):
    """Arrays of a driven joint of m factors."""

    factors: Integers  #: (m, 2) block, first input


drive_data = load_view(DriveData)


@inner
def exponential_drive(tree, space, block, first, mode):
    """Force Phi^T T(-Omega)^T Phi u and its slope -Phi^T H(-Omega; Phi u) Phi of a joint whose screws do not commute.

    ``first`` is its first input.
    """
    wrench, jet, T, f = _wrench(), _jet(), _operator(), _wrench()
    w, start, n, screws, joint_force = space.work[block.first], block.start, block.n, tree.screws, space.joint_force
    for k in range(6):
        jet[0, k], jet[1, k], jet[2, k] = -w.jet[0, k], 0.0, 0.0
        wrench[k] = 0.0
        for j in range(n):
            u = space.inputs[first + j]
            if mode < 0:
                u = 1.0 if first + j == -(mode + 1) else 0.0
            wrench[k] += screws[k, start + j] * u
    tangent_operators(jet, 0, T)
    apply_transposed(T[0], wrench, f)
    for i in range(start, start + n):
        for k in range(6):
            joint_force[i] += screws[k, i] * f[k]
    if mode == TANGENT:
        Omega, c, H, joint_slope = jet[0], _coefficients(), _matrix(), space.joint_slope
        tangent_coefficients(Omega[0] ** 2 + Omega[1] ** 2 + Omega[2] ** 2, c)
        tangent_transposed_derivative(Omega, wrench, c, H)
        for i in range(start, start + n):
            for j in range(n):
                for k in range(6):
                    for l in range(6):
                        joint_slope[i, j] -= screws[k, i] * H[k, l] * screws[l, start + j]


def _drives(tree, space, data, mode):
    """Forces of all factors of a driven joint, see `DriveData`."""
    robot, scratch, factors = tree_view(tree), space_view(space), drive_data(data).factors
    for i in range(factors.shape[0]):
        block, first = robot.blocks[factors[i, 0]], factors[i, 1]
        if exponential_coordinates(block):
            exponential_drive(robot, scratch, block, first, mode)
        else:
            for j in range(block.n):
                u = scratch.inputs[first + j]
                if mode < 0:
                    u = 1.0 if first + j == -(mode + 1) else 0.0
                scratch.joint_force[block.start + j] += u


drives = LoadKernel(_drives)


@inner
def add_drive_gradient(w, block, screws, q, y, u, screws_out, inputs_out):
    """By screws and inputs, of the power -(T(-Omega) Phi y) . (Phi u) of a joint whose screws do not commute.

    ``u`` and ``inputs_out`` begin at its first input.
    """
    along, wrench, by_along, by_wrench, by_step = _wrench(), _wrench(), _wrench(), _wrench(), _wrench()
    jet, T, c, H, start, n = _jet(), _operator(), _coefficients(), _matrix(), block.start, block.n
    for k in range(6):
        jet[0, k], jet[1, k], jet[2, k], along[k], wrench[k], by_wrench[k] = -w.jet[0, k], 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            along[k] += screws[k, start + j] * y[start + j]
            wrench[k] += screws[k, start + j] * u[j]
    tangent_operators(jet, 0, T)
    apply_transposed(T[0], wrench, by_along)
    add_apply(T[0], along, by_wrench)
    Omega = jet[0]
    tangent_coefficients(Omega[0] ** 2 + Omega[1] ** 2 + Omega[2] ** 2, c)
    tangent_transposed_derivative(Omega, wrench, c, H)
    product6_transposed(H, along, by_step)
    for j in range(n):
        for k in range(6):
            x = by_step[k] * q[start + j] - by_along[k] * y[start + j] - by_wrench[k] * u[j]
            screws_out[k, start + j] += x
            inputs_out[j] -= screws[k, start + j] * by_wrench[k]


def _drive_gradient(tree, space, data, own, everything):
    """By inputs, and by screws that do not commute."""
    robot, scratch, out = tree_view(tree), space_view(space), gradient_view(everything)
    factors = drive_data(data).factors
    n, addresses = robot.component.shape[0], scratch.gradient
    q, y = vector_at(addresses[COORDINATES], (n,)), vector_at(addresses[ALONG_Y], (n,))
    for i in range(factors.shape[0]):
        block, first = robot.blocks[factors[i, 0]], factors[i, 1]
        if exponential_coordinates(block):
            u, w = scratch.inputs[first:], scratch.work[block.first]
            add_drive_gradient(w, block, robot.screws, q, y, u, out.screws, out.inputs[first:])
        else:
            for j in range(block.n):
                out.inputs[first + j] -= y[block.start + j]


drive_gradient = SmoothGradientKernel(_drive_gradient)


@dataclass(frozen=True)
class JointDrive:
    """A motor at the joint of a link.

    Parameters
    ----------
    name : str
        Name of the input; a joint with k > 1 coordinates has the k inputs ``name.label``.
    link : str
        The link whose joint is driven.

    Notes
    -----
    One coordinate: the input is the generalised force (N m or N).  More: a wrench in the frame after the joint, with
    components along the joint's axes.  `Universal`, two revolute joints in series, has a motor on each: its inputs are
    the generalised forces of its two angles (N m), that of the first about ``axis1`` fixed in the parent, that of the
    second about ``axis2`` fixed in the link.
    """

    name: str
    link: str

    def stations(self) -> Iterable[tuple[str, float]]:
        """The driven link."""
        return [(self.link, 0.0)]

    def bind(self, binder: Binder) -> Bound:
        """One input per coordinate of the joint."""
        from supple.compilation.binder import Bound

        joint = binder.robot_link(self.link).joint
        if joint.dof == 0:
            raise ModelError(f"link {self.link!r} is fixed: a drive needs a joint that moves")
        binder.drive(self.link, self.name)
        names = [self.name] if joint.dof == 1 else [f"{self.name}.{label}" for label in joint.labels]
        inputs = [binder.input(name) for name in names]
        first, where = inputs[0], []
        for block, screws in zip(binder.layout(self.link).blocks, joint.factors(), strict=False):
            where.append((block, first))
            first += screws.shape[1]
        data = DriveData(np.array(where, dtype=np.int64))
        return Bound(self.name, drives, data, INTERNAL + WRENCHLESS, gradient=drive_gradient)
