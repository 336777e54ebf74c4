"""What a touching pair does to gradients by parameters: its tangents transposed, and the contact's own numbers.

With z = J y of the sphere's segment a and the surface's segment b, and the tangents of `loads.contact.force`, the
cotangents of both gain G^T z and D^T z, with the signs of dF_a and dF_b.  Dormant stations stay awake.
"""

from __future__ import annotations

from supple.core.arrays import space_view, tree_view
from supple.core.inertia import add_coadbar
from supple.core.load_gradients import station_twist
from supple.jit import AddressedKernel, load_stamp, local_array
from supple.lie.se3 import add_scaled, product6_transposed
from supple.loads.contact.kernel import PAIR_GRADIENT, contact_data
from supple.loads.contact.number_gradient import add_number_gradient
from supple.loads.contact.pair import pair_at

_wrench = local_array(6)


def _pair_gradient(tree, space, data, own, i, s, pair_address):
    """dF_b = -G z + ..., dF_a = -(G - adbar*_W) z + ... of `loads.contact.kernel.add_pair_tangent`, transposed."""
    at, scratch, contact = tree_view(tree), space_view(space), contact_data(data)
    a, b, x, pair = contact.sphere_segments[i, 0], contact.surfaces[s, 0], _wrench(), pair_at(pair_address)[0]
    for k in range(2):
        station_twist(at, scratch, b if k == 0 else a)
    add_number_gradient(contact, contact_data(own), i, s, scratch.work[a], scratch.work[b], pair)
    for k in range(2):
        w, other = (scratch.work[a], scratch.work[b]) if k == 1 else (scratch.work[b], scratch.work[a])
        if k == 1:
            add_coadbar(pair.W, pair.G)
        product6_transposed(pair.G, w.dS, x)
        add_scaled(-1.0, x, w.dZ)
        add_scaled(1.0, x, other.dZ)
        product6_transposed(pair.D, w.dS, x)
        add_scaled(-1.0, x, w.dV)
        add_scaled(1.0, x, other.dV)


class PairGradientKernel(AddressedKernel):
    """Called by the contact itself, pair by pair."""

    within = True


pair_gradient = PairGradientKernel(_pair_gradient, PAIR_GRADIENT, load_stamp(_pair_gradient))
