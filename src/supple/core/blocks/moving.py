"""Twist and acceleration of a segment's end, from what it does in the frame of its start."""

from __future__ import annotations

from supple.jit import inlined, local_array
from supple.lie.se3 import Ad, add_ad

_twist = local_array(6)


@inlined
def move_end(previous, twist, rate, w):
    """V_end = V + X, A_end = A + Ad_g0 rate + ad_V X with X = Ad_g0 twist.

    ``twist`` is that of the end against the start, seen from the start, and ``rate`` its time derivative; V and A are
    those of the start, ``previous``.
    """
    X, Y = _twist(), _twist()
    Ad(w.R0, w.p0, twist, X)
    Ad(w.R0, w.p0, rate, Y)
    add_ad(previous.V, X, Y)
    for k in range(6):
        w.V[k] = previous.V[k] + X[k]
        w.A[k] = previous.A[k] + Y[k]


@inlined
def move_along(previous, w):
    """The end moves as the start does."""
    for k in range(6):
        w.V[k], w.A[k] = previous.V[k], previous.A[k]
