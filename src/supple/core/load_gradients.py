"""Loads in the gradient by parameters: what their forces do to y^T R when a model's numbers change.

A load does the virtual power -z . W on segments, -eta . f at nodes of rods (eta = Psi y), and -y . joint_force.  It
changes with what the load feels of the robot: in mode TANGENT a load has said how, and here that is transposed.  And
it changes with the load's own numbers, inputs and signals.  A kind of load says how in a `GradientKernel`,

    gradient(tree, space, data, own, all)

addresses of tree, scratch and data as for the load itself, of arrays ``own`` shaped like the data (the same view sees
them), and of the whole `core.gradient_arrays.ParameterGradient`.  It *adds* the derivatives of the load's virtual power
to ``own``, and those by inputs and signals to the latter.  It finds z in ``space.work[s].dS``, eta in
``space.stress[k].eta``, q and y at the addresses that stand in ``space.gradient`` at COORDINATES and ALONG_Y.
`Bound.gradient` names it.

A kind that does not say how is differenced, its force being asked for with two sets of data (`add_differences`).

Loads on dormant stations are called in mode GRADIENT: they wake stations, whose virtual twists `station_twist` gives,
add wrenches F and the transposed tangents to dZ and dV at once, and leave them awake: the sweep inward takes them as
segments.  ``space.gradient`` has the addresses that they need.
"""

from __future__ import annotations

from supple.core.arrays import vector_at
from supple.core.couplings import strain_variation
from supple.core.dormant import AWAKE
from supple.core.elastic_lines import length_along
from supple.core.gradient_arrays import AFTER, ALL, ALONG_Y, CALL, COORDINATES, FIRST, KERNEL, LAST, NONE, OWN, WITHIN
from supple.core.loads import GRADIENT, TANGENT, WRENCH, call_load, clear_loads
from supple.core.segment_gradients import clear_cotangents, rod_twist
from supple.core.sweep_in import clear_wrenches
from supple.jit import GradientKernel, calling, inlined, local_array
from supple.lie.dual import add_apply
from supple.lie.se3 import add_scaled, dot6, product6_transposed

_call_gradient = calling(GradientKernel.kind)

_twist = local_array(6)


@inlined
def apply_loads_with_gradients(tree, space, tree_address, space_address, gradient_address, gradient, q, v, y):
    """Call all loads with their tangents, and their own gradients."""
    for i in range(4):
        space.count[i] = 0
    if tree.loads.shape[0] == 0:
        return
    clear_loads(tree, space, q, v)
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for s in range(block.first + block.active, block.first + block.count):
            clear_cotangents(space.work[s])
    space.gradient[ALL], space.gradient[COORDINATES] = gradient_address, q.ctypes.data
    space.gradient[ALONG_Y] = y.ctypes.data
    for k in range(tree.nodes.shape[0]):
        strain_variation(tree, k, y, space.stress[k].eta)
    for i in range(tree.loads.shape[0]):
        within = gradient.loads[i, CALL] == WITHIN
        space.gradient[KERNEL], space.gradient[OWN] = gradient.loads[i, 0], gradient.loads[i, 1]
        call_load(
            tree.loads[i, 0], (tree_address, space_address, tree.loads[i, 1], GRADIENT if within else TANGENT)
        )
        if gradient.loads[i, CALL] == AFTER and gradient.loads[i, 0] != 0:
            own = (gradient.loads[i, 1], gradient_address)
            _call_gradient(gradient.loads[i, 0], (tree_address, space_address, tree.loads[i, 1], *own))


@inlined
def pull_back_couplings(space):
    """Loads on pairs of segments: G^T z_a and N^T z_a join the cotangents of b, or of the strain at a node."""
    work, product = space.work, _twist()
    for i in range(space.count[0]):
        coupling = space.couplings[i]
        product6_transposed(coupling.G, work[coupling.a].dS, product)
        if coupling.b < 0:
            add_scaled(1.0, product, space.stress[-(coupling.b + 1)].xi_bar)
            continue
        add_scaled(1.0, product, work[coupling.b].dZ)
        product6_transposed(coupling.N, work[coupling.a].dS, product)
        add_scaled(1.0, product, work[coupling.b].dV)


@inlined
def pull_back_lines(tree, space, y):
    """Lines whose tension follows their length: the terms of rank one (`core.elastic_lines`), transposed.

    (g . y) (T_l f + T_l' drift) joins the cotangents of poses and strains, (g . y) T_l' f those of their rates.
    """
    work = space.work
    for i in range(space.count[1]):
        line = space.lines[i]
        slope, rate, length = line.slope, line.rate_slope, length_along(tree, space, line, y)
        for p in range(line.first, line.first + line.count):
            part = space.parts[p]
            if part.segment < 0 and part.node < 0:
                continue  # coordinates are no parameters
            if part.node < 0:
                add_scaled(length * slope, part.f, work[part.segment].dZ)
                add_scaled(length * rate, part.drift, work[part.segment].dZ)
                add_scaled(length * rate, part.f, work[part.segment].dV)
            else:
                add_scaled(length * slope, part.f, space.stress[part.node].xi_bar)
                add_scaled(length * rate, part.drift, space.stress[part.node].xi_bar)
                add_scaled(length * rate, part.f, space.stress[part.node].xid_bar)


