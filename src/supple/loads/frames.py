"""Laws in body axes: carrying wrenches and operators of a frame fixed to a segment to world axes, and subtracting them.

A law F_b(z, eta, etadot) of a frame g, with z the variation (g^-1 dg)^vee, becomes F = Ad_g^-T F_b in world axes.
Seen from the segment it changes by X zeta + Y zeta' + Z (zeta'' - ad_V zeta'), where X = Ad_g^-T (dF_b/dz) Ad_g^-1 and
likewise Y for eta and Z for etadot.  (Where etadot is free of gravity G but A is not, Z ad_G zeta comes on top.)
"""

from __future__ import annotations

from supple.core.inertia import rotated_block
from supple.jit import inner, leaf


@inner
def carry_wrench(R, x, f):
    """Ad_g^-T f = [R m + x x R f; R f], six numbers: a wrench [m; f] of the frame g = (R, x) in world axes."""
    a = R[0, 0] * f[3] + R[0, 1] * f[4] + R[0, 2] * f[5]
    b = R[1, 0] * f[3] + R[1, 1] * f[4] + R[1, 2] * f[5]
    c = R[2, 0] * f[3] + R[2, 1] * f[4] + R[2, 2] * f[5]
    return (
        R[0, 0] * f[0] + R[0, 1] * f[1] + R[0, 2] * f[2] + x[1] * c - x[2] * b,
        R[1, 0] * f[0] + R[1, 1] * f[1] + R[1, 2] * f[2] + x[2] * a - x[0] * c,
        R[2, 0] * f[0] + R[2, 1] * f[1] + R[2, 2] * f[2] + x[0] * b - x[1] * a,
        a,
        b,
        c,
    )


@inner
def subtract_body_wrench(w, R, x, f):
    """w.F -= Ad_g^-T f: a load's wrench [moment; force] in the axes of the frame g = (R, x)."""
    wrench = carry_wrench(R, x, f)
    for k in range(6):
        w.F[k] -= wrench[k]


@leaf
def carry_operator(R, x, D, out):
    """out = Ad_g^-T D Ad_g^-1 for any (6, 6) D of the frame g = (R, x).

    With rotated blocks A, B, C, E: [[A - B x~ + x~ (C - E x~), B + x~ E], [C - E x~, E]].
    """
    rotated_block(R, D, 0, 0, out)
    rotated_block(R, D, 0, 3, out)
    rotated_block(R, D, 3, 0, out)
    rotated_block(R, D, 3, 3, out)
    for i in range(6):  # right: angular columns -= linear columns x~
        a, b, c = out[i, 3], out[i, 4], out[i, 5]
        out[i, 0] -= b * x[2] - c * x[1]
        out[i, 1] -= c * x[0] - a * x[2]
        out[i, 2] -= a * x[1] - b * x[0]
    for j in range(6):  # left: angular rows += x~ linear rows
        a, b, c = out[3, j], out[4, j], out[5, j]
        out[0, j] += x[1] * c - x[2] * b
        out[1, j] += x[2] * a - x[0] * c
        out[2, j] += x[0] * b - x[1] * a
