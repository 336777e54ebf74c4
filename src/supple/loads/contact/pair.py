"""One sphere against one surface: the record in which a contact is worked out, on the stack of the kernel."""

from __future__ import annotations

import numpy as np

from supple.jit import local_record

#: World axes, positions from the common origin.  a is the sphere's segment, b the surface's.
pair_t = np.dtype(
    [
        ("Rs", "f8", (3, 3)),  # frame of the surface
        ("ps", "f8", (3,)),
        ("Rp", "f8", (3, 3)),  # frame of the sphere, set if it slides
        ("pp", "f8", (3,)),
        ("axis", "f8", (3,)),  # along which it slides
        ("place", "f8"),  # where along its axis it is [m]
        ("c", "f8", (3,)),  # its centre
        ("radius", "f8"),  # r there [m]
        ("slope", "f8"),  # r' along the axis
        ("bend", "f8"),  # -r'' [1/m]
        ("n", "f8", (3,)),  # normal of the surface towards it
        ("H", "f8", (3, 3)),  # dn/dc [1/m]
        ("depth", "f8"),  # of the overlap, negative if there is none [m]
        ("x", "f8", (3,)),  # middle of the overlap
        ("u", "f8", (3,)),  # velocity of a relative to b at x [m/s]
        ("turn", "f8", (3,)),  # angular velocity of a relative to b [rad/s]
        ("f", "f8", (3,)),  # force on a [N]
        ("W", "f8", (6,)),  # -[x x f; f]
        ("G", "f8", (6, 6)),  # d[x x f; f] = G z + D z', z = zeta_a - zeta_b, as seen from b
        ("D", "f8", (6, 6)),
    ],
    align=True,
)

#: A pair on the stack of the function that asks for it.
local_pair = local_record(pair_t)
