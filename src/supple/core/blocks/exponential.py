"""Joints whose screws do not commute (planar, spherical, free): g = exp(Phi q), S = Ad_g T(Omega) Phi."""

from __future__ import annotations

from supple.core.blocks.curved import step_derivative
from supple.core.blocks.screw import project_screws, read_screw, write_columns
from supple.jit import inlined, inner, local_array, opaque
from supple.lie.dual import add_apply, apply_transposed
from supple.lie.se3 import product6, product6_transposed

_twist, _matrix = local_array(6), local_array(6, 6)


@inlined
def exponential_columns(block, screws, w, cv, ca, columns):
    """Columns of a joint: S = T Phi and its time derivatives, with the world operators T = w.T."""
    screw, S, Sd, Sdd = _twist(), _twist(), _twist(), _twist()
    for j in range(block.n):
        read_screw(screws, block.start + j, screw)
        for k in range(6):
            S[k], Sd[k], Sdd[k] = 0.0, 0.0, 0.0
        add_apply(w.T[0], screw, S)
        add_apply(w.T[1], screw, Sd)
        add_apply(w.T[2], screw, Sdd)
        write_columns(S, Sd, Sdd, cv, ca, block.columns + j, columns)


@inlined
def exponential_jacobian(block, screws, w, J):
    """J = T Phi."""
    screw, S = _twist(), _twist()
    for j in range(block.n):
        read_screw(screws, block.start + j, screw)
        for k in range(6):
            S[k] = 0.0
        add_apply(w.T[0], screw, S)
        for k in range(6):
            J[k, block.columns + j] = S[k]


@inlined
def project_exponential(block, screws, F, w, out):
    """out += S^T F = Phi^T T^T F."""
    local = _twist()
    apply_transposed(w.T[0], F, local)
    project_screws(block, screws, local, out)


@inlined
def add_exponential_stiffness(block, screws, w, out):
    """out += Phi^T H Phi with H = d(T^T F)/dOmega."""
    H = _matrix()
    step_derivative(w, H)
    add_screw_block(block, screws, H, out)


@inner
def add_screw_block(block, screws, H, out):
    """out += Phi^T H Phi."""
    for i in range(block.start, block.start + block.n):
        for l in range(opaque(6)):
            x = 0.0
            for k in range(6):
                x += screws[k, i] * H[k, l]
            for j in range(block.start, block.start + block.n):
                out[i, j] += x * screws[l, j]


@inner
def add_exponential_product(block, screws, w, x, transposed, out):
    """out += Phi^T H Phi x, or the transpose times x."""
    H, twist, wrench = _matrix(), _twist(), _twist()
    step_derivative(w, H)
    for k in range(opaque(6)):
        twist[k] = 0.0
        for j in range(block.start, block.start + block.n):
            twist[k] += screws[k, j] * x[j]
    if transposed:
        product6_transposed(H, twist, wrench)
    else:
        product6(H, twist, wrench)
    project_screws(block, screws, wrench, out)
