"""One sphere against one surface: the record in which a contact is worked out, on the stack of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from supple.core.views import array_of, emit_array
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


@intrinsic
def pair_at(typing_context: Any, address: Any) -> Any:
    """The pair at an address, as an array of one."""
    kind = array_of(pair_t, 1)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit_array(context, builder, kind, arguments[0], [arguments[0].type(1)])

    return kind(types.int64), generate
