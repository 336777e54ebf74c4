"""Actuators along a line fixed in the sections of rods: tendons and chambers ([GVS-AD] D60-D63).

A line runs at d(X) = (0, y, z) in the section's frame.  Its tangent per unit of rod length is

    T = epsilon + kappa x d + d' = P xi + d',      P = [-d~, I],

and its length dl = |T| dX.  A tension u does the work -u dl, a pressure p in a channel of area A the work p A dl, so
both are the generalised stress c P^T t at a node, with t = T / |T|, c = -w u or c = w A p, w the quadrature weight;
its derivative by the strain is c P^T (I - t t^T) P / |T|  (D62 with the second vector (d'; 0); D63).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from supple.core.arrays import space_view
from supple.core.elastic_lines import add_line, add_part
from supple.core.gradient_arrays import gradient_view
from supple.core.load_data import Columns, Floats, Incidental, Integers, load_view
from supple.core.loads import MEASURE, TANGENT
from supple.jit import LoadKernel, SmoothGradientKernel, inlined, inner, local_array

_vector, _column, _matrix = local_array(3), local_array(6), local_array(6, 3)


class LineData(NamedTuple):
    """Arrays of a line at m nodes of rods."""

    where: Integers  #: (m, 2) node, input
    line: Annotated[Floats, Columns(coefficient="m", y="m", z="m", slope_y="", slope_z="")]  #: (m, 5); of chambers m^3
    table: Annotated[Floats, Incidental()]  #: (m, 3) link, s and weight, for read-outs (`routes.line_table`)


line_data = load_view(LineData)


@inlined
def line_matrix(y, z, B):
    """B (6, 3) = P^T = [d~; I] for d = (0, y, z)."""
    for i in range(6):
        for j in range(3):
            B[i, j] = 1.0 if i == 3 + j else 0.0
    B[0, 1], B[0, 2] = -z, y
    B[1, 0] = z
    B[2, 0] = -y


@inlined
def line_tangent(xi, y, z, slope_y, slope_z, T):
    """T = epsilon + kappa x d + d' for d = (0, y, z)."""
    T[0] = xi[3] + xi[1] * z - xi[2] * y
    T[1] = xi[4] - xi[0] * z + slope_y
    T[2] = xi[5] + xi[0] * y + slope_z
    return math.sqrt(T[0] * T[0] + T[1] * T[1] + T[2] * T[2])


@inner
def add_line_stress(s, line, u, mode):
    """Add the stress of one line at one node; ``line`` = (coefficient, y, z, dy/dX, dz/dX), u its input."""
    B, T, b = _matrix(), _vector(), _column()
    size = line_tangent(s.xi, line[1], line[2], line[3], line[4], T)
    line_matrix(line[1], line[2], B)
    c = line[0] * u
    for i in range(6):
        b[i] = (B[i, 0] * T[0] + B[i, 1] * T[1] + B[i, 2] * T[2]) / size
        s.f[i] += c * b[i]
    if mode == TANGENT:
        for i in range(6):
            for j in range(6):
                product = B[i, 0] * B[j, 0] + B[i, 1] * B[j, 1] + B[i, 2] * B[j, 2]
                s.E[i, j] += c * (product - b[i] * b[j]) / size


@inner
def line_rate(s, line, T, Td):
    """T = P xi + d' and T' = P xi' (3,) at a node; returns |T| and d|T|/dt = T . T' / |T|."""
    size = line_tangent(s.xi, line[1], line[2], line[3], line[4], T)
    line_tangent(s.xid, line[1], line[2], 0.0, 0.0, Td)
    return size, (T[0] * Td[0] + T[1] * Td[1] + T[2] * Td[2]) / size


@inner
def write_node_part(part, s, line):
    """f = c P^T t, drift = c P^T (I - t t^T) T' / |T| at a node, c = |coefficient| (see `core.elastic_lines`)."""
    T, Td, B, c = _vector(), _vector(), _matrix(), abs(line[0])
    size, rate = line_rate(s, line, T, Td)
    line_matrix(line[1], line[2], B)
    for i in range(6):
        for j in range(3):
            part.f[i] += c * B[i, j] * T[j] / size
            part.drift[i] += c * B[i, j] * (Td[j] - rate * T[j] / size) / size


