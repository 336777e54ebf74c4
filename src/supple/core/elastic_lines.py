"""Lines whose tension follows their whole length: cables and elastic tendons.

A tension T pulls along a line of length l(q) with the generalised force -T g, g = dl/dq.  What depends on the
directions alone, T dg/dq, loads write like any other tangent (segments, couplings, nodes).  What is left of T(l, l') is
of rank one,

    dR/dq += g (T_l g + T_l' dl'/dq)^T,     dR/dv += T_l' g g^T,

where g and dl'/dq are sums over the line's parts: J^T f and J^T drift + R^T f at segments, Phi^T f and Phi^T drift at
nodes of rods, and f and drift themselves on coordinates, as of soft bodies (`core.records.part_t`).
"""

from __future__ import annotations

import numpy as np

from supple.core.records import J_SUM, R_SUM
from supple.jit import inlined, outlined
from supple.lie.se3 import add_scaled, dot6

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inlined
def add_line(space, length, rate, tension, slope, rate_slope):
    """A new line without parts; those of `add_part` that follow belong to it."""
    line = space.lines[space.count[1]]
    space.count[1] += 1
    line.first, line.count = space.count[2], 0
    line.length, line.rate, line.tension = length, rate, tension
    line.slope, line.rate_slope = slope, rate_slope
    return line


@inlined
def add_part(space, line, segment, node):
    """A new part of the newest line, with f = drift = 0: at a segment (node = -1; 0 is the world) or at a node."""
    part = space.parts[space.count[2]]
    space.count[2] += 1
    line.count += 1
    part.segment, part.node = segment, node
    for i in range(6):
        part.f[i], part.drift[i] = 0.0, 0.0
    return part


@inlined
def add_coordinates_part(space, line, first):
    """A new part of the newest line that acts on six coordinates from ``first`` on, with f = drift = 0."""
    return add_part(space, line, -(first + 1), -1)


@inlined
def coordinates_product(segment, f, x):
    """f . x[c:c+6] at the coordinates from c on of a part, of which the last may reach beyond them all."""
    first, total = -(segment + 1), 0.0
    for k in range(min(6, x.shape[0] - first)):
        total += f[k] * x[first + k]
    return total


@inlined
def add_coordinates(segment, scale, f, out):
    """out += scale f at the coordinates of a part."""
    first = -(segment + 1)
    for k in range(min(6, out.shape[0] - first)):
        out[first + k] += scale * f[k]


@inlined
def add_chain_transposed(tree, space, s, m, scale, f, out):
    """out += scale X^T f, X the cumulative columns ``m`` (J or R) of segment s from the world outward."""
    if s == 0:
        return
    block = tree.blocks[tree.owner[s]]
    n, start = U(block.n), U(block.start)
    own = U(block.columns) + U(s - block.first) * n
    for k in range(6):
        x = scale * f[k]
        for j in range(n):
            out[start + j] += space.columns[m, k, own + j] * x
        for r in range(block.inward[0], block.inward[1]):
            for j in range(U(tree.ranges[r, 0]), U(tree.ranges[r, 1])):
                out[j] += space.totals[m - 1, k, j] * x
        for r in range(block.grafts[0], block.grafts[1]):
            lo, c = U(tree.ranges[r, 0]), U(tree.ranges[r, 2])
            for j in range(U(tree.ranges[r, 1]) - lo):
                out[lo + j] += space.columns[m, k, c + j] * x


@inlined
def add_node_transposed(tree, k, scale, f, out):
    """out += scale Phi^T f at node k."""
    node = tree.nodes[k]
    for j in range(node.n):
        out[node.start + j] += scale * tree.psi[node.column + j] * f[tree.component[node.start + j]]


@inlined
def node_product(tree, k, f, x):
    """f^T Phi x at node k."""
    node, total = tree.nodes[k], 0.0
    for j in range(node.n):
        total += f[tree.component[node.start + j]] * tree.psi[node.column + j] * x[node.start + j]
    return total


@inlined
def part_product(tree, part, twist, x):
    """f . (J x), f^T Phi x or f . x of a part: how far it follows x (n,); ``twist`` (6,) = J x at its segment."""
    if part.segment < 0 and part.node < 0:
        return coordinates_product(part.segment, part.f, x)
    if part.node < 0:
        return dot6(part.f, twist)
    return node_product(tree, part.node, part.f, x)


@inlined
def length_along(tree, space, line, y):
    """dl = g . y: how a line grows along y (n,), whose twists J y of segments are in dS."""
    length = 0.0
    for p in range(line.first, line.first + line.count):
        part = space.parts[p]
        length += part_product(tree, part, space.work[max(part.segment, 0)].dS, y)
    return length


@inlined
def add_pull(tree, space, line, tension, out):
    """dF += T f at segments, out += T Phi^T f at nodes and T f on coordinates: a ``tension`` T along the whole line."""
    for p in range(line.first, line.first + line.count):
        part = space.parts[p]
        if part.segment < 0 and part.node < 0:
            add_coordinates(part.segment, tension, part.f, out)
        elif part.node < 0:
            add_scaled(tension, part.f, space.work[part.segment].dF)
        else:
            add_node_transposed(tree, part.node, tension, part.f, out)


