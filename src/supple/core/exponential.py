"""An exponential and its tangent operator as plain matrices, for changes of chart outside the sweeps."""

from __future__ import annotations

from supple.jit import kernel
from supple.lie.se3 import exp
from supple.lie.tangent import scalar_jets, tangent_operator


@kernel
def exponential(jet, scratch, g, T):
    """g (4, 4) = exp(Omega) and T (6, 6) = T(Omega) for Omega = jet[0]; the rates in ``jet`` (3, 6) are not used."""
    t = scratch[0]
    exp(jet[0], t.R, t.p)
    for i in range(3):
        for j in range(3):
            g[i, j] = t.R[i, j]
        g[i, 3] = t.p[i]
        g[3, i] = 0.0
    g[3, 3] = 1.0
    scalar_jets(jet, 1, t)
    tangent_operator(jet, 0, t, t.T)
    for i in range(3):
        for j in range(3):
            T[i, j], T[3 + i, 3 + j] = t.T[0, i, j], t.T[0, i, j]
            T[i, 3 + j] = 0.0
            T[3 + i, j] = t.T[1, i, j]
