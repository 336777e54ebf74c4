"""Kinetic and potential energy, momentum: sums over all points and loads."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import WRENCH, add_field_energy
from supple.core.blocks.kinds import has_field
from supple.core.elastic import elastic_energy
from supple.core.finite import finite_vector
from supple.core.loads import ENERGY, STORES, apply_loads
from supple.core.outward import outward
from supple.core.sweep_in import point_wrenches
from supple.jit import kernel
from supple.lie.se3 import dot6


@kernel
def energy_and_momentum(tree_handle, space_handle, q, v, zero, energy, momentum):
    """energy = [kinetic, elastic, gravitational, loads], momentum (6,) = [angular about the world origin; linear].

    T = sum V^T M V / 2.  Gravity: -g . (m x + R c) with the net mass m and its first moment c (`segment_t.net_mass`).
    World axes, J and kg m^2/s, kg m/s.  Returns whether both are finite.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    work, gravity = space.work, tree.gravity
    outward(tree_handle, space_handle, space, q, v, zero, 1)
    point_wrenches(tree, space, q, v, zero, WRENCH)
    energy[:], momentum[:] = 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first, block.first + block.active):
            w = work[s]
            net = tree.segments[s].net_mass
            energy[0] += 0.5 * dot6(w.V, w.h)
            for k in range(3):
                moment = w.R[k, 0] * net[1] + w.R[k, 1] * net[2] + w.R[k, 2] * net[3]
                energy[2] -= gravity[k] * (moment + net[0] * (w.p[k] - work[0].p[k]))
            for k in range(6):
                momentum[k] += w.h[k]
        if has_field(block):
            add_field_energy(block, tree.maps, space.maps, gravity, work[block.first], energy)
    energy[1] = elastic_energy(tree, q)
    space.energy[0] = 0.0
    apply_loads(tree, space, tree_handle, space_handle, q, v, STORES, ENERGY)
    energy[3] = space.energy[0]
    # the common origin lies at -work[0].p: shift the angular momentum by its lever arm
    x, y, z = -work[0].p[0], -work[0].p[1], -work[0].p[2]
    momentum[0] += y * momentum[5] - z * momentum[4]
    momentum[1] += z * momentum[3] - x * momentum[5]
    momentum[2] += x * momentum[4] - y * momentum[3]
    return finite_vector(energy) and finite_vector(momentum)
