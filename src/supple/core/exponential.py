"""An exponential and its tangent operator as plain matrices, for changes of chart outside the sweeps."""

from __future__ import annotations

from supple.core.kinematics import write_pose
from supple.jit import kernel, local_array
from supple.lie.se3 import exp
from supple.lie.tangent import tangent_operators

_rotation, _position, _operators = local_array(3, 3), local_array(3), local_array(1, 2, 3, 3)
_rates = local_array(2, 2, 3, 3)


@kernel
def exponential(jet, g, T):
    """g (4, 4) = exp(Omega) and T (6, 6) = T(Omega) for Omega = jet[0]; the rates in ``jet`` (3, 6) are not used."""
    R, p, dual = _rotation(), _position(), _operators()
    exp(jet[0], R, p)
    write_pose(R, p, g)
    tangent_operators(jet, 0, dual)
    for i in range(3):
        for j in range(3):
            T[i, j], T[3 + i, 3 + j] = dual[0, 0, i, j], dual[0, 0, i, j]
            T[i, 3 + j] = 0.0
            T[3 + i, j] = dual[0, 1, i, j]


@kernel
def tangent_jet(jet, T):
    """T (2, 6, 6) = T(Omega) and its time derivative along the curve ``jet`` (3, 6)."""
    dual = _rates()
    tangent_operators(jet, 1, dual)
    for m in range(2):
        for i in range(3):
            for j in range(3):
                T[m, i, j], T[m, 3 + i, 3 + j] = dual[m, 0, i, j], dual[m, 0, i, j]
                T[m, i, 3 + j] = 0.0
                T[m, 3 + i, j] = dual[m, 1, i, j]