@inlined
def add_gradient(tree, space, line, g):
    """g (n,) += dl/dq of a line: J^T f, Phi^T f and f of its parts."""
    for p in range(line.first, line.first + line.count):
        part = space.parts[p]
        if part.segment < 0 and part.node < 0:
            add_coordinates(part.segment, 1.0, part.f, g)
        elif part.node < 0:
            add_chain_transposed(tree, space, part.segment, J_SUM, 1.0, part.f, g)
        else:
            add_node_transposed(tree, part.node, 1.0, part.f, g)


@inlined
def add_rate_gradient(tree, space, line, cv, row):
    """Add T_l' dl'/dq (with R + c_v J in place of R, its fused form) of a line to row (n,)."""
    scale = line.rate_slope
    if scale == 0.0:
        return
    for p in range(line.first, line.first + line.count):
        part = space.parts[p]
        if part.segment < 0 and part.node < 0:
            add_coordinates(part.segment, scale, part.drift, row)
            add_coordinates(part.segment, scale * cv, part.f, row)
        elif part.node < 0:
            add_chain_transposed(tree, space, part.segment, J_SUM, scale, part.drift, row)
            add_chain_transposed(tree, space, part.segment, R_SUM, scale, part.f, row)
        else:
            add_node_transposed(tree, part.node, scale, part.drift, row)
            add_node_transposed(tree, part.node, scale * cv, part.f, row)


@inlined
def set_line_rows(tree, space, line, cv, g, row):
    """g = dl/dq and row = T_l g + T_l' dl'/dq, both (n,): a line's tangent of rank one is g row^T."""
    n = tree.component.shape[0]
    for j in range(n):
        g[j], row[j] = 0.0, 0.0
    add_gradient(tree, space, line, g)
    add_rate_gradient(tree, space, line, cv, row)
    for j in range(n):
        row[j] += line.slope * g[j]


@outlined  # few robots have any
def add_line_tangents(tree, space, cv, separate, dq, dv):
    """dq += g (T_l g + T_l' dl'/dq)^T, dv += T_l' g g^T; if not ``separate``, R holds R + c_v J and all goes to dq."""
    if space.count[1] == 0:
        return
    n = tree.component.shape[0]
    g, row = space.tangent[0], space.tangent[1]
    for i in range(space.count[1]):
        line = space.lines[i]
        set_line_rows(tree, space, line, cv, g, row)
        for k in range(n):
            if g[k] != 0.0:
                for j in range(n):
                    dq[k, j] += g[k] * row[j]
        if separate and line.rate_slope != 0.0:
            for k in range(n):
                for j in range(n):
                    dv[k, j] += line.rate_slope * g[k] * g[j]


@inlined
def add_line_product(tree, space, cv, x, out):
    """dR/dq x += g dT of every line, dT = T_l (g . x) + T_l' ((dl'/dq + c_v g) . x).

    J x is in dZ, (R + c_v J) x in dV of segments; varied wrenches go into dF, the rest into out (n,), see
    `core.tangent_products`.
    """
    work = space.work
    for i in range(space.count[1]):
        line = space.lines[i]
        slope, rate, tension = line.slope, line.rate_slope, 0.0
        for p in range(line.first, line.first + line.count):
            part = space.parts[p]
            if part.segment < 0 and part.node < 0:
                tension += (slope + rate * cv) * coordinates_product(part.segment, part.f, x)
                tension += rate * coordinates_product(part.segment, part.drift, x)
            elif part.node < 0:
                w = work[part.segment]
                tension += slope * dot6(part.f, w.dZ) + rate * (dot6(part.drift, w.dZ) + dot6(part.f, w.dV))
            else:
                tension += (slope + rate * cv) * node_product(tree, part.node, part.f, x)
                tension += rate * node_product(tree, part.node, part.drift, x)
        add_pull(tree, space, line, tension, out)


@inlined
def add_line_transposed(tree, space, cv, y, out):
    """(T_l g + T_l' (dl'/dq + c_v g)) (g . y): the same transposed, J y being in dS of segments.

    It goes into dZ and dV of segments, else into out (n,).
    """
    work = space.work
    for i in range(space.count[1]):
        line = space.lines[i]
        slope, rate, length = line.slope, line.rate_slope, length_along(tree, space, line, y)
        for p in range(line.first, line.first + line.count):
            part = space.parts[p]
            if part.segment < 0 and part.node < 0:
                add_coordinates(part.segment, length * (slope + rate * cv), part.f, out)
                add_coordinates(part.segment, length * rate, part.drift, out)
            elif part.node < 0:
                w = work[part.segment]
                for k in range(6):
                    w.dZ[k] += length * (slope * part.f[k] + rate * part.drift[k])
                    w.dV[k] += length * rate * part.f[k]
            else:
                add_node_transposed(tree, part.node, length * (slope + rate * cv), part.f, out)
                add_node_transposed(tree, part.node, length * rate, part.drift, out)


@inlined
def add_line_rate_transposed(tree, space, y, out):
    """out += T_l' g (g . y), dR/dv of lines transposed, but for what `add_line_transposed` gave dV of segments."""
    for i in range(space.count[1]):
        line = space.lines[i]
        if line.rate_slope == 0.0:
            continue
        tension = line.rate_slope * length_along(tree, space, line, y)
        for p in range(line.first, line.first + line.count):
            part = space.parts[p]
            if part.segment < 0 and part.node < 0:
                add_coordinates(part.segment, tension, part.f, out)
            elif part.node >= 0:
                add_node_transposed(tree, part.node, tension, part.f, out)