@inner
def measure_line(space, where, line):
    """The length of a tendon, or the volume of a chamber: the sum of |coefficient| |T|."""
    T, Td, length, rate = _vector(), _vector(), 0.0, 0.0
    tension = space.inputs[where[0, 1]] if where.shape[0] > 0 else 0.0
    whole = add_line(space, 0.0, 0.0, tension, 0.0, 0.0)
    for i in range(where.shape[0]):
        s = space.stress[where[i, 0]]
        l, dl = line_rate(s, line[i], T, Td)
        length, rate = length + abs(line[i, 0]) * l, rate + abs(line[i, 0]) * dl
        write_node_part(add_part(space, whole, -1, where[i, 0]), s, line[i])
    whole.length, whole.rate = length, rate


def _lines(tree, space, data, mode):
    """Stresses of a line at all its nodes, see `LineData`."""
    scratch, own = space_view(space), line_data(data)
    where, line = own.where, own.line
    if mode == MEASURE:
        measure_line(scratch, where, line)
        return
    for i in range(where.shape[0]):
        u = scratch.inputs[where[i, 1]]
        if mode < 0:  # derivative by one input: the stress is linear in it
            u = 1.0 if where[i, 1] == -(mode + 1) else 0.0
        if u != 0.0:
            add_line_stress(scratch.stress[where[i, 0]], line[i], u, mode)


lines = LoadKernel(_lines)


@inner
def add_route_cotangent(xi, T_bar, out):
    """Cotangents of y and z in T_bar . (kappa x d): out[1] and out[2], ``out`` as a row of `LineData.line`."""
    out[1] += T_bar[2] * xi[0] - T_bar[0] * xi[2]
    out[2] += T_bar[0] * xi[1] - T_bar[1] * xi[0]


@inner
def add_node_gradient(s, line, sign, by_length, by_rate, tension, out):
    """Cotangents ``out`` of a row of `LineData.line` in the power of a line at one node; returns c t . T_eta.

    The line has c |T| of its length at the node, c = sign coefficient, and c t . T' of its rate; along the virtual
    strain eta it grows by c t . T_eta, T_eta = P eta.  The power changes by ``by_length`` and ``by_rate`` times the
    former, and by ``tension`` times the latter.
    """
    T, Td, Te, bar, c = _vector(), _vector(), _vector(), _vector(), sign * line[0]
    size, rate = line_rate(s, line, T, Td)
    line_tangent(s.eta, line[1], line[2], 0.0, 0.0, Te)
    along = (T[0] * Te[0] + T[1] * Te[1] + T[2] * Te[2]) / size
    out[0] += sign * (by_length * size + by_rate * rate + tension * along)
    for i in range(3):
        t = T[i] / size
        bar[i] = c * (by_length * t + by_rate * (Td[i] - rate * t) / size + tension * (Te[i] - along * t) / size)
    add_route_cotangent(s.xi, bar, out)
    out[3] += bar[1]
    out[4] += bar[2]
    for i in range(3):
        bar[i] = c * by_rate * T[i] / size
    add_route_cotangent(s.xid, bar, out)
    for i in range(3):
        bar[i] = c * tension * T[i] / size
    add_route_cotangent(s.eta, bar, out)
    return c * along


def _line_gradient(tree, space, data, own, everything):
    """Of the power -c u t . T_eta of a line at its nodes: by its route, coefficients, and input."""
    scratch, line, out, inputs = space_view(space), line_data(data), line_data(own), gradient_view(everything).inputs
    where = line.where
    for i in range(where.shape[0]):
        s, u = scratch.stress[where[i, 0]], scratch.inputs[where[i, 1]]
        inputs[where[i, 1]] += add_node_gradient(s, line.line[i], -1.0, 0.0, 0.0, u, out.line[i])


line_gradient = SmoothGradientKernel(_line_gradient)