@inlined
def pull_back_nodes(tree, space, q, v, y, gradient):
    """Strains at nodes, rest + Psi q, and their rates; virtual strains Psi y."""
    for k in range(tree.nodes.shape[0]):
        node, s = tree.nodes[k], space.stress[k]
        for j in range(node.n):
            r, i, c = tree.component[node.start + j], node.start + j, node.column + j
            gradient.psi[c] += s.xi_bar[r] * q[i] + s.xid_bar[r] * v[i] - s.f[r] * y[i]
        add_scaled(1.0, s.xi_bar, gradient.nodes[k].rest)


@inlined
def pull_back_loads(tree, space, q, v, y, gradient):
    """xi_bar = -E^T eta, xi'_bar = -C^T eta at nodes, then couplings, lines, and the numbers of nodes themselves.

    Cotangents of segments and nodes through all that loads wrote in mode TANGENT, but for G, N, M of points.
    """
    if tree.loads.shape[0] == 0:
        return
    for k in range(tree.nodes.shape[0]):
        s = space.stress[k]
        product6_transposed(s.E, s.eta, s.xi_bar)
        product6_transposed(s.C, s.eta, s.xid_bar)
        for i in range(6):
            s.xi_bar[i], s.xid_bar[i] = -s.xi_bar[i], -s.xid_bar[i]
    pull_back_couplings(space)
    pull_back_lines(tree, space, y)
    pull_back_nodes(tree, space, q, v, y, gradient)


@inlined
def load_power(tree, space, tree_address, space_address, function, data, mode, y):
    """sum of F . z over points - f . eta over nodes - joint_force . y: y^T R of what one load writes in a mode.

    All else that was written is lost.
    """
    work, power = space.work, 0.0
    for i in range(4):
        space.count[i] = 0
    clear_wrenches(tree, work)
    for k in range(tree.nodes.shape[0]):
        for i in range(6):
            space.stress[k].f[i] = 0.0
    for i in range(y.shape[0]):
        space.joint_force[i] = 0.0
    call_load(function, (tree_address, space_address, data, mode))
    for b in range(tree.blocks.shape[0]):
        for s in range(tree.blocks[b].first, tree.blocks[b].first + tree.blocks[b].active):
            power += dot6(work[s].F, work[s].dS)
    for k in range(tree.nodes.shape[0]):
        power -= dot6(space.stress[k].f, space.stress[k].eta)
    for i in range(y.shape[0]):
        power -= space.joint_force[i] * y[i]
    return power


@inlined
def add_differences(tree, space, tree_address, space_address, gradient, q, v, y):
    """Loads that do not say how they depend on their numbers: differences; and on inputs: as they tell in modes < 0."""
    for k in range(gradient.differences.shape[0]):
        i, power = gradient.differences[k, 0], 0.0
        for end in range(2):
            data = gradient.differences[k, 1 + end]
            function = gradient.differences[k, 3 + end]
            x = load_power(tree, space, tree_address, space_address, function, data, WRENCH, y)
            power += x if end == 0 else -x
        gradient.along[k] += power * gradient.scales[k]
    for i in range(gradient.loads.shape[0]):
        if gradient.loads[i, CALL] == NONE:
            for j in range(gradient.loads[i, FIRST], gradient.loads[i, LAST]):
                function, data = tree.loads[i, 0], tree.loads[i, 1]
                gradient.inputs[j] += load_power(
                    tree, space, tree_address, space_address, function, data, -(j + 1), y
                )


@inlined
def station_twist(tree, space, s):
    """The virtual twist z = J y of a segment that a load acts on, in dS; of dormant stations it is found now."""
    w = space.work[s]
    if w.awake != AWAKE:
        return
    block, previous = tree.blocks[tree.owner[s]], space.work[tree.parents[s]]
    y, c = vector_at(space.gradient[ALONG_Y], (tree.component.shape[0],)), block.columns + (s - block.first) * block.n
    rod_twist(block, c, tree.component, tree.phi, tree.segments[s], y, w)
    for k in range(6):
        w.dS[k] = previous.dS[k]
        w.xi[2, 0, k], w.xi[2, 1, k] = 0.0, 0.0  # what acts there does not feel accelerations
    add_apply(w.T[0], w.dF, w.dS)
    for d in range(2):
        for i in range(3):
            for j in range(3):
                w.T[2, d, i, j] = 0.0
