"""Joints whose screws commute (all with one coordinate, cylindrical, translational, fixed): S = Ad_g Phi.

g = exp(Phi q), and the screws Phi are the same before and after it: in the frame of the segment's start, S = Phi is
constant.
"""

from __future__ import annotations

import numpy as np

from supple.core.blocks.moving import move_along, move_end
from supple.jit import inlined, local_array
from supple.lie.se3 import Ad, Ad_transposed, add_ad

U = np.uint64  # unsigned indices are not tested, see linalg.products

_twist = local_array(6)


@inlined
def joint_jet(block, screws, q, v, a, jet):
    """Omega = Phi q and its two time derivatives for a joint."""
    for i in range(6):
        jet[0, i], jet[1, i], jet[2, i] = 0.0, 0.0, 0.0
    for j in range(U(block.start), U(block.start + block.n)):  # outside: most joints have one coordinate
        x, xd, xdd = q[j], v[j], a[j]
        for i in range(6):
            jet[0, i] += screws[i, j] * x
            jet[1, i] += screws[i, j] * xd
            jet[2, i] += screws[i, j] * xdd


@inlined
def screw_motion(previous, order, w):
    """Twist and acceleration at the end of a commuting joint: V += S v, A += S a + ad_V S v, with S = Ad_g Phi.

    If ``order`` is 0, the robot is at rest.
    """
    if order == 0:
        move_along(previous, w)
    else:
        move_end(previous, w.jet[1], w.jet[2], w)


@inlined
def read_screw(screws, j, screw):
    """Column j of the screws."""
    for k in range(6):
        screw[k] = screws[k, j]


@inlined
def write_columns(S, Sd, Sdd, cv, ca, c, columns):
    """Columns of a block with one point: S, J = S, R = S' + c_v S and Q = S'' + 2 c_v S' + c_a S."""
    for k in range(6):
        columns[0, k, c] = S[k]
        columns[1, k, c] = S[k]
        columns[2, k, c] = Sd[k] + cv * S[k]
        columns[3, k, c] = Sdd[k] + 2.0 * cv * Sd[k] + ca * S[k]


@inlined
def screw_columns(block, screws, start, w, cv, ca, columns):
    """Columns of a joint: S = Ad_g Phi, S' = ad_V S, S'' = ad_V S' + ad_A S with the motion of the segment's start."""
    screw, S, Sd, Sdd = _twist(), _twist(), _twist(), _twist()
    for j in range(block.n):
        read_screw(screws, block.start + j, screw)
        for k in range(6):
            Sd[k], Sdd[k] = 0.0, 0.0
        Ad(w.R0, w.p0, screw, S)
        add_ad(start.V, S, Sd)
        add_ad(start.V, Sd, Sdd)
        add_ad(start.A, S, Sdd)
        write_columns(S, Sd, Sdd, cv, ca, block.columns + j, columns)


@inlined
def screw_jacobian(block, screws, w, J):
    """J = Ad_g Phi."""
    screw, S = _twist(), _twist()
    for j in range(block.n):
        read_screw(screws, block.start + j, screw)
        Ad(w.R0, w.p0, screw, S)
        for k in range(6):
            J[k, block.columns + j] = S[k]


@inlined
def project_screws(block, screws, F, out):
    """out += Phi^T F, F seen from the segment's start."""
    for j in range(block.start, block.start + block.n):
        for k in range(6):
            out[j] += screws[k, j] * F[k]


@inlined
def project_screw(block, screws, F, w, out):
    """out += S^T F = Phi^T Ad_g^T F."""
    local = _twist()
    Ad_transposed(w.R0, w.p0, F, local)
    project_screws(block, screws, local, out)
