"""Which kind a block is: the one place that asks, and hands each question of the sweeps to the kind's own file.

A new kind of joint or body is a map of a CUSTOM block, without a line here (`core.blocks.custom`).
"""

from __future__ import annotations

from supple.core.blocks.body import body_pose, clear_field_columns, frame_address, rest_on_base
from supple.core.blocks.curved import curved_motion, exponential_pose
from supple.core.blocks.custom import (
    add_custom_product,
    add_custom_stiffness,
    add_custom_twist,
    address_of,
    custom_columns,
    custom_jacobian,
    custom_motion,
    custom_pose,
    project_custom,
)
from supple.core.blocks.exponential import (
    add_exponential_product,
    add_exponential_stiffness,
    exponential_columns,
    exponential_jacobian,
    project_exponential,
)
from supple.core.blocks.rod import (
    add_rod_product,
    add_rod_stiffness,
    project_rod,
    rod_columns,
    rod_step,
)
from supple.core.blocks.screw import joint_jet, project_screw, screw_columns, screw_jacobian, screw_motion
from supple.core.map_gradients import add_body_gradient, add_map_gradient
from supple.core.records import BODY, CUSTOM, EXPONENTIAL, ROD, SCREW
from supple.core.segment_gradients import add_rod_gradient, add_screw_gradient, rod_twist, screw_twist
from supple.jit import inlined
from supple.lie.dual import add_apply


@inlined
def has_one_point(block):
    """Whether a block is one segment that carries all its coordinates, as all but rods and soft bodies are."""
    return block.kind != ROD and block.kind != BODY


@inlined
def has_field(block):
    """Whether a block is a soft body."""
    return block.kind == BODY


@inlined
def has_strains(block):
    """Whether forces of loads on a block's coordinates come by strains at nodes, as of rods; else as joint forces."""
    return block.kind == ROD


@inlined
def by_fours(block):
    """Whether kernels of their own sweep over a block, four segments at a time (`core.rod_calls`): rods."""
    return block.kind == ROD


@inlined
def map_address(tree, space, block, i):
    """Where the map g(q) of the i-th segment of a CUSTOM or BODY block is; a field has none."""
    if has_field(block):
        return frame_address(block, tree.maps, space.maps, i)
    return address_of(block, tree.maps, space.maps)


@inlined
def exponential_coordinates(block):
    """Whether a joint is the exponential of a sum of screws that do not commute."""
    return block.kind == EXPONENTIAL


@inlined
def end_pose(tree, space, block, i, q, v, a, order, w):
    """Pose of the end of the i-th segment from that of its start; keeps what `end_motion` needs, but of rods."""
    if block.kind == CUSTOM:
        custom_pose(block, tree.maps, space.maps, q, v, order, w)
        return
    if block.kind == BODY:
        body_pose(block, tree.maps, space.maps, i, q, v, order, w)
        return
    if block.kind == ROD:
        rod_step(tree, block, i, q, w)
    else:
        joint_jet(block, tree.screws, q, v, a, w.jet)
    exponential_pose(w)


@inlined
def end_motion(tree, space, block, i, v, a, order, previous, w):
    """Twist and acceleration of the end of the i-th segment of any block but a rod.

    With operators up to time derivative ``order`` (0, 1 or 2).
    """
    if block.kind == SCREW:
        screw_motion(previous, order, w)
    elif block.kind == BODY and i == 0:
        rest_on_base(previous, w)
    elif block.kind == CUSTOM or block.kind == BODY:
        custom_motion(block, map_address(tree, space, block, i), v, a, order, previous, w)
    else:
        curved_motion(previous, w, order)


@inlined
def block_columns(tree, space, block, cv, ca):
    """Columns S, J, R + c_v J, Q + 2 c_v R + c_a J of all active segments of a block (see `core.columns`)."""
    work, columns = space.work, space.columns
    if block.kind == ROD:
        rod_columns(tree, block, work, cv, ca, columns)
    elif block.kind == SCREW:
        screw_columns(block, tree.screws, work[block.parent], work[block.first], cv, ca, columns)
    elif block.kind == EXPONENTIAL:
        exponential_columns(block, tree.screws, work[block.first], cv, ca, columns)
    elif block.kind == CUSTOM:
        at, w = map_address(tree, space, block, 0), work[block.first]
        custom_columns(block, at, work[block.parent], w, cv, ca, block.columns, columns)
    else:
        clear_field_columns(block, columns)
        for i in range(1, block.active):
            at, c = map_address(tree, space, block, i), block.columns + i * block.n
            custom_columns(block, at, work[block.parent], work[block.first + i], cv, ca, c, columns)


@inlined
def block_jacobian(tree, space, block):
    """J = sum S alone of all active segments of any block but a rod."""
    work, J = space.work, space.columns[1]
    if block.kind == SCREW:
        screw_jacobian(block, tree.screws, work[block.first], J)
    elif block.kind == EXPONENTIAL:
        exponential_jacobian(block, tree.screws, work[block.first], J)
    elif block.kind == CUSTOM:
        custom_jacobian(block, map_address(tree, space, block, 0), work[block.first], block.columns, J)
    else:
        clear_field_columns(block, space.columns)
        for i in range(1, block.active):
            at, c = map_address(tree, space, block, i), block.columns + i * block.n
            custom_jacobian(block, at, work[block.first + i], c, J)


@inlined
def project_wrench(tree, space, block, i, F, w, out):
    """out += S^T F for the i-th segment of a block; F is a wrench in world axes about the common origin."""
    if block.kind == ROD:
        project_rod(tree, block, i, F, w, out)
    elif block.kind == SCREW:
        project_screw(block, tree.screws, F, w, out)
    elif block.kind == EXPONENTIAL:
        project_exponential(block, tree.screws, F, w, out)
    elif block.kind == CUSTOM or i > 0:
        project_custom(block, map_address(tree, space, block, i), F, w, out)


@inlined
def add_geometric_stiffness(tree, space, block, i, w, out):
    """out[block, block] += d(S^T F)/dq of the i-th segment, F = w.F constant as seen from the segment's start (C29).

    Commuting screws have a constant S there: nothing to add.
    """
    if block.kind == ROD:
        add_rod_stiffness(tree, block, i, w, out)
    elif block.kind == EXPONENTIAL:
        add_exponential_stiffness(block, tree.screws, w, out)
    elif block.kind == CUSTOM or (block.kind == BODY and i > 0):
        add_custom_stiffness(block, map_address(tree, space, block, i), w, out)


@inlined
def add_geometric_product(tree, space, block, i, w, x, transposed, out):
    """out += the matrix of `add_geometric_stiffness` times x, or its transpose times x."""
    if block.kind == ROD:
        add_rod_product(tree, block, i, w, x, transposed, out)
    elif block.kind == EXPONENTIAL:
        add_exponential_product(block, tree.screws, w, x, transposed, out)
    elif block.kind == CUSTOM or (block.kind == BODY and i > 0):
        add_custom_product(block, map_address(tree, space, block, i), w, x, transposed, out)


@inlined
def add_virtual_twist(tree, space, block, i, y, w, previous):
    """z = J y at the end of the i-th segment, in dS, from that at its start; keeps Omega along y in dF.

    Joints whose screws commute get their operators here: sweeps do without, gradients by screws do not.
    """
    for k in range(6):
        w.dS[k] = previous.dS[k]
    if block.kind == BODY and i == 0:
        return
    if block.kind == CUSTOM or block.kind == BODY:
        add_custom_twist(block, map_address(tree, space, block, i), y, w)
        return
    if block.kind == ROD:
        c = block.columns + i * block.n
        rod_twist(block, c, tree.component, tree.phi, tree.segments[block.first + i], y, w)
    else:
        screw_twist(block, tree.screws, y, w)
    if block.kind == SCREW:
        curved_motion(previous, w, 2)
    add_apply(w.T[0], w.dF, w.dS)


@inlined
def add_step_gradient(tree, space, block, i, q, v, a, y, previous, w, gradient):
    """Cotangents of the end of the i-th segment, pulled back to its own numbers (`core.segment_gradients`).

    ``previous`` is where the segment begins.
    """
    if block.kind == ROD:
        c, s = block.columns + i * block.n, block.first + i
        add_rod_gradient(
            block, c, tree.component, tree.phi, tree.segments[s], q, v, a, y, w, gradient.segments[s], gradient.phi
        )
    elif block.kind == CUSTOM:
        maps, scales, along = gradient.maps, gradient.scales, gradient.along
        add_map_gradient(block, tree.maps, space.maps, q, v, a, y, previous, w, maps, scales, along)
    elif block.kind == BODY:
        maps, scales, along = gradient.maps, gradient.scales, gradient.along
        add_body_gradient(block, tree.maps, space.maps, i, q, v, a, y, previous, w, maps, scales, along)
    elif block.n > 0:
        add_screw_gradient(block, q, v, a, y, w, gradient.screws)
